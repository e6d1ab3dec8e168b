// gsu_cta_end: the steps from the exit gate of a CTA to its free slot. First it waits until the updates that had arrived are performed. Then it notifies the
// mbarrier unit that the CTA has ended. Then it waits until nothing of the CTA is in flight, and frees the slot. Each step takes one CTA a clock.
// Rules: D-41 (a slot is freed only when nothing is in flight for it), D-47 (after the exit gate), D-45 (data that arrived are completed).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_cta_end
  import gsu_pkg::*;
(
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       gate_valid_i,  // pulse: the exit gate of the CTA has opened
    input  logic [4:0] gate_cta_i,
    input  mask_t      arriving_i,    // from flops, per CTA: updates by copies or by other CTAs are in flight to it
    output logic       end_valid_o,   // pulse: the CTA has ended
    output logic [4:0] end_cta_o,
    input  mask_t      quiet_i,       // per CTA: nothing of it is in flight; valid from the clock after its end_valid_o
    output mask_t      ending_o,      // per CTA: its gate has opened and its slot is not free yet
    output logic       free_valid_o,  // pulse
    output logic [4:0] free_cta_o,
    output logic       idle_o
);
  mask_t gated_q, ended_q;  // the CTA waits for arriving_i | for quiet_i
  mask_t gated, ends, frees, ends_first, frees_first;
  assign gated        = gate_valid_i ? 32'd1 << gate_cta_i : '0;
  assign ends         = gated_q & ~arriving_i;
  always_comb begin
    frees = '0;
    if (ended_q != '0 || Eager) frees = ended_q & quiet_i;
  end
  assign ends_first   = ends & (~ends + 32'd1);
  assign frees_first  = frees & (~frees + 32'd1);
  assign ending_o     = gated | gated_q | ended_q;
  assign end_valid_o  = ends != '0;
  assign free_valid_o = frees != '0;
  assign idle_o       = ends == '0 && frees == '0;
  always_comb begin
    end_cta_o  = '0;
    free_cta_o = '0;
    if (end_valid_o) begin
      end_cta_o = 5'(lowest_of(64'(ends)));
    end
    if (free_valid_o) begin
      free_cta_o = 5'(lowest_of(64'(frees)));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      gated_q <= '0;
      ended_q <= '0;
    end else if (ending_o != '0) begin
      gated_q <= (gated_q & ~ends_first) | gated;
      ended_q <= (ended_q & ~frees_first) | ends_first;
    end
  end

  `REQUIRE(GateOpensOnce, (gated & (gated_q | ended_q)) == '0)
  `ASSERT(OneStepAtATime, (gated_q & ended_q) == '0)
  `ASSERT(EndsOnlyGated, !end_valid_o || (gated_q[end_cta_o] && !arriving_i[end_cta_o]))
  `ASSERT(FreesOnlyEnded, !free_valid_o || (ended_q[free_cta_o] && quiet_i[free_cta_o]))
  `ASSERT_NEXT(IdleHolds, idle_o && !gate_valid_i, $stable(gated_q) && $stable(ended_q))
  `COVER(WaitsForArrivals, (gated_q & arriving_i) != '0)
  `COVER(WaitsForUnit, (ended_q & ~quiet_i) != '0)
  `COVER(TwoReady, frees != frees_first)
endmodule
