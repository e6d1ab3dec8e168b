// Invariants of gsu_warp_unit (two warp slots of four lanes, two lanes a clock, queues of two) and of one symbolic lane {slot_q, lane_q}. Included in a harness
// that defines WU as the unit's path and has clk_i, rst_ni, slot_q, lane_q, and
//   beat  a beat of operands is taken     takes, bcast  the request of these operands is taken; its first operand is that of all lanes
//   coming, going  lanes of {slot} whose request with a value is taken | whose group is pushed A lane that was taken with a value waits for its group (came_q),
//   a lane of a group for its answer (waits_q). Each waiting lane is in exactly one place: an entry of a queue, the lanes that the engine has still to do, or
//   the offered answer. The harness records the group of the followed lane and the values of its lanes as they came, and compares the unit's answer with their
//   result.
`ifndef GSU_WARP_UNIT_INV_SVH
`define GSU_WARP_UNIT_INV_SVH
`define WU_QUEUED(queue, k) (queue.count_q == 2'd2 || (queue.count_q == 2'd1 && queue.rptr_q == 1'(k)))
`endif
  logic [1:0][3:0] came_q, waits_q;
  logic [3:0] beats_q;             // lanes whose operand the next request has
  logic [3:0][63:0] next_q;
  logic [3:0][63:0] value_q;       // of lanes of the followed slot, as their last request brought it
  logic [1:0][3:0] answered;
  logic answer;
  assign answer = `WU.rsp_valid_o && `WU.rsp_ready_i;
  for (genvar s = 0; s < 2; s++) begin : gen_wu_slot
    assign answered[s] = answer && `WU.rsp_o.warp == 5'(s) ? `WU.rsp_o.lanes[3:0] : '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        came_q[s]  <= '0;
        waits_q[s] <= '0;
      end else begin
        came_q[s]  <= (came_q[s] | coming[s]) & ~going[s];
        waits_q[s] <= (waits_q[s] & ~answered[s]) | going[s];
      end
    end
  end
  function automatic logic [63:0] brought(int i);
    return bcast ? next_q[0] : next_q[i];
  endfunction
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beats_q <= '0;
    else beats_q <= takes ? '0 : beat ? beats_q | `WU.opnd_i.mask : beats_q;
  end
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < 4; i++) begin
      if (beat && `WU.opnd_i.mask[i]) next_q[i] <= `WU.opnd_i.lane[i].data;
      if (coming[slot_q][i]) value_q[i] <= brought(i);
    end
  end

  ////// The group of the followed lane //////
  logic mine_q, joins, mine;       // the followed lane waits | its group is pushed | it is answered
  warp_grp_t grp_q;
  logic [3:0] left_q;              // unanswered lanes of that group
  logic [3:0][63:0] of_q;          // values of that group's lanes
  assign joins = going[slot_q][lane_q];
  assign mine  = answered[slot_q][lane_q];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mine_q <= 1'b0;
      left_q <= '0;
      grp_q  <= '0;
    end else begin
      mine_q <= joins || (mine_q && !mine);
      left_q <= joins ? going[slot_q] : left_q & ~answered[slot_q];
      if (joins) grp_q <= `WU.grp_i;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < 4; i++) if (joins) of_q[i] <= coming[slot_q][i] ? brought(i) : value_q[i];
  end

  ////// The answer that the lane must get //////
  logic [3:0] lanes, yes, equal;
  assign lanes = grp_q.lanes[3:0];
  assign yes   = grp_q.pred[3:0];
  function automatic logic same_value(logic wide, logic [63:0] a, logic [63:0] b);
    return a[31:0] == b[31:0] && (!wide || a[63:32] == b[63:32]);
  endfunction
  for (genvar i = 0; i < 4; i++) begin : gen_wu_equal
    assign equal[i] = lanes[i] && same_value(grp_q.kind == 8'(MatchB64), of_q[i], of_q[lane_q]);
  end
  // The fold of two values is that of gsu_warp_pkg, which gsu_warp.redux compares with the rules. Here: which values are folded, and each once.
  function automatic logic [31:0] key_of(int i);
    return lanes[i] ? redux_key(grp_q.kind, of_q[i][31:0]) : redux_neutral(grp_q.kind[3:0]);
  endfunction
  // In the order of the engine's parts.
  logic [31:0] all_keys;
  assign all_keys = redux_fold(grp_q.kind[3:0], redux_fold(grp_q.kind[3:0], key_of(0), key_of(2)), redux_fold(grp_q.kind[3:0], key_of(1), key_of(3)));
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
      OpRedux: value = redux_value(grp_q.kind[3:0], all_keys);
      OpMatchAll: {value, truth} = equal == lanes ? {32'(lanes), 1'b1} : '0;
      OpMatchAny: {value, together} = {32'(equal), equal};
      default: begin
        value = grp_q.kind == 8'(VoteBallot) ? 32'(yes) : '0;
        truth = grp_q.kind == 8'(VoteAll) ? yes == lanes : grp_q.kind == 8'(VoteAny) ? yes != '0 : grp_q.kind == 8'(VoteUni) && (yes == '0 || yes == lanes);
      end
    endcase
  end

  ////// Places of groups: entries of queues 0 to 5, the engine, the offered answer //////
  logic [7:0] there, slot_of;
  logic [7:0][3:0] lanes_of;
  warp_grp_t [5:0] entry;
  assign entry = {`WU.u_match.u_data.mem_q[1], `WU.u_match.u_data.mem_q[0], `WU.u_redux.u_data.mem_q[1], `WU.u_redux.u_data.mem_q[0], `WU.u_votes.u_data.mem_q[1], `WU.u_votes.u_data.mem_q[0]};
  assign there = {`WU.u_engine.rsp_valid_q, `WU.u_engine.busy_q, `WU_QUEUED(`WU.u_match, 1), `WU_QUEUED(`WU.u_match, 0), `WU_QUEUED(`WU.u_redux, 1),
                  `WU_QUEUED(`WU.u_redux, 0), `WU_QUEUED(`WU.u_votes, 1), `WU_QUEUED(`WU.u_votes, 0)};
  function automatic logic sound(warp_grp_t g);
    return g.lanes != '0 && g.lanes[31:4] == '0 && g.slot < 6'd2 && g.warp == g.slot[4:0] && g.cta == '0 && op_answers(g.op) && (g.pred & ~g.lanes) == '0;
  endfunction
  for (genvar k = 0; k < 6; k++) begin : gen_wu_entry
    assign lanes_of[k] = entry[k].lanes[3:0];
    assign slot_of[k]  = entry[k].slot[0];
    `ASSERT(EntriesAreSound, !there[k] || (sound(entry[k]) && (k < 2 ? !has_values(entry[k].op) : k < 4 ? entry[k].op == OpRedux && entry[k].kind[3:0] <= 4'(ReduxMaxF)
            : entry[k].op == OpMatchAny || entry[k].op == OpMatchAll)))
    `ASSERT(EntryOfTheLane, !(there[k] && slot_of[k] == slot_q && (lanes_of[k] & left_q) != '0) || (entry[k] == grp_q && lanes_of[k] == left_q))
  end
  assign lanes_of[6] = `WU.u_engine.todo_q[3:0];
  assign slot_of[6]  = `WU.u_engine.grp_q.slot[0];
  assign lanes_of[7] = `WU.u_engine.rsp_q.lanes[3:0];
  assign slot_of[7]  = `WU.u_engine.rsp_q.warp[0];
  for (genvar s = 0; s < 2; s++) begin : gen_wu_place
    for (genvar i = 0; i < 4; i++) begin : gen_lane
      logic [7:0] places;
      for (genvar k = 0; k < 8; k++) begin : gen_at
        assign places[k] = there[k] && slot_of[k] == 1'(s) && lanes_of[k][i];
      end
      `ASSERT(OnePlace, waits_q[s][i] ? $onehot(places) : places == '0)
    end
  end
  `ASSERT(LaneIsFollowed, mine_q == waits_q[slot_q][lane_q] && (!mine_q || left_q[lane_q]) && (left_q & ~waits_q[slot_q]) == '0 && (left_q & ~lanes) == '0
          && (left_q == '0 || (sound(grp_q) && grp_q.slot[0] == slot_q)))

  ////// Engine and answer //////
  logic working, offered, block;  // the lane's group is in the engine | an answer to some of its lanes is offered
  logic [1:0] lead;
  logic [3:0] todo, same;         // lanes that the engine has still to do | lanes of the first block that are equal to the lead
  assign working = there[6] && slot_of[6] == slot_q && (lanes_of[6] & left_q) != '0;
  assign offered = there[7] && slot_of[7] == slot_q && (lanes_of[7] & left_q) != '0;
  assign block   = `WU.u_engine.block_q[0];
  assign todo    = lanes_of[6];
  assign lead    = todo[0] ? 2'd0 : todo[1] ? 2'd1 : todo[2] ? 2'd2 : 2'd3;
  assign same    = `WU.u_engine.same_q[3:0];
  `ASSERT(EngineIsSound, !there[6] || (sound(`WU.u_engine.grp_q) && has_values(`WU.u_engine.grp_q.op) && `WU.u_engine.todo_q != '0
          && (`WU.u_engine.todo_q & ~`WU.u_engine.grp_q.lanes) == '0 && (`WU.u_engine.grp_q.op == OpMatchAny || `WU.u_engine.todo_q == `WU.u_engine.grp_q.lanes)
          && (`WU.u_engine.grp_q.op != OpRedux || `WU.u_engine.grp_q.kind[3:0] <= 4'(ReduxMaxF))))
  `ASSERT(AnswerIsSound, !there[7] || (`WU.u_engine.rsp_q.lanes != '0 && `WU.u_engine.rsp_q.lanes[31:4] == '0 && `WU.u_engine.rsp_q.warp < 5'd2
          && `WU.u_engine.rsp_q.cta == '0 && (`WU.u_engine.rsp_q.pred & ~`WU.u_engine.rsp_q.lanes) == '0))
  `ASSERT(SameAreToDo, !there[6] || `WU.u_engine.grp_q.op == OpRedux || ((`WU.u_engine.same_q & ~`WU.u_engine.todo_q) == '0
          && (block ? same[3:2] == '0 && (lead > 2'd1 || same[lead]) : same == '0)))
  `ASSERT(WorksOnItsGroup, !working || (`WU.u_engine.grp_q == grp_q && (todo & ~left_q) == '0))
  `ASSERT(OffersItsLanes, !offered || ((lanes_of[7] & ~left_q) == '0 && `WU.u_engine.rsp_q.tag == grp_q.tag && has_values(grp_q.op)
          && (grp_q.op == OpMatchAny || lanes_of[7] == lanes) && `WU.u_engine.rsp_q.last == (left_q == lanes_of[7])))
  for (genvar i = 0; i < 4; i++) begin : gen_wu_value
    `ASSERT(BeatIsKept, !beats_q[i] || `WU.u_values.next_q[i] == next_q[i])
    `ASSERT(ValueIsKept, !came_q[slot_q][i] || `WU.u_values.u_values.mem_q[{slot_q, 2'(i)}] == value_q[i])
    `ASSERT(ValueOfTheGroupIsKept, !(left_q[i] && has_values(grp_q.op)) || `WU.u_values.u_values.mem_q[{slot_q, 2'(i)}] == of_q[i])
    `ASSERT(ReadsTheGroup, !(working && todo[i]) || `WU.u_values.row[i] == of_q[i])
    `ASSERT(FirstBlockIsKnown, !(working && block && grp_q.op != OpRedux && i < 2) || same[i] == (todo[i] && same_value(grp_q.kind == 8'(MatchB64), of_q[i], of_q[lead])))
    `ASSERT(EarlierSetsDiffer, !(working && todo[lane_q] && lanes[i] && !todo[i]) || !equal[i])
  end
  `ASSERT(KeyOfTheFirstBlock, !(working && grp_q.op == OpRedux) || `WU.u_engine.key_q == (block ? {64'd0, {key_of(1), key_of(0)} ^ {64{`WU.u_engine.turned}}} : '0))
  `ASSERT(OfferIsItsResult, !(offered && lanes_of[7][lane_q]) || (lanes_of[7] == together && `WU.u_engine.rsp_o.value == 64'(value) && `WU.u_engine.rsp_q.pred[lane_q] == truth))

  ////// The answers to the lanes //////
  `ASSERT(OnlyWhoWaits, !answer || (`WU.rsp_o.warp < 5'd2 && `WU.rsp_o.cta == '0 && `WU.rsp_o.lanes != '0 && (`WU.rsp_o.lanes & ~32'(waits_q[`WU.rsp_o.warp[0]])) == '0))
  `ASSERT(TagOfItsGroup, !mine || (mine_q && `WU.rsp_o.tag == grp_q.tag))
  `ASSERT(ValueOfItsGroup, !mine || `WU.rsp_o.value == 64'(value))
  `ASSERT(TruthOfItsGroup, !mine || `WU.rsp_o.pred[lane_q] == truth)
  `ASSERT(AnsweredTogether, !mine || `WU.rsp_o.lanes == 32'(together))
  `ASSERT(LastIsTheLast, !mine || `WU.rsp_o.last == (left_q == `WU.rsp_o.lanes[3:0]))
