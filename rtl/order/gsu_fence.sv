// gsu_fence: executes fences. A fence waits in a gsu_order_wait_queue until the operations that it orders are performed and its least time has passed; then it
// commits and is answered. gsu_order_pkg says what each fence waits for. All proxies share one memory behind the port, so a proxy fence waits in the same way.
// Rules: FENCE-004..008, FENCE-021, FENCE-023..029, FENCE-036, FENCE-037, TMAP-007, D-70 (waiting fences hold up no other request).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_fence
  import gsu_pkg::*;
  import gsu_order_pkg::*;
#(
    parameter int unsigned Depth = 64  /// fences that wait, a power of two
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  cycle_t      now_i,
    input  logic        req_valid_i,
    output logic        req_ready_o,   // from flops
    input  sync_req_t   req_i,         // a fence
    input  order_hold_t hold_i,        // the fence's reasons to wait
    input  mask_t       fire_i,        // as gsu_order
    input  mask_t       turn_i,
    input  logic [MaxWarpSlots-1:0] own_fire_i,
    input  logic [MaxWarpSlots-1:0] own_turn_i,
    output logic        rsp_valid_o,
    input  logic        rsp_ready_i,
    output sync_rsp_t   rsp_o,
    output logic        tap_valid_o,   // pulse with the commit
    /*verilator tracing_off*/ output tap_t        tap_o, /*verilator tracing_on*/
    output logic        idle_o,
    output cycle_t      next_event_o
);
  typedef struct packed {
    logic [7:0]  kind;
    scope_e      scope;
    sem_e        sem;
    mask_t       lanes;
    logic [11:0] tag;
    logic [4:0]  warp;
    logic [4:0]  cta;
    op_e         op;
  } fence_t;
  fence_t fresh, head;
  always_comb begin
    fresh = '0;
    if (req_valid_i || Eager) begin
      fresh = '{
          kind: req_i.kind,
          scope: req_i.scope,
          sem: req_i.sem,
          lanes: req_i.lanes,
          tag: req_i.tag,
          warp: req_i.warp,
          cta: req_i.cta,
          op: req_i.op
      };
    end
  end
  gsu_order_wait_queue #(.Width($bits(fence_t)), .Depth(Depth)) u_room (
      .clk_i, .rst_ni, .now_i,
      .push_i(req_valid_i && req_ready_o), .space_o(req_ready_o), .hold_i, .data_i(fresh), .class_i(1'b1),
      .open_i('0), .fire_i, .turn_i, .own_fire_i, .own_turn_i,
      .valid_o(rsp_valid_o), .ready_i(rsp_ready_i), .data_o(head), .idle_o, .next_o(next_event_o)
  );
  always_comb begin
    rsp_o = '0;
    if (rsp_valid_o) begin
      rsp_o.cta   = head.cta;
      rsp_o.warp  = head.warp;
      rsp_o.tag   = head.tag;
      rsp_o.lanes = head.lanes;
      rsp_o.cause = CauseDone;
      rsp_o.last  = 1'b1;
    end
  end
  assign tap_valid_o = rsp_valid_o && rsp_ready_i;
  always_comb begin
    tap_o = '0;
    if (tap_valid_o) begin
      tap_o.op    = head.op;
      tap_o.cta   = head.cta;
      tap_o.warp  = head.warp;
      tap_o.tag   = head.tag;
      tap_o.lanes = head.lanes;
      tap_o.obj   = {16'd0, head.kind, 1'b0, head.scope, 2'd0, head.sem};
    end
  end

  logic unused;
  assign unused = &{1'b0, req_i};

  `REQUIRE(OnlyFences, !req_valid_i || order_is_fence(req_i.op))
  `REQUIRE(NoGate, !req_valid_i || !hold_i.gate)
  `ASSERT(AnswerNamesLanes, !rsp_valid_o || rsp_o.lanes != '0)
  `COVER(AnswerWaits, rsp_valid_o && !rsp_ready_i)
endmodule
