// prove: name=life engine=kind depth=3 cover=14 flat=1 files=gsu_cta_table limit=900
// prove: name=skip engine=skip flat=1 files=gsu_cta_table
// Harness of gsu_cta_table: two CTA slots over four warp slots; any launches, exits, frees that driver and cluster unit may present.
// One symbolic warp of one symbolic CTA is followed. Its set of lanes only shrinks, it exits exactly once, and its slot is freed only after that.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_cta_table_fv
  import gsu_pkg::*;
(
    input logic    clk_i,
    input logic    rst_ni,
    input logic    launch_valid_i,
    input launch_t launch_i,
    input logic    nb_start_ready_i,
    input logic    cb_start_ready_i,
    input logic    exit_valid_i,
    input exit_t   exit_i,
    input logic    join_ready_i,
    input logic    nb_gone_ready_i,
    input logic    cb_gone_ready_i,
    input logic    free_valid_i,
    input logic [4:0] free_cta_i,
    input logic    my_cta_i,
    input logic    my_warp_i
);
  logic launch_ready_o, start_valid_o, exit_ready_o, join_valid_o, nb_gone_valid_o, cb_gone_valid_o, gone_last_o, tap_valid_o, idle_o;
  launch_t start_o;
  logic [5:0] start_nwarps_o, look_nwarps_o;
  logic [4:0] gone_cta_o, gone_warp_o, look_cta_i, look_warp_i;
  logic [31:0] cta_free_o;
  logic [1:0] cta_live_o, look_slot_o;
  mask_t look_live_o, look_exist_o;
  tap_t tap_o;
  gsu_cta_table #(.Ctas(2), .WarpSlots(4)) dut (.*);
  `FV_RESET

  logic my_cta_q, my_warp_q;
  assign look_cta_i  = {4'd0, my_cta_q};
  assign look_warp_i = {4'd0, my_warp_q};

  ////// The harness's record of both CTAs, and of the followed warp //////
  logic [1:0] live_q, emptied_q, freeing_q;   // per CTA: launched; last warp passed to both units; to be freed
  logic [1:0][1:0] base_q, count_q, warps_q;  // first warp slot, warps, live warps
  mask_t my_lanes_q;
  logic  my_live_q, my_nb_q, my_cb_q;         // has lanes; was passed to the named, the cluster unit
  logic  launch, take_exit, mine_starts, mine_exits;
  assign launch      = launch_valid_i && launch_ready_o;
  assign take_exit   = exit_valid_i && exit_ready_o;
  assign mine_starts = launch && launch_i.cta[0] == my_cta_q;
  assign mine_exits  = take_exit && exit_i.cta[0] == my_cta_q && exit_i.warp[0] == my_warp_q;

  logic [15:0] threads;
  mask_t first_lanes;
  assign threads     = launch_i.threads - (my_warp_q ? 16'd32 : 16'd0);
  assign first_lanes = threads >= 16'd32 ? '1 : (32'd1 << threads[4:0]) - 32'd1;
  logic [1:0] starts;
  assign starts = launch_i.threads > 16'd32 ? 2'd2 : 2'd1;

  always_ff @(posedge clk_i) begin
    if (!fv_started_q) begin
      my_cta_q  <= my_cta_i;
      my_warp_q <= my_warp_i;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live_q     <= '0;
      emptied_q  <= '0;
      freeing_q  <= '0;
      base_q     <= '0;
      count_q    <= '0;
      warps_q    <= '0;
      my_lanes_q <= '0;
      my_live_q  <= 1'b0;
      my_nb_q    <= 1'b0;
      my_cb_q    <= 1'b0;
    end else begin
      if (launch) begin
        live_q[launch_i.cta[0]]    <= 1'b1;
        emptied_q[launch_i.cta[0]] <= 1'b0;
        base_q[launch_i.cta[0]]    <= launch_i.wbase[1:0];
        count_q[launch_i.cta[0]]   <= starts;
        warps_q[launch_i.cta[0]]   <= {starts[1], 1'b1};
      end
      if (mine_starts) begin
        my_live_q  <= !my_warp_q || starts == 2'd2;
        my_lanes_q <= first_lanes;
        my_nb_q    <= 1'b0;
        my_cb_q    <= 1'b0;
      end
      if (take_exit && dut.warp_gone) warps_q[exit_i.cta[0]][exit_i.warp[0]] <= 1'b0;
      if (mine_exits) begin
        my_lanes_q <= my_lanes_q & ~exit_i.lanes;
        my_live_q  <= (my_lanes_q & ~exit_i.lanes) != '0;
      end
      if (nb_gone_valid_o && nb_gone_ready_i && gone_cta_o[0] == my_cta_q && gone_warp_o[0] == my_warp_q) my_nb_q <= 1'b1;
      if (cb_gone_valid_o && cb_gone_ready_i && gone_cta_o[0] == my_cta_q && gone_warp_o[0] == my_warp_q) my_cb_q <= 1'b1;
      if (cb_gone_valid_o && cb_gone_ready_i && gone_last_o) emptied_q[gone_cta_o[0]] <= 1'b1;
      if (free_valid_i) freeing_q[free_cta_i[0]] <= 1'b1;
      for (int c = 0; c < 2; c++) begin
        if (cta_free_o[c]) begin
          live_q[c]    <= 1'b0;
          freeing_q[c] <= 1'b0;
        end
      end
    end
  end

  ////// Driver and cluster unit //////
  logic other;
  assign other = !launch_i.cta[0];
  `ASSUME(LaunchInRange, launch_i.cta < 2 && launch_i.threads >= 1 && launch_i.threads <= 64 && 3'(launch_i.wbase) + 3'(starts) <= 3'd4 &&
          launch_i.wbase < 4)
  `ASSUME(LaunchIntoFreeSlots, !launch_valid_i || (!live_q[launch_i.cta[0]] && (!live_q[other] ||
          3'(launch_i.wbase) >= 3'(base_q[other]) + 3'(count_q[other]) || 3'(base_q[other]) >= 3'(launch_i.wbase) + 3'(starts))))
  `ASSUME(LaunchHolds, !$past(rst_ni) || !$past(launch_valid_i && !launch_ready_o) || (launch_valid_i && $stable(launch_i)))
  `ASSUME(ExitOfLiveWarp, exit_i.cta < 2 && exit_i.warp < 2 && (!exit_valid_i || (warps_q[exit_i.cta[0]][exit_i.warp[0]] && exit_i.lanes != '0)))
  `ASSUME(ExitOfMyLiveLanes, !(exit_valid_i && exit_i.cta[0] == my_cta_q && exit_i.warp[0] == my_warp_q) || (exit_i.lanes & ~my_lanes_q) == '0)
  `ASSUME(ExitHolds, !$past(rst_ni) || !$past(exit_valid_i && !exit_ready_o) || (exit_valid_i && $stable(exit_i)))
  `ASSUME(FreeOnceAfterLastExit, free_cta_i < 2 && (!free_valid_i || (live_q[free_cta_i[0]] && emptied_q[free_cta_i[0]] && !freeing_q[free_cta_i[0]])))

  (* keep *) logic fv_skip;
  assign fv_skip = idle_o && !launch_valid_i && !exit_valid_i && !free_valid_i && rst_ni;

  ////// Properties //////
  logic my_gone_pending;
  assign my_gone_pending = gone_cta_o[0] == my_cta_q && gone_warp_o[0] == my_warp_q;
  `ASSERT(LookupIsTheTruth, !my_live_q || look_live_o == my_lanes_q)
  `ASSERT(LiveWarpHasLanes, my_live_q == (my_lanes_q != '0 && my_live_q) && (!my_live_q || live_q[my_cta_q]))
  `ASSERT(WarpMaskAgrees, !live_q[my_cta_q] || warps_q[my_cta_q][my_warp_q] == my_live_q)
  `ASSERT(SlotsAgree, cta_live_o == live_q && dut.free_q == freeing_q)
  `ASSERT(LaunchedWarpsKnown, !live_q[0] || (dut.cta_q[0].wbase == base_q[0] && dut.warps_q[0] == {30'd0, warps_q[0]}))
  `ASSERT(LaunchedWarpsKnown1, !live_q[1] || (dut.cta_q[1].wbase == base_q[1] && dut.warps_q[1] == {30'd0, warps_q[1]}))
  `ASSERT(WarpCountKnown, !live_q[my_cta_q] || look_nwarps_o == 6'(count_q[my_cta_q]))
  `ASSERT(CtasShareNoSlot, live_q != '1 || 3'(base_q[0]) + 3'(count_q[0]) <= 3'(base_q[1]) || 3'(base_q[1]) + 3'(count_q[1]) <= 3'(base_q[0]))
  `ASSERT(CtasFit, (!live_q[0] || 3'(base_q[0]) + 3'(count_q[0]) <= 3'd4) && (!live_q[1] || 3'(base_q[1]) + 3'(count_q[1]) <= 3'd4))
  `ASSERT(CtaHasOneOrTwoWarps, (!live_q[0] || (count_q[0] == 1 || count_q[0] == 2) && (count_q[0] == 2 || !warps_q[0][1])) &&
          (!live_q[1] || (count_q[1] == 1 || count_q[1] == 2) && (count_q[1] == 2 || !warps_q[1][1])))
  `ASSERT(HandedOnceToNamed, !(nb_gone_valid_o && my_gone_pending) || (!my_live_q && !my_nb_q))
  `ASSERT(HandedOnceToCluster, !(cb_gone_valid_o && my_gone_pending) || (!my_live_q && !my_cb_q))
  `ASSERT(GoneIsHanded, !(live_q[my_cta_q] && !my_live_q && 2'(my_warp_q) < count_q[my_cta_q]) ||
          ((my_nb_q || (nb_gone_valid_o && my_gone_pending)) && (my_cb_q || (cb_gone_valid_o && my_gone_pending))))
  `ASSERT(HandedOnlyAfterItsLanes, !my_live_q || (!my_nb_q && !my_cb_q))
  `ASSERT(GoneInRange, !(nb_gone_valid_o || cb_gone_valid_o) || (gone_cta_o < 2 && gone_warp_o < 2 && live_q[gone_cta_o[0]] &&
          !warps_q[gone_cta_o[0]][gone_warp_o[0]] && gone_last_o == (warps_q[gone_cta_o[0]] == '0) && 2'(gone_warp_o[0]) < count_q[gone_cta_o[0]]))
  `ASSERT(EmptiedHasNoWarp, ((emptied_q[0] && live_q[0] && warps_q[0] != '0) || (emptied_q[1] && live_q[1] && warps_q[1] != '0)) == 1'b0)
  `ASSERT(EmptiedOnce, !(cb_gone_valid_o && gone_last_o) || !emptied_q[gone_cta_o[0]])
  `ASSERT(FreeingIsEmptied, (freeing_q & ~(emptied_q & live_q)) == '0)
  `ASSERT(FreedOnlyAfterBothUnits, !cta_free_o[my_cta_q] || (!my_live_q && (2'(my_warp_q) >= count_q[my_cta_q] || (my_nb_q && my_cb_q))))
  `ASSERT(OneFreeAClock, $onehot0(cta_free_o))
  `ASSERT_NEXT(LookupOnlyShrinks, !mine_starts && my_live_q, (look_live_o & ~$past(look_live_o)) == '0)
  `ASSERT(NoLaneBeyondThreads, !my_live_q || (my_lanes_q & ~look_exist_o) == '0)
  `COVER(MyPartialWarpGoes, mine_exits && dut.warp_gone && look_exist_o == 32'h7)
  `COVER(SlotUsedAgain, mine_starts && my_cb_q)
endmodule
