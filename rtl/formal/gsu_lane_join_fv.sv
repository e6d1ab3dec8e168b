// prove: name=groups engine=kind depth=2 flat=1 files=gsu_join_pkg,gsu_ram,gsu_delay,gsu_warp_sync_answer,gsu_join_arrivals,gsu_join_late,gsu_lane_join limit=900
// prove: name=life engine=cover cover=12 flat=1 files=gsu_join_pkg,gsu_ram,gsu_delay,gsu_warp_sync_answer,gsu_join_arrivals,gsu_join_late,gsu_lane_join limit=900
// prove: name=skip engine=skip define=FV_SKIP files=gsu_join_pkg,gsu_ram,gsu_delay,gsu_warp_sync_answer,gsu_join_arrivals,gsu_join_late,gsu_lane_join
// Harness of gsu_lane_join: two warps of four lanes, any requests and exits that the executor may present.
// Proved for each warp, after any history: a waiting lane is in exactly one group, groups have different keys, no complete group stays, only requested
// operations leave, and lanes of a warp operation are in a group of their operation and mode.
// Lanes are alike, so four stand for 32; a second warp shows that slots do not disturb each other.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_lane_join_fv
  import gsu_pkg::*;
  import gsu_op_pkg::*;
  import gsu_join_pkg::*;
(
    input logic      clk_i,
    input logic      rst_ni,
    input cycle_t    now_i,
    input logic      req_valid_i,
    input sync_req_t req_i,
    input logic      exit_valid_i,
    input logic      exit_warp_i,
    input logic [3:0] exit_lanes_i,
    input logic      nb_ready_i,
    input logic      cb_ready_i,
    input logic      rsp_ready_i,
    input logic [2:0] wo_space_i
);
  logic      wo_push_o;
  warp_grp_t wo_o;
  logic      req_ready_o, exit_ready_o, nb_valid_o, cb_valid_o, rsp_valid_o, tap_valid_o, idle_o;
  logic [4:0] look_cta_o, look_warp_o;
  warp_arr_t nb_o, cb_o;
  sync_rsp_t rsp_o;
  tap_t      tap_o;
  cycle_t    next_event_o;
  mask_t     live_q[2];
  gsu_lane_join #(.WarpSlots(2), .LaneW(2), .RspDepth(2)) dut (
      .clk_i, .rst_ni, .now_i, .sync_lat_i(16'd3),
      .req_valid_i, .req_ready_o, .req_i,
      .exit_valid_i, .exit_ready_o, .exit_cta_i(5'd0), .exit_warp_i({4'd0, exit_warp_i}),
      .look_cta_o, .look_warp_o, .look_slot_i(look_warp_o[0]), .look_live_i(live_q[look_warp_o[0]]), .look_exist_i(32'hf), .look_nwarps_i(6'd2),
      .nb_next_o(), .nb_next_cta_o(), .nb_next_bar_o(), .nb_valid_o, .nb_ready_i, .nb_o, .cb_valid_o, .cb_ready_i, .cb_o, .wo_space_i, .wo_push_o, .wo_o, .rsp_valid_o, .rsp_ready_i, .rsp_o,
      .tap_valid_o, .tap_o, .idle_o, .next_event_o
  );
  `FV_RESET

  ////// The executor and the CTA table //////
  logic take_exit, pop;
  assign take_exit = exit_valid_i && exit_ready_o;
  assign pop       = req_valid_i && req_ready_o;
  mask_t wait_q[2];  // lanes whose request was taken and that have not left
  mask_t went, came;
  assign came = pop ? req_i.lanes : '0;
  assign went = dut.out_nb || dut.out_cb || dut.out_ws || dut.out_wo ? dut.grp_lanes : '0;
  mask_t refused;
  assign refused = dut.refuse && dut.refuse_ready && req_valid_i ? dut.outside : '0;
  mask_t gone_q;  // lanes of the request at the input that are already refused
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live_q[0] <= 32'hf;
      live_q[1] <= 32'h7;
      wait_q[0] <= '0;
      wait_q[1] <= '0;
      gone_q    <= '0;
    end else begin
      if (take_exit) live_q[exit_warp_i] <= live_q[exit_warp_i] & ~{28'd0, exit_lanes_i};
      gone_q <= pop ? '0 : gone_q | refused;
      wait_q[look_warp_o[0]] <= (wait_q[look_warp_o[0]] | (came & ~refused & ~gone_q)) & ~went;
    end
  end
  `ASSUME(RequestHolds, !$past(rst_ni) || !$past(req_valid_i && !req_ready_o) || (req_valid_i && $stable(req_i)))
  `ASSUME(ExitHolds, !$past(rst_ni) || !$past(exit_valid_i && !exit_ready_o) || (exit_valid_i && $stable(exit_warp_i) && $stable(exit_lanes_i)))
  `ASSUME(RequestOfTwoWarps, req_i.cta == 0 && req_i.warp < 2 && op_joins(req_i.op))
  `ASSUME(OperandsOfAByte, req_i.arg0 < 256 && req_i.arg1 < 256)  // wider operands are compared in the same way
  `ASSUME(RequestLanesFree, !req_valid_i || (req_i.lanes != 0 && (req_i.lanes & ~(live_q[req_i.warp[0]] & ~wait_q[req_i.warp[0]])) == 0))
  `ASSUME(ExitLanesFree, !exit_valid_i || (exit_lanes_i != 0 && (exit_lanes_i & ~(live_q[exit_warp_i][3:0] & ~wait_q[exit_warp_i][3:0])) == 0))
  `ASSUME(ExitNotOfRequest, !(exit_valid_i && req_valid_i && req_i.warp[0] == exit_warp_i) || (exit_lanes_i & req_i.lanes[3:0]) == 0)

  (* keep *) logic fv_skip;
  assign fv_skip = idle_o && !req_valid_i && !exit_valid_i && now_i < next_event_o && rst_ni;

`ifndef FV_SKIP
`define LJ dut
`include "gsu_lane_join_inv.svh"
  // The last request of each lane: different keys of groups (KeysDiffer) are not enough, because a lane could be in the wrong group.
  logic [38:0] asked_q[8];
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    localparam int unsigned S = i / 4;
    always_ff @(posedge clk_i) if (pop && req_i.warp[0] == 1'(S) && req_i.lanes[i%4]) asked_q[i] <= {req_i.op, req_kind};
    for (genvar h = 0; h < 4; h++) begin : gen_group
      fold_t fold;
      assign fold = dut.u_fold.mem_q[4*S+h];
      `ASSERT(StandsAsItAsked, !(valid[S][h] && form(fold.op) == 4 && dut.u_lanes.mem_q[4*S+h][i%4]) || {fold.op, dut.u_arg1.mem_q[4*S+h]} == asked_q[i])
    end
  end
`endif
endmodule
