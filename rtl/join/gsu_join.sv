// gsu_join: connects the lane join with the warp unit, which answers vote, match, redux, elect and activemask. Wiring only.
// Rules: see gsu_lane_join and gsu_warp_unit.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_join
  import gsu_pkg::*;
  import gsu_join_pkg::*;
#(
    parameter int unsigned WarpSlots = MaxWarpSlots, /// warp slots of the SM; fewer in proofs
    parameter int unsigned Bars      = BarsPerCta,   /// named barriers of a CTA
    parameter int unsigned PerClock  = 16,           /// lanes that the engine of redux and match takes in a clock
    parameter int unsigned LaneW     = 5,            /// bits of a lane index; fewer in proofs
    parameter int unsigned RspDepth  = 8,            /// pending answers of the join; fewer in proofs
    parameter int unsigned Votes     = 16,           /// pending votes; fewer in proofs
    parameter int unsigned Queue     = 64,           /// entries of the queue of match, and of that of redux; fewer in proofs
    localparam int unsigned SlotW = $clog2(WarpSlots), localparam int unsigned BarW = $clog2(Bars)
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  cycle_t     now_i,
    input  cfg_t       cfg_i,           // changes only while idle_o
    input  logic       opnd_valid_i,    // values of match and redux, before their request
    output logic       opnd_ready_o,    // from a flop
    input  opnd_beat_t opnd_i,
    output logic       opnd_full_o,     // a match or redux may be presented
    input  logic       req_valid_i,     // this and the ports to cb_o: as gsu_lane_join
    output logic       req_ready_o,
    input  sync_req_t  req_i,
    input  logic       exit_valid_i,
    output logic       exit_ready_o,
    input  logic [4:0] exit_cta_i,
    input  logic [4:0] exit_warp_i,
    output logic [4:0] look_cta_o,
    output logic [4:0] look_warp_o,
    input  logic [SlotW-1:0] look_slot_i,
    input  mask_t      look_live_i,
    input  mask_t      look_exist_i,
    input  logic [5:0] look_nwarps_i,
    output logic       nb_next_o,       // pulse: nb_o has an arrival in the next clock
    output logic [4:0] nb_next_cta_o, output logic [BarW-1:0] nb_next_bar_o,
    output logic       nb_valid_o,
    input  logic       nb_ready_i,
    output warp_arr_t  nb_o,
    output logic       cb_valid_o,
    input  logic       cb_ready_i,
    output warp_arr_t  cb_o,
    output logic [1:0] rsp_valid_o,     // [1]: from the warp unit, [0]: from the join
    input  logic [1:0] rsp_ready_i,
    output sync_rsp_t [1:0] rsp_o,
    output logic       tap_valid_o,
    /*verilator tracing_off*/ output tap_t       tap_o, /*verilator tracing_on*/
    output logic       idle_o,
    output cycle_t     next_event_o
);
  logic      wo_push, join_idle, unit_idle, clk_join, clk_wo;
  logic [2:0] wo_space;
  warp_grp_t wo;
  cycle_t    join_next, unit_next;
  gsu_lane_join #(.WarpSlots(WarpSlots), .Bars(Bars), .LaneW(LaneW), .RspDepth(RspDepth)) u_lane_join (
      .clk_i(clk_join), .rst_ni, .now_i, .sync_lat_i(cfg_i.warp_sync_lat),
      .req_valid_i, .req_ready_o, .req_i, .exit_valid_i, .exit_ready_o, .exit_cta_i, .exit_warp_i,
      .look_cta_o, .look_warp_o, .look_slot_i, .look_live_i, .look_exist_i, .look_nwarps_i,
      .nb_next_o, .nb_next_cta_o, .nb_next_bar_o, .nb_valid_o, .nb_ready_i, .nb_o, .cb_valid_o, .cb_ready_i, .cb_o,
      .wo_space_i(wo_space), .wo_push_o(wo_push), .wo_o(wo),
      .rsp_valid_o(rsp_valid_o[0]), .rsp_ready_i(rsp_ready_i[0]), .rsp_o(rsp_o[0]),
      .tap_valid_o, .tap_o, .idle_o(join_idle), .next_event_o(join_next)
  );
  logic take;
  assign take = req_valid_i && req_ready_o && has_values(req_i.op);
  gsu_clock_gate u_gate_join (.clk_i, .rst_ni, .en_i(opnd_valid_i || req_valid_i || exit_valid_i || !idle_o), .clk_o(clk_join));
  gsu_clock_gate u_gate_wo (.clk_i, .rst_ni, .en_i(opnd_valid_i || take || wo_push || !unit_idle), .clk_o(clk_wo));
  // When a request is taken, look_slot_i is the slot of its warp.
  gsu_warp_unit #(.WarpSlots(WarpSlots), .LaneW(LaneW), .PerClock(PerClock), .Depth(Votes), .Queue(Queue)) u_warp (
      .clk_i(clk_wo), .rst_ni, .now_i, .cfg_i,
      .opnd_valid_i, .opnd_ready_o, .opnd_i, .opnd_full_o,
      .take_i(take), .take_slot_i(look_slot_i), .take_lanes_i(req_i.lanes), .take_bcast_i(req_i.bcast),
      .grp_space_o(wo_space), .grp_push_i(wo_push), .grp_i(wo),
      .rsp_valid_o(rsp_valid_o[1]), .rsp_ready_i(rsp_ready_i[1]), .rsp_o(rsp_o[1]), .idle_o(unit_idle), .next_event_o(unit_next)
  );
  assign idle_o       = join_idle && unit_idle;
  assign next_event_o = earlier(join_next, unit_next);

  `REQUIRE(ValuesBeforeTheirRequest, !(req_valid_i && has_values(req_i.op)) || opnd_full_o)
endmodule
