// gsu_named_barrier: the named barriers of every CTA slot, 0..15 by default. It takes whole-warp arrivals of sync, arrive and red, one commit a clock.
// Rules: BAR-004..013, BAR-017..019, BAR-023..027, BAR-031, BAR-038..042, D-05..D-17, D-71. The arithmetic is gsu_named_barrier_pkg::nbar_next.
// Limitations: a refusal is answered through the queue of bar.arrive answers, so up to cfg bar_arrive_lat after its commit.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_named_barrier
  import gsu_pkg::*;
  import gsu_join_pkg::*;
  import gsu_named_barrier_pkg::*;
#(
    parameter int unsigned Ctas = MaxCtas,     /// CTA slots; proofs use fewer
    parameter int unsigned Bars = BarsPerCta,  /// barriers of a CTA; proofs use fewer
    parameter int unsigned WarpSlots = MaxWarpSlots,  /// warp slots of the SM; fewer in proofs
    parameter int unsigned RelDepth = 32,      /// pending releases; bar_release_lat / bar_interval is enough for the full rate
    parameter int unsigned RspDepth = 16,      /// pending answers; bar_arrive_lat / bar_interval is enough for the full rate
    localparam int unsigned BarW = $clog2(Bars)
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  cycle_t     now_i,
    input  cfg_t       cfg_i,
    input  logic       launch_valid_i,   // pulse, only with launch_ready_o; no arrival or exit of the slot is pending
    input  logic [4:0] launch_cta_i,
    input  logic [5:0] launch_wbase_i,   // its first warp slot
    input  logic [5:0] launch_nwarps_i,  // 1..32
    output logic       launch_ready_o,
    input  logic       next_valid_i,     // pulse: an arrival comes in the next clock
    input  logic [4:0] next_cta_i,       // its CTA
    input  logic [BarW-1:0] next_bar_i,  // its barrier
    input  logic       arr_valid_i,      // holds until ready
    output logic       arr_ready_o,
    input  warp_arr_t  arr_i,            // of a live warp that has no arrival waiting
    input  logic       wexit_valid_i,
    output logic       wexit_ready_o,
    input  logic [4:0] wexit_cta_i,
    input  logic [4:0] wexit_warp_i,     // live until now
    input  logic       wexit_last_i,     // the last live warp of its CTA: barriers that are not idle then are discarded and reported (D-17)
    output mask_t      ending_o,         // per CTA: one of its exits is still to be evaluated here
    output logic       rsp_valid_o,      // answers of refused lanes, and of lanes that do not wait
    input  logic       rsp_ready_i,
    output sync_rsp_t  rsp_o,
    output logic       rel_valid_o,      // releases of the waiting lanes of a completed generation
    input  logic       rel_ready_i,
    output release_t   rel_o,
    output logic       tap_valid_o,      // pulse with the commit
    /*verilator tracing_off*/ output tap_t       tap_o, /*verilator tracing_on*/
    output logic       idle_o,
    output cycle_t     next_event_o
);
  localparam int unsigned CtaW = $clog2(Ctas);
  localparam int unsigned SlotW = $clog2(WarpSlots);
  typedef logic [CtaW-1:0] cta_t;
  typedef logic [BarW-1:0] bar_t;
  typedef logic [Bars-1:0] bars_t;
  typedef logic [SlotW-1:0] slot_t;
  typedef struct packed {
    logic [4:0]  cta;
    logic [4:0]  warp;
    logic [11:0] tag;
    mask_t       lanes;
    cause_e      cause;
  } answer_t;

  ////// State //////
  bars_t           busy_q[Ctas];        // barriers that are not idle; only these have a valid state in u_state
  mask_t           live_q[Ctas];        // live warps; valid from launch on
  logic [5:0]      warps_q[Ctas];
  slot_t           wbase_q[Ctas];
  // Per warp slot: the lanes that wait while other lanes of their warp do not (nb_state_t.partial). u_at holds the barrier at which each lane waits.
  mask_t           part_q[WarpSlots];
  cycle_t          next_arr_q;          // earliest next arrival
  logic            exit_valid_q;        // an exit waits for its commit
  logic            exit_turn_q;         // an arrival was taken before the exit: the exit is next
  logic [4:0]      exit_cta_q, exit_warp_q;
  logic            exit_last_q;
  bars_t           scan_q;              // barriers to evaluate for the last committed exit
  logic            scanning_q;          // scan_q is not 0
  bar_t            scan_bar_q;          // the lowest barrier of scan_q, so that its state is read without a search
  mask_t           parts_q;             // partial warps of the generation that completed last, still to be released
  release_t        part_rel_q;          // the common part of their release records
  release_t rel_data, rel_rec;          // release record of the generation that completes | release record of this clock

  ////// The commit of this clock: an evaluation after an exit, else an arrival, else an exit (D-02, D-10); partial warps are released first //////
  logic parting, rel_space, rsp_space, do_part, do_scan, do_arr, do_exit;
  assign parting        = |parts_q;
  assign do_part        = parting && rel_space;
  assign do_scan        = scanning_q && !parting && rel_space;
  assign arr_ready_o    = !scanning_q && !parting && !exit_turn_q && rel_space && rsp_space && at_most(next_arr_q, now_i);
  assign do_arr         = arr_valid_i && arr_ready_o;
  assign do_exit        = exit_valid_q && !scanning_q && !parting && (exit_turn_q || !arr_valid_i);
  assign wexit_ready_o  = !exit_valid_q && !scanning_q;
  assign launch_ready_o = !exit_valid_q && !scanning_q;

  // Hardware has a one-hot AND-OR instead of an indexed read, which would be a deep multiplexer.
  function automatic logic is_busy(cta_t of, bar_t which);
    bars_t some;
    if (Events) begin
      is_busy = busy_q[of][which];
    end else begin
      some = '0;
      for (int c = 0; c < int'(Ctas); c++) some |= of == cta_t'(c) ? busy_q[c] : '0;
      is_busy = |(some & (bars_t'(1) << which));
    end
  endfunction

  /* verilator tracing_off */  // waves show the result of a commit in its record on the tap
  cta_t             cta;
  bar_t             bar;
  nb_state_t        state, read;  // 0 if the barrier is idle | as it is stored
  nb_result_t       result;
  mask_t            live;
  logic             of_arr, id_ok, here, write, complete, discard;
  logic [CtaW+BarW-1:0] index;
  /* verilator tracing_on */
  assign of_arr = arr_valid_i && !scanning_q && !exit_turn_q;  // the arrival's state is read. Known before do_arr and do_scan, so the lookup runs in parallel
  assign cta    = of_arr ? cta_t'(arr_i.cta) : cta_t'(exit_cta_q);
  assign bar    = of_arr ? bar_t'(arr_i.arg0) : scan_bar_q;
  assign id_ok  = arr_i.arg0 < Bars;
  assign here   = !of_arr || (id_ok && is_busy(cta_t'(arr_i.cta), bar_t'(arr_i.arg0)));  // a barrier that is scanned is always busy
  assign index  = {cta, bar};
  always_comb begin
    state  = '0;
    live   = '0;
    result = '0;
    if (do_arr || do_scan || do_exit || Eager) live = live_q[cta];
    if (do_arr || do_scan || Eager) begin
      if (here) state = read;
    end
    if (do_arr) begin
      result = nbar_next(state, arr_i, live, warps_q[cta], 7'(Bars));
    end else if (do_scan) begin
      result.state      = state;
      result.state.last = nbar_last(state, live);
      result.done       = nbar_left(state, exit_warp_q);
    end
  end
  // The states are in a memory with the index {CTA, barrier}. The next clock needs the state of the next barrier to scan, else that of the arrival.
  bars_t scan;
  logic  scans;
  logic [CtaW+BarW-1:0] next_index;
  always_comb begin
    scan = scan_q;
    if (do_exit) scan = busy_q[cta];
    else if (do_scan) scan = scan_q & (scan_q - bars_t'(1));
  end
  assign scans = do_exit || do_scan ? |scan : scanning_q;
  always_comb begin
    next_index = next_valid_i ? {cta_t'(next_cta_i), next_bar_i} : {cta_t'(arr_i.cta), bar_t'(arr_i.arg0)};
    if (scans) next_index = {cta_t'(exit_cta_q), do_exit || do_scan ? bar_t'(lowest_of(64'(scan))) : scan_bar_q};
  end
  gsu_ram #(.Words(Ctas << BarW), .Width($bits(nb_state_t)), .Through(1'b1)) u_state (
      .clk_i, .we_i((write || do_scan) && !complete), .waddr_i(index), .wdata_i(result.state), .spread_i(1'b0),
      .re_i(next_valid_i || do_arr || do_scan || do_exit), .raddr_i(next_index), .rdata_o(read)
  );
  assign complete = result.done;
  assign write    = do_arr && !result.refused;
  assign discard  = do_scan && exit_last_q && !complete;

  // The warp slot of this clock, and its lanes that wait at the barrier whose partial warps are being released.
  slot_t      slot;
  logic [4:0] part_warp, slot_warp;
  slot_t      wbase;
  mask_t      waiting_lanes, part_lanes;
  logic       in_part, store_part;  // some lanes of the warp wait, but not all
  assign slot_warp  = parting ? part_warp : arr_i.warp;
  assign wbase      = wbase_q[parting ? cta_t'(part_rel_q.cta) : cta];
  assign slot       = wbase + slot_t'(slot_warp);
  assign in_part    = |arr_i.wait_lanes && (arr_i.diverged || arr_i.wait_lanes != arr_i.lanes);
  assign store_part = write && in_part;
  // The partial warp to release in the next clock: the lowest one. At the completing commit: of the barrier's partial warps and the arriving warp, if partial.
  logic             parts_come;
  mask_t            next_parts;
  slot_t            next_part;
  bar_t [Lanes-1:0] at;
  assign parts_come = complete && |result.state.partial;
  always_comb begin
    next_parts = '0;
    next_part  = '0;
    if (parting) begin
      next_parts = parts_q & (parts_q - 32'd1);
    end else if (parts_come || Eager) begin
      next_parts = state.partial;
      if (of_arr && in_part) next_parts[arr_i.warp] = 1'b1;
    end
    if (next_parts != '0 || Eager) next_part = wbase + slot_t'(lowest_of(64'(next_parts)));
  end
  gsu_ram #(.Words(WarpSlots), .Width(BarW), .Parts(Lanes), .Through(1'b1)) u_at (
      .clk_i, .we_i(store_part ? arr_i.wait_lanes : '0), .waddr_i(slot), .wdata_i({Lanes{bar}}), .spread_i(1'b1),
      .re_i(Events ? parts_come || do_part : !parting || rel_space), .raddr_i(next_part), .rdata_o(at)
  );
  always_comb begin
    part_warp = '0;
    if (parting) part_warp = 5'(lowest_of(64'(parts_q)));
  end
  always_comb begin
    waiting_lanes = '0;
    part_lanes    = '0;
    if (parting || store_part) waiting_lanes = part_q[slot];
    if (parting) for (int i = 0; i < int'(Lanes); i++) part_lanes[i] = waiting_lanes[i] && at[i] == bar_t'({part_rel_q.id_hi, part_rel_q.id});
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q       <= '{default: '0};
      next_arr_q   <= '0;
      exit_valid_q <= 1'b0;
      exit_turn_q  <= 1'b0;
      exit_cta_q   <= '0;
      exit_warp_q  <= '0;
      exit_last_q  <= 1'b0;
      scan_q       <= '0;
      scanning_q     <= 1'b0;
      scan_bar_q     <= '0;
      parts_q      <= '0;
      part_rel_q   <= '0;
      part_q       <= '{default: '0};
    end else begin
      if (parts_come) begin
        parts_q    <= result.state.partial;
        part_rel_q <= rel_data;
      end else if (do_part) begin
        parts_q <= parts_q & (parts_q - 32'd1);
      end
      if (store_part) part_q[slot] <= waiting_lanes | arr_i.wait_lanes;
      else if (do_part) part_q[slot] <= waiting_lanes & ~part_lanes;
      if (launch_valid_i) busy_q[cta_t'(launch_cta_i)] <= '0;
      if (write || do_scan) busy_q[cta][bar] <= !complete && !discard;
      if (do_arr) next_arr_q <= now_i + cycle_t'(cfg_i.bar_interval);
      if (wexit_valid_i && wexit_ready_o) begin
        exit_valid_q <= 1'b1;
        exit_cta_q   <= wexit_cta_i;
        exit_warp_q  <= wexit_warp_i;
        exit_last_q  <= wexit_last_i;
      end else if (do_exit) begin
        exit_valid_q <= 1'b0;
      end
      if (do_exit) exit_turn_q <= 1'b0;
      else if (do_arr && exit_valid_q) exit_turn_q <= 1'b1;
      if (do_exit || do_scan) begin
        scan_q   <= scan;
        scanning_q <= scans;
        scan_bar_q <= bar_t'(lowest_of(64'(scan)));
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (launch_valid_i) begin
      live_q[cta_t'(launch_cta_i)]  <= ~(32'hFFFF_FFFE << (launch_nwarps_i - 6'd1));
      warps_q[cta_t'(launch_cta_i)] <= launch_nwarps_i;
      wbase_q[cta_t'(launch_cta_i)] <= slot_t'(launch_wbase_i);
    end
    if (do_exit) live_q[cta] <= live & ~(32'd1 << exit_warp_q);
  end

  ////// Answers and releases, each at its deadline //////
  logic     rel_push, rsp_push, rel_empty, rsp_empty;
  /*verilator tracing_off*/ answer_t rsp_data; /*verilator tracing_on*/  // shows as the answer
  answer_t  rsp_head;
  cycle_t   rel_next, rsp_next;
  /*verilator tracing_off*/ cycle_t rsp_due; /*verilator tracing_on*/
  assign rel_push = do_part || (complete && |(result.state.waiting & ~result.state.partial));
  assign rsp_push = do_arr && (result.refused || |rsp_data.lanes);
  always_comb begin
    rel_data = '0;
    rsp_data = '0;
    if (complete && |result.state.waiting) begin
      rel_data.lanes = '1;
      rel_data.warps = result.state.waiting & ~result.state.partial;
      rel_data.popc  = result.state.popc;
      rel_data.all   = result.state.all;
      rel_data.any   = result.state.any;
      {rel_data.id_hi, rel_data.id} = 6'(bar);
      rel_data.cta   = 5'(cta);
    end
    rel_rec = rel_data;
    if (do_part) begin
      rel_rec       = part_rel_q;
      rel_rec.warps = 32'd1 << part_warp;
      rel_rec.lanes = part_lanes;
    end
    if (do_arr) begin
      rsp_data.cta   = arr_i.cta;
      rsp_data.warp  = arr_i.warp;
      rsp_data.tag   = arr_i.tag;
      rsp_data.lanes = result.refused ? arr_i.lanes : arr_i.lanes & ~arr_i.wait_lanes;
      rsp_data.cause = result.refused ? CauseRefused : CauseDone;
    end
  end
  assign rsp_due = result.refused ? now_i : now_i + cycle_t'(cfg_i.bar_arrive_lat);

  gsu_delay #(.Width($bits(release_t)), .Depth(RelDepth)) u_rel (
      .clk_i, .rst_ni, .now_i,
      .push_i(rel_push), .space_o(rel_space), .data_i(rel_rec), .due_i(now_i + cycle_t'(cfg_i.bar_release_lat)),
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

  ////// Commit records: arrival | exit, without a barrier word | completion by that exit, or a barrier that the ended CTA left //////
  assign tap_valid_o = do_arr || do_exit || (do_scan && complete) || discard;
  always_comb begin
    tap_o = '0;
    if (do_arr) begin
      tap_o.op      = arr_i.op;
      tap_o.cta     = arr_i.cta;
      tap_o.warp    = arr_i.warp;
      tap_o.tag     = arr_i.tag;
      tap_o.lanes   = arr_i.lanes;
      tap_o.obj     = arr_i.arg0;
      tap_o.src     = arr_i.src;
      tap_o.errs    = result.errs;
      tap_o.refused = result.refused;
      tap_o.cause   = result.refused ? CauseRefused : CauseDone;
      tap_o.flip    = complete;
      tap_o.old_w   = nbar_word(state);
      if (!complete) tap_o.new_w = nbar_word(result.state);
    end else if (tap_valid_o) begin
      tap_o.op   = OpEvWarpExit;
      tap_o.cta  = exit_cta_q;
      tap_o.warp = exit_warp_q;
      tap_o.src  = SrcExit;
      tap_o.flip = complete;
      tap_o.obj  = do_scan ? 32'(bar) : 32'(exit_cta_q);
      tap_o.errs[NbErrLeft] = discard;
      if (do_scan) tap_o.old_w = nbar_word(state);
    end
  end

  assign idle_o       = !scanning_q && !parting && !exit_valid_q && !rel_valid_o && !rsp_valid_o;
  assign next_event_o = earlier(rel_next, rsp_next);

  assign ending_o     = (wexit_valid_i ? 32'd1 << wexit_cta_i : '0) | (exit_valid_q || scanning_q ? 32'd1 << exit_cta_q : '0);

  logic unused;
  assign unused = &{1'b0, cfg_i, rel_empty, rsp_empty};

  ////// Checks //////
  `REQUIRE(LaunchWhenReady, !launch_valid_i || (launch_ready_o && launch_nwarps_i >= 6'd1 && launch_nwarps_i <= 6'd32))
  `REQUIRE(SlotExists, (!launch_valid_i || 32'(launch_cta_i) < Ctas) && (!arr_valid_i || 32'(arr_i.cta) < Ctas)
           && (!wexit_valid_i || 32'(wexit_cta_i) < Ctas))
  `REQUIRE_NEXT(ArrivalIsAnnounced, next_valid_i, arr_valid_i && arr_i.cta == $past(next_cta_i) && bar_t'(arr_i.arg0) == $past(next_bar_i))
  `REQUIRE_NEXT(OnlyAnnounced, !next_valid_i && !(arr_valid_i && !arr_ready_o), !arr_valid_i)
  `REQUIRE_NEXT(ArrivalHolds, arr_valid_i && !arr_ready_o, arr_valid_i && $stable(arr_i.cta) && $stable(arr_i.arg0))
  `REQUIRE(AnnouncedWithSpace, !next_valid_i || !arr_valid_i || arr_ready_o)
`ifdef FV_FLAT
  `ASSERT(StateIsRead, !(scanning_q || arr_valid_i) ||
          read == u_state.mem_q[scanning_q ? {cta_t'(exit_cta_q), scan_bar_q} : {cta_t'(arr_i.cta), bar_t'(arr_i.arg0)}])
`endif
  `ASSERT(PartsAreKnown, !parts_come || next_parts == result.state.partial)
  `REQUIRE(ArrivalNamesLanes, !arr_valid_i || (|arr_i.lanes && (arr_i.wait_lanes & ~arr_i.lanes) == '0))
  `REQUIRE(ArrivalOfLiveWarp, !do_arr || live[arr_i.warp])
  `REQUIRE(BlockedWarpSilent, !do_arr || !state.waiting[arr_i.warp] || arr_i.diverged || result.refused)  // D-12, D-13: other lanes of it
  `REQUIRE(ExitOfLiveWarp, !do_exit || live[exit_warp_q])
  `ASSERT(LooksAtTheCommit, !(do_arr || do_scan || do_exit) || do_arr == of_arr)
  `ASSERT(ScanIsKnown, scanning_q == |scan_q && scan_bar_q == bar_t'(lowest_of(64'(scan_q))))
  `ASSERT(OneCommit, $onehot0({do_part, do_scan, do_arr, do_exit}))
  `ASSERT(RefusedChangesNothing, !(do_arr && result.refused) || (!write && !complete && !rel_push && result.state == state))
  `ASSERT(OpenBarrierHasArrivals, !(do_arr || do_scan) || state.mode == NbIdle || (state.n != '0 && |state.arrived))
  `ASSERT(OpenBarrierIsIncomplete, !do_arr || state.mode == NbIdle || !nbar_done(state, live))
  `ASSERT(WaiterHasArrived, (state.waiting & ~state.arrived) == '0)
  `ASSERT(PartialWaits, (state.partial & ~state.waiting) == '0)
  `ASSERT(LaneWaitsOnce, !store_part || (waiting_lanes & arr_i.wait_lanes) == '0)
  `ASSERT(PartHasLanes, !do_part || |part_lanes)
  `ASSERT(ReleaseNamesWarps, !rel_valid_o || (|rel_o.warps && |rel_o.lanes && !rel_o.cluster))
  `ASSERT(AnswerNamesLanes, !rsp_valid_o || |rsp_o.lanes)
  `ASSERT(ExitOnlyCompletesImplicit, !(do_scan && complete) || state.mode == NbImplicit)
  `ASSERT(ExitOnlyEvaluatesOpen, !do_scan || is_busy(cta, bar))
  `ASSERT(EveryLaneIsAnswered, !do_arr || rsp_push || (arr_i.lanes == arr_i.wait_lanes))
  // D-70: one arrival may pass a waiting exit. Then the exit commits as soon as no barrier is evaluated and no partial warp is released.
  `ASSERT_NEXT(OneArrivalPasses, exit_valid_q && do_arr, exit_turn_q)
  `ASSERT(TurnOfTheExit, !(exit_valid_q && exit_turn_q && !scanning_q && !parting) || do_exit)
  `ASSERT_NEXT(ScanOnlyAfterExit, !scanning_q && !do_exit, !scanning_q)
  `ASSERT_NEXT(IdleHolds, idle_o && !launch_valid_i && !arr_valid_i && !wexit_valid_i && now_i < next_event_o,
               $stable(next_arr_q) && $stable(exit_cta_q) && $stable(exit_warp_q) && $stable(exit_last_q) && $stable(next_event_o)
               && !scanning_q && !parting && !exit_valid_q && $stable(exit_turn_q))
  `COVER(CompletedByArrive, do_arr && complete && arr_i.op == OpBarArrive)
  `COVER(CompletedByExit, do_scan && complete)
  `COVER(NobodyWaited, do_arr && complete && !rel_push)
  `COVER(ExitHadToWait, exit_turn_q && do_exit)
  `COVER(ReductionResult, rel_valid_o && rel_o.popc != '0)
  `ASSERT(DiscardedHasNoWaiter, !discard || state.waiting == '0)
  `COVER(Discards, discard)
  `COVER(WholeAndPartialWarps, rel_push && !do_part && |result.state.partial)
  `COVER(SecondPart, do_part && |(parts_q & (parts_q - 32'd1)))
endmodule
