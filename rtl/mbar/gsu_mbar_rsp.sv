// gsu_mbar_rsp: delays the answers and merges them into one stream. Answers of waits come after cfg trywait_lat, all others after cfg mbar_lat.
// Rules: D-70 (neither kind starves the other), MBW-005.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_rsp
  import gsu_pkg::*;
#(
    parameter int unsigned Depth = 32,     /// pending answers; enough for one a clock while mbar_lat is at most this
    parameter int unsigned WaitDepth = 64  /// the same for answers of waits and trywait_lat
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  cycle_t      now_i,
    input  logic [15:0] latency_i,
    input  logic [15:0] wait_latency_i,
    input  logic        push_i,           // only with space_o
    output logic        space_o,
    input  sync_rsp_t   rsp_i,
    input  logic        wait_push_i,      // only with wait_space_o
    output logic        wait_space_o,
    input  sync_rsp_t   wait_rsp_i,
    output logic        rsp_valid_o,
    input  logic        rsp_ready_i,
    output sync_rsp_t   rsp_o,
    output logic        idle_o,
    output cycle_t      next_event_o
);
  logic [1:0] valid, empty;
  logic turn_q, turn;  // 1: it is the turn of waits
  sync_rsp_t head, wait_head;
  cycle_t next, wait_next;
  gsu_delay #(.Width($bits(sync_rsp_t)), .Depth(Depth)) u_plain (
      .clk_i, .rst_ni, .now_i,
      .push_i, .space_o, .data_i(rsp_i), .due_i(now_i + cycle_t'(latency_i)),
      .valid_o(valid[0]), .ready_i(rsp_ready_i && !turn), .data_o(head), .empty_o(empty[0]), .next_o(next)
  );
  gsu_delay #(.Width($bits(sync_rsp_t)), .Depth(WaitDepth)) u_wait (
      .clk_i, .rst_ni, .now_i,
      .push_i(wait_push_i), .space_o(wait_space_o), .data_i(wait_rsp_i), .due_i(now_i + cycle_t'(wait_latency_i)),
      .valid_o(valid[1]), .ready_i(rsp_ready_i && turn), .data_o(wait_head), .empty_o(empty[1]), .next_o(wait_next)
  );
  assign turn         = valid[turn_q] ? turn_q : !turn_q;
  assign rsp_valid_o  = |valid;
  assign rsp_o        = turn ? wait_head : head;
  assign idle_o       = valid == '0 && !push_i && !wait_push_i;
  assign next_event_o = earlier(next, wait_next);

  // An offered answer stays until it is taken.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_q <= 1'b0;
    else if (rsp_valid_o) turn_q <= rsp_ready_i ? !turn : turn;
  end

  logic unused;
  assign unused = &{1'b0, empty};

  `COVER(BothOffer, &valid)
endmodule
