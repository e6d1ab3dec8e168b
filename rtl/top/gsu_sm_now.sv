// gsu_sm_now: the number of the clock in a flop, one clock ahead: else every deadline's comparator would hang on the port (and a simulator would evaluate
// all that follows from it twice a clock). Idle clocks may be left out; the last one before a clock with an input or a deadline must not be.
// SPDX-License-Identifier: Apache-2.0
module gsu_sm_now
  import gsu_pkg::*;
(
    input  logic   clk_i,
    input  logic   rst_ni,
    input  cycle_t now_i,  // number of this clock
    output cycle_t now_o   // likewise, from a flop
);
  always_ff @(posedge clk_i) now_o <= rst_ni ? now_i + cycle_t'(1) : now_i;
endmodule
