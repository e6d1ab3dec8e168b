// prove: name=main engine=pdr flat=1 files=gsu_ram,gsu_delay limit=900 cover=14
// Harness of gsu_delay. One symbolic entry is followed. It comes out once, in order, with its data, not before its deadline, and as soon as it is due (D-70).
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_delay_fv
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cycle_t now_i,
    input logic push_i,
    input logic ready_i,
    input logic [1:0] data_i,
    input cycle_t due_i,
    input logic pick_i  // starts following the entry now pushed
);
  logic space_o, valid_o, empty_o;
  logic [1:0] data_o;
  cycle_t next_o;
  gsu_delay #(.Width(2), .Depth(4)) dut (.*);
  `FV_RESET

  logic busy_q;
  logic [2:0] ahead_q, inside_q;
  logic [1:0] word_q;
  cycle_t due_q;
  logic pop, take;
  assign pop  = valid_o && ready_i;
  assign take = push_i && pick_i && !busy_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q   <= 1'b0;
      ahead_q  <= '0;
      inside_q <= '0;
      word_q   <= '0;
      due_q    <= '0;
    end else begin
      inside_q <= inside_q + 3'(push_i) - 3'(pop);
      if (take) begin
        busy_q  <= 1'b1;
        ahead_q <= inside_q - 3'(pop);
        word_q  <= data_i;
        due_q   <= due_i;
      end else if (busy_q && pop) begin
        busy_q  <= ahead_q != 0;
        ahead_q <= ahead_q - 3'(ahead_q != 0);
      end
    end
  end
  `ASSERT(CountIsExact, inside_q == dut.count_q)
  `ASSERT(FollowedIsInside, !busy_q || ahead_q < inside_q)
  `ASSERT(OrderAndDataKept, !(busy_q && ahead_q == 0 && valid_o) || data_o == word_q)
  `ASSERT(NeverEarly, !(busy_q && ahead_q == 0 && valid_o) || now_i >= due_q)
  `ASSERT(NeverLate, !(busy_q && ahead_q == 0 && now_i >= due_q) || valid_o)
  `ASSERT(NextIsHead, !(busy_q && ahead_q == 0) || next_o == due_q)
  `COVER(FollowedBehindThree, busy_q && ahead_q == 3)
endmodule
