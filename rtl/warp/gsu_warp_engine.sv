// gsu_warp_engine: computes match and redux of a group, from the values of `PerClock` lanes a clock. match.any passes over the lanes once for each set of
// equal values.
// Rules: MATCH-004, MATCH-005, MATCH-009 (bitwise), REDUX-005..010, D-70 (a group takes 32/PerClock clocks for each set, whatever its values).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_warp_engine
  import gsu_pkg::*;
  import gsu_join_pkg::*;
  import gsu_warp_pkg::*;
#(
    parameter int unsigned LaneW    = 5,  /// bits of a lane index; fewer in proofs
    parameter int unsigned PerClock = 16  /// lanes taken in a clock: a power of two, at most 1 << LaneW
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      grp_valid_i,
    output logic      grp_ready_o,   // in the clock of the last answer at the latest
    input  warp_grp_t grp_i,         // match or redux; the values of its lanes are available
    output logic      read_o,        // values are needed in this clock
    output logic [LaneW-1:0] lead_o,  // lane whose value is lead_i
    input  logic [63:0] lead_i,      // same clock
    output logic [LaneW-1:0] first_o,  // first lane of values_i
    input  logic [PerClock-1:0][63:0] values_i,  // same clock: lanes from first_o on
    output logic      rsp_valid_o,   // from flops
    input  logic      rsp_ready_i,
    output sync_rsp_t rsp_o,
    output logic      idle_o
);
  localparam int unsigned Blocks = (1 << LaneW) / PerClock;
  localparam int unsigned BlockW = Blocks > 1 ? $clog2(Blocks) : 1;

  logic busy_q, rsp_valid_q;
  warp_grp_t grp_q;
  mask_t todo_q, same_q, same;              // unanswered lanes | those found equal to the lowest one so far | the same, with this clock's lanes
  logic [3:0][31:0] key_q, key;             // parts of the redux so far | the same, with this clock's lanes; inverted like the keys of the lanes
  logic [BlockW-1:0] block_q;
  sync_rsp_t rsp_q, rsp;                    // without the value of a redux
  logic rsp_redux_q, rsp_turned_q;
  logic [3:0] rsp_mode_q;
  logic [3:0][31:0] rsp_key_q;

  logic redux, any, wide, last_block, finish, done;
  assign redux      = grp_q.op == OpRedux;
  assign any        = grp_q.op == OpMatchAny;
  assign wide       = grp_q.kind == 8'(MatchB64);
  assign last_block = block_q == BlockW'(Blocks - 1);
  assign finish     = busy_q && last_block && (!rsp_valid_q || rsp_ready_i);  // end of a set, or of the group
  assign done       = finish && (!any || same == todo_q);

  assign read_o  = busy_q;
  always_comb begin
    lead_o = '0;
    if (busy_q || Eager) lead_o = LaneW'(lowest(todo_q));
  end
  assign first_o = LaneW'(32'(block_q) * PerClock);

  logic [PerClock-1:0] here;
  logic [63:0] lead;
  logic [PerClock-1:0][31:0] keys;  // keys of the lanes. For minima and `and` they are inverted, so that 0 changes no result
  logic turned, nan_counts;
  logic [31:0] number;
  assign nan_counts = (grp_q.kind & 8'(ReduxNan)) != '0;  // 1: a NaN is larger than all others; 0: it changes nothing
  assign turned = redux_is_min(grp_q.kind[3:0]) || grp_q.kind[3:0] == 4'(ReduxAnd);
  // The largest of four: all pairs are compared in parallel.
  function automatic logic [31:0] largest(logic [31:0] a, logic [31:0] b, logic [31:0] c, logic [31:0] d);
    logic ab, ac, ad, bc, bd, cd;
    {ab, ac, ad} = {at_most(48'(b), 48'(a)), at_most(48'(c), 48'(a)), at_most(48'(d), 48'(a))};
    {bc, bd, cd} = {at_most(48'(c), 48'(b)), at_most(48'(d), 48'(b)), at_most(48'(d), 48'(c))};
    largest = ab && ac && ad ? a : bc && bd ? b : cd ? c : d;
  endfunction
  // The lanes are folded in four parts, every fourth lane into one. The parts are folded after the flops of the answer. 0 changes no result.
  function automatic logic [31:0] redux_part(logic [3:0] mode, logic [PerClock-1:0][31:0] of, logic [31:0] so_far, int unsigned part);
    logic [7:0][31:0] mine;
    logic [31:0] most;
    mine = '0;
    most = '0;
    for (int unsigned k = 0; k < 8; k++) if (4 * k + part < PerClock) mine[k] = of[4*k+part];
    redux_part = so_far;
    case (mode)
      4'(ReduxAdd): for (int unsigned k = 0; k < 8; k++) redux_part = redux_part + mine[k];
      4'(ReduxAnd), 4'(ReduxOr): for (int unsigned k = 0; k < 8; k++) redux_part = redux_part | mine[k];
      4'(ReduxXor): for (int unsigned k = 0; k < 8; k++) redux_part = redux_part ^ mine[k];
      default: begin
        most = largest(mine[0], mine[1], mine[2], mine[3]);
        if (PerClock > 16) most = largest(most, most, largest(mine[4], mine[5], mine[6], mine[7]), most);
        if (!at_most(48'(most), 48'(so_far))) redux_part = most;
      end
    endcase
  endfunction
  function automatic logic [31:0] redux_whole(logic [3:0] mode, logic [3:0][31:0] of);
    case (mode)
      4'(ReduxAdd): redux_whole = (of[0] + of[1]) + (of[2] + of[3]);
      4'(ReduxAnd), 4'(ReduxOr): redux_whole = of[0] | of[1] | of[2] | of[3];
      4'(ReduxXor): redux_whole = of[0] ^ of[1] ^ of[2] ^ of[3];
      default: redux_whole = largest(of[0], of[1], of[2], of[3]);
    endcase
  endfunction
  always_comb begin
    here = '0;
    lead = '0;
    same = same_q;
    key  = key_q;
    keys = '0;
    number = '0;
    if (busy_q) begin
      here = PerClock'(todo_q >> first_o);
      if (redux) begin
        for (int unsigned k = 0; k < PerClock; k++) begin
          number = redux_number(grp_q.kind, values_i[k][31:0]) ^ {32{turned}};
          if (redux_is_float(grp_q.kind[3:0]) && &values_i[k][30:23] && |values_i[k][22:0]) number = {32{nan_counts}};
          if (here[k]) keys[k] = number;
        end
        for (int unsigned part = 0; part < 4; part++) key[part] = redux_part(grp_q.kind[3:0], keys, key_q[part], part);
      end else begin
        lead = lead_i;
        for (int unsigned k = 0; k < PerClock; k++) begin
          if (here[k] && values_i[k][31:0] == lead[31:0] && (!wide || values_i[k][63:32] == lead[63:32])) begin
            same[first_o | LaneW'(k)] = 1'b1;
          end
        end
      end
    end
  end

  always_comb begin
    rsp = '0;
    if (busy_q || Eager) begin
      rsp.cta   = grp_q.cta;
      rsp.warp  = grp_q.warp;
      rsp.tag   = grp_q.tag;
      rsp.cause = CauseDone;
      rsp.lanes = grp_q.lanes;
      rsp.last  = done;
      if (any) begin
        rsp.lanes       = same;
        rsp.value[31:0] = same;
      end else if (!redux && same == todo_q) begin
        rsp.value[31:0] = grp_q.lanes;
        rsp.pred        = grp_q.lanes;
      end
    end
  end

  logic take;
  assign grp_ready_o = !busy_q || done;
  assign take        = grp_valid_i && grp_ready_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q      <= 1'b0;
      rsp_valid_q <= 1'b0;
      block_q     <= '0;
      todo_q      <= '0;
      same_q      <= '0;
      key_q       <= '0;
      grp_q       <= '0;
      rsp_q       <= '0;
      rsp_redux_q <= 1'b0;
      rsp_mode_q  <= '0;
      rsp_turned_q <= 1'b0;
      rsp_key_q   <= '0;
    end else begin
      busy_q      <= take || (busy_q && !done);
      rsp_valid_q <= finish || (rsp_valid_q && !rsp_ready_i);
      if (finish) {rsp_redux_q, rsp_mode_q, rsp_turned_q, rsp_q} <= {redux, grp_q.kind[3:0], turned, rsp};
      if (finish && redux) rsp_key_q <= key;
      if (take) begin
        grp_q   <= grp_i;
        todo_q  <= grp_i.lanes;
        same_q  <= '0;
        key_q   <= '0;
        block_q <= '0;
      end else if (finish) begin
        todo_q  <= todo_q & ~same;
        same_q  <= '0;
        block_q <= '0;
      end else if (busy_q && !last_block) begin
        same_q  <= same;
        key_q   <= key;
        block_q <= block_q + BlockW'(1);
      end
    end
  end
  assign rsp_valid_o = rsp_valid_q;
  always_comb begin
    rsp_o = '0;
    if (rsp_valid_q || Eager) begin
      rsp_o = rsp_q;
      if (rsp_valid_q && rsp_redux_q) rsp_o.value[31:0] = redux_value(rsp_mode_q, redux_whole(rsp_mode_q, rsp_key_q) ^ {32{rsp_turned_q}});
    end
  end
  assign idle_o      = !busy_q && !rsp_valid_q;

  logic unused;
  assign unused = &{1'b0, grp_q.slot};

  `REQUIRE(HasValues, !grp_valid_i || has_values(grp_i.op))
  `REQUIRE(SomeLane, !grp_valid_i || grp_i.lanes != '0)
  `REQUIRE(KnownRedux, !(grp_valid_i && grp_i.op == OpRedux) || grp_i.kind[3:0] <= 4'(ReduxMaxF))
  `ASSERT(LeadIsItsOwn, !(busy_q && !redux && finish) || same[lowest(todo_q)])
  `ASSERT(SetsAreToDo, (same & ~todo_q) == '0 || !busy_q || redux)
  `ASSERT(AnswersAreOfTheGroup, !rsp_valid_q || rsp_q.lanes != '0)
  `ASSERT_NEXT(AnswerHolds, rsp_valid_q && !rsp_ready_i, rsp_valid_q && $stable(rsp_q))
  `ASSERT_NEXT(IdleHolds, idle_o && !grp_valid_i, idle_o && $stable(grp_q) && $stable(rsp_q))
  `COVER(ThirdSet, finish && any && done && $countones(grp_q.lanes) > 2 && rsp_valid_q && !rsp_q.last)
  `COVER(Waits, busy_q && last_block && !finish)
  `COVER(BackToBack, take && done)
endmodule
