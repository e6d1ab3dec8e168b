// gsu_order_wait_queue: queue of waiting requests. A request waits for an epoch of its CTA or of its warp, for the entry gate of its cluster, or for a time.
// Requests leave in any order. Each class has its own output, so a busy receiver holds up only one class.
// Rules: D-70 (a waiting lane group occupies no port), D-40, D-54, D-69. A full queue takes nothing; the waits in it end without the input port.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_order_wait_queue
  import gsu_pkg::*;
  import gsu_order_pkg::*;
#(
    parameter int unsigned Width = 1,    /// payload bits
    parameter int unsigned Depth = 64,   /// requests that wait, a power of two up to 64
    parameter int unsigned Classes = 1   /// outputs
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  cycle_t           now_i,
    input  logic             push_i,     // only with space_o
    output logic             space_o,    // from flops
    input  order_hold_t      hold_i,     // reasons of the pushed request
    input  logic [Width-1:0] data_i,
    input  logic [Classes-1:0] class_i,  // class of the pushed request, one-hot
    input  mask_t            open_i,     // per CTA: its entry gate is open
    input  mask_t            fire_i,     // this and the next three inputs: as the outputs of gsu_order
    input  mask_t            turn_i,
    input  logic [MaxWarpSlots-1:0] own_fire_i,
    input  logic [MaxWarpSlots-1:0] own_turn_i,
    output logic [Classes-1:0] valid_o,  // from flops: a request of the class resumes; holds until ready_i
    input  logic [Classes-1:0] ready_i,
    output logic [Classes-1:0][Width-1:0] data_o,  // meaningful where valid_o
    output logic             idle_o,     // no request resumes in this clock
    output cycle_t           next_o      // earliest time that a request waits for, all ones if none
);
  localparam int unsigned IdxW = $clog2(Depth);
  typedef logic [IdxW-1:0] idx_t;
  typedef logic [Depth-1:0] set_t;

  logic [4:0]       cta_q[Depth];
  logic [5:0]       slot_q[Depth];
  cycle_t           due_q[Depth];
  set_t             used_q, gate_q, own_q, own_old_q, wide_q, wide_old_q, timed_q;  // *_old_q: the epoch for which it waits is closed
  set_t             class_q[Classes];
  logic [Classes-1:0] valid_q;
  idx_t             last_q;
  cycle_t           min_q;  // earliest time that a request waits for; valid only while one waits for a time

  idx_t free, pick;
  logic load;
  logic [Classes-1:0] full, of_pick;
  set_t ready, blocked, may, after, gate_d, own_d, own_old_d, wide_d, wide_old_d, timed_d;
  assign space_o = used_q != '1;
  assign ready   = used_q & ~(gate_q | own_q | wide_q | timed_q);
  assign full    = valid_q & ~ready_i;
  always_comb begin
    blocked = '0;
    for (int c = 0; c < int'(Classes); c++) if (full[c]) blocked = blocked | (Classes == 1 ? '1 : class_q[c]);
  end
  assign may     = ready & ~blocked;
  assign load    = |may;
  always_comb begin
    free = '0;
    if (push_i) free = idx_t'(lowest_of(64'(set_t'(~used_q))));
  end
  always_comb begin
    after   = '0;
    pick    = '0;
    of_pick = '0;
    if (load) begin
      after = may & (~set_t'(1) << last_q);
      pick  = |after ? idx_t'(lowest_of(64'(after))) : idx_t'(lowest_of(64'(may)));
      for (int c = 0; c < int'(Classes); c++) of_pick[c] = Classes == 1 || class_q[c][pick];
    end
  end
  // A reason for which no request waits is skipped. This only saves simulation time.
  always_comb begin
    gate_d = gate_q;
    if (|gate_q) for (int i = 0; i < int'(Depth); i++) gate_d[i] = gate_q[i] && !open_i[cta_q[i]];
  end
  always_comb begin
    wide_d     = wide_q;
    wide_old_d = wide_old_q;
    if (|wide_q && |(fire_i | turn_i)) begin
      for (int i = 0; i < int'(Depth); i++) begin
        wide_d[i]     = wide_q[i] && !(wide_old_q[i] && fire_i[cta_q[i]]);
        wide_old_d[i] = wide_q[i] && (wide_old_q[i] || turn_i[cta_q[i]]);  // only while it waits, because its CTA is valid then
      end
    end
  end
  always_comb begin
    own_d     = own_q;
    own_old_d = own_old_q;
    if (|own_q && |(own_fire_i | own_turn_i)) begin
      for (int i = 0; i < int'(Depth); i++) begin
        own_d[i]     = own_q[i] && !(own_old_q[i] && own_fire_i[slot_q[i]]);
        own_old_d[i] = own_q[i] && (own_old_q[i] || own_turn_i[slot_q[i]]);
      end
    end
  end
  // All times are compared only when the earliest one has come.
  logic fire;
  assign fire   = |timed_q && (Eager || min_q <= now_i);
  assign next_o = |timed_q ? (Events ? min_q : '0) : '1;
  always_comb begin
    timed_d = timed_q;
    if (fire) for (int i = 0; i < int'(Depth); i++) timed_d[i] = timed_q[i] && due_q[i] > now_i;
  end
  function automatic cycle_t earliest(set_t waiting, cycle_t known, cycle_t fresh);
    cycle_t time_of[Depth];
    earliest = known < fresh ? known : fresh;
    if (waiting != '0) begin
      for (int i = 0; i < int'(Depth); i++) time_of[i] = waiting[i] ? due_q[i] : '1;
      for (int half = int'(Depth) / 2; half >= 1; half = half / 2) begin
        for (int i = 0; i < half; i++) if (time_of[i+half] < time_of[i]) time_of[i] = time_of[i+half];
      end
      if (time_of[0] < earliest) earliest = time_of[0];
    end
  endfunction

  logic moves;
  always_comb begin
    moves = 1'b0;
    if (used_q != '0 || Eager) moves = fire || gate_d != gate_q || own_d != own_q || own_old_d != own_old_q || wide_d != wide_q || wide_old_d != wide_old_q;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q     <= '0;
      gate_q     <= '0;
      own_q      <= '0;
      own_old_q  <= '0;
      wide_q     <= '0;
      wide_old_q <= '0;
      timed_q    <= '0;
      valid_q    <= '0;
      min_q      <= '0;
      last_q     <= '1;  // entry 0 is served first
    end else begin
      valid_q <= of_pick | full;
      if (load) last_q <= pick;
      if (Events && (fire || (push_i && hold_i.timed)))
        min_q <= earliest(fire ? timed_d : '0, timed_q != '0 && !fire ? min_q : '1, push_i && hold_i.timed ? hold_i.due : '1);
      if (push_i || load || moves) begin
        gate_q     <= gate_d;
        own_q      <= own_d;
        own_old_q  <= own_old_d;
        wide_q     <= wide_d;
        wide_old_q <= wide_old_d;
        timed_q    <= timed_d;
        if (load) used_q[pick] <= 1'b0;
        if (push_i) begin
          used_q[free]     <= 1'b1;
          gate_q[free]     <= hold_i.gate;
          own_q[free]      <= hold_i.own;
          wide_q[free]     <= hold_i.wide;
          timed_q[free]    <= hold_i.timed;
          own_old_q[free]  <= own_turn_i[hold_i.slot];  // the current epoch closes with this clock, and all older operations are in it
          wide_old_q[free] <= turn_i[hold_i.cta];
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (push_i) begin
      cta_q[free]  <= hold_i.cta;
      slot_q[free] <= hold_i.slot;
      due_q[free]  <= hold_i.due;
      for (int c = 0; c < int'(Classes); c++) class_q[c][free] <= class_i[c];
    end
  end
  // With one output the data stay in the output register of the memory. With several outputs each has its own register, because the next read may be for
  // another output.
  logic [Width-1:0] read;
  gsu_ram #(.Words(Depth), .Width(Width)) u_data (
      .clk_i, .we_i(push_i), .waddr_i(free), .wdata_i(data_i), .spread_i(1'b0), .re_i(load), .raddr_i(pick), .rdata_o(read)
  );
  if (Classes == 1) begin : gen_one
    assign data_o = read;
  end else begin : gen_out
    logic [Classes-1:0] fresh_q;  // the output was read in the last clock
    logic [Classes-1:0][Width-1:0] out_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) fresh_q <= '0;
      else fresh_q <= of_pick;
    end
    always_ff @(posedge clk_i) begin
      for (int c = 0; c < int'(Classes); c++) if (fresh_q[c]) out_q[c] <= read;
    end
    for (genvar c = 0; c < int'(Classes); c++) begin : gen_data
      assign data_o[c] = fresh_q[c] ? read : out_q[c];
    end
    `ASSERT(FreshIsValid, (fresh_q & ~valid_q) == '0)
  end
  assign valid_o = valid_q;
  assign idle_o  = !push_i && valid_q == '0 && ready == '0 && !moves;

  `REQUIRE(PushHasSpace, !push_i || space_o)
  `ASSERT(WaitsAreUsed, ((gate_q | own_q | wide_q | timed_q) & ~used_q) == '0)
  `ASSERT(FreeIsFree, !push_i || !used_q[free])
  `ASSERT(OnlyReadyLeave, !load || (ready[pick] && $onehot(of_pick) && (of_pick & full) == '0))
  `REQUIRE(DueLater, !(push_i && hold_i.timed) || hold_i.due > now_i)
  for (genvar c = 0; c < int'(Classes); c++) begin : gen_class
    `ASSERT_NEXT(OutputHolds, valid_o[c] && !ready_i[c], valid_o[c] && $stable(data_o[c]))
  end
  `REQUIRE(OneClass, !push_i || $onehot(class_i))
  `ASSERT_NEXT(IdleHolds, idle_o, $stable(used_q) && $stable(gate_q) && $stable(own_q) && $stable(wide_q) && $stable(timed_q) && valid_q == '0)
  `COVER(Full, !space_o)
  `COVER(TwoReady, |(ready & (ready - set_t'(1))))
  `COVER(ThroughTheGate, |(gate_q & ~gate_d))
  `COVER(WaitsForAll, |(own_q & wide_q & timed_q))
endmodule
