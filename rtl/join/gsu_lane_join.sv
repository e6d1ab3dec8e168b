// gsu_lane_join: collects the lanes of a warp that arrive in parts. When all lanes of a group have come, it sends one arrival to a barrier unit, or the group
// of a vote, match, redux or elect to the warp unit. It completes bar.warp.sync itself.
// Rules: BAR-010, D-12 (bar forms), D-13 (aligned form by a part of the warp), D-51, CLU-008 (cluster forms), D-18..D-21, BWS-003..005,
// BWS-010, VSYNC-003, VSYNC-009, MATCH-007, MATCH-008, REDUX-004, REDUX-011, ELECT-006, ELECT-007, VOTE-002, D-16 (an operand out of range never waits), D-10.
// Groups that wait for lanes are in a memory with the index {warp slot, lowest lane of their first request}. A lane is in at most one group, so that place is
// free. A request of all live lanes needs no group. For other requests the groups of the warp are searched, one a clock.
// A complete group of match or redux whose queue is full stays in the memory, and its warp is scanned again when there is space (gsu_join_late).
// A joined arrival takes `op` from its latest waiting request (without one: its latest request), `tag` from its latest and `arg1` from its first request.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_lane_join
  import gsu_pkg::*;
  import gsu_op_pkg::*;
  import gsu_join_pkg::*;
#(
    parameter int unsigned WarpSlots = MaxWarpSlots, /// warp slots of the SM; fewer in proofs
    parameter int unsigned Bars      = BarsPerCta,   /// named barriers of a CTA; a larger id is refused at once
    parameter int unsigned LaneW     = 5,            /// bits of a lane index; fewer in proofs
    parameter int unsigned RspDepth  = 8,            /// completed warp syncs whose response is not yet due
    localparam int unsigned SlotW = $clog2(WarpSlots), localparam int unsigned BarW = $clog2(Bars)
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  cycle_t    now_i,
    input  logic [15:0] sync_lat_i,    // clocks from the last lane of a warp sync to its response, at least 1
    input  logic      req_valid_i,     // bar, warp sync, cluster and warp operations only, of a launched CTA
    output logic      req_ready_o,
    input  sync_req_t req_i,
    input  logic      exit_valid_i,    // lanes of this warp exit; look_live_i omits them from the clock after the handshake
    output logic      exit_ready_o,
    input  logic [4:0] exit_cta_i,
    input  logic [4:0] exit_warp_i,
    output logic [4:0] look_cta_o,     // lookup in the CTA table, same clock
    output logic [4:0] look_warp_o,
    input  logic [SlotW-1:0] look_slot_i,
    input  mask_t     look_live_i,
    input  mask_t     look_exist_i,
    input  logic [5:0] look_nwarps_i,
    output logic nb_next_o, output logic [4:0] nb_next_cta_o, output logic [BarW-1:0] nb_next_bar_o,  // pulse: nb_o has an arrival in the next clock
    output logic      nb_valid_o,
    input  logic      nb_ready_i,
    output warp_arr_t nb_o,
    output logic      cb_valid_o,
    input  logic      cb_ready_i,
    output warp_arr_t cb_o,
    input  logic [2:0] wo_space_i,     // from flops: space for a group of match [2], of redux [1], of the other warp operations [0]
    output logic      wo_push_o,
    output warp_grp_t wo_o,
    output logic      rsp_valid_o,     // answers of warp sync, and of lanes outside their own mask; other units answer the rest
    input  logic      rsp_ready_i,
    output sync_rsp_t rsp_o,
    output logic      tap_valid_o,     // pulse with the commit
    /*verilator tracing_off*/ output tap_t      tap_o, /*verilator tracing_on*/
    output logic      idle_o,
    output cycle_t    next_event_o
);
  typedef enum logic [1:0] {
    StIdle,
    StFind,  // searches for the group of the request at the input
    StScan   // scans all groups of a warp: for groups that an exit completes, or groups that found their queue full
  } state_e;

  // Groups: a word of each of five memories (below), valid where the slot has a pending bit at that lane.
  mask_t       heads_q[WarpSlots];      // opening lanes of the pending groups, where any
  logic [WarpSlots-1:0] any_q;

  state_e     state_q, state_d;
  mask_t      todo_q, todo_d;           // groups still to be scanned
  logic       refused_q, refused_d;     // the lanes outside their own mask have been refused; the other lanes of the request continue
  logic       owed_q, owed_d;           // a request was taken before a waiting exit: the exit is next
  logic [4:0] exit_cta_q, exit_warp_q;  // the warp that is scanned
  logic       again_q, below_q;         // this scan is for groups that found their queue full | groups below its first lane are still to be scanned
  logic       late_turn_q;              // a request was taken before a warp of u_late: that warp is next

  ////// The warp to look up: that of a scan, of an exit, of a scan for a full queue, or of the request //////
  logic take_exit, take_late, late_valid, late_here, late_idle, late_put;
  logic [4:0] late_cta, late_warp;
  mask_t late_from;
  assign exit_ready_o = state_q == StIdle && !(req_valid_i && !owed_q);
  assign take_exit    = exit_valid_i && exit_ready_o;
  assign take_late    = late_valid && state_q == StIdle && &wo_space_i[2:1] && !take_exit && (!req_valid_i || late_turn_q);
  assign look_cta_o   = state_q == StScan ? exit_cta_q : take_exit ? exit_cta_i : take_late ? late_cta : req_i.cta;
  assign look_warp_o  = state_q == StScan ? exit_warp_q : take_exit ? exit_warp_i : take_late ? late_warp : req_i.warp;

  mask_t heads;
  logic [4:0] head_q, head_d, store_head;  // opening lane of the group that was read | of the one that is read now, the lowest | of the one that is written
  mask_t rest;                             // groups to be scanned after that of this clock
  logic look_on, store;                    // the lowest group of `rest` is read in this clock | a group is written
  assign heads = any_q[look_slot_i] ? heads_q[look_slot_i] : '0;
  assign rest   = state_q != StIdle ? todo_q & (todo_q - 32'd1) : take_late && |(heads & late_from) ? heads & late_from : heads;

  /* verilator tracing_off */  // waves show the groups as arrivals and in the memories
  ////// The request as a group of its own //////
  form_e req_form;
  mask_t new_lanes, new_waits, outside, true_lanes;
  logic [31:0] new_arg0, new_arg1;
  fold_t new_fold;
  logic  waits, illegal, diverged, masked;
  always_comb begin
    req_form = FormBar;
    {masked, outside, new_lanes, waits, true_lanes, new_waits, new_arg0, new_arg1, new_fold, illegal, diverged} = '0;
    if (req_valid_i || Eager) begin
      req_form   = form_of(req_i.op);
      masked     = req_form == FormWarpSync || req_form == FormWarpOp;
      new_arg0   = is_legacy(req_i.op) ? req_i.lanes : req_form == FormBar || masked ? req_i.arg0 : '0;
      new_arg1   = req_form == FormBar ? req_i.arg1 : req_form == FormWarpOp && req_i.op != OpElect ? {24'd0, req_i.kind} : '0;
      outside    = masked ? req_i.lanes & ~new_arg0 : '0;
      new_lanes  = req_i.lanes & ~outside;
      true_lanes = req_i.pred & new_lanes;
      waits      = op_waits(req_i.op) || req_i.op == OpWarpSync;
      new_waits  = req_form == FormWarpOp ? true_lanes : waits ? new_lanes : '0;
      new_fold   = '{op: req_i.op, tag: req_i.tag, has_arrive: req_i.op == OpBarArrive, has_sync: req_i.op == OpBarSync, all: 1'b1, default: '0};
      if (op_reduces(req_i.op)) begin
        new_fold.popc   = count_of(true_lanes);
        new_fold.all    = true_lanes == new_lanes;
        new_fold.any    = true_lanes != '0;
        new_fold.redops = {req_i.op == OpBarRedOr, req_i.op == OpBarRedAnd, req_i.op == OpBarRedPopc};
      end
      illegal  = req_form == FormBar && (req_i.arg0 >= Bars || req_i.arg1[4:0] != '0 || (req_i.op == OpBarArrive && req_i.arg1 == '0));
      diverged = req_i.aligned && !masked && new_lanes != look_live_i;
    end
  end

  ////// The stored group of this clock of the search, and its union with the request //////
  mask_t old_lanes, old_waits, old_arg0, old_arg1, whole;
  fold_t old_fold, sum_fold; logic match;
  mask_t grp_lanes, grp_waits, grp_arg0, grp_arg1; fold_t grp_fold;
  logic [SlotW+LaneW-1:0] read_at, write_at;
  assign whole = {21'd0, look_nwarps_i, 5'd0};  // D-08: what a count of 0 means
  assign read_at  = {look_slot_i, head_d[LaneW-1:0]};
  assign write_at = {look_slot_i, store_head[LaneW-1:0]};
  gsu_ram #(.Words(WarpSlots << LaneW), .Width(32)) u_lanes (.clk_i, .spread_i(1'b0), .we_i(store), .waddr_i(write_at), .wdata_i(grp_lanes),
                                                            .re_i(look_on), .raddr_i(read_at), .rdata_o(old_lanes));
  gsu_ram #(.Words(WarpSlots << LaneW), .Width(32)) u_waits (.clk_i, .spread_i(1'b0), .we_i(store), .waddr_i(write_at), .wdata_i(grp_waits),
                                                            .re_i(look_on), .raddr_i(read_at), .rdata_o(old_waits));
  gsu_ram #(.Words(WarpSlots << LaneW), .Width(32)) u_arg0 (.clk_i, .spread_i(1'b0), .we_i(store), .waddr_i(write_at), .wdata_i(grp_arg0),
                                                            .re_i(look_on), .raddr_i(read_at), .rdata_o(old_arg0));
  gsu_ram #(.Words(WarpSlots << LaneW), .Width(32)) u_arg1 (.clk_i, .spread_i(1'b0), .we_i(store), .waddr_i(write_at), .wdata_i(grp_arg1),
                                                            .re_i(look_on), .raddr_i(read_at), .rdata_o(old_arg1));
  gsu_ram #(.Words(WarpSlots << LaneW), .Width($bits(fold_t))) u_fold (.clk_i, .spread_i(1'b0), .we_i(store), .waddr_i(write_at), .wdata_i(grp_fold),
                                                            .re_i(look_on), .raddr_i(read_at), .rdata_o(old_fold));
  always_comb begin
    {sum_fold, match} = '0;
    if (state_q == StFind) begin
      match = form_of(old_fold.op) == req_form && old_arg0 == new_arg0
              && (req_form != FormBar || (old_arg1 == '0 ? whole : old_arg1) == (new_arg1 == '0 ? whole : new_arg1))
              && (req_form == FormBar || old_fold.op == req_i.op) && (req_form != FormWarpOp || old_arg1 == new_arg1);
      sum_fold            = new_fold;
      sum_fold.op         = waits ? req_i.op : old_fold.op;
      sum_fold.popc       = old_fold.popc + new_fold.popc;
      sum_fold.all        = old_fold.all && new_fold.all;
      sum_fold.any        = old_fold.any || new_fold.any;
      {sum_fold.has_arrive, sum_fold.has_sync, sum_fold.redops} = {old_fold.has_arrive, old_fold.has_sync, old_fold.redops}
                                                                  | {new_fold.has_arrive, new_fold.has_sync, new_fold.redops};
    end
  end

  form_e form;  // the group of this clock: fresh, merged, or stored
  always_comb begin
    form      = req_form;
    grp_lanes = new_lanes;
    grp_waits = new_waits;
    grp_arg0  = new_arg0;
    grp_arg1  = new_arg1;
    grp_fold  = new_fold;
    if (state_q == StScan) begin
      form      = form_of(old_fold.op);
      grp_lanes = old_lanes;
      grp_waits = old_waits;
      grp_arg0  = old_arg0;
      grp_arg1  = old_arg1;
      grp_fold  = old_fold;
    end else if (state_q == StFind && todo_q != '0) begin
      grp_lanes = old_lanes | new_lanes;
      grp_waits = old_waits | new_waits;
      grp_arg1  = old_arg1;
      grp_fold  = sum_fold;
    end
  end

  /* verilator tracing_on */
  logic complete, room, ws_ready, nb_space, cb_space, stays;
  assign complete = form == FormWarpSync || form == FormWarpOp ? (grp_arg0 & look_live_i & ~grp_lanes) == '0 : grp_lanes == look_live_i;
  always_comb begin
    room = 1'b0;
    case (form)
      FormBar:      room = nb_space;
      FormWarpSync: room = ws_ready;
      FormCluster:  room = cb_space;
      FormWarpOp:   room = grp_fold.op == OpRedux ? wo_space_i[1] : has_values(grp_fold.op) ? wo_space_i[2] : wo_space_i[0];
      default:      ;
    endcase
  end
  // The scan of an exit skips groups that stayed earlier for lack of space: they were complete without the exit.
  assign stays = complete && form == FormWarpOp && has_values(grp_fold.op) && (!room || (state_q == StScan && !again_q && late_here));

  ////// Control //////
  logic done, emit, drop, refuse, refuse_ready;
  always_comb begin
    state_d   = state_q;
    todo_d    = todo_q;
    refused_d = refused_q;
    done      = 1'b0;  // the request at the input is finished
    emit      = 1'b0;  // the group of this clock is sent
    store     = 1'b0;  // the group is written back
    drop      = 1'b0;  // the stored part of the group is removed
    refuse    = 1'b0;
    late_put  = 1'b0;
    look_on   = 1'b0;
    unique case (state_q)
      StIdle: begin
        if (take_exit || take_late) begin
          look_on = heads != '0;
          if (look_on) state_d = StScan;
        end else if (outside != '0 && !refused_q) begin
          refuse = 1'b1;
          done   = refuse_ready && new_lanes == '0;
        end else if (stays) begin
          store    = req_valid_i;
          done     = 1'b1;
          late_put = req_valid_i;
        end else if (illegal || diverged || complete) begin
          emit = room;
          done = room;
        end else begin
          look_on = req_valid_i;
          if (look_on) state_d = StFind;
        end
      end
      StFind: begin
        if (todo_q == '0 || (match && (!complete || stays))) begin
          store    = 1'b1;
          done     = 1'b1;
          late_put = stays;
        end else if (match) begin
          emit = room;
          drop = room;
          done = room;
        end else begin
          look_on = 1'b1;
        end
        if (done) state_d = StIdle;
      end
      StScan: begin
        if (todo_q == '0) begin
          state_d  = StIdle;
          late_put = below_q;  // the next scan begins with these groups
        end else if (!complete || room || stays) begin
          emit     = complete && !stays;
          drop     = emit;
          late_put = stays;
          look_on  = 1'b1;
        end
      end
    endcase
    if (look_on) todo_d = rest;
    if (refuse && refuse_ready && !done) refused_d = req_valid_i;
    if (done) refused_d = 1'b0;
  end
  assign req_ready_o = done;

  wire emit_act = emit && (req_valid_i || state_q != StIdle);  // a request is really there
  always_comb begin
    owed_d = owed_q;
    if (take_exit) owed_d = 1'b0;
    else if (req_valid_i && done) owed_d = exit_valid_i;
  end

  mask_t heads_new;
  always_comb begin
    head_d     = '0;
    store_head = head_q;
    if (look_on) head_d = lowest(rest);
    if (state_q == StIdle ? store || late_put || Eager : state_q == StFind && todo_q == '0) store_head = lowest(new_lanes);
  end
  assign heads_new  = drop ? heads & ~(32'd1 << head_q) : heads | (32'd1 << store_head);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= StIdle;
      todo_q      <= '0;
      head_q      <= '0;
      refused_q   <= 1'b0;
      owed_q      <= 1'b0;
      exit_cta_q  <= '0;
      exit_warp_q <= '0;
      any_q       <= '0;
      {again_q, below_q, late_turn_q} <= '0;
    end else begin
      state_q   <= state_d;
      refused_q <= refused_d;
      owed_q    <= owed_d;
      todo_q    <= todo_d;
      if (look_on) head_q <= head_d;
      if (take_exit || take_late) begin
        exit_cta_q  <= look_cta_o;
        exit_warp_q <= look_warp_o;
        again_q     <= take_late;
        below_q     <= take_late && todo_d != heads;
      end
      if (take_late) late_turn_q <= 1'b0;
      else if (req_valid_i && done && late_valid) late_turn_q <= 1'b1;
      if (store || drop) any_q[look_slot_i] <= heads_new != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (store || drop) heads_q[look_slot_i] <= heads_new;
  end

  ////// Arrivals //////
  logic out_nb, out_cb, out_ws, out_wo;
  src_e src;
  assign out_nb = emit_act && form == FormBar;
  assign {nb_next_o, nb_next_cta_o, nb_next_bar_o} = {out_nb, look_cta_o, grp_arg0[BarW-1:0]};
  assign out_ws = emit_act && form == FormWarpSync;
  assign out_wo = emit_act && form == FormWarpOp;
  assign out_cb = emit_act && form == FormCluster;
  assign src    = state_q == StScan && !again_q ? SrcExit : SrcLocal;
  gsu_join_arrivals u_arrivals (
      .clk_i, .rst_ni, .nb_push_i(out_nb), .cb_push_i(out_cb), .nb_space_o(nb_space), .cb_space_o(cb_space),
      .fold_i(grp_fold), .cta_i(look_cta_o), .warp_i(look_warp_o), .lanes_i(grp_lanes), .waits_i(grp_waits), .arg0_i(grp_arg0), .arg1_i(grp_arg1),
      .diverged_i(state_q == StIdle && diverged), .src_i(src),
      .nb_valid_o, .nb_ready_i, .nb_o, .cb_valid_o, .cb_ready_i, .cb_o
  );

  ////// Warp operations: the warp unit stores them, so there is no flop here //////
  assign wo_push_o = out_wo;
  always_comb begin
    wo_o = '0;
    if (out_wo) begin
      wo_o.op    = grp_fold.op;
      wo_o.kind  = grp_arg1[7:0];
      wo_o.cta   = look_cta_o;
      wo_o.warp  = look_warp_o;
      wo_o.slot  = 6'(look_slot_i);
      wo_o.tag   = grp_fold.tag;
      wo_o.lanes = grp_lanes;
      wo_o.pred  = grp_waits;
    end
  end

  ////// Warp sync; commits of warp operations //////
  logic ws_idle;
  gsu_warp_sync_answer #(.Depth(RspDepth)) u_answer (
      .clk_i, .rst_ni, .now_i, .latency_i(sync_lat_i),
      .done_valid_i(out_ws), .done_ready_o(ws_ready), .note_valid_i(out_wo), .op_i(refuse ? req_i.op : grp_fold.op),
      .refuse_valid_i(refuse && req_valid_i), .refuse_ready_o(refuse_ready),
      .cta_i(look_cta_o), .warp_i(look_warp_o), .tag_i(grp_fold.tag), .lanes_i(refuse ? outside : grp_lanes), .mask_i(grp_arg0),
      .gone_i(look_exist_i & ~look_live_i), .last_i(!refuse || new_lanes == '0), .src_i(src),
      .rsp_valid_o, .rsp_ready_i, .rsp_o, .tap_valid_o, .tap_o,
      .idle_o(ws_idle), .next_event_o
  );
  gsu_join_late #(.WarpSlots(WarpSlots)) u_late (
      .clk_i, .rst_ni, .slot_i(look_slot_i), .cta_i(look_cta_o), .warp_i(look_warp_o), .here_o(late_here),
      .put_i(late_put), .lane_i(state_q == StScan && todo_q == '0 ? 5'd0 : store_head), .valid_o(late_valid), .pop_i(take_late),
      .cta_o(late_cta), .warp_o(late_warp), .from_o(late_from), .idle_o(late_idle)
  );
  assign idle_o = state_q == StIdle && !refused_q && !nb_valid_o && !cb_valid_o && ws_idle && late_idle && !(late_valid && &wo_space_i[2:1]);

  ////// Checks //////
  `REQUIRE(RequestForms, !req_valid_i || op_joins(req_i.op))
  `REQUIRE(RequestLanesAreLive, !(req_valid_i && state_q == StIdle && !take_exit && !take_late) || (req_i.lanes != '0 && (req_i.lanes & ~look_live_i) == '0))
  `REQUIRE(LanesWaitOnce, !(state_q == StFind && todo_q != '0) || (req_i.lanes & old_lanes) == '0)
  `ASSERT(WholeWarpOnly, !(out_nb || out_cb) || grp_lanes == look_live_i || illegal || diverged)
  `ASSERT(MembersOnly, !(out_ws || out_wo) || ((grp_lanes & ~grp_arg0) == '0 && (grp_arg0 & look_live_i & ~grp_lanes) == '0))
  `ASSERT(OneWayOut, $onehot0({out_nb, out_cb, out_ws, out_wo, refuse}))
`ifdef FV_FLAT
  logic reads;
  assign reads = state_q != StIdle && todo_q != '0;
  `ASSERT(HeadIsTheLowest, !reads || head_q == lowest(todo_q))
  `ASSERT(GroupIsRead, !reads || {old_lanes, old_waits, old_arg0, old_arg1, old_fold} ==
          {u_lanes.mem_q[{look_slot_i, head_q[LaneW-1:0]}], u_waits.mem_q[{look_slot_i, head_q[LaneW-1:0]}], u_arg0.mem_q[{look_slot_i, head_q[LaneW-1:0]}],
           u_arg1.mem_q[{look_slot_i, head_q[LaneW-1:0]}], u_fold.mem_q[{look_slot_i, head_q[LaneW-1:0]}]})
`endif
  `ASSERT(StoredOrSent, !(store && emit))
  `ASSERT(RefusalIsOfTheRequest, !refused_q || (req_valid_i && outside != '0 && new_lanes != '0))
  `ASSERT(SearchIsForTheRequest, state_q != StFind || (req_valid_i && (outside == '0 || refused_q)))
  `ASSERT(SearchNeedsCompany, state_q != StFind || !(illegal || diverged ||
          (masked ? (new_arg0 & look_live_i & ~new_lanes) == '0 : new_lanes == look_live_i)))
  `ASSERT(StateIsNamed, state_q == StIdle || state_q == StFind || state_q == StScan)
  `ASSERT(SearchOnlyPending, state_q == StIdle || (todo_q & ~heads) == '0)
  `ASSERT_NEXT(SearchEnds, state_q != StIdle && todo_q != '0 && state_d == state_q && emit == 1'b0 && room, $countones(todo_q) < $countones($past(todo_q)))
  `ASSERT_NEXT(GroupsChangeOnlyByWork, !store && !drop, $stable(any_q))
  `ASSERT_NEXT(ExitIsNotPassedTwice, owed_q && exit_valid_i && state_q == StIdle, !owed_q)
  `ASSERT_NEXT(IdleHolds, idle_o && !req_valid_i && !exit_valid_i,
               $stable(state_q) && $stable(todo_q) && $stable(any_q) && $stable(owed_q) && $stable(nb_o) && $stable(cb_o))
  `COVER(Joined, out_nb && state_q == StFind)
  `COVER(JoinedByExit, out_nb && state_q == StScan)
  `COVER(SyncByExit, out_ws && state_q == StScan)
  `COVER(MixedForms, out_nb && grp_fold.has_arrive && grp_waits != '0)
  `COVER(Stays, late_put && state_q != StScan)
  `COVER(SentAgain, out_wo && again_q && state_q == StScan)
  `COVER(StaysByExit, late_put && state_q == StScan && !again_q)
  `COVER(WarpOpByExit, out_wo && state_q == StScan)
  `COVER(OtherMode, state_q == StFind && todo_q != '0 && form == FormWarpOp && old_fold.op == req_i.op && old_arg0 == new_arg0 && !match)
  `COVER(ThirdGroup, store && $countones(heads) == 2)
  `COVER(PartlyOutside, refuse && req_valid_i && new_lanes != '0)
endmodule
