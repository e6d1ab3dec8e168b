// gsu_cta_end: holds CTAs whose exit gate has opened until nothing of them is under way in the mbarrier unit, then frees them, one a clock.
// Rules: D-41 (a slot is freed only when nothing is under way for it), D-47 (after the exit gate).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_cta_end
  import gsu_pkg::*;
(
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       end_valid_i,   // pulse: the exit gate of the CTA has opened
    input  logic [4:0] end_cta_i,
    input  mask_t      quiet_i,       // low from the clock after end_valid_i while anything of the CTA is under way
    output mask_t      ending_o,      // ended and not yet free: what it sent may still leave
    output logic       free_valid_o,  // pulse
    output logic [4:0] free_cta_o,
    output logic       idle_o
);
  mask_t ending_q, ended, ready, first;
  assign ended        = end_valid_i ? 32'd1 << end_cta_i : '0;
  assign ready        = ending_q & quiet_i;
  assign first        = ready & (~ready + 32'd1);
  assign ending_o     = ending_q | ended;
  assign free_valid_o = ready != '0;
  assign idle_o       = ready == '0;
  always_comb begin
    free_cta_o = '0;
    if (free_valid_o) begin
      for (int i = 31; i >= 0; i--) if (ready[i]) free_cta_o = 5'(i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ending_q <= '0;
    else if (ended != '0 || free_valid_o) ending_q <= (ending_q & ~first) | ended;
  end

  `REQUIRE(EndsOnce, (ended & ending_q) == '0)
  `ASSERT(FreesOnlyEnded, !free_valid_o || (ending_q[free_cta_o] && quiet_i[free_cta_o]))
  `ASSERT_NEXT(IdleHolds, idle_o && !end_valid_i, $stable(ending_q))
  `COVER(WaitsForUnit, (ending_q & ~quiet_i) != '0)
  `COVER(TwoReady, ready != first)
endmodule
