// prove: name=idle engine=kind depth=3 files=gsu_join_pkg,gsu_ram,gsu_delay,gsu_cluster_report,gsu_cluster_barrier define=FV_TIME skip=AliveIsKnown|WaitReports|NobodyWaits|WaiterIs|GoneHas|ReleaseNames|OwnCompletions|OneOpen|u_self
// prove: name=pair engine=kind depth=2 flat=1 files=gsu_join_pkg,gsu_ram,gsu_delay,gsu_cluster_report,gsu_cluster_barrier,gsu_net_cbar define=FV_PAIR skip=IdleHolds|OutputHolds|SilentWhenEmpty limit=900
// prove: name=life engine=cover cover=20 flat=1 files=gsu_join_pkg,gsu_ram,gsu_delay,gsu_cluster_report,gsu_cluster_barrier,gsu_net_cbar define=FV_PAIR,FV_LIFE skip=[.]Full$|WrapsAround|AloneFlips|TwoFreeTogether|GonePasses|Frees$|NewsWaits|Stalled|ArriveThenGone|CompletedByExit|FlipByGone|DoubleArrive|NobodyIsLeft limit=600
// prove: name=again engine=cover cover=26 flat=1 files=gsu_join_pkg,gsu_ram,gsu_delay,gsu_cluster_report,gsu_cluster_barrier,gsu_net_cbar define=FV_PAIR,FV_AGAIN skip=^(?!.*LaunchedAgain) limit=600
// prove: name=exits engine=cover cover=10 flat=1 files=gsu_join_pkg,gsu_ram,gsu_delay,gsu_cluster_report,gsu_cluster_barrier,gsu_net_cbar define=FV_PAIR skip=[.]Full$|WrapsAround|AloneFlips|TwoFreeTogether|GonePasses|Frees$|NewsWaits|Stalled|ArriveThenGone|WaitAfter|SecondGen|TwoCtas|FastCta|NobodyIsLeft limit=300
// prove: name=alone engine=kind depth=2 flat=1 files=gsu_join_pkg,gsu_ram,gsu_delay,gsu_cluster_report,gsu_cluster_barrier define=FV_ALONE skip=IdleHolds|OutputHolds|SilentWhenEmpty limit=900
// Harness of the cluster barrier: two CTAs of up to two warps. Task pair: both in one cluster, with the real network half behind the ports;
// launched any number of times; task alone: two clusters of one, launched once. A reference follows the commits; time stands still except in task idle.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_cluster_barrier_fv
  import gsu_pkg::*;
  import gsu_join_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cycle_t any_now_i,
    input cfg_t any_cfg_i,
    input logic launch_valid_i,
    input launch_t any_launch_i,
    input logic [5:0] launch_nwarps_i,
    input logic arr_valid_i,
    input warp_arr_t arr_i,
    input logic wexit_valid_i,
    input logic [4:0] wexit_cta_i,
    input logic [4:0] wexit_warp_i,
    input logic wexit_last_i,
    input logic any_up_ready_i,
    input logic any_dn_valid_i,
    input cb_dn_t any_dn_i,
    input logic [31:0] any_sending_i,
    input logic rsp_ready_i,
    input logic rel_ready_i
);
  logic launch_ready_o, arr_ready_o, wexit_ready_o, cb_up_valid_o, cb_up_ready_i, cb_dn_valid_i, cb_dn_ready_o;
  logic rsp_valid_o, rel_valid_o, tap_valid_o, free_valid_o, idle_o;
  launch_t launch_i;
  cb_up_t cb_up_o;
  cb_dn_t cb_dn_i;
  sync_rsp_t rsp_o;
  release_t rel_o;
  tap_t tap_o;
  logic [4:0] free_cta_o;
  logic [31:0] open_o, sending_i;
  logic [1:0] alive_o;
  logic [1:0] net_alive[2];
  assign sending_i = any_sending_i;  // any value at any time: gsu_order_path shows its meaning
  cycle_t next_event_o, now_i;
  cfg_t cfg_i;
  gsu_cluster_barrier #(.Ctas(2), .Clusters(2), .RelDepth(2), .RspDepth(2)) dut (.*);
  `FV_RESET

`ifdef FV_TIME
  assign now_i         = any_now_i;
  assign cfg_i         = any_cfg_i;
  assign launch_i      = any_launch_i;
  assign cb_up_ready_i = any_up_ready_i;
  assign cb_dn_valid_i = any_dn_valid_i;
  assign cb_dn_i       = any_dn_i;
`else
  assign now_i = '1;  // every deadline has come
  assign cfg_i = '0;
  logic unused;
  assign unused = &{any_now_i, any_cfg_i, any_up_ready_i, any_dn_valid_i, any_dn_i};

  ////// Commits //////
  logic arrive, wait_, leave, flipped, c, w;
  assign c       = tap_o.cta[0];
  assign w       = tap_o.warp[0];
  assign arrive  = tap_valid_o && tap_o.op == OpClusterArrive && !tap_o.refused;
  assign wait_   = tap_valid_o && tap_o.op == OpClusterWait && !tap_o.refused;
  assign leave   = tap_valid_o && tap_o.op == OpEvWarpExit;
  assign flipped = tap_valid_o && tap_o.op == OpEvClusterFlip;

  ////// Environment: each CTA is launched once in a life of its slot; blocked warps are silent //////
  logic again;                                   // both slots are free: a new life, with new routes and launches
  logic [1:0] launched_q, pending_q;             // pending: the generation is complete, and the CTA has not been notified yet
  logic [1:0][1:0] live_q, arrived_q, done_q, owed_q, waiting_q;  // done: the generation of its arrival is complete
  logic configured, complete;
  logic [1:0] completes;                         // per CTA
  `ASSUME(TwoWarps, launch_nwarps_i <= 2 && arr_i.warp < 2 && wexit_warp_i < 2)
  `ASSUME(LaunchOnce, !launch_valid_i || (configured && !launched_q[launch_i.cta[0]]))
  `ASSUME(ArrivalOfLive, !arr_valid_i || (arr_i.cta < 2 && live_q[arr_i.cta[0]][arr_i.warp[0]] && !waiting_q[arr_i.cta[0]][arr_i.warp[0]]))
  `ASSUME(ExitOfLive, !wexit_valid_i || (wexit_cta_i < 2 && live_q[wexit_cta_i[0]][wexit_warp_i[0]] && !waiting_q[wexit_cta_i[0]][wexit_warp_i[0]]))
  `ASSUME(LeaverSilent, !dut.exit_valid_q || !((arr_valid_i && {arr_i.cta, arr_i.warp} == {dut.exit_cta_q, dut.exit_warp_q})
          || (wexit_valid_i && {wexit_cta_i, wexit_warp_i} == {dut.exit_cta_q, dut.exit_warp_q})))
  `ASSUME(ArrivesOrLeaves, !(arr_valid_i && wexit_valid_i) || {arr_i.cta, arr_i.warp} != {wexit_cta_i, wexit_warp_i})
  logic [1:0][1:0] released, waits;
  always_comb begin
    released = '0;
    waits    = '0;
    if (rel_valid_o && rel_ready_i) released[rel_o.cta[0]] = rel_o.warps[1:0];
    if (wait_) waits[c][w] = 1'b1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {launched_q, pending_q, live_q, arrived_q, done_q, owed_q, waiting_q} <= '0;
    end else begin
      if (launch_valid_i) begin
        launched_q[launch_i.cta[0]] <= 1'b1;
        live_q[launch_i.cta[0]]     <= launch_nwarps_i == 2 ? 2'b11 : 2'b01;
      end
      for (int k = 0; k < 2; k++) begin
        if (completes[k]) begin
          done_q[k]    <= done_q[k] | arrived_q[k];
          arrived_q[k] <= '0;
          pending_q[k] <= !flipped;
        end
      end
      if (flipped) pending_q[c] <= 1'b0;
      if (arrive && !tap_o.errs[CbErrDouble]) begin
        arrived_q[c][w] <= 1'b1;
        owed_q[c][w]    <= 1'b1;
        done_q[c][w]    <= 1'b0;
      end
      if (wait_) begin
        owed_q[c][w]    <= 1'b0;
      end
      if (leave) begin
        live_q[c][w] <= 1'b0;
        owed_q[c][w] <= 1'b0;
      end
      waiting_q <= (waiting_q & ~released) | waits;
      if (again) {launched_q, pending_q, arrived_q, done_q, owed_q} <= '0;
    end
  end
  logic r;
  assign r = rel_o.cta[0];
  // CLU-007, CLU-011, D-49: no wait passes before its generation is complete; each waiter passes once; the two ways agree.
  `ASSERT(ReleaseOfWaitersOnly, !rel_valid_o || (rel_o.warps & ~32'(waiting_q[r])) == '0)
  `ASSERT(ReleaseAfterCompletion, !rel_valid_o || (rel_o.warps & ~32'(done_q[r])) == '0)
  // An arrival between the completion and its message belongs to the old generation, because the CTA has not been notified yet.
  `ASSERT(DoubleIsReported, !arrive || tap_o.errs[CbErrDouble] == (arrived_q[c][w] || pending_q[c]))
  `ASSERT(WaitNeedsArrive, !wait_ || owed_q[c][w])
  `ASSERT(UnwaitedIsReported, !leave || tap_o.errs[CbErrUnwaited] == owed_q[c][w])
  `ASSERT(LiveIsExact, !(leave || arrive || wait_) || tap_o.old_w[63:32] == 32'(live_q[c]))
`ifdef FV_PAIR
  `ASSERT(FlipOncePerGeneration, !flipped || pending_q[c])
`endif
  `ASSERT(FreeOnlyWhenGone, !free_valid_o || (launched_q[free_cta_o[0]] && live_q[free_cta_o[0]] == '0))
  // Helper properties for induction: the unit's record of a CTA follows from the commits; a waiting warp is in the record or in the queue of releases.
  typedef struct packed {
    mask_t live, arrived, owed, mine, waiting;
    logic gen;
  } record_t;
  record_t [1:0] record;
  release_t [1:0] rel;
  logic [1:0] rel_in;
  logic [1:0][1:0] in_rel;
  assign rel       = {release_t'(dut.u_rel.u_data.mem_q[!dut.u_rel.rptr_q]), release_t'(dut.u_rel.u_data.mem_q[dut.u_rel.rptr_q])};
  assign rel_in    = {dut.u_rel.count_q == 2, dut.u_rel.count_q != 0};
  `ASSERT(LeaverFits, !dut.exit_valid_q || (dut.exit_cta_q < 2 && dut.exit_warp_q < 2 && live_q[dut.exit_cta_q[0]][dut.exit_warp_q[0]]
          && !waiting_q[dut.exit_cta_q[0]][dut.exit_warp_q[0]]))
  for (genvar k = 0; k < 2; k++) begin : gen_record
    assign record[k]    = record_t'(dut.part_q[k]);
    assign in_rel[k]    = (rel_in[0] && rel[0].cta == 5'(k) ? rel[0].warps[1:0] : 2'd0) | (rel_in[1] && rel[1].cta == 5'(k) ? rel[1].warps[1:0] : 2'd0);
    `ASSERT(NothingBeforeLaunch, launched_q[k] || {live_q[k], arrived_q[k], owed_q[k], waiting_q[k], done_q[k], pending_q[k]} == '0)
    `ASSERT(RecordFits, !launched_q[k] || ((record[k].live | record[k].arrived | record[k].owed | record[k].waiting) & ~32'h3) == '0)
    `ASSERT(RecordAgrees, !launched_q[k] || (record[k].live[1:0] == live_q[k] && record[k].owed[1:0] == owed_q[k]
            && (live_q[k] == '0 || (pending_q[k] ? arrived_q[k] == '0 && (live_q[k] & ~record[k].arrived[1:0]) == '0 : arrived_q[k] == record[k].arrived[1:0]))))
    `ASSERT(WaitersAreSomewhere, !launched_q[k] || (waiting_q[k] == (record[k].waiting[1:0] | in_rel[k]) && (record[k].waiting[1:0] & in_rel[k]) == '0))
    for (genvar v = 0; v < 2; v++) begin : gen_warp
      `ASSERT(WaiterIsArrived, !(launched_q[k] && record[k].waiting[v]) || (live_q[k][v] && record[k].arrived[v] && !owed_q[k][v] && record[k].mine[v] == record[k].gen))
      `ASSERT(OwedIsLive, !(launched_q[k] && owed_q[k][v]) || (live_q[k][v] && (record[k].mine[v] == record[k].gen) == record[k].arrived[v]))
      `ASSERT(ArrivedOwesOrWaits, !(launched_q[k] && record[k].arrived[v] && live_q[k][v]) || owed_q[k][v] || record[k].waiting[v])
      `ASSERT(DoneIsFlippedOrPending, !(launched_q[k] && (owed_q[k][v] || record[k].waiting[v])) || done_q[k][v] == (!record[k].arrived[v] || pending_q[k]))
      `ASSERT(ReleasedIsDone, !in_rel[k][v] || (done_q[k][v] && launched_q[k] && live_q[k][v] && !owed_q[k][v] && !record[k].arrived[v]))
    end
    `ASSERT(SentIsFull, !dut.sent_q[k] || ((live_q[k] & ~record[k].arrived[1:0]) == '0 && record[k].arrived != '0))
    `ASSERT(FullIsSent, !(launched_q[k] && live_q[k] != '0 && record[k].arrived != '0 && (live_q[k] & ~record[k].arrived[1:0]) == '0) || dut.sent_q[k])
    `ASSERT(ReleasesFit, !rel_in[k] || (rel[k].cluster && rel[k].cta < 2 && rel[k].warps != '0 && (rel[k].warps & ~32'h3) == '0))
  end
  `ASSERT(NobodyReleasedTwice, rel_in != '1 || rel[0].cta != rel[1].cta || (rel[0].warps & rel[1].warps) == '0)
`endif

`ifdef FV_PAIR
  // Both CTAs belong to cluster 1 and are on SM 0 of two; the routes come first.
  logic [1:0] step_q;
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) step_q <= '0; else step_q <= again ? '0 : step_q + 2'(step_q != 2);
  assign configured = step_q == 2;
  clus_cfg_t clus;
  assign clus     = '{ctas: 5'd2, cta: {4'd0, step_q[0]}, rank: {4'd0, step_q[0]}, sm: '0, clus: 6'd1, default: '0};
  assign launch_i = '{ctas: 5'd2, cta: {4'd0, any_launch_i.cta[0]}, rank: {4'd0, any_launch_i.cta[0]}, clus: 6'd1, default: '0};
  assign net_alive = '{alive_o, 2'b00};
  logic [1:0] dn_valid;
  logic net_tap_valid, net_idle, net_free, net_drain;
  logic [5:0] net_free_clus;
  tap_t net_tap;
  cycle_t net_next;
  gsu_net_cbar #(.Sms(2), .Clusters(2), .DownDepth(2)) u_net (
      .clk_i, .rst_ni, .now_i, .cfg_i, .clus_valid_i(step_q != 2), .clus_i(clus),
      .up_valid_i(cb_up_valid_o), .up_ready_o(cb_up_ready_i), .up_i(cb_up_o), .alive_i(net_alive),
      .dn_valid_o(dn_valid), .dn_ready_i({1'b1, cb_dn_ready_o}), .dn_o(cb_dn_i),
      .drain_o(net_drain), .drained_i(1'b1), .free_valid_o(net_free), .free_clus_o(net_free_clus), .tap_valid_o(net_tap_valid), .tap_o(net_tap), .idle_o(net_idle), .next_event_o(net_next)
  );
  assign cb_dn_valid_i = dn_valid[0];
  assign complete      = net_tap_valid && net_tap.op == OpEvClusterFlip;
  assign completes     = {2{complete}};
  // CLU-005, CLU-009, CLU-010, D-46, D-47: a generation completes once, and only when every CTA is launched and each live warp has arrived.
  `ASSERT(AllArrived, !complete || ((live_q[0] & ~arrived_q[0]) == '0 && (live_q[1] & ~arrived_q[1]) == '0))
  `ASSERT(SomebodyIsLeft, !complete || live_q != '0)  // D-48
  `ASSERT(AllLaunched, !complete || launched_q == 2'b11)
  `ASSERT(GenerationsDistinct, !complete || pending_q == '0)
  `ASSERT(FreeTogether, !free_valid_o || (live_q == '0 && launched_q == 2'b11))
  // D-70: when nothing moves, every complete generation has been announced and no wait that may pass is left.
  logic quiet;
  assign quiet = idle_o && sending_i[1:0] == '0 && net_idle && now_i < net_next && !cb_up_valid_o && dn_valid == '0 && !(launch_valid_i) && configured && launched_q == 2'b11;
  `ASSERT(NoneForgotten, !quiet || ((waiting_q[0] & done_q[0]) == '0 && (waiting_q[1] & done_q[1]) == '0))
  `ASSERT(NoCompletionMissed, !quiet || live_q == '0 || (arrived_q == '0) || (live_q[0] & ~arrived_q[0]) != '0 || (live_q[1] & ~arrived_q[1]) != '0)
  // And the place of each report and each message.
  typedef struct packed {
    logic [1:0] sms;
    logic [15:0] all, launched, gone, arrived;
  } cluster_t;
  typedef struct packed {
    logic [1:0] sms;
    cb_dn_t news;
  } down_t;
  cluster_t cluster;
  down_t [1:0] down;
  logic [1:0] freed_d, counted_q, down_in, walk, gone, news_flip, launching, arriving, leaving, launch_up, arrive_up, gone_up;
  logic freed_q, at_port, up, walk_flip;
  logic [1:0] ended_q, ends;  // slots that the unit has given back in this life
  cb_up_t up_report;
  assign cluster   = cluster_t'(u_net.cluster_q[1]);
  assign down      = {down_t'(u_net.u_down.u_data.mem_q[!u_net.u_down.rptr_q]), down_t'(u_net.u_down.u_data.mem_q[u_net.u_down.rptr_q])};
  assign down_in   = {u_net.u_down.count_q == 2, u_net.u_down.count_q != 0};
  assign walk      = dut.walk_q;
  assign walk_flip = walk != '0 && dut.walk_kind_q == CbDnFlip;
  assign at_port   = dn_valid[0];
  assign up        = dut.u_report.valid_q;
  assign up_report = dut.u_report.up_q;
  assign {launching, arriving, leaving} = {dut.u_report.launch_q, dut.u_report.arrive_q, dut.u_report.gone_q};
  assign news_flip = 2'(down_in[0] && down[0].news.kind == CbDnFlip) + 2'(down_in[1] && down[1].news.kind == CbDnFlip) + 2'(at_port && cb_dn_i.kind == CbDnFlip);
  assign freed_d   = 2'(down_in[0] && down[0].news.kind == CbDnFree) + 2'(down_in[1] && down[1].news.kind == CbDnFree) + 2'(at_port && cb_dn_i.kind == CbDnFree);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {freed_q, counted_q, ended_q} <= '0;
    else if (again) {freed_q, counted_q, ended_q} <= '0;
    else begin
      ended_q <= ended_q | ends;
      if (net_free) freed_q <= 1'b1;
      // The CTAs whose arrivals the completion took.
      if (complete) counted_q <= net_tap.old_w[1:0] | (cb_up_o.kind == CbUpArrive ? 2'd1 << cb_up_o.rank[0] : 2'd0);
      else if (flipped) counted_q[c] <= 1'b0;
    end
  end
  assign ends  = free_valid_o ? 2'd1 << free_cta_o[0] : '0;
  assign again = ended_q == '1;
  `ASSERT(EndsOnce, (ends & ended_q) == '0)
  for (genvar k = 0; k < 2; k++) begin : gen_end
    `ASSERT(EndIsOnItsWay, 2'(ended_q[k]) + 2'(ends[k]) + 2'(walk[k] && dut.walk_kind_q == CbDnFree) == 2'(freed_q && freed_d == '0))
  end
  `ASSERT(Steps, step_q <= 2 && (step_q == 2 || (launched_q == '0 && !freed_q)) && u_net.known_q == {step_q != 0 && !freed_q, 1'b0})
  `ASSERT(ClusterKnown, step_q == 0 || (cluster.all == 16'h3 && cluster.sms == 2'b01 && ((cluster.launched | cluster.gone | cluster.arrived) & ~16'h3) == '0))
  `ASSERT(FreedIsGone, !(freed_q || u_net.ending_q[1] || u_net.draining_q[1]) || (step_q == 2 && cluster.gone == 16'h3))
  `ASSERT(EndsInTime, u_net.ending_q[0] == 1'b0 && u_net.draining_q[0] == 1'b0 && (freed_q ? {u_net.ending_q[1], u_net.draining_q[1]} == '0
          : step_q == 0 || (cluster.gone == 16'h3) == (u_net.ending_q[1] != u_net.draining_q[1])))
  `ASSERT(NoneHangs, step_q == 0 || cluster.arrived == '0 || live_q == '0 || (cluster.arrived | cluster.gone) != 16'h3)
  `ASSERT(AliveIsExact, alive_o == {live_q != '0, 1'b0})
  `ASSERT(ReportFits, !up || (up_report.clus == 6'd1 && up_report.rank < 2 && up_report.kind <= CbUpGone && step_q == 2))
  `ASSERT(NoSelf, dut.u_self.count_q == '0 && dut.flipping_q == '0)
  for (genvar k = 0; k < 2; k++) begin : gen_cta
    assign gone[k]      = launched_q[k] && live_q[k] == '0;
    assign launch_up[k] = up && up_report.rank == 5'(k) && up_report.kind == CbUpLaunch;
    assign arrive_up[k] = up && up_report.rank == 5'(k) && up_report.kind == CbUpArrive;
    assign gone_up[k]   = up && up_report.rank == 5'(k) && up_report.kind == CbUpGone;
    `ASSERT(LiveIsTold, dut.live_q[k] == (live_q[k] != '0))
    `ASSERT(HomeIsOne, !launched_q[k] || (dut.home_q[k] == {1'b0, 6'd1} && dut.u_report.home_q[k] == {5'(k), 6'd1}))
    `ASSERT(SentIsSomewhere, !launched_q[k] || 3'(dut.sent_q[k]) == 3'(arriving[k]) + 3'(arrive_up[k]) + 3'(cluster.arrived[k]) + 3'(counted_q[k]))
    `ASSERT(CountedIsPending, !counted_q[k] || pending_q[k])
    `ASSERT(PendingIsCounted, !pending_q[k] || counted_q[k] || cluster.gone[k])
    `ASSERT(LaunchIsSomewhere, step_q == 0 || 2'(launched_q[k]) == 2'(launching[k]) + 2'(launch_up[k]) + 2'(cluster.launched[k]))
    `ASSERT(EndIsSomewhere, step_q == 0 || 2'(gone[k]) == 2'(leaving[k]) + 2'(gone_up[k]) + 2'(cluster.gone[k]))
    `ASSERT(NothingReported, step_q != 0 || {launching, arriving, leaving, up} == '0)
    `ASSERT(LaunchFirst, step_q == 0 || !(arrive_up[k] || gone_up[k] || cluster.arrived[k] || cluster.gone[k]) || cluster.launched[k])
    `ASSERT(EndLast, step_q == 0 || !(gone_up[k] || cluster.gone[k]) || !(arriving[k] || arrive_up[k]))
    `ASSERT(ArrivingIsLaunched, !(arriving[k] || leaving[k]) || launched_q[k])
    `ASSERT(NewsFit, !down_in[k] || (down[k].sms == 2'b01 && down[k].news.clus == 6'd1 && down[k].news.kind <= CbDnFree))
  end
  `ASSERT(PortFits, !dn_valid[1] && (!at_port || (cb_dn_i.clus == 6'd1 && cb_dn_i.kind <= CbDnFree)))
  `ASSERT(NewsMeansLaunched, !(down_in != '0 || at_port || walk != '0) || launched_q == '1)
  `ASSERT(FlipIsSomewhere, pending_q == (news_flip == 1 ? 2'b11 : walk_flip ? walk : 2'b00) && 3'(walk_flip) + 3'(news_flip) <= 3'd1)
  `ASSERT(NoArrivalBeforeTheNews, pending_q == '0 || step_q == 0 || {cluster.arrived, arriving, arrive_up} == '0)
  `ASSERT(WalksDown, walk != 2'b01 && (walk == '0 || dut.walk_kind_q <= CbDnFree))
  `ASSERT(FirstHasNotSent, walk != 2'b10 || !walk_flip || !dut.sent_q[0])
  `ASSERT(MembersAgree, dut.known_q[0] == 1'b0 && (!dut.known_q[1] || dut.member_q[1] == launched_q))
  `ASSERT(FreeIsLast, (!(walk != '0 && dut.walk_kind_q == CbDnFree) || (!at_port && down_in == '0)) && (!(at_port && cb_dn_i.kind == CbDnFree) || down_in == '0)
          && !(down_in[1] && down[0].news.kind == CbDnFree))
  `ASSERT(FreedOnce, freed_d <= 2'(freed_q) && dut.known_q[1] == (launched_q != '0 && (!freed_q || freed_d != 0)))
  `ASSERT(NothingAfterFree, !(freed_q && freed_d == 0) || (down_in == '0 && !at_port && (walk == '0 || dut.walk_kind_q == CbDnFree)))
  `ASSERT(FreeNeedsFreed, !(dut.free_valid_q || (walk != '0 && dut.walk_kind_q == CbDnFree)) || freed_q)
  `ASSERT(FreeNamesCta, !dut.free_valid_q || dut.free_cta_q < 2)
`ifdef FV_LIFE
  `ASSUME(OneWarpStays, launch_nwarps_i == 1 && !wexit_valid_i && rel_ready_i && rsp_ready_i)  // the covers come sooner
`endif
`ifdef FV_AGAIN
  `ASSUME(OneWarpLeaves, launch_nwarps_i == 1 && !arr_valid_i && sending_i == '0 && rel_ready_i && rsp_ready_i)  // the cover comes sooner
  logic lived_q;
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) lived_q <= 1'b0; else lived_q <= lived_q || again;
  `COVER(LaunchedAgain, lived_q && launched_q != '0)
`endif
  `COVER(FastCtaArrivesAgain, arrive && pending_q != '0)
  logic completed_q;
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) completed_q <= 1'b0; else completed_q <= completed_q || complete;
  `COVER(SecondGeneration, complete && completed_q)
`endif
`ifdef FV_ALONE
  assign again = 1'b0;
  // CLU-024, D-52: each CTA is a cluster of its own.
  assign configured    = 1'b1;
  assign launch_i      = '{ctas: 5'd1, cta: {4'd0, any_launch_i.cta[0]}, default: '0};
  assign cb_up_ready_i = 1'b1;
  assign cb_dn_valid_i = 1'b0;
  assign cb_dn_i       = '0;
  assign complete      = flipped;
  always_comb begin
    completes = '0;
    if (flipped) completes[c] = 1'b1;
  end
  `ASSERT(AllArrivedAlone, !flipped || (live_q[c] & ~arrived_q[c]) == '0)
  `ASSERT(SilentToNetwork, !cb_up_valid_o)
  `ASSERT(NoneForgottenAlone, !idle_o || (waiting_q & done_q) == '0)
  `ASSERT(NoCompletionMissedAlone, !idle_o || ((live_q[0] == '0 || arrived_q[0] == '0 || (live_q[0] & ~arrived_q[0]) != '0)
          && (live_q[1] == '0 || arrived_q[1] == '0 || (live_q[1] & ~arrived_q[1]) != '0)))
  // The place of a completion on its way; nothing else is on the way.
  logic [1:0] self_in, self;
  assign self_in = {dut.u_self.count_q == 2, dut.u_self.count_q != 0};
  assign self    = {dut.u_self.u_data.mem_q[!dut.u_self.rptr_q], dut.u_self.u_data.mem_q[dut.u_self.rptr_q]};
  for (genvar k = 0; k < 2; k++) begin : gen_alone
    `ASSERT(NothingSentBeforeLaunch, launched_q[k] || !dut.sent_q[k])
    `ASSERT(HomeIsAlone, !launched_q[k] || dut.home_q[k] == {1'b1, 6'd0})
    `ASSERT(SentIsOnItsWay, 2'(dut.sent_q[k]) == 2'(self_in[0] && self[0] == 1'(k)) + 2'(self_in[1] && self[1] == 1'(k)))
  end
  `ASSERT(NothingElse, {dut.live_q, alive_o, dut.walk_q, dut.known_q, pending_q} == '0 && dut.flipping_q == dut.sent_q)
  `ASSERT(NothingToTell, {dut.u_report.launch_q, dut.u_report.arrive_q, dut.u_report.gone_q, dut.u_report.valid_q} == '0)
  `ASSERT(FreeNamesCta, !dut.free_valid_q || (dut.free_cta_q < 2 && launched_q[dut.free_cta_q[0]] && live_q[dut.free_cta_q[0]] == '0))
`endif
endmodule
