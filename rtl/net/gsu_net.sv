// gsu_net: the network between the SMs: packets of remote operations, the network's half of the cluster barriers, the grid table.
// Rules: GDC-002, GDC-005, D-41 (a cluster is free when its packets have been acknowledged), D-38 (one source's packets to one target keep their order, none is
// lost), D-46..D-48, D-66, D-70. Limitations: the packet at the head of a source waits for its target and holds up later packets of that source.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_net
  import gsu_pkg::*;
#(
    parameter int unsigned Sms = MaxSms,            /// SMs, at most MaxSms
    parameter int unsigned Clusters = MaxClusters,  /// cluster slots; proofs use fewer
    parameter int unsigned Packets = 128,           /// packets in flight to one SM
    parameter int unsigned UpDepth = 32,            /// barrier reports in flight from one SM
    parameter int unsigned DownDepth = 64           /// barrier messages in flight to the SMs
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    input  cycle_t         now_i,
    input  cfg_t           cfg_i,             // changes only while idle_o
    input  logic           clus_valid_i,      // pulse: one route; the routes of all ranks of a cluster come before its first launch
    input  clus_cfg_t      clus_i,
    input  logic [Sms-1:0] tx_valid_i,
    output logic [Sms-1:0] tx_ready_o,
    input  pkt_t           tx_i[Sms],         // src_sm, dst_sm, dst_cta are written here
    output logic [Sms-1:0] rx_valid_o,
    input  logic [Sms-1:0] rx_ready_i,
    output pkt_t           rx_o[Sms],
    input  logic [Sms-1:0] ack_valid_i,       // acknowledgements of packets that the SM has committed or refused
    output logic [Sms-1:0] ack_ready_o,
    input  ack_t           ack_i[Sms],
    output logic [Sms-1:0] ack_valid_o,       // pulses: acknowledgements of packets that the SM had sent
    output ack_t           ack_o[Sms],
    input  logic [Sms-1:0] cb_up_valid_i,
    output logic [Sms-1:0] cb_up_ready_o,
    input  cb_up_t         cb_up_i[Sms],
    input  logic [Clusters-1:0] cb_alive_i[Sms],  // per cluster slot: a warp of the cluster is live there
    output logic [Sms-1:0] cb_dn_valid_o,     // one payload; each valid holds until its SM took it
    input  logic [Sms-1:0] cb_dn_ready_i,
    output cb_dn_t         cb_dn_o,
    input  logic           grid_valid_i,      // grids start, or have ended elsewhere
    output logic           grid_ready_o,
    input  grid_t          grid_i,
    input  logic [Sms-1:0] gd_up_valid_i,
    output logic [Sms-1:0] gd_up_ready_o,
    input  grid_up_t       gd_up_i[Sms],      // sm is written here
    output logic           gd_dn_valid_o,     // pulse, to every SM
    output grid_dn_t       gd_dn_o,
    output logic [MaxGrids-1:0] grid_signalled_o,  // pulses per slot: dependents may start; the grid has ended, its slot is free
    output logic [MaxGrids-1:0] grid_complete_o,
    output logic           tap_valid_o,       // pulse: a cluster opened, completed a generation, or is free
    output tap_t           tap_o,
    output logic           tap_gd_valid_o,    // pulse: a grid opened, a CTA signalled or ended
    output tap_t           tap_gd_o,
    output logic           idle_o,            // no flop changes without an input or a deadline
    output cycle_t         next_event_o       // earliest deadline, all ones if none
);
  if (Sms < 1 || Sms > MaxSms || Clusters < 1 || Clusters > MaxClusters || Packets < 2 || UpDepth < 2 || DownDepth < 2 ||
      (Packets & (Packets - 1)) != 0 || (UpDepth & (UpDepth - 1)) != 0 || (DownDepth & (DownDepth - 1)) != 0) begin : gen_out_of_range
    $error("gsu_net: Sms must be 1..18, Clusters 1..64, the depths powers of two from 2 on");
  end

  ////// Packets: buffer, route, link //////
  logic [Sms-1:0] head_valid, head_take, error;
  pkt_t [Sms-1:0] head, rx;
  logic [Sms-1:0][4:0] dst_sm;
  logic [Sms-1:0][4:0] dst_cta;
  logic drop_valid, links_idle, drain, drained;
  logic [5:0] drop_clus;
  cycle_t links_next;
  gsu_net_sources #(.Sms(Sms)) u_in (
      .clk_i, .rst_ni, .tx_valid_i, .tx_ready_o, .tx_i,
      .head_valid_o(head_valid), .head_take_i(head_take), .head_o(head)
  );
  gsu_net_route #(.Sms(Sms), .Clusters(Clusters)) u_route (
      .clk_i, .rst_ni, .clus_valid_i, .clus_i,
      .drop_valid_i(drop_valid), .drop_clus_i(drop_clus),
      .valid_i(head_valid), .head_i(head), .error_o(error), .sm_o(dst_sm), .cta_o(dst_cta)
  );
  gsu_net_links #(.Sms(Sms), .Depth(Packets)) u_links (
      .clk_i, .rst_ni, .now_i, .hop_i(cfg_i.dsm_hop), .bytes_i(cfg_i.net_bytes),
      .head_valid_i(head_valid), .head_take_o(head_take), .head_i(head),
      .error_i(error), .sm_i(dst_sm), .cta_i(dst_cta), .drain_i(drain), .drained_o(drained),
      .rx_valid_o, .rx_ready_i, .rx_o(rx), .idle_o(links_idle), .next_o(links_next)
  );
  for (genvar d = 0; d < int'(Sms); d++) begin : gen_rx
    assign rx_o[d] = rx[d];
  end

  ////// Acknowledgements //////
  logic acks_idle;
  cycle_t acks_next;
  ack_t [Sms-1:0] acks;
  gsu_net_acks #(.Sms(Sms), .Depth(Packets)) u_acks (
      .clk_i, .rst_ni, .now_i, .hop_i(cfg_i.dsm_hop),
      .ack_valid_i, .ack_ready_o, .ack_i, .ack_valid_o, .ack_o(acks), .idle_o(acks_idle), .next_o(acks_next)
  );
  for (genvar d = 0; d < int'(Sms); d++) begin : gen_ack
    assign ack_o[d] = acks[d];
  end

  ////// Cluster barriers //////
  logic cb_tap_valid, cb_idle;
  tap_t cb_tap;
  cycle_t cb_next, up_next, first_next;
  logic report_valid, report_ready;
  cb_up_t report;
  gsu_net_reports #(.Sms(Sms), .Depth(UpDepth)) u_up (
      .clk_i, .rst_ni, .now_i, .latency_i(cfg_i.cbar_up_lat),
      .up_valid_i(cb_up_valid_i), .up_ready_o(cb_up_ready_o), .up_i(cb_up_i),
      .valid_o(report_valid), .ready_i(report_ready), .report_o(report), .next_o(up_next)
  );
  gsu_net_cbar #(.Sms(Sms), .Clusters(Clusters), .DownDepth(DownDepth)) u_cbar (
      .clk_i, .rst_ni, .now_i, .cfg_i, .clus_valid_i, .clus_i,
      .up_valid_i(report_valid), .up_ready_o(report_ready), .up_i(report), .alive_i(cb_alive_i),
      .dn_valid_o(cb_dn_valid_o), .dn_ready_i(cb_dn_ready_i), .dn_o(cb_dn_o),
      .drain_o(drain), .drained_i(drained), .free_valid_o(drop_valid), .free_clus_o(drop_clus),
      .tap_valid_o(cb_tap_valid), .tap_o(cb_tap), .idle_o(cb_idle), .next_event_o(cb_next)
  );

  ////// Grid table //////
  logic gd_tap_valid, gd_idle;
  tap_t gd_tap;
  cycle_t gd_next, cbar_next;
  gsu_net_grid #(.Sms(Sms), .UpDepth(UpDepth)) u_grid (
      .clk_i, .rst_ni, .now_i, .cfg_i, .grid_valid_i, .grid_ready_o, .grid_i,
      .up_valid_i(gd_up_valid_i), .up_ready_o(gd_up_ready_o), .up_i(gd_up_i), .dn_valid_o(gd_dn_valid_o), .dn_o(gd_dn_o),
      .signalled_o(grid_signalled_o), .complete_o(grid_complete_o), .tap_valid_o(gd_tap_valid), .tap_o(gd_tap), .idle_o(gd_idle), .next_event_o(gd_next)
  );

  cycle_t path_next;
  assign cbar_next  = earlier(up_next, cb_next);
  assign first_next = earlier(cbar_next, gd_next);
  assign path_next  = earlier(links_next, acks_next);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tap_valid_o    <= 1'b0;
      tap_o          <= '0;
      tap_gd_valid_o <= 1'b0;
      tap_gd_o       <= '0;
    end else begin
      tap_valid_o    <= cb_tap_valid;
      if (cb_tap_valid) tap_o <= cb_tap;
      tap_gd_valid_o <= gd_tap_valid;
      if (gd_tap_valid) tap_gd_o <= gd_tap;
    end
  end
  // Of flops, and not of the time: what only waits for its deadline needs no clock before.
  assign idle_o       = links_idle && acks_idle && cb_idle && gd_idle && !tap_valid_o && !tap_gd_valid_o;
  assign next_event_o = earlier(path_next, first_next);

  `ASSERT(TapNamesCluster, !tap_valid_o || 32'(tap_o.obj) < Clusters)
  `COVER(PacketsAndBarriers, tap_valid_o && |rx_valid_o)
endmodule
