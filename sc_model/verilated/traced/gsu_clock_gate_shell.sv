// Stands for gsu_clock_gate in the models that dump waves: the program that steps the model gives each of five clocks, or does not (traced_sm.hpp), and
// what a unit shows is compared with what it showed before only where its clock came. Clocks stay out of the waves: they would stand still.
// SPDX-License-Identifier: Apache-2.0
module gsu_clock_gate #(
    parameter int unsigned Unit = 0
) (
    input  logic clk_i,
    input  logic en_i,
    output logic clk_o
);
  /*verilator tracing_off*/
  logic en /*verilator public_flat_rd*/;
  logic clk /*verilator public_flat_rw*/;
  assign en = en_i;
  case (Unit)
    1, 3, 5, 8: assign clk_o = clk;
    default: assign clk_o = gsu_sm.u_gate_ct.clk;
  endcase
  logic unused;
  assign unused = clk_i;
endmodule
