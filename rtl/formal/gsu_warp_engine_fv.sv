// prove: name=sets engine=kind depth=2 cover=12 files=gsu_join_pkg,gsu_warp_pkg,gsu_warp_engine
// prove: name=one engine=kind depth=2 define=FV_ONE files=gsu_join_pkg,gsu_warp_pkg,gsu_warp_engine
// prove: name=skip engine=skip define=FV_SKIP files=gsu_join_pkg,gsu_warp_pkg,gsu_warp_engine
// Harness of gsu_warp_engine: groups of four lanes, two a clock (task one: one, so that a block is neither the first nor the last), any values. Each lane of a
// group is answered once. For match.any the lanes of an answer are equal, and unequal to the remaining ones. match.all and redux answer the group as a whole.
// gsu_warp.redux proves that a fold of two values is right.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_warp_engine_fv
  import gsu_pkg::*;
  import gsu_join_pkg::*;
  import gsu_warp_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic grp_valid_i,
    input warp_grp_t grp_i,
    input logic [3:0][63:0] lane_i,   // values of the slot that is read
    input logic rsp_ready_i
);
  logic grp_ready_o, read_o, rsp_valid_o, idle_o;
  logic [1:0] lead_o, first_o;
  sync_rsp_t rsp_o;
`ifdef FV_ONE
  localparam int unsigned PerClock = 1;
`else
  localparam int unsigned PerClock = 2;
`endif
  logic [PerClock-1:0][63:0] values;
  for (genvar k = 0; k < int'(PerClock); k++) begin : gen_values
    assign values[k] = lane_i[first_o | 2'(k)];
  end
  gsu_warp_engine #(.LaneW(2), .PerClock(PerClock)) dut (
      .clk_i, .rst_ni, .grp_valid_i, .grp_ready_o, .grp_i, .read_o, .lead_o, .lead_i(lane_i[lead_o]),
      .first_o, .values_i(values), .rsp_valid_o, .rsp_ready_i, .rsp_o, .idle_o
  );
  `FV_RESET
  `ASSUME(FourLanes, grp_i.lanes[31:4] == 0)
  `ASSUME(ValuesStand, !$past(rst_ni) || !$past(read_o && !dut.done) || $stable(lane_i))
  (* keep *) logic fv_skip;
  assign fv_skip = rst_ni && idle_o && !grp_valid_i;

`ifndef FV_SKIP
  // The group in the engine, and its lanes without an answer.
  warp_grp_t grp_q;
  mask_t left_q, sent;
  logic take;
  assign take = grp_valid_i && grp_ready_o;
  assign sent = dut.finish ? dut.rsp.lanes : '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      grp_q  <= '0;
      left_q <= '0;
    end else begin
      left_q <= take ? grp_i.lanes : left_q & ~sent;
      if (take) grp_q <= grp_i;
    end
  end
  function automatic logic equal(logic wide, logic [63:0] a, logic [63:0] b);
    return a[31:0] == b[31:0] && (!wide || a[63:32] == b[63:32]);
  endfunction
  function automatic logic [31:0] key_of(logic there, logic [7:0] kind, logic [63:0] value);
    return there ? redux_key(kind, value[31:0]) : redux_neutral(kind[3:0]);
  endfunction
  logic wide, redux;
  logic [1:0] head;
  logic [3:0] alike;
  logic [31:0] fold;
  assign wide  = grp_q.kind == 8'(MatchB64);
  assign redux = grp_q.op == OpRedux;
  assign head  = left_q[0] ? 2'd0 : left_q[1] ? 2'd1 : left_q[2] ? 2'd2 : 2'd3;
  for (genvar i = 0; i < 4; i++) begin : gen_alike
    assign alike[i] = left_q[i] && equal(wide, lane_i[i], lane_i[head]);
  end
`ifdef FV_ONE
  logic [31:0] ahead[5];  // the fold of the lanes before the k-th
  assign ahead[0] = redux_neutral(grp_q.kind[3:0]);
  for (genvar k = 0; k < 4; k++) begin : gen_before
    assign ahead[k+1] = redux_fold(grp_q.kind[3:0], ahead[k], key_of(left_q[k], grp_q.kind, lane_i[k]));
  end
  assign fold = ahead[4];
  `ASSERT(SameOfTheBlocksBefore, !(dut.busy_q && !redux) || dut.same_q == {28'd0, alike & ~(4'hf << dut.block_q)})
  `ASSERT(FoldOfTheBlocksBefore, !(dut.busy_q && redux) || dut.key_q == {96'd0, ahead[dut.block_q] ^ {32{dut.turned}}})
`else
  // Lanes in the order of the parts.
  logic [31:0] first, second;
  assign first  = key_of(left_q[0], grp_q.kind, lane_i[0]);
  assign second = key_of(left_q[1], grp_q.kind, lane_i[1]);
  assign fold   = redux_fold(grp_q.kind[3:0], redux_fold(grp_q.kind[3:0], first, key_of(left_q[2], grp_q.kind, lane_i[2])),
                             redux_fold(grp_q.kind[3:0], second, key_of(left_q[3], grp_q.kind, lane_i[3])));
  `ASSERT(FirstBlockIsFresh, !(dut.busy_q && !dut.block_q) || (dut.same_q == 0 && (!redux || dut.key_q == '0)))
  `ASSERT(SecondBlockKnowsTheFirst, !(dut.busy_q && dut.block_q && !redux) || dut.same_q == {30'd0, alike[1:0]})
  `ASSERT(FoldOfTheFirst, !(dut.busy_q && dut.block_q && redux) || dut.key_q == {64'd0, {second, first} ^ {64{dut.turned}}})
`endif

  `ASSERT(WorksOnItsGroup, !dut.busy_q || (dut.grp_q == grp_q && dut.todo_q == left_q && left_q != 0 && left_q[31:4] == 0))
  `ASSERT(KnownWork, !dut.busy_q || (has_values(grp_q.op) && (grp_q.op == OpMatchAny || left_q == grp_q.lanes)
          && (!redux || grp_q.kind[3:0] <= 4'(ReduxMaxF))))
  `ASSERT(NothingLeftBehind, dut.busy_q == (left_q != 0))
  `ASSERT(SetsAreWhole, !(dut.finish && grp_q.op == OpMatchAny) || (dut.rsp.lanes == {28'd0, alike} && dut.rsp.value == {60'd0, alike}))     // MATCH-004
  `ASSERT(AllOrNone, !(dut.finish && grp_q.op == OpMatchAll) || (dut.rsp.lanes == left_q && dut.rsp.value == ({28'd0, alike} == left_q ? {32'd0, left_q} : 64'd0)
          && dut.rsp.pred == ({28'd0, alike} == left_q ? left_q : 32'd0)))                                                                 // MATCH-005
  `ASSERT_NEXT(ValueOfTheFold, dut.finish && redux, rsp_o.value == {32'd0, redux_value($past(grp_q.kind[3:0]), $past(fold))})
  `ASSERT(FoldOfAll, !(dut.finish && redux) || (dut.rsp.lanes == left_q && (dut.redux_whole(grp_q.kind[3:0], dut.key) ^ {32{dut.turned}}) == fold))  // REDUX-005
  `ASSERT(LastIsLast, !dut.finish || dut.rsp.last == ((left_q & ~dut.rsp.lanes) == 0))
  `ASSERT(AnswersOfItsGroup, !dut.finish || (dut.rsp.tag == grp_q.tag && dut.rsp.warp == grp_q.warp && dut.rsp.cta == grp_q.cta && (dut.rsp.lanes & ~left_q) == 0))
  `COVER(FourSets, dut.finish && dut.rsp.last && grp_q.op == OpMatchAny && grp_q.lanes == 32'hf && left_q == 32'h8)
`endif
endmodule
