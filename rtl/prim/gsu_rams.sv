// gsu_rams: a bank of equal memories that work in parallel, each as gsu_ram: the queues of a network, one for each SM.
// In a simulator all memories are one array, which is evaluated only while one of them is used. The proof gsu_rams.same shows that both forms are the same.
// SPDX-License-Identifier: Apache-2.0
module gsu_rams
  import gsu_pkg::*;
#(
    parameter int unsigned Banks = 2,      /// memories
    parameter int unsigned Words = 64,     /// words of each, a power of two
    parameter int unsigned Width = 32,     /// bits of a word
    parameter bit          Through = 0,    /// a word that is written and read in the same clock is read as written; without, it is not
    parameter bit          Array = Events, /// one array for all memories: the form for simulators
    localparam int unsigned AddrW = Words > 1 ? $clog2(Words) : 1
) (
    input  logic                        clk_i,
    input  logic [Banks-1:0]            we_i,
    input  logic [AddrW-1:0]            waddr_i[Banks],
    input  logic [Banks-1:0][Width-1:0] wdata_i,
    input  logic [Banks-1:0]            re_i,
    input  logic [AddrW-1:0]            raddr_i[Banks],
    output logic [Banks-1:0][Width-1:0] rdata_o  // from flops
);
  if (Array) begin : gen_one
    logic [Width-1:0] mem_q[Banks*Words];
    always_ff @(posedge clk_i) begin
      if (|we_i) begin
        for (int unsigned b = 0; b < Banks; b++) if (we_i[b]) mem_q[b*Words+32'(waddr_i[b])] <= wdata_i[b];
      end
      if (|re_i) begin
        for (int unsigned b = 0; b < Banks; b++) begin
          if (re_i[b]) rdata_o[b] <= Through && we_i[b] && waddr_i[b] == raddr_i[b] ? wdata_i[b] : mem_q[b*Words+32'(raddr_i[b])];
        end
      end
    end
  end else begin : gen_each
    for (genvar b = 0; b < int'(Banks); b++) begin : gen_bank
      gsu_ram #(.Words(Words), .Width(Width), .Through(Through)) u_ram (
          .clk_i, .we_i(we_i[b]), .waddr_i(waddr_i[b]), .wdata_i(wdata_i[b]), .spread_i(1'b0), .re_i(re_i[b]), .raddr_i(raddr_i[b]), .rdata_o(rdata_o[b])
      );
    end
  end
endmodule
