// gsu_warp_unit: answers vote, match, redux, elect and activemask for groups that the lane join has completed.
// Votes, elect and activemask need no values and are answered after cfg vote_lat. Redux and match each wait in a queue, until the rest of their latency is the
// time that the engine needs. So the queues hold groups and not results. If the engine is busy at that time, the answer is later.
// Rules: VSYNC-004..007, VOTE-002..004, AMASK-002, ELECT-004, ELECT-005 and D-21 (leader is the lowest lane), MATCH-004, MATCH-005, REDUX-005, D-70.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_warp_unit
  import gsu_pkg::*;
  import gsu_op_pkg::*;
  import gsu_join_pkg::*;
  import gsu_warp_pkg::*;
#(
    parameter int unsigned WarpSlots = MaxWarpSlots, /// warp slots of the SM; fewer in proofs
    parameter int unsigned LaneW     = 5,            /// bits of a lane index; fewer in proofs
    parameter int unsigned PerClock  = 16,           /// lanes that the engine takes in a clock
    parameter int unsigned Depth     = 16,           /// pending votes
    parameter int unsigned Queue     = 64,           /// entries of the queue of match and of the queue of redux; 64: one for each warp
    localparam int unsigned SlotW    = $clog2(WarpSlots)
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  cycle_t     now_i,
    input  cfg_t       cfg_i,          // changes only while idle_o
    input  logic       opnd_valid_i,
    output logic       opnd_ready_o,
    input  opnd_beat_t opnd_i,
    output logic       opnd_full_o,    // all values of the next request have come
    input  logic       take_i,         // pulse: the next request has been taken
    input  logic [SlotW-1:0] take_slot_i,  // its warp slot
    input  mask_t      take_lanes_i,   // its lanes
    input  logic       take_bcast_i,   // beat 0 holds the value of all its lanes
    output logic [2:0] grp_space_o,    // from flops: space for a group of match [2], of redux [1], of another operation [0]
    input  logic       grp_push_i,     // pulse, only with space: a group is complete; its values have come by the end of this clock
    input  warp_grp_t  grp_i,
    output logic       rsp_valid_o,
    input  logic       rsp_ready_i,
    output sync_rsp_t  rsp_o,
    output logic       idle_o,
    output cycle_t     next_event_o
);
  // Clocks from a group's turn at the engine to its first answer.
  localparam int unsigned Work = (1 << LaneW) / PerClock + 1;

  ////// Queues of votes, redux and match //////
  typedef enum logic [1:0] {
    QVote  = 2'd0,
    QRedux = 2'd1,
    QMatch = 2'd2
  } queue_e;
  queue_e      kind;
  logic [2:0]  space, valid, ready, empty;
  warp_grp_t   vote, redux, match;
  cycle_t      vote_next, redux_next, match_next;
  logic [15:0] latency, rest;
  logic minmax;
  always_comb begin
    kind = QVote;
    {minmax, latency, rest} = '0;
    if (grp_push_i || Eager) begin
      kind    = grp_i.op == OpRedux ? QRedux : has_values(grp_i.op) ? QMatch : QVote;
      minmax  = redux_is_min(grp_i.kind[3:0]) || redux_is_max(grp_i.kind[3:0]);
      latency = kind == QMatch ? cfg_i.match_lat : minmax ? cfg_i.redux_minmax_lat : cfg_i.redux_lat;
      rest    = latency > 16'(Work) ? latency - 16'(Work) : '0;
    end
  end
  assign grp_space_o = space;
  gsu_delay #(.Width($bits(warp_grp_t)), .Depth(Depth)) u_votes (
      .clk_i, .rst_ni, .now_i,
      .push_i(grp_push_i && kind == QVote), .space_o(space[QVote]), .data_i(grp_i), .due_i(now_i + cycle_t'(cfg_i.vote_lat)),
      .valid_o(valid[QVote]), .ready_i(ready[QVote]), .data_o(vote), .empty_o(empty[QVote]), .next_o(vote_next)
  );
  gsu_delay #(.Width($bits(warp_grp_t)), .Depth(Queue)) u_redux (
      .clk_i, .rst_ni, .now_i,
      .push_i(grp_push_i && kind == QRedux), .space_o(space[QRedux]), .data_i(grp_i), .due_i(now_i + cycle_t'(rest)),
      .valid_o(valid[QRedux]), .ready_i(ready[QRedux]), .data_o(redux), .empty_o(empty[QRedux]), .next_o(redux_next)
  );
  gsu_delay #(.Width($bits(warp_grp_t)), .Depth(Queue)) u_match (
      .clk_i, .rst_ni, .now_i,
      .push_i(grp_push_i && kind == QMatch), .space_o(space[QMatch]), .data_i(grp_i), .due_i(now_i + cycle_t'(rest)),
      .valid_o(valid[QMatch]), .ready_i(ready[QMatch]), .data_o(match), .empty_o(empty[QMatch]), .next_o(match_next)
  );

  ////// Values and engine: redux and match in turn //////
  logic read, eng_ready, eng_rsp_valid, eng_rsp_ready, eng_idle, take_match, match_turn_q;
  warp_grp_t next;
  logic [LaneW-1:0] lead, first;
  logic [63:0] lead_value;
  logic [PerClock-1:0][63:0] values;
  sync_rsp_t eng_rsp;
  assign take_match    = valid[QMatch] && (match_turn_q || !valid[QRedux]);
  assign ready[QMatch] = eng_ready && take_match;
  assign ready[QRedux] = eng_ready && !take_match;
  assign next          = take_match ? match : redux;
  gsu_warp_operands #(.WarpSlots(WarpSlots), .LaneW(LaneW), .Ports(PerClock)) u_values (
      .clk_i, .rst_ni, .opnd_valid_i, .opnd_ready_o, .opnd_i, .full_o(opnd_full_o),
      .take_i, .take_slot_i, .take_lanes_i, .take_bcast_i,
      .fetch_i(eng_ready && (valid[QRedux] || valid[QMatch])), .slot_i(next.slot[SlotW-1:0]), .read_i(read),
      .lead_i(lead), .lead_o(lead_value), .first_i(first), .values_o(values)
  );
  gsu_warp_engine #(.LaneW(LaneW), .PerClock(PerClock)) u_engine (
      .clk_i, .rst_ni,
      .grp_valid_i(valid[QRedux] || valid[QMatch]), .grp_ready_o(eng_ready), .grp_i(next),
      .read_o(read), .lead_o(lead), .lead_i(lead_value), .first_o(first), .values_i(values),
      .rsp_valid_o(eng_rsp_valid), .rsp_ready_i(eng_rsp_ready), .rsp_o(eng_rsp), .idle_o(eng_idle)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) match_turn_q <= 1'b0;
    else if (eng_ready && (valid[QRedux] || valid[QMatch])) match_turn_q <= !take_match;
  end

  ////// Answers: votes and engine in turn; an offered answer stays until it is taken //////
  sync_rsp_t vote_rsp;
  logic turn_q, turn;  // 1: it is the engine's turn
  always_comb begin
    vote_rsp = '0;
    if (valid[QVote]) begin
      vote_rsp.cta   = vote.cta;
      vote_rsp.warp  = vote.warp;
      vote_rsp.tag   = vote.tag;
      vote_rsp.last  = 1'b1;
      vote_rsp.cause = CauseDone;
      vote_rsp.lanes = vote.lanes;
      case (vote.op)
        OpElect: begin
          vote_rsp.value[4:0] = lowest(vote.lanes);
          vote_rsp.pred       = vote.lanes & (~vote.lanes + 32'd1);
        end
        OpActiveMask: vote_rsp.value[31:0] = vote.lanes;
        default: begin
          if (vote.kind == 8'(VoteBallot)) vote_rsp.value[31:0] = vote.pred;
          if (vote_result(vote.kind, vote.pred, vote.lanes)) vote_rsp.pred = vote.lanes;
        end
      endcase
    end
  end
  assign turn          = (turn_q ? eng_rsp_valid : valid[QVote]) ? turn_q : !turn_q;
  assign rsp_valid_o   = eng_rsp_valid || valid[QVote];
  assign rsp_o         = turn ? eng_rsp : vote_rsp;
  assign eng_rsp_ready = rsp_ready_i && turn;
  assign ready[QVote]  = rsp_ready_i && !turn;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_q <= 1'b0;
    else if (rsp_valid_o) turn_q <= rsp_ready_i ? !turn : turn;
  end

  ////// Idle //////
  assign idle_o = eng_idle && valid == '0 && !grp_push_i;
  always_comb begin
    next_event_o = earlier(earlier(vote_next, redux_next), match_next);
  end
  logic unused;
  assign unused = &{1'b0, empty, next};

  `REQUIRE(PushHasSpace, !grp_push_i || space[kind])
  `REQUIRE(KnownOperation, !grp_push_i || op_answers(grp_i.op))
  `REQUIRE(KnownKind, !grp_push_i || (grp_i.op == OpRedux ? grp_i.kind[3:0] <= 4'(ReduxMaxF) :
                                      !(grp_i.op inside {OpVote, OpVoteSync}) || grp_i.kind <= 8'(VoteBallot)))
  `REQUIRE(SomeLane, !grp_push_i || grp_i.lanes != '0)
  `REQUIRE(PredicatesOfLanes, !grp_push_i || (grp_i.pred & ~grp_i.lanes) == '0)
  `ASSERT(AnswerNamesLanes, !rsp_valid_o || rsp_o.lanes != '0)
  `ASSERT(ResultsOfLanes, !rsp_valid_o || (rsp_o.pred & ~rsp_o.lanes) == '0)
  `ASSERT_NEXT(AnswerHolds, rsp_valid_o && !rsp_ready_i, rsp_valid_o && $stable(rsp_o))
  `ASSERT_NEXT(IdleHolds, idle_o && !grp_push_i && valid == '0, $stable(turn_q) && $stable(match_turn_q) && eng_idle)
  `COVER(BothOffer, eng_rsp_valid && valid[QVote])
  `COVER(MatchAndRedux, valid[QMatch] && valid[QRedux])
endmodule
