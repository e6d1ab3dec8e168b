// gsu_sm: the sync unit of one SM. Wiring only: the mbarrier unit, gsu_sm_core with all other units, and flops for time and configuration.
// Rules: D-01 (taps), D-71 (units are independent).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_sm
  import gsu_pkg::*;
  import gsu_order_pkg::*;
#(
    parameter int unsigned Ctas = MaxCtas,           /// CTA slots
    parameter int unsigned WarpSlots = MaxWarpSlots, /// warp slots
    parameter int unsigned Bars = BarsPerCta,        /// named barriers of a CTA
    parameter int unsigned Waits = 32,               /// wait slots for try_wait
    parameter int unsigned Lines = 4,                /// lines of four words of the barrier cache
    parameter int unsigned PerClock = 16,            /// lanes that the engine of redux and match takes in a clock
    parameter int unsigned Releases = 32, parameter int unsigned Answers = 16,         /// queues: releases, answers of the named and cluster barriers
    parameter int unsigned MbarAnswers = 32, parameter int unsigned WaitAnswers = 64,  /// answers of mbarrier operations, of waits for mbarriers
    parameter int unsigned Sends = 8, parameter int unsigned Receives = 32,            /// packets that wait for the network, that have come
    parameter int unsigned Operands = 64,            /// requests of the mbarrier unit whose operands are held: waiting ones, and two more
    parameter int unsigned Replies = 16, parameter int unsigned Cancels = 8,           /// atoms that wait for their answers, open lanes of try_cancel
    parameter int unsigned Matches = 64,             /// pending match, pending redux
    parameter int unsigned Packets = 128,            /// packets in flight to one SM in the network: sizes the counts of packets here
    parameter bit          Taps = 1'b1               /// 0: the taps are silent; nothing else differs
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  cycle_t     now_i,           // number of this clock
    input  cfg_t       cfg_i,           // changes only while idle_o, a clock or more before the next input
    input  logic       req_valid_i,
    output logic       req_ready_o,
    input  sync_req_t  req_i,           // its operand beats have been delivered before
    input  logic       opnd_valid_i,
    output logic       opnd_ready_o,    // for beats of mbarrier operations
    output logic       opnd_warp_ready_o,  // for beats of match and redux
    input  opnd_beat_t opnd_i,
    output logic       rsp_valid_o,     // pulse
    output sync_rsp_t  rsp_o,
    output logic       rel_valid_o,     // pulse
    output release_t   rel_o,
    output logic       dlv_valid_o,     // pulse
    output deliver_t   dlv_o,
    input  logic       launch_valid_i,
    output logic       launch_ready_o,
    input  launch_t    launch_i,
    input  logic       exit_valid_i,
    output logic       exit_ready_o,
    input  exit_t      exit_i,          // these lanes have no open request
    output logic       exit_done_o,     // pulse: the oldest accepted exit without such a pulse is in effect
    output logic [31:0] cta_free_o,     // pulse per slot: may be launched again
    input  logic       async_valid_i,
    output logic       async_ready_o,
    input  async_t     async_i,
    output logic       clc_req_valid_o, // pulse: a lane of try_cancel asks for a cluster
    output clc_req_t   clc_req_o,
    input  logic       clc_rsp_valid_i, // pulse: the answer, at any later clock
    input  clc_rsp_t   clc_rsp_i,
    output logic       mem_req_valid_o, // never refused
    output mem_req_t   mem_req_o,
    input  logic       mem_rsp_valid_i, // exactly cfg smem_lat clocks after a read
    input  logic [63:0] mem_rdata_i,
    input  logic       snoop_valid_i,   // pulse: an ordinary store hit a used word
    input  logic [17:0] snoop_addr_i,
    output logic       tx_valid_o,
    input  logic       tx_ready_i,
    output pkt_t       tx_o,
    input  logic       rx_valid_i,
    output logic       rx_ready_o,
    input  pkt_t       rx_i,
    output logic       ack_valid_o,     // to the source of a packet that was committed or refused here
    input  logic       ack_ready_i,
    output ack_t       ack_o,
    input  logic       ack_valid_i,     // pulse: acknowledges a packet sent from here
    input  ack_t       ack_i,
    output logic       cb_up_valid_o,
    input  logic       cb_up_ready_i,
    output cb_up_t     cb_up_o,
    output logic [MaxClusters-1:0] cb_alive_o,  // per cluster slot: a warp of the cluster is live here
    input  logic       cb_dn_valid_i,
    output logic       cb_dn_ready_o,
    input  cb_dn_t     cb_dn_i,
    output logic       gd_up_valid_o,
    input  logic       gd_up_ready_i,
    output grid_up_t   gd_up_o,
    input  logic       gd_dn_valid_i,   // pulse
    input  grid_dn_t   gd_dn_i,
    input  logic       wr_valid_i,
    output logic       wr_ready_o,
    input  wr_t        wr_i,            // ordinary accesses: announced as outstanding, before the request that waits for them, or performed
    output logic       wr_room_o,       // accesses may be announced only while it is high; performed accesses may always be reported
    output mask_t      epoch_wide_o,    // epoch of new announcements: towards everyone, per CTA slot
    output logic [WarpSlots-1:0] epoch_own_o,  // the same towards their own CTA, per warp slot
    output logic       tap_ct_valid_o,  // taps: pulses, at most one commit per unit and clock
    output tap_t       tap_ct_o,
    output logic       tap_ws_valid_o,
    output tap_t       tap_ws_o,
    output logic       tap_nb_valid_o,
    output tap_t       tap_nb_o,
    output logic       tap_cb_valid_o,
    output tap_t       tap_cb_o,
    output logic       tap_mb_valid_o,
    output tap_t       tap_mb_o,
    output logic       tap_ak_valid_o,
    output tap_t       tap_ak_o,
    output logic       tap_fe_valid_o,
    output tap_t       tap_fe_o,
    output logic       tap_nu_valid_o,
    output tap_t       tap_nu_o,
    output logic       tap_gd_valid_o,
    output tap_t       tap_gd_o,
    output logic       idle_o,          // no flop changes without an input or a deadline
    output cycle_t     next_event_o     // with idle_o: earliest deadline, all ones if none
);
  gsu_sm_limits #(.Ctas(Ctas), .WarpSlots(WarpSlots), .Bars(Bars), .Waits(Waits), .Lines(Lines), .PerClock(PerClock), .Releases(Releases), .Answers(Answers),
      .MbarAnswers(MbarAnswers), .WaitAnswers(WaitAnswers), .Sends(Sends), .Receives(Receives),
      .Operands(Operands), .Replies(Replies), .Cancels(Cancels), .Matches(Matches), .Packets(Packets)) u_limits ();
  ////// Time and configuration: from flops, so that no path leads from these ports through the comparators of the deadlines //////
  cycle_t now_q;  // in gsu_sm_time
  cfg_t   cfg_q;
  always_ff @(posedge clk_i) cfg_q <= cfg_i;

  ////// All except the mbarrier unit //////
  logic        mb_launch_valid, mb_cta_end_valid, mb_wait, mb_sent, mb_sent_async, mb_req_valid, mb_req_ready, mb_fail_valid, mb_fail_ready;
  logic        mb_rsp_valid, mb_rsp_ready, mb_tap_valid, mb_idle, core_still, clk_mb;
  logic [4:0]  mb_cta_end_cta, mb_sent_cta;
  launch_t     mb_launch;
  mask_t       mb_cta_quiet, mb_arriving, mb_left, mb_open, mb_ending, mb_fire, mb_turn;
  order_hold_t mb_hold;
  logic [MaxWarpSlots-1:0] mb_own_fire, mb_own_turn;
  sync_req_t   mb_req;
  ack_t        mb_fail;
  sync_rsp_t   mb_rsp;
  cycle_t      mb_next, core_next;
  /*verilator tracing_off*/ tap_t mb_tap; /*verilator tracing_on*/
  gsu_sm_core #(.Ctas(Ctas), .WarpSlots(WarpSlots), .Bars(Bars), .PerClock(PerClock), .Releases(Releases), .Answers(Answers), .Sends(Sends),
      .Receives(Receives), .Matches(Matches), .Packets(Packets), .Taps(Taps)) u_core (
      .clk_i, .rst_ni, .now_i(now_q), .cfg_i(cfg_q), .req_valid_i, .req_ready_o, .req_i,
      .opnd_valid_i(opnd_valid_i && opnd_i.warp), .opnd_warp_ready_o, .opnd_i, .rsp_valid_o, .rsp_o, .rel_valid_o, .rel_o,
      .launch_valid_i, .launch_ready_o, .launch_i, .exit_valid_i, .exit_ready_o, .exit_i, .exit_done_o, .cta_free_o, .ack_valid_i, .ack_i,
      .cb_up_valid_o, .cb_up_ready_i, .cb_up_o, .cb_alive_o, .cb_dn_valid_i, .cb_dn_ready_o, .cb_dn_i,
      .gd_up_valid_o, .gd_up_ready_i, .gd_up_o, .gd_dn_valid_i, .gd_dn_i, .wr_valid_i, .wr_ready_o, .wr_i, .wr_room_o, .epoch_wide_o, .epoch_own_o,
      .tap_ct_valid_o, .tap_ct_o, .tap_ws_valid_o, .tap_ws_o, .tap_nb_valid_o, .tap_nb_o, .tap_cb_valid_o, .tap_cb_o, .tap_ak_valid_o, .tap_ak_o,
      .tap_fe_valid_o, .tap_fe_o, .tap_nu_valid_o, .tap_nu_o, .tap_gd_valid_o, .tap_gd_o,
      .mb_launch_valid_o(mb_launch_valid), .mb_launch_o(mb_launch), .mb_cta_end_valid_o(mb_cta_end_valid), .mb_cta_end_cta_o(mb_cta_end_cta),
      .mb_cta_quiet_i(mb_cta_quiet), .mb_arriving_i(mb_arriving), .mb_left_o(mb_left), .mb_open_o(mb_open), .mb_ending_o(mb_ending),
      .mb_hold_o(mb_hold), .mb_fire_o(mb_fire), .mb_turn_o(mb_turn), .mb_own_fire_o(mb_own_fire), .mb_own_turn_o(mb_own_turn), .mb_wait_i(mb_wait),
      .mb_sent_i(mb_sent), .mb_sent_cta_i(mb_sent_cta), .mb_sent_async_i(mb_sent_async),
      .mb_req_valid_o(mb_req_valid), .mb_req_ready_i(mb_req_ready), .mb_req_o(mb_req),
      .mb_fail_valid_i(mb_fail_valid), .mb_fail_ready_o(mb_fail_ready), .mb_fail_i(mb_fail),
      .mb_rsp_valid_i(mb_rsp_valid), .mb_rsp_ready_o(mb_rsp_ready), .mb_rsp_i(mb_rsp),
      .still_o(core_still), .next_event_o(core_next)
  );

  ////// The mbarrier unit: its clock runs only while it is not idle or has an input //////
  gsu_mbar_unit #(.Waits(Waits), .Lines(Lines), .MbarAnswers(MbarAnswers), .WaitAnswers(WaitAnswers), .Sends(Sends),
      .Receives(Receives), .Operands(Operands), .Replies(Replies), .Cancels(Cancels)) u_mbar (
      .clk_i(clk_mb), .rst_ni, .now_i(now_q), .cfg_i(cfg_q),
      .launch_valid_i(mb_launch_valid), .launch_i(mb_launch), .cta_end_valid_i(mb_cta_end_valid), .cta_end_cta_i(mb_cta_end_cta),
      .cta_quiet_o(mb_cta_quiet), .arriving_o(mb_arriving), .left_i(mb_left), .open_i(mb_open), .ending_i(mb_ending),
      .hold_i(mb_hold), .epoch_i(epoch_wide_o), .fire_i(mb_fire), .turn_i(mb_turn), .own_fire_i(mb_own_fire), .own_turn_i(mb_own_turn), .wait_o(mb_wait),
      .sent_o(mb_sent), .sent_cta_o(mb_sent_cta), .sent_async_o(mb_sent_async),
      .req_valid_i(mb_req_valid), .req_ready_o(mb_req_ready), .req_i(mb_req),
      .opnd_valid_i(opnd_valid_i && !opnd_i.warp), .opnd_ready_o, .opnd_i,
      .async_valid_i, .async_ready_o, .async_i, .clc_req_valid_o, .clc_req_o, .clc_rsp_valid_i, .clc_rsp_i,
      .mem_req_valid_o, .mem_req_o, .mem_rsp_valid_i, .mem_rdata_i, .snoop_valid_i, .snoop_addr_i,
      .tx_valid_o, .tx_ready_i, .tx_o, .rx_valid_i, .rx_ready_o, .rx_i,
      .ack_valid_o, .ack_ready_i, .ack_o, .back_valid_i(ack_valid_i && ack_i.reply), .back_i(ack_i),
      .fail_valid_o(mb_fail_valid), .fail_ready_i(mb_fail_ready), .fail_o(mb_fail),
      .rsp_valid_o(mb_rsp_valid), .rsp_ready_i(mb_rsp_ready), .rsp_o(mb_rsp),
      .dlv_valid_o, .dlv_o, .tap_valid_o(mb_tap_valid), .tap_o(mb_tap), .idle_o(mb_idle), .next_event_o(mb_next)
  );
  gsu_clock_gate u_gate_mb (.clk_i, .rst_ni, .clk_o(clk_mb), .en_i(mb_launch_valid || mb_cta_end_valid || mb_req_valid || (opnd_valid_i && !opnd_i.warp)
      || async_valid_i || clc_rsp_valid_i || mem_rsp_valid_i || snoop_valid_i || rx_valid_i || ack_valid_i || !mb_idle || now_q >= mb_next));
  gsu_tap #(.On(Taps)) u_tap_mb (.clk_i, .rst_ni, .valid_i(mb_tap_valid), .tap_i(mb_tap), .valid_o(tap_mb_valid_o), .tap_o(tap_mb_o));

  gsu_sm_time u_time (
      .clk_i, .rst_ni, .now_i, .now_o(now_q),
      .comes_i(req_valid_i || launch_valid_i || exit_valid_i || cb_dn_valid_i || opnd_valid_i || async_valid_i || mem_rsp_valid_i || snoop_valid_i
               || rx_valid_i || ack_valid_i || wr_valid_i || gd_dn_valid_i || clc_rsp_valid_i),
      .core_still_i(core_still), .core_next_i(core_next), .mb_idle_i(mb_idle), .mb_next_i(mb_next), .idle_o, .next_event_o
  );
  `ASSERT(QuietEmitsNothing, !idle_o || !(rsp_valid_o || rel_valid_o || tap_ct_valid_o || tap_ws_valid_o || tap_nb_valid_o || tap_cb_valid_o || exit_done_o
               || tap_mb_valid_o || tap_ak_valid_o || tap_fe_valid_o || tap_nu_valid_o || tap_gd_valid_o || cta_free_o != '0 || dlv_valid_o || clc_req_valid_o))
endmodule
