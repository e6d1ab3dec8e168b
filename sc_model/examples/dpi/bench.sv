// A SystemVerilog bench whose warps are synchronized by GSU's C library: one CTA of four warps, one clock of the unit for each of the bench's.
//   1. bar.sync of four warps, a clock apart: all leave together, in the cycle that follows from the latencies.
//   2. mbarrier with bytes: warp 0 expects 256, warps 1 to 3 wait, two halves arrive 100 clocks apart.
//   3. Misuse: an invalid barrier number is refused, and the finding names the rule; the wait of a warp that waits alone is explained.
//   4. A call that makes no sense is refused with a message, and changes nothing.
// Plus arguments: +unit=rtl|golden|lockstep, +bytes=N (anything but 256 must fail). Ends with an error if anything is not as it should be.
// Licence: Apache-2.0.
`timescale 1ns / 1ps
module bench;
  import gsu_pkg::*;
  import gsu_dpi_pkg::*;

  localparam int Warps = 4;
  localparam int unsigned All = '1;
  localparam int unsigned Mbarrier = 'h40;

  chandle unit;
  string kind, settings;
  bit clk = 0;
  int unsigned bytes, open;          // open: bit per warp with an unanswered request
  longint unsigned released, flipped;
  int unsigned released_warps, woken;
  string finding;
  int refused, freed, status;

  always #5ns clk = !clk;

  task automatic check(bit good, string what);
    if (!good) begin
      $display("bench.sv: NOT as it should be: %s", what);
      $fatal(1, "stopped in cycle %0d", gsu_dpi_now(unit));
    end
  endtask

  // Each clock is one cycle of the unit; the unit's events are read in the same clock.
  task automatic tick(int count = 1);
    gsu_event_t e;
    string fault;
    repeat (count) begin
      @(posedge clk);
      status = gsu_must(gsu_dpi_step(unit), "step");
      fault = gsu_dpi_fault(unit);
      if (fault != "") $fatal(1, "%s", fault);
      while (gsu_next_event(unit, e) == 1) note(e);
    end
  endtask

  function automatic void note(gsu_event_t e);
    case (e.kind)
      EvResponse: begin
        open &= ~e.warps;
        if (e.cause == CauseRefused) refused++;
        if (e.pred == All) woken |= e.warps;
      end
      EvRelease: begin
        open &= ~e.warps;
        released = e.cycle;
        released_warps = e.warps;
      end
      EvCommit: if (e.flip && e.op == int'(OpEvAsyncCompleteTx)) flipped = e.cycle;
      EvFinding: finding = e.text;
      EvCtaFree: freed++;
      default: ;
    endcase
  endfunction

  // Gives a request as soon as the unit takes it; returns the cycle of that.
  task automatic give(gsu_request_t r, output longint unsigned cycle);
    while (gsu_must(gsu_dpi_can_present(unit, 0), "can_present") == 0) tick();
    cycle = gsu_dpi_now(unit);
    open |= 32'd1 << r.warp;
    status = gsu_must(gsu_present(unit, r), "present");
    tick();
  endtask

  task automatic await(int unsigned warps);
    for (int i = 0; i < 2000 && (open & warps) != 0; i++) tick();
    check((open & warps) == 0, "an answer is missing");
  endtask

  task automatic named_barrier();
    longint unsigned first, last;
    gsu_barrier_t state;
    for (int w = 0; w < Warps; w++) begin
      give(gsu_request_new(OpBarSync, w), last);
      if (w == 2) first = last;
      if (w == 1) begin
        tick(50);
        state = gsu_barrier(unit, 0, 0, 0);
        check(state.arrived == 'h3 && state.missing == 'hc && state.arrived_count == 64 && state.expected == 128, "state of a barrier with two of four warps");
      end
    end
    await('1);
    check(released_warps == 'hf, "not all four warps were released");
    // Latencies of the preset: two clocks per arrival, 22 to the release. The golden model alone has no latencies.
    if (kind != "golden") check(released - first == 22 + 2 * 2, $sformatf("released %0d clocks after the third request", released - first));
    $display("bar.sync: last of four warps in cycle %0d, release in cycle %0d, at %0t", last, released, $time);
  endtask

  task automatic mbarrier();
    longint unsigned cycle;
    longint unsigned from;
    give(gsu_mbarrier_new(OpMbarInit, 0, 1, Mbarrier, 1), cycle);
    await('1);
    give(gsu_mbarrier_new(OpMbarArriveExpectTx, 0, 1, Mbarrier, 256), cycle);
    await('1);
    woken = 0;
    for (int w = 1; w < Warps; w++) give(gsu_mbarrier_new(OpMbarTryWaitParity, w, All, Mbarrier, 0), cycle);
    tick(100);
    from = $time;
    status = gsu_must(gsu_dpi_notify(unit, AsyncKindCompleteTx, 0, 0, 0, Mbarrier, bytes / 2, 0), "notify");
    tick(100);
    check($time - from == 1000, $sformatf("a hundred clocks last %0d ns", $time - from));
    check(woken == 0 && flipped == 0, "the phase completed with half of the bytes");
    status = gsu_must(gsu_dpi_notify(unit, AsyncKindCompleteTx, 0, 0, 0, Mbarrier, bytes / 2, 0), "notify");
    await('1);
    check(woken == 'he && flipped != 0, "not every waiting warp saw the phase complete");
    $display("mbarrier: phase completed by the second half of the bytes in cycle %0d", flipped);
  endtask

  task automatic misuse();
    gsu_request_t r;
    longint unsigned cycle;
    r = gsu_request_new(OpBarSync, 0);
    r.arg0 = 17;
    give(r, cycle);
    await('1);
    check(refused == 1 && finding.substr(0, 6) == "BAR-002", {"barrier 17 gave the finding '", finding, "'"});
    r.arg0 = 3;
    give(r, cycle);
    tick(200);
    check(open == 1 && gsu_dpi_quiet_until(unit) == GsuNever, "a warp that waits alone");
    $display("%s", gsu_dpi_explain(unit));
    check(gsu_dpi_explain(unit) != "", "a hang without an explanation");
    for (int w = 1; w < Warps; w++) begin
      r = gsu_request_new(OpBarSync, w);
      r.arg0 = 3;
      give(r, cycle);
    end
    await('1);
  endtask

  // A call that must be refused: its result, and words that its message must have.
  task automatic refuse(int result, string words, string what);
    string text;
    text = gsu_dpi_last_error();
    check(result < 0, {what, " was taken"});
    check(text.len() >= words.len() && text.substr(0, words.len() - 1) == words, {what, " is refused with '", text, "'"});
  endtask

  task automatic senseless_calls();
    chandle none;
    status = gsu_present(unit, gsu_request_new(OpBarSync, 77));
    refuse(status, "warp", "warp 77");
    status = gsu_dpi_launch(unit, 0, 300, 0, 128, 0, 1024, 0, 0, 1, 0);
    refuse(status, "cta is 300, it must be 0..255", "slot 300");
    none = gsu_dpi_create("rtl", "", "no_such=1", 1, 0);
    refuse(none == null ? -1 : 0, "unknown", "a parameter that is none");
    check(open == 0, "a refused call opened a request");
  endtask

  initial begin
    if (!$value$plusargs("unit=%s", kind)) kind = "lockstep";
    if (!$value$plusargs("bytes=%d", bytes)) bytes = 256;
    if (!$value$plusargs("settings=%s", settings)) settings = "";
    unit = gsu_dpi_create(kind, "hopper", settings, 1, 0);
    if (unit == null) $fatal(1, "%s", gsu_dpi_last_error());
    check(gsu_must(gsu_dpi_launch(unit, 0, 0, 0, 32 * Warps, 0, 1024, 0, 0, 1, 0), "launch") == 1, "the launch was not taken");
    tick(20);
    named_barrier();
    mbarrier();
    misuse();
    senseless_calls();
    for (int w = 0; w < Warps; w++) status = gsu_must(gsu_dpi_exit(unit, 0, 0, w, All), "exit");
    tick(200);
    check(freed == 1, "the CTA did not end");
    status = gsu_must(gsu_dpi_destroy(unit), "destroy");
    $display("as it should be");
    $finish;
  end
endmodule
