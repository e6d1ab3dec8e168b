// prove: name=lanes engine=kind depth=2 cover=9 skip=(u_engine[.](Waits|ThirdSet)|u_lane_join[.](Stays|SentAgain|StaysByExit)|u_late[.](TwoWait|StaysWhileItIsNext))$ flat=1 files=gsu_join_pkg,gsu_warp_pkg,gsu_ram,gsu_delay,gsu_clock_gate,gsu_warp_sync_answer,gsu_join_arrivals,gsu_join_late,gsu_lane_join,gsu_warp_operands,gsu_warp_engine,gsu_warp_unit,gsu_join limit=3600
// prove: name=skip engine=skip define=FV_SKIP files=gsu_join_pkg,gsu_warp_pkg,gsu_ram,gsu_delay,gsu_clock_gate,gsu_warp_sync_answer,gsu_join_arrivals,gsu_join_late,gsu_lane_join,gsu_warp_operands,gsu_warp_engine,gsu_warp_unit,gsu_join
// Harness of gsu_join, the lane join with the warp unit, from a lane's request to its answer: two warps of four lanes, queues of two, any requests, operands,
// exits, latencies and times that the executor may present. One symbolic lane is followed. After any history:
//   It leaves the join exactly once. Its group has the same operation, mode and mask, and no live member is missing (exits complete it too).
//   It is answered exactly once: by the warp unit with the value of its group's operands, or by the join (bar.warp.sync, lanes outside their own mask).
//   Arrivals at the barriers have the lanes that came.
// Duties of the join towards the warp unit, which gsu_warp_unit.answers assumes, are proved here. Helper properties that relate the bookkeeping to the flops:
// gsu_lane_join_inv.svh, gsu_warp_unit_inv.svh, and the section on answers here.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_join_fv
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
    input logic req_valid_i,
    input sync_req_t req_i,
    input logic exit_valid_i,
    input logic exit_warp_i,
    input logic [3:0] exit_lanes_i,
    input logic nb_ready_i,
    input logic cb_ready_i,
    input logic [1:0] rsp_ready_i,
    input logic who_slot_i,
    input logic [1:0] who_lane_i
);
  logic opnd_ready_o, opnd_full_o, req_ready_o, exit_ready_o, nb_valid_o, cb_valid_o, tap_valid_o, idle_o;
  logic [1:0] rsp_valid_o;
  logic [4:0] look_cta_o, look_warp_o;
  warp_arr_t nb_o, cb_o;
  sync_rsp_t [1:0] rsp_o;
  tap_t tap_o;
  cycle_t next_event_o;
  mask_t live_q[2];
  gsu_join #(.WarpSlots(2), .PerClock(2), .LaneW(2), .RspDepth(2), .Votes(2), .Queue(2)) dut (
      .clk_i, .rst_ni, .now_i, .cfg_i, .opnd_valid_i, .opnd_ready_o, .opnd_i, .opnd_full_o,
      .req_valid_i, .req_ready_o, .req_i, .exit_valid_i, .exit_ready_o, .exit_cta_i(5'd0), .exit_warp_i({4'd0, exit_warp_i}),
      .look_cta_o, .look_warp_o, .look_slot_i(look_warp_o[0]), .look_live_i(live_q[look_warp_o[0]]), .look_exist_i(32'hf), .look_nwarps_i(6'd2),
      .nb_next_o(), .nb_next_cta_o(), .nb_next_bar_o(), .nb_valid_o, .nb_ready_i, .nb_o, .cb_valid_o, .cb_ready_i, .cb_o, .rsp_valid_o, .rsp_ready_i, .rsp_o, .tap_valid_o, .tap_o, .idle_o, .next_event_o
  );
  `FV_RESET
`define LJ dut.u_lane_join
`define WU dut.u_warp
  (* keep *) logic fv_skip;
  assign fv_skip = rst_ni && idle_o && now_i < next_event_o && !(opnd_valid_i || req_valid_i || exit_valid_i);

  ////// The executor and the CTA table, as for gsu_lane_join //////
  logic take_exit, pop, out;
  assign take_exit = exit_valid_i && exit_ready_o;
  assign pop       = req_valid_i && req_ready_o;
  assign out       = `LJ.out_nb || `LJ.out_cb || `LJ.out_ws || `LJ.out_wo;
  mask_t wait_q[2];  // lanes whose request was taken and that have not left the join
  mask_t went, came, refused, gone_q;
  assign came    = pop ? req_i.lanes : '0;
  assign went    = out ? `LJ.grp_lanes : '0;
  assign refused = `LJ.refuse && `LJ.refuse_ready && req_valid_i ? `LJ.outside : '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live_q[0] <= 32'hf;
      live_q[1] <= 32'h7;
      wait_q[0] <= '0;
      wait_q[1] <= '0;
      gone_q    <= '0;
    end else begin
      if (take_exit) live_q[exit_warp_i] <= live_q[exit_warp_i] & ~{28'd0, exit_lanes_i};
      gone_q <= pop ? '0 : gone_q | refused;
      wait_q[look_warp_o[0]] <= (wait_q[look_warp_o[0]] | (came & ~refused & ~gone_q)) & ~went;
    end
  end
`ifndef FV_SKIP
  logic slot_q;
  logic [1:0] lane_q;
  always_ff @(posedge clk_i) begin
    if (!fv_started_q) {slot_q, lane_q} <= {who_slot_i, who_lane_i};
  end
  logic [1:0][3:0] coming, going, owed_q;  // ... | lanes that the join itself must answer
  logic beat, takes, bcast, gives;
  assign beat  = opnd_valid_i && opnd_ready_o;
  assign takes = pop && has_values(req_i.op);
  assign bcast = req_i.bcast;
  assign gives = has_values(`WU.grp_i.op);
  for (genvar s = 0; s < 2; s++) begin : gen_slot
    assign coming[s] = takes && req_i.warp[0] == 1'(s) ? req_i.lanes[3:0] & ~`LJ.outside[3:0] : '0;
    assign going[s]  = `LJ.out_wo && look_warp_o[0] == 1'(s) ? `LJ.grp_lanes[3:0] : '0;
  end
`include "gsu_lane_join_inv.svh"
`include "gsu_warp_unit_inv.svh"
  logic [3:0] away;  // lanes of the request's warp that wait for an answer
  assign away = waits_q[req_i.warp[0]] | owed_q[req_i.warp[0]];
  `ASSUME(TimeGoesOn, !now_i[47] && (!$past(rst_ni) || now_i >= $past(now_i)))
  `ASSUME(RequestHolds, !$past(rst_ni) || !$past(req_valid_i && !req_ready_o) || (req_valid_i && $stable(req_i)))
  `ASSUME(ExitHolds, !$past(rst_ni) || !$past(exit_valid_i && !exit_ready_o) || (exit_valid_i && $stable(exit_warp_i) && $stable(exit_lanes_i)))
  `ASSUME(RequestOfTwoWarps, req_i.cta == 0 && req_i.warp < 2 && op_joins(req_i.op))
  `ASSUME(OperandsOfAByte, req_i.arg0 < 256 && req_i.arg1 < 256)  // wider operands are compared in the same way
  `ASSUME(KnownKind, req_i.op == OpRedux ? req_i.kind[3:0] <= 4'(ReduxMaxF) : !(req_i.op inside {OpVote, OpVoteSync}) || req_i.kind <= 8'(VoteBallot))
  // Waiting lanes present no request and do not exit; lanes that were just refused are answered while the rest of their request continues.
  `ASSUME(RequestLanesFree, !req_valid_i || (req_i.lanes != 0 && (req_i.lanes & ~(live_q[req_i.warp[0]] & ~wait_q[req_i.warp[0]])) == 0
          && (req_i.lanes[3:0] & ~gone_q[3:0] & away) == '0))
  `ASSUME(ExitLanesFree, !exit_valid_i || (exit_lanes_i != 0 && (exit_lanes_i & ~(live_q[exit_warp_i][3:0] & ~wait_q[exit_warp_i][3:0])) == 0
          && (exit_lanes_i & (waits_q[exit_warp_i] | owed_q[exit_warp_i])) == '0))
  `ASSUME(ExitNotOfRequest, !(exit_valid_i && req_valid_i && req_i.warp[0] == exit_warp_i) || (exit_lanes_i & req_i.lanes[3:0]) == 0)
  `ASSUME(LanesOfAWarp, opnd_i.quad == '0 && !opnd_i.half)
  `ASSUME(BeatsNameTheirLanes, !(req_valid_i && has_values(req_i.op)) || (req_i.bcast ? beats_q[0] : (req_i.lanes[3:0] & ~beats_q) == '0))

  ////// Assumptions of the warp unit's harness, proved here //////
  for (genvar s = 0; s < 2; s++) begin : gen_env
    logic [3:0] with_value;
    assign with_value = (valid[s][0] && has_values(fold_op(`LJ.u_fold.mem_q[4*s])) ? `LJ.u_lanes.mem_q[4*s][3:0] : '0) | (valid[s][1] && has_values(fold_op(`LJ.u_fold.mem_q[4*s+1])) ? `LJ.u_lanes.mem_q[4*s+1][3:0] : '0) |
                        (valid[s][2] && has_values(fold_op(`LJ.u_fold.mem_q[4*s+2])) ? `LJ.u_lanes.mem_q[4*s+2][3:0] : '0) | (valid[s][3] && has_values(fold_op(`LJ.u_fold.mem_q[4*s+3])) ? `LJ.u_lanes.mem_q[4*s+3][3:0] : '0);
    `ASSERT(ValuesOfWhoWaits, came_q[s] == with_value)
    `ASSERT(OneRequestALane, (coming[s] & (came_q[s] | waits_q[s])) == '0 && (going[s] & waits_q[s]) == '0)
    `ASSERT(LanesHaveCome, (going[s] & (gives ? ~(came_q[s] | coming[s]) : came_q[s] | coming[s])) == '0)
    `ASSERT(WaitsInOnePlace, (wait_q[s][3:0] & (waits_q[s] | owed_q[s])) == '0 && (waits_q[s] & owed_q[s]) == '0)
    `ASSERT(WhoWaitsLives, ((waits_q[s] | owed_q[s]) & ~live_q[s][3:0]) == '0)
    for (genvar h = 0; h < 4; h++) begin : gen_group
      localparam int unsigned I = 4 * s + h;
      `ASSERT(KnownGroups, !valid[s][h] || form(fold_op(`LJ.u_fold.mem_q[I])) != 3'd4 || (fold_op(`LJ.u_fold.mem_q[I]) == OpRedux ? `LJ.u_arg1.mem_q[I][3:0] <= 4'(ReduxMaxF)
              : !(fold_op(`LJ.u_fold.mem_q[I]) inside {OpVote, OpVoteSync}) || `LJ.u_arg1.mem_q[I][7:0] <= 8'(VoteBallot)))
      `ASSERT(GroupsAreOfForms, !valid[s][h] || op_joins(fold_op(`LJ.u_fold.mem_q[I])))
    end
  end
  `ASSERT(RefusedWaitForNothing, !req_valid_i || (gone_q[3:0] & waits_q[req_i.warp[0]]) == '0)
  `ASSERT(GroupIsOfItsWarp, !`WU.grp_push_i || (`WU.grp_i.cta == '0 && `WU.grp_i.warp == `WU.grp_i.slot[4:0] && `WU.grp_i.slot < 6'd2 && `WU.grp_i.lanes[31:4] == '0))
  `ASSERT(SomeLaneTaken, !`WU.take_i || (opnd_full_o && `WU.take_lanes_i != '0 && `WU.take_lanes_i[31:4] == '0))

  ////// The request of the followed lane //////
  typedef struct packed {
    op_e         op;
    logic [31:0] arg0;  // mask, barrier
    logic [31:0] arg1;  // kind, count
    logic        yes;
  } asked_t;
  logic asks, leaves;
  asked_t asked_q, asked;
  assign asks   = pop && req_i.warp[0] == slot_q && req_i.lanes[lane_q] && !`LJ.outside[lane_q];
  assign leaves = out && look_warp_o[0] == slot_q && `LJ.grp_lanes[lane_q];
  always_comb begin
    asked = asked_q;
    if (asks) begin
      asked.op   = req_i.op;
      asked.arg0 = is_legacy(req_i.op) ? req_i.lanes : op_cluster(req_i.op) ? '0 : req_i.arg0;
      asked.arg1 = form(req_i.op) == 3'd0 ? req_i.arg1 : form(req_i.op) == 3'd4 && req_i.op != OpElect ? {24'd0, req_i.kind} : '0;
      asked.yes  = req_i.pred[lane_q];
    end
  end
  always_ff @(posedge clk_i) asked_q <= asked;
  function automatic logic same_request(op_e op, logic [31:0] arg0, logic [31:0] arg1, asked_t a);
    return alike(op, a.op) && arg0 == a.arg0 && (form(op) != 3'd4 || arg1 == a.arg1) && (form(op) != 3'd0 || eff(arg1) == eff(a.arg1));
  endfunction
  for (genvar h = 0; h < 4; h++) begin : gen_mine
    logic in_it;
    assign in_it = slot_q ? valid[1][h] && `LJ.u_lanes.mem_q[4+h][lane_q] : valid[0][h] && `LJ.u_lanes.mem_q[h][lane_q];
    `ASSERT(GroupOfMyRequest, !in_it || (slot_q ? same_request(fold_op(`LJ.u_fold.mem_q[4+h]), `LJ.u_arg0.mem_q[4+h], `LJ.u_arg1.mem_q[4+h], asked_q)
            && (form(asked_q.op) != 3'd4 || `LJ.u_waits.mem_q[4+h][lane_q] == asked_q.yes) : same_request(fold_op(`LJ.u_fold.mem_q[h]), `LJ.u_arg0.mem_q[h], `LJ.u_arg1.mem_q[h], asked_q)
            && (form(asked_q.op) != 3'd4 || `LJ.u_waits.mem_q[h][lane_q] == asked_q.yes)))
  end
  mask_t lives;
  assign lives = live_q[look_warp_o[0]];
  logic meets;     // bar.warp.sync and warp operations: lanes of a mask
  assign meets = form(`LJ.grp_fold.op) == 3'd1 || form(`LJ.grp_fold.op) == 3'd4;
  `ASSERT(LeavesOnce, !leaves || asks || wait_q[slot_q][lane_q])
  `ASSERT(LeavesAsItAsked, !leaves || same_request(`LJ.grp_fold.op, `LJ.grp_arg0, `LJ.grp_arg1, asked))
  `ASSERT(NobodyIsMissing, !(out && meets) || (`LJ.grp_arg0 & lives & ~`LJ.grp_lanes) == '0)
  `ASSERT(NobodyElse, !(out && meets) || (`LJ.grp_lanes & ~(`LJ.grp_arg0 & lives)) == '0)
  `ASSERT(WholeWarps, !(`LJ.out_nb || `LJ.out_cb) || `LJ.grp_lanes == lives || `LJ.illegal || `LJ.diverged)
  `ASSERT(ToTheUnitAsItAsked, !joins || (`WU.grp_i.op == asked.op && `WU.grp_i.kind == asked.arg1[7:0] && `WU.grp_i.pred[lane_q] == asked.yes))
  `ASSERT(ToWhomItBelongs, !leaves || (`LJ.out_wo == (form(asked.op) == 3'd4) && `LJ.out_ws == (form(asked.op) == 3'd1) && `LJ.out_nb == (form(asked.op) == 3'd0) && joins == `LJ.out_wo))
  // Arrivals at the barriers.
  logic nb_mine_q, cb_mine_q;
  asked_t nb_asked_q, cb_asked_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {nb_mine_q, cb_mine_q} <= '0;
    else begin
      nb_mine_q <= (leaves && `LJ.out_nb) || (nb_mine_q && !nb_ready_i);
      cb_mine_q <= (leaves && `LJ.out_cb) || (cb_mine_q && !cb_ready_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (leaves && `LJ.out_nb) nb_asked_q <= asked;
    if (leaves && `LJ.out_cb) cb_asked_q <= asked;
  end
  `ASSERT(BarrierHasTheLane, nb_mine_q == (nb_valid_o && nb_o.warp == 5'(slot_q) && nb_o.lanes[lane_q]))
  `ASSERT(ClusterHasTheLane, cb_mine_q == (cb_valid_o && cb_o.warp == 5'(slot_q) && cb_o.lanes[lane_q]))
  `ASSERT(BarrierAsItAsked, !nb_mine_q || same_request(nb_o.op, nb_o.arg0, nb_o.arg1, nb_asked_q))
  `ASSERT(ClusterAsItAsked, !cb_mine_q || same_request(cb_o.op, cb_o.arg0, cb_o.arg1, cb_asked_q))

  ////// Answers of the join itself: bar.warp.sync, and lanes outside their own mask //////
  logic own_answer, own_mine, is_owed, outside_q, owes;
  logic [11:0] own_tag_q;
  logic [1:0][3:0] paid;
  assign own_answer = rsp_valid_o[0] && rsp_ready_i[0];
  assign own_mine   = own_answer && rsp_o[0].warp == 5'(slot_q) && rsp_o[0].lanes[lane_q];
  assign is_owed    = look_warp_o[0] == slot_q && refused[lane_q];
  assign owes       = leaves && `LJ.out_ws;
  for (genvar s = 0; s < 2; s++) begin : gen_owed
    assign paid[s] = own_answer && rsp_o[0].warp == 5'(s) ? rsp_o[0].lanes[3:0] : '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) owed_q[s] <= '0;
      else owed_q[s] <= (owed_q[s] & ~paid[s]) | (look_warp_o[0] == 1'(s) ? refused[3:0] | (`LJ.out_ws ? went[3:0] : '0) : '0);
    end
  end
  always_ff @(posedge clk_i) begin
    if (is_owed || owes) outside_q <= is_owed;
    if (is_owed || owes) own_tag_q <= is_owed ? req_i.tag : `LJ.grp_fold.tag;
  end
  typedef struct packed {
    logic        last;
    logic [4:0]  cta;
    logic [4:0]  warp;
    logic [11:0] tag;
    mask_t       lanes;
  } answer_t;
`define WS `LJ.u_answer
  answer_t [2:0] owing;
  logic [2:0] stands;
  assign owing  = {`WS.refused_q, `WS.u_delay.u_data.mem_q[1], `WS.u_delay.u_data.mem_q[0]};
  assign stands = {`WS.refused_valid_q, `WU_QUEUED(`WS.u_delay, 1), `WU_QUEUED(`WS.u_delay, 0)};
  for (genvar k = 0; k < 3; k++) begin : gen_owing
    `ASSERT(OwingIsSound, !stands[k] || (owing[k].lanes != '0 && owing[k].lanes[31:4] == '0 && owing[k].cta == '0 && owing[k].warp < 5'd2))
    `ASSERT(OwingIsItsOwn, !(stands[k] && owing[k].warp == 5'(slot_q) && owing[k].lanes[lane_q]) || (owing[k].tag == own_tag_q && outside_q == (k == 2)))
  end
  for (genvar s = 0; s < 2; s++) begin : gen_owed_place
    for (genvar i = 0; i < 4; i++) begin : gen_lane
      logic [2:0] places;
      for (genvar k = 0; k < 3; k++) begin : gen_at
        assign places[k] = stands[k] && owing[k].warp == 5'(s) && owing[k].lanes[i];
      end
      `ASSERT(OwedOnce, owed_q[s][i] ? $onehot(places) : places == '0)
    end
  end
  `ASSERT(OnlyWhoIsOwed, !own_answer || (rsp_o[0].warp < 5'd2 && rsp_o[0].lanes != '0 && (rsp_o[0].lanes & ~32'(owed_q[rsp_o[0].warp[0]])) == '0))
  `ASSERT(ToldAsItWas, !own_mine || (rsp_o[0].tag == own_tag_q && rsp_o[0].cause == (outside_q ? CauseRefused : CauseDone)))
  `ASSERT(RefusedOnlyOutside, !is_owed || (form(req_i.op) inside {3'd1, 3'd4} && !req_i.arg0[lane_q] && !is_legacy(req_i.op)))

  ////// Idle //////
  cycle_t [7:0] due;
  assign due = {`WS.u_delay.u_due.mem_q[1], `WS.u_delay.u_due.mem_q[0], `WU.u_match.u_due.mem_q[1], `WU.u_match.u_due.mem_q[0], `WU.u_redux.u_due.mem_q[1], `WU.u_redux.u_due.mem_q[0],
                `WU.u_votes.u_due.mem_q[1], `WU.u_votes.u_due.mem_q[0]};
  for (genvar k = 0; k < 8; k++) begin : gen_due
    `ASSERT(DueIsNear, !(k < 6 ? there[k] : stands[k-6]) || due[k] < 48'h8000_0001_0000)
  end
  `ASSERT(IdleOwesLater, !idle_o || (waits_q | owed_q) == '0 || (next_event_o > now_i && next_event_o != '1))

  ////// Every way of a lane through the join and the unit //////
  logic by_exit_q;  // an exit completed the group of the lane
  always_ff @(posedge clk_i) if (leaves) by_exit_q <= `LJ.state_q == 2'd2;
  for (genvar k = 0; k < 7; k++) begin : gen_op
    localparam logic [6:0] Op = 7'(OpVote) + 7'(k);
    `COVER(Answered, mine && grp_q.op == op_e'(Op) && $countones(lanes) > 1)
  end
  `COVER(MetSeparately, joins && !asks && $countones(`WU.grp_i.lanes) == 3)
  `COVER(SumByExit, joins && `LJ.state_q == 2'd2 && `WU.grp_i.op == OpRedux && $countones(`WU.grp_i.lanes) == 2)
  `COVER(OutsideItsMask, own_mine && outside_q && wait_q[slot_q] != '0)
  `COVER(RefusedInPart, is_owed && `LJ.new_lanes != '0 && form(req_i.op) == 3'd4)
  `COVER(OtherModeWaits, asks && form(req_i.op) == 3'd4 && `LJ.state_q == 2'd1 && `LJ.store && valid[slot_q] != '0)
  `COVER(OtherMaskWaits, `LJ.store && `LJ.state_q == 2'd1 && form(req_i.op) == 3'd4 && req_i.op == OpVoteSync && $countones(valid[look_warp_o[0]]) == 2)
  `COVER(SyncAnswered, own_mine && !outside_q)
  `COVER(SyncByExit, own_mine && !outside_q && by_exit_q)
  `COVER(ToBarrier, nb_mine_q && $countones(nb_o.lanes) > 1)
  `COVER(ToCluster, cb_mine_q && $countones(cb_o.lanes) > 1)
  `COVER(BothAnswer, own_answer && answer)
`endif
endmodule
