// gsu_mbar_async: turns completions of asynchronous operations into updates of an object of the CTA slot that they name. An arrive-on of k threads becomes
// items of up to 32 arrivals each. An arrival of an agent that is not a thread (tcgen05.commit) becomes an arrival here if its mask names this CTA, and goes to
// gsu_mbar_agent for the other CTAs. Rules: CPA-002, MBAR-049, D-39, D-41, D-45.
// Limitations: `rank` of the address is ignored, because the driver names the owner by its slot.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_async
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
(
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       sm80_i,        // tx-counts do not exist (D-42)
    input  logic       async_valid_i,
    output logic       async_ready_o,
    input  async_t     async_i,
    output logic [4:0] cta_o,         // CTA slot whose place is looked up
    input  mbar_cta_t  cta_i,         // its place, in the same clock
    output logic       item_valid_o,
    input  logic       item_ready_i,
    output mbar_item_t item_o,
    output logic       agent_push_o,  // pulse, only with agent_space_i: agent_o goes to other CTAs
    input  logic       agent_space_i, // from a flop
    output mbar_agent_t agent_o,
    output logic       left_o,        // from a flop: an arrival only for other CTAs has left
    output logic [4:0] left_cta_o,    // its CTA
    input  logic       left_ready_i,
    output logic       idle_o
);
  logic head_valid, head_ready, empty;
  async_t head;
  gsu_skid #(.Width($bits(async_t))) u_skid (
      .clk_i, .rst_ni,
      .valid_i(async_valid_i), .ready_o(async_ready_o), .data_i(async_i),
      .valid_o(head_valid), .ready_i(head_ready), .data_o(head), .empty_o(empty)
  );

  logic [31:0] done_q, left;  // arrivals of the head that have been passed on | that are still to be passed on
  logic arrive, rest;
  assign cta_o        = head.cta;
  assign arrive       = head.kind == AsyncArriveOn;
  assign left         = head.amount - done_q;
  assign rest         = arrive && left > 32'd32;

  ////// Arrivals of agents: the targets are looked up, then the arrivals go to the other CTAs, then here //////
  // A mask that is empty, or names a CTA that does not exist, is refused as a whole. The targets are looked up a clock before, so that item_o does not depend
  // on the table in the same clock.
  logic agent, gone, stray, known_q, here_q, leaves;
  logic [15:0] others_q;
  logic [31:0] there, own;
  assign agent        = head.kind == AsyncAgentArrive;
  assign gone         = !cta_i.live || cta_i.era != head.era;
  assign there        = ~(32'hFFFF_FFFE << (cta_i.ctas - 5'd1));
  assign own          = 32'd1 << cta_i.rank;
  assign stray        = agent && (head.amount == '0 || (head.amount & ~there) != '0);
  assign agent_push_o = known_q && others_q != '0 && agent_space_i && (here_q || !left_o);
  assign leaves       = agent_push_o && !here_q;
  assign agent_o      = '{
      ranks: others_q,
      clus: cta_i.clus,
      era: cta_i.era,
      cta: head.cta,
      warp: head.warp,
      tag: head.tag,
      offset: head.addr[23:0]
  };

  assign item_valid_o = head_valid && (!agent || (known_q && here_q && others_q == '0));
  assign idle_o       = !left_o && (empty || (head_valid && (item_valid_o ? !item_ready_i : known_q && !agent_push_o)));
  assign head_ready   = leaves || (item_valid_o && item_ready_i && !rest);

  always_comb begin
    item_o = '0;
    if (item_valid_o) begin
      item_o.op     = agent ? OpEvAgentArrive : arrive ? OpEvAsyncArrive : OpEvAsyncCompleteTx;
      item_o.src    = agent ? SrcAgent : arrive ? SrcCpAsync : SrcAsyncCopy;
      item_o.cta    = head.cta;
      item_o.warp   = head.warp;
      item_o.tag    = 16'(head.tag);
      item_o.lanes  = !arrive || left == '0 ? 32'd1 : rest ? '1 : ~(32'hFFFF_FFFE << 5'(left - 32'd1));
      item_o.obj    = {3'd0, cta_i.rank, head.addr[23:0]};
      item_o.addr   = mbar_word_addr(head.addr[23:0], cta_i);
      item_o.amount = arrive || agent ? 32'd1 : head.amount;
      item_o.last   = !rest;
      item_o.errs   = mbar_offset_errs(head.addr[23:0], cta_i);
      item_o.errs[MbErrCount] = arrive && head.amount == '0;
      item_o.errs[MbErrSelf]  = sm80_i && !arrive && !agent;
      if (gone || stray) item_o.errs = 16'd1 << MbErrUndeliverable;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {done_q, known_q, left_o} <= '0;
    else begin
      left_o <= leaves || (left_o && !left_ready_i);
      if (item_valid_o && item_ready_i) done_q <= rest ? done_q + 32'd32 : '0;
      known_q <= head_valid && agent && !head_ready;
    end
  end
  always_ff @(posedge clk_i) begin
    if (leaves) left_cta_o <= head.cta;
    if (head_valid && agent && !known_q) begin
      here_q   <= gone || stray || (head.amount & own) != '0;
      others_q <= gone || stray ? '0 : head.amount[15:0] & ~own[15:0];
    end else if (agent_push_o) begin
      others_q <= '0;
    end
  end

  `ASSERT(NeverTooMany, !head_valid || !arrive || done_q < head.amount || head.amount == '0)
  `ASSERT(KnownIsForSomebody, !known_q || (head_valid && agent && (here_q || others_q != '0)))
  `COVER(MoreThanOneItem, rest && item_ready_i)
  `COVER(LateUpdate, item_valid_o && item_o.errs[MbErrUndeliverable])
  `COVER(AgentHereAndAway, agent_push_o && here_q)
  `COVER(AgentAwayOnly, leaves)
  `COVER(AgentWaitsForSpace, known_q && others_q != '0 && !agent_space_i)
endmodule
