// gsu_delay: queue whose head comes out at its deadline. Entries keep their order: an entry with an earlier deadline than its predecessor waits for it.
// Rules: D-70 (a full queue refuses, it never loses), D-11 and D-53 (fixed latencies).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_delay
  import gsu_pkg::*;
#(
    parameter int unsigned Width = 1,  /// payload bits
    parameter int unsigned Depth = 16  /// entries, a power of two; latency times the highest rate is enough for the full rate
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  cycle_t           now_i,
    input  logic             push_i,   // only with space_o
    output logic             space_o,  // from flops
    input  logic [Width-1:0] data_i,
    input  cycle_t           due_i,    // deadline of data_i: the earliest cycle in which it comes out
    output logic             valid_o,
    input  logic             ready_i,
    output logic [Width-1:0] data_o,
    output logic             empty_o,
    output cycle_t           next_o    // deadline of the head, all ones if empty
);
  localparam int unsigned PtrW = $clog2(Depth);
  typedef logic [PtrW-1:0] ptr_t;
  typedef logic [PtrW:0] count_t;

  ptr_t wptr_q, rptr_q;
  count_t count_q, more, less;
  logic pop;
  cycle_t due;  // deadline of the head

  // The head is in the output registers of the memories.
  logic fetch;
  ptr_t head;
  always_comb begin
    fetch = push_i && empty_o;
    head  = rptr_q;
    if (pop) begin
      fetch = push_i || count_q != count_t'(1);
      head  = rptr_q + ptr_t'(1);
    end
  end
  gsu_ram #(.Words(Depth), .Width(Width), .Through(1'b1)) u_data (
      .clk_i, .we_i(push_i), .waddr_i(wptr_q), .wdata_i(data_i), .spread_i(1'b0), .re_i(fetch), .raddr_i(head), .rdata_o(data_o)
  );
  gsu_ram #(.Words(Depth), .Width(TimeW), .Through(1'b1)) u_due (
      .clk_i, .we_i(push_i), .waddr_i(wptr_q), .wdata_i(due_i), .spread_i(1'b0), .re_i(fetch), .raddr_i(head), .rdata_o(due)
  );

  // Both are computed before the push is known. The decrement has inverters, so that synthesis does not merge the two adders.
  assign more    = count_q + count_t'(1);
  assign less    = ~(~count_q + count_t'(1));
  assign space_o = count_q != count_t'(Depth);
  assign empty_o = count_q == '0;
  assign next_o  = empty_o ? '1 : Events ? due : '0;
  assign valid_o = !empty_o && at_most(due, now_i);
  assign pop     = valid_o && ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wptr_q  <= '0;
      rptr_q  <= '0;
      count_q <= '0;
    end else begin
      if (push_i) wptr_q <= wptr_q + ptr_t'(1);
      if (pop) rptr_q <= rptr_q + ptr_t'(1);
      if (push_i != pop) count_q <= pop ? less : more;
    end
  end

  `REQUIRE(PushHasSpace, !push_i || space_o)
  `ASSERT(CountFits, count_q <= count_t'(Depth) && (wptr_q - rptr_q) == count_q[PtrW-1:0])
  `ASSERT_NEXT(OutputHolds, valid_o && !ready_i, $stable(data_o) && $stable(next_o))
  `ASSERT_NEXT(IdleHolds, !push_i && (empty_o || now_i < next_o), $stable(count_q) && $stable(wptr_q) && $stable(rptr_q))
`ifdef FV_FLAT
  `ASSERT(HeadIsTheOldest, empty_o || (data_o == u_data.mem_q[rptr_q] && due == u_due.mem_q[rptr_q]))
`endif
  `COVER(Full, !space_o)
  `COVER(WrapsAround, wptr_q < rptr_q && valid_o)
endmodule
