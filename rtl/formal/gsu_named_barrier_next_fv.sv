// prove: name=step engine=kind depth=2 files=gsu_join_pkg,gsu_named_barrier_pkg cover=4
// Harness of nbar_next: one arrival at any state against the rules written as sentences; all 32 bits of id and count are free (D-16).
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_named_barrier_next_fv
  import gsu_pkg::*;
  import gsu_join_pkg::*;
  import gsu_named_barrier_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input nb_state_t state_i,
    input warp_arr_t arr_i,
    input mask_t live_i,
    input mask_t exit_i,        // warps that exit afterwards
    input logic [5:0] warps_i,
    input logic [4:0] other_i   // any other warp
);
  `FV_RESET
  nb_result_t r;
  assign r = nbar_next(state_i, arr_i, live_i, warps_i, 7'(BarsPerCta));
  logic idle, red, plain, legal;
  logic [31:0] threads;         // effective count (D-08)
  assign idle    = state_i.mode == NbIdle;
  assign red     = |arr_i.redops;
  assign plain   = arr_i.has_sync || arr_i.has_arrive;
  assign legal   = arr_i.arg0 < 32'd16 && (arr_i.arg1 % 32) == 0 && !(arr_i.op == OpBarArrive && arr_i.arg1 == 0);
  assign threads = arr_i.arg1 == 0 ? 32'(warps_i) * 32 : arr_i.arg1;
  `ASSUME(IdleIsZero, !idle || state_i == '0)
  `ASSUME(KnownMode, state_i.mode == NbIdle || state_i.mode == NbExplicit || state_i.mode == NbImplicit)
  `ASSUME(WarpLives, live_i[arr_i.warp])
  `ASSUME(OpenIsIncomplete, !nbar_done(state_i, live_i))
  `ASSUME(LastIsKnown, idle || state_i.last == nbar_last(state_i, live_i))
  `ASSUME(WarpsFit, warps_i >= 1 && warps_i <= 32)

  `ASSERT(RefusedExactlyWhenIllegal, r.refused == !legal)                                              // BAR-002, 006, 007
  `ASSERT(RefusalKeepsState, !r.refused || (r.state == state_i && !r.done))                            // D-03
  `ASSERT(CountedOnce, r.refused || r.state.n == (state_i.n == 127 ? 7'd127 : state_i.n + 7'd1))       // BAR-009, D-15
  `ASSERT(WarpIsMarked, r.refused || r.state.arrived[arr_i.warp])
  `ASSERT(OthersKeepMarks, other_i == arr_i.warp || (r.state.arrived[other_i] == state_i.arrived[other_i]
          && r.state.waiting[other_i] == state_i.waiting[other_i] && r.state.partial[other_i] == state_i.partial[other_i]))
  `ASSERT(WaitsExactlyIfALaneWaits, r.refused || r.state.waiting[arr_i.warp] == (|arr_i.wait_lanes || state_i.waiting[arr_i.warp]))
  `ASSERT(PartialExactlyIfSomeOthersDoNot, r.refused || r.state.partial[arr_i.warp] == (state_i.partial[arr_i.warp]
          || (|arr_i.wait_lanes && (arr_i.diverged || |(arr_i.lanes & ~arr_i.wait_lanes) || |(arr_i.wait_lanes & ~arr_i.lanes)))))  // D-12, D-13
  `ASSERT(OpeningSetsTarget, r.refused || !idle || ({r.state.count, 5'd0} == threads && (r.state.mode == NbImplicit) == (arr_i.arg1 == 0)))
  `ASSERT(LaterKeepsTarget, r.refused || idle || (r.state.count == state_i.count && r.state.mode == state_i.mode))  // D-07
  `ASSERT(OtherCountIsReported, r.refused || r.errs[NbErrCountsDiffer] == (!idle && {state_i.count, 5'd0} != threads))
  `ASSERT(RearrivalIsReported, r.refused || r.errs[NbErrRearrive] == (!idle && state_i.arrived[arr_i.warp]))
  `ASSERT(MixIsReported, r.refused || r.errs[NbErrMixed] == ((red || state_i.redops != 0) && (plain || state_i.plain)))
  `ASSERT(TwoOperatorsAreReported, r.refused || !red || r.errs[NbErrRedOps] == ($countones(state_i.redops | arr_i.redops) >= 2))
  `ASSERT(OnlyRedFolds, r.refused || red || idle || (r.state.popc == state_i.popc && r.state.all == state_i.all && r.state.any == state_i.any))
  `ASSERT(OpeningWithoutRedIsNeutral, r.refused || red || !idle || (r.state.popc == 0 && r.state.all && !r.state.any))  // BAR-023
  `ASSERT(PopcAdds, r.refused || !red || r.state.popc == state_i.popc + 11'(arr_i.popc))
  `ASSERT(AllAnds, r.refused || !red || r.state.all == (arr_i.all && (idle || state_i.all)))
  `ASSERT(AnyOrs, r.refused || !red || r.state.any == (arr_i.any || state_i.any))
  `ASSERT(ExplicitCompletesAtCount, r.refused || r.state.mode != NbExplicit || r.state.count > 127
          || r.done == ({r.state.n, 5'd0} >= {r.state.count[6:0], 5'd0}))
  `ASSERT(TooManyNeverComplete, !(r.state.mode == NbExplicit && r.state.count > 127) || !r.done)
  `ASSERT(ImplicitCompletesWhenAllCame, r.refused || r.state.mode != NbImplicit
          || r.done == (32'(r.state.n) >= $countones(live_i | r.state.arrived)))                       // D-06
  // The bit that is known a commit ahead: one arrival more, or one warp less.
  `ASSERT(LastIsKept, r.refused || r.done || r.state.last == (r.state.mode == NbExplicit ? 32'(r.state.n) + 1 >= 32'(r.state.count) && r.state.count < 128
          : 32'(r.state.n) + 1 >= $countones(live_i | r.state.arrived)))
  `ASSERT(LeftIsDone, !live_i[other_i] || nbar_left(state_i, other_i) == nbar_done(state_i, live_i & ~(32'd1 << other_i)))
  `ASSERT(ExitNeverCompletesExplicit, state_i.mode != NbExplicit || nbar_done(state_i, live_i) == nbar_done(state_i, live_i & ~exit_i))
  `ASSERT(ExitNeverReopens, !nbar_done(state_i, live_i & ~exit_i) || nbar_done(state_i, live_i & ~exit_i & ~(32'd1 << other_i)))
  `ASSERT(IdleNeverCompletes, !idle || !nbar_done(state_i, live_i & ~exit_i))                                    // D-10
  `COVER(LastOfMany, r.done && r.state.n == 32 && r.state.mode == NbImplicit)
  `COVER(ExitCompletes, live_i[other_i] && nbar_left(state_i, other_i) && $countones(live_i) > 2)
  `COVER(SameCountImplicitAndExplicit, state_i.mode == NbImplicit && arr_i.arg1 != 0 && !r.errs[NbErrCountsDiffer] && !r.refused)
endmodule
