// gsu_sm_now: gives the number of the clock from a flop, which is counted one clock ahead. Otherwise every comparator of a deadline would depend on the port,
// and a simulator would evaluate it twice a clock. Idle clocks may be skipped, except the last one before a clock with an input or a deadline.
// SPDX-License-Identifier: Apache-2.0
module gsu_sm_now
  import gsu_pkg::*;
(
    input  logic   clk_i,
    input  logic   rst_ni,
    input  cycle_t now_i,  // number of this clock
    output cycle_t now_o   // the same number, from a flop
);
  always_ff @(posedge clk_i) now_o <= rst_ni ? now_i + cycle_t'(1) : now_i;
endmodule
