// gsu_net_cbar: the network's half of the cluster barriers. It takes one report a clock (gsu_net_reports) of a launch, an arrival or an end of a CTA. When
// all CTAs of a cluster are launched, have arrived or have ended, it notifies all their SMs in one clock.
// Rules: CLU-005, CLU-009..011, D-41, D-46..D-48, D-53.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_net_cbar
  import gsu_pkg::*;
#(
    parameter int unsigned Sms = MaxSms,            /// SMs
    parameter int unsigned Clusters = MaxClusters,  /// cluster slots; proofs use fewer
    parameter int unsigned DownDepth = 64           /// messages in flight to the SMs: one per cluster
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    input  cycle_t         now_i,
    input  cfg_t           cfg_i,
    input  logic           clus_valid_i,   // pulse: all ranks of a cluster before its first launch
    input  clus_cfg_t      clus_i,
    input  logic           up_valid_i,     // the next report, if ready
    output logic           up_ready_o,
    input  cb_up_t         up_i,
    input  logic [Clusters-1:0] alive_i[Sms],  // a warp of the cluster is live on the SM. Falls no later than the last report of an exit comes
    output logic [Sms-1:0] dn_valid_o,     // each holds until its SM took it
    input  logic [Sms-1:0] dn_ready_i,
    output cb_dn_t         dn_o,
    output logic           drain_o,        // pulse: wait for the packets that are at the sources now
    input  logic           drained_i,      // low from the clock after drain_o until these packets have reached their SMs
    output logic           free_valid_o,   // pulse: a cluster slot is free again
    output logic [5:0]     free_clus_o,
    output logic           tap_valid_o,    // pulse with the commit
    output tap_t           tap_o,
    output logic           idle_o,         // nothing to do before next_event_o without an input
    output cycle_t         next_event_o
);
  typedef logic [(Clusters > 1 ? $clog2(Clusters) : 1)-1:0] clu_t;
  typedef logic [Sms-1:0] sms_t;
  typedef logic [MaxRanks-1:0] ranks_t;
  typedef struct packed {
    sms_t   sms;       // SMs that hold its CTAs
    ranks_t all;       // ranks of the cluster
    ranks_t launched;
    ranks_t gone;
    ranks_t arrived;   // ranks that have arrived in this generation
  } cluster_t;
  typedef struct packed {
    sms_t   sms;
    cb_dn_t news;
  } down_t;

  cluster_t cluster_q[Clusters];     // meaningful where known_q
  logic [Clusters-1:0] known_q;
  logic [Clusters-1:0] ending_q;     // all CTAs are gone, their packets may be in flight
  logic [Clusters-1:0] draining_q;   // ended before the last drain_o: free when that drain is done
  sms_t dn_valid_q;
  cb_dn_t dn_q;

  ////// One report commits, after its way to the network //////
  logic commit, alive, flip, opens, ends, frees, known, dn_space;
  cb_up_t report;
  logic [$clog2(MaxRanks)-1:0] rank;
  cluster_t before_c, after_c;
  assign up_ready_o = dn_space && !frees;
  assign commit     = up_valid_i && up_ready_o;
  assign report     = up_i;
  assign rank       = ($clog2(MaxRanks))'(up_i.rank);
  always_comb begin
    before_c = '0;
    after_c  = '0;
    known    = 1'b0;
    alive    = 1'b0;
    flip     = 1'b0;
    opens    = 1'b0;
    ends     = 1'b0;
    if (commit) begin
      known  = known_q[clu_t'(report.clus)];
      if (known) begin
        before_c = cluster_q[clu_t'(report.clus)];
        after_c  = before_c;
        case (report.kind)
          CbUpLaunch: begin
            after_c.launched[rank] = 1'b1;
            opens = after_c.launched == after_c.all;
          end
          CbUpArrive: after_c.arrived[rank] = 1'b1;
          default: begin
            after_c.gone[rank] = 1'b1;
            ends = after_c.gone == after_c.all;
          end
        endcase
        // D-48: nothing completes when the whole cluster has exited. The reports do not say which warp exited first, because reports of two SMs may pass one
        // another and an end waits for packets. So a live warp is required: its CTA has arrived, hence it was live at the arrival or exit that completes the
        // generation.
        for (int s = 0; s < int'(Sms); s++) alive = alive || alive_i[s][clu_t'(report.clus)];
        flip = alive && report.kind != CbUpLaunch && |after_c.arrived && (after_c.arrived | after_c.gone) == after_c.all;
        if (flip) after_c.arrived = '0;
      end
    end
  end

  // A cluster whose CTAs are all gone is freed when the packets that had left them have arrived (D-41). This has priority over a report, so that no cluster
  // waits for ever.
  clu_t free_clu;
  cluster_t free_c;
  assign drain_o = |ending_q && draining_q == '0 && drained_i;
  assign frees   = |draining_q && drained_i && dn_space;
  always_comb begin
    free_clu = '0;
    free_c   = '0;
    if (frees) begin
      free_clu = clu_t'(lowest_of(64'(draining_q)));
      free_c = cluster_q[free_clu];
    end
  end
  assign free_valid_o = frees;
  assign free_clus_o  = 6'(free_clu);

  ////// Messages to all members at once, after the latency of the way down //////
  logic dn_push, dn_head_valid, dn_take, dn_empty;
  down_t dn_data, dn_head;
  cycle_t dn_next;
  sms_t dn_left;
  assign dn_push = flip || opens || frees;
  assign dn_data = '{
      sms: frees ? free_c.sms : before_c.sms,
      news: '{kind: frees ? CbDnFree : flip ? CbDnFlip : CbDnOpen, clus: frees ? 6'(free_clu) : report.clus}
  };
  gsu_delay #(.Width($bits(down_t)), .Depth(DownDepth)) u_down (
      .clk_i, .rst_ni, .now_i,
      .push_i(dn_push), .space_o(dn_space), .data_i(dn_data), .due_i(now_i + cycle_t'(cfg_i.cbar_down_lat)),
      .valid_o(dn_head_valid), .ready_i(dn_take), .data_o(dn_head), .empty_o(dn_empty), .next_o(dn_next)
  );
  assign dn_left = dn_valid_q & ~dn_ready_i;
  assign dn_take = dn_left == '0;

  ranks_t all_ranks;
  assign all_ranks = ~(ranks_t'(16'hFFFE) << (clus_i.ctas - 5'd1));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q    <= '0;
      ending_q   <= '0;
      draining_q <= '0;
      dn_valid_q <= '0;
      dn_q       <= '0;
    end else begin
      if (frees) known_q[free_clu] <= 1'b0;
      if (drain_o || frees) draining_q <= drain_o ? ending_q : draining_q & (draining_q - Clusters'(1));
      if (drain_o || ends) ending_q <= (drain_o ? '0 : ending_q) | (ends ? Clusters'(1) << clu_t'(report.clus) : '0);
      if (clus_valid_i) known_q[clu_t'(clus_i.clus)] <= 1'b1;
      dn_valid_q <= dn_left;
      if (dn_take && dn_head_valid) begin
        dn_valid_q <= dn_head.sms;
        dn_q       <= dn_head.news;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (known) cluster_q[clu_t'(report.clus)] <= after_c;
    if (clus_valid_i) begin
      cluster_q[clu_t'(clus_i.clus)] <= '{
          sms: (sms_t'(1) << clus_i.sm) | (known_q[clu_t'(clus_i.clus)] ? cluster_q[clu_t'(clus_i.clus)].sms : '0),
          all: all_ranks,
          default: '0
      };
    end
  end
  assign dn_valid_o = dn_valid_q;
  assign dn_o       = dn_q;

  ////// Commit records: words are {0, launched, gone, arrived} //////
  assign tap_valid_o = dn_push;
  always_comb begin
    tap_o = '0;
    if (dn_push) begin
      tap_o.op    = frees ? OpEvCtaFree : flip ? OpEvClusterFlip : OpEvClusterOpen;
      tap_o.obj   = frees ? 32'(free_clu) : 32'(report.clus);
      tap_o.src   = SrcNetwork;
      tap_o.flip  = flip;
      tap_o.old_w = frees ? {16'd0, free_c.launched, free_c.gone, free_c.arrived} : {16'd0, before_c.launched, before_c.gone, before_c.arrived};
      tap_o.new_w = frees ? '0 : {16'd0, after_c.launched, after_c.gone, after_c.arrived};
    end
  end

  assign idle_o       = dn_valid_q == '0 && !drain_o && !(|draining_q && drained_i);
  assign next_event_o = dn_next;

  logic unused;
  assign unused = &{1'b0, cfg_i, clus_i, dn_empty, report};

  ////// Checks //////
  `REQUIRE(RouteFits, !clus_valid_i || (32'(clus_i.clus) < Clusters && 32'(clus_i.sm) < Sms && clus_i.ctas >= 5'd2
           && clus_i.ctas <= 5'(MaxRanks) && clus_i.rank < clus_i.ctas))
  `REQUIRE(ReportOfKnownCluster, !commit || (known && before_c.all[rank] && 32'(report.clus) < Clusters))
  `REQUIRE(ArrivesOncePerGeneration, !(commit && report.kind == CbUpArrive) || !before_c.arrived[rank])
  `REQUIRE(LaunchesOnce, !(commit && report.kind == CbUpLaunch) || !before_c.launched[rank])
  `REQUIRE(LaunchedBeforeAll, !(commit && report.kind != CbUpLaunch) || before_c.launched[rank])
  `REQUIRE(SilentWhenGone, !commit || !before_c.gone[rank])
  `REQUIRE(EndedIsNotAlive, !ends || !alive)
  `REQUIRE(RoutesBeforeReports, !(clus_valid_i && known) || clus_i.clus != report.clus)
  `ASSERT(OneNews, $onehot0({flip, opens, ends, frees}))
  `ASSERT(FlipNeedsEveryCta, !flip || ((before_c.arrived | before_c.gone | (ranks_t'(1) << rank)) == before_c.all && after_c.arrived == '0))
  `ASSERT(FlipNeedsAnArrival, !flip || |before_c.arrived || report.kind == CbUpArrive)
  `ASSERT(FreeMeansAllGone, !frees || (known_q[free_clu] && free_c.gone == free_c.all))
  `ASSERT(EndsOnce, (ending_q & draining_q) == '0)
  `ASSERT(NewsHasMembers, !dn_push || |dn_data.sms)
  `ASSERT_NEXT(NewsHolds, |dn_left, dn_valid_o == $past(dn_left) && $stable(dn_o))
  `ASSERT_NEXT(IdleHolds, idle_o && !clus_valid_i && !up_valid_i && now_i < next_event_o,
               $stable(known_q) && $stable(ending_q) && $stable(draining_q) && dn_valid_q == '0 && $stable(dn_q) && $stable(next_event_o))
  `COVER(NobodyIsLeft, commit && !alive && !ends && |after_c.arrived && (after_c.arrived | after_c.gone) == after_c.all)
  `COVER(FlipByGone, flip && report.kind == CbUpGone)
  `COVER(FlipByArrive, flip && report.kind == CbUpArrive)
  `COVER(Opens, opens)
  `COVER(Frees, frees)
  `COVER(TwoFreeTogether, frees && |(draining_q & (draining_q - Clusters'(1))))
  `COVER(NewsWaitsForOneSm, |dn_left && dn_left != dn_valid_q)
endmodule
