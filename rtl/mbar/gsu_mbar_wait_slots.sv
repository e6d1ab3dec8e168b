// gsu_mbar_wait_slots: parked waits, keyed by the word address of their object. A flip wakes all waits of its object at once, finally (D-33).
// A limit that expires wakes with false, unless the flip comes before the answer is taken (D-32: the current value of the condition).
// Rules: MBW-006, MBW-007, MBW-009, D-32..D-35, D-70.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_wait_slots
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
#(
    parameter int unsigned Slots = 32  /// parked waits; proofs use fewer
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  cycle_t      now_i,
    input  logic [7:0]  usable_i,      // slots that may be used
    output logic        space_o,
    input  logic        push_i,        // only with space_o; due later than now
    input  mbar_wait_t  wait_i,
    input  logic        wake_i,        // the object at addr_i completed its phase
    input  logic        kill_i,        // that object was invalidated, re-initialised or locked
    input  logic [14:0] addr_i,
    output logic        killed_o,      // kill_i wakes a wait
    input  logic        tag_valid_i,   // tag_parked_o is needed
    input  logic [11:0] tag_i,
    output logic        tag_parked_o,  // a wait of request tag_i is parked
    output logic        valid_o,       // an answer
    input  logic        ready_i,
    output mbar_wait_t  wait_o,
    output cause_e      cause_o,
    output logic        alone_o,       // no other wait of its request is parked
    output cycle_t      next_event_o   // earliest limit, all ones if none
);
  localparam int unsigned IndexW = $clog2(Slots);
  typedef logic [IndexW-1:0] index_t;
  typedef logic [Slots-1:0] slots_t;

  slots_t     valid_q, done_q, true_q, killed_q;  // done: the answer is known; true: the flip has come
  mbar_wait_t wait_q[Slots];                      // no reset: valid where valid_q
  cycle_t     min_q;                              // no parked limit is earlier; meaningful while any is parked
  slots_t     parked, match, open, expired;
  logic       any_parked, fire, pop;
  index_t     free_index, out_index;

  assign parked       = valid_q & ~done_q;
  assign any_parked   = parked != '0;
  assign fire         = any_parked && (Eager || min_q <= now_i);
  assign next_event_o = any_parked ? (Events ? min_q : '0) : '1;
  assign space_o      = 32'($countones(valid_q)) < 32'(usable_i) && valid_q != '1;
  assign valid_o      = done_q != '0;
  assign pop          = valid_o && ready_i;
  assign wait_o       = wait_q[out_index];
  assign cause_o      = true_q[out_index] ? CauseFlip : killed_q[out_index] ? CauseKilled : CauseTimeout;

  function automatic index_t lowest(slots_t set);
    logic [127:0] wide;
    wide   = 128'(set);
    lowest = index_t'({wide[63:0] == '0, lowest_of(wide[63:0] == '0 ? wide[127:64] : wide[63:0])});
  endfunction
  always_comb begin
    free_index = '0;
    if (push_i) free_index = lowest(~valid_q);
    out_index = '0;
    if (valid_o) out_index = lowest(done_q);
    alone_o = valid_o;
    if (valid_o) begin
      for (int unsigned i = 0; i < Slots; i++) begin
        if (valid_q[i] && index_t'(i) != out_index && wait_q[i].tag == wait_q[out_index].tag) alone_o = 1'b0;
      end
    end
    tag_parked_o = 1'b0;
    if (tag_valid_i && valid_q != '0) begin
      for (int unsigned i = 0; i < Slots; i++) if (valid_q[i] && wait_q[i].tag == tag_i) tag_parked_o = 1'b1;
    end
  end

  // Waits of the object, and waits whose limit has come.
  always_comb begin
    match   = '0;
    expired = '0;
    if ((wake_i || kill_i) && valid_q != '0) begin
      for (int unsigned i = 0; i < Slots; i++) match[i] = valid_q[i] && wait_q[i].addr == addr_i;
    end
    if (fire) begin
      for (int unsigned i = 0; i < Slots; i++) expired[i] = parked[i] && wait_q[i].due <= now_i;
    end
  end
  // The earliest limit of a set, in as many steps as Slots has bits.
  function automatic cycle_t earliest(slots_t set);
    cycle_t limit[Slots];
    for (int i = 0; i < int'(Slots); i++) limit[i] = set[i] ? wait_q[i].due : '1;
    for (int half = 1 << (IndexW - 1); half >= 1; half = half / 2) begin
      for (int i = 0; i < half && i + half < int'(Slots); i++) if (limit[i+half] < limit[i]) limit[i] = limit[i+half];
    end
    earliest = limit[0];
  endfunction
  assign open     = match & ~true_q & ~killed_q;  // still suspended, though the limit may have come
  assign killed_o = kill_i && open != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q  <= '0;
      done_q   <= '0;
      true_q   <= '0;
      killed_q <= '0;
      min_q    <= '0;
    end else if (push_i || pop || fire || match != '0) begin
      done_q <= done_q | match | expired;
      if (wake_i) true_q <= true_q | (match & ~killed_q);
      else if (kill_i) killed_q <= killed_q | open;
      if (Events && fire) begin
        automatic cycle_t left = earliest(parked & ~expired);
        min_q <= push_i && wait_i.due < left ? wait_i.due : left;
      end else if (Events && push_i && (!any_parked || wait_i.due < min_q)) begin
        min_q <= wait_i.due;
      end
      if (pop) begin
        valid_q[out_index]  <= 1'b0;
        done_q[out_index]   <= 1'b0;
        true_q[out_index]   <= 1'b0;
        killed_q[out_index] <= 1'b0;
      end
      if (push_i) valid_q[free_index] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (push_i) wait_q[free_index] <= wait_i;
  end

  `REQUIRE(PushHasSpace, !push_i || space_o)
  `REQUIRE(OneUpdate, !(wake_i && kill_i))
  `ASSERT(DoneIsValid, (done_q & ~valid_q) == '0)
  `ASSERT(ReasonIsDone, ((true_q | killed_q) & ~done_q) == '0)
  `ASSERT(OneReason, (true_q & killed_q) == '0)
  `ASSERT_NEXT(AnswerHolds, valid_o && !ready_i, valid_o)
  `COVER(Full, valid_q == '1)
  `COVER(FlipAndLimitTogether, (match & expired) != '0 && wake_i)
  `COVER(FlipAfterLimit, wake_i && (match & done_q & ~true_q) != '0)
  `COVER(Killed, killed_o)
endmodule
