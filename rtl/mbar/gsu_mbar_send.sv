// gsu_mbar_send: sends groups for objects of other CTAs as packets, in order. While the entry gate of a cluster is closed, no group of it comes here.
// Rules: D-38 (posted, one thread's operations on one object in order), D-66.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_send
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
#(
    parameter int unsigned Depth = 8  /// packets that wait for the network
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  cycle_t      now_i,
    input  mask_t       epoch_i,       // per CTA slot: the epoch in which its packets are counted
    input  logic        item_valid_i,
    output logic        item_ready_o,
    input  mbar_item_t  item_i,
    input  logic [5:0]  clus_i,        // cluster of item_i.cta
    input  logic [7:0]  era_i,         // its era
    output logic        tx_valid_o,    // from a flop
    input  logic        tx_ready_i,
    output pkt_t        tx_o,
    output logic        idle_o,
    output cycle_t      next_event_o   // earliest deadline, all ones if none
);
  // Whether this is the first packet of a request: the driver counts requests, not packets.
  logic fresh_q, push, response, owned;
  logic [4:0] first, final_lane;
  mask_t turned;  // the lanes in reverse order
  pkt_t pkt;
  assign push     = item_valid_i && item_ready_o;
  assign response = item_i.op == OpClcTryCancel;  // a response of a multicast
  assign owned    = !response && item_i.op != OpEvAgentArrive;  // the packet belongs to a request
  always_comb begin
    first = '0;
    final_lane = '0;
    turned = '0;
    pkt   = '0;
    if (item_valid_i) begin
      first      = 5'(lowest_of(64'(item_i.lanes)));
      for (int i = 0; i < int'(Lanes); i++) turned[i] = item_i.lanes[int'(Lanes)-1-i];
      final_lane = ~5'(lowest_of(64'(turned)));
      pkt = '{
          kind: mbar_pkt_kind(item_i.op),
          clus: clus_i,
          was: mbar_pkt_kind(item_i.op),
          rank: item_i.obj[28:24],
          offset: item_i.obj[23:0],
          era: era_i,
          src_cta: item_i.cta,
          src_warp: item_i.warp,
          first: fresh_q || !owned,
          mode: 8'(response),
          amount: item_i.amount,
          tag: item_i.tag,
          more: final_lane - first,  // the lanes are contiguous
          lane: first,
          async: mbar_is_async(item_i.op),
          epoch: epoch_i[item_i.cta],
          default: '0
      };
    end
  end

  logic head_valid, skid_ready, skid_empty, queue_empty;
  pkt_t head;
  gsu_delay #(.Width($bits(pkt_t)), .Depth(Depth)) u_queue (
      .clk_i, .rst_ni, .now_i,
      .push_i(push), .space_o(item_ready_o), .data_i(pkt), .due_i(now_i),
      .valid_o(head_valid), .ready_i(skid_ready), .data_o(head), .empty_o(queue_empty), .next_o(next_event_o)
  );
  gsu_skid #(.Width($bits(pkt_t))) u_out (
      .clk_i, .rst_ni,
      .valid_i(head_valid), .ready_o(skid_ready), .data_i(head),
      .valid_o(tx_valid_o), .ready_i(tx_ready_i), .data_o(tx_o), .empty_o(skid_empty)
  );
  assign idle_o = !item_valid_i && !head_valid && skid_empty;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fresh_q <= 1'b1;
    else if (push && owned) fresh_q <= item_i.last;
  end

  logic unused;
  assign unused = &{1'b0, queue_empty, item_i};

  `REQUIRE(LanesContiguous, !item_valid_i || ((item_i.lanes >> first) & ((item_i.lanes >> first) + 32'd1)) == '0)
  `ASSERT(MoreCountsLanes, !item_valid_i || 6'(pkt.more) + 6'd1 == 6'($countones(item_i.lanes)))
  `COVER(WaitsForPort, head_valid && !skid_ready)
  `COVER(ManyLanes, push && item_i.lanes == '1)
endmodule
