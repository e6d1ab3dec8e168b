// prove: name=table engine=kind depth=2 free=1 skip=^(?!(Ct|Ws|Nb|Cb|Or|Ro|Fe|Gd|Mb)) define=FV_CT files=gsu_cta_table
// prove: name=tableSkip engine=skip free=1 define=FV_CT files=gsu_cta_table
// prove: name=named engine=kind depth=2 free=1 skip=^(?!(Ct|Ws|Nb|Cb|Or|Ro|Fe|Gd|Mb)) define=FV_NB files=gsu_join_pkg,gsu_named_barrier_pkg,gsu_ram,gsu_delay,gsu_named_barrier
// prove: name=namedSkip engine=skip free=1 define=FV_NB files=gsu_join_pkg,gsu_named_barrier_pkg,gsu_ram,gsu_delay,gsu_named_barrier
// prove: name=cluster engine=kind depth=2 free=1 skip=^(?!(Ct|Ws|Nb|Cb|Or|Ro|Fe|Gd|Mb)) define=FV_CB files=gsu_join_pkg,gsu_ram,gsu_delay,gsu_cluster_report,gsu_cluster_barrier
// prove: name=clusterSkip engine=skip free=1 define=FV_CB files=gsu_join_pkg,gsu_ram,gsu_delay,gsu_cluster_report,gsu_cluster_barrier
// prove: name=order engine=kind depth=2 free=1 skip=^(?!(Ct|Ws|Nb|Cb|Or|Ro|Fe|Gd|Mb)) define=FV_OR files=gsu_mbar_inflight,gsu_order_pkg,gsu_order_count,gsu_order_epochs,gsu_order
// prove: name=orderSkip engine=skip free=1 define=FV_OR files=gsu_mbar_inflight,gsu_order_pkg,gsu_order_count,gsu_order_epochs,gsu_order
// prove: name=room engine=kind depth=2 free=1 skip=^(?!(Ct|Ws|Nb|Cb|Or|Ro|Fe|Gd|Mb)) define=FV_RO files=gsu_order_pkg,gsu_ram,gsu_order_wait_queue
// prove: name=roomSkip engine=skip flat=1 free=1 define=FV_RO files=gsu_order_pkg,gsu_ram,gsu_order_wait_queue
// prove: name=fence engine=kind depth=2 free=1 skip=^(?!(Ct|Ws|Nb|Cb|Or|Ro|Fe|Gd|Mb)) define=FV_FE files=gsu_order_pkg,gsu_ram,gsu_order_wait_queue,gsu_fence
// prove: name=fenceSkip engine=skip flat=1 free=1 define=FV_FE files=gsu_order_pkg,gsu_ram,gsu_order_wait_queue,gsu_fence
// prove: name=grid engine=kind depth=2 free=1 skip=^(?!(Ct|Ws|Nb|Cb|Or|Ro|Fe|Gd|Mb)) define=FV_GD files=gsu_ram,gsu_grid
// prove: name=gridSkip engine=skip free=1 define=FV_GD files=gsu_ram,gsu_grid
// prove: name=join engine=kind depth=2 free=1 skip=^(?!(Ct|Ws|Nb|Cb|Or|Ro|Fe|Gd|Mb)) define=FV_WS files=gsu_join_pkg,gsu_warp_pkg,gsu_ram,gsu_delay,gsu_clock_gate,gsu_warp_sync_answer,gsu_join_arrivals,gsu_join_late,gsu_lane_join,gsu_warp_operands,gsu_warp_engine,gsu_warp_unit,gsu_join
// prove: name=mbar engine=kind depth=2 free=1 skip=^(?!(Ct|Ws|Nb|Cb|Or|Ro|Fe|Gd|Mb)) define=FV_MB files=gsu_ram,gsu_delay,gsu_skid,gsu_order_pkg,gsu_mbar_pkg,gsu_order_wait_queue,gsu_mbar_operands,gsu_mbar_ctas,gsu_mbar_walk,gsu_mbar_async,gsu_mbar_recv,gsu_mbar_send,gsu_atom_reply,gsu_mbar_clc,gsu_mbar_agent,gsu_mbar_remote,gsu_mbar_inflight,gsu_mbar_cache,gsu_mbar_wait_slots,gsu_mbar_exec,gsu_mbar_rsp,gsu_mbar_unit
// Harness of the promises of idle units of an SM (gsu_quiet.svh), for any input. The harness of gsu_sm assumes these promises. The tasks *Skip show that no
// flop and no word of a memory changes while a unit is idle; the other units have gsu_cta_table.skip, gsu_join.skip and gsu_mbar_unit.skip.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
`include "gsu_quiet.svh"
module gsu_idle_fv
  import gsu_pkg::*;
(
    input logic   clk_i,
    input logic   rst_ni,
    input cycle_t now_i,
    input cfg_t   cfg_i,
    output logic  data_o  // depends on the unit's memories, because a memory without a reader would be removed
);
  `FV_RESET
  cycle_t none;
  assign none = '1;
  logic given;
  (* keep *) logic fv_skip;
`ifdef FV_CT
  gsu_cta_table dut (.clk_i, .rst_ni);
  assign given = dut.launch_valid_i || dut.exit_valid_i || dut.free_valid_i;
  `FV_QUIET(assert, Ct, dut.idle_o, none, now_i, given,
            {dut.start_valid_o, dut.join_valid_o, dut.nb_gone_valid_o, dut.cb_gone_valid_o, dut.cta_free_o, dut.tap_valid_o}, 1'b0,
            {dut.cta_live_o, dut.nb_gone_valid_o, dut.cb_gone_valid_o})
  assign fv_skip = rst_ni && dut.idle_o && !given;
  assign data_o = ^dut.tap_o;
`endif
`ifdef FV_WS
  gsu_join #(.WarpSlots(2), .PerClock(2), .LaneW(2), .RspDepth(2), .Votes(2), .Queue(2)) dut (.clk_i, .rst_ni, .now_i, .cfg_i);
  assign given = dut.opnd_valid_i || dut.req_valid_i || dut.exit_valid_i;
  `FV_QUIET(assert, Ws, dut.idle_o, dut.next_event_o, now_i, given,
            {dut.nb_next_o, dut.nb_valid_o, dut.cb_valid_o, dut.rsp_valid_o, dut.tap_valid_o}, cfg_i, 1'b0)
  assign fv_skip = rst_ni && dut.idle_o && !given && now_i < dut.next_event_o;
  assign data_o = ^dut.rsp_o;
`endif
`ifdef FV_NB
  gsu_named_barrier dut (.clk_i, .rst_ni, .now_i, .cfg_i);
  assign given = dut.launch_valid_i || dut.next_valid_i || dut.arr_valid_i || dut.wexit_valid_i;
  `FV_QUIET(assert, Nb, dut.idle_o, dut.next_event_o, now_i, given, {dut.rsp_valid_o, dut.rel_valid_o, dut.tap_valid_o}, cfg_i,
            dut.wexit_valid_i ? '0 : dut.ending_o)
  assign fv_skip = rst_ni && dut.idle_o && !given && now_i < dut.next_event_o;
  assign data_o = ^{dut.rsp_o, dut.rel_o};
`endif
`ifdef FV_CB
  gsu_cluster_barrier dut (.clk_i, .rst_ni, .now_i, .cfg_i);
  assign given = dut.launch_valid_i || dut.arr_valid_i || dut.wexit_valid_i || dut.cb_dn_valid_i;
  `FV_QUIET(assert, Cb, dut.idle_o, dut.next_event_o, now_i, given,
            {dut.cb_up_valid_o, dut.rsp_valid_o, dut.rel_valid_o, dut.tap_valid_o, dut.free_valid_o}, {cfg_i, dut.sending_i}, {dut.open_o, dut.alive_o})
  logic [31:0] sending_q;  // if it changes, the unit may react: gsu_sm.still shows that it does not change
  always_ff @(posedge clk_i) sending_q <= dut.sending_i;
  assign fv_skip = rst_ni && dut.idle_o && !given && now_i < dut.next_event_o && dut.sending_i == sending_q;
  assign data_o = ^{dut.rsp_o, dut.rel_o};
`endif
`ifdef FV_OR
  gsu_order dut (.clk_i, .rst_ni);
  assign given = dut.launch_valid_i || dut.sent_i || dut.ack_valid_i || dut.fail_valid_i || dut.wr_valid_i || dut.wait_wide_i || dut.wait_own_i;
  `FV_QUIET(assert, Or, dut.idle_o, none, now_i, given, {dut.fire_o, dut.turn_o, dut.own_fire_o, dut.own_turn_o, dut.tap_valid_o}, 1'b0,
            {dut.fire_o, dut.turn_o, dut.own_fire_o, dut.own_turn_o, dut.owing_o, dut.sending_o, dut.epoch_o, dut.own_owing_o, dut.own_epoch_o, dut.wr_room_o})
  `ASSERT(OrFires, !dut.idle_o || ((dut.fire_o | dut.turn_o) == '0 && (dut.own_fire_o | dut.own_turn_o) == '0))
  assign fv_skip = rst_ni && dut.idle_o && !given;
  assign data_o = ^dut.tap_o;
`endif
`ifdef FV_RO
  gsu_order_wait_queue #(.Width(4)) dut (.clk_i, .rst_ni, .now_i);
  assign given = dut.push_i || (dut.fire_i | dut.turn_i) != '0 || (dut.own_fire_i | dut.own_turn_i) != '0;
  `FV_QUIET(assert, Ro, dut.idle_o, dut.next_o, now_i, given, dut.valid_o, dut.open_i, dut.space_o)
  assign fv_skip = rst_ni && dut.idle_o && !given && now_i < dut.next_o;
  assign data_o = ^dut.data_o;
`endif
`ifdef FV_FE
  gsu_fence dut (.clk_i, .rst_ni, .now_i);
  assign given = dut.req_valid_i || (dut.fire_i | dut.turn_i) != '0 || (dut.own_fire_i | dut.own_turn_i) != '0;
  `FV_QUIET(assert, Fe, dut.idle_o, dut.next_event_o, now_i, given, {dut.rsp_valid_o, dut.tap_valid_o}, 1'b0, dut.req_ready_o)
  assign fv_skip = rst_ni && dut.idle_o && !given && now_i < dut.next_event_o;
  assign data_o = ^{dut.rsp_o, dut.tap_o};
`endif
`ifdef FV_GD
  gsu_grid dut (.clk_i, .rst_ni);
  assign given = dut.launch_valid_i || dut.req_valid_i || dut.dn_valid_i || dut.free_i != '0;
  `FV_QUIET(assert, Gd, dut.idle_o, none, now_i, given, {dut.rsp_valid_o, dut.up_valid_o, dut.tap_valid_o}, 1'b0, dut.launch_ready_o)
  assign fv_skip = rst_ni && dut.idle_o && !given;
  assign data_o = ^dut.rsp_o;
`endif
`ifdef FV_MB
  gsu_mbar_unit #(.Waits(2), .Lines(2), .MbarAnswers(2), .WaitAnswers(2), .Sends(2), .Receives(2), .Operands(4), .Replies(2), .Cancels(2)) dut (
      .clk_i, .rst_ni, .now_i, .cfg_i
  );
  assign given = dut.launch_valid_i || dut.cta_end_valid_i || dut.req_valid_i || dut.opnd_valid_i || dut.async_valid_i || dut.mem_rsp_valid_i
                 || dut.snoop_valid_i || dut.rx_valid_i || dut.back_valid_i || dut.clc_rsp_valid_i
                 || (dut.fire_i | dut.turn_i) != '0 || (dut.own_fire_i | dut.own_turn_i) != '0;
  `FV_QUIET(assert, Mb, dut.idle_o, dut.next_event_o, now_i, given,
            {dut.wait_o, dut.sent_o, dut.mem_req_valid_o, dut.clc_req_valid_o, dut.tx_valid_o, dut.ack_valid_o, dut.fail_valid_o, dut.rsp_valid_o,
             dut.dlv_valid_o, dut.tap_valid_o},
            {cfg_i, dut.left_i, dut.open_i, dut.ending_i, dut.epoch_i}, {dut.cta_quiet_o, dut.arriving_o})
  `ASSERT(MbTellsLater, !$past(rst_ni) || !$past(dut.idle_o && !given && now_i < dut.next_event_o) || !(dut.clc_req_valid_o || dut.dlv_valid_o))
  assign fv_skip = rst_ni && dut.idle_o && !given && now_i < dut.next_event_o;
  assign data_o = ^dut.rsp_o;
`endif
endmodule
