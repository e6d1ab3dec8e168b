// gsu_order_room: requests that wait: for the epoch of their CTA, of their warp, for the entry gate of their cluster, for a time; none holds up another.
// Rules: D-70 (a waiting lane group occupies no port), D-40, D-54, D-69; a full room refuses, and its waits end without that port.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_order_room
  import gsu_pkg::*;
  import gsu_order_pkg::*;
#(
    parameter int unsigned Width = 1,  /// payload bits
    parameter int unsigned Depth = 64  /// requests that wait, a power of two
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  cycle_t           now_i,
    input  logic             push_i,     // only with space_o
    output logic             space_o,    // from flops
    input  order_hold_t      hold_i,     // of the pushed request
    input  logic [Width-1:0] data_i,
    input  mask_t            open_i,     // entry gate per CTA
    input  mask_t            fire_i,     // as gsu_order
    input  mask_t            turn_i,
    input  logic [MaxWarpSlots-1:0] own_fire_i,
    input  logic [MaxWarpSlots-1:0] own_turn_i,
    output logic             valid_o,    // from a flop: may go on; holds until ready_i
    input  logic             ready_i,
    output logic [Width-1:0] data_o,
    output logic             idle_o,     // nobody may go on in this clock
    output cycle_t           next_o      // earliest time somebody waits for, all ones if none
);
  localparam int unsigned IdxW = $clog2(Depth);
  typedef logic [IdxW-1:0] idx_t;
  typedef logic [Depth-1:0] set_t;

  logic [Width-1:0] data_q[Depth];
  logic [4:0]       cta_q[Depth];
  logic [5:0]       slot_q[Depth];
  cycle_t           due_q[Depth];
  set_t             used_q, gate_q, own_q, own_old_q, wide_q, wide_old_q, timed_q;  // *_old_q: the epoch it waits for is closed
  logic             valid_q;
  logic [Width-1:0] out_q;
  idx_t             last_q;

  idx_t free, pick;
  logic load;
  set_t ready, after, gate_d, own_d, own_old_d, wide_d, wide_old_d, timed_d;
  assign space_o = used_q != '1;
  assign ready   = used_q & ~(gate_q | own_q | wide_q | timed_q);
  assign load    = |ready && (!valid_q || ready_i);
  assign after   = ready & ~((set_t'(2) << last_q) - set_t'(1));
  always_comb begin
    free = '0;
    if (push_i) for (int i = int'(Depth) - 1; i >= 0; i--) if (!used_q[i]) free = idx_t'(i);
  end
  always_comb begin
    pick = '0;
    if (load) for (int i = int'(Depth) - 1; i >= 0; i--) if (|after ? after[i] : ready[i]) pick = idx_t'(i);
  end
  // A room that nobody waits in costs nothing: each reason is looked at only while somebody has it.
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
        wide_old_d[i] = wide_old_q[i] || turn_i[cta_q[i]];
      end
    end
  end
  always_comb begin
    own_d     = own_q;
    own_old_d = own_old_q;
    if (|own_q && |(own_fire_i | own_turn_i)) begin
      for (int i = 0; i < int'(Depth); i++) begin
        own_d[i]     = own_q[i] && !(own_old_q[i] && own_fire_i[slot_q[i]]);
        own_old_d[i] = own_old_q[i] || own_turn_i[slot_q[i]];
      end
    end
  end
  always_comb begin
    timed_d = timed_q;
    next_o  = '1;
    if (|timed_q) begin
      for (int i = 0; i < int'(Depth); i++) begin
        timed_d[i] = timed_q[i] && due_q[i] > now_i;
        if (timed_q[i] && due_q[i] < next_o) next_o = due_q[i];
      end
    end
  end

  logic moves;
  assign moves = gate_d != gate_q || own_d != own_q || own_old_d != own_old_q || wide_d != wide_q || wide_old_d != wide_old_q || timed_d != timed_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q     <= '0;
      gate_q     <= '0;
      own_q      <= '0;
      own_old_q  <= '0;
      wide_q     <= '0;
      wide_old_q <= '0;
      timed_q    <= '0;
      valid_q    <= 1'b0;
      out_q      <= '0;
      last_q     <= '1;  // the first one is served first
    end else begin
      valid_q <= load || (valid_q && !ready_i);
      if (load) begin
        out_q  <= data_q[pick];
        last_q <= pick;
      end
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
          own_old_q[free]  <= own_turn_i[hold_i.slot];  // closes with this clock: what came before is in it
          wide_old_q[free] <= turn_i[hold_i.cta];
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (push_i) begin
      data_q[free] <= data_i;
      cta_q[free]  <= hold_i.cta;
      slot_q[free] <= hold_i.slot;
      due_q[free]  <= hold_i.due;
    end
  end
  assign valid_o = valid_q;
  assign data_o  = out_q;
  assign idle_o  = !push_i && !valid_q && ready == '0 && !moves;

  `REQUIRE(PushHasSpace, !push_i || space_o)
  `ASSERT(WaitsAreUsed, ((gate_q | own_q | wide_q | timed_q) & ~used_q) == '0)
  `ASSERT(FreeIsFree, !push_i || !used_q[free])
  `ASSERT(OnlyReadyLeave, !load || ready[pick])
  `ASSERT_NEXT(OutputHolds, valid_o && !ready_i, valid_o && $stable(data_o))
  `ASSERT_NEXT(IdleHolds, idle_o, $stable(used_q) && $stable(gate_q) && $stable(own_q) && $stable(wide_q) && $stable(timed_q) && !valid_q)
  `COVER(Full, !space_o)
  `COVER(TwoReady, |(ready & (ready - set_t'(1))))
  `COVER(ThroughTheGate, |(gate_q & ~gate_d))
  `COVER(WaitsForAll, |(own_q & wide_q & timed_q))
endmodule
