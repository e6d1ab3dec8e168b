// gsu_sm_core: all of an SM except its mbarrier unit, which is beside it in gsu_sm; ports mb_* lead there. Wiring only: skid buffers, units, response and
// release merge, routing of a request by its operation. Two outputs to the mbarrier unit depend on an input of the same clock: the end of a CTA on
// mb_arriving_i, mb_fail_ready_o on ack_valid_i (scripts/synth --paths). So a few passes evaluate separate models of the two (sc_model/verilated/split_sm.cpp).
// Rules: D-01 (taps), D-10 (a request before an exit of the same clock), D-70 (bounded service), D-71 (units are independent).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_sm_core
  import gsu_pkg::*;
  import gsu_op_pkg::*;
  import gsu_join_pkg::*;
  import gsu_order_pkg::*;
#(
    parameter int unsigned Ctas = MaxCtas,           /// as gsu_sm
    parameter int unsigned WarpSlots = MaxWarpSlots,
    parameter int unsigned Bars = BarsPerCta,
    parameter int unsigned PerClock = 16,
    parameter int unsigned Releases = 32, parameter int unsigned Answers = 16,
    parameter int unsigned Sends = 8, parameter int unsigned Receives = 32,
    parameter int unsigned Matches = 64,
    parameter int unsigned Packets = 128,
    parameter bit          Taps = 1'b1
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  cycle_t     now_i,           // number of this clock, from a flop
    input  cfg_t       cfg_i,           // from flops; changes only while the SM is idle
    input  logic       req_valid_i,
    output logic       req_ready_o,
    input  sync_req_t  req_i,           // its operand beats have been delivered before
    input  logic       opnd_valid_i,    // beats of match and redux
    output logic       opnd_warp_ready_o,
    input  opnd_beat_t opnd_i,
    output logic       rsp_valid_o,     // pulse
    output sync_rsp_t  rsp_o,
    output logic       rel_valid_o,     // pulse
    output release_t   rel_o,
    input  logic       launch_valid_i,
    output logic       launch_ready_o,
    input  launch_t    launch_i,
    input  logic       exit_valid_i,
    output logic       exit_ready_o,
    input  exit_t      exit_i,          // these lanes have no open request
    output logic       exit_done_o,     // pulse: the oldest accepted exit without such a pulse is in effect
    output logic [31:0] cta_free_o,     // pulse per slot: may be launched again
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
    output logic       tap_ak_valid_o,
    output tap_t       tap_ak_o,
    output logic       tap_fe_valid_o,
    output tap_t       tap_fe_o,
    output logic       tap_nu_valid_o,
    output tap_t       tap_nu_o,
    output logic       tap_gd_valid_o,
    output tap_t       tap_gd_o,
    output logic       mb_launch_valid_o,   // mb_*: as the ports of gsu_mbar_unit
    output launch_t    mb_launch_o,
    output logic       mb_cta_end_valid_o,
    output logic [4:0] mb_cta_end_cta_o,
    input  mask_t      mb_cta_quiet_i,
    input  mask_t      mb_arriving_i,
    output mask_t      mb_left_o,
    output mask_t      mb_open_o,
    output mask_t      mb_ending_o,
    output order_hold_t mb_hold_o,
    output mask_t      mb_fire_o,
    output mask_t      mb_turn_o,
    output logic [MaxWarpSlots-1:0] mb_own_fire_o,
    output logic [MaxWarpSlots-1:0] mb_own_turn_o,
    input  logic       mb_wait_i,
    input  logic       mb_sent_i,
    input  logic [4:0] mb_sent_cta_i,
    input  logic       mb_sent_async_i,
    output logic       mb_req_valid_o,
    input  logic       mb_req_ready_i,
    output sync_req_t  mb_req_o,
    input  logic       mb_fail_valid_i,
    output logic       mb_fail_ready_o,
    input  ack_t       mb_fail_i,
    input  logic       mb_rsp_valid_i,
    output logic       mb_rsp_ready_o,
    input  sync_rsp_t  mb_rsp_i,
    output logic       still_o,         // from flops: without an input or a deadline nothing changes, except that pulses at the ports end
    output cycle_t     next_event_o     // with still_o: earliest deadline, all ones if none
);
  localparam int unsigned SlotW = $clog2(WarpSlots), CtaW = $clog2(Ctas);
  // Bits for the unacknowledged packets of one source: in its queue, in flight, received, or with an acknowledgement in flight, at every SM.
  localparam int unsigned CountW = $clog2(MaxSms * (2 * Packets + Receives) + Sends + 64);
  logic clk_few, clk_nb, clk_or, io_empty;  // gated clocks of the units
  ////// Inputs behind skid buffers //////
  logic req_valid, req_ready, req_empty; sync_req_t req;
  gsu_skid #(.Width($bits(sync_req_t))) u_req_skid (.clk_i, .rst_ni, .valid_i(req_valid_i),
      .ready_o(req_ready_o), .data_i(req_i), .valid_o(req_valid), .ready_i(req_ready), .data_o(req), .empty_o(req_empty));
  logic launch_valid, launch_ready, launch_empty; launch_t launch;
  gsu_skid #(.Width($bits(launch_t))) u_launch_skid (.clk_i(clk_few), .rst_ni, .valid_i(launch_valid_i),
      .ready_o(launch_ready_o), .data_i(launch_i), .valid_o(launch_valid), .ready_i(launch_ready), .data_o(launch), .empty_o(launch_empty));
  logic exit_valid, exit_ready, exit_empty; exit_t lanes_exit;
  gsu_skid #(.Width($bits(exit_t))) u_exit_skid (.clk_i(clk_few), .rst_ni, .valid_i(exit_valid_i),
      .ready_o(exit_ready_o), .data_i(exit_i), .valid_o(exit_valid), .ready_i(exit_ready), .data_o(lanes_exit), .empty_o(exit_empty));
  logic dn_valid, dn_ready, dn_empty; cb_dn_t dn;
  gsu_skid #(.Width($bits(cb_dn_t))) u_dn_skid (.clk_i(clk_few), .rst_ni, .valid_i(cb_dn_valid_i),
      .ready_o(cb_dn_ready_o), .data_i(cb_dn_i), .valid_o(dn_valid), .ready_i(dn_ready), .data_o(dn), .empty_o(dn_empty));
  logic up_valid, up_ready, up_empty; cb_up_t up;
  gsu_skid #(.Width($bits(cb_up_t))) u_up_skid (.clk_i(clk_few), .rst_ni, .valid_i(up_valid),
      .ready_o(up_ready), .data_i(up), .valid_o(cb_up_valid_o), .ready_i(cb_up_ready_i), .data_o(cb_up_o), .empty_o(up_empty));
  logic wr_valid, wr_take, wr_empty; wr_t wr;
  gsu_skid #(.Width($bits(wr_t))) u_wr_skid (.clk_i(clk_few), .rst_ni, .valid_i(wr_valid_i),
      .ready_o(wr_ready_o), .data_i(wr_i), .valid_o(wr_valid), .ready_i(wr_take), .data_o(wr), .empty_o(wr_empty));

  ////// Routing //////
  // The launch of a CTA may still be in its buffer when the first request, exit or access comes: these wait at the head of their buffers. A request also waits
  // for accesses that were announced before it.
  logic [Ctas-1:0] cta_live;
  logic to_join, to_mbar, to_fence, to_grid, held, join_req_valid, join_req_ready, null_req_valid, null_req_ready;
  logic fe_req_valid, fe_req_ready, gd_req_valid, gd_req_ready, values_full;
  logic fresh_q;  // the join has begun to evaluate the request of the port: the request stays at the join until it is taken
  logic join_waits, join_fresh, room_push, room_space, room_valid, room_turn, fe_taken, waits;
  assign to_join        = op_joins(req.op);
  assign to_mbar        = op_mbarrier(req.op) || op_cancel(req.op) || (req.remote && op_atomic(req.op));
  assign held           = !cta_live[req.cta[CtaW-1:0]] || (wr_valid && !wr.performed && !fresh_q) || (has_values(req.op) && !values_full);
  assign wr_take        = wr_valid && cta_live[wr.cta[CtaW-1:0]];
  assign to_fence       = order_is_fence(req.op);
  assign join_fresh     = req_valid && to_join && !held && !join_waits;
  assign mb_req_valid_o   = req_valid && to_mbar && !held;
  assign mb_req_o       = req;
  assign to_grid        = op_grid(req.op);
  assign fe_req_valid   = req_valid && to_fence && !held;
  assign gd_req_valid   = req_valid && to_grid && !held;
  assign null_req_valid = req_valid && !to_join && !to_mbar && !to_fence && !to_grid;
  always_comb begin
    if (to_join) req_ready = !held && (join_waits ? room_space : join_req_ready && !room_turn);
    else if (to_mbar) req_ready = !held && mb_req_ready_i;
    else if (to_fence) req_ready = !held && fe_req_ready;
    else if (to_grid) req_ready = !held && gd_req_ready;
    else req_ready = null_req_ready;
  end

  ////// CTA table //////
  logic       start_valid, nb_start_ready, cb_start_ready, gd_start_ready;
  launch_t    start; logic [5:0] start_nwarps;
  logic       chg_valid, chg_ready;
  logic       nb_gone_valid, nb_gone_ready, cb_gone_valid, cb_gone_ready, gone_last;
  logic [4:0] gone_cta, gone_warp;
  // gate: the exit gate of a CTA has opened. free: nothing of the CTA is in flight any more, so its slot is free.
  logic gate_valid, free_valid; logic [4:0] gate_cta, free_cta; mask_t cta_open, nb_ending, cta_free;
  logic [4:0] look_cta, look_warp; logic [SlotW-1:0] look_slot; mask_t look_live, look_exist; logic [5:0] look_nwarps;
  logic       ct_tap_valid, ct_idle; /*verilator tracing_off*/ tap_t ct_tap; /*verilator tracing_on*/
  gsu_cta_table #(.Ctas(Ctas), .WarpSlots(WarpSlots)) u_cta_table (
      .clk_i(clk_few), .rst_ni,
      .launch_valid_i(launch_valid), .launch_ready_o(launch_ready), .launch_i(launch), .start_valid_o(start_valid), .start_o(start),
      .start_nwarps_o(start_nwarps), .nb_start_ready_i(nb_start_ready), .cb_start_ready_i(cb_start_ready && gd_start_ready),
      .exit_valid_i(exit_valid), .exit_ready_o(exit_ready), .exit_i(lanes_exit), .join_valid_o(chg_valid), .join_ready_i(chg_ready),
      .nb_gone_valid_o(nb_gone_valid), .nb_gone_ready_i(nb_gone_ready), .cb_gone_valid_o(cb_gone_valid), .cb_gone_ready_i(cb_gone_ready),
      .gone_cta_o(gone_cta), .gone_warp_o(gone_warp), .gone_last_o(gone_last),
      .free_valid_i(free_valid), .free_cta_i(free_cta), .cta_free_o(cta_free), .cta_live_o(cta_live),
      .look_cta_i(look_cta), .look_warp_i(look_warp), .look_slot_o(look_slot), .look_live_o(look_live), .look_exist_o(look_exist), .look_nwarps_o(look_nwarps),
      .tap_valid_o(ct_tap_valid), .tap_o(ct_tap), .idle_o(ct_idle)
  );

  ////// Order: requests that must wait for outstanding operations of their warp or CTA are in wait queues: of fences, of mbarrier operations, and of the
  ////// others, before the join of their warp's lanes (D-51) //////
  mask_t owing, epoch, sending, fire, turn;
  logic [MaxWarpSlots-1:0] own_owing, own_epoch, own_fire, own_turn;
  logic [5:0] req_slot;
  order_need_t need; order_hold_t hold; logic [31:0] least; sync_req_t join_req;
  logic  room_idle, ak_tap_valid, or_idle;
  /*verilator tracing_off*/ tap_t ak_tap; /*verilator tracing_on*/
  gsu_order #(.Width(CountW)) u_order (
      .clk_i(clk_or), .rst_ni, .launch_valid_i(start_valid), .launch_i(start),
      .sent_i(mb_sent_i), .sent_cta_i(mb_sent_cta_i), .sent_async_i(mb_sent_async_i), .epoch_o(epoch),
      .ack_valid_i, .ack_i, .fail_valid_i(mb_fail_valid_i && mb_fail_ready_o), .fail_ready_o(mb_fail_ready_o), .fail_i(mb_fail_i),
      .wr_valid_i(wr_take), .wr_i(wr), .wr_room_o, .req_cta_i(req.cta), .req_warp_i(req.warp), .req_slot_o(req_slot),
      .wait_wide_i(waits && hold.wide), .wait_own_i(waits && hold.own),
      .owing_o(owing), .sending_o(sending), .own_owing_o(own_owing), .fire_o(fire), .turn_o(turn),
      .own_epoch_o(own_epoch), .own_fire_o(own_fire), .own_turn_o(own_turn),
      .tap_valid_o(ak_tap_valid), .tap_o(ak_tap), .idle_o(or_idle)
  );
  assign {epoch_wide_o, epoch_own_o} = {epoch, own_epoch[WarpSlots-1:0]};
  assign {mb_hold_o, mb_fire_o, mb_turn_o, mb_own_fire_o, mb_own_turn_o} = {hold, fire, turn, own_fire, own_turn};
  assign fe_taken     = fe_req_valid && fe_req_ready;
  assign waits        = room_push || mb_wait_i || fe_taken;
  always_comb begin
    {need, least, hold} = '0;
    if (req_valid || Eager) begin
      need = order_need(req);
      if (need.least != FloorNone) least = order_clocks(req.op, need.least, cfg_i);
      hold  = '{gate: 1'b0, own: need.own && own_owing[req_slot], wide: need.wide && owing[req.cta], timed: least != '0,
                cta: req.cta, slot: req_slot, due: now_i + cycle_t'(least)};
    end
  end
  sync_req_t room_req; cycle_t room_next;
  assign join_waits     = !fresh_q && (hold.own || hold.wide || hold.timed);  // accesses announced while the join evaluates it are younger
  assign room_push      = req_valid && to_join && !held && join_waits && room_space;
  assign room_turn      = room_valid && !fresh_q;
  assign join_req_valid = room_turn || join_fresh;
  always_comb begin
    join_req = req;
    if (room_turn) join_req = room_req;
  end
  gsu_order_wait_queue #(.Width($bits(sync_req_t)), .Depth(1 << SlotW)) u_order_room (
      .clk_i(clk_or), .rst_ni, .now_i,
      .push_i(room_push), .space_o(room_space), .hold_i(hold), .data_i(req), .class_i(1'b1),
      .open_i('0), .fire_i(fire), .turn_i(turn), .own_fire_i(own_fire), .own_turn_i(own_turn),
      .valid_o(room_valid), .ready_i(join_req_ready && room_turn), .data_o(room_req), .idle_o(room_idle), .next_o(room_next)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fresh_q <= 1'b0;
    else if (fresh_q || join_fresh) fresh_q <= join_fresh && !room_turn && !join_req_ready;
  end

  ////// Join of lanes, warp sync, warp operations //////
  logic      nb_arr_valid, nb_arr_ready, cb_arr_valid, cb_arr_ready, nb_next_valid; warp_arr_t nb_arr, cb_arr;
  logic      nb_rsp_valid, cb_rsp_valid, nu_rsp_valid, fe_rsp_valid, gd_rsp_valid;
  logic      nb_rsp_ready, cb_rsp_ready, nu_rsp_ready, fe_rsp_ready, gd_rsp_ready;
  logic [1:0] ws_rsp_valid, ws_rsp_ready; sync_rsp_t [1:0] ws_rsp; sync_rsp_t nb_rsp, cb_rsp, nu_rsp, fe_rsp, gd_rsp;
  logic      nb_rel_valid, nb_rel_ready, cb_rel_valid, cb_rel_ready; release_t nb_rel, cb_rel; logic [4:0] nb_next_cta; logic [$clog2(Bars)-1:0] nb_next_bar;
  logic      ws_tap_valid, nb_tap_valid, cb_tap_valid, nu_tap_valid, fe_tap_valid, gd_tap_valid;
  /*verilator tracing_off*/ tap_t      ws_tap, nb_tap, cb_tap, nu_tap, fe_tap, gd_tap; /*verilator tracing_on*/
  logic      ws_idle, nb_idle, cb_idle, nu_idle, fe_idle, gd_idle, end_idle; cycle_t ws_next, nb_next, cb_next, nu_next, fe_next;
  gsu_join #(.WarpSlots(WarpSlots), .Bars(Bars), .PerClock(PerClock), .Queue(Matches)) u_join (
      .clk_i, .rst_ni, .now_i, .cfg_i,
      .opnd_valid_i, .opnd_ready_o(opnd_warp_ready_o), .opnd_i, .opnd_full_o(values_full),
      .req_valid_i(join_req_valid), .req_ready_o(join_req_ready), .req_i(join_req),
      .exit_valid_i(chg_valid), .exit_ready_o(chg_ready), .exit_cta_i(lanes_exit.cta), .exit_warp_i(lanes_exit.warp),
      .look_cta_o(look_cta), .look_warp_o(look_warp), .look_slot_i(look_slot), .look_live_i(look_live), .look_exist_i(look_exist), .look_nwarps_i(look_nwarps),
      .nb_next_o(nb_next_valid), .nb_next_cta_o(nb_next_cta), .nb_next_bar_o(nb_next_bar), .nb_valid_o(nb_arr_valid), .nb_ready_i(nb_arr_ready),
      .nb_o(nb_arr), .cb_valid_o(cb_arr_valid), .cb_ready_i(cb_arr_ready), .cb_o(cb_arr), .rsp_valid_o(ws_rsp_valid), .rsp_ready_i(ws_rsp_ready),
      .rsp_o(ws_rsp), .tap_valid_o(ws_tap_valid), .tap_o(ws_tap), .idle_o(ws_idle), .next_event_o(ws_next)
  );

  ////// Units //////
  gsu_named_barrier #(.Ctas(Ctas), .Bars(Bars), .WarpSlots(WarpSlots), .RelDepth(Releases), .RspDepth(Answers)) u_named_barrier (
      .clk_i(clk_nb), .rst_ni, .now_i, .cfg_i,
      .launch_valid_i(start_valid), .launch_cta_i(start.cta), .launch_wbase_i(start.wbase), .launch_nwarps_i(start_nwarps), .launch_ready_o(nb_start_ready),
      .next_valid_i(nb_next_valid), .next_cta_i(nb_next_cta), .next_bar_i(nb_next_bar), .arr_valid_i(nb_arr_valid), .arr_ready_o(nb_arr_ready),
      .arr_i(nb_arr), .wexit_valid_i(nb_gone_valid), .wexit_ready_o(nb_gone_ready),
      .wexit_cta_i(gone_cta), .wexit_warp_i(gone_warp), .wexit_last_i(gone_last), .ending_o(nb_ending),
      .rsp_valid_o(nb_rsp_valid), .rsp_ready_i(nb_rsp_ready), .rsp_o(nb_rsp),
      .rel_valid_o(nb_rel_valid), .rel_ready_i(nb_rel_ready), .rel_o(nb_rel),
      .tap_valid_o(nb_tap_valid), .tap_o(nb_tap), .idle_o(nb_idle), .next_event_o(nb_next)
  );
  gsu_cluster_barrier #(.Ctas(Ctas), .RelDepth(Releases), .RspDepth(Answers)) u_cluster_barrier (
      .clk_i(clk_few), .rst_ni, .now_i, .cfg_i,
      .launch_valid_i(start_valid), .launch_i(start), .launch_nwarps_i(start_nwarps), .launch_ready_o(cb_start_ready),
      .arr_valid_i(cb_arr_valid), .arr_ready_o(cb_arr_ready), .arr_i(cb_arr),
      .wexit_valid_i(cb_gone_valid), .wexit_ready_o(cb_gone_ready),
      .wexit_cta_i(gone_cta), .wexit_warp_i(gone_warp), .wexit_last_i(gone_last),
      .sending_i(sending), .cb_up_valid_o(up_valid), .cb_up_ready_i(up_ready), .cb_up_o(up), .alive_o(cb_alive_o),
      .cb_dn_valid_i(dn_valid), .cb_dn_ready_o(dn_ready), .cb_dn_i(dn),
      .rsp_valid_o(cb_rsp_valid), .rsp_ready_i(cb_rsp_ready), .rsp_o(cb_rsp),
      .rel_valid_o(cb_rel_valid), .rel_ready_i(cb_rel_ready), .rel_o(cb_rel),
      .tap_valid_o(cb_tap_valid), .tap_o(cb_tap),
      .free_valid_o(gate_valid), .free_cta_o(gate_cta), .open_o(cta_open),
      .idle_o(cb_idle), .next_event_o(cb_next)
  );
  // A CTA that has exited takes no more packets, though it keeps its slot until its cluster ends (D-38, HS-024).
  mask_t left_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else if (start_valid || cb_gone_valid)
      left_q <= (left_q & ~(32'(start_valid) << start.cta)) | (32'(cb_gone_valid && gone_last) << gone_cta);
  end
  assign {mb_launch_valid_o, mb_launch_o, mb_left_o, mb_open_o} = {start_valid, start, left_q, cta_open | mb_ending_o};
  gsu_cta_end u_cta_end (
      .clk_i(clk_few), .rst_ni,
      .gate_valid_i(gate_valid), .gate_cta_i(gate_cta), .arriving_i(mb_arriving_i), .end_valid_o(mb_cta_end_valid_o), .end_cta_o(mb_cta_end_cta_o),
      .quiet_i(mb_cta_quiet_i & ~sending & ~nb_ending), .ending_o(mb_ending_o), .free_valid_o(free_valid), .free_cta_o(free_cta), .idle_o(end_idle)
  );
  gsu_fence #(.Depth(1 << SlotW)) u_fence (
      .clk_i(clk_or), .rst_ni, .now_i,
      .req_valid_i(fe_req_valid), .req_ready_o(fe_req_ready), .req_i(req), .hold_i(hold),
      .fire_i(fire), .turn_i(turn), .own_fire_i(own_fire), .own_turn_i(own_turn),
      .rsp_valid_o(fe_rsp_valid), .rsp_ready_i(fe_rsp_ready), .rsp_o(fe_rsp),
      .tap_valid_o(fe_tap_valid), .tap_o(fe_tap), .idle_o(fe_idle), .next_event_o(fe_next)
  );
  gsu_grid #(.Ctas(Ctas), .WarpSlots(WarpSlots)) u_grid (
      .clk_i(clk_few), .rst_ni,
      .launch_valid_i(start_valid), .launch_i(start), .launch_ready_o(gd_start_ready), .free_i(cta_free),
      .req_valid_i(gd_req_valid), .req_ready_o(gd_req_ready), .req_i(req), .req_slot_i(req_slot),
      .rsp_valid_o(gd_rsp_valid), .rsp_ready_i(gd_rsp_ready), .rsp_o(gd_rsp), .up_valid_o(gd_up_valid_o), .up_ready_i(gd_up_ready_i), .up_o(gd_up_o),
      .dn_valid_i(gd_dn_valid_i), .dn_i(gd_dn_i), .tap_valid_o(gd_tap_valid), .tap_o(gd_tap), .idle_o(gd_idle)
  );
  gsu_null_unit u_null (
      .clk_i, .rst_ni, .now_i, .latency_i(cfg_i.null_lat),
      .req_valid_i(null_req_valid), .req_ready_o(null_req_ready), .req_i(req), .rsp_valid_o(nu_rsp_valid), .rsp_ready_i(nu_rsp_ready), .rsp_o(nu_rsp),
      .tap_valid_o(nu_tap_valid), .tap_o(nu_tap), .idle_o(nu_idle), .next_event_o(nu_next)
  );

  ////// Responses and releases: evaluated only when there is one //////
  wire rel_any = cb_rel_valid || nb_rel_valid;
  wire rsp_any = gd_rsp_valid || fe_rsp_valid || nu_rsp_valid || mb_rsp_valid_i || cb_rsp_valid || nb_rsp_valid || ws_rsp_valid != '0;
  sync_rsp_t [7:0] rsp_all; release_t [1:0] rel_all;
  always_comb begin
    {rsp_all, rel_all} = '0;
    if (rsp_any) rsp_all = {gd_rsp, fe_rsp, nu_rsp, mb_rsp_i, cb_rsp, nb_rsp, ws_rsp};
    if (rel_any) rel_all = {cb_rel, nb_rel};
  end
  gsu_rr_arb #(.Width($bits(sync_rsp_t)), .Inputs(8)) u_rsp_arb (
      .clk_i, .rst_ni,
      .valid_i({gd_rsp_valid, fe_rsp_valid, nu_rsp_valid, mb_rsp_valid_i, cb_rsp_valid, nb_rsp_valid, ws_rsp_valid}),
      .ready_o({gd_rsp_ready, fe_rsp_ready, nu_rsp_ready, mb_rsp_ready_o, cb_rsp_ready, nb_rsp_ready, ws_rsp_ready}),
      .data_i(rsp_all),
      .valid_o(rsp_valid_o), .data_o(rsp_o)
  );
  gsu_rr_arb #(.Width($bits(release_t)), .Inputs(2)) u_rel_arb (
      .clk_i, .rst_ni, .valid_i({cb_rel_valid, nb_rel_valid}), .ready_o({cb_rel_ready, nb_rel_ready}), .data_i(rel_all),
      .valid_o(rel_valid_o), .data_o(rel_o)
  );

  ////// Clocks of the units: each runs only while its unit is not idle or has an input. Units that work seldom, and the buffers, share one clock //////
  assign io_empty = launch_empty && exit_empty && dn_empty && up_empty && wr_empty;
  gsu_clock_gate u_gate_few (.clk_i, .rst_ni, .clk_o(clk_few), .en_i(
      launch_valid_i || exit_valid_i || cb_dn_valid_i || up_valid || wr_valid_i || !io_empty || free_valid || gate_valid || !ct_idle || !end_idle
      || start_valid || cb_arr_valid || cb_gone_valid || !cb_idle || gd_req_valid || gd_dn_valid_i || cta_free != '0 || !gd_idle));
  gsu_clock_gate u_gate_nb (.clk_i, .rst_ni, .en_i(start_valid || nb_next_valid || nb_arr_valid || nb_gone_valid || !nb_idle), .clk_o(clk_nb));
  gsu_clock_gate u_gate_or (.clk_i, .rst_ni, .clk_o(clk_or),
      .en_i(start_valid || wr_take || ack_valid_i || room_push || fe_taken || !or_idle || !room_idle || !fe_idle));

  ////// Taps, idle //////
  gsu_tap #(.On(Taps)) u_tap_ct (.clk_i, .rst_ni, .valid_i(ct_tap_valid), .tap_i(ct_tap), .valid_o(tap_ct_valid_o), .tap_o(tap_ct_o));
  gsu_tap #(.On(Taps)) u_tap_ws (.clk_i, .rst_ni, .valid_i(ws_tap_valid), .tap_i(ws_tap), .valid_o(tap_ws_valid_o), .tap_o(tap_ws_o));
  gsu_tap #(.On(Taps)) u_tap_nb (.clk_i, .rst_ni, .valid_i(nb_tap_valid), .tap_i(nb_tap), .valid_o(tap_nb_valid_o), .tap_o(tap_nb_o));
  gsu_tap #(.On(Taps)) u_tap_cb (.clk_i, .rst_ni, .valid_i(cb_tap_valid), .tap_i(cb_tap), .valid_o(tap_cb_valid_o), .tap_o(tap_cb_o));
  gsu_tap #(.On(Taps)) u_tap_ak (.clk_i, .rst_ni, .valid_i(ak_tap_valid), .tap_i(ak_tap), .valid_o(tap_ak_valid_o), .tap_o(tap_ak_o));
  gsu_tap #(.On(Taps)) u_tap_fe (.clk_i, .rst_ni, .valid_i(fe_tap_valid), .tap_i(fe_tap), .valid_o(tap_fe_valid_o), .tap_o(tap_fe_o));
  gsu_tap #(.On(Taps)) u_tap_nu (.clk_i, .rst_ni, .valid_i(nu_tap_valid), .tap_i(nu_tap), .valid_o(tap_nu_valid_o), .tap_o(tap_nu_o));
  gsu_tap #(.On(Taps)) u_tap_gd (.clk_i, .rst_ni, .valid_i(gd_tap_valid), .tap_i(gd_tap), .valid_o(tap_gd_valid_o), .tap_o(tap_gd_o));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {cta_free_o, exit_done_o} <= '0;
    else {cta_free_o, exit_done_o} <= {cta_free, exit_valid && exit_ready};
  end
  // Still: buffers, units and the outputs before their flops hold nothing that can move. The tests come one after the other, from flops alone, so that a
  // simulator stops at the first that fails.
  wire shows = rsp_any || rel_any || ct_tap_valid || ws_tap_valid || nb_tap_valid || cb_tap_valid || ak_tap_valid || fe_tap_valid || nu_tap_valid
               || gd_tap_valid;
  always_comb begin
    still_o = 1'b0;
    if (req_empty && io_empty && !fresh_q) begin
      if (ws_idle && nb_idle && ct_idle) begin
        if (cb_idle && or_idle && room_idle && nu_idle && fe_idle && gd_idle && end_idle) still_o = !shows;
      end
    end
  end
  always_comb begin
    next_event_o = '1;
    if (still_o) next_event_o = earlier(earlier(earlier(nb_next, cb_next), earlier(ws_next, nu_next)), earlier(fe_next, room_next));
  end

  `REQUIRE(RequestOfLaunchedCta, !(req_valid && (to_join || to_mbar || to_fence || to_grid) && !cta_live[req.cta[CtaW-1:0]]) || launch_valid)
  `REQUIRE(ExitOfLaunchedCta, !(exit_valid && !cta_live[lanes_exit.cta[CtaW-1:0]]) || launch_valid)
  `ASSERT(JoinKeepsItsRequest, !fresh_q || join_fresh)
  `ASSERT(EveryRequestHasOneUnit, !req_valid || held
          || $onehot({join_fresh || (to_join && join_waits), mb_req_valid_o, fe_req_valid, gd_req_valid, null_req_valid}))
  `ASSERT_NEXT(RequestPortHolds, req_valid_i && !req_ready_o, !req_empty)
  `COVER(RequestBeforeItsLaunch, req_valid && (to_join || to_mbar) && held)
  `COVER(ReleaseWaits, room_push)
  `COVER(RoomAndPort, room_turn && join_fresh)
  `COVER(RequestAndExitTogether, join_req_valid && chg_valid)
  `REQUIRE(AccessesOfLaunchedCta, !wr_valid || wr_take || launch_valid)
  `REQUIRE(AnnouncedWithRoom, !wr_valid_i || wr_i.performed || wr_room_o)
  `COVER(FenceWaits, fe_taken && hold.wide)
  `COVER(EveryAnswerWaits, gd_rsp_valid && nu_rsp_valid && mb_rsp_valid_i && cb_rsp_valid && nb_rsp_valid && &ws_rsp_valid)
endmodule
