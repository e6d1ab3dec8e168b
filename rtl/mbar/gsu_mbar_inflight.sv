// gsu_mbar_inflight: counts for each CTA slot the updates that have entered and not left, so that a slot is freed only when none is in flight (D-41).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_inflight
  import gsu_pkg::*;
#(
    parameter int unsigned Width = 6  /// bits of a count
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       enter_i,  // pulse
    input  logic [4:0] enter_cta_i,
    input  logic       leave_i,  // pulse
    input  logic [4:0] leave_cta_i,
    output mask_t      busy_o   // from flops, per CTA slot: its count is not 0
);
  logic [Width-1:0] count_q[MaxCtas];  // meaningful where busy_q
  mask_t busy_q;
  logic same;
  assign same   = enter_i && leave_i && enter_cta_i == leave_cta_i;
  assign busy_o = busy_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
    end else if ((enter_i || leave_i) && !same) begin
      if (leave_i && count_q[leave_cta_i] == Width'(1)) busy_q[leave_cta_i] <= 1'b0;
      if (enter_i) busy_q[enter_cta_i] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if ((enter_i || leave_i) && !same) begin
      if (leave_i) count_q[leave_cta_i] <= count_q[leave_cta_i] - Width'(1);
      if (enter_i) count_q[enter_cta_i] <= busy_q[enter_cta_i] ? count_q[enter_cta_i] + Width'(1) : Width'(1);
    end
  end

  // Only for the checks.
  logic [Width-1:0] in_count, out_count;
  assign in_count  = busy_q[enter_cta_i] ? count_q[enter_cta_i] : '0;
  assign out_count = count_q[leave_cta_i];
  `REQUIRE(LeavesWhatEntered, !leave_i || busy_q[leave_cta_i])
  `REQUIRE(CountFits, !enter_i || same || in_count != '1)
  `ASSERT(BusyHasCount, !leave_i || !busy_q[leave_cta_i] || out_count != '0)
  `COVER(Two, leave_i && out_count == Width'(2))
endmodule
