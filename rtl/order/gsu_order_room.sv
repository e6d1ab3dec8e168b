// gsu_order_room: requests that wait for the packets of their CTA, or for the entry gate of their cluster; none holds up another.
// Rules: D-70 (a waiting lane group occupies no port), D-40, D-54; a full room refuses, and its waits end without that port.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_order_room
  import gsu_pkg::*;
#(
    parameter int unsigned Width = 1,  /// payload bits
    parameter int unsigned Depth = 64  /// requests that wait, a power of two
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             push_i,     // only with space_o
    output logic             space_o,    // from flops
    input  logic             gate_i,     // of the pushed request: it waits for open_i, else for its epoch
    input  logic [4:0]       cta_i,
    input  logic [Width-1:0] data_i,
    input  mask_t            open_i,     // entry gate per CTA
    input  mask_t            fire_i,     // as gsu_order
    input  mask_t            turn_i,
    output logic             valid_o,    // from a flop: may go on; holds until ready_i
    input  logic             ready_i,
    output logic [Width-1:0] data_o,
    output logic             idle_o      // nobody may go on in this clock
);
  localparam int unsigned IdxW = $clog2(Depth);
  typedef logic [IdxW-1:0] idx_t;
  typedef logic [Depth-1:0] set_t;

  logic [Width-1:0] data_q[Depth];
  logic [4:0]       cta_q[Depth];
  set_t             used_q, ready_q, gate_q, old_q;  // old_q: the epoch it waits for is closed
  logic             valid_q;
  logic [Width-1:0] out_q;

  idx_t free, pick;
  logic load, some, ripe;
  set_t ripe_d, old_d;
  assign space_o = used_q != '1;
  assign some    = |ready_q;
  assign load    = some && (!valid_q || ready_i);
  always_comb begin
    free = '0;
    if (push_i) for (int i = int'(Depth) - 1; i >= 0; i--) if (!used_q[i]) free = idx_t'(i);
  end
  always_comb begin
    pick = '0;
    if (load) for (int i = int'(Depth) - 1; i >= 0; i--) if (ready_q[i]) pick = idx_t'(i);
  end
  always_comb begin
    ripe_d = '0;
    old_d  = old_q;
    if (|fire_i || |turn_i || |gate_q) begin
      for (int i = 0; i < int'(Depth); i++) begin
        if (used_q[i] && !ready_q[i]) begin
          if (gate_q[i]) ripe_d[i] = open_i[cta_q[i]];
          else if (old_q[i]) ripe_d[i] = fire_i[cta_q[i]];
          else old_d[i] = turn_i[cta_q[i]];
        end
      end
    end
  end
  assign ripe = |ripe_d;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q  <= '0;
      ready_q <= '0;
      gate_q  <= '0;
      old_q   <= '0;
      valid_q <= 1'b0;
      out_q   <= '0;
    end else begin
      valid_q <= load || (valid_q && !ready_i);
      if (load) out_q <= data_q[pick];
      if (push_i || load || ripe || old_d != old_q) begin
        ready_q <= ready_q | ripe_d;
        gate_q  <= gate_q & ~ripe_d;
        old_q   <= old_d;
        if (load) begin
          used_q[pick]  <= 1'b0;
          ready_q[pick] <= 1'b0;
        end
        if (push_i) begin
          used_q[free] <= 1'b1;
          gate_q[free] <= gate_i;
          old_q[free]  <= !gate_i && turn_i[cta_i];
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (push_i) begin
      data_q[free] <= data_i;
      cta_q[free]  <= cta_i;
    end
  end
  assign valid_o = valid_q;
  assign data_o  = out_q;
  assign idle_o  = !push_i && !valid_q && !some && !ripe && old_d == old_q;

  `REQUIRE(PushHasSpace, !push_i || space_o)
  `ASSERT(ReadyIsUsed, (ready_q & ~used_q) == '0)
  `ASSERT(GateIsUsed, (gate_q & ~used_q) == '0 && (gate_q & ready_q) == '0)
  `ASSERT(FreeIsFree, !push_i || !used_q[free])
  `ASSERT_NEXT(OutputHolds, valid_o && !ready_i, valid_o && $stable(data_o))
  `ASSERT_NEXT(IdleHolds, idle_o, $stable(used_q) && $stable(ready_q) && $stable(gate_q) && $stable(old_q) && !valid_q)
  `COVER(Full, !space_o)
  `COVER(TwoReady, |(ready_q & (ready_q - set_t'(1))))
  `COVER(ThroughTheGate, |(gate_q & ripe_d))
endmodule
