// gsu_grid: griddepcontrol on one SM. It reports to the grid table once that a CTA has signalled, and once that it has ended. Lanes that wait for the
// prerequisites of their grid are parked, in an entry for each warp slot, until the table reports that the prerequisites are complete.
// Rules: GDC-002 (the end of a CTA counts as its signal), GDC-003 and D-58 (only the first launch_dependents of a CTA counts), GDC-005, GDC-008 (a wait without
// prerequisites is answered at once), D-70 (parked lanes occupy no port and no buffer of a request; round robin).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_grid
  import gsu_pkg::*;
#(
    parameter int unsigned Ctas = MaxCtas,           /// CTA slots; proofs use fewer
    parameter int unsigned WarpSlots = MaxWarpSlots  /// warp slots
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        launch_valid_i,  // pulse
    input  launch_t     launch_i,        // launch_ready_o looks up its CTA slot in every clock, valid or not
    output logic        launch_ready_o,  // the end of the last CTA in the slot of launch_i has been reported
    input  logic [31:0] free_i,          // pulse per CTA slot: it is freed; all operations of its CTA are performed
    input  logic        req_valid_i,     // launch_dependents and wait only, of a launched CTA
    output logic        req_ready_o,
    input  sync_req_t   req_i,
    input  logic [5:0]  req_slot_i,      // its warp slot
    output logic        rsp_valid_o,     // from a flop
    input  logic        rsp_ready_i,
    output sync_rsp_t   rsp_o,
    output logic        up_valid_o,      // from a flop; holds until ready
    input  logic        up_ready_i,
    output grid_up_t    up_o,
    input  logic        dn_valid_i,      // pulse
    input  grid_dn_t    dn_i,
    output logic        tap_valid_o,     // pulse with the commit: a signal, or a wait that is answered
    /*verilator tracing_off*/ output tap_t tap_o, /*verilator tracing_on*/
    output logic        idle_o           // without an input nothing changes
);
  localparam int unsigned CtaW = $clog2(Ctas);
  localparam int unsigned SlotW = $clog2(WarpSlots);
  typedef logic [Ctas-1:0] ctas_t;
  typedef logic [WarpSlots-1:0] slots_t;
  typedef logic [MaxGrids-1:0] grids_t;
  typedef struct packed {
    logic [11:0] tag;  // of the latest request
    logic [4:0]  warp;
    logic [4:0]  cta;
  } parked_t;

  ctas_t      member_q;      // the CTA belongs to a grid of the table
  ctas_t      signalled_q;   // the CTA has executed launch_dependents
  ctas_t      signal_q;      // the CTA's signal is still to be reported to the table
  ctas_t      end_q;         // the CTA's end is still to be reported to the table
  logic [3:0] grid_q[Ctas];  // grid of the CTA; valid from launch on
  grids_t     go_q;          // the prerequisites of the grid are complete
  slots_t     parked_q;      // lanes of the warp are parked
  slots_t     due_q;         // the parked lanes of the warp may resume
  logic [3:0] parked_grid_q[WarpSlots];  // grid of the parked lanes, valid where parked_q; u_lanes and u_who hold lanes, warp and tag
  logic [SlotW-1:0] last_q;  // warp slot answered last
  logic       rsp_valid_q, up_valid_q;
  sync_rsp_t  rsp_q;
  grid_up_t   up_q;
  logic [CtaW-1:0] told_q;   // CTA that was reported last

  ////// Messages of the table //////
  grids_t news, go;
  assign news = dn_valid_i ? grids_t'(1) << dn_i.grid : '0;
  assign go   = ((dn_i.go ? go_q | news : go_q & ~news)) | grids_t'(1);

  ////// Requests: signals, and waits whose prerequisites are complete, are answered; other waits are parked //////
  logic [CtaW-1:0] req_cta;
  logic [SlotW-1:0] slot;
  logic [3:0] req_grid;
  logic space, take, signals, first, parks, passes;
  assign space       = !rsp_valid_q || rsp_ready_i;
  assign req_ready_o = space && due_q == '0;
  always_comb begin
    {req_cta, slot, req_grid, take, signals, first, passes, parks} = '0;
    if (req_valid_i) begin
      req_cta  = req_i.cta[CtaW-1:0];
      slot     = SlotW'(req_slot_i);
      req_grid = member_q[req_cta] ? grid_q[req_cta] : 4'd0;
      take     = req_ready_o;
      signals  = take && req_i.op == OpGdcLaunchDependents;
      first    = signals && member_q[req_cta] && !signalled_q[req_cta];
      passes   = take && req_i.op != OpGdcLaunchDependents && go[req_grid];
      parks    = take && req_i.op != OpGdcLaunchDependents && !go[req_grid];
    end
  end

  ////// Parked lanes resume, one warp a clock. The warp of the next clock is chosen now, and its entry is read //////
  slots_t woken, due, after;
  logic wake, moves;
  logic [SlotW-1:0] pick_q, pick;  // warp slot that resumes in this clock | in the next clock
  mask_t lanes;                    // parked lanes of pick_q
  parked_t who;
  assign wake  = |due_q && space;
  assign moves = |woken || wake;
  always_comb begin
    woken = '0;
    if (dn_valid_i && dn_i.go && |parked_q) begin
      for (int i = 0; i < int'(WarpSlots); i++) woken[i] = parked_q[i] && parked_grid_q[i] == dn_i.grid;
    end
  end
  always_comb begin
    due   = due_q | woken;
    after = '0;
    pick  = '0;
    if (wake) due[pick_q] = 1'b0;
    if (moves || Eager) begin
      after = due & (~slots_t'(1) << (wake ? pick_q : last_q));
      pick  = |after ? SlotW'(lowest_of(64'(after))) : SlotW'(lowest_of(64'(due)));
    end
  end
  // The first lanes of a warp that park clear the bits of the others.
  gsu_ram #(.Words(WarpSlots), .Width(1), .Parts(Lanes), .Through(1'b1)) u_lanes (
      .clk_i, .we_i(!parks ? '0 : parked_q[slot] ? req_i.lanes : '1), .waddr_i(slot), .wdata_i(req_i.lanes), .spread_i(1'b0),
      .re_i(moves), .raddr_i(pick), .rdata_o(lanes)
  );
  gsu_ram #(.Words(WarpSlots), .Width($bits(parked_t)), .Through(1'b1)) u_who (
      .clk_i, .we_i(parks), .waddr_i(slot), .wdata_i({req_i.tag, req_i.warp, req_i.cta}), .spread_i(1'b0),
      .re_i(moves), .raddr_i(pick), .rdata_o(who)
  );

  sync_rsp_t answer;
  always_comb begin
    answer = '0;
    if (wake) begin
      answer.cta   = who.cta;
      answer.warp  = who.warp;
      answer.tag   = who.tag;
      answer.lanes = lanes;
      answer.cause = CauseFlip;
      answer.last  = 1'b1;
    end else if (signals || passes) begin
      answer.cta   = req_i.cta;
      answer.warp  = req_i.warp;
      answer.tag   = req_i.tag;
      answer.lanes = req_i.lanes;
      answer.cause = signals ? CauseDone : CauseAlreadyTrue;
      answer.last  = 1'b1;
    end
  end

  ////// Reports to the table: for each CTA its signal, then its end, or both at once //////
  ctas_t freed, tell, tell_after;
  logic told, joins;
  assign joins      = launch_valid_i && launch_i.grid != '0;
  logic [CtaW-1:0] teller;
  assign freed      = free_i[Ctas-1:0] & member_q;
  assign tell       = signal_q | end_q;
  assign told       = |tell && (!up_valid_q || up_ready_i);
  assign tell_after = tell & (~ctas_t'(1) << told_q);
  always_comb begin
    teller = '0;
    if (told) teller = |tell_after ? CtaW'(lowest_of(64'(tell_after))) : CtaW'(lowest_of(64'(tell)));
  end
  assign launch_ready_o = !tell[launch_i.cta[CtaW-1:0]];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      member_q    <= '0;
      signalled_q <= '0;
      signal_q    <= '0;
      end_q       <= '0;
      up_valid_q  <= 1'b0;
      up_q        <= '0;
      told_q      <= '1;
    end else begin
      if (told) begin
        up_valid_q       <= 1'b1;
        up_q             <= '{
            signals: signal_q[teller] || (end_q[teller] && !signalled_q[teller]),
            ends: end_q[teller],
            grid: grid_q[teller],
            cta: 5'(teller),
            sm: '0
        };
        told_q           <= teller;
        signal_q[teller] <= 1'b0;
        end_q[teller]    <= 1'b0;
      end else if (up_ready_i) begin
        up_valid_q <= 1'b0;
      end
      if (first) begin
        signalled_q[req_cta] <= 1'b1;
        signal_q[req_cta]    <= 1'b1;
      end
      if (|freed) begin
        member_q <= member_q & ~freed;
        for (int i = 0; i < int'(Ctas); i++) if (freed[i]) end_q[i] <= 1'b1;
      end
      if (joins) begin
        member_q[launch_i.cta[CtaW-1:0]]    <= 1'b1;
        signalled_q[launch_i.cta[CtaW-1:0]] <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      go_q        <= '0;
      parked_q    <= '0;
      due_q       <= '0;
      last_q      <= '1;
      pick_q      <= '0;
      rsp_valid_q <= 1'b0;
      rsp_q       <= '0;
    end else begin
      if (dn_valid_i) go_q <= go;
      if (wake || signals || passes) begin
        rsp_valid_q <= 1'b1;
        rsp_q       <= answer;
      end else if (rsp_ready_i) begin
        rsp_valid_q <= 1'b0;
      end
      if (moves) begin
        due_q  <= due;
        pick_q <= pick;
      end
      if (wake) begin
        parked_q[pick_q] <= 1'b0;
        last_q           <= pick_q;
      end
      if (parks) parked_q[slot] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (joins) grid_q[launch_i.cta[CtaW-1:0]] <= launch_i.grid;
    if (parks) parked_grid_q[slot] <= req_grid;
  end
  assign rsp_valid_o = rsp_valid_q;
  assign rsp_o       = rsp_q;
  assign up_valid_o  = up_valid_q;
  assign up_o        = up_q;
  assign idle_o      = tell == '0 && !up_valid_q && due_q == '0 && !rsp_valid_q;

  ////// Commits: a signal {was signalled} -> {is}, with flip if it is the CTA's first; an answered wait, with cause flip if it was parked //////
  assign tap_valid_o = wake || signals || passes;
  always_comb begin
    tap_o = '0;
    if (tap_valid_o) begin
      tap_o.op    = signals ? OpGdcLaunchDependents : OpGdcWait;
      tap_o.cta   = answer.cta;
      tap_o.warp  = answer.warp;
      tap_o.tag   = answer.tag;
      tap_o.lanes = answer.lanes;
      tap_o.cause = answer.cause;
      tap_o.obj   = wake ? 32'(parked_grid_q[pick_q]) : 32'(req_grid);
      tap_o.flip  = first;
      tap_o.old_w = 64'(signals && signalled_q[req_cta] && member_q[req_cta]);
      tap_o.new_w = 64'(signals && member_q[req_cta]);
    end
  end

  logic unused;
  assign unused = &{1'b0, launch_i, req_i, dn_i.rsvd, free_i, req_slot_i};

  `REQUIRE(OnlyGridControl, !req_valid_i || req_i.op inside {OpGdcLaunchDependents, OpGdcWait})
`ifdef FV_FLAT
  mask_t there, picked;
  always_comb begin
    for (int i = 0; i < int'(Lanes); i++) begin
      there[i]  = u_lanes.mem_q[int'(slot)*int'(Lanes)+i];
      picked[i] = u_lanes.mem_q[int'(pick_q)*int'(Lanes)+i];
    end
  end
  `REQUIRE(LanesWaitOnce, !(parks && parked_q[slot]) || (req_i.lanes & there) == '0)
  `ASSERT(WhoGoesOnIsRead, due_q == '0 || (lanes == picked && who == u_who.mem_q[pick_q]))
`elsif GSU_SHADOW  // a model that checks assertions and does not see into the memory: a copy of the parked lanes
  mask_t there_q[WarpSlots];
  mask_t there, picked;
  assign there  = there_q[slot];
  assign picked = there_q[pick_q];
  always_ff @(posedge clk_i) if (parks) there_q[slot] <= parked_q[slot] ? there | req_i.lanes : req_i.lanes;
  `REQUIRE(LanesWaitOnce, !(parks && parked_q[slot]) || (req_i.lanes & there) == '0)
  `ASSERT(WhoWaitsGoesOn, !wake || lanes == picked)
`endif
  `ASSERT(OneOfThemGoesOn, due_q == '0 || due_q[pick_q])
  `ASSERT(FreshIsNoMember, !launch_valid_i || !member_q[launch_i.cta[CtaW-1:0]])
  `REQUIRE(LaunchWhenReady, !launch_valid_i || (launch_ready_o && !free_i[5'(launch_i.cta[CtaW-1:0])]))
  `REQUIRE(NothingWaitsInAFreeCta, !(wake && |freed) || !freed[answer.cta[CtaW-1:0]])
  `ASSERT(DueIsParked, (due_q & ~parked_q) == '0)
  `ASSERT(SignalIsKept, (signal_q & ~signalled_q) == '0)
  `ASSERT(AnswerNamesLanes, !rsp_valid_o || rsp_o.lanes != '0)
  `ASSERT(OneCommit, $onehot0({wake, signals, passes, parks}))
  `ASSERT(WaitNeedsGo, !(tap_valid_o && tap_o.op == OpGdcWait) || go[tap_o.obj[3:0]] || (wake && due_q[pick_q]))
  `ASSERT_NEXT(AnswerHolds, rsp_valid_o && !rsp_ready_i, rsp_valid_o && $stable(rsp_o))
  `ASSERT_NEXT(ReportHolds, up_valid_o && !up_ready_i, up_valid_o && $stable(up_o))
  `ASSERT_NEXT(IdleHolds, idle_o && !joins && !req_valid_i && !dn_valid_i && free_i == '0,
               $stable(member_q) && $stable(signalled_q) && $stable(go_q) && $stable(parked_q) && idle_o)
  `COVER(Parks, parks)
  `COVER(ParksBesideOthers, parks && parked_q[slot])
  `COVER(GoesOnInTheClockOfTheNews, passes && dn_valid_i && !go_q[req_grid])
  `COVER(WakesTwo, wake && |(due_q & (due_q - slots_t'(1))))
  `COVER(SignalAgain, signals && !first && member_q[req_cta])
  `COVER(EndsWithItsSignal, told && signal_q[teller] && end_q[teller])
  `COVER(EndsWithout, told && end_q[teller] && !signalled_q[teller])
  `COVER(LaunchWaits, !launch_ready_o)
endmodule
