// gsu_net: the network between the SMs: packets of remote operations, and the clusters' half of the cluster barriers.
// Rules: D-38 (one source's packets to one target keep their order, nothing is lost), D-46..D-48, D-66, D-70.
// Limitations: the packet at the head of a source waits for its target and holds up those behind it.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_net
  import gsu_pkg::*;
#(
    parameter int unsigned Sms = MaxSms,            /// SMs, at most 16
    parameter int unsigned Clusters = MaxClusters,  /// cluster slots; proofs use fewer
    parameter int unsigned Depth = 128,             /// packets under way to one SM
    parameter int unsigned UpDepth = 32,            /// barrier reports under way from one SM
    parameter int unsigned DownDepth = 64           /// barrier news under way
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    input  cycle_t         now_i,
    input  cfg_t           cfg_i,             // changes only while idle_o
    input  logic           clus_valid_i,      // pulse: one route; all ranks of a cluster before its first launch
    input  clus_cfg_t      clus_i,
    input  logic [Sms-1:0] tx_valid_i,
    output logic [Sms-1:0] tx_ready_o,
    input  pkt_t           tx_i[Sms],         // src_sm, dst_sm, dst_cta are written here
    output logic [Sms-1:0] rx_valid_o,
    input  logic [Sms-1:0] rx_ready_i,
    output pkt_t           rx_o[Sms],
    input  logic [Sms-1:0] cb_up_valid_i,
    output logic [Sms-1:0] cb_up_ready_o,
    input  cb_up_t         cb_up_i[Sms],
    output logic [Sms-1:0] cb_dn_valid_o,     // one payload; each valid holds until its SM took it
    input  logic [Sms-1:0] cb_dn_ready_i,
    output cb_dn_t         cb_dn_o,
    output logic           tap_valid_o,       // pulse: a cluster opened, completed a generation, or is free
    output tap_t           tap_o,
    output logic           idle_o,            // no flop changes without an input or a deadline
    output cycle_t         next_event_o       // earliest deadline, all ones if none
);
  ////// Packets: skid, route, link //////
  logic [Sms-1:0] head_valid, head_take, skid_empty, error;
  pkt_t head[Sms];
  logic [Sms-1:0][5:0] head_clus;
  logic [Sms-1:0][3:0] head_rank, dst_sm;
  logic [Sms-1:0][4:0] dst_cta;
  for (genvar s = 0; s < int'(Sms); s++) begin : gen_source
    gsu_skid #(.Width($bits(pkt_t))) u_skid (
        .clk_i, .rst_ni,
        .valid_i(tx_valid_i[s]), .ready_o(tx_ready_o[s]), .data_i(tx_i[s]),
        .valid_o(head_valid[s]), .ready_i(head_take[s]), .data_o(head[s]), .empty_o(skid_empty[s])
    );
    assign head_clus[s] = head[s].clus;
    assign head_rank[s] = head[s].rank;
  end

  logic drop_valid;
  logic [5:0] drop_clus;
  gsu_net_route #(.Sms(Sms), .Clusters(Clusters)) u_route (
      .clk_i, .rst_ni, .clus_valid_i, .clus_i,
      .drop_valid_i(drop_valid), .drop_clus_i(drop_clus),
      .valid_i(head_valid), .clus_id_i(head_clus), .rank_i(head_rank),
      .error_o(error), .sm_o(dst_sm), .cta_o(dst_cta)
  );

  // want[d][s]: the packet of source s goes to SM d. Each source wants one d, so the grants of all links are distinct.
  logic [Sms-1:0][Sms-1:0] want, grant;
  always_comb begin
    want = '0;
    if (|head_valid) begin
      for (int s = 0; s < int'(Sms); s++) if (head_valid[s]) want[dst_sm[s]][s] = 1'b1;
    end
  end
  always_comb begin
    head_take = '0;
    if (|head_valid) begin
      for (int d = 0; d < int'(Sms); d++) head_take = head_take | grant[d];
    end
  end

  logic [Sms-1:0] link_empty, link_ready;
  cycle_t link_next[Sms];
  for (genvar d = 0; d < int'(Sms); d++) begin : gen_link
    logic [$clog2(Sms)-1:0] from;
    pkt_t pkt;
    always_comb begin
      pkt = '0;
      if (|want[d]) begin
        pkt         = head[from];
        pkt.src_sm  = 4'(from);
        pkt.dst_sm  = 4'(d);
        pkt.dst_cta = dst_cta[from];
        if (error[from]) begin
          pkt.kind    = PktError;
          pkt.err     = 1'b1;
          pkt.dst_cta = pkt.src_cta;
        end
      end
    end
    gsu_net_link #(.Sms(Sms), .Depth(Depth)) u_link (
        .clk_i, .rst_ni, .now_i,
        .hop_i(cfg_i.dsm_hop), .bytes_i(cfg_i.net_bytes),
        .want_i(want[d]), .grant_o(grant[d]), .grant_sm_o(from), .pkt_i(pkt),
        .rx_valid_o(rx_valid_o[d]), .rx_ready_i(rx_ready_i[d]), .rx_o(rx_o[d]),
        .empty_o(link_empty[d]), .ready_o(link_ready[d]), .next_o(link_next[d])
    );
  end

  ////// Cluster barriers //////
  logic cb_tap_valid, cb_idle;
  tap_t cb_tap;
  cycle_t cb_next, first_next;
  gsu_net_cbar #(.Sms(Sms), .Clusters(Clusters), .UpDepth(UpDepth), .DownDepth(DownDepth)) u_cbar (
      .clk_i, .rst_ni, .now_i, .cfg_i, .clus_valid_i, .clus_i,
      .up_valid_i(cb_up_valid_i), .up_ready_o(cb_up_ready_o), .up_i(cb_up_i),
      .dn_valid_o(cb_dn_valid_o), .dn_ready_i(cb_dn_ready_i), .dn_o(cb_dn_o),
      .free_valid_o(drop_valid), .free_clus_o(drop_clus),
      .tap_valid_o(cb_tap_valid), .tap_o(cb_tap), .idle_o(cb_idle), .next_event_o(cb_next)
  );

  always_comb begin
    first_next = cb_next;
    if (!(&link_empty)) begin
      for (int d = 0; d < int'(Sms); d++) begin
        if (!link_empty[d] && link_next[d] < first_next) first_next = link_next[d];
      end
    end
  end

  // Outputs of cycle n are flops; idle is conservative by one clock.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tap_valid_o  <= 1'b0;
      tap_o        <= '0;
      idle_o       <= 1'b0;
      next_event_o <= '0;
    end else begin
      tap_valid_o  <= cb_tap_valid;
      if (cb_tap_valid) tap_o <= cb_tap;
      idle_o       <= &skid_empty && !(|tx_valid_i) && !(|link_ready) && cb_idle && !(|cb_up_valid_i) && !clus_valid_i && !tap_valid_o;
      next_event_o <= first_next;
    end
  end

  // A copy, because Verilator 5.006 fails on a field of an array element inside an assertion.
  pkt_t rx_first;
  assign rx_first = rx_o[0];
  `ASSERT(EachSourceTakenByOneLink, (head_take & ~head_valid) == '0)
  `ASSERT(PacketsAreAddressed, !rx_valid_o[0] || rx_first.dst_sm == 4'd0)
  `ASSERT(RoutedNowhere, !(|head_valid) || |want)
  `COVER(ErrorComesBack, rx_valid_o[0] && rx_first.kind == PktError)
  `COVER(AllLinksBusy, &link_ready)
endmodule
