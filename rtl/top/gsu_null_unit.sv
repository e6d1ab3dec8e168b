// gsu_null_unit: refuses an operation that has no hardware unit (D-03), after cfg null_lat clocks.
// scripts/bench also uses it to measure the cost of port, lockstep, traces and waves.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_null_unit
  import gsu_pkg::*;
(
    input  logic      clk_i,
    input  logic      rst_ni,
    input  cycle_t    now_i,
    input  logic [15:0] latency_i,  // clocks from acceptance to answer, at least 1
    input  logic      req_valid_i,
    output logic      req_ready_o,
    input  sync_req_t req_i,
    output logic      rsp_valid_o,
    input  logic      rsp_ready_i,
    output sync_rsp_t rsp_o,
    output logic      tap_valid_o,  // pulse with the acceptance
    /*verilator tracing_off*/ output tap_t      tap_o, /*verilator tracing_on*/
    output logic      idle_o,
    output cycle_t    next_event_o
);
  logic busy_q;
  cycle_t due_q;
  sync_rsp_t rsp_q;

  logic accept, answer;
  assign req_ready_o = !busy_q;
  assign accept      = req_valid_i && req_ready_o;
  assign rsp_valid_o = busy_q && (due_q <= now_i);
  assign answer      = rsp_valid_o && rsp_ready_i;
  assign rsp_o       = rsp_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      due_q  <= '0;
      rsp_q  <= '0;
    end else if (accept) begin
      busy_q <= 1'b1;
      due_q  <= now_i + cycle_t'(latency_i);
      rsp_q  <= '{
          cta: req_i.cta,
          warp: req_i.warp,
          tag: req_i.tag,
          last: 1'b1,
          cause: CauseRefused,
          lanes: req_i.lanes,
          default: '0
      };
    end else if (answer) begin
      busy_q <= 1'b0;
    end
  end

  assign tap_valid_o = accept;
  always_comb begin
    tap_o         = '0;
    tap_o.op      = req_i.op;
    tap_o.cta     = req_i.cta;
    tap_o.warp    = req_i.warp;
    tap_o.tag     = req_i.tag;
    tap_o.lanes   = req_i.lanes;
    tap_o.obj     = req_i.arg0;
    tap_o.refused = 1'b1;
    tap_o.cause   = CauseRefused;
    tap_o.errs[NullErrNoUnit] = 1'b1;
  end

  assign idle_o       = !busy_q || (due_q > now_i);
  assign next_event_o = busy_q ? (Events ? due_q : '0) : '1;

  `ASSERT_NEXT(IdleHolds, idle_o && !req_valid_i, $stable(busy_q) && $stable(rsp_q))
  `ASSERT(AnswerNamesLanes, !rsp_valid_o || rsp_o.last)
  `COVER(Answered, answer)
endmodule
