// gsu_cluster_barrier: the SM's half of the cluster barriers, with the entry and exit gates of the CTA slots. It counts the arrivals of each CTA's warps
// and reports a CTA to the network once in each generation. The other half is gsu_net_cbar.
// Rules: CLU-005..015, CLU-024, CLU-025, D-46..D-53.
// Limitations: a refusal is answered through the queue of arrive answers, so up to cfg bar_arrive_lat after its commit.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_cluster_barrier
  import gsu_pkg::*;
  import gsu_join_pkg::*;
#(
    parameter int unsigned Ctas = MaxCtas,          /// CTA slots; proofs use fewer
    parameter int unsigned Clusters = MaxClusters,  /// cluster slots; proofs use fewer
    parameter int unsigned RelDepth = 32,           /// pending releases
    parameter int unsigned RspDepth = 16            /// pending answers
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  cycle_t      now_i,
    input  cfg_t        cfg_i,
    input  logic        launch_valid_i,    // pulse, only with launch_ready_o; the slot is free
    input  launch_t     launch_i,
    input  logic [5:0]  launch_nwarps_i,   // 1..32
    output logic        launch_ready_o,
    input  logic        arr_valid_i,
    output logic        arr_ready_o,
    input  warp_arr_t   arr_i,             // arrive or wait of all lanes of a live warp
    input  logic        wexit_valid_i,
    output logic        wexit_ready_o,
    input  logic [4:0]  wexit_cta_i,
    input  logic [4:0]  wexit_warp_i,      // live until now, not waiting
    input  logic        wexit_last_i,      // last live warp of its CTA
    input  logic [31:0] sending_i,         // per CTA: it has unacknowledged packets
    output logic        cb_up_valid_o,
    input  logic        cb_up_ready_i,
    output cb_up_t      cb_up_o,
    output logic [Clusters-1:0] alive_o,  // per cluster: one of its warps is live here. Falls no later than the network gets the last report of an exit
    input  logic        cb_dn_valid_i,
    output logic        cb_dn_ready_o,
    input  cb_dn_t      cb_dn_i,
    output logic        rsp_valid_o,       // answers of arrives, and refusals
    input  logic        rsp_ready_i,
    output sync_rsp_t   rsp_o,
    output logic        rel_valid_o,       // releases of waits
    input  logic        rel_ready_i,
    output release_t    rel_o,
    output logic        tap_valid_o,       // pulse with the commit
    /*verilator tracing_off*/ output tap_t        tap_o, /*verilator tracing_on*/
    output logic        free_valid_o,      // pulse: exit gate passed
    output logic [4:0]  free_cta_o,
    output logic [31:0] open_o,            // per CTA: its entry gate is open, because all CTAs of the cluster are launched
    output logic        idle_o,
    output cycle_t      next_event_o
);
  localparam int unsigned CtaW = $clog2(Ctas);
  localparam int unsigned CluW = $clog2(Clusters);
  typedef logic [CtaW-1:0] cta_t;
  typedef logic [CluW-1:0] clu_t;
  typedef logic [Ctas-1:0] ctas_t;
  typedef struct packed {
    logic [4:0]  cta;
    logic [4:0]  warp;
    logic [11:0] tag;
    mask_t       lanes;
    cause_e      cause;
  } answer_t;
  // The cluster place of a CTA, fixed from launch on.
  typedef struct packed {
    logic       alone;  // a cluster of one: no network
    logic [5:0] clus;
  } home_t;
  // State of the warps of a CTA.
  typedef struct packed {
    mask_t live;
    mask_t arrived;     // counted in this generation
    mask_t owed;        // warps that have arrived and not waited since
    mask_t mine;        // generation bit of the latest arrive
    mask_t waiting;     // blocked in wait
    logic  gen;
  } part_t;

  ////// State //////
  home_t      home_q[Ctas];           // valid from launch on
  part_t      part_q[Ctas];           // valid from launch on
  ctas_t      sent_q;                 // the arrival of this generation has been reported
  ctas_t      open_q;
  ctas_t      flipping_q;             // the CTA is a cluster of one, and its completion is pending
  ctas_t      member_q[Clusters];     // CTA slots of a cluster; valid where known_q
  logic [Clusters-1:0] known_q;
  ctas_t      live_q;                 // the CTA is of a cluster of several CTAs, and has a live warp
  logic [Clusters-1:0] alive_q;       // live_q by cluster
  logic [Clusters-1:0] opened_q;      // all its CTAs are launched. The next launch belongs to the slot's next cluster, and waits until this one has ended
  logic       exit_valid_q, exit_turn_q;
  logic [4:0] exit_cta_q, exit_warp_q;
  cb_dn_e     walk_kind_q;
  ctas_t      walk_q;                 // CTAs that must still get the present message of the network
  logic       free_valid_q;
  logic [4:0] free_cta_q;

  ////// The commit of this clock: a message of the network, a completion here, an arrival, or an exit //////
  logic walking, rel_space, rsp_space, do_walk, do_self, do_arr, do_exit, self_valid, self_empty, self_space;
  cta_t self_cta, walk_cta;
  assign walking        = |walk_q;
  assign do_walk        = walking && rel_space;
  assign do_self        = self_valid && !walking && rel_space;
  assign arr_ready_o    = !walking && !self_valid && !exit_turn_q && rel_space && rsp_space;
  assign do_arr         = arr_valid_i && arr_ready_o;
  assign do_exit        = exit_valid_q && !walking && !self_valid && (exit_turn_q || !arr_valid_i) && rel_space && rsp_space;
  assign wexit_ready_o  = !exit_valid_q;
  assign launch_ready_o = !exit_valid_q && !walking && !self_valid && (launch_i.ctas == 5'd1 || !opened_q[clu_t'(launch_i.clus)]);
  assign cb_dn_ready_o  = !walking;

  always_comb begin
    walk_cta = '0;
    if (walking) walk_cta = cta_t'(lowest_of(64'(walk_q)));
  end

  cta_t        cta;
  part_t       part_d, part;
  home_t       home;
  logic        of_arr, active, flip, wait_form, all_in, refused, passes, report, gone, last, to_free;
  logic [15:0] errs;
  logic [4:0]  warp;
  mask_t       rel_warps;
  assign active    = do_walk || do_self || do_arr || do_exit;
  assign flip      = (do_walk && walk_kind_q == CbDnFlip) || do_self;
  assign wait_form = arr_i.op == OpClusterWait;
  assign of_arr    = arr_valid_i && !exit_turn_q;  // the arrival's state is read. Decided early: the read runs in parallel with the choice of the commit
  assign warp      = of_arr ? arr_i.warp : exit_warp_q;
  always_comb begin
    cta = cta_t'(of_arr ? arr_i.cta : exit_cta_q);
    if (self_valid) cta = self_cta;
    if (walking) cta = walk_cta;
  end

  always_comb begin
    part      = '0;
    home      = '0;
    part_d    = '0;
    errs      = '0;
    refused   = 1'b0;
    passes    = 1'b0;  // a wait whose generation had completed
    rel_warps = '0;
    all_in    = 1'b0;  // the other live warps have arrived
    report    = 1'b0;  // all live warps of the CTA have arrived, and this generation has not been reported; a CTA that is gone needs no report
    gone      = 1'b0;
    last      = 1'b0;  // the last live warp of the cluster here exits
    to_free   = 1'b0;
    if (active) begin
      part   = part_q[cta];
      home   = home_q[cta];
      part_d = part;
      if (flip) begin
        part_d.gen     = !part.gen;
        part_d.arrived = '0;
        rel_warps      = part.waiting & (part.mine ^ {32{part_d.gen}});
        part_d.waiting = part.waiting & ~rel_warps;
      end
      if (do_arr) begin
        errs[CbErrDiverged] = arr_i.diverged;
        errs[CbErrNoArrive] = wait_form && !part.owed[warp];
        refused             = errs[CbErrDiverged] || errs[CbErrNoArrive];
        if (!refused && wait_form) begin
          passes            = part.mine[warp] != part.gen;
          part_d.owed[warp] = 1'b0;
          if (passes) rel_warps[warp] = 1'b1;
          else part_d.waiting[warp] = 1'b1;
        end else if (!refused) begin
          errs[CbErrDouble]    = part.arrived[warp];
          errs[CbErrUnwaited]  = part.owed[warp] && !part.arrived[warp];
          part_d.arrived[warp] = 1'b1;
          part_d.owed[warp]    = 1'b1;
          part_d.mine[warp]    = part.gen;
        end
      end else if (do_exit) begin
        errs[CbErrUnwaited] = part.owed[warp];
        part_d.live[warp]   = 1'b0;
        part_d.owed[warp]   = 1'b0;
      end
      all_in  = (part.live & ~part.arrived & ~(32'd1 << warp)) == '0;
      gone    = do_exit && (part.live & ~(32'd1 << warp)) == '0;
      report  = all_in && !sent_q[cta] && ((do_arr && !wait_form && !arr_i.diverged) || (do_exit && !gone && |part.arrived));
      last    = gone && !home.alone && (member_q[clu_t'(home.clus)] & live_q & ~(ctas_t'(1) << cta)) == '0;
      to_free = (do_walk && walk_kind_q == CbDnFree) || (gone && home.alone && !flipping_q[cta]) || (do_self && part.live == '0);
    end
  end

  // A cluster of one CTA completes without the network, after the time of the way there and back.
  logic   self_push;
  cycle_t self_next;
  assign self_push = report && home.alone;
  gsu_delay #(.Width(CtaW), .Depth(1 << CtaW)) u_self (
      .clk_i, .rst_ni, .now_i,
      .push_i(self_push), .space_o(self_space), .data_i(cta), .due_i(now_i + cycle_t'(cfg_i.cbar_up_lat) + cycle_t'(cfg_i.cbar_down_lat)),
      .valid_o(self_valid), .ready_i(do_self), .data_o(self_cta), .empty_o(self_empty), .next_o(self_next)
  );

  logic up_empty;
  gsu_cluster_report #(.Ctas(Ctas)) u_report (
      .clk_i, .rst_ni,
      .launch_i(launch_valid_i && launch_i.ctas != 5'd1), .launch_cta_i(cta_t'(launch_i.cta)),
      .launch_clus_i(launch_i.clus), .launch_rank_i(launch_i.rank),
      .arrive_i(report && !home.alone), .gone_i(gone && !home.alone), .cta_i(cta), .sending_i(sending_i[Ctas-1:0]),
      .cb_up_valid_o, .cb_up_ready_i, .cb_up_o, .empty_o(up_empty)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sent_q       <= '0;
      open_q       <= '0;
      flipping_q   <= '0;
      live_q       <= '0;
      alive_q      <= '0;
      known_q      <= '0;
      opened_q     <= '0;
      exit_valid_q <= 1'b0;
      exit_turn_q  <= 1'b0;
      exit_cta_q   <= '0;
      exit_warp_q  <= '0;
      walk_kind_q  <= CbDnOpen;
      walk_q       <= '0;
      free_valid_q <= 1'b0;
      free_cta_q   <= '0;
    end else begin
      if (launch_valid_i) begin
        sent_q[cta_t'(launch_i.cta)]     <= 1'b0;
        flipping_q[cta_t'(launch_i.cta)] <= 1'b0;
        open_q[cta_t'(launch_i.cta)]     <= launch_i.ctas == 5'd1;
        if (launch_i.ctas != 5'd1) {known_q[clu_t'(launch_i.clus)], alive_q[clu_t'(launch_i.clus)], live_q[cta_t'(launch_i.cta)]} <= '1;
      end
      if (gone) live_q[cta] <= 1'b0;
      if (last) alive_q[clu_t'(home.clus)] <= 1'b0;
      if (report) sent_q[cta] <= 1'b1;
      if (self_push) flipping_q[cta] <= 1'b1;
      if (flip) sent_q[cta] <= 1'b0;
      if (do_self) flipping_q[cta] <= 1'b0;
      if (do_walk && walk_kind_q == CbDnOpen) open_q[cta] <= 1'b1;
      if (to_free) open_q[cta] <= 1'b0;
      if (cb_dn_valid_i && cb_dn_ready_o) begin
        walk_kind_q <= cb_dn_i.kind;
        if (known_q[clu_t'(cb_dn_i.clus)]) walk_q <= member_q[clu_t'(cb_dn_i.clus)];
        if (cb_dn_i.kind == CbDnOpen && known_q[clu_t'(cb_dn_i.clus)]) opened_q[clu_t'(cb_dn_i.clus)] <= 1'b1;
        if (cb_dn_i.kind == CbDnFree) begin
          known_q[clu_t'(cb_dn_i.clus)]  <= 1'b0;
          opened_q[clu_t'(cb_dn_i.clus)] <= 1'b0;
        end
      end else if (do_walk) begin
        walk_q <= walk_q & (walk_q - ctas_t'(1));
      end
      if (wexit_valid_i && wexit_ready_o) begin
        exit_valid_q <= 1'b1;
        exit_cta_q   <= wexit_cta_i;
        exit_warp_q  <= wexit_warp_i;
      end else if (do_exit) begin
        exit_valid_q <= 1'b0;
      end
      if (do_exit) exit_turn_q <= 1'b0;
      else if (do_arr && exit_valid_q) exit_turn_q <= 1'b1;
      free_valid_q <= to_free;
      if (to_free) free_cta_q <= 5'(cta);
    end
  end
  always_ff @(posedge clk_i) begin
    if (active) part_q[cta] <= part_d;
    if (launch_valid_i) begin
      part_q[cta_t'(launch_i.cta)] <= '{live: ~(32'hFFFF_FFFE << (launch_nwarps_i - 6'd1)), default: '0};
      home_q[cta_t'(launch_i.cta)] <= '{alone: launch_i.ctas == 5'd1, clus: launch_i.clus};
      if (launch_i.ctas != 5'd1) begin
        member_q[clu_t'(launch_i.clus)] <= (known_q[clu_t'(launch_i.clus)] ? member_q[clu_t'(launch_i.clus)] : '0)
            | (ctas_t'(1) << cta_t'(launch_i.cta));
      end
    end
  end
  assign {free_valid_o, free_cta_o} = {free_valid_q, free_cta_q};
  assign open_o        = 32'(open_q);
  assign alive_o       = alive_q;

  ////// Answers and releases, each at its deadline //////
  logic     rel_push, rsp_push, rel_empty, rsp_empty;
  release_t rel_data;
  answer_t  rsp_data, rsp_head;
  cycle_t   rel_next, rsp_next;
  /*verilator tracing_off*/ cycle_t rsp_due; /*verilator tracing_on*/
  always_comb begin
    {rel_push, rsp_push, rel_data, rsp_data} = '0;
    if (active) begin
      // Whether rel_warps is not 0, computed in parallel with rel_warps.
      rel_push = flip ? |(part.waiting & (part.mine ^ {32{!part.gen}}))
          : do_arr && wait_form && !arr_i.diverged && part.owed[warp] && part.mine[warp] != part.gen;
      rsp_push = do_arr && (refused || !wait_form);
    end
    if (rel_push) begin
      rel_data.lanes   = '1;  // all lanes of a waiting warp wait
      rel_data.warps   = rel_warps;
      rel_data.cluster = 1'b1;
      rel_data.cta     = 5'(cta);
    end
    if (do_arr) begin
      rsp_data.cta   = arr_i.cta;
      rsp_data.warp  = arr_i.warp;
      rsp_data.tag   = arr_i.tag;
      rsp_data.lanes = arr_i.lanes;
      rsp_data.cause = refused ? CauseRefused : CauseDone;
    end
  end
  assign rsp_due = refused ? now_i : now_i + cycle_t'(cfg_i.bar_arrive_lat);

  gsu_delay #(.Width($bits(release_t)), .Depth(RelDepth)) u_rel (
      .clk_i, .rst_ni, .now_i,
      .push_i(rel_push), .space_o(rel_space), .data_i(rel_data), .due_i(now_i + cycle_t'(cfg_i.cbar_wait_lat)),
      .valid_o(rel_valid_o), .ready_i(rel_ready_i), .data_o(rel_o), .empty_o(rel_empty), .next_o(rel_next)
  );
  gsu_delay #(.Width($bits(answer_t)), .Depth(RspDepth)) u_rsp (
      .clk_i, .rst_ni, .now_i,
      .push_i(rsp_push), .space_o(rsp_space), .data_i(rsp_data), .due_i(rsp_due),
      .valid_o(rsp_valid_o), .ready_i(rsp_ready_i), .data_o(rsp_head), .empty_o(rsp_empty), .next_o(rsp_next)
  );
  always_comb begin
    rsp_o = '0;
    if (rsp_valid_o) begin
      rsp_o.cta   = rsp_head.cta;
      rsp_o.warp  = rsp_head.warp;
      rsp_o.tag   = rsp_head.tag;
      rsp_o.lanes = rsp_head.lanes;
      rsp_o.cause = rsp_head.cause;
      rsp_o.last  = 1'b1;
    end
  end

  ////// Commit records: flip or opening of one CTA | arrive, wait | exit //////
  assign tap_valid_o = (do_walk && walk_kind_q != CbDnFree) || (do_self && |part.live) || do_arr || do_exit;
  always_comb begin
    tap_o = '0;
    if (tap_valid_o) begin
      tap_o.cta   = 5'(cta);
      tap_o.obj   = 32'(home.clus);
      tap_o.old_w = {part.live, part.arrived};
      tap_o.new_w = {part_d.live, part_d.arrived};
      tap_o.flip  = flip;
      if (do_walk || do_self) begin
        tap_o.op  = flip ? OpEvClusterFlip : OpEvClusterOpen;
        tap_o.src = do_walk ? SrcNetwork : SrcLocal;
      end else begin
        tap_o.warp = warp;
        tap_o.errs = errs;
        tap_o.op   = OpEvWarpExit;
        tap_o.src  = SrcExit;
      end
      if (do_arr) begin
        tap_o.op      = arr_i.op;
        tap_o.src     = arr_i.src;
        tap_o.tag     = arr_i.tag;
        tap_o.lanes   = arr_i.lanes;
        tap_o.refused = refused;
        if (refused) tap_o.cause = CauseRefused;
        else if (passes) tap_o.cause = CauseAlreadyTrue;
      end
    end
  end

  assign idle_o       = !walking && !self_valid && !exit_valid_q && up_empty && !free_valid_q && !rel_valid_o && !rsp_valid_o;
  assign next_event_o = earlier(self_next, earlier(rel_next, rsp_next));

  logic unused;
  assign unused = &{1'b0, sending_i, cfg_i, launch_i, arr_i, wexit_last_i, rel_empty, rsp_empty, self_empty, self_space};

  ////// Checks //////
  `REQUIRE(LaunchWhenReady, !launch_valid_i || (launch_ready_o && launch_nwarps_i >= 6'd1 && launch_nwarps_i <= 6'd32 && launch_i.ctas != '0))
  `REQUIRE(SlotExists, (!launch_valid_i || (32'(launch_i.cta) < Ctas && 32'(launch_i.clus) < Clusters))
           && (!arr_valid_i || 32'(arr_i.cta) < Ctas) && (!wexit_valid_i || 32'(wexit_cta_i) < Ctas)
           && (!cb_dn_valid_i || 32'(cb_dn_i.clus) < Clusters))
  `REQUIRE(ArrivalOfLiveWarp, !do_arr || (part.live[warp] && (arr_i.op == OpClusterArrive || arr_i.op == OpClusterWait)))
  `REQUIRE(BlockedWarpSilent, !(do_arr || do_exit) || !part.waiting[warp])
  `REQUIRE(ExitOfLiveWarp, !do_exit || part.live[warp])
  `ASSERT(OneCommit, $onehot0({do_walk, do_self, do_arr, do_exit}))
  `ASSERT(OwnCompletionsFit, !self_push || self_space)
  `ASSERT(WaitReportsNothing, !(do_arr && wait_form && !refused) || part.arrived == '0 || (part.live & ~part.arrived) != '0 || sent_q[cta])
  `ASSERT(ReleaseHasWarps, rel_push == |rel_warps)
  `ASSERT(ReportedOnce, !report || !sent_q[cta])
  `ASSERT(NobodyWaitsOn, !flip || part_d.waiting == '0)
  `ASSERT(WaiterIsLive, !active || (part.waiting & ~part.live) == '0)
  `ASSERT(GoneHasNoWaiter, !gone || part_d.waiting == '0)
  `ASSERT(ReleaseNamesWarps, !rel_valid_o || (|rel_o.warps && rel_o.cluster))
  `ASSERT(RefusedChangesNothing, !(do_arr && refused) || (part_d == part && !rel_push && !report))
  `ASSERT(EveryArrivalIsAnswered, !do_arr || rsp_push || rel_push || part_d.waiting[warp])
  `ASSERT_NEXT(FreeIsEarned, !to_free, !free_valid_o)
  // A falling sending_i is an input like the others: it permits a report.
  `ASSERT_NEXT(IdleHolds, idle_o && !launch_valid_i && !arr_valid_i && !wexit_valid_i && !cb_dn_valid_i && now_i < next_event_o,
               !$stable(sending_i)
               || ($stable(sent_q) && $stable(flipping_q) && $stable(known_q) && $stable(alive_q) && $stable(open_q) && $stable(next_event_o) && up_empty
                   && !walking && !exit_valid_q && $stable(exit_turn_q) && $stable(free_cta_q) && !free_valid_q))
  `ASSERT(AliveIsKnown, (alive_q & ~known_q) == '0)
  `ASSERT(OpenedIsKnown, (opened_q & ~known_q) == '0)
  `ASSERT(LivesDoNotMix, !launch_valid_i || launch_i.ctas == 5'd1 || !opened_q[clu_t'(launch_i.clus)])
  `COVER(WaitAfterCompletion, do_arr && passes)
  `COVER(CompletedByExit, do_exit && report)
  `COVER(TwoCtasOfOneCluster, do_walk && walk_kind_q == CbDnFlip && |(walk_q & (walk_q - ctas_t'(1))))
  `COVER(AloneFlips, do_self && |part.live)
  `COVER(DoubleArrive, do_arr && errs[CbErrDouble])
  `COVER(GonePassesTheGate, free_valid_o)
endmodule
