// prove: name=skip engine=skip except=now_o define=FV_SKIP cut=gsu_cta_table,gsu_join,gsu_named_barrier,gsu_cluster_barrier,gsu_mbar_unit,gsu_order,gsu_order_wait_queue,gsu_fence,gsu_grid files=gsu_join_pkg,gsu_named_barrier_pkg,gsu_mbar_pkg,gsu_clock_gate,gsu_skid,gsu_rr_arb,gsu_null_unit,gsu_cta_table,gsu_join,gsu_named_barrier,gsu_cluster_barrier,gsu_order_pkg,gsu_order_wait_queue,gsu_order,gsu_fence,gsu_grid,gsu_mbar_unit,gsu_cta_end,gsu_tap,gsu_sm_now,gsu_sm_time,gsu_sm_limits,gsu_sm
// prove: name=still engine=kind depth=3 cut=gsu_cta_table,gsu_join,gsu_named_barrier,gsu_cluster_barrier,gsu_mbar_unit,gsu_order,gsu_order_wait_queue,gsu_fence,gsu_grid skip=^(?!(UnitsAreIdle|NothingIsGiven|DeadlinesAreLater|LevelsStay|StaysStill|Skips|dut[.]QuietEmitsNothing)$) cover=4 files=gsu_join_pkg,gsu_named_barrier_pkg,gsu_mbar_pkg,gsu_clock_gate,gsu_skid,gsu_rr_arb,gsu_null_unit,gsu_cta_table,gsu_join,gsu_named_barrier,gsu_cluster_barrier,gsu_order_pkg,gsu_order_wait_queue,gsu_order,gsu_fence,gsu_grid,gsu_mbar_unit,gsu_cta_end,gsu_tap,gsu_sm_now,gsu_sm_time,gsu_sm_limits,gsu_sm
// Harness of gsu_sm at full size: while it says idle, time may jump to next_event_o without a clock. What the adapter relies on when it leaves out an SM.
// Composition: the units with much state are left out (cut), their outputs are free but for what each promises while it is idle (gsu_quiet.svh,
// gsu_*.quiet, gsu_*.idle). That their own flops hold then is shown by their tasks `skip`. Here: none of them is given anything, and no other flop changes.
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

  ////// The units that are left out //////
  logic ct_given, ws_given, nb_given, cb_given, mb_given, or_given, fired, gd_given;
  assign ct_given = dut.launch_valid || dut.exit_valid || dut.free_valid;
  assign ws_given = dut.join_req_valid || dut.chg_valid || (opnd_valid_i && opnd_i.warp);
  assign nb_given = dut.start_valid || dut.nb_next_valid || dut.nb_arr_valid || dut.nb_gone_valid;
  assign cb_given = dut.start_valid || dut.cb_arr_valid || dut.cb_gone_valid || dut.dn_valid;
  assign mb_given = dut.start_valid || dut.end_valid || dut.mb_req_valid || (opnd_valid_i && !opnd_i.warp) || async_valid_i || mem_rsp_valid_i
                    || snoop_valid_i || rx_valid_i || ack_valid_i || clc_rsp_valid_i || fired;
  assign or_given = dut.start_valid || dut.sent || ack_valid_i || (dut.fail_valid && dut.fail_ready) || dut.wr_take || (dut.waits && (dut.hold.wide || dut.hold.own));
  assign fired    = (dut.fire | dut.turn) != '0 || (dut.own_fire | dut.own_turn) != '0;
  assign gd_given = dut.start_valid || dut.gd_req_valid || gd_dn_valid_i || dut.cta_free != '0;
  cycle_t none;
  assign none = '1;
  `FV_QUIET(assume, Ct, dut.ct_idle, none, dut.now_q, ct_given,
            {dut.start_valid, dut.chg_valid, dut.nb_gone_valid, dut.cb_gone_valid, dut.cta_free, dut.ct_tap_valid}, 1'b0,
            {dut.cta_live, dut.nb_gone_valid, dut.cb_gone_valid})
  `FV_QUIET(assume, Ws, dut.ws_idle, dut.ws_next, dut.now_q, ws_given,
            {dut.nb_next_valid, dut.nb_arr_valid, dut.cb_arr_valid, dut.ws_rsp_valid, dut.ws_tap_valid}, cfg_i, 1'b0)
  `FV_QUIET(assume, Nb, dut.nb_idle, dut.nb_next, dut.now_q, nb_given, {dut.nb_rsp_valid, dut.nb_rel_valid, dut.nb_tap_valid}, cfg_i,
            dut.nb_gone_valid ? '0 : dut.nb_ending)
  `FV_QUIET(assume, Cb, dut.cb_idle, dut.cb_next, dut.now_q, cb_given,
            {dut.up_valid, dut.cb_rsp_valid, dut.cb_rel_valid, dut.cb_tap_valid, dut.gate_valid}, {cfg_i, dut.sending}, {dut.cta_open, cb_alive_o})
  `FV_QUIET(assume, Mb, dut.mb_idle, dut.mb_next, dut.now_q, mb_given,
            {dut.mb_wait, dut.sent, dut.mem_req_valid_o, clc_req_valid_o, tx_valid_o, ack_valid_o, dut.fail_valid, dut.mb_rsp_valid, dlv_valid_o,
             dut.mb_tap_valid},
            {cfg_i, dut.left_q, dut.cta_open, dut.cta_ending, dut.epoch}, {dut.mb_quiet, dut.mb_arriving})
  `FV_QUIET(assume, Or, dut.or_idle, none, dut.now_q, or_given, {dut.fire, dut.turn, dut.own_fire, dut.own_turn, dut.ak_tap_valid}, 1'b0,
            {dut.fire, dut.turn, dut.own_fire, dut.own_turn, dut.owing, dut.sending, dut.epoch, dut.own_owing, dut.own_epoch, wr_room_o})
  `ASSUME(OrFires, !dut.or_idle || !fired)  // gsu_idle.order
  `ASSUME(MbTellsLater, !$past(rst_ni) || !$past(dut.mb_idle && !mb_given) || !(clc_req_valid_o || dlv_valid_o))  // gsu_idle.mbar: from flops
  `FV_QUIET(assume, Ro, dut.room_idle, dut.room_next, dut.now_q, dut.room_push || fired, dut.room_valid, 1'b0, dut.room_space)
  `FV_QUIET(assume, Fe, dut.fe_idle, dut.fe_next, dut.now_q, dut.fe_req_valid || fired, {dut.fe_rsp_valid, dut.fe_tap_valid}, 1'b0, dut.fe_req_ready)
  `FV_QUIET(assume, Gd, dut.gd_idle, none, dut.now_q, gd_given, {dut.gd_rsp_valid, gd_up_valid_o, dut.gd_tap_valid}, 1'b0, dut.gd_start_ready)

  ////// While the SM says idle //////
  (* keep *) logic fv_skip;
  assign fv_skip = rst_ni && idle_o && now_i < next_event_o && !(req_valid_i || launch_valid_i || exit_valid_i || cb_dn_valid_i || opnd_valid_i
                   || async_valid_i || mem_rsp_valid_i || snoop_valid_i || rx_valid_i || ack_valid_i || wr_valid_i || gd_dn_valid_i || clc_rsp_valid_i);
`ifdef FV_SKIP
`define FV_STILL(name, prop) `ASSUME(name, prop)
`else
`define FV_STILL(name, prop) `ASSERT(name, prop)
`endif
  `FV_STILL(UnitsAreIdle, !fv_skip || (dut.ct_idle && dut.ws_idle && dut.nb_idle && dut.cb_idle && dut.mb_idle && dut.or_idle && dut.room_idle && dut.fe_idle
          && dut.gd_idle))
  `FV_STILL(NothingIsGiven, !fv_skip || !(ct_given || ws_given || nb_given || cb_given || mb_given || or_given || gd_given || dut.room_push || dut.fe_req_valid || fired))
  `FV_STILL(DeadlinesAreLater, !fv_skip || (dut.now_q < dut.ws_next && dut.now_q < dut.nb_next && dut.now_q < dut.cb_next && dut.now_q < dut.mb_next
          && dut.now_q < dut.room_next && dut.now_q < dut.fe_next))
  `FV_STILL(LevelsStay, !$past(rst_ni) || !fv_skip ||
          $stable({dut.left_q, dut.cta_ending, dut.cta_open, dut.sending, dut.epoch}))
  `FV_STILL(StaysStill, !fv_skip || (dut.u_time.still && dut.u_time.next == next_event_o))
  `COVER(Skips, fv_skip && next_event_o != '1)
endmodule
