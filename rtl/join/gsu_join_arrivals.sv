// gsu_join_arrivals: output registers of the lane join, one for the named barriers and one for the cluster barrier. Each holds an arrival until it is taken.
// Rules: D-71 (units are independent: a unit that takes nothing does not hold up the other's arrivals).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_join_arrivals
  import gsu_pkg::*;
  import gsu_join_pkg::*;
(
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      nb_push_i,    // a group for the named barriers, only with nb_space_o
    input  logic      cb_push_i,    // a group for the cluster barrier, only with cb_space_o
    output logic      nb_space_o,
    output logic      cb_space_o,
    input  fold_t     fold_i,       // this and the next eight inputs describe the pushed group
    input  logic [4:0] cta_i,
    input  logic [4:0] warp_i,
    input  mask_t     lanes_i,
    input  mask_t     waits_i,
    input  logic [31:0] arg0_i,
    input  logic [31:0] arg1_i,
    input  logic      diverged_i,
    input  src_e      src_i,
    output logic      nb_valid_o,   // from flops
    input  logic      nb_ready_i,
    output warp_arr_t nb_o,
    output logic      cb_valid_o,
    input  logic      cb_ready_i,
    output warp_arr_t cb_o
);
  logic      nb_valid_q, cb_valid_q;
  warp_arr_t nb_q, cb_q;
  assign nb_space_o = !nb_valid_q || nb_ready_i;
  assign cb_space_o = !cb_valid_q || cb_ready_i;

  /*verilator tracing_off*/ warp_arr_t arr; /*verilator tracing_on*/  // shows in nb_q, cb_q
  always_comb begin
    arr = '0;
    if (nb_push_i || cb_push_i) begin
      arr.op         = fold_i.op;
      arr.cta        = cta_i;
      arr.warp       = warp_i;
      arr.tag        = fold_i.tag;
      arr.lanes      = lanes_i;
      arr.wait_lanes = waits_i;
      arr.arg0       = arg0_i;
      arr.arg1       = arg1_i;
      arr.popc       = fold_i.popc;
      arr.all        = fold_i.all;
      arr.any        = fold_i.any;
      arr.has_arrive = fold_i.has_arrive;
      arr.has_sync   = fold_i.has_sync;
      arr.redops     = fold_i.redops;
      arr.diverged   = diverged_i;
      arr.src        = src_i;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      nb_valid_q <= 1'b0;
      cb_valid_q <= 1'b0;
      nb_q       <= '0;
      cb_q       <= '0;
    end else begin
      nb_valid_q <= nb_push_i || (nb_valid_q && !nb_ready_i);
      cb_valid_q <= cb_push_i || (cb_valid_q && !cb_ready_i);
      if (nb_push_i) nb_q <= arr;
      if (cb_push_i) cb_q <= arr;
    end
  end
  assign nb_valid_o = nb_valid_q;
  assign nb_o       = nb_q;
  assign cb_valid_o = cb_valid_q;
  assign cb_o       = cb_q;

  `REQUIRE(PushHasSpace, (!nb_push_i || nb_space_o) && (!cb_push_i || cb_space_o))
  `ASSERT_NEXT(NbHolds, nb_valid_q && !nb_ready_i, nb_valid_q && $stable(nb_q))
  `ASSERT_NEXT(CbHolds, cb_valid_q && !cb_ready_i, cb_valid_q && $stable(cb_q))
endmodule
