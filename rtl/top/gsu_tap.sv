// gsu_tap: shows the commits of one unit at a port of gsu_sm, a clock later. A record holds until the next one.
// Rules: D-01.
// SPDX-License-Identifier: Apache-2.0
module gsu_tap
  import gsu_pkg::*;
#(
    parameter bit On = 1'b1  /// 0: shows nothing, and logic that only the record needs is removed
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic valid_i,  // pulse
    input  tap_t tap_i,
    output logic valid_o,  // pulse
    output tap_t tap_o
);
  if (On) begin : gen_on
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        valid_o <= 1'b0;
        tap_o   <= '0;
      end else begin
        valid_o <= valid_i;
        if (valid_i) tap_o <= tap_i;
      end
    end
  end else begin : gen_off
    assign valid_o = 1'b0;
    assign tap_o   = '0;
    logic unused;
    assign unused = &{1'b0, clk_i, rst_ni, valid_i, tap_i};
  end
endmodule
