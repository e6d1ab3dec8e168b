// gsu_net_grid: the grid table of griddepcontrol. For each grid it counts the CTAs that have still to signal and to end, and holds its prerequisite grids.
// It notifies the SMs when the prerequisites of a grid are complete, and the driver when dependents may start and when a grid has ended.
// A CTA that will never start (CLC-014) counts as ended.
// Rules: GDC-002 (dependents may start when every CTA has signalled or ended; those not started count as neither, D-58), GDC-005 (wait: until the
// prerequisites are complete), GDC-008, D-70. One commit a clock: a message of the driver, else a report; the order of commits is what the model follows.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_net_grid
  import gsu_pkg::*;
#(
    parameter int unsigned Sms = MaxSms,  /// SMs
    parameter int unsigned UpDepth = 32,  /// reports in flight from one SM
    parameter int unsigned DownDepth = 32 /// messages in flight to the SMs, a power of two: at most two of each grid
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    input  cycle_t         now_i,
    input  cfg_t           cfg_i,
    input  logic           grid_valid_i,   // of the driver
    output logic           grid_ready_o,   // from a flop
    input  grid_t          grid_i,
    input  logic [Sms-1:0] up_valid_i,     // each holds until ready
    output logic [Sms-1:0] up_ready_o,
    input  grid_up_t       up_i[Sms],      // sm is written here
    output logic           dn_valid_o,     // pulse, to every SM; from a flop
    output grid_dn_t       dn_o,
    output logic [MaxGrids-1:0] signalled_o,  // pulse per slot: every CTA has signalled or ended; from flops
    output logic [MaxGrids-1:0] complete_o,   // pulse per slot: every CTA has ended, the slot is free
    output logic           tap_valid_o,    // pulse with the commit
    output tap_t           tap_o,
    output logic           idle_o,         // nothing to do before next_event_o without an input
    output cycle_t         next_event_o    // earliest deadline, all ones if none
);
  typedef logic [MaxGrids-1:0] grids_t;
  typedef struct packed {
    logic [31:0] quiet;  // CTAs that have not signalled
    logic [31:0] left;   // CTAs that have not ended
  } count_t;

  grids_t used_q;              // the slot is in use: its grid is in flight, or the SMs have not been notified of its end
  grids_t here_q;              // CTAs of the grid are launched on this network
  grids_t over_q;              // the grid is complete
  grids_t go_q, free_q;        // the SMs have been notified that its prerequisites are complete | that its slot is free
  grids_t wait_q[MaxGrids];    // its prerequisites that are in flight
  grids_t waits_q;             // it has a prerequisite in flight
  count_t count_q[MaxGrids];   // counts of the grid; valid where here_q

  ////// Inputs //////
  logic cmd_valid, cmd_empty, rep_valid, rep_ready;
  grid_t cmd;
  grid_up_t rep, told[Sms];
  cycle_t up_next;
  gsu_skid #(.Width($bits(grid_t))) u_skid (
      .clk_i, .rst_ni, .valid_i(grid_valid_i), .ready_o(grid_ready_o), .data_i(grid_i), .valid_o(cmd_valid), .ready_i(1'b1), .data_o(cmd), .empty_o(cmd_empty)
  );
  always_comb begin
    for (int s = 0; s < int'(Sms); s++) begin
      told[s]    = up_i[s];
      told[s].sm = 5'(s);
    end
  end
  assign rep_ready = !cmd_valid;
  gsu_net_reports #(.Sms(Sms), .Depth(UpDepth)) u_up (
      .clk_i, .rst_ni, .now_i, .latency_i(cfg_i.grid_up_lat), .up_valid_i, .up_ready_o, .up_i(told),
      .valid_o(rep_valid), .ready_i(rep_ready), .report_o(rep), .next_o(up_next)
  );

  ////// One commit //////
  logic open, elsewhere, fewer, report, signalled, complete;
  logic [3:0] grid;
  count_t before_c, after_c, fewer_c;
  grids_t bit_of, waits;
  assign open      = cmd_valid && !cmd.ended && !cmd.fewer;
  assign fewer     = cmd_valid && cmd.fewer;
  assign elsewhere = cmd_valid && cmd.ended;
  assign report    = rep_valid && rep_ready;
  assign grid      = cmd_valid ? cmd.grid : rep.grid;
  assign bit_of    = cmd_valid || report ? grids_t'(1) << grid : '0;
  assign waits     = cmd.prereqs & used_q & ~over_q;
  // The grid of a driver's message comes from a flop, the grid of a report comes late. So both counts less one are computed in parallel with the selection.
  always_comb begin
    before_c = '0;
    after_c  = '0;
    fewer_c  = '0;
    if (fewer || Eager) fewer_c = count_q[cmd.grid];
    if (report) begin
      before_c      = count_q[rep.grid];
      after_c.quiet = rep.signals ? one_less(before_c.quiet) : before_c.quiet;
      after_c.left  = rep.ends ? one_less(before_c.left) : before_c.left;
    end else if (fewer) begin
      before_c      = fewer_c;
      after_c.quiet = fewer_c.quiet - cmd.ctas;
      after_c.left  = fewer_c.left - cmd.ctas;
    end else if (open) begin
      after_c = '{quiet: cmd.ctas, left: cmd.ctas};
    end
  end
  // Whether the counts become 0, computed in parallel with the subtraction.
  assign signalled = (report && rep.signals && before_c.quiet == 32'd1) || (fewer && fewer_c.quiet == cmd.ctas);
  assign complete  = elsewhere || (report && rep.ends && before_c.left == 32'd1) || (fewer && fewer_c.left == cmd.ctas);

  ////// Messages to the SMs: the prerequisites of a grid are complete; its slot is free //////
  grids_t go, over, asked;
  logic dn_push, dn_space, dn_head_valid, dn_empty, dn_go;
  logic [3:0] dn_grid;
  grid_dn_t dn_head, dn_news;
  cycle_t dn_next;
  assign go      = used_q & here_q & ~over_q & ~go_q & ~waits_q;
  assign over    = over_q & ~free_q;
  assign dn_go   = over == '0;
  assign dn_push = |(go | over) && dn_space;
  always_comb begin
    dn_grid = '0;
    if (dn_push) dn_grid = 4'(lowest_of(64'(grids_t'(dn_go ? go : over))));
  end
  assign asked   = dn_push ? wait_q[dn_grid] : '0;
  assign dn_news = '{rsvd: '0, go: dn_go, grid: dn_grid};
  gsu_delay #(.Width($bits(grid_dn_t)), .Depth(DownDepth)) u_down (
      .clk_i, .rst_ni, .now_i,
      .push_i(dn_push), .space_o(dn_space), .data_i(dn_news), .due_i(now_i + cycle_t'(cfg_i.grid_down_lat)),
      .valid_o(dn_head_valid), .ready_i(1'b1), .data_o(dn_head), .empty_o(dn_empty), .next_o(dn_next)
  );
  grids_t freed;
  assign freed = dn_head_valid && !dn_head.go ? grids_t'(1) << dn_head.grid : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q      <= '0;
      here_q      <= '0;
      over_q      <= '0;
      go_q        <= '0;
      free_q      <= '0;
      waits_q     <= '0;
      dn_valid_o  <= 1'b0;
      dn_o        <= '0;
      signalled_o <= '0;
      complete_o  <= '0;
    end else begin
      dn_valid_o  <= dn_head_valid;
      signalled_o <= signalled ? bit_of : '0;
      complete_o  <= freed;
      if (dn_head_valid) dn_o <= dn_head;
      if (cmd_valid || report || dn_push || |freed) begin
        used_q <= (used_q & ~freed) | (open ? bit_of : '0);
        over_q <= (over_q & ~freed) | (complete ? bit_of : '0);
        go_q   <= (go_q & ~freed) | (dn_push && dn_go ? grids_t'(1) << dn_grid : '0);
        free_q <= (free_q & ~freed) | (dn_push && !dn_go ? grids_t'(1) << dn_grid : '0);
        if (open) here_q[grid] <= cmd.ctas != '0;
        if (open) waits_q[grid] <= |waits;
        if (complete) for (int i = 0; i < int'(MaxGrids); i++) waits_q[i] <= |(wait_q[i] & ~bit_of) && waits_q[i];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (open || fewer || report) count_q[grid] <= after_c;
    if (open) wait_q[grid] <= waits;
    if (complete) for (int i = 0; i < int'(MaxGrids); i++) wait_q[i] <= wait_q[i] & ~bit_of;
  end

  ////// Commit records: words are {CTAs that have not signalled, CTAs that have not ended} //////
  assign tap_valid_o = cmd_valid || report;
  always_comb begin
    tap_o = '0;
    if (tap_valid_o) begin
      tap_o.op     = open ? OpEvGridOpen : cmd_valid || rep.ends ? OpEvGridEnd : OpEvGridSignal;
      tap_o.obj    = 32'(grid);
      tap_o.src    = cmd_valid ? SrcLocal : SrcNetwork;
      tap_o.src_sm = report ? rep.sm : '0;
      tap_o.cta    = report ? rep.cta : '0;
      tap_o.flip   = signalled || complete;
      tap_o.lanes  = open ? 32'(waits) : '0;
      tap_o.old_w  = before_c;
      tap_o.new_w  = after_c;
    end
  end
  assign idle_o       = cmd_empty && (go | over) == '0 && !dn_valid_o && (signalled_o | complete_o) == '0;
  assign next_event_o = earlier(up_next, dn_next);

  logic unused;
  assign unused = &{1'b0, cfg_i, cmd.rsvd, dn_empty, asked};

  `REQUIRE(SlotExists, !cmd_valid || cmd.grid != '0)
  `REQUIRE(OpensFreeSlot, !open || !used_q[cmd.grid])
  `REQUIRE(NotItsOwnPrerequisite, !open || !cmd.prereqs[cmd.grid])
  `REQUIRE(EndsElsewhere, !elsewhere || (used_q[cmd.grid] && !here_q[cmd.grid] && !over_q[cmd.grid]))
  `REQUIRE(FewerOfItsGrid, !fewer || (used_q[cmd.grid] && here_q[cmd.grid] && !over_q[cmd.grid] && cmd.ctas != '0 && before_c.quiet >= cmd.ctas))
  `REQUIRE(ReportOfItsGrid, !report || (used_q[rep.grid] && here_q[rep.grid] && !over_q[rep.grid]))
  `REQUIRE(CountsSuffice, !report || (before_c.quiet >= 32'(rep.signals) && before_c.left >= 32'(rep.ends)))
  `ASSERT(OverIsUsed, ((over_q | go_q | free_q) & ~used_q) == '0)
  `ASSERT(FreeIsOver, (free_q & ~over_q) == '0)
  `ASSERT(NewsHasSpace, (go | over) == '0 || dn_space)
  `ASSERT(EndAfterSignals, !report || after_c.left >= after_c.quiet)
  `ASSERT(GoNeedsPrerequisites, !(dn_push && dn_go) || (asked & used_q & ~over_q) == '0)
  `ASSERT_NEXT(IdleHolds, idle_o && !grid_valid_i && !(|up_valid_i) && now_i < next_event_o,
               $stable(used_q) && $stable(over_q) && $stable(go_q) && $stable(free_q) && $stable(waits_q) && !dn_valid_o && $stable(next_event_o))
  `COVER(SignalledBeforeEnd, signalled && !complete)
  `COVER(LastEndSignals, signalled && complete)
  `COVER(OpensBehindAnother, open && |waits)
  `COVER(TwoWaitForOne, complete && $countones(waits_q) > 1)
  `COVER(FewerEndIt, fewer && complete)
  `COVER(ReportWaitsForDriver, rep_valid && !rep_ready)
endmodule
