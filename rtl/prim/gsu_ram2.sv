// gsu_ram2: a memory with one write and two reads a clock, otherwise as gsu_ram without Through. Each read has its own output register, which holds the word
// from the next clock until its next read. Parts of a word that are written in the clock of its read are unknown.
// SPDX-License-Identifier: Apache-2.0
module gsu_ram2 #(
    parameter int unsigned Words = 64,    /// words
    parameter int unsigned Width = 32,    /// bits of a part of a word
    parameter int unsigned Parts = 1,     /// parts of a word: each has a write enable
    localparam int unsigned AddrW = Words > 1 ? $clog2(Words) : 1
) (
    input  logic                        clk_i,
    input  logic [Parts-1:0]            we_i,
    input  logic [AddrW-1:0]            waddr_i,
    input  logic [Parts-1:0][Width-1:0] wdata_i,
    input  logic [1:0]                  re_i,
    input  logic [1:0][AddrW-1:0]       raddr_i,
    output logic [1:0][Parts-1:0][Width-1:0] rdata_o  // from flops
);
  for (genvar p = 0; p < int'(Parts); p++) begin : gen_part
    logic [Width-1:0] mem_q[Words];
    logic [1:0][Width-1:0] out_q;
    always_ff @(posedge clk_i) begin
      if (we_i[p]) mem_q[waddr_i] <= wdata_i[p];
    end
    for (genvar r = 0; r < 2; r++) begin : gen_read
      always_ff @(posedge clk_i) begin
        if (re_i[r]) out_q[r] <= mem_q[raddr_i[r]];
      end
      assign rdata_o[r][p] = out_q[r];
    end
  end
endmodule
