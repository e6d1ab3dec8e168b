// gsu_order_count: counts the ordinary accesses that are announced and not performed, in a count for each slot. One count changes in a clock.
// room_o falls when a count is half full. Then no more accesses are announced; the upper half takes the announcements that are on the way at that time.
// Rules: D-40, D-54, D-69 (what a release waits for), D-41 (a CTA slot is freed at count zero).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_order_count #(
    parameter int unsigned Slots = 64,  /// counts, a power of two
    parameter int unsigned Width = 16   /// bits of a count
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     valid_i,   // pulse
    input  logic                     minus_i,   // 1: performed, 0: announced
    input  logic [$clog2(Slots)-1:0] slot_i,
    input  logic [15:0]              amount_i,  // not 0 with valid_i
    output logic [Slots-1:0]         busy_o,    // from flops: the count is not zero
    output logic                     room_o     // from flops: no count is half full
);
  logic [Width-1:0] count_q[Slots];  // valid where busy_q
  logic [Slots-1:0] busy_q, half_q;
  logic [Width-1:0] held, after;
  assign held   = busy_q[slot_i] ? count_q[slot_i] : '0;
  assign after  = minus_i ? held - Width'(amount_i) : held + Width'(amount_i);
  assign busy_o = busy_q;
  assign room_o = half_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
      half_q <= '0;
    end else if (valid_i) begin
      busy_q[slot_i] <= after != '0;
      half_q[slot_i] <= after[Width-1];
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i) count_q[slot_i] <= after;
  end

  `REQUIRE(SomethingChanges, !valid_i || amount_i != '0)
  `REQUIRE(PerformsWhatWasAnnounced, !(valid_i && minus_i) || Width'(amount_i) <= held)
  `REQUIRE(CountFits, !(valid_i && !minus_i) || after >= held)
  `ASSERT(BusyHasCount, !valid_i || !busy_q[slot_i] || held != '0)
  `ASSERT(HalfIsBusy, (half_q & ~busy_q) == '0)
  `COVER(BackToZero, valid_i && minus_i && after == '0)
  `COVER(PartlyPerformed, valid_i && minus_i && after != '0)
endmodule
