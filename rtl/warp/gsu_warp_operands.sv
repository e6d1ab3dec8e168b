// gsu_warp_operands: the values of match and redux, in a memory with the index {warp slot, lane}. A lane has at most one request, so its place is free. A value
// stays until the group of its lane is answered. A buffer collects the beats of the next request until the request names its warp.
// Rules: D-18 (operands are sampled when each lane executes), D-70 (a group that waits for lanes does not hold up the beats of others).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_warp_operands
  import gsu_pkg::*;
#(
    parameter int unsigned WarpSlots = MaxWarpSlots,  /// warp slots of the SM; fewer in proofs
    parameter int unsigned LaneW     = 5,             /// bits of a lane index; fewer in proofs
    parameter int unsigned Ports     = 16,            /// lanes read in a clock, a power of two; the first one is a multiple of it
    localparam int unsigned SlotW    = $clog2(WarpSlots)
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             opnd_valid_i,
    output logic             opnd_ready_o,  // from a flop
    input  opnd_beat_t       opnd_i,        // a beat of the next request; all come before the request
    output logic             full_o,        // all beats of the next request have come
    input  logic             take_i,        // pulse: the next request has been taken
    input  logic [SlotW-1:0] take_slot_i,   // its warp slot
    input  mask_t            take_lanes_i,  // its lanes
    input  logic             take_bcast_i,  // beat 0 holds the value of all its lanes
    input  logic             fetch_i,       // pulse: from the next clock on reads return the present values of warp slot slot_i
    input  logic [SlotW-1:0] slot_i,
    input  logic             read_i,        // lead_o and values_o are needed in this clock
    input  logic [LaneW-1:0] lead_i,
    output logic [63:0]      lead_o,        // value of the lane lead_i
    input  logic [LaneW-1:0] first_i,       // a multiple of Ports
    output logic [Ports-1:0][63:0] values_o // of the lanes from first_i
);
  localparam int unsigned NLanes = 1 << LaneW;
  logic [NLanes-1:0][63:0] next_q, row;  // values of the next request, as they come | values of the slot that is read, valid for the lanes of its group
  logic full_q, take_beat;
  assign opnd_ready_o = !full_q;
  assign full_o       = full_q;
  assign take_beat    = opnd_valid_i && opnd_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) full_q <= 1'b0;
    else full_q <= (take_beat && opnd_i.last) || (full_q && !take_i);
  end
  always_ff @(posedge clk_i) begin
    if (take_beat) begin
      for (int unsigned k = 0; k < 4; k++) begin
        if (opnd_i.mask[k]) next_q[LaneW'({opnd_i.quad, 2'(k)})] <= opnd_i.lane[k].data;
      end
    end
  end
  // A lane of the group that is read writes no value before it is answered. Other lanes of the warp may write.
  gsu_ram #(.Words(WarpSlots), .Width(64), .Parts(NLanes)) u_values (
      .clk_i, .we_i(take_i ? take_lanes_i[NLanes-1:0] : '0), .waddr_i(take_slot_i), .wdata_i(next_q), .spread_i(take_bcast_i),
      .re_i(fetch_i), .raddr_i(slot_i), .rdata_o(row)
  );
  always_comb begin
    lead_o   = '0;
    values_o = '0;
    if (read_i || Eager) begin
      lead_o = row[lead_i];
      for (int unsigned k = 0; k < Ports; k++) values_o[k] = row[LaneW'(first_i | LaneW'(k))];
    end
  end

  `REQUIRE(TakenIsFull, !take_i || full_q)
  `REQUIRE(OneOperandPerLane, !opnd_valid_i || !opnd_i.half)
  `REQUIRE(WholeBlocks, !read_i || (first_i & LaneW'(Ports - 1)) == '0)
  `ASSERT_NEXT(IdleHolds, !opnd_valid_i && !take_i, $stable(full_q))
  `COVER(NextComesWhileRead, take_beat && read_i)
endmodule
