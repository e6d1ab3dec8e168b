// gsu_skid: buffer of two entries whose ready comes from a flop, so that no combinational path leads from one port to another.
// Rules: D-70 (a full port refuses, it never loses).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_skid #(
    parameter int unsigned Width = 1  /// payload bits
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             valid_i,  // holds with stable data until ready_o
    output logic             ready_o,  // from a flop: a place is free
    input  logic [Width-1:0] data_i,
    output logic             valid_o,
    input  logic             ready_i,
    output logic [Width-1:0] data_o,
    output logic             empty_o   // no entry is used
);
  logic [Width-1:0] head_q, tail_q;
  logic head_valid_q, tail_valid_q;
  logic push, pop;

  assign ready_o = !tail_valid_q;
  assign valid_o = head_valid_q;
  assign data_o  = head_q;
  assign empty_o = !head_valid_q && !tail_valid_q;
  assign push    = valid_i && ready_o;
  assign pop     = valid_o && ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_valid_q <= 1'b0;
      tail_valid_q <= 1'b0;
      head_q       <= '0;
      tail_q       <= '0;
    end else begin
      if (pop || !head_valid_q) begin
        head_valid_q <= tail_valid_q || push;
        tail_valid_q <= 1'b0;
        if (tail_valid_q) head_q <= tail_q;
        else if (push) head_q <= data_i;
      end else if (push) begin
        tail_valid_q <= 1'b1;
        tail_q       <= data_i;
      end
    end
  end

  `ASSERT(TailNeedsHead, !tail_valid_q || head_valid_q)
  `ASSERT_NEXT(OutputHolds, valid_o && !ready_i, valid_o && $stable(data_o))
  `ASSERT_NEXT(IdleHolds, !push && !pop, $stable(head_q) && $stable(tail_q) && $stable(head_valid_q))
  `COVER(Full, tail_valid_q && valid_i)
endmodule
