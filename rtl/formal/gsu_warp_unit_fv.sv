// prove: name=answers engine=kind depth=2 cover=13 flat=1 files=gsu_join_pkg,gsu_warp_pkg,gsu_ram,gsu_delay,gsu_warp_operands,gsu_warp_engine,gsu_warp_unit limit=900
// prove: name=skip engine=skip define=FV_SKIP files=gsu_join_pkg,gsu_warp_pkg,gsu_ram,gsu_delay,gsu_warp_operands,gsu_warp_engine,gsu_warp_unit
// Harness of gsu_warp_unit as a whole, from the operands and the group to the answer: two warp slots of four lanes, two lanes a clock, queues of two, any
// latencies and times, all operations, modes and values. After any history every lane of a group is answered once, with its group's tag and with the value of
// its group's own operands, not of those of other lanes, warps or requests. Nothing is lost while answers are held up. A due group is answered within three
// clocks without another answer. One symbolic lane is followed. Helper properties about the flops: gsu_warp_unit_inv.svh.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_warp_unit_fv
  import gsu_pkg::*;
  import gsu_op_pkg::*;
  import gsu_join_pkg::*;
  import gsu_warp_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cycle_t now_i,
    input cfg_t cfg_i,
    input logic opnd_valid_i,
    input opnd_beat_t opnd_i,
    input logic take_i,
    input logic take_slot_i,
    input mask_t take_lanes_i,
    input logic take_bcast_i,
    input logic any_push_i,
    input warp_grp_t grp_i,
    input logic rsp_ready_i,
    input logic who_slot_i,
    input logic [1:0] who_lane_i
);
  logic opnd_ready_o, opnd_full_o, grp_push_i, rsp_valid_o, idle_o;
  logic [2:0] grp_space_o;
  sync_rsp_t rsp_o;
  cycle_t next_event_o;
  assign grp_push_i = any_push_i && (grp_i.op == OpRedux ? grp_space_o[1] : has_values(grp_i.op) ? grp_space_o[2] : grp_space_o[0]);
  gsu_warp_unit #(.WarpSlots(2), .LaneW(2), .PerClock(2), .Depth(2), .Queue(2)) dut (.*);
  `FV_RESET
  (* keep *) logic fv_skip;
  assign fv_skip = rst_ni && idle_o && now_i < next_event_o && !(opnd_valid_i || take_i || grp_push_i);
  `ASSUME(TimeGoesOn, !now_i[47] && (!$past(rst_ni) || now_i >= $past(now_i)))

`ifndef FV_SKIP
  logic slot_q;
  logic [1:0] lane_q;
  always_ff @(posedge clk_i) begin
    if (!fv_started_q) {slot_q, lane_q} <= {who_slot_i, who_lane_i};
  end

  ////// The warps: operands of some lanes, then a group of lanes that have come //////
  logic [1:0][3:0] coming, going;
  logic beat, takes, bcast, gives;
  assign beat  = opnd_valid_i && opnd_ready_o;
  assign takes = take_i;
  assign bcast = take_bcast_i;
  assign gives = grp_push_i && has_values(grp_i.op);
  for (genvar s = 0; s < 2; s++) begin : gen_slot
    assign coming[s] = take_i && take_slot_i == 1'(s) ? take_lanes_i[3:0] : '0;
    assign going[s]  = grp_push_i && grp_i.slot[0] == 1'(s) ? grp_i.lanes[3:0] : '0;
  end
`define WU dut
`include "gsu_warp_unit_inv.svh"
  for (genvar s = 0; s < 2; s++) begin : gen_env
    `ASSUME(OneRequestALane, (coming[s] & (came_q[s] | waits_q[s])) == '0 && (going[s] & waits_q[s]) == '0)
    `ASSUME(LanesHaveCome, (going[s] & (gives ? ~(came_q[s] | coming[s]) : came_q[s] | coming[s])) == '0)
  end
  `ASSUME(LanesOfAWarp, opnd_i.quad == '0 && !opnd_i.half && take_lanes_i[31:4] == '0 && grp_i.lanes[31:4] == '0)
  `ASSUME(SomeLaneTaken, !take_i || (opnd_full_o && take_lanes_i != '0))
  `ASSUME(BeatsNameTheirLanes, !take_i || (take_bcast_i ? beats_q[0] : (take_lanes_i[3:0] & ~beats_q) == '0))
  `ASSUME(Names, grp_i.cta == '0 && grp_i.warp == grp_i.slot[4:0] && grp_i.slot < 6'd2)

  ////// In time //////
  cycle_t [5:0] due;
  assign due = {dut.u_match.u_due.mem_q[1], dut.u_match.u_due.mem_q[0], dut.u_redux.u_due.mem_q[1], dut.u_redux.u_due.mem_q[0], dut.u_votes.u_due.mem_q[1], dut.u_votes.u_due.mem_q[0]};
  for (genvar k = 0; k < 6; k++) begin : gen_due
    `ASSERT(DueIsNear, !there[k] || due[k] < 48'h8000_0001_0000)
  end
  logic [2:0] silent_q;  // clocks that a due group has waited while nothing was offered
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) silent_q <= '0;
    else silent_q <= rsp_valid_o || !(there[6] || dut.valid != '0) ? '0 : silent_q + 3'd1;
  end
  `ASSERT(NeverSilentForLong, silent_q <= (dut.u_engine.busy_q ? 3'd1 + 3'(block) : 3'd0) || (rsp_valid_o && silent_q <= 3'd3))
  `ASSERT(IdleOwesLater, !idle_o || waits_q == '0 || (next_event_o > now_i && next_event_o != '1))
  `ASSERT_NEXT(EngineInItsTurn, dut.eng_rsp_valid && answer && !dut.eng_rsp_ready, dut.eng_rsp_ready || !rsp_ready_i)
  `ASSERT_NEXT(VotesInTheirTurn, dut.valid[0] && answer && dut.eng_rsp_ready, !dut.eng_rsp_ready)

  ////// Every operation and mode is answered; sets, both answers at once //////
  for (genvar k = 0; k < 4; k++) begin : gen_vote
    `COVER(VoteTrueAnswered, mine && grp_q.op == OpVoteSync && grp_q.kind == 8'(k) && (k == VoteBallot ? value == 32'h5 : truth && lanes == 4'h7))
    `COVER(VoteFalseAnswered, mine && grp_q.op == OpVote && grp_q.kind == 8'(k) && (k == VoteBallot ? value == 32'h0 : !truth && lanes == 4'he))
  end
  for (genvar k = 0; k < 10; k++) begin : gen_redux
    `COVER(ReduxAnswered, mine && grp_q.op == OpRedux && grp_q.kind[3:0] == 4'(k) && lanes == 4'hd && value != '0 && value != of_q[0][31:0])
  end
  `COVER(NanOfMax, mine && grp_q.op == OpRedux && grp_q.kind == 8'(ReduxMaxF | ReduxNan | ReduxAbs) && value == CanonicalNan && $countones(lanes) > 2)
  `COVER(ActiveMaskAnswered, mine && grp_q.op == OpActiveMask && $countones(lanes) == 3)
  `COVER(ElectedAnswered, mine && grp_q.op == OpElect && truth && lane_q == 2'd2)
  `COVER(NotElectedAnswered, mine && grp_q.op == OpElect && !truth)
  `COVER(MatchAllTrue, mine && grp_q.op == OpMatchAll && truth && lanes == 4'hf)
  `COVER(MatchAllFalse, mine && grp_q.op == OpMatchAll && !truth && lanes == 4'hf)
  `COVER(MatchInTheLowHalfOnly, mine && grp_q.op == OpMatchAny && grp_q.kind == 8'(MatchB64) && lanes == 4'h3 && equal != lanes && of_q[0][31:0] == of_q[1][31:0])
  `COVER(ThirdSet, mine && grp_q.op == OpMatchAny && `WU.rsp_o.last && $countones(lanes) == 3 && together == 4'h8)
  `COVER(VoteAndSumAtOnce, rsp_valid_o && dut.eng_rsp_valid && dut.valid[0] && !rsp_ready_i)
  `COVER(NextWhileAtWork, take_i && take_slot_i == slot_q && mine_q && grp_q.op == OpRedux)
`endif
endmodule
