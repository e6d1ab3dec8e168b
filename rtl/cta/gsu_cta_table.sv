// gsu_cta_table: holds which CTAs, warps and lanes are live. It takes launches and exits of lanes, and passes exits of warps to the barrier units.
// Rules: D-04 (launch), D-06 (a warp exits with its last lane), D-10 (an exit never passes an earlier request), D-19 (lanes beyond the thread count never
// exist). One commit a clock on the tap: CTA free, else launch, else exit.
// The state is in memories, so a launch clears only the `touched` bits of its warp slots. A warp that is not touched has all its existing lanes.
// Limitations: only the cluster barrier unit stores cluster slot, rank and CTA count of a launch, because only it needs them.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_cta_table
  import gsu_pkg::*;
#(
    parameter int unsigned Ctas      = MaxCtas,      /// CTA slots; fewer only in proofs and small syntheses
    parameter int unsigned WarpSlots = MaxWarpSlots, /// warp slots of all CTAs together
    localparam int unsigned SlotW    = $clog2(WarpSlots)
) (
    input  logic    clk_i,
    input  logic    rst_ni,
    // Launches. The barrier units are notified in the clock in which a launch is accepted.
    input  logic    launch_valid_i,
    output logic    launch_ready_o,
    input  launch_t launch_i,
    output logic    start_valid_o,      // pulse
    output launch_t start_o,
    output logic [5:0] start_nwarps_o,
    input  logic    nb_start_ready_i,   // the named unit can clear a slot now
    input  logic    cb_start_ready_i,
    // Exits of lanes. An exit is accepted only if the join accepts it too. From the next clock on the join evaluates the warp's pending groups again.
    input  logic    exit_valid_i,
    output logic    exit_ready_o,
    input  exit_t   exit_i,
    output logic    join_valid_o,
    input  logic    join_ready_i,
    // Warps whose last lane has exited. Each barrier unit takes each of them once.
    output logic    nb_gone_valid_o,
    input  logic    nb_gone_ready_i,
    output logic    cb_gone_valid_o,
    input  logic    cb_gone_ready_i,
    output logic [4:0] gone_cta_o,
    output logic [4:0] gone_warp_o,
    output logic    gone_last_o,        // this warp was the last of its CTA
    // The cluster unit frees a CTA when its exit gate has opened.
    input  logic    free_valid_i,       // pulse
    input  logic [4:0] free_cta_i,
    output logic [31:0] cta_free_o,     // pulse per slot
    output logic [Ctas-1:0] cta_live_o, // launched and not yet free
    // Lookup for the join.
    input  logic [4:0] look_cta_i,
    input  logic [4:0] look_warp_i,
    output logic [SlotW-1:0] look_slot_o,
    output mask_t   look_live_o,        // lanes not exited
    output mask_t   look_exist_o,       // lanes that ever existed
    output logic [5:0] look_nwarps_o,
    output logic    tap_valid_o,
    /*verilator tracing_off*/ output tap_t    tap_o, /*verilator tracing_on*/
    output logic    idle_o
);
  localparam int unsigned CtaW = $clog2(Ctas);

  typedef struct packed {
    logic [SlotW-1:0] wbase;
    logic [5:0]       nwarps;
    logic [4:0]       tail;    // threads of a partial last warp, 0: it is full
  } cta_t;

  cta_t  cta_q[Ctas];
  mask_t warps_q[Ctas];        // live warps
  mask_t lanes_q[WarpSlots];   // live lanes, where touched
  logic [Ctas-1:0] live_q, free_q;
  logic [WarpSlots-1:0] touched_q;
  logic nb_gone_q, cb_gone_q;  // the named barrier unit has still to take gone_q | the cluster barrier unit has
  logic [4:0] gone_cta_q, gone_warp_q;
  logic gone_last_q;

  function automatic mask_t existing(cta_t cta, logic [4:0] warp);
    if (cta.tail != '0 && {1'b0, warp} + 6'd1 == cta.nwarps) return (32'd1 << cta.tail) - 32'd1;
    return '1;
  endfunction

  ////// Lookup of the join //////
  cta_t look_cta;
  assign look_cta      = cta_q[look_cta_i[CtaW-1:0]];
  assign look_slot_o   = look_cta.wbase + SlotW'(look_warp_i);
  assign look_exist_o  = existing(look_cta, look_warp_i);
  assign look_live_o   = touched_q[look_slot_o] ? lanes_q[look_slot_o] : look_exist_o;
  assign look_nwarps_o = look_cta.nwarps;

  ////// One commit a clock: free, launch, exit //////
  logic free_any, launch, exit_may, take_exit;
  // A CTA becomes free only after the named unit has committed its last exit, so that nothing of the CTA follows its free commit.
  assign free_any     = free_q != '0 && !nb_gone_q && !cb_gone_q && nb_start_ready_i;
  assign launch       = launch_valid_i && launch_ready_o;
  assign join_valid_o = exit_valid_i && exit_may;
  assign exit_ready_o = exit_may && join_ready_i;
  assign take_exit    = exit_valid_i && exit_ready_o;
  always_comb begin
    {launch_ready_o, exit_may} = '0;
    if (launch_valid_i || Eager) launch_ready_o = !free_any && nb_start_ready_i && cb_start_ready_i;
    if (exit_valid_i || Eager) exit_may = !free_any && !launch && !nb_gone_q && !cb_gone_q && live_q[exit_i.cta[CtaW-1:0]];
  end

  logic [15:0] threads_up;
  logic [5:0]  nwarps;
  mask_t       all_warps;
  logic [WarpSlots-1:0] fresh_slots;
  assign threads_up     = launch_i.threads + 16'd31;
  assign nwarps         = threads_up[10:5];
  assign all_warps      = nwarps[5] ? '1 : (32'd1 << nwarps[4:0]) - 32'd1;
  assign fresh_slots    = WarpSlots'(all_warps) << launch_i.wbase;
  assign start_valid_o  = launch;
  assign start_o        = launch_i;
  assign start_nwarps_o = nwarps;

  cta_t             exit_cta;
  logic [SlotW-1:0] exit_slot;
  mask_t            lanes_old, lanes_new, warps_old, warps_new;
  logic             warp_gone;
  always_comb begin
    exit_cta  = '0;
    exit_slot = '0;
    lanes_old = '0;
    lanes_new = '0;
    warps_old = '0;
    warps_new = '0;
    warp_gone = 1'b0;
    if (take_exit) begin
      exit_cta  = cta_q[exit_i.cta[CtaW-1:0]];
      exit_slot = exit_cta.wbase + SlotW'(exit_i.warp);
      lanes_old = touched_q[exit_slot] ? lanes_q[exit_slot] : existing(exit_cta, exit_i.warp);
      lanes_new = lanes_old & ~exit_i.lanes;
      warp_gone = lanes_new == '0;
      warps_old = warps_q[exit_i.cta[CtaW-1:0]];
      warps_new = warp_gone ? warps_old & ~(32'd1 << exit_i.warp) : warps_old;
    end
  end

  logic [Ctas-1:0] free_first, free_pulse;
  assign free_first = free_any ? free_q & (~free_q + 1'b1) : '0;
  assign free_pulse = free_first;
  assign cta_live_o = live_q;
  always_comb begin
    cta_free_o           = '0;
    cta_free_o[Ctas-1:0] = free_pulse;
  end

  ////// State //////
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live_q      <= '0;
      free_q      <= '0;
      touched_q   <= '0;
      nb_gone_q   <= 1'b0;
      cb_gone_q   <= 1'b0;
      gone_cta_q  <= '0;
      gone_warp_q <= '0;
      gone_last_q <= 1'b0;
    end else begin
      if (nb_gone_ready_i) nb_gone_q <= 1'b0;
      if (cb_gone_ready_i) cb_gone_q <= 1'b0;
      if (free_any || free_valid_i)
        free_q <= (free_q & ~free_pulse) | (Ctas'(free_valid_i) << free_cta_i[CtaW-1:0]);
      if (free_any) live_q <= live_q & ~free_pulse;
      if (launch) begin
        live_q[launch_i.cta[CtaW-1:0]] <= 1'b1;
        touched_q <= touched_q & ~fresh_slots;
      end
      if (take_exit) begin
        touched_q[exit_slot] <= 1'b1;
        if (warp_gone) begin
          nb_gone_q   <= 1'b1;
          cb_gone_q   <= 1'b1;
          gone_cta_q  <= exit_i.cta;
          gone_warp_q <= exit_i.warp;
          gone_last_q <= warps_new == '0;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (launch) begin
      cta_q[launch_i.cta[CtaW-1:0]] <= '{
          wbase: launch_i.wbase[SlotW-1:0],
          nwarps: nwarps,
          tail: launch_i.threads[4:0]
      };
      warps_q[launch_i.cta[CtaW-1:0]] <= all_warps;
    end else if (take_exit) begin
      warps_q[exit_i.cta[CtaW-1:0]] <= warps_new;
    end
    if (take_exit) lanes_q[exit_slot] <= lanes_new;
  end

  assign nb_gone_valid_o = nb_gone_q;
  assign cb_gone_valid_o = cb_gone_q;
  assign gone_cta_o      = gone_cta_q;
  assign gone_warp_o     = gone_warp_q;
  assign gone_last_o     = gone_last_q;
  assign idle_o          = !nb_gone_q && !cb_gone_q && free_q == '0;

  ////// Tap //////
  // The index of the only bit of a mask: each bit of the index is one OR over half of the mask.
  localparam logic [4:0][31:0] IndexHas = {32'hffff_0000, 32'hff00_ff00, 32'hf0f0_f0f0, 32'hcccc_cccc, 32'haaaa_aaaa};
  logic [4:0] free_index;
  always_comb for (int b = 0; b < 5; b++) free_index[b] = |(32'(free_first) & IndexHas[b]);
  assign tap_valid_o = free_any || launch || take_exit;
  always_comb begin
    tap_o = '0;
    if (free_any) begin
      tap_o.op  = OpEvCtaFree;
      tap_o.cta = free_index;
    end else if (launch) begin
      tap_o.op    = OpEvLaunch;
      tap_o.cta   = launch_i.cta;
      tap_o.obj   = 32'(launch_i.threads);
      tap_o.new_w = {launch_i.size, launch_i.base};
    end else if (take_exit) begin
      tap_o.op     = warp_gone ? OpEvWarpExit : OpEvLaneExit;
      tap_o.cta    = exit_i.cta;
      tap_o.warp   = exit_i.warp;
      tap_o.lanes  = exit_i.lanes;
      tap_o.src    = SrcExit;
      tap_o.flip   = warp_gone;
      tap_o.obj[0] = exit_i.trap;
      tap_o.old_w  = {warps_old, lanes_old};
      tap_o.new_w  = {warps_new, lanes_new};
    end
  end

  `REQUIRE(LaunchIntoFreeSlot, !launch_valid_i || !live_q[launch_i.cta[CtaW-1:0]])
  `REQUIRE(LaunchSizes, !launch_valid_i || (launch_i.threads >= 1 && launch_i.threads <= 16'd1024))
  `REQUIRE(LaunchFits, !launch_valid_i || 7'(launch_i.wbase) + 7'(nwarps) <= 7'(WarpSlots))
  `REQUIRE(LaunchSlotExists, !launch_valid_i || 6'(launch_i.cta) < 6'(Ctas))
  `REQUIRE(ExitingLanesAreLive, !take_exit || (exit_i.lanes != '0 && (exit_i.lanes & ~lanes_old) == '0))
  `REQUIRE(ExitOfLaunchedWarp, !take_exit || {1'b0, exit_i.warp} < exit_cta.nwarps)
  `REQUIRE(FreeOfLiveCta, !free_valid_i || (live_q[free_cta_i[CtaW-1:0]] && !free_q[free_cta_i[CtaW-1:0]]))
  `ASSERT(OneCommitAClock, $onehot0({free_any, launch, take_exit}))
  `ASSERT(FreeOnlyLive, (free_q & ~live_q) == '0)
  `ASSERT(LanesOnlyShrink, !take_exit || (lanes_new & ~lanes_old) == '0)
  `ASSERT(GoneMeansNoLane, !take_exit || warp_gone == (lanes_new == '0))
  `ASSERT_NEXT(GoneHoldsUntilTaken, nb_gone_q && !nb_gone_ready_i, nb_gone_q && $stable(gone_warp_q) && $stable(gone_cta_q))
  `ASSERT_NEXT(SlotFallsOnlyByFree, cta_free_o == '0, ($past(live_q) & ~live_q) == '0)
  `ASSERT_NEXT(LanesChangeOnlyByExitOrLaunch, !take_exit && !launch, $stable(touched_q))
  `ASSERT_NEXT(IdleHolds, idle_o && !launch_valid_i && !exit_valid_i && !free_valid_i,
               $stable(live_q) && $stable(free_q) && $stable(touched_q) && $stable(nb_gone_q) && $stable(cb_gone_q))
  `COVER(PartialWarpGone, take_exit && warp_gone && lanes_old != '1)
  `COVER(CtaGone, nb_gone_q && gone_last_q)
  `COVER(FreeWaitsForExit, free_q != '0 && nb_gone_q)
  `COVER(LaunchAgain, launch && touched_q != '0)
endmodule
