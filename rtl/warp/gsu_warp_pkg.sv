// gsu_warp_pkg: arithmetic of votes and of redux.sync as pure functions, which are proved alone.
// Each lane's value becomes a key of 32 bits, so that every operation of redux is one of six operations on unsigned keys. The key of a signed number has
// its sign bit inverted. The key of a float orders as the float does, with -0 below +0. The keys 0 and all ones stand for NaN, never for a number.
// Rules: VSYNC-004, VSYNC-005, REDUX-005..010.
// SPDX-License-Identifier: Apache-2.0
package gsu_warp_pkg;
  import gsu_pkg::*;

  localparam logic [31:0] CanonicalNan = 32'h7fff_ffff;

  function automatic logic redux_is_max(logic [3:0] mode);
    redux_is_max = mode inside {4'(ReduxMaxU), 4'(ReduxMaxS), 4'(ReduxMaxF)};
  endfunction

  function automatic logic redux_is_min(logic [3:0] mode);
    redux_is_min = mode inside {4'(ReduxMinU), 4'(ReduxMinS), 4'(ReduxMinF)};
  endfunction

  function automatic logic redux_is_float(logic [3:0] mode);
    redux_is_float = mode inside {4'(ReduxMinF), 4'(ReduxMaxF)};
  endfunction

  // The neutral key of an operation: it changes no result.
  function automatic logic [31:0] redux_neutral(logic [3:0] mode);
    redux_neutral = mode == 4'(ReduxAnd) || redux_is_min(mode) ? '1 : '0;
  endfunction

  // Key of a value that is not a NaN.
  function automatic logic [31:0] redux_number(logic [7:0] kind, logic [31:0] value);
    logic [31:0] x;
    x            = value;
    redux_number = x;
    if (kind[3:0] inside {4'(ReduxMinS), 4'(ReduxMaxS)}) begin
      redux_number = {!x[31], x[30:0]};
    end else if (redux_is_float(kind[3:0])) begin
      if ((kind & 8'(ReduxAbs)) != '0) x[31] = 1'b0;
      redux_number = x[31] ? ~x : {1'b1, x[30:0]};
    end
  endfunction

  // Key of any value; the proofs compare with it. The engine does the same in another order: it computes number and NaN in parallel and then selects.
  function automatic logic [31:0] redux_key(logic [7:0] kind, logic [31:0] value);
    redux_key = redux_number(kind, value);
    if (redux_is_float(kind[3:0]) && value[30:0] > 31'h7f80_0000)
      redux_key = (kind & 8'(ReduxNan)) != '0 ? ~redux_neutral(kind[3:0]) : redux_neutral(kind[3:0]);
  endfunction

  function automatic logic [31:0] redux_fold(logic [3:0] mode, logic [31:0] a, logic [31:0] b);
    case (mode)
      4'(ReduxAdd): redux_fold = a + b;
      4'(ReduxAnd): redux_fold = a & b;
      4'(ReduxOr):  redux_fold = a | b;
      4'(ReduxXor): redux_fold = a ^ b;
      default:      redux_fold = (a < b) == redux_is_max(mode) ? b : a;
    endcase
  endfunction

  // The result for a folded key. It is the canonical NaN if there was no number, or if a NaN counts.
  function automatic logic [31:0] redux_value(logic [3:0] mode, logic [31:0] key);
    redux_value = key;
    if (mode inside {4'(ReduxMinS), 4'(ReduxMaxS)}) redux_value = {!key[31], key[30:0]};
    else if (redux_is_float(mode)) redux_value = key == '0 || key == '1 ? CanonicalNan : key[31] ? {1'b0, key[30:0]} : ~key;
  endfunction

  // Predicate of a vote: `yes` of `lanes` are true.
  function automatic logic vote_result(logic [7:0] kind, mask_t yes, mask_t lanes);
    case (kind)
      8'(VoteAll): vote_result = yes == lanes;
      8'(VoteAny): vote_result = yes != '0;
      8'(VoteUni): vote_result = yes == lanes || yes == '0;
      default:     vote_result = 1'b0;
    endcase
  endfunction
endpackage
