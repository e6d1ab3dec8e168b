// prove: name=word engine=kind depth=4 flat=1 cover=6 skip=^dut.u_way files=gsu_ram,gsu_delay,gsu_smem_model
// Harness of gsu_smem_model: two words, any bytes, answers in the clock after (gsu_delay, which has its own harness, delays later ones). The followed word
// holds the bytes that were written last, and a read returns them.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_smem_model_fv
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cycle_t now_i,
    input logic [15:0] latency_i,
    input logic req_valid_i,
    input mem_req_t req_i,
    input logic who_i
);
  logic rsp_valid_o;
  logic [63:0] rdata_o;
  gsu_smem_model #(.Words(2), .Depth(2)) dut (.*);
  `FV_RESET
  `ASSUME(AtOnce, latency_i == 16'd1)

  logic who_q, here;
  logic [63:0] word_q, mask;
  logic [7:0] known_q;
  assign here = req_valid_i && req_i.addr[3] == who_q;
  always_ff @(posedge clk_i) if (!fv_started_q) who_q <= who_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) known_q <= '0;
    else if (here && req_i.we) known_q <= known_q | req_i.be;
  end
  for (genvar b = 0; b < 8; b++) begin : gen_byte
    always_ff @(posedge clk_i) if (here && req_i.we && req_i.be[b]) word_q[8*b+:8] <= req_i.wdata[8*b+:8];
    assign mask[8*b+:8] = {8{known_q[b]}};
  end
  `ASSERT(NothingUnderWay, dut.then_empty)
  `ASSERT(WordIsWhatWasWritten, ((dut.mem_q[who_q] ^ word_q) & mask) == '0)
  `ASSERT(ReadGivesTheWord, !(here && !req_i.we) || (rsp_valid_o && ((rdata_o ^ word_q) & mask) == '0))
  `ASSERT(WritesAreNotAnswered, !(req_valid_i && req_i.we) || !rsp_valid_o)
  `COVER(ReadAfterTwoWrites, here && !req_i.we && known_q == 8'h81)
endmodule
