// gsu_clock_gate: place for the clock gate of a unit. While en_i is low no flop of the unit changes, so its clock may stop.
// This module always passes the clock; all flops have the same values as with a gate. Put a cell of the technology in its place to save power.
// In a model in which every edge of a clock is a clock (GSU_EDGE_CLOCKS; scripts/cmake/GsuVerilate.cmake) it passes only the edges that are needed, and all
// edges during reset, because reset is synchronous there.
// SPDX-License-Identifier: Apache-2.0
module gsu_clock_gate (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic en_i,   // settled before the edge: the unit is not idle, or an input is valid
    output logic clk_o
);
`ifdef GSU_EDGE_CLOCKS
  /*verilator tracing_off*/
  logic every;  // +gsu_every_clock=1: for tests that compare both
  initial begin
    if ($value$plusargs("gsu_every_clock=%d", every) == 0) every = 1'b0;
    clk_o = 1'b0;
  end
  always @(posedge clk_i) if (en_i || every || !rst_ni) clk_o = !clk_o;  // blocking: its flops see the values before the edge
`else
  assign clk_o = clk_i;
  logic unused;
  assign unused = &{1'b0, en_i, rst_ni};
`endif
endmodule
