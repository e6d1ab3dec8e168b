// gsu_clock_gate: the clock of a unit, needed only in clocks in which en_i is high: without, no flop behind it would change. Where power matters a
// cell of the technology stands here; left as it is the clock passes always, with the same values everywhere.
// SPDX-License-Identifier: Apache-2.0
module gsu_clock_gate #(
    parameter int unsigned Unit = 0  /// number among the gates of an SM
) (
    input  logic clk_i,
    input  logic en_i,   // settled before the edge; of a unit: not idle, or an input is valid
    output logic clk_o
);
  assign clk_o = clk_i;
  logic unused;
  assign unused = &{1'b0, en_i, Unit != 0};
endmodule
