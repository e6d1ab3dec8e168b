// prove: name=idle engine=kind depth=3 files=gsu_delay,gsu_cluster_report,gsu_cluster_barrier define=FV_TIME skip=NobodyWaits|WaiterIs|GoneHas|ReleaseNames|OwnCompletions|OneOpen|u_self
// prove: name=pair engine=pdr files=gsu_delay,gsu_cluster_report,gsu_cluster_barrier,gsu_net_cbar define=FV_PAIR skip=IdleHolds|OutputHolds|SilentWhenEmpty limit=900 cover=22
// prove: name=alone engine=pdr files=gsu_delay,gsu_cluster_report,gsu_cluster_barrier define=FV_ALONE skip=IdleHolds|OutputHolds|SilentWhenEmpty limit=900
// Harness of the cluster barrier: two CTAs of up to two warps. Task pair: both in one cluster, with the real network half behind the ports;
// task alone: two clusters of one. A reference follows the commits; time stands still except in task idle.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_cluster_barrier_fv
  import gsu_pkg::*;
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
  assign sending_i = '0;  // no packets here: task of gsu_net_cbar
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
  assign now_i = '0;
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

  ////// Environment: each CTA is launched once; blocked warps are silent //////
  logic [1:0] launched_q, pending_q;             // pending: the generation is complete, this CTA does not know yet
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
    end
  end
  logic r;
  assign r = rel_o.cta[0];
  // CLU-007, CLU-011, D-49: nobody passes before its generation is complete; each waiter passes once; the two ways agree.
  `ASSERT(ReleaseOfWaitersOnly, !rel_valid_o || (rel_o.warps & ~32'(waiting_q[r])) == '0)
  `ASSERT(ReleaseAfterCompletion, !rel_valid_o || (rel_o.warps & ~32'(done_q[r])) == '0)
  // An arrival between completion and its news belongs to the old generation: the CTA cannot know better.
  `ASSERT(DoubleIsReported, !arrive || tap_o.errs[CbErrDouble] == (arrived_q[c][w] || pending_q[c]))
  `ASSERT(WaitNeedsArrive, !wait_ || owed_q[c][w])
  `ASSERT(UnwaitedIsReported, !leave || tap_o.errs[CbErrUnwaited] == owed_q[c][w])
  `ASSERT(LiveIsExact, !(leave || arrive || wait_) || tap_o.old_w[63:32] == 32'(live_q[c]))
`ifdef FV_PAIR
  `ASSERT(FlipOncePerGeneration, !flipped || pending_q[c])
`endif
  `ASSERT(FreeOnlyWhenGone, !free_valid_o || (launched_q[free_cta_o[0]] && live_q[free_cta_o[0]] == '0))
`endif

`ifdef FV_PAIR
  // Both CTAs belong to cluster 1 and live on SM 0 of two; routes first.
  logic [1:0] step_q;
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) step_q <= '0; else if (step_q != 2) step_q <= step_q + 2'd1;
  assign configured = step_q == 2;
  clus_cfg_t clus;
  assign clus     = '{ctas: 5'd2, cta: {4'd0, step_q[0]}, rank: {3'd0, step_q[0]}, sm: '0, clus: 6'd1, default: '0};
  assign launch_i = '{ctas: 5'd2, cta: {4'd0, any_launch_i.cta[0]}, rank: {3'd0, any_launch_i.cta[0]}, clus: 6'd1, default: '0};
  logic [1:0] dn_valid;
  logic net_tap_valid, net_idle, net_free, net_drain;
  logic [5:0] net_free_clus;
  tap_t net_tap;
  cycle_t net_next;
  gsu_net_cbar #(.Sms(2), .Clusters(2), .DownDepth(2)) u_net (
      .clk_i, .rst_ni, .now_i, .cfg_i, .clus_valid_i(step_q != 2), .clus_i(clus),
      .up_valid_i(cb_up_valid_o), .up_ready_o(cb_up_ready_i), .up_i(cb_up_o),
      .dn_valid_o(dn_valid), .dn_ready_i({1'b1, cb_dn_ready_o}), .dn_o(cb_dn_i),
      .drain_o(net_drain), .drained_i(1'b1), .free_valid_o(net_free), .free_clus_o(net_free_clus), .tap_valid_o(net_tap_valid), .tap_o(net_tap), .idle_o(net_idle), .next_event_o(net_next)
  );
  assign cb_dn_valid_i = dn_valid[0];
  assign complete      = net_tap_valid && net_tap.op == OpEvClusterFlip;
  assign completes     = {2{complete}};
  // CLU-005, CLU-009, CLU-010, D-46, D-47: only when every launched CTA is there and each live warp has arrived; once.
  `ASSERT(AllArrived, !complete || ((live_q[0] & ~arrived_q[0]) == '0 && (live_q[1] & ~arrived_q[1]) == '0))
  `ASSERT(AllLaunched, !complete || launched_q == 2'b11)
  `ASSERT(GenerationsDistinct, !complete || pending_q == '0)
  `ASSERT(FreeTogether, !free_valid_o || (live_q == '0 && launched_q == 2'b11))
  // D-70: when nothing moves, no complete generation is unannounced and nobody who may pass waits.
  logic quiet;
  assign quiet = idle_o && net_idle && dn_valid == '0 && !(launch_valid_i) && configured && launched_q == 2'b11;
  `ASSERT(NoneForgotten, !quiet || ((waiting_q[0] & done_q[0]) == '0 && (waiting_q[1] & done_q[1]) == '0))
  `ASSERT(NoCompletionMissed, !quiet || live_q == '0 || (arrived_q == '0) || (live_q[0] & ~arrived_q[0]) != '0 || (live_q[1] & ~arrived_q[1]) != '0)
  `COVER(FastCtaArrivesAgain, arrive && pending_q != '0)
  `COVER(SecondGeneration, complete && done_q != '0)
`endif
`ifdef FV_ALONE
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
`endif
endmodule
