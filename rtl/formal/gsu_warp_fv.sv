// prove: name=redux engine=kind depth=2 files=gsu_warp_pkg cover=4
// Harness of gsu_warp_pkg: redux of two values of any kind, and of a value and an absent lane, against the rules written as properties. Floats are compared by
// sign and magnitude here, and by keys in the package. For three values it is enough to prove that redux is associative and commutative: then every tree of
// reductions gives the same.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_warp_fv
  import gsu_pkg::*;
  import gsu_warp_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic [7:0] kind_i,
    input logic [31:0] a_i,
    input logic [31:0] b_i,
    input logic [31:0] c_i,
    input mask_t yes_i,
    input mask_t lanes_i
);
  `FV_RESET
  `ASSUME(KnownKind, kind_i[3:0] <= 4'(ReduxMaxF) && kind_i[7:6] == 0 && (redux_is_float(kind_i[3:0]) || kind_i[5:4] == 0))
  logic [3:0] mode;
  logic [31:0] ka, kb, kc, r, alone, x, y;
  logic nan_x, nan_y, counts, is_nan;
  assign mode   = kind_i[3:0];
  assign ka     = redux_key(kind_i, a_i);
  assign kb     = redux_key(kind_i, b_i);
  assign kc     = redux_key(kind_i, c_i);
  assign r      = redux_value(mode, redux_fold(mode, ka, kb));
  assign alone  = redux_value(mode, redux_fold(mode, redux_neutral(mode), ka));
  // Floats: magnitudes if the mode asks for them; which values are NaN.
  assign x      = {a_i[31] && !(kind_i[4] && redux_is_float(mode)), a_i[30:0]};
  assign y      = {b_i[31] && !(kind_i[4] && redux_is_float(mode)), b_i[30:0]};
  assign nan_x  = &x[30:23] && x[22:0] != 0;
  assign nan_y  = &y[30:23] && y[22:0] != 0;
  assign counts = kind_i[5];
  assign is_nan = (counts && (nan_x || nan_y)) || (nan_x && nan_y);

  // x before y: of two numbers, with -0 before +0.
  function automatic logic less(logic [31:0] p, logic [31:0] q);
    if (p[31] != q[31]) return p[31];
    return p[31] ? p[30:0] > q[30:0] : p[30:0] < q[30:0];
  endfunction

  `ASSERT(Adds, mode != 4'(ReduxAdd) || r == a_i + b_i)                                                // REDUX-006
  `ASSERT(Ands, mode != 4'(ReduxAnd) || r == (a_i & b_i))
  `ASSERT(Ors, mode != 4'(ReduxOr) || r == (a_i | b_i))
  `ASSERT(Xors, mode != 4'(ReduxXor) || r == (a_i ^ b_i))
  `ASSERT(LeastUnsigned, mode != 4'(ReduxMinU) || r == (a_i < b_i ? a_i : b_i))
  `ASSERT(GreatestUnsigned, mode != 4'(ReduxMaxU) || r == (a_i < b_i ? b_i : a_i))
  `ASSERT(LeastSigned, mode != 4'(ReduxMinS) || r == ($signed(a_i) < $signed(b_i) ? a_i : b_i))
  `ASSERT(GreatestSigned, mode != 4'(ReduxMaxS) || r == ($signed(a_i) < $signed(b_i) ? b_i : a_i))
  `ASSERT(NanIsCanonical, !(redux_is_float(mode) && is_nan) || r == 32'h7fff_ffff)                     // REDUX-009, 010
  `ASSERT(NanIsSkipped, !(redux_is_float(mode) && !is_nan && nan_x) || r == y)                         // REDUX-010
  `ASSERT(LeastFloat, !(mode == 4'(ReduxMinF) && !nan_x && !nan_y) || r == (less(x, y) ? x : y))     // REDUX-007, 008
  `ASSERT(GreatestFloat, !(mode == 4'(ReduxMaxF) && !nan_x && !nan_y) || r == (less(x, y) ? y : x))
  `ASSERT(OneLane, alone == (redux_is_float(mode) && nan_x ? 32'h7fff_ffff : x))
  `ASSERT(AnyOrder, redux_fold(mode, redux_fold(mode, ka, kb), kc) == redux_fold(mode, ka, redux_fold(mode, kb, kc))
          && redux_fold(mode, ka, kb) == redux_fold(mode, kb, ka))
  `ASSERT(AllVote, vote_result(8'(VoteAll), yes_i & lanes_i, lanes_i) == ((lanes_i & ~yes_i) == 0))    // VSYNC-004
  `ASSERT(AnyVote, vote_result(8'(VoteAny), yes_i & lanes_i, lanes_i) == |(yes_i & lanes_i))
  `ASSERT(UniVote, vote_result(8'(VoteUni), yes_i & lanes_i, lanes_i) == ((lanes_i & ~yes_i) == 0 || (lanes_i & yes_i) == 0))
  `COVER(MinusZeroIsLess, mode == 4'(ReduxMinF) && a_i == 0 && r == 32'h8000_0000)
  `COVER(NanCounts, redux_is_float(mode) && counts && nan_x && !nan_y && r == 32'h7fff_ffff)
endmodule
