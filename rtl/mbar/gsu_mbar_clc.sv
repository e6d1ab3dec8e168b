// gsu_mbar_clc: queries of try_cancel. An accepted lane sends a query to the driver, which has the queue of the clusters that are not yet started. The driver
// answers in any later clock and in any order. Its answer becomes the responses: with multicast packets to the other CTAs of the cluster, then one to the CTA
// of the lane, which bypasses the network. A lane has an entry from its acceptance to its last response.
// Rules: CLC-003, CLC-005 (the request is answered before the response comes), CLC-006, CLC-009, CLC-013, CLU-017, D-55, D-56, D-70.
// No deadlock: the driver answers every query without waiting for the unit, and packets leave without waiting for the walk.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_clc
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
#(
    parameter int unsigned Depth = 8  /// entries, a power of two 2..32; a further lane waits at the walk
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       push_i,         // pulse, only with space_o: a lane was accepted
    output logic       space_o,        // from flops
    input  mbar_item_t item_i,         // that lane; obj names its mbarrier
    input  mbar_cta_t  place_i,        // place of its CTA
    output logic       req_valid_o,    // pulse, from a flop: a query to the driver
    output clc_req_t   req_o,
    input  logic       rsp_valid_i,    // pulse: the answer of an open query
    input  clc_rsp_t   rsp_i,
    output logic       emit_valid_o,   // a response to another CTA
    input  logic       emit_ready_i,
    output mbar_item_t emit_o,
    output logic [5:0] emit_clus_o,    // its cluster
    output logic [7:0] emit_era_o,     // era of that cluster
    output logic       loop_valid_o,   // from flops: the response to the CTA of the lane
    input  logic       loop_ready_i,
    output pkt_t       loop_o,
    output logic       idle_o          // without an input nothing changes
);
  if (Depth < 2 || Depth > 32 || (Depth & (Depth - 1)) != 0) begin : gen_out_of_range
    $error("gsu_mbar_clc: Depth must be a power of two 2..32");
  end
  typedef logic [Depth-1:0] set_t;
  typedef logic [$clog2(Depth)-1:0] idx_t;
  typedef struct packed {
    logic        multi;
    logic [4:0]  ctas;
    logic [4:0]  rank;
    logic [5:0]  clus;
    logic [7:0]  era;
    logic [4:0]  cta;
    logic [4:0]  warp;
    logic [11:0] tag;
    logic [4:0]  lane;
    logic [23:0] offset;  // offset of the mbarrier, in every CTA
  } entry_t;

  set_t   used_q, answered_q;
  entry_t entry_q[Depth];  // no reset: valid where used_q
  entry_t fresh;
  idx_t   free;
  assign space_o = used_q != '1;
  always_comb begin
    fresh = '0;
    free  = '0;
    if (push_i) begin
      free = idx_t'(lowest_of(64'(set_t'(~used_q))));
      fresh = '{
          multi: item_i.multi,
          ctas: place_i.ctas,
          rank: place_i.rank,
          clus: place_i.clus,
          era: place_i.era,
          cta: item_i.cta,
          warp: item_i.warp,
          tag: item_i.tag[11:0],
          lane: '0,
          offset: item_i.obj[23:0]
      };
      fresh.lane = 5'(lowest_of(64'(item_i.lanes)));  // the item has one lane
    end
  end

  ////// To the driver //////
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) req_valid_o <= 1'b0;
    else req_valid_o <= push_i;
  end
  always_ff @(posedge clk_i) begin
    if (push_i) req_o <= '{rsvd: '0, multicast: item_i.multi, lane: fresh.lane, tag: fresh.tag, slot: 5'(free), cta: fresh.cta};
  end

  ////// Responses: the answered queries take turns, and each sends all its responses in a row //////
  logic       work_q, own, last, loop;
  idx_t       at_q, pick;
  logic [4:0] rank_q;  // rank of the next response
  entry_t     now;
  set_t       after;
  assign now = entry_q[at_q];
  always_comb begin
    after = '0;
    pick  = '0;
    if (answered_q != '0) begin
      for (int i = 0; i < int'(Depth); i++) after[i] = answered_q[i] && i > int'(at_q);
      pick = idx_t'(lowest_of(64'(set_t'(|after ? after : answered_q))));
    end
  end
  // The response to the CTA of the lane comes last. It counts as outstanding from the acceptance on, so the CTA's slot stays in use until all are sent.
  assign last         = !now.multi || rank_q >= now.ctas;
  assign own          = rank_q == now.rank;
  assign emit_valid_o = work_q && !last && !own;
  assign loop_valid_o = work_q && last;
  assign loop         = loop_valid_o && loop_ready_i;
  assign emit_clus_o  = now.clus;
  assign emit_era_o   = now.era;
  always_comb begin
    emit_o = '0;
    loop_o = '0;
    if (emit_valid_o) begin
      emit_o.op     = OpClcTryCancel;
      emit_o.cta    = now.cta;
      emit_o.warp   = now.warp;
      emit_o.tag    = 16'(now.tag);
      emit_o.lanes  = 32'd1 << now.lane;
      emit_o.obj    = {3'd0, rank_q, now.offset};
      emit_o.amount = 32'(MbResponse);
      emit_o.last   = 1'b1;
    end
    if (loop_valid_o) begin
      loop_o.kind     = PktCancel;
      loop_o.was      = PktCancel;
      loop_o.own      = 1'b1;
      loop_o.mode     = 8'(now.multi);
      loop_o.async    = 1'b1;
      loop_o.first    = 1'b1;
      loop_o.clus     = now.clus;
      loop_o.rank     = now.rank;
      loop_o.era      = now.era;
      loop_o.src_cta  = now.cta;
      loop_o.dst_cta  = now.cta;
      loop_o.src_warp = now.warp;
      loop_o.tag      = 16'(now.tag);
      loop_o.lane     = now.lane;
      loop_o.offset   = now.offset;
      loop_o.amount   = 32'(MbResponse);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q     <= '0;
      answered_q <= '0;
      work_q     <= 1'b0;
      at_q       <= '0;
      rank_q     <= '0;
    end else begin
      if (push_i) used_q[free] <= 1'b1;
      if (rsp_valid_i) answered_q[idx_t'(rsp_i.slot)] <= 1'b1;
      if (!work_q && answered_q != '0) begin
        work_q           <= 1'b1;
        at_q             <= pick;
        rank_q           <= '0;
        answered_q[pick] <= 1'b0;
      end else if (loop) begin
        work_q       <= 1'b0;
        used_q[at_q] <= 1'b0;
      end else if (work_q && !last && (own || emit_ready_i)) begin
        rank_q <= rank_q + 5'd1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (push_i) entry_q[free] <= fresh;
  end
  assign idle_o = !push_i && !rsp_valid_i && !req_valid_o && !work_q && answered_q == '0;

  logic unused;
  assign unused = &{1'b0, item_i, place_i, rsp_i.rsvd};

  `REQUIRE(PushHasSpace, !push_i || space_o)
  `REQUIRE(OneLane, !push_i || $onehot(item_i.lanes))
  `REQUIRE(AnswersAQuery, !rsp_valid_i || (32'(rsp_i.slot) < Depth && used_q[idx_t'(rsp_i.slot)] && !answered_q[idx_t'(rsp_i.slot)]
                          && !(work_q && at_q == idx_t'(rsp_i.slot))))
  `ASSERT(FreeIsFree, !push_i || !used_q[free])
  `ASSERT(AnsweredIsUsed, (answered_q & ~used_q) == '0)
  `ASSERT(WorkIsUsed, !work_q || (used_q[at_q] && !answered_q[at_q] && (rank_q <= now.ctas || !now.multi)))
  `ASSERT(NeverBoth, !(emit_valid_o && loop_valid_o))
  `ASSERT_NEXT(IdleHolds, idle_o, $stable(used_q) && $stable(answered_q) && $stable(at_q))
  `COVER(Full, !space_o)
  `COVER(AnsweredWhileSending, rsp_valid_i && work_q)
  `COVER(SeveralAnswered, |(answered_q & (answered_q - set_t'(1))))
  `COVER(LastOfSixteen, emit_valid_o && rank_q == 5'd15)
  `COVER(NetworkWaits, emit_valid_o && !emit_ready_i)
endmodule
