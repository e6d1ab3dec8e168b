// gsu_net_sources: buffers of two entries, one for each source, whose ready comes from a flop. Like gsu_skid, but all sources are in one module, so that a
// simulator evaluates only one condition while no source has a packet.
// Rules: D-70 (a full port refuses, it never loses), D-38 (order of a source kept).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_net_sources
  import gsu_pkg::*;
#(
    parameter int unsigned Sms = MaxSms  /// sources
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    input  logic [Sms-1:0] tx_valid_i,    // each holds with its packet until ready
    output logic [Sms-1:0] tx_ready_o,
    input  pkt_t           tx_i[Sms],
    output logic [Sms-1:0] head_valid_o,
    input  logic [Sms-1:0] head_take_i,   // only where head_valid_o
    output pkt_t [Sms-1:0] head_o         // meaningful where head_valid_o; src_sm is the source
);
  logic [Sms-1:0] tail_valid_q, push;
  pkt_t tail_q[Sms];
  assign tx_ready_o = ~tail_valid_q;
  assign push       = tx_valid_i & ~tail_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_valid_o <= '0;
      tail_valid_q <= '0;
    end else begin
      head_valid_o <= (head_valid_o & ~head_take_i) | tail_valid_q | push;
      tail_valid_q <= (tail_valid_q | push) & head_valid_o & ~head_take_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (|push || |head_take_i) begin
      for (int s = 0; s < int'(Sms); s++) begin
        if (head_take_i[s] && tail_valid_q[s]) head_o[s] <= tail_q[s];
        else if (push[s] && (head_take_i[s] || !head_valid_o[s])) head_o[s] <= tx_i[s];
        head_o[s].src_sm <= 5'(s);
        if (push[s]) tail_q[s] <= tx_i[s];
      end
    end
  end

  `REQUIRE(TakesWhatIsThere, (head_take_i & ~head_valid_o) == '0)
  `ASSERT(TailNeedsHead, (tail_valid_q & ~head_valid_o) == '0)
  `ASSERT_NEXT(HeadStays, 1'b1, ($past(head_valid_o & ~head_take_i) & ~head_valid_o) == '0)
  `COVER(EverySourceFull, &tail_valid_q)
endmodule
