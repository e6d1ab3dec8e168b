// Invariants of gsu_lane_join (two warps of four lanes). Included in a harness that defines LJ as its path and has clk_i, rst_ni,
// req_i, live_q (live lanes of each warp), wait_q (lanes whose request was taken and that have not left), gone_q (lanes of the request at
// the input that were refused).
  ////// Invariants //////
  function automatic logic [2:0] form(op_e op);
    return op_answers(op) ? 3'd4 : op == OpWarpSync ? 3'd1 : op_cluster(op) ? 3'd2 : 3'd0;
  endfunction
  // Lanes may meet in these operations: of named barriers any, else the same.
  function automatic logic alike(op_e a, op_e b);
    return form(a) == form(b) && (form(a) == 0 || a == b);
  endfunction
  logic [31:0] req_kind;  // fields that lanes of a warp operation must have in common, besides the operation and the mask
  assign req_kind = req_i.op == OpElect ? '0 : {24'd0, req_i.kind};
  function automatic logic [31:0] eff(logic [31:0] count);
    return count == 0 ? 32'd64 : count;
  endfunction

  typedef struct packed {
    op_e op;
    logic [24:0] rest;
  } fold_t;

  function automatic op_e fold_op(logic [31:0] fold);
    return op_e'(fold[31:25]);
  endfunction
  `ASSERT(ScansItsWarp, `LJ.state_q != 2'd2 || (`LJ.exit_warp_q < 5'd2 && `LJ.exit_cta_q == '0))
  `ASSERT(NextIsItsWarp, !`LJ.u_late.valid_q || (`LJ.late_cta == '0 && `LJ.late_warp == 5'(`LJ.u_late.next_q)))
  `ASSERT(RefusedLanesNoted, gone_q == (`LJ.refused_q ? `LJ.outside : '0))
  logic [1:0][3:0] valid, full;   // groups by {warp, opening lane}
  for (genvar s = 0; s < 2; s++) begin : gen_warp
    mask_t all;
    assign all = (valid[s][0] ? `LJ.u_lanes.mem_q[4*s] : '0) | (valid[s][1] ? `LJ.u_lanes.mem_q[4*s+1] : '0) |
                 (valid[s][2] ? `LJ.u_lanes.mem_q[4*s+2] : '0) | (valid[s][3] ? `LJ.u_lanes.mem_q[4*s+3] : '0);
    assign valid[s] = `LJ.any_q[s] ? `LJ.heads_q[s][3:0] : '0;
    logic noted;
    assign noted = `LJ.u_late.wait_q[s] || (`LJ.u_late.valid_q && `LJ.u_late.next_q == 1'(s));
    `ASSERT(NotedIsTheWarp, !`LJ.u_late.wait_q[s] || (`LJ.u_late.who_q[s][14:10] == '0 && `LJ.u_late.who_q[s][9:5] == 5'(s)))
    `ASSERT(HeadsAreLanes, !`LJ.any_q[s] || (`LJ.heads_q[s] != '0 && `LJ.heads_q[s][31:4] == '0))
    `ASSERT(WaitingLaneIsInAGroup, all == wait_q[s])
    `ASSERT(WaitingLanesAreLive, (wait_q[s] & ~live_q[s]) == '0 && live_q[s][31:4] == '0)
    for (genvar h = 0; h < 4; h++) begin : gen_head
      localparam int unsigned I = 4 * s + h;
      fold_t fold;
      assign fold = `LJ.u_fold.mem_q[I];
      assign full[s][h] = valid[s][h] && (form(fold.op) == 1 || form(fold.op) == 4 ? (`LJ.u_arg0.mem_q[I] & live_q[s] & ~`LJ.u_lanes.mem_q[I]) == '0 : `LJ.u_lanes.mem_q[I] == live_q[s]);
      `ASSERT(HeadIsInItsGroup, !valid[s][h] || `LJ.u_lanes.mem_q[I][h])
      `ASSERT(MembersOnly, !(valid[s][h] && (form(fold.op) == 1 || form(fold.op) == 4)) || (`LJ.u_lanes.mem_q[I] & ~`LJ.u_arg0.mem_q[I]) == '0)
      `ASSERT(ClusterFormsHaveNoOperand, !(valid[s][h] && op_cluster(fold.op)) || `LJ.u_arg0.mem_q[I] == '0)
      `ASSERT(PredicatesOfLanes, !(valid[s][h] && form(fold.op) == 4) || (`LJ.u_waits.mem_q[I] & ~`LJ.u_lanes.mem_q[I]) == '0)
      `ASSERT(NobodyWaitsForLegacy, !(valid[s][h] && is_legacy(fold.op)))
      // A complete group of match or redux may stay: its warp is in the list, or is scanned and will be in the list again.
      `ASSERT(CompleteGroupIsOnItsWay, !full[s][h] || (`LJ.state_q == 2'd2 && `LJ.exit_warp_q == 5'(s) && `LJ.todo_q[h])
              || (has_values(fold.op) && (noted || (`LJ.state_q == 2'd2 && `LJ.exit_warp_q == 5'(s) && `LJ.below_q))))
      `ASSERT(SearchedGroupsDiffer, !(valid[s][h] && `LJ.state_q == 2'd1 && req_i.warp == 5'(s) && !`LJ.todo_q[h]) ||
              !alike(fold.op, req_i.op) || (!op_cluster(req_i.op) && `LJ.u_arg0.mem_q[I] != req_i.arg0) ||
              (form(req_i.op) == 4 && `LJ.u_arg1.mem_q[I] != req_kind) ||
              (form(req_i.op) == 0 && eff(`LJ.u_arg1.mem_q[I]) != eff(req_i.arg1)))
      for (genvar g = 0; g < h; g++) begin : gen_other
        localparam int unsigned J = 4 * s + g;
        fold_t other;
        assign other = `LJ.u_fold.mem_q[J];
        `ASSERT(OneGroupPerLane, !(valid[s][h] && valid[s][g]) || (`LJ.u_lanes.mem_q[I] & `LJ.u_lanes.mem_q[J]) == '0)
        `ASSERT(KeysDiffer, !(valid[s][h] && valid[s][g]) || !alike(fold.op, other.op) ||
                (!op_cluster(fold.op) && `LJ.u_arg0.mem_q[I] != `LJ.u_arg0.mem_q[J]) ||
                (form(fold.op) == 4 && `LJ.u_arg1.mem_q[I] != `LJ.u_arg1.mem_q[J]) || (form(fold.op) == 0 && eff(`LJ.u_arg1.mem_q[I]) != eff(`LJ.u_arg1.mem_q[J])))
      end
    end
  end
