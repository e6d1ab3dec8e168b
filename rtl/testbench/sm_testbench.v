// gsu_sm in plain Verilog: named barriers and one phase of an mbarrier. The same testbench runs on the RTL (Verilator) and on the plain copy that
// scripts/gen_verilog writes (Icarus Verilog); scripts/icarus compares what they write into the file of +trace=FILE: every output in every clock.
// Ends with a line "PASS" or "FAIL: why". Ports and timing: rtl/doc/interfaces.md; fields of the vectors: rtl/gsu_pkg.sv.
// SPDX-License-Identifier: Apache-2.0
`timescale 1ns / 1ps
module sm_testbench;
  parameter CTAS = 4, SLOTS = 8;  // of the unit under test

  localparam [6:0] BAR_SYNC = 1, BAR_ARRIVE = 2, BAR_RED_POPC = 3, MBAR_INIT = 26, MBAR_ARRIVE = 30, TRY_WAIT_PARITY = 37;
  localparam [31:0] ALL = 32'hffffffff, MBARRIER = 32'h40;
  localparam RELEASE = 22, SMEM = 23;

  reg clk_i, rst_ni;
  reg [47:0] now_i;
  // Latencies in the order of cfg_t, those of the preset hopper that are used here.
  wire [479:0] cfg_i = {16'd36, 16'd36, 16'd5, 16'd366, 16'd35, 16'd35, 32'd1000000, 16'd31, 16'd12, 16'd16, 16'd78, 16'd36, 16'd36, 16'd21, 16'd5, 16'd6, 16'd22,
                        16'd2, 16'd1, 16'd23, 16'd0, 8'd0, 8'd32, 16'd18, 32'd0, 32'd0, 32'd8};
  reg req_valid_i, opnd_valid_i, launch_valid_i, exit_valid_i, mem_rsp_valid_i, wr_valid_i;
  reg [31:0] wr_i;
  reg [191:0] req_i;
  reg [415:0] opnd_i;
  reg [127:0] launch_i;
  reg [63:0] exit_i, mem_rdata_i;
  wire req_ready_o, opnd_ready_o, opnd_warp_ready_o, rsp_valid_o, rel_valid_o, dlv_valid_o, launch_ready_o, exit_ready_o, exit_done_o, async_ready_o, clc_req_valid_o;
  wire [31:0] clc_req_o;
  wire mem_req_valid_o, tx_valid_o, rx_ready_o, ack_valid_o, cb_up_valid_o, cb_dn_ready_o, gd_up_valid_o, wr_ready_o, wr_room_o, idle_o;
  wire [191:0] rsp_o;
  wire [95:0] rel_o, mem_req_o;
  wire [31:0] dlv_o, cta_free_o, ack_o, epoch_wide_o;
  wire [159:0] tx_o;
  wire [15:0] cb_up_o, gd_up_o;
  wire [SLOTS-1:0] epoch_own_o;
  wire [63:0] cb_alive_o;
  wire [47:0] next_event_o;
  wire [8:0] tap_valid;
  wire [255:0] tap_ct, tap_ws, tap_nb, tap_cb, tap_mb, tap_ak, tap_fe, tap_nu, tap_gd;

`ifdef GSU_PARAMETERS
  gsu_sm #(.Ctas(CTAS), .WarpSlots(SLOTS)) dut (
`else
  gsu_sm dut (  // the plain copy has them filled in
`endif
      .clk_i(clk_i), .rst_ni(rst_ni), .now_i(now_i), .cfg_i(cfg_i),
      .req_valid_i(req_valid_i), .req_ready_o(req_ready_o), .req_i(req_i),
      .opnd_valid_i(opnd_valid_i), .opnd_ready_o(opnd_ready_o), .opnd_warp_ready_o(opnd_warp_ready_o), .opnd_i(opnd_i),
      .rsp_valid_o(rsp_valid_o), .rsp_o(rsp_o), .rel_valid_o(rel_valid_o), .rel_o(rel_o), .dlv_valid_o(dlv_valid_o), .dlv_o(dlv_o),
      .launch_valid_i(launch_valid_i), .launch_ready_o(launch_ready_o), .launch_i(launch_i),
      .exit_valid_i(exit_valid_i), .exit_ready_o(exit_ready_o), .exit_i(exit_i), .exit_done_o(exit_done_o), .cta_free_o(cta_free_o),
      .async_valid_i(1'b0), .async_ready_o(async_ready_o), .async_i(96'd0),
      .clc_req_valid_o(clc_req_valid_o), .clc_req_o(clc_req_o), .clc_rsp_valid_i(1'b0), .clc_rsp_i(32'd0),
      .mem_req_valid_o(mem_req_valid_o), .mem_req_o(mem_req_o), .mem_rsp_valid_i(mem_rsp_valid_i), .mem_rdata_i(mem_rdata_i),
      .snoop_valid_i(1'b0), .snoop_addr_i(18'd0), .tx_valid_o(tx_valid_o), .tx_ready_i(1'b0), .tx_o(tx_o),
      .rx_valid_i(1'b0), .rx_ready_o(rx_ready_o), .rx_i(160'd0), .ack_valid_o(ack_valid_o), .ack_ready_i(1'b0), .ack_o(ack_o),
      .ack_valid_i(1'b0), .ack_i(32'd0), .cb_up_valid_o(cb_up_valid_o), .cb_up_ready_i(1'b0), .cb_up_o(cb_up_o), .cb_alive_o(cb_alive_o),
      .cb_dn_valid_i(1'b0), .cb_dn_ready_o(cb_dn_ready_o), .cb_dn_i(8'd0),
      .gd_up_valid_o(gd_up_valid_o), .gd_up_ready_i(1'b0), .gd_up_o(gd_up_o), .gd_dn_valid_i(1'b0), .gd_dn_i(8'd0), .wr_valid_i(wr_valid_i), .wr_ready_o(wr_ready_o), .wr_room_o(wr_room_o), .wr_i(wr_i),
      .epoch_wide_o(epoch_wide_o), .epoch_own_o(epoch_own_o),
      .tap_ct_valid_o(tap_valid[0]), .tap_ct_o(tap_ct), .tap_ws_valid_o(tap_valid[1]), .tap_ws_o(tap_ws),
      .tap_nb_valid_o(tap_valid[2]), .tap_nb_o(tap_nb), .tap_cb_valid_o(tap_valid[3]), .tap_cb_o(tap_cb),
      .tap_mb_valid_o(tap_valid[4]), .tap_mb_o(tap_mb), .tap_ak_valid_o(tap_valid[5]), .tap_ak_o(tap_ak),
      .tap_fe_valid_o(tap_valid[6]), .tap_fe_o(tap_fe), .tap_nu_valid_o(tap_valid[7]), .tap_nu_o(tap_nu),
      .tap_gd_valid_o(tap_valid[8]), .tap_gd_o(tap_gd),
      .idle_o(idle_o), .next_event_o(next_event_o)
  );

  ////// Trace: one line a clock, a payload only where it is valid //////
  integer trace;
  reg [8*256-1:0] path;
  task write_trace;
    begin
      $fwrite(trace, "%0d %b %b %h %h", now_i, {req_ready_o, opnd_ready_o, opnd_warp_ready_o, launch_ready_o, exit_ready_o, async_ready_o, rx_ready_o,
              cb_dn_ready_o, wr_ready_o, wr_room_o, exit_done_o, rsp_valid_o, rel_valid_o, dlv_valid_o, mem_req_valid_o, tx_valid_o, ack_valid_o, cb_up_valid_o, idle_o},
              tap_valid, cta_free_o, {epoch_wide_o, epoch_own_o});
      if (idle_o) $fwrite(trace, " next %h", next_event_o);
      if (rsp_valid_o) $fwrite(trace, " rsp %h", rsp_o);
      if (rel_valid_o) $fwrite(trace, " rel %h", rel_o);
      if (dlv_valid_o) $fwrite(trace, " dlv %h", dlv_o);
      if (mem_req_valid_o) $fwrite(trace, " mem %h", mem_req_o);
      if (tx_valid_o) $fwrite(trace, " tx %h", tx_o);
      if (ack_valid_o) $fwrite(trace, " ack %h", ack_o);
      if (cb_up_valid_o) $fwrite(trace, " up %h", cb_up_o);
      if (tap_valid[0]) $fwrite(trace, " ct %h", tap_ct);
      if (tap_valid[1]) $fwrite(trace, " ws %h", tap_ws);
      if (tap_valid[2]) $fwrite(trace, " nb %h", tap_nb);
      if (tap_valid[3]) $fwrite(trace, " cb %h", tap_cb);
      if (tap_valid[4]) $fwrite(trace, " mb %h", tap_mb);
      if (tap_valid[5]) $fwrite(trace, " ak %h", tap_ak);
      if (tap_valid[6]) $fwrite(trace, " fe %h", tap_fe);
      if (tap_valid[7]) $fwrite(trace, " nu %h", tap_nu);
      if (tap_valid[8]) $fwrite(trace, " gd %h", tap_gd);
      $fwrite(trace, "\n");
    end
  endtask

  ////// Shared memory: reads come back exactly SMEM clocks after the request //////
  reg [63:0] words[0:127];
  reg [63:0] reply[0:63];
  reg [63:0] replies;  // bit per cycle modulo 64
  integer byte_number;
  task serve_memory;
    begin
      if (mem_req_valid_o && mem_req_o[18]) begin
        for (byte_number = 0; byte_number < 8; byte_number = byte_number + 1)
          if (mem_req_o[19+byte_number]) words[mem_req_o[9:3]][8*byte_number+:8] = mem_req_o[32+8*byte_number+:8];
      end else if (mem_req_valid_o) begin
        reply[(now_i+SMEM)%64]   = words[mem_req_o[9:3]];
        replies[(now_i+SMEM)%64] = 1'b1;
      end
      mem_rsp_valid_i = replies[(now_i+1)%64];
      mem_rdata_i = mem_rsp_valid_i ? reply[(now_i+1)%64] : 64'd0;
      replies[(now_i+1)%64] = 1'b0;
    end
  endtask

  ////// Clock, and what is seen in it //////
  integer releases, answers, refusals, flips, freed;
  reg [47:0] released_at, flipped_at, woken_at;
  reg [31:0] released_warps, woken_lanes;
  reg [10:0] popc;
  task tick;
    begin
      #5 clk_i = 1;
      #5 clk_i = 0;
      #1;
      write_trace;
      if (rel_valid_o) begin
        releases = releases + 1;
        released_at = now_i;
        released_warps = rel_o[63:32];
        popc = rel_o[20:10];
      end
      if (rsp_valid_o) begin
        answers = answers + 1;
        if (rsp_o[25:23] == 3'd7) refusals = refusals + 1;
        if (rsp_o[25:23] == 3'd2) begin
          woken_at = now_i;
          woken_lanes = rsp_o[63:32];
        end
      end
      if (tap_valid[4] && tap_mb[55]) begin
        flips = flips + 1;
        flipped_at = now_i;
      end
      if (cta_free_o[0]) freed = freed + 1;
      serve_memory;
      now_i = now_i + 1;
    end
  endtask
  task ticks(input integer count);
    repeat (count) tick;
  endtask

  reg taken;
  reg [11:0] tag;
  reg [47:0] presented_at;
  task request(input [6:0] op, input [4:0] warp, input [31:0] lanes, input [31:0] arg0, input [31:0] arg1, input [31:0] pred);
    begin
      tag = tag + 1;
      // {pred, arg1, arg0, lanes, reserved 13, flags 6, scope 3, sem 2, kind 8, reserved 3, tag, warp, cta, op}
      req_i = {pred, arg1, arg0, lanes, 13'd0, 6'd0, 3'd1, 2'd2, 8'd0, 3'd0, tag, warp, 5'd0, op};
      req_valid_i = 1;
      presented_at = now_i;
      taken = 0;
      while (!taken) begin
        taken = req_ready_o;
        tick;
      end
      req_valid_i = 0;
    end
  endtask
  // An mbarrier instruction of lane 0: one beat, then the request.
  task mbarrier(input [6:0] op, input [4:0] warp, input [63:0] data);
    begin
      opnd_i = {288'd0, data, MBARRIER, 22'd0, 1'b0, 4'd1, 1'b0, 1'b1, 3'd0};
      opnd_valid_i = 1;
      taken = 0;
      while (!taken) begin
        taken = opnd_ready_o;
        tick;
      end
      opnd_valid_i = 0;
      request(op, warp, 32'd1, 0, 0, 0);
    end
  endtask
  // Accesses of a warp of CTA 0, towards its CTA: announced or performed. {reserved 3, performed, everyone, epoch, count, warp, cta}
  reg waited_epoch;
  task accesses(input [4:0] warp, input [15:0] count, input performed);
    begin
      if (!performed) waited_epoch = epoch_own_o[warp];
      wr_i = {3'd0, performed, 1'b0, waited_epoch, count, warp, 5'd0};
      wr_valid_i = 1;
      taken = 0;
      while (!taken) begin
        taken = wr_ready_o && (performed || wr_room_o);
        tick;
      end
      wr_valid_i = 0;
    end
  endtask
  task leave(input [4:0] warp);
    begin
      exit_i = {ALL, 21'd0, 1'b0, warp, 5'd0};
      exit_valid_i = 1;
      taken = 0;
      while (!taken) begin
        taken = exit_ready_o;
        tick;
      end
      exit_valid_i = 0;
    end
  endtask
  task check(input good, input [8*64-1:0] what);
    if (!good) begin
      $display("FAIL: %0s, in cycle %0d", what, now_i);
      $fclose(trace);
      $finish;
    end
  endtask

  integer w;
  reg [47:0] first;
  initial begin
    {clk_i, rst_ni, req_valid_i, opnd_valid_i, launch_valid_i, exit_valid_i, mem_rsp_valid_i, wr_valid_i} = 0;
    {wr_i, req_i, opnd_i, launch_i, exit_i, mem_rdata_i, replies, tag} = 0;
    {releases, answers, refusals, flips, freed, released_at, flipped_at, woken_at, released_warps, woken_lanes, popc} = 0;
    for (w = 0; w < 128; w = w + 1) words[w] = 0;
    for (w = 0; w < 64; w = w + 1) reply[w] = 0;
    if (!$value$plusargs("trace=%s", path)) path = "sm_testbench.trace";
    trace = $fopen(path, "w");
    now_i = ~48'd0;
    #5 clk_i = 1;
    #5 clk_i = 0;
    rst_ni = 1;
    #5 clk_i = 1;
    #5 clk_i = 0;
    now_i = 0;

    launch_i = {32'd1024, 32'd0, 8'd0, 8'd0, 16'd128, 5'd0, 5'd1, 5'd0, 6'd0, 6'd0, 5'd0};
    launch_valid_i = 1;
    tick;
    launch_valid_i = 0;
    ticks(20);

    for (w = 0; w < 4; w = w + 1) begin
      request(BAR_SYNC, w, ALL, 0, 0, 0);
      if (w == 0) first = presented_at;
    end
    ticks(60);
    check(releases == 1 && released_warps == 15, "four warps at bar.sync are released once, together");
    check(released_at - first == RELEASE + 2 * 4, "bar.sync of four warps takes 22 + 2 * 4 clocks");

    accesses(0, 2, 0);
    request(BAR_SYNC, 0, ALL, 0, 0, 0);
    for (w = 1; w < 4; w = w + 1) request(BAR_SYNC, w, ALL, 0, 0, 0);
    ticks(100);
    check(releases == 1, "warp 0 waits for its two accesses, and the barrier for it");
    accesses(0, 1, 1);
    ticks(40);
    check(releases == 1, "one access of two is performed");
    accesses(0, 1, 1);
    ticks(60);
    check(releases == 2, "both accesses are performed");
    releases = 1;

    request(BAR_ARRIVE, 0, ALL, 1, 64, 0);
    ticks(20);
    check(answers == 1 && releases == 1, "an arrival is answered, nobody is released");
    request(BAR_RED_POPC, 2, ALL, 2, 64, 32'hff);
    request(BAR_RED_POPC, 3, ALL, 2, 64, 32'hfff);
    ticks(60);
    check(releases == 2 && released_warps == 12 && popc == 20, "a reduction of two warps");
    request(BAR_SYNC, 1, ALL, 1, 64, 0);
    ticks(60);
    check(releases == 3 && released_warps == 2, "arrive and sync meet");
    request(BAR_SYNC, 0, ALL, 16, 0, 0);
    ticks(60);
    check(refusals == 1, "barrier 16 is refused");

    mbarrier(MBAR_INIT, 0, 2);
    ticks(100);
    mbarrier(MBAR_ARRIVE, 0, 1);
    ticks(100);
    mbarrier(TRY_WAIT_PARITY, 1, 0);
    ticks(300);
    check(flips == 0 && woken_lanes == 0, "the phase is open, the wait is suspended");
    mbarrier(MBAR_ARRIVE, 2, 1);
    ticks(200);
    check(flips == 1 && woken_lanes == 1 && woken_at >= flipped_at, "the second arrival completes the phase and wakes the wait");
    check(words[MBARRIER/8] != 0, "the mbarrier's word is in memory");

    for (w = 0; w < 4; w = w + 1) leave(w);
    ticks(200);
    check(freed == 1, "the slot is free after the last warp");
    $display("PASS: %0d clocks, bar.sync released in cycle %0d, phase completed in cycle %0d", now_i, first + RELEASE + 8, flipped_at);
    $fclose(trace);
    $finish;
  end
endmodule
