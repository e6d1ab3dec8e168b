// prove: name=skip engine=skip except=now_o ahead=u_time.(idle_o|next_event_o) limit=3600 files=gsu_join_pkg,gsu_nbar_pkg,gsu_warp_pkg,gsu_clock_gate,gsu_skid,gsu_ram,gsu_delay,gsu_rr_arb,gsu_null_unit,gsu_cta_table,gsu_ws_answer,gsu_join_arrivals,gsu_join_late,gsu_lane_join,gsu_warp_values,gsu_warp_engine,gsu_warp_unit,gsu_join,gsu_named_barrier,gsu_cluster_report,gsu_cluster_barrier,gsu_order_pkg,gsu_order_room,gsu_order_count,gsu_order_epochs,gsu_order,gsu_fence,gsu_grid,gsu_mbar_pkg,gsu_mbar_collect,gsu_mbar_ctas,gsu_mbar_walk,gsu_mbar_async,gsu_mbar_recv,gsu_mbar_send,gsu_atom_reply,gsu_mbar_clc,gsu_mbar_agent,gsu_mbar_away,gsu_mbar_inflight,gsu_mbar_cache,gsu_mbar_cam,gsu_mbar_exec,gsu_mbar_rsp,gsu_mbar_unit,gsu_cta_end,gsu_tap,gsu_sm_now,gsu_sm_time,gsu_sm_limits,gsu_sm
// Harness of gsu_sm at two CTA slots and four warp slots: while it says idle, time may jump to next_event_o without a clock.
// What the adapter relies on when it leaves out an SM; the whole of the state is compared, units and buffers included.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_sm_fv
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cycle_t now_i,
    input cfg_t cfg_i,
    input logic req_valid_i,
    input sync_req_t req_i,
    input logic opnd_valid_i,
    input opnd_beat_t opnd_i,
    input logic launch_valid_i,
    input launch_t launch_i,
    input logic exit_valid_i,
    input exit_t exit_i,
    input logic async_valid_i,
    input async_t async_i,
    input logic clc_rsp_valid_i,
    input clc_rsp_t clc_rsp_i,
    input logic mem_rsp_valid_i,
    input logic [63:0] mem_rdata_i,
    input logic snoop_valid_i,
    input logic [17:0] snoop_addr_i,
    input logic tx_ready_i,
    input logic rx_valid_i,
    input pkt_t rx_i,
    input logic ack_ready_i,
    input logic ack_valid_i,
    input ack_t ack_i,
    input logic cb_up_ready_i,
    input logic cb_dn_valid_i,
    input cb_dn_t cb_dn_i,
    input logic gd_up_ready_i,
    input logic gd_dn_valid_i,
    input grid_dn_t gd_dn_i,
    input logic wr_valid_i,
    input wr_t wr_i
);
  logic req_ready_o;
  logic opnd_ready_o;
  logic opnd_warp_ready_o;
  logic rsp_valid_o;
  sync_rsp_t rsp_o;
  logic rel_valid_o;
  release_t rel_o;
  logic dlv_valid_o;
  deliver_t dlv_o;
  logic exit_done_o;
  logic launch_ready_o;
  logic exit_ready_o;
  logic [31:0] cta_free_o;
  logic async_ready_o;
  logic clc_req_valid_o;
  clc_req_t clc_req_o;
  logic mem_req_valid_o;
  mem_req_t mem_req_o;
  logic tx_valid_o;
  pkt_t tx_o;
  logic rx_ready_o;
  logic ack_valid_o;
  ack_t ack_o;
  logic cb_up_valid_o;
  cb_up_t cb_up_o;
  logic [MaxClusters-1:0] cb_alive_o;
  logic cb_dn_ready_o;
  logic gd_up_valid_o;
  grid_up_t gd_up_o;
  logic tap_ct_valid_o;
  tap_t tap_ct_o;
  logic tap_ws_valid_o;
  tap_t tap_ws_o;
  logic tap_nb_valid_o;
  tap_t tap_nb_o;
  logic tap_cb_valid_o;
  tap_t tap_cb_o;
  logic tap_mb_valid_o;
  tap_t tap_mb_o;
  logic wr_ready_o;
  logic wr_room_o;
  mask_t epoch_wide_o;
  logic [3:0] epoch_own_o;
  logic tap_ak_valid_o;
  tap_t tap_ak_o;
  logic tap_fe_valid_o;
  tap_t tap_fe_o;
  logic tap_nu_valid_o;
  tap_t tap_nu_o;
  logic tap_gd_valid_o;
  tap_t tap_gd_o;
  logic idle_o;
  cycle_t next_event_o;
  gsu_sm #(.Ctas(2), .WarpSlots(4)) dut (.*);
  `FV_RESET
  `ASSUME(TimeGoesOn, !$past(rst_ni) || now_i >= $past(now_i))
  // Time and configuration are in flops that hold what the clock before has left there; the time goes on, all else must stay (except=).
  `ASSUME(CopiesAreFresh, now_i == dut.now_q && cfg_i == dut.cfg_q)
  (* keep *) logic fv_skip, fv_still;
  assign fv_still = rst_ni && dut.u_time.still && !dut.u_time.comes_i;  // gsu_sm_time: what idle_o says in the next clock
  assign fv_skip = rst_ni && idle_o && now_i < next_event_o &&
                   !(req_valid_i || opnd_valid_i || launch_valid_i || exit_valid_i || async_valid_i || mem_rsp_valid_i || snoop_valid_i || rx_valid_i || ack_valid_i || cb_dn_valid_i || gd_dn_valid_i || wr_valid_i || clc_rsp_valid_i);
endmodule
