// gsu_join_late: list of the warps that have a complete group of match or redux in the join because its queue was full. The join scans these warps again,
// one after the other. In a warp it begins with the group that was the first to find no space.
// Rules: D-70 (a group that waits for a full queue holds up no other lane; every group is served).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_join_late
  import gsu_pkg::*;
#(
    parameter int unsigned WarpSlots = MaxWarpSlots,  /// warp slots of the SM; fewer in proofs
    localparam int unsigned SlotW    = $clog2(WarpSlots)
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic [SlotW-1:0] slot_i,  // slot of the warp that the join looks up
    input  logic [4:0] cta_i,         // its CTA
    input  logic [4:0] warp_i,        // its number in the CTA
    output logic       here_o,        // that warp is in the list
    input  logic       put_i,         // pulse: one more group of that warp stays
    input  logic [4:0] lane_i,        // the lane that opened that group
    output logic       valid_o,       // from flops: the list is not empty
    input  logic       pop_i,         // pulse: the join scans the first warp of the list
    output logic [4:0] cta_o,         // CTA of the first warp
    output logic [4:0] warp_o,        // its number in the CTA
    output mask_t      from_o,        // lanes from the opening lane of its first group on
    output logic       idle_o         // without an input nothing changes
);
  typedef logic [WarpSlots-1:0] slots_t;
  typedef struct packed {
    logic [4:0] cta;
    logic [4:0] warp;
    logic [4:0] lane;
  } who_t;

  slots_t wait_q, low_q;  // low: slots up to and including the one scanned last
  who_t   who_q[WarpSlots];  // meaningful where wait_q
  logic   valid_q;
  logic [SlotW-1:0] next_q;
  who_t   first_q;

  slots_t above;
  logic   load;
  logic [SlotW-1:0] pick;
  assign load = !valid_q && |wait_q;
  always_comb begin
    above = '0;
    pick  = '0;
    if (load) begin
      above = wait_q & ~low_q;
      pick  = SlotW'(lowest_of(64'(slots_t'(|above ? above : wait_q))));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wait_q  <= '0;
      low_q   <= '0;
      valid_q <= 1'b0;
      next_q  <= '0;
      first_q <= '0;
    end else begin
      if (pop_i) valid_q <= 1'b0;
      if (load) begin
        valid_q      <= 1'b1;
        next_q       <= pick;
        first_q      <= who_q[pick];
        low_q        <= ~(~slots_t'(1) << pick);
        wait_q[pick] <= 1'b0;
      end
      if (put_i) wait_q[slot_i] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (put_i && !wait_q[slot_i]) who_q[slot_i] <= '{cta: cta_i, warp: warp_i, lane: lane_i};
  end
  assign here_o  = wait_q[slot_i] || (valid_q && next_q == slot_i);
  assign valid_o = valid_q;
  assign cta_o   = first_q.cta;
  assign warp_o  = first_q.warp;
  assign from_o  = '1 << first_q.lane;
  assign idle_o  = !load;

  `REQUIRE(PopsWhatIsThere, !pop_i || valid_q)
  `ASSERT_NEXT(NextHolds, valid_q && !pop_i, valid_q && $stable(first_q) && $stable(next_q))
  `ASSERT_NEXT(IdleHolds, idle_o && !put_i && !pop_i, $stable(wait_q) && $stable(valid_q) && $stable(low_q))
  `COVER(TwoWait, |(wait_q & (wait_q - slots_t'(1))))
  `COVER(StaysWhileItIsNext, put_i && valid_q && !pop_i && next_q == slot_i)
endmodule
