// gsu_clock_gate: place for the clock gate of a unit. While en_i is low no flop of the unit changes, so its clock may stop.
// This module passes the clock always, with the same values in all flops. Put a cell of the technology in its place to save power.
// SPDX-License-Identifier: Apache-2.0
module gsu_clock_gate #(
    parameter int unsigned Unit = 0  /// number among the gates of an SM
) (
    input  logic clk_i,
    input  logic en_i,   // settled before the edge: the unit is not idle, or an input is valid
    output logic clk_o
);
  assign clk_o = clk_i;
  logic unused;
  assign unused = &{1'b0, en_i, Unit != 0};
endmodule
