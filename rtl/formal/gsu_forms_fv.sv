// prove: name=same engine=kind depth=1 files=gsu_join_pkg
// Both forms of the functions of gsu_pkg give the same result for all inputs. So the proofs and simulations of the units, which use the short forms, hold for
// the hardware forms too.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_forms_fv
  import gsu_pkg::*;
  import gsu_join_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic [63:0] set_i,
    input logic [63:0] after_i,
    input cycle_t a_i,
    input cycle_t b_i
);
  `FV_RESET
  `ASSERT(LowestIsLowest, lowest_tree(set_i) == lowest_steps(set_i))
  `ASSERT(TurnIsTurn, turn_tree(set_i, after_i) == turn_steps(set_i, after_i))
  `ASSERT(LowestOfLanes, 6'(lowest(set_i[31:0])) == lowest_tree(64'(set_i[31:0])))
  `ASSERT(LowestIsSet, set_i == '0 || set_i[lowest_steps(set_i)])
  `ASSERT(OneLessIsOneLess, one_less_tree(set_i[31:0]) == set_i[31:0] - 32'd1)
  `ASSERT(AtMostIsAtMost, at_most_tree(a_i, b_i) == (a_i <= b_i))
endmodule
