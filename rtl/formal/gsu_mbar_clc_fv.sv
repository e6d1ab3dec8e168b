// prove: name=answer engine=kind depth=3 flat=1 files=gsu_mbar_pkg,gsu_mbar_clc cover=10 skip=LastOfSixteen|SeveralAnswered limit=300
// Harness of gsu_mbar_clc with two entries. The lane of one symbolic tag and number is followed from its acceptance to its last response, while anything
// happens to the other entry. Its query goes out once, in the next clock, with its own data. Nothing is sent before its answer. The answer gives, with
// multicast, one response to every other CTA of its cluster, and in any case a last one to its own CTA, which ends the entry. Each response names its mbarrier,
// 16 bytes, its cluster and era. At most one other query is served before it (CLC-003, CLC-006, CLC-009, CLC-013, D-55, D-56, D-70).
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_mbar_clc_fv
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
(
    input logic       clk_i,
    input logic       rst_ni,
    input logic       push_i,
    input mbar_item_t item_i,
    input mbar_cta_t  place_i,
    input logic       rsp_valid_i,
    input clc_rsp_t   rsp_i,
    input logic       emit_ready_i,
    input logic       loop_ready_i,
    input logic [16:0] sym_i  // {tag, lane}
);
  logic space_o, req_valid_o, emit_valid_o, loop_valid_o, idle_o;
  clc_req_t req_o;
  mbar_item_t emit_o;
  logic [5:0] emit_clus_o;
  logic [7:0] emit_era_o;
  pkt_t loop_o;
  gsu_mbar_clc #(.Depth(2)) dut (.*);
  `FV_RESET
  `ASSUME(PlaceIsOne, !push_i || (place_i.ctas != '0 && place_i.ctas <= 5'd16 && place_i.rank < place_i.ctas))

  logic [16:0] sym_q;
  always_ff @(posedge clk_i) if (!fv_started_q) sym_q <= sym_i;
  logic [11:0] tag;
  mask_t lane;
  assign tag  = sym_q[16:5];
  assign lane = 32'd1 << sym_q[4:0];

  // The followed lane as walk and driver see it.
  logic pushes, asks, answers, emits, loops;
  logic open_q, asked_q, answered_q, told_q;  // accepted | the driver has its query | and has answered | the query was sent in this clock
  logic slot_q;
  logic [1:0] out_q;  // queries that the driver has not answered
  clc_req_t want_q;
  mbar_cta_t place_q;
  mbar_item_t item_q;
  logic [15:0] seen_q, target, others;
  assign pushes  = push_i && item_i.tag[11:0] == tag && item_i.lanes == lane;
  assign asks    = req_valid_o && req_o.tag == tag && req_o.lane == sym_q[4:0];
  assign answers = rsp_valid_i && asked_q && rsp_i.slot == 5'(slot_q);
  assign emits   = emit_valid_o && emit_ready_i && emit_o.tag == 16'(tag) && emit_o.lanes == lane;
  assign loops   = loop_valid_o && loop_ready_i && loop_o.tag == 16'(tag) && loop_o.lane == sym_q[4:0];
  assign target  = 16'd1 << emit_o.obj[27:24];
  // The other CTAs of its cluster, with multicast.
  assign others  = item_q.multi ? ~(16'hFFFE << (place_q.ctas - 5'd1)) & ~(16'd1 << place_q.rank) : '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {open_q, asked_q, answered_q, told_q, out_q, seen_q} <= '0;
    end else begin
      told_q <= pushes;
      if (pushes) {open_q, asked_q, answered_q, seen_q} <= {1'b1, 18'd0};
      if (asks) asked_q <= 1'b1;
      if (answers) {asked_q, answered_q} <= 2'b01;
      if (emits) seen_q <= seen_q | target;
      if (loops) {open_q, answered_q} <= '0;
      if (req_valid_o) out_q[req_o.slot[0]] <= 1'b1;
      if (rsp_valid_i) out_q[rsp_i.slot[0]] <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (pushes) begin
      item_q  <= item_i;
      place_q <= place_i;
      want_q  <= '{rsvd: '0, multicast: item_i.multi, lane: sym_q[4:0], tag: tag, slot: '0, cta: item_i.cta};
    end
    if (asks) slot_q <= req_o.slot[0];
  end
  // A tag is not used again before its responses have been delivered; the driver answers each query once.
  `ASSUME(TagIsFree, !pushes || !open_q)
  `ASSUME(AnswersTheAsked, !rsp_valid_i || (rsp_i.slot <= 5'd1 && out_q[rsp_i.slot[0]]))

  ////// Relation to the flops //////
  logic [1:0] mine;
  for (genvar i = 0; i < 2; i++) begin : gen_entry
    assign mine[i] = dut.used_q[i] && dut.entry_q[i].tag == tag && dut.entry_q[i].lane == sym_q[4:0];
    `ASSERT(EntryKept, !mine[i] || (dut.entry_q[i].multi == item_q.multi && dut.entry_q[i].ctas == place_q.ctas && dut.entry_q[i].rank == place_q.rank
            && dut.entry_q[i].clus == place_q.clus && dut.entry_q[i].era == place_q.era && dut.entry_q[i].cta == item_q.cta
            && dut.entry_q[i].warp == item_q.warp && dut.entry_q[i].offset == item_q.obj[23:0]))
    `ASSERT(PlaceFits, !dut.used_q[i] || (dut.entry_q[i].ctas != '0 && dut.entry_q[i].ctas <= 5'd16 && dut.entry_q[i].rank < dut.entry_q[i].ctas))
    `ASSERT(AnswerIsMine, !mine[i] || (dut.answered_q[i] || (dut.work_q && dut.at_q == i)) == answered_q)
    `ASSERT(NameIsMine, !(mine[i] && asked_q) || slot_q == i)
    `ASSERT(TellsMine, !(mine[i] && told_q) || (req_valid_o && req_o.slot == 5'(i)))
    // The name of a query is at the driver, on its way to it, or answered.
    `ASSERT(NamesAreEntries, dut.used_q[i] == (out_q[i] || (req_valid_o && req_o.slot == 5'(i)) || dut.answered_q[i] || (dut.work_q && dut.at_q == i)))
    `ASSERT(NameOnce, !out_q[i] || !((req_valid_o && req_o.slot == 5'(i)) || dut.answered_q[i] || (dut.work_q && dut.at_q == i)))
    `ASSERT(NotAskedAndAnswered, !(req_valid_o && req_o.slot == 5'(i)) || !(dut.answered_q[i] || (dut.work_q && dut.at_q == i)))
  end
  `ASSERT(SlotFits, !req_valid_o || req_o.slot <= 5'd1)
  `ASSERT(OneEntry, mine != 2'b11 && |mine == open_q)
  `ASSERT(StateFits, open_q ? $onehot({told_q, asked_q, answered_q}) : {told_q, asked_q, answered_q} == '0)
  logic at_mine;
  assign at_mine = dut.work_q && mine[dut.at_q];
  `ASSERT(SentSoFar, !open_q || seen_q == (at_mine ? others & ~(16'hFFFF << dut.rank_q) : 16'd0))
  `ASSERT(RankFits, !dut.work_q || dut.rank_q <= (dut.entry_q[dut.at_q].multi ? dut.entry_q[dut.at_q].ctas : 5'd0))

  ////// Properties //////
  `ASSERT(AsksInTheNextClock, asks == told_q)  // CLC-003
  `ASSERT(AsksAsItIs, !asks || {req_o.multicast, req_o.lane, req_o.tag, req_o.cta} == {want_q.multicast, want_q.lane, want_q.tag, want_q.cta})
  `ASSERT(SentAfterTheAnswer, !(emits || loops) || answered_q)
  `ASSERT(EachOnce, !emits || ((seen_q & target) == '0 && (others & target) != '0 && emit_o.obj[31:28] == '0))  // CLC-009
  `ASSERT(OwnLast, !loops || seen_q == others)  // CLC-009, CLC-013
  `ASSERT(EmitAsItIs, !emits || (emit_o.op == OpClcTryCancel && emit_o.cta == item_q.cta && emit_o.warp == item_q.warp && emit_o.amount == 32'd16 && emit_o.last
          && emit_o.obj[23:0] == item_q.obj[23:0] && emit_clus_o == place_q.clus && emit_era_o == place_q.era))  // CLC-006
  `ASSERT(LoopAsItIs, !loops || (loop_o.kind == PktCancel && loop_o.own && loop_o.async && loop_o.amount == 32'd16 && loop_o.more == '0
          && loop_o.dst_cta == item_q.cta && loop_o.src_cta == item_q.cta && loop_o.src_warp == item_q.warp && loop_o.offset == item_q.obj[23:0]
          && loop_o.rank == place_q.rank && loop_o.clus == place_q.clus && loop_o.era == place_q.era && loop_o.mode == 8'(item_q.multi)))
  // Service: an answered query is served after at most one other, and service continues while the outputs are free.
  logic passed_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) passed_q <= 1'b0;
    else if (!answered_q || loops) passed_q <= 1'b0;
    else if (loop_valid_o && loop_ready_i) passed_q <= 1'b1;
  end
  `ASSERT(AfterOneOther, !(passed_q && loop_valid_o && loop_ready_i) || loops)
  `ASSERT(PassedIsTheOther, !(passed_q && !at_mine) || (!dut.work_q && !mine[dut.at_q]))
  `ASSERT(SomeoneIsServed, !$past(rst_ni) || !$past(answered_q) || !answered_q || dut.work_q || $past(loop_valid_o))
  `ASSERT(WorkGoesOn, !$past(rst_ni) || !$past(dut.work_q && emit_ready_i && loop_ready_i) || !dut.work_q || dut.at_q != $past(dut.at_q)
          || dut.rank_q == $past(dut.rank_q) + 5'd1)
  `ASSERT(IdleOwesNothing, !idle_o || !(answered_q || told_q))
  `COVER(Multicast, loops && others != '0 && place_q.ctas == 5'd3)
  `COVER(Alone, loops && place_q.ctas == 5'd1)
  `COVER(Passed, loops && passed_q)
endmodule
