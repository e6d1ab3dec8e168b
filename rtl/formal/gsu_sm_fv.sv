// prove: name=skip engine=skip except=now_o define=FV_SKIP cut=gsu_cta_table,gsu_join,gsu_named_barrier,gsu_cluster_barrier,gsu_mbar_unit,gsu_order,gsu_order_wait_queue,gsu_fence,gsu_grid files=gsu_join_pkg,gsu_named_barrier_pkg,gsu_mbar_pkg,gsu_clock_gate,gsu_skid,gsu_rr_arb,gsu_null_unit,gsu_cta_table,gsu_join,gsu_named_barrier,gsu_cluster_barrier,gsu_order_pkg,gsu_order_wait_queue,gsu_order,gsu_fence,gsu_grid,gsu_mbar_unit,gsu_cta_end,gsu_tap,gsu_sm_now,gsu_sm_time,gsu_sm_limits,gsu_sm_core,gsu_sm
// prove: name=still engine=kind depth=3 cut=gsu_cta_table,gsu_join,gsu_named_barrier,gsu_cluster_barrier,gsu_mbar_unit,gsu_order,gsu_order_wait_queue,gsu_fence,gsu_grid skip=^(?!(UnitsAreIdle|NothingIsGiven|DeadlinesAreLater|LevelsStay|StaysStill|Skips|dut[.]QuietEmitsNothing)$) cover=4 files=gsu_join_pkg,gsu_named_barrier_pkg,gsu_mbar_pkg,gsu_clock_gate,gsu_skid,gsu_rr_arb,gsu_null_unit,gsu_cta_table,gsu_join,gsu_named_barrier,gsu_cluster_barrier,gsu_order_pkg,gsu_order_wait_queue,gsu_order,gsu_fence,gsu_grid,gsu_mbar_unit,gsu_cta_end,gsu_tap,gsu_sm_now,gsu_sm_time,gsu_sm_limits,gsu_sm_core,gsu_sm
// Harness of gsu_sm at full size: while idle_o is high, time may jump to next_event_o without a clock. The adapter relies on it when it skips an SM.
// Composition: the units with much state are cut out. Their outputs are free, except for the promises of each idle unit (gsu_quiet.svh, gsu_*.quiet,
// gsu_*.idle). Their tasks `skip` prove that their own flops hold. Proved here: none of them has an input, and no other flop changes.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
`include "gsu_quiet.svh"
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
  logic [63:0] epoch_own_o;
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
  gsu_sm dut (.*);
  `FV_RESET
  `ASSUME(TimeGoesOn, !now_i[47] && (!$past(rst_ni) || now_i >= $past(now_i)))
  `ASSUME(ClockIsBefore, dut.now_q <= now_i && (dut.now_q == now_i || (idle_o && dut.u_time.still && !dut.u_time.comes_i && dut.now_q < now_i && now_i < next_event_o)))
  `ASSUME(ConfigurationStays, cfg_i == dut.cfg_q)

  ////// The units that are cut out //////
  logic ct_given, ws_given, nb_given, cb_given, mb_given, or_given, fired, gd_given;
  assign ct_given = dut.u_core.launch_valid || dut.u_core.exit_valid || dut.u_core.free_valid;
  assign ws_given = dut.u_core.join_req_valid || dut.u_core.chg_valid || (opnd_valid_i && opnd_i.warp);
  assign nb_given = dut.u_core.start_valid || dut.u_core.nb_next_valid || dut.u_core.nb_arr_valid || dut.u_core.nb_gone_valid;
  assign cb_given = dut.u_core.start_valid || dut.u_core.cb_arr_valid || dut.u_core.cb_gone_valid || dut.u_core.dn_valid;
  assign mb_given = dut.u_core.start_valid || dut.mb_cta_end_valid || dut.mb_req_valid || (opnd_valid_i && !opnd_i.warp) || async_valid_i || mem_rsp_valid_i
                    || snoop_valid_i || rx_valid_i || ack_valid_i || clc_rsp_valid_i || fired;
  assign or_given = dut.u_core.start_valid || dut.mb_sent || ack_valid_i || (dut.mb_fail_valid && dut.mb_fail_ready) || dut.u_core.wr_take || (dut.u_core.waits && (dut.u_core.hold.wide || dut.u_core.hold.own));
  assign fired    = (dut.u_core.fire | dut.u_core.turn) != '0 || (dut.u_core.own_fire | dut.u_core.own_turn) != '0;
  assign gd_given = dut.u_core.start_valid || dut.u_core.gd_req_valid || gd_dn_valid_i || dut.u_core.cta_free != '0;
  cycle_t none;
  assign none = '1;
  `FV_QUIET(assume, Ct, dut.u_core.ct_idle, none, dut.now_q, ct_given,
            {dut.u_core.start_valid, dut.u_core.chg_valid, dut.u_core.nb_gone_valid, dut.u_core.cb_gone_valid, dut.u_core.cta_free, dut.u_core.ct_tap_valid}, 1'b0,
            {dut.u_core.cta_live, dut.u_core.nb_gone_valid, dut.u_core.cb_gone_valid})
  `FV_QUIET(assume, Ws, dut.u_core.ws_idle, dut.u_core.ws_next, dut.now_q, ws_given,
            {dut.u_core.nb_next_valid, dut.u_core.nb_arr_valid, dut.u_core.cb_arr_valid, dut.u_core.ws_rsp_valid, dut.u_core.ws_tap_valid}, cfg_i, 1'b0)
  `FV_QUIET(assume, Nb, dut.u_core.nb_idle, dut.u_core.nb_next, dut.now_q, nb_given, {dut.u_core.nb_rsp_valid, dut.u_core.nb_rel_valid, dut.u_core.nb_tap_valid}, cfg_i,
            dut.u_core.nb_gone_valid ? '0 : dut.u_core.nb_ending)
  `FV_QUIET(assume, Cb, dut.u_core.cb_idle, dut.u_core.cb_next, dut.now_q, cb_given,
            {dut.u_core.up_valid, dut.u_core.cb_rsp_valid, dut.u_core.cb_rel_valid, dut.u_core.cb_tap_valid, dut.u_core.gate_valid}, {cfg_i, dut.u_core.sending}, {dut.u_core.cta_open, cb_alive_o})
  `FV_QUIET(assume, Mb, dut.mb_idle, dut.mb_next, dut.now_q, mb_given,
            {dut.mb_wait, dut.mb_sent, dut.mem_req_valid_o, clc_req_valid_o, tx_valid_o, ack_valid_o, dut.mb_fail_valid, dut.mb_rsp_valid, dlv_valid_o,
             dut.mb_tap_valid},
            {cfg_i, dut.u_core.left_q, dut.u_core.cta_open, dut.mb_ending, dut.u_core.epoch}, {dut.mb_cta_quiet, dut.mb_arriving})
  `FV_QUIET(assume, Or, dut.u_core.or_idle, none, dut.now_q, or_given, {dut.u_core.fire, dut.u_core.turn, dut.u_core.own_fire, dut.u_core.own_turn, dut.u_core.ak_tap_valid}, 1'b0,
            {dut.u_core.fire, dut.u_core.turn, dut.u_core.own_fire, dut.u_core.own_turn, dut.u_core.owing, dut.u_core.sending, dut.u_core.epoch, dut.u_core.own_owing, dut.u_core.own_epoch, wr_room_o})
  `ASSUME(OrFires, !dut.u_core.or_idle || !fired)  // gsu_idle.order
  `ASSUME(MbTellsLater, !$past(rst_ni) || !$past(dut.mb_idle && !mb_given) || !(clc_req_valid_o || dlv_valid_o))  // gsu_idle.mbar: from flops
  `FV_QUIET(assume, Ro, dut.u_core.room_idle, dut.u_core.room_next, dut.now_q, dut.u_core.room_push || fired, dut.u_core.room_valid, 1'b0, dut.u_core.room_space)
  `FV_QUIET(assume, Fe, dut.u_core.fe_idle, dut.u_core.fe_next, dut.now_q, dut.u_core.fe_req_valid || fired, {dut.u_core.fe_rsp_valid, dut.u_core.fe_tap_valid}, 1'b0, dut.u_core.fe_req_ready)
  `FV_QUIET(assume, Gd, dut.u_core.gd_idle, none, dut.now_q, gd_given, {dut.u_core.gd_rsp_valid, gd_up_valid_o, dut.u_core.gd_tap_valid}, 1'b0, dut.u_core.gd_start_ready)

  ////// While the SM is idle //////
  (* keep *) logic fv_skip;
  assign fv_skip = rst_ni && idle_o && now_i < next_event_o && !(req_valid_i || launch_valid_i || exit_valid_i || cb_dn_valid_i || opnd_valid_i
                   || async_valid_i || mem_rsp_valid_i || snoop_valid_i || rx_valid_i || ack_valid_i || wr_valid_i || gd_dn_valid_i || clc_rsp_valid_i);
`ifdef FV_SKIP
`define FV_STILL(name, prop) `ASSUME(name, prop)
`else
`define FV_STILL(name, prop) `ASSERT(name, prop)
`endif
  `FV_STILL(UnitsAreIdle, !fv_skip || (dut.u_core.ct_idle && dut.u_core.ws_idle && dut.u_core.nb_idle && dut.u_core.cb_idle && dut.mb_idle && dut.u_core.or_idle && dut.u_core.room_idle && dut.u_core.fe_idle
          && dut.u_core.gd_idle))
  `FV_STILL(NothingIsGiven, !fv_skip || !(ct_given || ws_given || nb_given || cb_given || mb_given || or_given || gd_given || dut.u_core.room_push || dut.u_core.fe_req_valid || fired))
  `FV_STILL(DeadlinesAreLater, !fv_skip || (dut.now_q < dut.u_core.ws_next && dut.now_q < dut.u_core.nb_next && dut.now_q < dut.u_core.cb_next && dut.now_q < dut.mb_next
          && dut.now_q < dut.u_core.room_next && dut.now_q < dut.u_core.fe_next))
  `FV_STILL(LevelsStay, !$past(rst_ni) || !fv_skip ||
          $stable({dut.u_core.left_q, dut.mb_ending, dut.u_core.cta_open, dut.u_core.sending, dut.u_core.epoch}))
  `FV_STILL(StaysStill, !fv_skip || (dut.u_time.still && dut.u_time.next == next_event_o))
  `COVER(Skips, fv_skip && next_event_o != '1)
endmodule
