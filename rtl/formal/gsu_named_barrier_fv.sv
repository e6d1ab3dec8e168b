// prove: name=idle engine=kind depth=3 files=gsu_join_pkg,gsu_named_barrier_pkg,gsu_ram,gsu_delay,gsu_named_barrier define=FV_TIME skip=PartsAreKnown|OpenBarrier|Waiter|Discarded|PartialWaits|LaneWaitsOnce|PartHasLanes|ReleaseNames|AnswerNames|ExitOnly|EveryLane
// prove: name=state engine=kind depth=2 flat=1 files=gsu_join_pkg,gsu_named_barrier_pkg,gsu_ram,gsu_delay,gsu_named_barrier define=FV_STATE,FV_RELEASE skip=PartsAreKnown|IdleHolds|OutputHolds|OpenBarrier|WaiterHas|Discarded|PartialWaits|LaneWaitsOnce|PartHasLanes|ReleaseNamesWarps|AnswerNames|ExitOnly|PartialWarps|SecondPart limit=900 cover=14
// prove: name=answer engine=kind depth=2 flat=1 files=gsu_join_pkg,gsu_named_barrier_pkg,gsu_ram,gsu_delay,gsu_named_barrier define=FV_ANSWER skip=PartsAreKnown|IdleHolds|OutputHolds|OpenBarrier|WaiterHas|Discarded|PartialWaits|LaneWaitsOnce|PartHasLanes|ReleaseNames|AnswerNamesLanes|ExitOnly limit=900
// prove: name=parts engine=kind depth=2 flat=1 files=gsu_join_pkg,gsu_named_barrier_pkg,gsu_ram,gsu_delay,gsu_named_barrier define=FV_PARTS cover=10 skip=IdleHolds|OutputHolds|OpenBarrier|WaiterHas|Discarded|PartialWaits|LaneWaitsOnce|PartHasLanes|ReleaseNames|AnswerNames|ExitOnly|ExitHadToWait limit=900
// Harness of gsu_named_barrier: two CTAs of up to four warps, two barriers each. One symbolic barrier is compared with a reference.
// Time stands still except in task idle: the free `ready` inputs stand for every delay; deadlines are shown in gsu_delay.
// The unit's own checks of an open barrier (OpenBarrierIsIncomplete and the like) are shown for the watched one: RecordAgrees, OpenWaitsForMore.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_named_barrier_fv
  import gsu_pkg::*;
  import gsu_join_pkg::*;
  import gsu_named_barrier_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cycle_t any_now_i,
    input cfg_t any_cfg_i,
    input logic launch_valid_i,
    input logic [4:0] launch_cta_i,
    input logic [5:0] launch_wbase_i,
    input logic [5:0] launch_nwarps_i,
    input logic next_valid_i,
    input logic [4:0] next_cta_i,
    input logic next_bar_i,
    input logic arr_valid_i,
    input warp_arr_t arr_i,
    input logic wexit_valid_i,
    input logic [4:0] wexit_cta_i,
    input logic [4:0] wexit_warp_i,
    input logic wexit_last_i,
    input logic rsp_ready_i,
    input logic rel_ready_i,
    input logic pick_i,
    input logic sym_cta_i,
    input logic sym_id_i,
    input logic [1:0] sym_warp_i,
    input logic [4:0] sym_lane_i
);
  logic launch_ready_o, arr_ready_o, wexit_ready_o, rsp_valid_o, rel_valid_o, tap_valid_o, idle_o;
  sync_rsp_t rsp_o;
  release_t rel_o;
  tap_t tap_o;
  cycle_t next_event_o, now_i;
  cfg_t cfg_i;
  mask_t ending_o;
`ifdef FV_TIME
  assign now_i = any_now_i;
  assign cfg_i = any_cfg_i;
`else
  assign now_i = '0;
  assign cfg_i = '0;
  logic unused;
  assign unused = &{any_now_i, any_cfg_i};
`endif
  gsu_named_barrier #(.Ctas(2), .Bars(2), .WarpSlots(8), .RelDepth(2), .RspDepth(2)) dut (.*);
  `FV_RESET

`ifndef FV_TIME
  ////// Environment: a CTA lives from its launch to its last exit; blocked warps are silent //////
  logic sym_cta_q, sym_id_q;
  always_ff @(posedge clk_i) if (!rst_ni) {sym_cta_q, sym_id_q} <= {sym_cta_i, sym_id_i};
  logic [1:0][3:0] live_q;    // according to the unit's commits
  logic [3:0] leaving_q;      // exits of the watched CTA accepted, not committed
  logic [3:0] blocked_q;      // warps of the watched CTA waiting at the watched barrier
  logic commit_arr, commit_exit, commit_eval, commit_left, mine, mine_exit;
  assign commit_arr  = arr_valid_i && arr_ready_o;
  assign commit_left = tap_valid_o && tap_o.op == OpEvWarpExit && tap_o.errs[NbErrLeft];
  assign commit_exit = tap_valid_o && tap_o.op == OpEvWarpExit && !tap_o.flip && !commit_left;
  assign commit_eval = tap_valid_o && tap_o.op == OpEvWarpExit && tap_o.flip;
  assign mine        = commit_arr && arr_i.cta[0] == sym_cta_q && arr_i.arg0 == 32'(sym_id_q);
  assign mine_exit   = commit_exit && tap_o.cta == 5'(sym_cta_q);
  `ASSUME(FewWarps, launch_nwarps_i <= 6'd4 && arr_i.warp < 5'd4 && wexit_warp_i < 5'd4)
  `ASSUME(FewIds, arr_i.arg0 < 32'd2 || arr_i.arg0 > 32'd15)
  `ASSUME(SmallCounts, arr_i.arg1 < 32'd256)
  `ASSUME(Forms, arr_i.op inside {OpBarSync, OpBarArrive, OpBarRedPopc, OpBarRedAnd, OpBarRedOr})
  `ASSUME(LaunchFreeSlot, !launch_valid_i || live_q[launch_cta_i[0]] == '0)
  `ASSUME(ArrivalOfLive, !arr_valid_i || (arr_i.cta < 2 && live_q[arr_i.cta[0]][arr_i.warp[1:0]]))
  `ASSUME(ExitOfLive, !wexit_valid_i || (wexit_cta_i < 2 && live_q[wexit_cta_i[0]][wexit_warp_i[1:0]]))
  `ASSUME(LastIsLast, !wexit_valid_i || wexit_last_i == ((live_q[wexit_cta_i[0]] & ~(4'd1 << wexit_warp_i[1:0])) == '0))
  `ASSUME(LeaverSilent, !(dut.exit_valid_q) || !((arr_valid_i && {arr_i.cta, arr_i.warp} == {dut.exit_cta_q, dut.exit_warp_q})
          || (wexit_valid_i && {wexit_cta_i, wexit_warp_i} == {dut.exit_cta_q, dut.exit_warp_q})))
`ifndef FV_PARTS  // in task parts other lanes of a waiting warp continue
  `ASSUME(BlockedAreSilent, !((arr_valid_i && arr_i.cta == 5'(sym_cta_q) && blocked_q[arr_i.warp[1:0]])
          || (wexit_valid_i && wexit_cta_i == 5'(sym_cta_q) && blocked_q[wexit_warp_i[1:0]])))
`endif
`ifdef FV_STATE
  `ASSUME(WholeWarps, arr_i.wait_lanes == '0 || (arr_i.wait_lanes == arr_i.lanes && !arr_i.diverged))  // parts: task parts
`endif
  `ASSUME(ArrivesOrLeaves, !(arr_valid_i && wexit_valid_i) || {arr_i.cta, arr_i.warp} != {wexit_cta_i, wexit_warp_i})

  ////// Reference of the watched barrier //////
  logic open_q, implicit_q, open_d, implicit_d, complete, all_q, all_d, any_q, any_d, owes_eval_q;
  logic [2:0] count_q, count_d;          // in warps; at most 7
  logic [6:0] n_q, n_d;
  logic [3:0] arrived_q, arrived_d, waiting_q, waiting_d, live;
  logic [10:0] popc_q, popc_d;
  logic [2:0] warps_q;                   // launched warps of the watched CTA
  logic legal, eval_mine, left_mine;
  assign eval_mine = commit_eval && tap_o.cta == 5'(sym_cta_q) && tap_o.obj == 32'(sym_id_q);
  assign left_mine = commit_left && tap_o.cta == 5'(sym_cta_q) && tap_o.obj == 32'(sym_id_q);
  assign live  = live_q[sym_cta_q];
  assign legal = arr_i.arg1[4:0] == 0 && !(arr_i.op == OpBarArrive && arr_i.arg1 == 0);
  always_comb begin
    {open_d, implicit_d, count_d, n_d, arrived_d, waiting_d, popc_d, all_d, any_d} =
        {open_q, implicit_q, count_q, n_q, arrived_q, waiting_q, popc_q, all_q, any_q};
    complete = 1'b0;
    if (mine && legal) begin
      if (!open_q) begin
        open_d     = 1'b1;
        implicit_d = arr_i.arg1 == 0;
        count_d    = arr_i.arg1 == 0 ? warps_q : arr_i.arg1[7:5];
        {n_d, arrived_d, waiting_d, popc_d, all_d, any_d} = {7'd0, 4'd0, 4'd0, 11'd0, 1'b1, 1'b0};
      end
      n_d = n_d + 7'd1;
      arrived_d[arr_i.warp[1:0]] = 1'b1;
      if (arr_i.wait_lanes != 0) waiting_d[arr_i.warp[1:0]] = 1'b1;
      if (arr_i.redops != 0) begin
        popc_d = popc_d + 11'(arr_i.popc);
        all_d  = all_d && arr_i.all;
        any_d  = any_d || arr_i.any;
      end
      complete = implicit_d ? n_d >= 7'($countones(live | arrived_d)) : n_d >= 7'(count_d);
    end
    if (eval_mine) complete = 1'b1;
    if (complete || left_mine) open_d = 1'b0;
  end
  logic [3:0] live_after;
  assign live_after = live & ~(4'd1 << tap_o.warp[1:0]);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live_q      <= '0;
      blocked_q   <= '0;
      owes_eval_q <= 1'b0;
      warps_q     <= '0;
      {open_q, implicit_q, count_q, n_q, arrived_q, waiting_q, popc_q, all_q, any_q} <= '0;
    end else begin
      {open_q, implicit_q, count_q, n_q, arrived_q, waiting_q, popc_q, all_q, any_q} <=
          {open_d, implicit_d, count_d, n_d, arrived_d, waiting_d, popc_d, all_d, any_d};
      blocked_q <= (blocked_q & ~(rel_valid_o && rel_ready_i && rel_o.cta == 5'(sym_cta_q) && rel_o.id == 4'(sym_id_q) ? rel_o.warps[3:0] : '0))
          | (mine && legal && arr_i.wait_lanes != 0 ? 4'd1 << arr_i.warp[1:0] : '0);
      if (commit_exit) live_q[tap_o.cta[0]][tap_o.warp[1:0]] <= 1'b0;
      if (mine_exit) owes_eval_q <= open_q && implicit_q && n_q >= 7'($countones(live_after | arrived_q));
      else if (complete) owes_eval_q <= 1'b0;
      if (launch_valid_i) begin
        live_q[launch_cta_i[0]] <= 4'(~(5'h1E << (launch_nwarps_i - 6'd1)));
        if (launch_cta_i[0] == sym_cta_q) begin
          open_q  <= 1'b0;
          warps_q <= launch_nwarps_i[2:0];
        end
      end
    end
  end
  nb_word_t old_w, new_w;
  assign old_w = tap_o.old_w;
  assign new_w = tap_o.new_w;

`ifdef FV_STATE
  // BAR-004, BAR-013, D-06, D-10, D-15: the unit's record shows the reference's state, whatever happened at other barriers in between.
  `ASSERT(StateIsOwnHistory, !(mine || eval_mine || left_mine) || (open_q ? old_w.n == n_q && old_w.arrived == 32'(arrived_q)
          && (old_w.mode == NbImplicit) == implicit_q && old_w.target == 7'(count_q) && old_w.popc == popc_q
          && old_w.all == all_q && old_w.any == any_q : old_w == '0))
  `ASSERT(CompletesExactlyThen, !mine || tap_o.flip == (legal && complete))
  `ASSERT(ResetsWithCompletion, !(mine || eval_mine) || !tap_o.flip || new_w == '0)
  `ASSERT(CountsThisArrival, !(mine && legal && !complete) || (new_w.n == n_d && new_w.arrived == 32'(arrived_d) && new_w.popc == popc_d))
  `ASSERT(RefusedExactlyIfIllegal, !mine || tap_o.refused == !legal)
  `ASSERT(ExitCompletesOnlyIfDue, !eval_mine || owes_eval_q)
  // D-17: a barrier that is open and not complete when the last warp has exited is discarded, with its record as it was.
  `ASSERT(DiscardsOnlyWhatIsLeft, !left_mine || (open_q && live == '0 && !owes_eval_q && !tap_o.flip && new_w == '0
          && old_w.n == n_q && old_w.arrived == 32'(arrived_q) && old_w.target == 7'(count_q)))
  logic left_q;  // the last exit of the CTA was committed while the barrier was open
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= 1'b0;
    else if (mine_exit && live_after == '0 && open_q) left_q <= 1'b1;
    else if (!open_d || launch_valid_i) left_q <= 1'b0;
  end
  `ASSERT(NothingIsLeftSilently, !(left_q && launch_valid_i && launch_cta_i[0] == sym_cta_q) && (!left_q || ending_o[sym_cta_q]))
  `ASSERT(ExitCompletesBeforeAnythingElse, !owes_eval_q || !(commit_arr || commit_exit))
`endif
`ifdef FV_RELEASE
  // BAR-011, BAR-042, D-11: every completion with waiters gives one release, with its own waiters and results, in order.
  logic follow_q, completes, comes;
  logic [2:0] ahead_q, under_way_q;
  release_t want_q;
  assign completes = (mine && legal && complete && waiting_d != 0) || (eval_mine && waiting_q != 0);
  assign comes     = rel_valid_o && rel_ready_i && rel_o.cta == 5'(sym_cta_q) && rel_o.id == 4'(sym_id_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {follow_q, ahead_q, under_way_q} <= '0;
      want_q <= '0;
    end else begin
      under_way_q <= under_way_q + 3'(completes) - 3'(comes);
      if (completes && pick_i && !follow_q) begin
        follow_q <= 1'b1;
        ahead_q  <= under_way_q - 3'(comes);
        want_q   <= '{lanes: '1, warps: 32'(waiting_d), any: any_d, all: all_d, popc: popc_d, id: 4'(sym_id_q), cta: 5'(sym_cta_q), default: '0};
      end else if (follow_q && comes) begin
        follow_q <= ahead_q != 0;
        ahead_q  <= ahead_q - 3'(ahead_q != 0);
      end
    end
  end
  `ASSERT(NoReleaseFromNothing, !comes || under_way_q != 0)
  `ASSERT(OwnWaitersAndResults, !(follow_q && ahead_q == 0 && comes) || rel_o == want_q)
  `ASSERT(ReleasedWereBlocked, !comes || (rel_o.warps & ~32'(blocked_q)) == 0)
  `ASSERT(OtherBarriersDoNotRelease, !rel_valid_o || rel_o.cta < 2)

  // Helper properties for induction: the unit's record of the watched barrier is the reference's, and so are the releases in its queue, oldest first.
  logic [1:0] launched_q;
  nb_state_t record;
  logic [1:0] queued, own;
  release_t [1:0] entry;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) launched_q <= '0;
    else if (launch_valid_i) launched_q[launch_cta_i[0]] <= 1'b1;
  end
  assign record = dut.u_state.mem_q[{sym_cta_q, sym_id_q}];
  assign entry  = {release_t'(dut.u_rel.u_data.mem_q[!dut.u_rel.rptr_q]), release_t'(dut.u_rel.u_data.mem_q[dut.u_rel.rptr_q])};
  assign queued = {dut.u_rel.count_q == 2, dut.u_rel.count_q != 0};
  for (genvar k = 0; k < 2; k++) begin : gen_two
    assign own[k] = queued[k] && entry[k].cta == 5'(sym_cta_q) && entry[k].id == 4'(sym_id_q);
    `ASSERT(LiveAgrees, launched_q[k] ? dut.live_q[k] == 32'(live_q[k]) : live_q[k] == '0)
    `ASSERT(QueuedNamesCta, !queued[k] || entry[k].cta < 2)
    `ASSERT(QueuedAreBlocked, !own[k] || (entry[k].warps != '0 && (entry[k].warps & ~(32'(blocked_q & ~(open_q ? waiting_q : 4'd0)))) == '0))
    `ASSERT(FollowedIsThere, !(follow_q && own[k] && ahead_q == (k == 0 ? 3'd0 : 3'(own[0]))) || entry[k] == want_q)
  end
  logic [3:0] has_part;  // for each of the four barriers
  for (genvar k = 0; k < 4; k++) begin : gen_bars
    nb_state_t at;
    assign at          = dut.u_state.mem_q[k];
    assign has_part[k] = dut.busy_q[k/2][k%2] && at.partial != '0;
  end
  `ASSERT(NobodyWaitsInParts, has_part == '0 && dut.parts_q == '0)  // WholeWarps
  `ASSERT(CountedAreThere, under_way_q == 3'($countones(own)) && (!follow_q || ahead_q < under_way_q))
  `ASSERT(NobodyTwiceInTheQueue, own != '1 || (entry[0].warps & entry[1].warps) == '0)
  `ASSERT(WarpsAgree, !launched_q[sym_cta_q] || (dut.warps_q[sym_cta_q] == 6'(warps_q) && warps_q >= 1 && warps_q <= 4))
  `ASSERT(OpenAgrees, dut.busy_q[sym_cta_q][sym_id_q] == open_q && (!open_q || launched_q[sym_cta_q]))
  `ASSERT(RecordAgrees, !open_q || (record.mode == (implicit_q ? NbImplicit : NbExplicit) && record.count == 27'(count_q) && record.n == n_q
          && record.arrived == 32'(arrived_q) && record.waiting == 32'(waiting_q) && record.popc == popc_q && record.all == all_q && record.any == any_q))
  logic pending;  // an exit has committed and is still to be evaluated there: the record is from before the exit
  assign pending = dut.scan_q[sym_id_q] && dut.exit_cta_q == 5'(sym_cta_q);
  `ASSERT(LastAgrees, !open_q || record.last == (implicit_q ? n_q + 7'd1 >= 7'($countones(live | arrived_q | (pending ? 4'd1 << dut.exit_warp_q[1:0] : 4'd0)))
          : n_q + 7'd1 >= 7'(count_q)))
  `ASSERT(LeaverIsGone, dut.scan_q == '0 || !live_q[dut.exit_cta_q[0]][dut.exit_warp_q[1:0]])
  `ASSERT(OwesOnlyForTheMissing, !owes_eval_q || !arrived_q[dut.exit_warp_q[1:0]])
  `ASSERT(OpenWaitsForMore, !open_q || owes_eval_q || (implicit_q ? n_q < 7'($countones(live | arrived_q)) : n_q < 7'(count_q)))
  `ASSERT(WaitersAreBlocked, !open_q || (waiting_q & ~(blocked_q & arrived_q)) == '0)
  `ASSERT(LeftIsScanned, !left_q || (open_q && live == '0 && dut.scan_q[sym_id_q] && dut.exit_cta_q == 5'(sym_cta_q) && dut.exit_last_q))
  `ASSERT(LastLeavesNobody, !(dut.exit_last_q && dut.scan_q != '0) || live_q[dut.exit_cta_q[0]] == '0)
  `ASSERT(LastIsKnown, !dut.exit_valid_q || dut.exit_last_q == ((live_q[dut.exit_cta_q[0]] & ~(4'd1 << dut.exit_warp_q[1:0])) == '0))
  `ASSERT(OwedIsScanned, !owes_eval_q || (open_q && implicit_q && n_q <= 7'd4 && n_q >= 7'($countones(live | arrived_q)) && dut.scan_q[sym_id_q] && dut.exit_cta_q == 5'(sym_cta_q)))
  `ASSERT(ScannedAreOpen, (dut.scan_q & ~dut.busy_q[dut.exit_cta_q[0]]) == '0)
  `ASSERT(LeaverFits, !(dut.exit_valid_q || dut.scan_q != '0) || (dut.exit_cta_q < 2 && dut.exit_warp_q < 4 && launched_q[dut.exit_cta_q[0]]))
`endif
`ifdef FV_PARTS
  // D-12, D-13: exactly one record names a lane that waits at the watched barrier: that of its generation, whatever part of its warp waits with it, and
  // whatever the other lanes of the warp do meanwhile. One symbolic lane is followed, of a warp that it does not leave.
  logic [1:0] sym_warp_q;
  logic [4:0] sym_lane_q;
  always_ff @(posedge clk_i) if (!rst_ni) {sym_warp_q, sym_lane_q} <= {sym_warp_i, sym_lane_i};
  `ASSUME(SlotsOfTheirOwn, launch_wbase_i == {3'd0, launch_cta_i[0], 2'd0})
  logic whole_q, part_q, due_q, other_q;  // waits with all of its warp | with a part of it | its generation is complete | waits with a part elsewhere
  logic its_warp, its, its_part, its_whole, its_at, named, moved;  // its_at: where it waits with a part
  logic [2:0] its_slot;
  assign its_slot  = {sym_cta_q, sym_warp_q};
  assign its_at    = dut.u_at.mem_q[{its_slot, sym_lane_q}];
  assign its_warp  = commit_arr && arr_i.cta[0] == sym_cta_q && arr_i.warp[1:0] == sym_warp_q;
  assign its       = its_warp && legal && arr_i.arg0 < 32'd2 && arr_i.wait_lanes[sym_lane_q];
  assign its_part  = arr_i.diverged || arr_i.wait_lanes != arr_i.lanes;
  assign its_whole = arr_i.wait_lanes != '0 && !its_part;
  assign named     = rel_valid_o && rel_ready_i && rel_o.cta == 5'(sym_cta_q) && rel_o.id == 4'(sym_id_q) && rel_o.warps[5'(sym_warp_q)] && rel_o.lanes[sym_lane_q];
  assign moved     = dut.do_part && dut.slot == its_slot && dut.part_lanes[sym_lane_q];  // the lane's record goes into the queue
  logic waits, done;  // done: the tap reports that a generation of the watched barrier is complete; task state proves that this is right
  assign done = (mine || eval_mine) && tap_o.flip;
  assign waits = whole_q || part_q || due_q || other_q;
  `ASSUME(WaitsAreArrivals, (arr_i.wait_lanes & ~arr_i.lanes) == '0)
  `ASSUME(LaneIsBlocked, !waits || !(arr_valid_i && arr_i.cta == 5'(sym_cta_q) && arr_i.warp == 5'(sym_warp_q) && (arr_i.lanes[sym_lane_q] || its_whole)))
  `ASSUME(WholeIsBlocked, !whole_q || !(arr_valid_i && arr_i.cta == 5'(sym_cta_q) && arr_i.warp == 5'(sym_warp_q)))
  `ASSUME(LaneStays, !(wexit_valid_i && wexit_cta_i == 5'(sym_cta_q) && wexit_warp_i == 5'(sym_warp_q)))
  `ASSUME(WholeHasTheLane, !(arr_valid_i && arr_i.cta == 5'(sym_cta_q) && arr_i.warp == 5'(sym_warp_q) && its_whole) || arr_i.lanes[sym_lane_q])
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {whole_q, part_q, due_q, other_q} <= '0;
    end else begin
      if (its && mine) {whole_q, part_q} <= done ? 2'b00 : {!its_part, its_part};
      else if (done) {whole_q, part_q} <= 2'b00;
      due_q <= (due_q && !named) || (done && (whole_q || part_q || (its && mine)));
      other_q <= (other_q && !moved) || (its && !mine && its_part);
    end
  end
  `ASSERT(PartIsRead, dut.parts_q == '0 || dut.slot != its_slot || dut.at[sym_lane_q] == its_at)
  `ASSERT(NamedOnlyWhenComplete, !named || due_q)

  nb_state_t record;
  release_t [1:0] entry;
  logic [1:0] names;
  logic in_parts, open_here;
  assign record   = dut.u_state.mem_q[{sym_cta_q, sym_id_q}];
  assign entry    = {release_t'(dut.u_rel.u_data.mem_q[!dut.u_rel.rptr_q]), release_t'(dut.u_rel.u_data.mem_q[dut.u_rel.rptr_q])};
  for (genvar k = 0; k < 2; k++) begin : gen_names
    assign names[k] = (k == 0 ? dut.u_rel.count_q != 0 : dut.u_rel.count_q == 2) && entry[k].cta == 5'(sym_cta_q) && entry[k].id == 4'(sym_id_q)
                      && entry[k].warps[5'(sym_warp_q)] && entry[k].lanes[sym_lane_q];
  end
  assign open_here = dut.busy_q[sym_cta_q][sym_id_q];
  assign in_parts  = dut.parts_q[5'(sym_warp_q)] && dut.part_rel_q.cta == 5'(sym_cta_q) && dut.part_rel_q.id == 4'(sym_id_q)
                     && dut.part_q[its_slot][sym_lane_q] && its_at == sym_id_q;
  `ASSERT(DueIsOnItsWayOnce, $countones({in_parts && due_q, names}) == 32'(due_q))
  `ASSERT(WaiterLives, !waits || live_q[sym_cta_q][sym_warp_q])
  `ASSERT(LaneIsNotLeaving, !(dut.exit_valid_q && dut.exit_cta_q == 5'(sym_cta_q) && dut.exit_warp_q == 5'(sym_warp_q)))
  `ASSERT(WaitsInOneWay, $onehot0({whole_q, part_q, due_q, other_q}))
  `ASSERT(WaitsWhereItCounts, !(whole_q || part_q) || (open_here && record.waiting[5'(sym_warp_q)]))
  `ASSERT(PartIsPartial, !part_q || (record.partial[5'(sym_warp_q)] && dut.part_q[its_slot][sym_lane_q] && its_at == sym_id_q))
  `ASSERT(WholeIsNot, !whole_q || !record.partial[5'(sym_warp_q)])
  `ASSERT(StoredIsWaiting, dut.part_q[its_slot][sym_lane_q] == (part_q || other_q || (due_q && in_parts)))
  `ASSERT(ElsewhereIsElsewhere, !other_q || its_at != sym_id_q)
  `ASSERT(WholeWaitsOnlyThen, !(open_here && record.waiting[5'(sym_warp_q)] && !record.partial[5'(sym_warp_q)]) || whole_q)
  // Warps of both CTAs have separate slots, and partial releases name an existing CTA, barrier and warps.
  logic [1:0] launched_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) launched_q <= '0;
    else if (launch_valid_i) launched_q[launch_cta_i[0]] <= 1'b1;
  end
  for (genvar k = 0; k < 2; k++) begin : gen_slots
    `ASSERT(SlotIsKnown, launched_q[k] ? dut.wbase_q[k] == {1'(k), 2'd0} : live_q[k] == '0 && dut.busy_q[k] == '0)
  end
  logic [3:0] fits;
  for (genvar k = 0; k < 4; k++) begin : gen_bars
    nb_state_t at;
    assign at      = dut.u_state.mem_q[k];
    assign fits[k] = !dut.busy_q[k/2][k%2] || (at.mode != NbIdle && at.partial < 32'd16 && (at.partial & ~at.waiting) == '0);
  end
  `ASSERT(PartsFit, fits == '1 && (dut.parts_q == '0 || (dut.parts_q < 32'd16 && dut.part_rel_q.cta < 5'd2 && launched_q[dut.part_rel_q.cta[0]]
          && {dut.part_rel_q.id_hi, dut.part_rel_q.id} < 6'd2)))
  `ASSERT(ScannedAreOpen, (dut.scan_q & ~dut.busy_q[dut.exit_cta_q[0]]) == '0)
  `ASSERT(PartsAreOfAClosedOne, dut.parts_q == '0 || !dut.busy_q[dut.part_rel_q.cta[0]][dut.part_rel_q.id[0]])
  `ASSERT(LastLeavesNobody, !(dut.exit_last_q && dut.scan_q != '0) || live_q[dut.exit_cta_q[0]] == '0)
  `ASSERT(LastIsKnown, !dut.exit_valid_q || dut.exit_last_q == ((live_q[dut.exit_cta_q[0]] & ~(4'd1 << dut.exit_warp_q[1:0])) == '0))
  `ASSERT(LeaverFits, !(dut.exit_valid_q || dut.scan_q != '0) || (dut.exit_cta_q < 5'd2 && dut.exit_warp_q < 5'd4 && launched_q[dut.exit_cta_q[0]]))
  `COVER(PartBesideNextGeneration, due_q && in_parts && arr_valid_i && arr_i.cta == 5'(sym_cta_q) && arr_i.warp == 5'(sym_warp_q))
  `COVER(NamedAsPart, named && rel_o.lanes != '1)
`endif
`ifdef FV_ANSWER
  // BAR-012, D-03: each arrival with lanes that do not wait, and each refusal, gets one answer, in order, with its tag and lanes.
  logic follow_q, asks, refused, comes;
  logic [2:0] ahead_q;
  logic [11:0] tag_q;
  mask_t lanes_q;
  cause_e cause_q;
  assign refused = !legal || arr_i.arg0 > 32'd15;
  assign asks    = commit_arr && (refused || (arr_i.lanes & ~arr_i.wait_lanes) != 0);
  assign comes   = rsp_valid_o && rsp_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {follow_q, ahead_q, tag_q, lanes_q} <= '0;
      cause_q <= CauseDone;
    end else if (asks && pick_i && !follow_q) begin
      follow_q <= 1'b1;
      ahead_q  <= 3'(dut.u_rsp.count_q) - 3'(comes);
      tag_q    <= arr_i.tag;
      lanes_q  <= refused ? arr_i.lanes : arr_i.lanes & ~arr_i.wait_lanes;
      cause_q  <= refused ? CauseRefused : CauseDone;
    end else if (follow_q && comes) begin
      follow_q <= ahead_q != 0;
      ahead_q  <= ahead_q - 3'(ahead_q != 0);
    end
  end
  `ASSERT(AnswerComes, !follow_q || ahead_q < 3'(dut.u_rsp.count_q))
  `ASSERT(AnswerIsOwn, !(follow_q && ahead_q == 0 && comes) || (rsp_o.tag == tag_q && rsp_o.lanes == lanes_q && rsp_o.cause == cause_q && rsp_o.last))
  `ASSERT(NothingUnasked, asks == dut.rsp_push)
  typedef struct packed {
    logic [4:0]  cta;
    logic [4:0]  warp;
    logic [11:0] tag;
    mask_t       lanes;
    cause_e      cause;
  } entry_t;
  entry_t entry;
  assign entry = entry_t'(dut.u_rsp.u_data.mem_q[dut.u_rsp.rptr_q + 1'(ahead_q)]);
  `ASSERT(FollowedIsThere, !follow_q || (entry.tag == tag_q && entry.lanes == lanes_q && entry.cause == cause_q))
`endif
`endif
endmodule
