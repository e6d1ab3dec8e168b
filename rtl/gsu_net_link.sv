// gsu_net_link: the link to one SM: round robin over the sources that have a packet for it, bandwidth, one way latency.
// Rules: D-38 (order of one source kept), D-70 (no source starves).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_net_link
  import gsu_pkg::*;
#(
    parameter int unsigned Sms = MaxSms,  /// sources
    parameter int unsigned Depth = 128    /// packets under way: dsm_hop of them keep the full rate
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    input  cycle_t         now_i,
    input  logic [15:0]    hop_i,     // latency in clocks
    input  logic [15:0]    bytes_i,   // bytes a clock, 0: unlimited
    input  logic [Sms-1:0] want_i,    // sources whose packet goes here; each waits until granted
    output logic [Sms-1:0] grant_o,   // one of them, or none
    output logic [$clog2(Sms)-1:0] grant_sm_o,
    input  pkt_t           pkt_i,     // of the source granted now
    output logic           rx_valid_o,
    input  logic           rx_ready_i,
    output pkt_t           rx_o,
    output logic           empty_o,   // nothing under way
    output logic           ready_o,   // something to do now without an input
    output cycle_t         next_o     // deadline of the head, all ones if none
);
  typedef logic [Sms-1:0] sms_t;
  typedef logic [$clog2(Sms)-1:0] sm_t;
  localparam logic [6:0] HeaderBytes = 7'd16;

  sm_t last_q;                // source granted last
  cycle_t free_q;             // earliest next packet on the link
  logic valid_q;
  pkt_t rx_q;

  logic space, go, head_valid, take;
  pkt_t head;
  sms_t after;
  sm_t pick;
  logic [6:0] clocks;
  assign go    = |want_i && space && (free_q <= now_i);
  assign after = want_i & ~((sms_t'(2) << last_q) - sms_t'(1));
  always_comb begin
    pick = '0;
    if (go) begin
      for (int s = int'(Sms) - 1; s >= 0; s--) begin
        if ((|after) ? after[s] : want_i[s]) pick = sm_t'(s);
      end
    end
  end
  assign grant_o    = go ? sms_t'(1) << pick : '0;
  assign grant_sm_o = pick;

  // Clocks of link time: header, and the bytes that travel with a data packet (at most 63).
  always_comb begin
    clocks = 7'd1;
    if (go && bytes_i != '0 && bytes_i < 16'd64) begin
      clocks = HeaderBytes + 7'(bytes_i) - 7'd1;
      if (pkt_i.kind == PktData) clocks = clocks + {1'b0, |pkt_i.amount[31:6] ? 6'd63 : pkt_i.amount[5:0]};
      clocks = clocks / 7'(bytes_i);
    end
  end

  gsu_delay #(.Width($bits(pkt_t)), .Depth(Depth)) u_way (
      .clk_i, .rst_ni, .now_i,
      .push_i(go), .space_o(space), .data_i(pkt_i), .due_i(now_i + cycle_t'(hop_i)),
      .valid_o(head_valid), .ready_i(take), .data_o(head), .empty_o, .next_o
  );
  assign take = !valid_q || rx_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_q  <= '0;
      free_q  <= '0;
      valid_q <= 1'b0;
      rx_q    <= '0;
    end else begin
      if (go) begin
        last_q <= pick;
        free_q <= now_i + cycle_t'(clocks);
      end
      if (take) begin
        valid_q <= head_valid;
        if (head_valid) rx_q <= head;
      end
    end
  end
  assign rx_valid_o = valid_q;
  assign rx_o       = rx_q;
  assign ready_o    = valid_q || head_valid;

  `ASSERT(OneGrant, $onehot0(grant_o) && (grant_o & ~want_i) == '0)
  `ASSERT(GrantMeansPush, !(|grant_o) || go)
  `ASSERT_NEXT(OutputHolds, rx_valid_o && !rx_ready_i, rx_valid_o && $stable(rx_o))
  `ASSERT_NEXT(IdleHolds, !ready_o && want_i == '0 && now_i < next_o, $stable(last_q) && $stable(free_q) && !valid_q && $stable(next_o))
  `COVER(Contended, go && |(want_i & (want_i - sms_t'(1))))
  `COVER(LinkBusy, |want_i && space && !go)
  `COVER(Wraps, go && after == '0)
endmodule
