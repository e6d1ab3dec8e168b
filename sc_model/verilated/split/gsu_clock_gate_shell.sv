// Stands for gsu_clock_gate inside gsu_sm_rest: the program that steps the model gives each of four clocks, or does not (split_sm.hpp).
// SPDX-License-Identifier: Apache-2.0
module gsu_clock_gate #(
    parameter int unsigned Unit = 0
) (
    input  logic clk_i,
    input  logic en_i,
    output logic clk_o
);
  case (Unit)
    1: assign clk_o = gsu_sm_rest.clk_ws_i;
    3: assign clk_o = gsu_sm_rest.clk_nb_i;
    5: assign clk_o = gsu_sm_rest.clk_or_i;
    default: assign clk_o = gsu_sm_rest.clk_ct_i;
  endcase
  logic unused;
  assign unused = &{1'b0, clk_i, en_i};
endmodule
