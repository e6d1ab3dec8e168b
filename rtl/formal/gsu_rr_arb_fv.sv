// prove: name=main engine=pdr cover=6 files=gsu_rr_arb
// Harness of gsu_rr_arb: nothing lost or invented, and a waiting stream is served within as many clocks as there are streams (D-70).
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_rr_arb_fv (
    input logic clk_i,
    input logic rst_ni,
    input logic [3:0] valid_i,
    input logic [3:0][1:0] data_i,
    input logic [1:0] who_i
);
  logic [3:0] ready_o;
  logic valid_o;
  logic [1:0] data_o;
  gsu_rr_arb #(.Width(2), .Inputs(4)) dut (.*);
  `FV_RESET

  // Any one stream is followed.
  logic [1:0] who_q;
  logic [2:0] waited_q;
  logic waits, served;
  assign waits  = valid_i[who_q];
  assign served = waits && ready_o[who_q];
  always_ff @(posedge clk_i) if (!fv_started_q) who_q <= who_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waited_q <= '0;
    end else begin
      waited_q <= waits && !served ? waited_q + 3'd1 : '0;
    end
  end
  `ASSUME(StreamHolds, !$past(rst_ni) || !$past(waits && !served) || waits)
  `ASSERT(ServedWithinFour, waited_q < 3'd4 && !(waited_q == 3'd3 && waits && !served))
  // A stream that was passed k times has at most 3-k others before it: the helper property for induction.
  logic [3:0] others_before;
  for (genvar i = 0; i < 4; i++) begin : gen_order
    assign others_before[i] = 2'(i) != who_q && (dut.low_q[i] == dut.low_q[who_q] ? 2'(i) < who_q : !dut.low_q[i]);
  end
  `ASSERT(EveryTurnBringsItCloser, 3'($countones(others_before)) + waited_q <= 3'd3)
  `ASSERT_NEXT(DataKept, served, valid_o && data_o == $past(data_i[who_q]))
  `ASSERT_NEXT(NothingInvented, valid_i == '0, !valid_o)
  `COVER(WaitedLongest, waited_q == 3'd3 && served)
endmodule
