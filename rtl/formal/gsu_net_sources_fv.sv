// prove: name=order engine=kind depth=2 flat=1 files=gsu_net_sources cover=8
// Harness of gsu_net_sources with two sources. Each port is exactly a queue of two: each packet comes out once, in order, with its source written (D-38, D-70).
// Each is compared with a reference queue.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_net_sources_fv
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic [1:0] tx_valid_i,
    input pkt_t [1:0] any_tx_i,
    input logic [1:0] head_take_i
);
  logic [1:0] tx_ready_o, head_valid_o;
  pkt_t [1:0] head_o;
  pkt_t tx_i[2];
  assign tx_i[0] = any_tx_i[0];
  assign tx_i[1] = any_tx_i[1];
  gsu_net_sources #(.Sms(2)) dut (.*);
  `FV_RESET
  function automatic pkt_t sent_by(pkt_t packet, logic [4:0] source);
    sent_by        = packet;
    sent_by.src_sm = source;
  endfunction
  for (genvar s = 0; s < 2; s++) begin : gen_port
    logic [1:0] count_q;
    pkt_t first_q, second_q, named;
    logic push, pop;
    assign push = tx_valid_i[s] && tx_ready_o[s];
    assign pop  = head_valid_o[s] && head_take_i[s];
    assign named = sent_by(any_tx_i[s], 5'(s));
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        count_q  <= '0;
        first_q  <= '0;
        second_q <= '0;
      end else begin
        count_q <= count_q + 2'(push) - 2'(pop);
        if (pop) first_q <= second_q;
        if (push && (count_q == 0 || (count_q == 1 && pop))) first_q <= named;
        if (push) second_q <= named;
      end
    end
    `ASSERT(CountIsExact, head_valid_o[s] == (count_q != 0) && count_q <= 2)
    `ASSERT(ReadyMeansRoom, tx_ready_o[s] == (count_q != 2))
    `ASSERT(HeadNamesItsSource, !head_valid_o[s] || head_o[s].src_sm == 5'(s))
    `ASSERT(HeadIsTheOldest, !head_valid_o[s] || head_o[s] == first_q)
    `ASSERT(TailIsTheNext, count_q != 2 || sent_by(dut.tail_q[s], 5'(s)) == second_q)
    `COVER(LeavesWhenFull, count_q == 2 && pop)
  end
endmodule
