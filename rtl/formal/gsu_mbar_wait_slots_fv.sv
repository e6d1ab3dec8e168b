// prove: name=waits engine=kind depth=2 flat=1 files=gsu_mbar_pkg,gsu_mbar_wait_slots cover=14 skip=FlipAfterLimit
// Harness of gsu_mbar_wait_slots. One symbolic wait is followed from parking to its answer (MBW-006, MBW-007, D-32, D-33, D-35, D-70).
// A flip of its object is never lost. The answer is true only after a flip since parking, and false only after limit or kill. The wait is answered exactly
// once, after at most as many others as there are slots. Four slots stand for any number.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_mbar_wait_slots_fv
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
(
    input logic        clk_i,
    input logic        rst_ni,
    input cycle_t      now_i,
    input logic [2:0]  usable_i,
    input logic        push_i,
    input logic [1:0]  push_addr_i,
    input logic [1:0]  push_tag_i,
    input logic [2:0]  push_limit_i,
    input logic        wake_i,
    input logic        kill_i,
    input logic [1:0]  addr_i,
    input logic        ready_i,
    input logic        pick_i       // starts following the wait now parked
);
  `FV_RESET
  mbar_wait_t offer, answer;
  logic space, killed, parked, valid, alone, push, take;
  cause_e cause;
  cycle_t next_event;
  always_comb begin
    offer      = '0;
    offer.addr = 15'(push_addr_i);
    offer.tag  = 12'(push_tag_i);
    offer.due  = now_i + cycle_t'(push_limit_i);
    // The followed wait carries a mark of its own through the buffer.
    offer.lanes[0] = take;
  end
  gsu_mbar_wait_slots #(.Slots(4)) dut (
      .clk_i, .rst_ni, .now_i,
      .usable_i(8'(usable_i)), .space_o(space), .push_i(push), .wait_i(offer),
      .wake_i, .kill_i, .addr_i(15'(addr_i)), .killed_o(killed), .tag_valid_i(1'b1), .tag_i(12'(push_tag_i)), .tag_parked_o(parked),
      .valid_o(valid), .ready_i, .wait_o(answer), .cause_o(cause), .alone_o(alone), .next_event_o(next_event)
  );
  logic busy_q, flip_q, kill_q, limit_q;
  logic [1:0] addr_q;
  logic [3:0] now_low_q, due_q;
  assign push = push_i && space && push_limit_i != '0;
  assign take = push && pick_i && !busy_q;
  // Time advances by one or stands still (skipped cycles have no event). Small times stand for all, because only differences and order count.
  `ASSUME(TimeFits, now_i < 48'd8)
  always_ff @(posedge clk_i) now_low_q <= now_i[3:0];
  `ASSUME(TimeRuns, !fv_started_q || now_i[3:0] == now_low_q || now_i[3:0] == now_low_q + 4'd1)
  `ASSUME(OneUpdate, !(wake_i && kill_i))
  // The unit commits nothing while an answer waits.
  `ASSUME(NoWaitWhileAnswering, !(valid && (push || ((wake_i || kill_i) && cause == CauseTimeout))))

  logic mine, out;
  assign mine = addr_i == addr_q && busy_q;
  assign out  = valid && ready_i && answer.lanes[0];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      flip_q  <= 1'b0;
      kill_q  <= 1'b0;
      limit_q <= 1'b0;
      addr_q  <= '0;
      due_q   <= '0;
    end else begin
      if (take) begin
        busy_q  <= 1'b1;
        flip_q  <= 1'b0;
        kill_q  <= 1'b0;
        limit_q <= 1'b0;
        addr_q  <= push_addr_i;
        due_q   <= offer.due[3:0];
      end else if (busy_q) begin
        if (out) busy_q <= 1'b0;
        if (mine && wake_i && !kill_q) flip_q <= 1'b1;
        if (mine && kill_i && !flip_q) kill_q <= 1'b1;
        if (due_q <= now_i[3:0]) limit_q <= 1'b1;
      end
    end
  end
  // Once its answer is known, each earlier answer removes one of the other waits, and no new one is added.
  logic [2:0] passed_q;
  logic [3:0] marked;  // number of slots with the mark: one
  logic known;
  assign known = busy_q && (flip_q || kill_q || limit_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) passed_q <= '0;
    else if (!known || out) passed_q <= '0;
    else if (valid && ready_i) passed_q <= passed_q + 3'd1;
  end
  `ASSERT(AnsweredAfterThree, passed_q <= 3'd3)
  `ASSERT(AnswersBeforeAreGone, !known || passed_q + 3'($countones(dut.valid_q & ~marked)) <= 3'd3)
  `ASSERT(AnsweredOnce, !(valid && answer.lanes[0]) || busy_q)
  `ASSERT(TrueOnlyAfterFlip, !(out && cause == CauseFlip) || flip_q)
  `ASSERT(FlipIsNotLost, !(out && flip_q) || cause == CauseFlip)
  `ASSERT(FalseHasAReason, !out || cause != CauseTimeout || limit_q)
  `ASSERT(KilledOnlyByKill, !(out && cause == CauseKilled) || kill_q)
  `ASSERT(WokenIsOffered, !(busy_q && (flip_q || kill_q || limit_q)) || valid)
  `ASSERT(LimitIsAnnounced, !(busy_q && !flip_q && !kill_q && !limit_q) || valid || next_event <= {44'd0, due_q})
  // Relation of the followed wait to its slot.
  logic [3:0] at;
  always_comb begin
    for (int i = 0; i < 4; i++) marked[i] = dut.valid_q[i] && dut.wait_q[i].lanes[0];
    at = '0;
    for (int i = 0; i < 4; i++) at[i] = marked[i] && dut.wait_q[i].addr == 15'(addr_q) && dut.wait_q[i].due == 48'(due_q);
  end
  `ASSERT(OneSlot, $onehot0(marked) && busy_q == (marked != '0) && at == marked)
  `ASSERT(SlotKnowsFlip, ((dut.true_q & marked) != '0) == (busy_q && flip_q))
  `ASSERT(SlotKnowsKill, ((dut.killed_q & marked) != '0) == (busy_q && kill_q))
  `ASSERT(SlotKnowsEnd, ((dut.done_q & marked) != '0) == (busy_q && (flip_q || kill_q || limit_q)))
  `ASSERT(EarliestIsEarly, (dut.valid_q & ~dut.done_q & marked) == '0 || dut.min_q <= 48'(due_q))
  `ASSERT_NEXT(IdleHolds, !push && !wake_i && !kill_i && !valid && now_i < next_event, $stable(dut.valid_q) && $stable(dut.done_q)
               && $stable(dut.true_q) && $stable(dut.killed_q) && $stable(dut.min_q))
  `COVER(AnswerFlip, out && cause == CauseFlip)
  `COVER(AnswerLimit, out && cause == CauseTimeout)
  `COVER(AnswerKilled, out && cause == CauseKilled)
endmodule
