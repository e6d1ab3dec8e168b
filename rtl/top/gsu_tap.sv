// gsu_tap: what one unit commits, a clock later at the port of gsu_sm. A record holds until the next.
// Rules: D-01.
// SPDX-License-Identifier: Apache-2.0
module gsu_tap
  import gsu_pkg::*;
(
    input  logic clk_i,
    input  logic rst_ni,
    input  logic valid_i,  // pulse
    input  tap_t tap_i,
    output logic valid_o,  // pulse
    output tap_t tap_o
);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o <= 1'b0;
      tap_o   <= '0;
    end else begin
      valid_o <= valid_i;
      if (valid_i) tap_o <= tap_i;
    end
  end
endmodule
