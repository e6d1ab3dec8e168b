// Stands for gsu_sm_now inside gsu_sm_rest, which takes the time with the inputs as well: after clocks that were left out it needs no clock for that.
// SPDX-License-Identifier: Apache-2.0
module gsu_sm_now
  import gsu_pkg::*;
(
    input  logic   clk_i,
    input  logic   rst_ni,
    input  cycle_t now_i,
    output cycle_t now_o
);
  assign now_o = gsu_sm_rest.now_q;
  logic unused;
  assign unused = &{1'b0, clk_i, rst_ni, now_i};
endmodule
