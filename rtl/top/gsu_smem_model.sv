// gsu_smem_model: behavioural shared memory of one SM at its memory port. Read data come exactly cfg smem_lat clocks after the request, in order.
// It stands in for the driver's memory in synthesis, proofs and pin-level SystemC. Its contents are not reset (D-04).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_smem_model
  import gsu_pkg::*;
#(
    parameter int unsigned Words = 28672,  /// 64-bit words: 224 KiB of an SM
    parameter int unsigned Depth = 64      /// outstanding reads: at least the largest smem_lat
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  cycle_t      now_i,
    input  logic [15:0] latency_i,    // 1..Depth; 1: in the cycle after the request
    input  logic        req_valid_i,  // never refused
    input  mem_req_t    req_i,
    output logic        rsp_valid_o,  // pulse
    output logic [63:0] rdata_o
);
  typedef logic [$clog2(Words)-1:0] word_t;
  logic [63:0] mem_q[Words];
  word_t word;
  logic [63:0] read_now, read_then;
  logic read, at_once, then_valid, then_empty, space;
  cycle_t then_next;
  assign word     = word_t'(req_i.addr[17:3]);
  assign read     = req_valid_i && !req_i.we;
  assign at_once  = latency_i <= 16'd1;
  assign read_now = mem_q[word];

  always_ff @(posedge clk_i) begin
    if (req_valid_i && req_i.we) begin
      for (int b = 0; b < 8; b++) if (req_i.be[b]) mem_q[word][8*b+:8] <= req_i.wdata[8*b+:8];
    end
  end

  // The request was an output of cycle now_i - 1.
  gsu_delay #(.Width(64), .Depth(Depth)) u_way (
      .clk_i, .rst_ni, .now_i,
      .push_i(read && !at_once), .space_o(space), .data_i(read_now), .due_i(now_i + cycle_t'(latency_i) - cycle_t'(1)),
      .valid_o(then_valid), .ready_i(1'b1), .data_o(read_then), .empty_o(then_empty), .next_o(then_next)
  );
  assign rsp_valid_o = then_valid || (read && at_once);
  assign rdata_o     = then_valid ? read_then : read_now;

  logic unused;
  assign unused = &{1'b0, req_i, then_empty, then_next};

  `REQUIRE(AddressFits, !req_valid_i || (32'(req_i.addr) < 8 * Words && req_i.addr[2:0] == '0))
  `REQUIRE(LatencyFits, !read || (latency_i != '0 && 32'(latency_i) <= Depth))
  `ASSERT(ReadsFit, !read || space)
  `COVER(ReadBack, rsp_valid_o)
endmodule
