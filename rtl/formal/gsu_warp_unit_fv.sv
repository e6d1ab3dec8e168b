// prove: name=answers engine=bmc depth=9 flat=1 files=gsu_join_pkg,gsu_warp_pkg,gsu_delay,gsu_warp_values,gsu_warp_engine,gsu_warp_unit skip=IdleHolds limit=600
// Harness of gsu_warp_unit as a whole, from the operands and the group to the answer: two warp slots of four lanes, two lanes a clock, queues of two.
// Every lane of a group is answered once, with its group's tag and with the value that the group's lanes give, their own operands and not those of other lanes, warps or
// requests; nothing is lost while answers are held up; as long as they are taken the unit is never silent for long. One symbolic lane is followed, other lanes
// need only wait. Time stands: latencies are the queues' business (gsu_delay). Bounded: 9 clocks from reset,
// in which a sum, two sets of match.any and votes beside them are answered.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_warp_unit_fv
  import gsu_pkg::*;
  import gsu_join_pkg::*;
  import gsu_warp_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
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
  logic opnd_ready_o, opnd_full_o, grp_space_o, grp_push_i, rsp_valid_o, idle_o;
  sync_rsp_t rsp_o;
  cycle_t next_event_o, now_i;
  cfg_t cfg_i;
  assign now_i      = '0;
  assign cfg_i      = '0;
  assign grp_push_i = any_push_i && grp_space_o;
  gsu_warp_unit #(.WarpSlots(2), .LaneW(2), .PerClock(2), .Depth(2), .Queue(2)) dut (.*);
  `FV_RESET
  logic slot_q;
  logic [1:0] lane_q;
  always_ff @(posedge clk_i) begin
    if (!fv_started_q) {slot_q, lane_q} <= {who_slot_i, who_lane_i};
  end

  ////// What the warps do: operands of some lanes, then a group of lanes that have come //////
  logic [1:0][3:0] came_q, waits_q;  // lanes with operands and without a group | lanes of a group that are not answered
  logic [3:0] beats_q;               // lanes whose operand the next request has
  logic [3:0][63:0] next_q;
  logic [1:0][3:0][63:0] value_q;    // as each lane's own last request brought it
  logic gives, beat, answer;
  logic [3:0] took, pushed;
  assign beat   = opnd_valid_i && opnd_ready_o;
  assign gives  = grp_push_i && has_values(grp_i.op);
  assign took   = take_i ? take_lanes_i[3:0] : '0;
  assign pushed = grp_push_i ? grp_i.lanes[3:0] : '0;
  assign answer = rsp_valid_o && rsp_ready_i;
  for (genvar s = 0; s < 2; s++) begin : gen_slot
    logic [3:0] coming, going;
    assign coming = took & {4{take_slot_i == 1'(s)}};
    assign going  = pushed & {4{grp_i.slot[0] == 1'(s)}};
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        came_q[s]  <= '0;
        waits_q[s] <= '0;
      end else begin
        came_q[s]  <= (came_q[s] | coming) & ~going;
        waits_q[s] <= (waits_q[s] & ~(answer && rsp_o.warp[0] == 1'(s) ? rsp_o.lanes[3:0] : 4'd0)) | going;
      end
    end
    always_ff @(posedge clk_i) begin
      for (int i = 0; i < 4; i++) if (coming[i]) value_q[s][i] <= take_bcast_i ? next_q[0] : next_q[i];
    end
    `ASSUME(OneRequestALane, (coming & (came_q[s] | waits_q[s])) == '0 && (going & waits_q[s]) == '0)
    `ASSUME(LanesHaveCome, (going & (gives ? ~(came_q[s] | coming) : came_q[s] | coming)) == '0)
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beats_q <= '0;
    else beats_q <= take_i ? '0 : beat ? beats_q | opnd_i.mask : beats_q;
  end
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < 4; i++) if (beat && opnd_i.mask[i]) next_q[i] <= opnd_i.lane[i].data;
  end
  `ASSUME(ResetOnce, !fv_started_q || rst_ni)
  `ASSUME(FewTags, grp_i.tag < 12'd4)
  `ASSUME(LanesOfAWarp, opnd_i.quad == '0 && !opnd_i.half && take_lanes_i[31:4] == '0 && grp_i.lanes[31:4] == '0)
  `ASSUME(SomeLaneTaken, !take_i || (opnd_full_o && took != '0))
  `ASSUME(BeatsNameTheirLanes, !take_i || (take_bcast_i ? beats_q[0] : (took & ~beats_q) == '0))
  // Four bits of an operand stand for all; which bits an operation looks at is shown in gsu_warp and gsu_warp_engine.
  for (genvar i = 0; i < 4; i++) begin : gen_operand
    `ASSUME(FewBits, (opnd_i.lane[i].data & ~64'h1_0000_0007) == '0)
  end
  `ASSUME(Names, grp_i.cta == '0 && grp_i.warp == grp_i.slot[4:0] && grp_i.slot < 6'd2)
  `ASSUME(Kinds, !gives || grp_i.kind <= (grp_i.op == OpRedux ? 8'(ReduxMaxU) : 8'(MatchB64)))
  `ASSUME(NoSign, !gives || !(grp_i.op == OpRedux && grp_i.kind inside {8'(ReduxMinS), 8'(ReduxMaxS)}))

  ////// The group of the lane that is followed //////
  logic mine_q, joins, mine;  // it waits | joins one now | is answered now
  warp_grp_t grp_q;
  logic [3:0] left_q;         // lanes of its group that are not answered
  logic [3:0][63:0] of_q;     // operands of its group
  assign joins = pushed[lane_q] && grp_i.slot[0] == slot_q;
  assign mine  = answer && rsp_o.warp[0] == slot_q && rsp_o.lanes[lane_q];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mine_q <= 1'b0;
      left_q <= '0;
      grp_q  <= '0;
    end else begin
      mine_q <= joins || (mine_q && !mine);
      if (joins) {grp_q, left_q} <= {grp_i, grp_i.lanes[3:0]};
      else if (answer && rsp_o.tag == grp_q.tag && rsp_o.warp[0] == slot_q) left_q <= left_q & ~rsp_o.lanes[3:0];
    end
  end
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < 4; i++) if (joins) of_q[i] <= take_i && take_slot_i == slot_q && took[i] ? (take_bcast_i ? next_q[0] : next_q[i]) : value_q[slot_q][i];
  end
  `ASSUME(TagIsFree, !(grp_push_i && left_q != '0) || grp_i.tag != grp_q.tag)

  ////// What it must be told //////
  logic [3:0] lanes, yes, equal;
  logic [31:0] sum;
  logic first;
  assign lanes = grp_q.lanes[3:0];
  assign yes   = grp_q.pred[3:0];
  always_comb begin
    first = 1'b1;
    equal = '0;
    sum   = '0;
    for (int i = 0; i < 4; i++) begin
      if (lanes[i]) begin
        equal[i] = grp_q.kind == 8'(MatchB64) ? of_q[i] == of_q[lane_q] : of_q[i][31:0] == of_q[lane_q][31:0];
        case (grp_q.kind)
          8'(ReduxAdd):  sum = sum + of_q[i][31:0];
          8'(ReduxAnd):  sum = first ? of_q[i][31:0] : sum & of_q[i][31:0];
          8'(ReduxOr):   sum = sum | of_q[i][31:0];
          8'(ReduxXor):  sum = sum ^ of_q[i][31:0];
          8'(ReduxMinU): sum = first || of_q[i][31:0] < sum ? of_q[i][31:0] : sum;
          default:       sum = first || of_q[i][31:0] > sum ? of_q[i][31:0] : sum;
        endcase
        first = 1'b0;
      end
    end
  end
  logic [31:0] value;  // of the lane
  logic truth;         // its predicate
  logic [3:0] together;
  always_comb begin
    value    = '0;
    truth    = 1'b0;
    together = lanes;
    case (grp_q.op)
      OpActiveMask: value = 32'(lanes);
      OpElect: begin
        value = lanes[0] ? 32'd0 : lanes[1] ? 32'd1 : lanes[2] ? 32'd2 : 32'd3;
        truth = value == 32'(lane_q);
      end
      OpRedux: value = sum;
      OpMatchAll: {value, truth} = equal == lanes ? {32'(lanes), 1'b1} : '0;
      OpMatchAny: {value, together} = {32'(equal), equal};
      default: begin
        value = grp_q.kind == 8'(VoteBallot) ? 32'(yes) : '0;
        truth = grp_q.kind == 8'(VoteAll) ? yes == lanes : grp_q.kind == 8'(VoteAny) ? yes != '0 : grp_q.kind == 8'(VoteUni) && (yes == '0 || yes == lanes);
      end
    endcase
  end
  logic [2:0] silent_q;  // clocks in which an answer would have been taken, and somebody waits
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) silent_q <= '0;
    else silent_q <= rsp_valid_o || !rsp_ready_i || waits_q == '0 ? '0 : silent_q + 3'd1;
  end

  `ASSERT(OnlyWhoWaits, !answer || (rsp_o.warp < 5'd2 && rsp_o.cta == '0 && rsp_o.lanes != '0 && (rsp_o.lanes & ~32'(waits_q[rsp_o.warp[0]])) == '0))
  `ASSERT(TagOfItsGroup, !mine || (mine_q && rsp_o.tag == grp_q.tag))
  `ASSERT(ValueOfItsGroup, !mine || rsp_o.value == 64'(value))
  `ASSERT(TruthOfItsGroup, !mine || rsp_o.pred[lane_q] == truth)
  `ASSERT(AnsweredTogether, !mine || rsp_o.lanes == 32'(together))
  `ASSERT(LastIsTheLast, !mine || rsp_o.last == (left_q == rsp_o.lanes[3:0]))
  `ASSERT(IdleOwesNothing, !idle_o || waits_q == '0)
  `ASSERT(NeverSilentForLong, silent_q <= 3'd4)
  `COVER(VoteAndSumAtOnce, rsp_valid_o && dut.eng_rsp_valid && dut.valid[0] && !rsp_ready_i)
  `COVER(NextWhileAtWork, take_i && take_slot_i == slot_q && mine_q && grp_q.op == OpRedux)
endmodule
