// prove: name=main engine=kind depth=3 flat=1 files=gsu_skid,gsu_net_reports,gsu_ram,gsu_rams,gsu_delay,gsu_net_grid skip=EndAfterSignals|u_skid.Full|u_down.Full|u_down.WrapsAround cover=18 limit=900
// Harness of gsu_net_grid with three grids in use and latencies of 0. One symbolic grid is followed from its start to its end, with one other grid that it may
// wait for. Its counts neither lose nor wrap. Its dependents may start when the last CTA has signalled and not before (GDC-002). It ends once, when the last
// CTA has ended. The SMs are notified that its prerequisites are complete when the other grid has ended, and not before (GDC-005, GDC-008).
// The inputs of the harness are the outputs of the buffers of driver messages and reports: gsu_skid and gsu_net_reports have their own proofs.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_net_grid_fv
  import gsu_pkg::*;
(
    input logic       clk_i,
    input logic       rst_ni,
    input logic       grid_valid_i,
    input grid_t      any_grid_i,
    input logic [1:0] up_valid_i,
    input grid_up_t [1:0] any_up_i,
    input logic [1:0] sym_i,
    input logic [1:0] sym_before_i
);
  localparam int unsigned Depth = 8;
  cycle_t now_i, next_event_o;
  cfg_t cfg_i;
  grid_t grid_i;
  grid_up_t up_i[2];
  grid_dn_t dn_o;
  tap_t tap_o;
  logic grid_ready_o, dn_valid_o, tap_valid_o, idle_o;
  logic [1:0] up_ready_o;
  logic [MaxGrids-1:0] signalled_o, complete_o;
  assign now_i  = '0;
  assign cfg_i  = '0;
  assign grid_i = any_grid_i;
  assign up_i[0] = any_up_i[0];
  assign up_i[1] = any_up_i[1];
  gsu_net_grid #(.Sms(2), .UpDepth(2), .DownDepth(Depth)) dut (.*);
  `FV_RESET

  logic [3:0] grid_q, before_q;  // the followed grid, and a grid that it may wait for
  always_ff @(posedge clk_i) if (!fv_started_q) {grid_q, before_q} <= {2'd0, sym_i, 2'd0, sym_before_i};
  `ASSUME(TwoGrids, !fv_started_q || (grid_q != before_q && grid_q != '0 && before_q != '0))
  `ASSUME(ThreeAreUsed, !dut.cmd_valid || (dut.cmd.grid <= 4'd3 && dut.cmd.grid != '0 && dut.cmd.ctas <= 32'd7 && !(dut.cmd.ended && dut.cmd.fewer)))
  `ASSUME(ReportsOfThree, !dut.report || (dut.rep.grid <= 4'd3 && dut.rep.grid != '0 && (dut.rep.signals || dut.rep.ends)))

  ////// The followed grid as driver and CTAs see it //////
  logic opens, reports, fewer, elsewhere;
  assign opens     = dut.open && dut.cmd.grid == grid_q;
  assign fewer     = dut.fewer && dut.cmd.grid == grid_q;
  assign elsewhere = dut.elsewhere && dut.cmd.grid == grid_q;
  assign reports   = dut.report && dut.rep.grid == grid_q;
  logic open_q, here_q, over_q, last_q, waits_q, gone_q;
  logic [3:0] quiet_q, left_q, quiet, left;
  always_comb begin
    quiet = quiet_q;
    left  = left_q;
    if (reports) begin
      quiet = quiet_q - 4'(dut.rep.signals);
      left  = left_q - 4'(dut.rep.ends);
    end
    if (fewer) begin
      quiet = quiet_q - 4'(dut.cmd.ctas);
      left  = left_q - 4'(dut.cmd.ctas);
    end
  end
  // Each CTA signals once and ends once, with or after its signal.
  `ASSUME(StartsWhenFree, !opens || !open_q)
  `ASSUME(ReportsWhileItRuns, !(reports || fewer) || (open_q && here_q && !over_q))
  `ASSUME(EndsWhileItRuns, !elsewhere || (open_q && !here_q && !over_q))
  `ASSUME(NoMoreThanThereAre, !(reports || fewer) || (quiet <= quiet_q && left <= left_q && quiet <= left))
  // The other grid: in flight or not.
  logic other_q, other_over;
  assign other_over = dut.complete && dut.grid == before_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {open_q, here_q, over_q, last_q, waits_q, gone_q, quiet_q, left_q, other_q} <= '0;
    end else begin
      quiet_q <= quiet;
      left_q  <= left;
      last_q  <= (reports || fewer) && quiet == '0 && quiet_q != '0;
      if (elsewhere || ((reports || fewer) && left == '0)) over_q <= 1'b1;
      if (dut.open && dut.cmd.grid == before_q) other_q <= 1'b1;
      if (other_over) {other_q, waits_q} <= '0;
      if (dn_valid_o && !dn_o.go && dn_o.grid == grid_q) gone_q <= 1'b1;
      if (complete_o[grid_q]) {open_q, over_q} <= '0;
      if (opens) begin
        {open_q, here_q, over_q, gone_q} <= {1'b1, dut.cmd.ctas != '0, 2'b00};
        {quiet_q, left_q} <= {2{4'(dut.cmd.ctas)}};
        waits_q <= dut.cmd.prereqs[before_q] && other_q;
      end
    end
  end
  logic used, over;
  assign used = dut.used_q[grid_q];
  assign over = dut.over_q[grid_q];
  `ASSERT(OpenIsUsed, used == (open_q && !complete_o[grid_q]))
  `ASSERT(HereIsKept, !open_q || dut.here_q[grid_q] == here_q)
  `ASSERT(OverIsExact, !used || over == over_q)
  `ASSERT(OtherIsExact, (dut.used_q[before_q] && !dut.over_q[before_q]) == other_q)
  `ASSERT(CountIsExact, !(used && here_q) || (dut.count_q[grid_q].quiet == 32'(quiet_q) && dut.count_q[grid_q].left == 32'(left_q)))
  `ASSERT(CountsFit, !(used && here_q) || (quiet_q <= left_q && left_q <= 4'd7 && (left_q == '0) == over_q))
  `ASSERT(SignalledOnce, signalled_o[grid_q] == last_q)
  `ASSERT(CompleteOnce, !complete_o[grid_q] || (open_q && over_q))
  `ASSERT(WaitsForTheOther, !used || dut.wait_q[grid_q][before_q] == waits_q)
  `ASSERT(WaitsForNoneLate, !waits_q || other_q || !used)
  ////// Messages about the followed grid //////
  logic goes;
  assign goes = dn_valid_o && dn_o.go && dn_o.grid == grid_q;
  `ASSERT(GoesAfterTheOther, !goes || (open_q && here_q && !waits_q))
  `ASSERT(FreeIsOver, !(dn_valid_o && !dn_o.go && dn_o.grid == grid_q) || complete_o[grid_q])
  // Messages on the way down.
  logic [Depth-1:0] on_way, go_in, free_in;
  for (genvar i = 0; i < int'(Depth); i++) begin : gen_way
    logic [2:0] at;
    assign at        = 3'(i) - dut.u_down.rptr_q;
    assign on_way[i] = 4'(at) < dut.u_down.count_q;
    assign go_in[i]  = on_way[i] && dut.u_down.u_data.mem_q[i][4] && dut.u_down.u_data.mem_q[i][3:0] == grid_q;
    assign free_in[i] = on_way[i] && !dut.u_down.u_data.mem_q[i][4] && dut.u_down.u_data.mem_q[i][3:0] == grid_q;
    `ASSERT(NoDeadline, !on_way[i] || dut.u_down.u_due.mem_q[i] == '0)
    `ASSERT(NewsOfThree, !on_way[i] || (dut.u_down.u_data.mem_q[i][3:2] == '0 && dut.u_down.u_data.mem_q[i][1:0] != '0))
  end
  logic [2:0] go_at, free_at;  // places from the head of the queue
  always_comb begin
    {go_at, free_at} = '0;
    for (int i = 0; i < int'(Depth); i++) begin
      if (go_in[i]) go_at |= 3'(i) - dut.u_down.rptr_q;
      if (free_in[i]) free_at |= 3'(i) - dut.u_down.rptr_q;
    end
  end
  `ASSERT(GoGoesFirst, go_in == '0 || free_in == '0 || go_at < free_at)
  `ASSERT(OneGoAtMost, $countones(go_in) <= int'(dut.go_q[grid_q]))
  `ASSERT(OneFreeIfAny, $countones(free_in) == int'(dut.free_q[grid_q]))
  `ASSERT(GoneSlotsAreStill, used || (!dut.go_q[grid_q] && !dut.free_q[grid_q] && !over && go_in == '0))
  `ASSERT(GoIsOfNoWaiter, !dut.go_q[grid_q] || (!dut.waits_q[grid_q] && here_q && used))
  for (genvar g = 1; g < 4; g++) begin : gen_grid
    logic [Depth-1:0] frees;
    for (genvar i = 0; i < int'(Depth); i++) begin : gen_free
      assign frees[i] = on_way[i] && !dut.u_down.u_data.mem_q[i][4] && dut.u_down.u_data.mem_q[i][3:0] == 4'(g);
    end
    `ASSERT(WaitsForSome, !dut.used_q[g] || (dut.waits_q[g] == |dut.wait_q[g] && (dut.wait_q[g] & ~(dut.used_q & ~dut.over_q)) == '0))
    `ASSERT(OneFreeEach, $countones(frees) == int'(dut.free_q[g]) && (!dut.free_q[g] || dut.over_q[g]))
  end
  `ASSERT(TableHasThree, (dut.used_q & 16'hfff1) == '0)
  // Only messages of other grids hold up a message, and no message stays on its way.
  `ASSERT(SomethingIsTold, (dut.go | dut.over) == '0 || dut.dn_push || !dut.dn_space)
  `ASSERT(NothingStays, dut.u_down.count_q == '0 || dut.dn_head_valid)
  logic waited_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waited_q <= 1'b0;
    else if (opens) waited_q <= 1'b0;
    else if (waits_q && other_over) waited_q <= 1'b1;
  end
  `COVER(WaitedForTheOther, goes && waited_q)
  `COVER(OverAndAgain, opens && gone_q)
  `COVER(SignalsBeforeItEnds, signalled_o[grid_q] && !over_q)
endmodule
