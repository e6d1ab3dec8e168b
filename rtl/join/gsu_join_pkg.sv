// gsu_join_pkg: types of the groups of lanes of a warp, from their first request to the units that take them from the lane join.
// Rules: BAR-010, D-12, D-18, D-51 (which lanes join a group).
// SPDX-License-Identifier: Apache-2.0
package gsu_join_pkg;
  import gsu_pkg::*;
  import gsu_op_pkg::*;

  // The kind of operation of a group. Lanes of a FormBar group may execute different operations; in the other groups all lanes execute the same one.
  typedef enum logic [1:0] {
    FormBar,
    FormWarpSync,
    FormCluster,
    FormWarpOp  // vote, match, redux, elect; activemask and legacy votes wait for no other lane
  } form_e;

  // The part of a group that is accumulated from its requests, beside its masks and operands.
  typedef struct packed {
    op_e         op;
    logic [11:0] tag;
    logic [5:0]  popc;
    logic        all;
    logic        any;
    logic        has_arrive;
    logic        has_sync;
    logic [2:0]  redops;
  } fold_t;

  // Whole-warp arrival from the lane join to the barrier units: the join of BAR-010, D-12, D-51 has happened.
  typedef struct packed {
    op_e         op;           // a waiting form if any lane waits, else the arriving one
    logic [4:0]  cta;
    logic [4:0]  warp;
    logic [11:0] tag;          // of the request that completed the join
    mask_t       lanes;        // lanes that executed it
    mask_t       wait_lanes;   // those lanes that wait for completion (sync, red, cluster wait)
    logic [31:0] arg0;
    logic [31:0] arg1;         // count as written by the request that opened the group
    logic [5:0]  popc;         // lanes with a true predicate
    logic        all;
    logic        any;
    logic        has_arrive;   // which forms the lanes executed
    logic        has_sync;
    logic [2:0]  redops;       // {or, and, popc}
    logic        diverged;     // aligned form executed by a part of the live lanes
    src_e        src;          // SrcLocal, or SrcExit when an exit completed the join
  } warp_arr_t;

  // A complete group of a vote, match, redux, elect or activemask.
  typedef struct packed {
    op_e         op;
    logic [7:0]  kind;
    logic [4:0]  cta;
    logic [4:0]  warp;
    logic [5:0]  slot;         // warp slot
    logic [11:0] tag;          // of the request that completed the group
    mask_t       lanes;
    mask_t       pred;         // those lanes whose source predicate of a vote is true
  } warp_grp_t;

  // The lane join takes this operation: its lanes are joined.
  function automatic logic op_joins(op_e op);
    op_joins = op_named(op) || op == OpWarpSync || op_cluster(op) || op_answers(op);
  endfunction

  // The operands of this operation come as beats before the request.
  function automatic logic has_values(op_e op);
    has_values = op_values(op);
  endfunction

  // This operation covers the lanes of its request, whatever its mask says (VOTE-002, D-64).
  function automatic logic is_legacy(op_e op);
    is_legacy = op inside {OpVote, OpActiveMask};
  endfunction

  function automatic form_e form_of(op_e op);
    if (op == OpWarpSync) return FormWarpSync;
    if (op_cluster(op)) return FormCluster;
    if (op_answers(op)) return FormWarpOp;
    return FormBar;
  endfunction

  function automatic logic [4:0] lowest(mask_t mask);
    mask_t one;
    one = mask & (~mask + 32'd1);
    if (!Events) return 5'(lowest_tree(64'(mask)));  // as in gsu_pkg: few steps, or a tree
    return {|(one & 32'hffff0000), |(one & 32'hff00ff00), |(one & 32'hf0f0f0f0), |(one & 32'hcccccccc), |(one & 32'haaaaaaaa)};
  endfunction
endpackage
