// gsu_sm_rest: gsu_sm without its mbarrier unit, which is a model of its own (gsu_mbar_alone): both are evaluated only where they have work, and an
// SM whose kernel uses no mbarrier pays nothing for them (split_sm.hpp). Ports mb_*: those of the unit, from its side.
// SPDX-License-Identifier: Apache-2.0
module gsu_sm_rest
  import gsu_pkg::*;
  import gsu_order_pkg::*;
#(
    parameter int unsigned Ctas = MaxCtas, WarpSlots = MaxWarpSlots, Bars = BarsPerCta, Waits = 32, Lines = 4, PerClock = 16,           /// as gsu_sm
    parameter int unsigned Releases = 32, Answers = 16, MbarAnswers = 32, WaitAnswers = 64, Sends = 8, Receives = 32,
    parameter int unsigned Operands = 64, Replies = 16, Cancels = 8, Matches = 64, Packets = 128  /// as gsu_sm
) (
    input  logic        clk_i,
    input  logic        clk_in_i,   // takes inputs, and the time
    input  logic        clk_end_i,  // with clk_i, after clk_in_i: pulses end
    input  logic        clk_ct_i,
    input  logic        clk_ws_i,
    input  logic        clk_nb_i,
    input  logic        clk_or_i,
    output logic [3:0]  clk_en_o,
    input  logic        rst_ni,
    input  cycle_t      now_i,
    input  cfg_t        cfg_i,
    input  logic        req_valid_i,
    output logic        req_ready_o,
    input  sync_req_t   req_i,
    input  logic        opnd_valid_i,  // of match and redux only
    output logic        opnd_warp_ready_o,
    input  opnd_beat_t  opnd_i,
    output logic        rsp_valid_o,
    output sync_rsp_t   rsp_o,
    output logic        rel_valid_o,
    output release_t    rel_o,
    input  logic        launch_valid_i,
    output logic        launch_ready_o,
    input  launch_t     launch_i,
    input  logic        exit_valid_i,
    output logic        exit_ready_o,
    input  exit_t       exit_i,
    output logic        exit_done_o,
    output logic [31:0] cta_free_o,
    input  logic        ack_valid_i,
    input  ack_t        ack_i,
    output logic        cb_up_valid_o,
    input  logic        cb_up_ready_i,
    output cb_up_t      cb_up_o,
    output logic [MaxClusters-1:0] cb_alive_o,
    input  logic        cb_dn_valid_i,
    output logic        cb_dn_ready_o,
    input  cb_dn_t      cb_dn_i,
    output logic        gd_up_valid_o,
    input  logic        gd_up_ready_i,
    output grid_up_t    gd_up_o,
    input  logic        gd_dn_valid_i,
    input  grid_dn_t    gd_dn_i,
    input  logic        wr_valid_i,
    output logic        wr_ready_o,
    input  wr_t         wr_i,
    output logic        wr_room_o,
    output mask_t       epoch_wide_o,
    output logic [WarpSlots-1:0] epoch_own_o,
    output logic        tap_ct_valid_o,
    output tap_t        tap_ct_o,
    output logic        tap_ws_valid_o,
    output tap_t        tap_ws_o,
    output logic        tap_nb_valid_o,
    output tap_t        tap_nb_o,
    output logic        tap_cb_valid_o,
    output tap_t        tap_cb_o,
    output logic        tap_ak_valid_o,
    output tap_t        tap_ak_o,
    output logic        tap_fe_valid_o,
    output tap_t        tap_fe_o,
    output logic        tap_nu_valid_o,
    output tap_t        tap_nu_o,
    output logic        tap_gd_valid_o,
    output tap_t        tap_gd_o,
    output logic        still_o,        // what changes from now on without an input or a deadline is that pulses end
    output cycle_t      next_event_o,   // with still_o: earliest deadline, all ones if none
    output logic        mb_launch_valid_o,
    output launch_t     mb_launch_o,
    output logic        mb_cta_end_valid_o,
    output logic [4:0]  mb_cta_end_cta_o,
    input  mask_t       mb_cta_quiet_i,
    input  mask_t       mb_arriving_i,
    output mask_t       mb_open_o,
    output mask_t       mb_left_o,
    output order_hold_t mb_hold_o,
    output mask_t       mb_epoch_o,
    output mask_t       mb_fire_o,
    output mask_t       mb_turn_o,
    output logic [MaxWarpSlots-1:0] mb_own_fire_o,
    output logic [MaxWarpSlots-1:0] mb_own_turn_o,
    input  logic        mb_wait_i,
    input  logic        mb_sent_i,
    input  logic [4:0]  mb_sent_cta_i,
    input  logic        mb_sent_async_i,
    output mask_t       mb_ending_o,
    output logic        mb_req_valid_o,
    input  logic        mb_req_ready_i,
    output sync_req_t   mb_req_o,
    input  logic        mb_fail_valid_i,
    output logic        mb_fail_ready_o,
    input  ack_t        mb_fail_i,
    input  logic        mb_rsp_valid_i,
    output logic        mb_rsp_ready_o,
    input  sync_rsp_t   mb_rsp_i,
    input  logic        mb_idle_i,
    input  cycle_t      mb_next_event_i
);
  // Inputs but those of requests are looked at with a clock of their own: it comes, before the others, where one of them has changed. (What hangs on an
  // input is evaluated in every clock.) Pulses end by themselves; after clocks that were left out the time comes with the inputs.
  logic ack_valid_q, cb_up_ready_q, cb_dn_valid_q, gd_up_ready_q, gd_dn_valid_q, opnd_valid_q, launch_valid_q, exit_valid_q, wr_valid_q, mb_wait_q, mb_sent_q, mb_sent_async_q,
      mb_req_ready_q, mb_fail_valid_q, mb_rsp_valid_q;
  ack_t ack_q, mb_fail_q;
  cb_dn_t cb_dn_q;
  grid_dn_t gd_dn_q;
  opnd_beat_t opnd_q;
  launch_t launch_q;
  exit_t exit_q;
  wr_t wr_q;
  mask_t mb_cta_quiet_q, mb_arriving_q;
  logic [4:0] mb_sent_cta_q;
  sync_rsp_t mb_rsp_q;
  always_ff @(posedge clk_in_i) begin
    cb_up_ready_q <= cb_up_ready_i;
    gd_up_ready_q <= gd_up_ready_i;
    mb_cta_quiet_q <= mb_cta_quiet_i;
    mb_arriving_q <= mb_arriving_i;
    mb_req_ready_q <= mb_req_ready_i;
    if (ack_valid_i) ack_q <= ack_i;
    if (cb_dn_valid_i) cb_dn_q <= cb_dn_i;
    if (gd_dn_valid_i) gd_dn_q <= gd_dn_i;
    if (opnd_valid_i) opnd_q <= opnd_i;
    if (launch_valid_i) launch_q <= launch_i;
    if (exit_valid_i) exit_q <= exit_i;
    if (wr_valid_i) wr_q <= wr_i;
    if (mb_sent_i) {mb_sent_cta_q, mb_sent_async_q} <= {mb_sent_cta_i, mb_sent_async_i};
    if (mb_fail_valid_i) mb_fail_q <= mb_fail_i;
    if (mb_rsp_valid_i) mb_rsp_q <= mb_rsp_i;
  end
  cycle_t now_q;
  always_ff @(posedge clk_in_i or posedge clk_i) now_q <= clk_in_i || !rst_ni ? now_i : now_i + cycle_t'(1);
  always_ff @(posedge clk_in_i or posedge clk_end_i) begin
    ack_valid_q <= clk_in_i && ack_valid_i;
    cb_dn_valid_q <= clk_in_i && cb_dn_valid_i;
    gd_dn_valid_q <= clk_in_i && gd_dn_valid_i;
    opnd_valid_q <= clk_in_i && opnd_valid_i;
    launch_valid_q <= clk_in_i && launch_valid_i;
    exit_valid_q <= clk_in_i && exit_valid_i;
    wr_valid_q <= clk_in_i && wr_valid_i;
    mb_wait_q <= clk_in_i && mb_wait_i;
    mb_sent_q <= clk_in_i && mb_sent_i;
    mb_fail_valid_q <= clk_in_i && mb_fail_valid_i;
    mb_rsp_valid_q <= clk_in_i && mb_rsp_valid_i;
  end
  gsu_sm #(.Ctas(Ctas), .WarpSlots(WarpSlots), .Bars(Bars), .Waits(Waits), .Lines(Lines), .PerClock(PerClock), .Releases(Releases), .Answers(Answers),
           .MbarAnswers(MbarAnswers), .WaitAnswers(WaitAnswers), .Sends(Sends), .Receives(Receives),
           .Operands(Operands), .Replies(Replies), .Cancels(Cancels), .Matches(Matches), .Packets(Packets)) u_sm (
      .*,
      .ack_valid_i(ack_valid_q), .ack_i(ack_q), .cb_up_ready_i(cb_up_ready_q), .cb_dn_valid_i(cb_dn_valid_q), .cb_dn_i(cb_dn_q),
      .gd_up_ready_i(gd_up_ready_q), .gd_dn_valid_i(gd_dn_valid_q), .gd_dn_i(gd_dn_q),
      .opnd_valid_i(opnd_valid_q), .opnd_i(opnd_q), .launch_valid_i(launch_valid_q), .launch_i(launch_q),
      .exit_valid_i(exit_valid_q), .exit_i(exit_q), .wr_valid_i(wr_valid_q), .wr_i(wr_q),
      .async_valid_i(1'b0), .async_i('0), .clc_rsp_valid_i(1'b0), .clc_rsp_i('0), .mem_rsp_valid_i(1'b0), .mem_rdata_i('0), .snoop_valid_i(1'b0),
      .snoop_addr_i('0), .tx_ready_i(1'b0), .rx_valid_i(1'b0), .rx_i('0), .ack_ready_i(1'b0),
      .opnd_ready_o(), .async_ready_o(), .mem_req_valid_o(), .mem_req_o(), .tx_valid_o(), .tx_o(), .rx_ready_o(), .ack_valid_o(), .ack_o(),
      .dlv_valid_o(), .dlv_o(), .clc_req_valid_o(), .clc_req_o(), .tap_mb_valid_o(), .tap_mb_o(), .idle_o(), .next_event_o()
  );
  // What stands before the flops of the ports is still to be shown.
  logic shows;
  assign shows = u_sm.cta_free != '0 || u_sm.rsp_any || u_sm.rel_any || u_sm.ct_tap_valid || u_sm.ws_tap_valid || u_sm.nb_tap_valid || u_sm.cb_tap_valid
                 || u_sm.ak_tap_valid || u_sm.fe_tap_valid || u_sm.nu_tap_valid || u_sm.gd_tap_valid;
  assign still_o = u_sm.u_time.still && !shows;
  assign next_event_o = u_sm.u_time.next;
  assign clk_en_o = {u_sm.u_gate_or.en_i, u_sm.u_gate_nb.en_i, u_sm.u_gate_ws.en_i, u_sm.u_gate_io.en_i || u_sm.u_gate_ct.en_i || u_sm.u_gate_cb.en_i || u_sm.u_gate_gd.en_i || u_sm.u_join.u_gate_wo.en_i};
  assign mb_launch_valid_o  = u_sm.u_mbar.launch_valid_i;
  assign mb_launch_o        = u_sm.u_mbar.launch_i;
  assign mb_cta_end_valid_o = u_sm.u_mbar.cta_end_valid_i;
  assign mb_cta_end_cta_o   = u_sm.u_mbar.cta_end_cta_i;
  assign mb_open_o          = u_sm.u_mbar.open_i;
  assign mb_left_o          = u_sm.u_mbar.left_i;
  assign mb_hold_o          = u_sm.u_mbar.hold_i;
  assign mb_epoch_o         = u_sm.u_mbar.epoch_i;
  assign mb_fire_o          = u_sm.u_mbar.fire_i;
  assign mb_turn_o          = u_sm.u_mbar.turn_i;
  assign mb_own_fire_o      = u_sm.u_mbar.own_fire_i;
  assign mb_own_turn_o      = u_sm.u_mbar.own_turn_i;
  assign mb_ending_o        = u_sm.u_mbar.ending_i;
  assign mb_req_valid_o     = u_sm.u_mbar.req_valid_i;
  assign mb_req_o           = u_sm.u_mbar.req_i;
  assign mb_fail_ready_o    = u_sm.u_mbar.fail_ready_i;
  assign mb_rsp_ready_o     = u_sm.u_mbar.rsp_ready_i;
endmodule
