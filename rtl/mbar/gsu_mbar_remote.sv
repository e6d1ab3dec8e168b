// gsu_mbar_remote: the outgoing side of the mbarrier unit. It sends groups of lanes and arrivals of agents to other CTAs as packets, and lanes of try_cancel to
// the driver as queries. It acknowledges packets that were committed here. Posted operations and queries are answered when they have left, atoms after their
// last acknowledgement (gsu_atom_reply).
// Rules: CLC-005, D-38, D-45, D-54, D-70, CLU-016, ATOM-029, RED-018.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_remote
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
#(
    parameter int unsigned Depth = 8,    /// packets that wait for the network
    parameter int unsigned Replies = 16,  /// atoms that wait for their answers
    parameter int unsigned Cancels = 8    /// lanes of try_cancel with outstanding queries or responses
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  cycle_t      now_i,
    input  mask_t       epoch_i,        // per CTA slot: the epoch in which its packets are counted
    input  mask_t       open_i,         // per CTA slot: its entry gate is open
    input  logic        agent_push_i,   // as gsu_mbar_agent
    output logic        agent_space_o,
    input  mbar_agent_t agent_i,
    output mask_t       agent_busy_o,
    input  mbar_far_t   item_valid_i,   // a group of this kind waits
    input  mbar_item_t [MbQuery:MbPosted] item_i,
    input  mbar_far_t   place_valid_i,  // pulse: a group of this kind is formed in this clock
    input  mbar_cta_t   place_i,        // window and cluster place of the CTA of that group
    input  logic        here_i,         // gsu_mbar_exec has an item of a request of this SM
    input  logic [11:0] here_tag_i,     // tag of that request
    input  logic        here_answer_i,  // gsu_mbar_exec answers that item in this clock
    input  logic        here_last_i,    // that answer is the last one of its request, as far as gsu_mbar_exec knows
    output logic        here_open_o,    // 1: more answers of that request follow from here
    output logic        hold_o,         // gsu_mbar_exec must not answer in this clock
    output mbar_far_t   send_o,         // pulse: the group of this kind has left
    output logic        sent_o,         // pulse: a packet or a query has left; a query counts as the packet of the response to its own CTA
    output logic [4:0]  sent_cta_o,     // its CTA slot
    output logic        sent_async_o,   // it is asynchronous: no release waits for it
    input  logic        space_i,        // there is space for an answer
    output logic        rsp_valid_o,    // pulse, only with space_i, and never with here_answer_i
    output sync_rsp_t   rsp_o,
    output logic        tx_valid_o,     // from a flop
    input  logic        tx_ready_i,
    output pkt_t        tx_o,
    input  logic        done_i,         // pulse, only with done_space_o: a packet was committed here, or came back and was reported
    input  logic        returned_i,     // that packet came back
    input  ack_t        done_ack_i,     // its acknowledgement
    output logic        done_space_o,   // there is space for done_ack_i
    output logic        ack_valid_o,    // from a flop
    input  logic        ack_ready_i,
    output ack_t        ack_o,
    output logic        fail_valid_o,   // from a flop: acknowledgement of a packet that came back
    input  logic        fail_ready_i,
    output ack_t        fail_o,
    input  logic        back_valid_i,   // pulse: a packet of this SM was acknowledged
    input  ack_t        back_i,
    output logic        clc_req_valid_o,  // as gsu_mbar_clc
    output clc_req_t    clc_req_o,
    input  logic        clc_rsp_valid_i,
    input  clc_rsp_t    clc_rsp_i,
    output logic        loop_valid_o,   // from flops: a packet to a CTA of this SM, which bypasses the network
    input  logic        loop_ready_i,
    output pkt_t        loop_o,
    output logic        idle_o,
    output cycle_t      next_event_o
);
  ////// The group that leaves: the kinds that can leave take turns. A kind that lacks an entry holds up no other. //////
  logic may, answers, atom, cancel, send, send_ready, clc_space, emit, reply_space, reply_valid, reply, owed_q, reply_first_q;
  logic send_idle, reply_idle, clc_idle, agent_idle;
  mbar_far_t can, pick, low_q;
  sync_rsp_t atom_group, reply_rsp;
  function automatic sync_rsp_t done(mbar_item_t group);
    done = '{cta: group.cta, warp: group.warp, tag: group.tag[11:0], last: group.last, cause: CauseDone, lanes: group.lanes, default: '0};
  endfunction
  mbar_item_t item;
  mbar_cta_t place_q[MbPosted:MbQuery];  // place of the group's CTA. A copy, because the walk may already look up the CTA of the next request
  mbar_cta_t place;
  always_comb begin
    can = '0;
    if (item_valid_i != '0) begin
      // After the groups that the same request has here, so that `last` comes last.
      for (int k = MbPosted; k <= MbQuery; k++) can[k] = item_valid_i[k] && !(here_i && here_tag_i == item_i[k].tag[11:0]);
      can[MbPosted] &= send_ready && !emit;
      can[MbAtom] &= send_ready && !emit && reply_space;
      can[MbQuery] &= clc_space && !(emit && send_ready);
    end
    pick = (can & ~low_q) != '0 ? can & ~low_q : can;
    pick = pick & (~pick + 3'd1);
  end
  always_comb begin
    {item, place, atom_group} = '0;
    if (item_valid_i[MbAtom]) atom_group = done(item_i[MbAtom]);
    if (item_valid_i != '0 || Eager) begin
      {item, place} = {item_i[MbPosted], place_q[MbPosted]};
      for (int k = MbAtom; k <= MbQuery; k++) if (pick[k]) {item, place} = {item_i[k], place_q[k]};
    end
  end
  always_ff @(posedge clk_i) begin
    for (int k = MbPosted; k <= MbQuery; k++) if (place_valid_i[k]) place_q[k] <= place_i;
  end

  ////// One answer leaves in a clock. A commit of gsu_mbar_exec goes first. A group that leaves and the answer of an atom take turns after it. //////
  assign atom        = pick[MbAtom];
  assign cancel      = pick[MbQuery];
  assign may         = |pick && space_i;
  assign answers     = may && !atom;
  assign reply       = reply_valid && space_i && !here_answer_i && !(answers && !reply_first_q);
  assign send        = may && !(here_answer_i && !atom) && !(reply && !atom);
  assign send_o      = send ? pick : '0;
  assign hold_o      = owed_q;
  assign rsp_valid_o = reply || (send && !atom);
  always_comb begin
    rsp_o = '0;
    if (reply) rsp_o = reply_rsp;
    else if (item_valid_i != '0 || Eager) rsp_o = done(item);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {owed_q, reply_first_q, low_q} <= '0;
    else begin
      owed_q <= here_answer_i && (answers || (reply_valid && space_i));
      if (reply || !reply_valid) reply_first_q <= 1'b0;
      else if (send && !atom) reply_first_q <= 1'b1;
      if (send) low_q <= pick | (pick - 3'd1);
    end
  end

  ////// Queries of try_cancel. Their responses go before groups; this starves no group, because each query was a group. Arrivals of agents and responses take
  ////// turns, and the clock after each arrival is a group's //////
  logic clc_emit, agent_ready, agent_emit, clc_turn, agent_next_q, yield_q;
  mbar_item_t clc_item, agent_item, emit_item;
  logic [5:0] clc_clus, agent_clus, emit_clus;
  logic [7:0] clc_era, agent_era, emit_era;
  assign agent_emit = agent_ready && !(yield_q && item_valid_i != '0);
  assign clc_turn = clc_emit && !(agent_emit && agent_next_q);
  assign emit     = clc_emit || agent_emit;
  always_comb begin
    if (clc_turn) {emit_item, emit_clus, emit_era} = {clc_item, clc_clus, clc_era};
    else {emit_item, emit_clus, emit_era} = {agent_item, agent_clus, agent_era};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {agent_next_q, yield_q} <= '0;
    else begin
      if (emit && send_ready) agent_next_q <= clc_turn;
      yield_q <= emit && send_ready && !clc_turn;
    end
  end
  gsu_mbar_agent u_agent (
      .clk_i, .rst_ni, .open_i, .push_i(agent_push_i), .space_o(agent_space_o), .agent_i, .busy_o(agent_busy_o),
      .emit_valid_o(agent_ready), .emit_ready_i(agent_emit && send_ready && !clc_turn), .emit_o(agent_item), .emit_clus_o(agent_clus), .emit_era_o(agent_era),
      .idle_o(agent_idle)
  );
  gsu_mbar_clc #(.Depth(Cancels)) u_clc (
      .clk_i, .rst_ni, .push_i(send && cancel), .space_o(clc_space), .item_i(item), .place_i(place),
      .req_valid_o(clc_req_valid_o), .req_o(clc_req_o), .rsp_valid_i(clc_rsp_valid_i), .rsp_i(clc_rsp_i),
      .emit_valid_o(clc_emit), .emit_ready_i(send_ready && clc_turn), .emit_o(clc_item), .emit_clus_o(clc_clus), .emit_era_o(clc_era),
      .loop_valid_o, .loop_ready_i, .loop_o, .idle_o(clc_idle)
  );

  gsu_mbar_send #(.Depth(Depth)) u_send (
      .clk_i, .rst_ni, .now_i, .epoch_i,
      .item_valid_i(emit || (send && !cancel)), .item_ready_o(send_ready), .item_i(emit ? emit_item : item),
      .clus_i(emit ? emit_clus : place.clus), .era_i(emit ? emit_era : place.era),
      .tx_valid_o, .tx_ready_i, .tx_o, .idle_o(send_idle), .next_event_o
  );
  assign sent_o       = send || (emit && send_ready);
  assign sent_cta_o   = send ? item.cta : emit_item.cta;
  assign sent_async_o = !send || mbar_is_async(item.op);

  ////// Acknowledgements of packets: to their source, or to this SM's own count for packets of this SM that came back //////
  // Both leave from flops, so that no commit depends on a port of the SM in the same clock.
  logic ack_ready, ack_empty, own_ready, own_empty;
  assign done_space_o = returned_i ? own_ready : ack_ready;
  gsu_skid #(.Width($bits(ack_t))) u_own (
      .clk_i, .rst_ni,
      .valid_i(done_i && returned_i), .ready_o(own_ready), .data_i(done_ack_i),
      .valid_o(fail_valid_o), .ready_i(fail_ready_i), .data_o(fail_o), .empty_o(own_empty)
  );
  gsu_skid #(.Width($bits(ack_t))) u_ack (
      .clk_i, .rst_ni,
      .valid_i(done_i && !returned_i), .ready_o(ack_ready), .data_i(done_ack_i),
      .valid_o(ack_valid_o), .ready_i(ack_ready_i), .data_o(ack_o), .empty_o(ack_empty)
  );

  ////// Atoms: a packet that came back is counted in a clock without an acknowledgement //////
  logic back, failed;
  assign back   = back_valid_i && back_i.reply;
  assign failed = fail_valid_o && fail_ready_i && fail_o.reply;
  gsu_atom_reply #(.Depth(Replies)) u_reply (
      .clk_i, .rst_ni, .send_i(atom_group), .send_valid_i(send && atom), .send_space_o(reply_space),
      .here_tag_i, .here_open_o, .here_last_i(here_answer_i && here_last_i && here_open_o),
      .back_valid_i(back || failed), .back_i(back ? back_i : fail_o),
      .rsp_valid_o(reply_valid), .rsp_ready_i(reply), .rsp_o(reply_rsp), .idle_o(reply_idle)
  );
  assign idle_o = send_idle && reply_idle && clc_idle && agent_idle && !yield_q && ack_empty && own_empty && !owed_q && !send
                  && !(reply_valid && space_i) && !reply_first_q;

  `REQUIRE(HeldIsSilent, !(hold_o && here_answer_i))
  `ASSERT(OneAnswer, !(rsp_valid_o && here_answer_i) && !(reply && send && !atom))
  `ASSERT(AnswerHasSpace, !rsp_valid_o || space_i)
  `ASSERT(OneLeaves, !(emit && send_ready && send))
  `ASSERT(OneAcknowledgement, !(back && failed))
  `COVER(AgentBesideResponses, clc_emit && agent_emit && send_ready)
  `COVER(AtomWaitsForAnEntry, item_valid_i[MbAtom] && !reply_space)
  `COVER(QueryWaitsForAnEntry, item_valid_i[MbQuery] && !clc_space)
  `COVER(QueryBesideResponses, send && cancel && emit)
  `COVER(GroupWaitsForResponses, item_valid_i[MbPosted] && emit)
  `COVER(AnswersInTurn, reply && answers)
  `COVER(EveryKindCan, &can)
endmodule
