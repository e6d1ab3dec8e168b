// prove: name=local engine=kind depth=6 files=gsu_skid
// prove: name=order engine=pdr files=gsu_skid define=FV_ORDER cover=14
// Harness of gsu_skid: each word comes out once, in order (D-70). Data bits are independent, so width 2 stands for any width.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_skid_fv (
    input logic clk_i,
    input logic rst_ni,
    input logic valid_i,
    input logic ready_i,
    input logic [1:0] data_i,
    input logic pick_i  // start to follow the offered word
);
  logic ready_o, valid_o, empty_o;
  logic [1:0] data_o;
  gsu_skid #(.Width(2)) dut (.*);
  `FV_RESET

`ifdef FV_ORDER
  // One symbolic word is followed: how many words are ahead of it, and its data.
  logic busy_q;
  logic [1:0] ahead_q, inside_q, word_q;
  logic push, pop, take;
  assign push = valid_i && ready_o;
  assign pop  = valid_o && ready_i;
  assign take = push && pick_i && !busy_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q   <= 1'b0;
      ahead_q  <= '0;
      inside_q <= '0;
      word_q   <= '0;
    end else begin
      inside_q <= inside_q + 2'(push) - 2'(pop);
      if (take) begin
        busy_q  <= 1'b1;
        ahead_q <= inside_q - 2'(pop);
        word_q  <= data_i;
      end else if (busy_q && pop) begin
        busy_q  <= ahead_q != 0;
        ahead_q <= ahead_q - 2'(ahead_q != 0);
      end
    end
  end
  `ASSERT(CountIsExact, empty_o == (inside_q == 0) && inside_q <= 2)
  `ASSERT(ReadyMeansRoom, ready_o == (inside_q < 2))
  `ASSERT(FollowedIsInside, !busy_q || ahead_q < inside_q)
  `ASSERT(OrderAndDataKept, !(busy_q && ahead_q == 0) || (valid_o && data_o == word_q))
  `COVER(FollowedThroughBothPlaces, busy_q && ahead_q == 1)
`endif
endmodule
