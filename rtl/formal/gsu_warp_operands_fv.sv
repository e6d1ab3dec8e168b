// prove: name=kept engine=kind depth=2 flat=1 cover=8 files=gsu_ram,gsu_warp_operands
// Harness of gsu_warp_operands with two warp slots of four lanes. One symbolic lane of one slot is followed. After the fetch of its slot the engine reads the
// value of the lane's beat (or, with bcast, of beat 0), whatever else comes and is taken meanwhile (D-18).
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_warp_operands_fv
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic opnd_valid_i,
    input opnd_beat_t opnd_i,
    input logic take_i,
    input logic take_slot_i,
    input mask_t take_lanes_i,
    input logic take_bcast_i,
    input logic fetch_i,
    input logic slot_i,
    input logic read_i,
    input logic [1:0] lead_i,
    input logic [1:0] first_i,
    input logic who_slot_i,
    input logic [1:0] who_lane_i
);
  logic opnd_ready_o, full_o;
  logic [63:0] lead_o;
  logic [1:0][63:0] values_o;
  gsu_warp_operands #(.WarpSlots(2), .LaneW(2), .Ports(2)) dut (.*);
  `FV_RESET
  logic slot_q;
  logic [1:0] lane_q;
  always_ff @(posedge clk_i) begin
    if (!fv_started_q) {slot_q, lane_q} <= {who_slot_i, who_lane_i};
  end

  // The collected beats of the next request: those of the followed lane and of lane 0.
  logic has_q, has0_q, known_q, whole_q, fetched_q;  // ... | all beats of that request have come | the lane's value has been fetched
  logic [63:0] mine_q, zero_q, value_q, of_q;
  logic beat, taken;
  assign beat  = opnd_valid_i && opnd_ready_o;
  assign taken = take_i && take_slot_i == slot_q && take_lanes_i[lane_q];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {has_q, has0_q, known_q, whole_q, fetched_q} <= '0;
      {mine_q, zero_q, value_q, of_q} <= '0;
    end else begin
      if (take_i) {has_q, has0_q} <= '0;
      whole_q <= (beat && opnd_i.last) || (whole_q && !take_i);
      if (beat && !whole_q && opnd_i.quad == 0 && opnd_i.mask[lane_q]) {has_q, mine_q} <= {1'b1, opnd_i.lane[lane_q].data};
      if (beat && !whole_q && opnd_i.quad == 0 && opnd_i.mask[0]) {has0_q, zero_q} <= {1'b1, opnd_i.lane[0].data};
      if (taken) {known_q, value_q} <= {1'b1, take_bcast_i ? zero_q : mine_q};
      if (fetch_i) {fetched_q, of_q} <= {slot_i == slot_q && known_q && !taken, value_q};
    end
  end
  `ASSUME(LanesOfTheWarp, opnd_i.quad == 0 && take_lanes_i[31:4] == 0)
  `ASSUME(BeatsNameTheirLanes, !taken || (take_bcast_i ? has0_q : has_q))

  `ASSERT(WholeWaits, whole_q == full_o)
  `ASSERT(CollectedIsKept, (!has_q || dut.next_q[lane_q] == mine_q) && (!has0_q || dut.next_q[0] == zero_q))
  `ASSERT(ValueIsKept, !known_q || dut.u_values.mem_q[{slot_q, lane_q}] == value_q)
  `ASSERT(FetchedIsKept, !fetched_q || dut.row[lane_q] == of_q)
  `ASSERT(LeadIsRead, !(fetched_q && read_i && lead_i == lane_q) || lead_o == of_q)
  `ASSERT(BlockIsRead, !(fetched_q && read_i && first_i[1] == lane_q[1]) || values_o[lane_q[0]] == of_q)
  `COVER(SecondRequest, taken && known_q)
  `COVER(TakenForAll, taken && take_bcast_i && lane_q == 3)
endmodule
