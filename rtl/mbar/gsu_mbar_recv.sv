// gsu_mbar_recv: turns packets from the network into updates of objects of this SM, in their order, after cfg mbar_remote_lat. An update that cannot be
// applied is refused here, at the owner. A packet that came back undelivered is reported here, at its source.
// Rules: CLC-006, CLC-009, MBAR-044, MBARR-019, D-38, D-41, D-45 (data first), D-66, D-72.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_recv
  import gsu_pkg::*;
  import gsu_op_pkg::*;
  import gsu_mbar_pkg::*;
#(
    parameter int unsigned Depth = 32  /// packets that it can hold; enough for one a clock while mbar_remote_lat is at most this
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  cycle_t      now_i,
    input  logic [15:0] latency_i,
    input  logic        rx_valid_i,
    output logic        rx_ready_o,
    input  pkt_t        rx_i,
    output logic        take_o,         // pulse: a packet came in
    output logic [4:0]  take_cta_o,     // its CTA slot
    output logic [4:0]  cta_o,          // CTA slot whose place is looked up
    input  mbar_cta_t   cta_i,          // its place, in the same clock
    output logic        item_valid_o,
    input  logic        item_ready_i,
    output mbar_item_t  item_o,
    output cycle_t      next_event_o
);
  logic failed_in, failed, empty;
  pkt_t head;
  assign failed_in  = rx_i.kind == PktError || rx_i.err;
  assign take_o     = rx_valid_i && rx_ready_o;
  assign take_cta_o = failed_in ? rx_i.src_cta : rx_i.dst_cta;

  gsu_delay #(.Width($bits(pkt_t)), .Depth(Depth)) u_way (
      .clk_i, .rst_ni, .now_i,
      .push_i(take_o), .space_o(rx_ready_o), .data_i(rx_i), .due_i(now_i + cycle_t'(latency_i)),
      .valid_o(item_valid_o), .ready_i(item_ready_i), .data_o(head), .empty_o(empty), .next_o(next_event_o)
  );

  pkt_e kind;
  assign failed = head.kind == PktError || head.err;
  assign kind   = failed ? head.was : head.kind;
  assign cta_o  = failed ? head.src_cta : head.dst_cta;

  always_comb begin
    item_o = '0;
    if (item_valid_o) begin
      item_o.op      = mbar_pkt_op(kind);
      item_o.src     = failed ? SrcNetwork : head.own ? SrcAsyncCopy : SrcRemote;
      item_o.cta     = cta_o;
      item_o.warp    = head.src_warp;
      item_o.tag     = head.tag;
      item_o.src_sm  = head.src_sm;
      item_o.src_cta = head.src_cta;
      item_o.cancel  = kind == PktCancel;
      item_o.multi   = kind == PktCancel && head.mode[0];
      item_o.async   = head.async;
      item_o.epoch   = head.epoch;
      item_o.top     = head.lane + head.more;
      item_o.lanes   = ~(32'hFFFF_FFFE << head.more) << head.lane;
      item_o.obj     = {3'd0, head.rank, head.offset};
      item_o.addr    = mbar_word_addr(head.offset, cta_i);
      item_o.amount  = head.amount;
      item_o.last    = 1'b1;
      if (failed || !cta_i.live || cta_i.clus != head.clus || cta_i.rank != head.rank || cta_i.era != head.era) begin
        item_o.errs[item_o.cancel && !item_o.multi ? MbErrLeft : MbErrUndeliverable] = 1'b1;
      end else if (!op_atomic(item_o.op)) begin
        item_o.errs = mbar_offset_errs(head.offset, cta_i);  // the driver checks the address of an atomic
      end
      // If the mbarrier of data is refused, the data are not delivered, and only the refusal of their complete_tx is recorded.
      if (item_o.op == OpEvDelivered && item_o.errs != '0) item_o.op = item_o.cancel ? OpClcTryCancel : OpEvAsyncCompleteTx;
    end
  end

  logic unused;
  assign unused = &{1'b0, empty, head};

  `ASSERT(LanesFit, !item_valid_o || item_o.lanes[head.lane])
  `COVER(OwnResponse, item_valid_o && head.own)
  `COVER(CameBack, item_valid_o && failed)
  `COVER(OwnerGone, item_valid_o && !failed && !cta_i.live)
endmodule
