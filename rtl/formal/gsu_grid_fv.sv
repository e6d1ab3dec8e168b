// prove: name=main engine=kind depth=3 flat=1 files=gsu_ram,gsu_grid cover=12 limit=900
// Harness of gsu_grid with two CTA slots of two warps. One symbolic CTA is followed from its launch to its last report to the grid table, and one of its warps
// from a wait to its answer, while anything happens to the others. The CTA signals once and ends once (GDC-002, GDC-003). No report of it is lost when its slot
// is launched again. A wait is answered for all its lanes when the prerequisites of the grid are complete, not before (GDC-005, GDC-008). At most every other
// ready wait is answered before it (D-70).
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_grid_fv
  import gsu_pkg::*;
(
    input logic       clk_i,
    input logic       rst_ni,
    input logic       launch_valid_i,
    input logic       any_launch_cta_i,
    input logic [1:0] any_launch_grid_i,
    input logic [1:0] any_free_i,
    input logic       req_valid_i,
    input logic       any_req_cta_i,
    input logic       any_req_warp_i,
    input logic       any_req_waits_i,
    input logic [1:0] any_req_lanes_i,
    input logic [1:0] any_req_tag_i,
    input logic       rsp_ready_i,
    input logic       up_ready_i,
    input logic       dn_valid_i,
    input logic       any_go_i,
    input logic [1:0] any_dn_grid_i,
    input logic       sym_cta_i,
    input logic       sym_warp_i
);
  launch_t launch_i;
  sync_req_t req_i;
  sync_rsp_t rsp_o;
  grid_up_t up_o;
  grid_dn_t dn_i;
  tap_t tap_o;
  logic launch_ready_o, req_ready_o, rsp_valid_o, up_valid_o, tap_valid_o, idle_o;
  logic [31:0] free_i;
  logic [5:0] req_slot_i;
  assign launch_i   = '{cta: {4'd0, any_launch_cta_i}, grid: {2'd0, any_launch_grid_i}, default: '0};
  assign free_i     = {30'd0, any_free_i};
  assign req_slot_i = {4'd0, any_req_cta_i, any_req_warp_i};
  always_comb begin
    req_i       = '0;
    req_i.op    = any_req_waits_i ? OpGdcWait : OpGdcLaunchDependents;
    req_i.cta   = {4'd0, any_req_cta_i};
    req_i.warp  = {4'd0, any_req_warp_i};
    req_i.lanes = {30'd0, any_req_lanes_i};
    req_i.tag   = {10'd0, any_req_tag_i};
  end
  assign dn_i       = '{rsvd: '0, go: any_go_i, grid: {2'd0, any_dn_grid_i}};
  gsu_grid #(.Ctas(2), .WarpSlots(4)) dut (.*);
  `FV_RESET

  ////// State of the SM: the live CTAs and their grids; the grids whose prerequisites are complete //////
  logic cta_q, warp_q;  // the followed CTA and warp
  always_ff @(posedge clk_i) if (!fv_started_q) {cta_q, warp_q} <= {sym_cta_i, sym_warp_i};
  logic [1:0] slot;
  assign slot = {cta_q, warp_q};
  logic [1:0] live_q;
  logic [1:0][1:0] grid_q;
  logic [3:0] go_q, go;  // bit 0: no grid
  logic starts, takes;
  assign starts = launch_valid_i && any_launch_cta_i == cta_q;
  assign takes  = req_valid_i && req_ready_o;
  always_comb begin
    go = go_q;
    if (dn_valid_i) go[any_dn_grid_i] = any_go_i;
    go[0] = 1'b1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live_q <= '0;
      go_q   <= '0;
    end else begin
      go_q   <= go;
      live_q <= (live_q & ~any_free_i) | (launch_valid_i ? 2'd1 << any_launch_cta_i : 2'd0);
    end
  end
  always_ff @(posedge clk_i) if (launch_valid_i) grid_q[any_launch_cta_i] <= any_launch_grid_i;
  `ASSUME(LaunchIntoFreeSlot, !launch_valid_i || (!live_q[any_launch_cta_i] && launch_ready_o))
  `ASSUME(RequestOfLiveCta, !req_valid_i || (live_q[any_req_cta_i] && any_req_lanes_i != '0))
  `ASSUME(RequestHolds, !$past(rst_ni) || !$past(req_valid_i && !req_ready_o) || (req_valid_i && $stable(req_i)))
  // A CTA is freed when nothing of it is open, and the slot of a grid when none of its CTAs is live.
  for (genvar c = 0; c < 2; c++) begin : gen_env
    `ASSUME(FreeOfLiveCta, !any_free_i[c] || (live_q[c] && dut.parked_q[2*c+:2] == '0 && !(req_valid_i && any_req_cta_i == 1'(c))))
    `ASSUME(GridOutlivesItsCtas, !(dn_valid_i && !any_go_i && live_q[c]) || grid_q[c] != any_dn_grid_i)
    `ASSERT(MemberOfItsGrid, dut.member_q[c] == (live_q[c] && grid_q[c] != '0) && (!dut.member_q[c] || dut.grid_q[c] == {2'd0, grid_q[c]}))
  end
  `ASSUME(NewsOfAGrid, !dn_valid_i || any_dn_grid_i != '0)
  `ASSERT(NewsIsKept, dut.go_q[3:1] == go_q[3:1])

  ////// The followed CTA: its pending reports, and its reports so far //////
  logic member, signals, ends, load, said_q, over_q, told_q;
  logic [1:0] of_q;  // grid of the launch that the reports are about
  assign member  = live_q[cta_q] && grid_q[cta_q] != '0;
  assign signals = takes && !any_req_waits_i && any_req_cta_i == cta_q && member;
  assign ends    = any_free_i[cta_q] && member;
  assign load    = dut.told && dut.teller == cta_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {said_q, over_q, told_q} <= '0;
    end else begin
      if (signals) said_q <= 1'b1;                  // the CTA has executed launch_dependents
      if (load && dut.signal_q[cta_q]) told_q <= 1'b1;  // and that is reported
      if (load) over_q <= 1'b0;
      if (ends) over_q <= 1'b1;                     // the CTA has ended, and that is not reported yet
      if (starts) {said_q, told_q} <= '0;
      if (starts) of_q <= any_launch_grid_i;
    end
  end
  `ASSERT(SaysOnce, dut.signal_q[cta_q] == (said_q && !told_q) || !(member || over_q))
  `ASSERT(NothingToSay, member || over_q || !(dut.signal_q[cta_q] || dut.end_q[cta_q]))
  `ASSERT(SaidIsKept, !(member || over_q) || dut.signalled_q[cta_q] == said_q)
  `ASSERT(EndIsKept, dut.end_q[cta_q] == over_q)
  `ASSERT(ToldIsSaid, !told_q || said_q)
  `ASSERT(GridIsKept, !(member || over_q) || (dut.grid_q[cta_q] == {2'd0, of_q} && (live_q[cta_q] ? grid_q[cta_q] == of_q : 1'b1)))
  `ASSERT(NotBoth, !(member && over_q))
  `ASSERT(NewLifeIsEmpty, !starts || !over_q)
  // The report, where it is formed: the CTA signals once in a life, at the latest with its end.
  `ASSERT_NEXT(ReportIsExact, load, up_valid_o && up_o.cta == {4'd0, $past(cta_q)} && up_o.grid == {2'd0, $past(of_q)} && up_o.ends == $past(over_q)
               && up_o.signals == ($past(said_q) ? !$past(told_q) : $past(over_q)))
  `ASSERT(ReportSaysSomething, !load || over_q || (said_q && !told_q))
  // Round robin: at most one report of the other CTA goes before.
  logic [1:0] others_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) others_q <= '0;
    else if (load || !dut.tell[cta_q]) others_q <= '0;
    else if (dut.told) others_q <= others_q + 2'd1;
  end
  `ASSERT(SomeoneIsTold, dut.tell == '0 || dut.told || (up_valid_o && !up_ready_i))
  `ASSERT(ToldInTurn, others_q <= 2'd1 && (others_q == '0 || dut.told_q != cta_q))

  ////// The followed warp: lanes that wait //////
  logic waits, wakes;
  logic [1:0] waiting_q;
  assign waits = takes && any_req_waits_i && {any_req_cta_i, any_req_warp_i} == slot;
  assign wakes = tap_valid_o && tap_o.op == OpGdcWait && tap_o.cause == CauseFlip && {tap_o.cta[0], tap_o.warp[0]} == slot;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waiting_q <= '0;
    else begin
      if (wakes) waiting_q <= '0;
      if (waits && !go[grid_q[cta_q]]) waiting_q <= waiting_q | any_req_lanes_i;
    end
  end
  // The parked lanes of each warp.
  mask_t lanes_of[4];
  logic [4:0] cta_of[4], warp_of[4];
  for (genvar i = 0; i < 4; i++) begin : gen_parked
    for (genvar l = 0; l < 32; l++) begin : gen_lane
      assign lanes_of[i][l] = dut.u_lanes.mem_q[32*i+l];
    end
    assign {warp_of[i], cta_of[i]} = dut.u_who.mem_q[i][9:0];
  end
  `ASSUME(LanesWaitOnce, !waits || (waiting_q & any_req_lanes_i) == '0)
  `ASSERT(ParkedIsWaiting, dut.parked_q[slot] == (waiting_q != '0))
  `ASSERT(WaitingIsKept, waiting_q == '0 || (live_q[cta_q] && lanes_of[slot] == {30'd0, waiting_q} && cta_of[slot] == {4'd0, cta_q}
          && warp_of[slot] == {4'd0, warp_q} && dut.parked_grid_q[slot] == {2'd0, grid_q[cta_q]}))
  `ASSERT(DueIsComplete, waiting_q == '0 || dut.due_q[slot] == go_q[grid_q[cta_q]])
  `ASSERT(WaitsForItsGrid, waiting_q == '0 || grid_q[cta_q] != '0)
  `ASSERT(WakesAll, !wakes || (waiting_q != '0 && tap_o.lanes == {30'd0, waiting_q} && go_q[grid_q[cta_q]]))
  `ASSERT(GoesOnAtOnce, !(waits && go[grid_q[cta_q]]) || (tap_valid_o && tap_o.op == OpGdcWait && tap_o.cause == CauseAlreadyTrue
          && tap_o.lanes == {30'd0, any_req_lanes_i}))
  `ASSERT_NEXT(AnswersWhatCommits, tap_valid_o, rsp_valid_o && rsp_o.lanes == $past(tap_o.lanes) && rsp_o.cause == $past(tap_o.cause)
               && rsp_o.cta == $past(tap_o.cta) && rsp_o.warp == $past(tap_o.warp) && rsp_o.tag == $past(tap_o.tag) && rsp_o.last)
  for (genvar i = 0; i < 4; i++) begin : gen_slot
    `ASSERT(SlotIsItsOwn, !dut.parked_q[i] || (live_q[i/2] && {cta_of[i], warp_of[i]} == {5'(i / 2), 5'(i % 2)}
            && lanes_of[i] != '0 && lanes_of[i][31:2] == '0))
  end
  // Round robin: at most the other three warps go before it, namely those between the warp served last and it.
  logic [2:0] passed_q;
  logic due;
  assign due = dut.due_q[slot];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) passed_q <= '0;
    else if (!due || wakes) passed_q <= '0;
    else if (dut.wake) passed_q <= passed_q + 3'd1;
  end
  logic [1:0] ahead;  // slots that may come before it
  assign ahead = slot - dut.last_q - 2'd1;
  logic [3:0] behind;
  assign behind = dut.due_q & (~4'd1 << dut.last_q);
  `ASSERT(NextIsKnown, dut.due_q == '0 || dut.pick_q == 2'(lowest_of(64'(behind != '0 ? behind : dut.due_q))))
  `ASSERT(SomeoneWakes, dut.due_q == '0 || dut.wake || (rsp_valid_o && !rsp_ready_i))
  `ASSERT(WokenInTurn, !due || 4'(passed_q) + 4'(ahead) <= 4'd3)
  `COVER(WakesTwoRequests, wakes && waiting_q == 2'd3)
  `COVER(LivesAgain, load && over_q && $past(said_q))
  `COVER(WaitsInTurn, wakes && passed_q == 3'd2)
endmodule
