// gsu_rams: as many gsu_ram of one kind, a word that is written and read in the same clock is read as written. They are one array for a simulator, which then
// looks at them only while one is used; with GSU_HARDWARE they are what they stand for.
// SPDX-License-Identifier: Apache-2.0
module gsu_rams
  import gsu_pkg::*;
#(
    parameter int unsigned Banks   = 2,   /// memories
    parameter int unsigned Words   = 64,  /// words of each, a power of two
    parameter int unsigned Width   = 32,  /// bits of a word
    parameter int unsigned Sources = 1,   /// words that may be written
    localparam int unsigned AddrW  = $clog2(Words),
    localparam int unsigned FromW  = Sources > 1 ? $clog2(Sources) : 1
) (
    input  logic                          clk_i,
    input  logic [Banks-1:0]              we_i,
    input  logic [AddrW-1:0]              waddr_i[Banks],
    input  logic [Banks-1:0][FromW-1:0]   from_i,   // which of the words
    input  logic [Sources-1:0][Width-1:0] wdata_i,
    input  logic [Banks-1:0]              re_i,
    input  logic [AddrW-1:0]              raddr_i[Banks],
    input  logic [Banks-1:0]              next_i,   // the word after that address is read
    output logic [Width-1:0]              rdata_o[Banks]  // from flops
);
  if (Events) begin : gen_one
    logic [Width-1:0] mem_q[Banks*Words];
    always_ff @(posedge clk_i) begin
      if (|we_i) begin
        for (int unsigned b = 0; b < Banks; b++) if (we_i[b]) mem_q[b*Words+32'(waddr_i[b])] <= wdata_i[from_i[b]];
      end
      if (|re_i) begin
        for (int unsigned b = 0; b < Banks; b++) begin
          if (re_i[b]) begin
            if (we_i[b] && waddr_i[b] == AddrW'(raddr_i[b] + AddrW'(next_i[b]))) rdata_o[b] <= wdata_i[from_i[b]];
            else rdata_o[b] <= mem_q[b*Words+32'(AddrW'(raddr_i[b]+AddrW'(next_i[b])))];
          end
        end
      end
    end
  end else begin : gen_each
    for (genvar b = 0; b < int'(Banks); b++) begin : gen_bank
      gsu_ram #(.Words(Words), .Width(Width), .Through(1'b1)) u_ram (
          .clk_i, .we_i(we_i[b]), .waddr_i(waddr_i[b]), .wdata_i(wdata_i[from_i[b]]), .spread_i(1'b0),
          .re_i(re_i[b]), .raddr_i(AddrW'(raddr_i[b] + AddrW'(next_i[b]))), .rdata_o(rdata_o[b])
      );
    end
  end
endmodule
