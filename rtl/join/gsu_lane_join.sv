// gsu_lane_join: lanes of a warp arrive in parts; forwards one whole-warp arrival to the barrier units and groups of vote, match, redux, elect to
// theirs, completes bar.warp.sync itself.
// Rules: BAR-010, D-12 (bar forms), D-13 (aligned form by a part of the warp), D-51, CLU-008 (cluster forms), D-18..D-21, BWS-003..005,
// BWS-010 (warp sync), VSYNC-003, VSYNC-009, MATCH-007, MATCH-008, REDUX-004, REDUX-011, ELECT-006, ELECT-007, VOTE-002 (warp operations), D-16 (an operand out of range never waits), D-10 (a request goes before an exit that came with it).
// Groups that wait for lanes lie in a memory indexed {warp slot, lowest lane that opened the group}; a lane is in one group at most, so that
// index is free. They are searched one a clock, only when a request does not already bring every live lane: that path takes no search.
// `op` of an arrival is that of the latest request that waits, else of the latest one; `tag` that of the latest; `arg1` of the opening one.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_lane_join
  import gsu_pkg::*;
  import gsu_op_pkg::*;
  import gsu_join_pkg::*;
#(
    parameter int unsigned WarpSlots = MaxWarpSlots, /// warp slots of the SM; fewer in proofs
    parameter int unsigned Bars      = BarsPerCta,   /// named barriers of a CTA: an id from there on is refused, and waits for nobody
    parameter int unsigned LaneW     = 5,            /// bits of a lane index; fewer in proofs
    parameter int unsigned RspDepth  = 8,            /// completed warp syncs whose response is not yet due
    localparam int unsigned SlotW    = $clog2(WarpSlots)
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  cycle_t    now_i,
    input  logic [15:0] sync_lat_i,    // last lane of a warp sync to its response, at least 1
    input  logic      req_valid_i,     // bar, warp sync, cluster and warp operations only, of a launched CTA
    output logic      req_ready_o,
    input  sync_req_t req_i,
    input  logic      exit_valid_i,    // live lanes of this warp shrink with the handshake
    output logic      exit_ready_o,
    input  logic [4:0] exit_cta_i,
    input  logic [4:0] exit_warp_i,
    output logic [4:0] look_cta_o,     // lookup in the CTA table, same clock
    output logic [4:0] look_warp_o,
    input  logic [SlotW-1:0] look_slot_i,
    input  mask_t     look_live_i,
    input  mask_t     look_exist_i,
    input  logic [5:0] look_nwarps_i,
    output logic      nb_valid_o,
    input  logic      nb_ready_i,
    output warp_arr_t nb_o,
    output logic      cb_valid_o,
    input  logic      cb_ready_i,
    output warp_arr_t cb_o,
    input  logic      wo_space_i,      // room for a group of a warp operation
    output logic      wo_push_o,
    output warp_grp_t wo_o,
    output logic      rsp_valid_o,     // warp sync, and lanes outside their own mask: the other units answer the rest
    input  logic      rsp_ready_i,
    output sync_rsp_t rsp_o,
    output logic      tap_valid_o,     // pulse with the commit
    /*verilator tracing_off*/ output tap_t      tap_o, /*verilator tracing_on*/
    output logic      idle_o,
    output cycle_t    next_event_o
);
  typedef enum logic [1:0] {
    StIdle,
    StFind,  // looks for the group of the request at the input
    StScan   // lanes exited: looks for groups that this completes
  } state_e;

  // Groups: words of a memory each, valid where the slot has a pending bit at that lane.
  mask_t       lanes_q[WarpSlots << LaneW];
  mask_t       waits_q[WarpSlots << LaneW];
  logic [31:0] arg0_q[WarpSlots << LaneW];
  logic [31:0] arg1_q[WarpSlots << LaneW];
  fold_t       fold_q[WarpSlots << LaneW];
  mask_t       heads_q[WarpSlots];      // opening lanes of the pending groups, where any
  logic [WarpSlots-1:0] any_q;

  state_e     state_q, state_d;
  mask_t      todo_q, todo_d;           // groups not looked at yet
  logic       refused_q, refused_d;     // lanes outside their own mask have been refused, the rest of the request goes on
  logic       owed_q, owed_d;           // a request has passed a waiting exit: the exit is next
  logic [4:0] exit_cta_q, exit_warp_q;
  logic       nb_valid_q, cb_valid_q;
  warp_arr_t  nb_q, cb_q;

  ////// Who is looked at //////
  logic take_exit;
  assign exit_ready_o = state_q == StIdle && !(req_valid_i && !owed_q);
  assign take_exit    = exit_valid_i && exit_ready_o;
  assign look_cta_o   = state_q == StScan ? exit_cta_q : take_exit ? exit_cta_i : req_i.cta;
  assign look_warp_o  = state_q == StScan ? exit_warp_q : take_exit ? exit_warp_i : req_i.warp;

  mask_t heads;
  logic [4:0] head;
  logic [SlotW+LaneW-1:0] entry;
  assign heads = any_q[look_slot_i] ? heads_q[look_slot_i] : '0;
  assign head  = state_q == StIdle ? '0 : lowest(todo_q);
  assign entry = {look_slot_i, head[LaneW-1:0]};

  /* verilator tracing_off */  // groups under work show as arrivals and in the memories
  ////// The request as a group of its own //////
  form_e req_form;
  mask_t new_lanes, new_waits, outside, true_lanes;
  logic [31:0] new_arg0, new_arg1;
  fold_t new_fold;
  logic  waits, is_red, illegal, diverged, masked;
  assign req_form   = form_of(req_i.op);
  assign masked     = req_form == FormWarpSync || req_form == FormWarpOp;
  assign outside    = masked ? req_i.lanes & ~new_arg0 : '0;
  assign new_lanes  = req_i.lanes & ~outside;
  assign is_red     = op_reduces(req_i.op);
  assign waits      = is_red || req_i.op == OpBarSync || req_i.op == OpClusterWait || req_i.op == OpWarpSync;
  assign new_waits  = req_form == FormWarpOp ? true_lanes : waits ? new_lanes : '0;
  assign new_arg0   = is_legacy(req_i.op) ? req_i.lanes : req_form == FormBar || masked ? req_i.arg0 : '0;
  assign new_arg1   = req_form == FormBar ? req_i.arg1 : req_form == FormWarpOp && req_i.op != OpElect ? {24'd0, req_i.kind} : '0;
  assign true_lanes = req_i.pred & new_lanes;
  always_comb begin
    new_fold            = '0;
    new_fold.op         = req_i.op;
    new_fold.tag        = req_i.tag;
    new_fold.has_arrive = req_i.op == OpBarArrive;
    new_fold.has_sync   = req_i.op == OpBarSync;
    new_fold.all        = 1'b1;
    if (is_red) begin
      new_fold.popc   = 6'($countones(true_lanes));
      new_fold.all    = true_lanes == new_lanes;
      new_fold.any    = true_lanes != '0;
      new_fold.redops = {req_i.op == OpBarRedOr, req_i.op == OpBarRedAnd, req_i.op == OpBarRedPopc};
    end
  end
  assign illegal  = req_form == FormBar && (req_i.arg0 >= Bars || req_i.arg1[4:0] != '0 || (req_i.op == OpBarArrive && req_i.arg1 == '0));
  assign diverged = req_i.aligned && !masked && new_lanes != look_live_i;

  ////// The stored group under the search, and both together //////
  mask_t old_lanes, old_waits;
  logic [31:0] old_arg0, old_arg1, whole;
  fold_t old_fold, sum_fold;
  logic  match;
  assign whole = {21'd0, look_nwarps_i, 5'd0};  // D-08: what a count of 0 means
  always_comb begin
    {old_lanes, old_waits, old_arg0, old_arg1} = '0;
    {old_fold, sum_fold, match} = '0;
    if (state_q != StIdle) begin
      {old_lanes, old_waits} = {lanes_q[entry], waits_q[entry]};
      {old_arg0, old_arg1}   = {arg0_q[entry], arg1_q[entry]};
      old_fold               = fold_q[entry];
    end
    if (state_q == StFind) begin
      match = form_of(old_fold.op) == req_form && old_arg0 == new_arg0
              && (req_form != FormBar || (old_arg1 == '0 ? whole : old_arg1) == (new_arg1 == '0 ? whole : new_arg1))
              && (req_form != FormWarpOp || (old_fold.op == req_i.op && old_arg1 == new_arg1));
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
  mask_t grp_lanes, grp_waits;
  logic [31:0] grp_arg0, grp_arg1;
  fold_t grp_fold;
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
  logic complete, room, ws_ready;
  assign complete = form == FormWarpSync || form == FormWarpOp ? (grp_arg0 & look_live_i & ~grp_lanes) == '0 : grp_lanes == look_live_i;
  always_comb begin
    room = 1'b0;
    case (form)
      FormBar:                            room = !nb_valid_q || nb_ready_i;
      FormWarpSync:                       room = ws_ready;
      FormClusterArrive, FormClusterWait: room = !cb_valid_q || cb_ready_i;
      FormWarpOp:                         room = wo_space_i;
      default:                            ;
    endcase
  end

  ////// Control //////
  logic done, emit, store, drop, refuse, refuse_ready;
  always_comb begin
    state_d   = state_q;
    todo_d    = todo_q;
    refused_d = refused_q;
    done      = 1'b0;  // the request at the input is finished
    emit      = 1'b0;  // the group of this clock goes out
    store     = 1'b0;  // it is written back
    drop      = 1'b0;  // its stored part is removed
    refuse    = 1'b0;
    unique case (state_q)
      StIdle: begin
        if (take_exit) begin
          if (heads != '0) begin
            state_d = StScan;
            todo_d  = heads;
          end
        end else if (outside != '0 && !refused_q) begin
          refuse = 1'b1;
          done   = refuse_ready && new_lanes == '0;
        end else if (illegal || diverged || complete) begin
          emit = room;
          done = room;
        end else begin
          state_d = req_valid_i ? StFind : StIdle;
          todo_d  = heads;
        end
      end
      StFind: begin
        if (todo_q == '0 || (match && !complete)) begin
          store = 1'b1;
          done  = 1'b1;
        end else if (match) begin
          emit = room;
          drop = room;
          done = room;
        end else begin
          todo_d = todo_q & (todo_q - 32'd1);
        end
        if (done) state_d = StIdle;
      end
      StScan: begin
        if (todo_q == '0) begin
          state_d = StIdle;
        end else if (!complete || room) begin
          emit   = complete;
          drop   = complete;
          todo_d = todo_q & (todo_q - 32'd1);
        end
      end
    endcase
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

  logic [4:0] store_head;
  mask_t heads_new;
  assign store_head = store && todo_q == '0 ? lowest(new_lanes) : head;
  assign heads_new  = drop ? heads & ~(32'd1 << head) : heads | (32'd1 << store_head);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= StIdle;
      todo_q      <= '0;
      refused_q   <= 1'b0;
      owed_q      <= 1'b0;
      exit_cta_q  <= '0;
      exit_warp_q <= '0;
      any_q       <= '0;
    end else begin
      state_q   <= state_d;
      refused_q <= refused_d;
      owed_q    <= owed_d;
      if (state_d != StIdle) todo_q <= todo_d;
      if (take_exit) begin
        exit_cta_q  <= exit_cta_i;
        exit_warp_q <= exit_warp_i;
      end
      if (store || drop) any_q[look_slot_i] <= heads_new != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (store || drop) heads_q[look_slot_i] <= heads_new;
    if (store) begin
      lanes_q[{look_slot_i, store_head[LaneW-1:0]}] <= grp_lanes;
      waits_q[{look_slot_i, store_head[LaneW-1:0]}] <= grp_waits;
      arg0_q[{look_slot_i, store_head[LaneW-1:0]}]  <= grp_arg0;
      arg1_q[{look_slot_i, store_head[LaneW-1:0]}]  <= grp_arg1;
      fold_q[{look_slot_i, store_head[LaneW-1:0]}]  <= grp_fold;
    end
  end

  ////// Arrivals //////
  /*verilator tracing_off*/ warp_arr_t arr; /*verilator tracing_on*/  // shows in nb_q, cb_q
  logic out_nb, out_cb, out_ws, out_wo;
  assign out_nb = emit_act && form == FormBar;
  assign out_ws = emit_act && form == FormWarpSync;
  assign out_wo = emit_act && form == FormWarpOp;
  assign out_cb = emit_act && (form == FormClusterArrive || form == FormClusterWait);
  always_comb begin
    arr = '0;
    if (out_nb || out_cb) begin
      arr.op         = grp_fold.op;
      arr.cta        = look_cta_o;
      arr.warp       = look_warp_o;
      arr.tag        = grp_fold.tag;
      arr.lanes      = grp_lanes;
      arr.wait_lanes = grp_waits;
      arr.arg0       = grp_arg0;
      arr.arg1       = grp_arg1;
      arr.popc       = grp_fold.popc;
      arr.all        = grp_fold.all;
      arr.any        = grp_fold.any;
      arr.has_arrive = grp_fold.has_arrive;
      arr.has_sync   = grp_fold.has_sync;
      arr.redops     = grp_fold.redops;
      arr.diverged   = state_q == StIdle && diverged;
      arr.src        = state_q == StScan ? SrcExit : SrcLocal;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      nb_valid_q <= 1'b0;
      cb_valid_q <= 1'b0;
      nb_q       <= '0;
      cb_q       <= '0;
    end else begin
      nb_valid_q <= out_nb || (nb_valid_q && !nb_ready_i);
      cb_valid_q <= out_cb || (cb_valid_q && !cb_ready_i);
      if (out_nb) nb_q <= arr;
      if (out_cb) cb_q <= arr;
    end
  end
  assign nb_valid_o = nb_valid_q;
  assign nb_o       = nb_q;
  assign cb_valid_o = cb_valid_q;
  assign cb_o       = cb_q;

  ////// Warp operations: kept where they go, so without a flop of their own //////
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
  gsu_ws_answer #(.Depth(RspDepth)) u_answer (
      .clk_i, .rst_ni, .now_i, .latency_i(sync_lat_i),
      .done_valid_i(out_ws), .done_ready_o(ws_ready), .note_valid_i(out_wo), .op_i(refuse ? req_i.op : grp_fold.op),
      .refuse_valid_i(refuse && req_valid_i), .refuse_ready_o(refuse_ready),
      .cta_i(look_cta_o), .warp_i(look_warp_o), .tag_i(grp_fold.tag), .lanes_i(refuse ? outside : grp_lanes), .mask_i(grp_arg0),
      .gone_i(look_exist_i & ~look_live_i), .last_i(!refuse || new_lanes == '0), .src_i(state_q == StScan ? SrcExit : SrcLocal),
      .rsp_valid_o, .rsp_ready_i, .rsp_o, .tap_valid_o, .tap_o,
      .idle_o(ws_idle), .next_event_o
  );
  assign idle_o = state_q == StIdle && !refused_q && !nb_valid_q && !cb_valid_q && ws_idle;

  ////// Checks //////
  `REQUIRE(RequestForms, !req_valid_i || (req_i.op >= OpBarSync && req_i.op <= OpClusterWait) || is_warp_op(req_i.op))
  `REQUIRE(RequestLanesAreLive, !(req_valid_i && state_q == StIdle && !take_exit) || (req_i.lanes != '0 && (req_i.lanes & ~look_live_i) == '0))
  `REQUIRE(LanesWaitOnce, !(state_q == StFind && todo_q != '0) || (req_i.lanes & old_lanes) == '0)
  `ASSERT(WholeWarpOnly, !(out_nb || out_cb) || grp_lanes == look_live_i || illegal || diverged)
  `ASSERT(MembersOnly, !(out_ws || out_wo) || ((grp_lanes & ~grp_arg0) == '0 && (grp_arg0 & look_live_i & ~grp_lanes) == '0))
  `ASSERT(OneWayOut, $onehot0({out_nb, out_cb, out_ws, out_wo, refuse}))
  `ASSERT(StoredOrSent, !(store && emit))
  `ASSERT(RefusalIsOfTheRequest, !refused_q || (req_valid_i && outside != '0 && new_lanes != '0))
  `ASSERT(SearchIsForTheRequest, state_q != StFind || (req_valid_i && (outside == '0 || refused_q)))
  `ASSERT(SearchNeedsCompany, state_q != StFind || !(illegal || diverged ||
          (masked ? (new_arg0 & look_live_i & ~new_lanes) == '0 : new_lanes == look_live_i)))
  `ASSERT(StateIsNamed, state_q == StIdle || state_q == StFind || state_q == StScan)
  `ASSERT(SearchOnlyPending, state_q == StIdle || (todo_q & ~heads) == '0)
  `ASSERT_NEXT(NbHolds, nb_valid_q && !nb_ready_i, nb_valid_q && $stable(nb_q))
  `ASSERT_NEXT(CbHolds, cb_valid_q && !cb_ready_i, cb_valid_q && $stable(cb_q))
  `ASSERT_NEXT(SearchEnds, state_q != StIdle && todo_q != '0 && state_d == state_q && emit == 1'b0 && room, $countones(todo_q) < $countones($past(todo_q)))
  `ASSERT_NEXT(GroupsChangeOnlyByWork, !store && !drop, $stable(any_q))
  `ASSERT_NEXT(ExitIsNotPassedTwice, owed_q && exit_valid_i && state_q == StIdle, !owed_q)
  `ASSERT_NEXT(IdleHolds, idle_o && !req_valid_i && !exit_valid_i,
               $stable(state_q) && $stable(todo_q) && $stable(any_q) && $stable(owed_q) && $stable(nb_q) && $stable(cb_q))
  `COVER(Joined, out_nb && state_q == StFind)
  `COVER(JoinedByExit, out_nb && state_q == StScan)
  `COVER(SyncByExit, out_ws && state_q == StScan)
  `COVER(MixedForms, out_nb && grp_fold.has_arrive && grp_waits != '0)
  `COVER(WarpOpByExit, out_wo && state_q == StScan)
  `COVER(OtherMode, state_q == StFind && todo_q != '0 && form == FormWarpOp && old_fold.op == req_i.op && old_arg0 == new_arg0 && !match)
  `COVER(ThirdGroup, store && $countones(heads) == 2)
  `COVER(PartlyOutside, refuse && req_valid_i && new_lanes != '0)
endmodule
