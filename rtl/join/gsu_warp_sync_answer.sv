// gsu_warp_sync_answer: second half of bar.warp.sync. It commits a completed or refused group on the tap and answers its lanes. For vote, match, redux and
// elect it only commits the group and answers refused lanes; the warp unit answers the others.
// Rules: BWS-003 and D-03 (lanes outside their own mask are refused, at once), BWS-010 and D-20 (report of an exited lane), D-19.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_warp_sync_answer
  import gsu_pkg::*;
#(
    parameter int unsigned Depth = 8  /// pending answers; warp_sync_lat divided by the clocks between two completions is enough for the full rate
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  cycle_t    now_i,
    input  logic [15:0] latency_i,       // clocks from the last lane to the response, at least 1
    input  logic      done_valid_i,      // a group is complete; not together with refuse_valid_i
    output logic      done_ready_o,
    input  logic      note_valid_i,      // a group that the warp unit answers is complete; only one of done, note, refuse is valid
    input  op_e       op_i,              // the operation of the group
    input  logic      refuse_valid_i,    // these lanes are outside their own mask
    output logic      refuse_ready_o,
    input  logic [4:0] cta_i,
    input  logic [4:0] warp_i,
    input  logic [11:0] tag_i,
    input  mask_t     lanes_i,
    input  mask_t     mask_i,            // member mask
    input  mask_t     gone_i,            // lanes that existed and have exited
    input  logic      last_i,            // no other response of this request follows
    input  src_e      src_i,
    output logic      rsp_valid_o,
    input  logic      rsp_ready_i,
    output sync_rsp_t rsp_o,
    output logic      tap_valid_o,       // pulse with the commit
    /*verilator tracing_off*/ output tap_t      tap_o, /*verilator tracing_on*/
    output logic      idle_o,
    output cycle_t    next_event_o
);
  typedef struct packed {
    logic        last;
    logic [4:0]  cta;
    logic [4:0]  warp;
    logic [11:0] tag;
    mask_t       lanes;
  } answer_t;

  answer_t answer, refused_q, due;
  logic    refused_valid_q, due_valid, empty, push, refuse;

  assign answer         = '{last: last_i, cta: cta_i, warp: warp_i, tag: tag_i, lanes: lanes_i};
  assign refuse_ready_o = !refused_valid_q;
  assign refuse         = refuse_valid_i && refuse_ready_o;
  assign push           = done_valid_i && done_ready_o;
  gsu_delay #(.Width($bits(answer_t)), .Depth(Depth)) u_delay (
      .clk_i, .rst_ni, .now_i,
      .push_i(push), .space_o(done_ready_o), .data_i(answer), .due_i(now_i + cycle_t'(latency_i)),
      .valid_o(due_valid), .ready_i(rsp_ready_i && !refused_valid_q), .data_o(due),
      .empty_o(empty), .next_o(next_event_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      refused_valid_q <= 1'b0;
      refused_q       <= '0;
    end else begin
      if (refuse) begin
        refused_valid_q <= 1'b1;
        refused_q       <= answer;
      end else if (rsp_ready_i) begin
        refused_valid_q <= 1'b0;
      end
    end
  end

  assign rsp_valid_o = refused_valid_q || due_valid;
  always_comb begin
    answer_t head;
    head  = '0;
    rsp_o = '0;
    if (rsp_valid_o || Eager) begin
      head        = refused_valid_q ? refused_q : due;
      rsp_o.cta   = head.cta;
      rsp_o.warp  = head.warp;
      rsp_o.tag   = head.tag;
      rsp_o.lanes = head.lanes;
      rsp_o.last  = head.last;
      rsp_o.cause = refused_valid_q ? CauseRefused : CauseDone;
    end
  end

  assign tap_valid_o = push || refuse || note_valid_i;
  always_comb begin
    tap_o = '0;
    if (tap_valid_o) begin
      tap_o.op    = op_i;
      tap_o.cta   = cta_i;
      tap_o.warp  = warp_i;
      tap_o.tag   = tag_i;
      tap_o.lanes = lanes_i;
      tap_o.obj   = mask_i;
      tap_o.src   = src_i;
      if (refuse) begin
        tap_o.cause   = CauseRefused;
        tap_o.refused = 1'b1;
        tap_o.errs[WsErrOutside] = 1'b1;
      end else begin
        tap_o.cause = CauseDone;
        tap_o.errs[WsErrExited] = op_i inside {OpWarpSync, OpElect} && (mask_i & gone_i) != '0;
      end
    end
  end

  assign idle_o = !refused_valid_q && (empty || next_event_o > now_i);

  `REQUIRE(OneCommitAClock, $onehot0({done_valid_i, refuse_valid_i, note_valid_i}))
  `REQUIRE(SomeLane, !(done_valid_i || refuse_valid_i || note_valid_i) || lanes_i != '0)
  `REQUIRE(RefusedAreOutside, !refuse_valid_i || (lanes_i & mask_i) == '0)
  `REQUIRE(CompleteAreInside, !(done_valid_i || note_valid_i) || (lanes_i & ~mask_i) == '0)
  `ASSERT(AnswerNamesLanes, !refused_valid_q || refused_q.lanes != '0)
  `ASSERT_NEXT(RefusalIsNext, refuse, rsp_valid_o && rsp_o.cause == CauseRefused)
  `ASSERT_NEXT(ResponseHolds, rsp_valid_o && !rsp_ready_i && refused_valid_q, rsp_valid_o && $stable(rsp_o))
  `ASSERT_NEXT(IdleHolds, idle_o && !done_valid_i && !refuse_valid_i, $stable(refused_valid_q) && $stable(refused_q))
  `COVER(RefusalOvertakes, refused_valid_q && due_valid)
endmodule
