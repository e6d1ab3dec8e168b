// gsu_order_epochs: turns the epochs of CTAs or warps, and reports when requests that wait for an epoch may resume. While a request waits, the current epoch
// closes as soon as the other one is empty. Later operations count in the other epoch, so a wait ends after at most two epochs (D-70).
// Rules: D-40, D-54, D-69.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_order_epochs #(
    parameter int unsigned Slots = 32  /// CTAs or warps
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic [Slots-1:0] busy0_i,   // from flops: epoch 0 is not empty
    input  logic [Slots-1:0] busy1_i,   // from flops: epoch 1 is not empty
    input  logic [Slots-1:0] wait_i,    // pulses: a request starts to wait
    output logic [Slots-1:0] epoch_o,   // from flops: the current epoch, in which new operations are counted
    output logic [Slots-1:0] fire_o,    // the closed epoch is empty: requests that wait for it resume
    output logic [Slots-1:0] turn_o,    // the current epoch closes with this clock
    output logic             idle_o
);
  typedef logic [Slots-1:0] set_t;
  set_t current_q, waits_old_q, waits_now_q, old_busy;
  assign epoch_o  = current_q;
  assign old_busy = (current_q & busy0_i) | (~current_q & busy1_i);
  assign fire_o   = waits_old_q & ~old_busy;
  assign turn_o   = waits_now_q & ~old_busy;
  assign idle_o   = wait_i == '0 && fire_o == '0 && turn_o == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      current_q   <= '0;
      waits_old_q <= '0;
      waits_now_q <= '0;
    end else if (!idle_o) begin
      current_q   <= current_q ^ turn_o;
      waits_old_q <= (waits_old_q & ~fire_o) | turn_o;
      waits_now_q <= (waits_now_q | wait_i) & ~turn_o;
    end
  end

  `ASSERT(FireOrTurnMeansEmpty, ((fire_o | turn_o) & old_busy) == '0)
  `ASSERT_NEXT(IdleHolds, idle_o, $stable(current_q) && $stable(waits_old_q) && $stable(waits_now_q))
  `COVER(Turns, |turn_o)
  `COVER(WaitsForBoth, |(waits_old_q & waits_now_q))
endmodule
