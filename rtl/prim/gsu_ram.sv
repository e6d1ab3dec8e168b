// gsu_ram: a memory with one write and one read a clock. A read fills the output register, which shows the word from the next clock until the next read.
// A memory compiler's macro may replace it: there is no reset, and a word that was never written is unknown. If a word is read in the clock in which parts of
// it are written, the other parts are read unchanged. The written parts are unknown, or with Through have their new values.
// SPDX-License-Identifier: Apache-2.0
module gsu_ram #(
    parameter int unsigned Words = 64,    /// words
    parameter int unsigned Width = 32,    /// bits of a part of a word
    parameter int unsigned Parts = 1,     /// parts of a word: each has a write enable
    parameter bit          Through = 0,   /// a part that is written and read in the same clock is read as written
`ifdef GSU_EDGE_CLOCKS
    parameter bit          InOrder = Parts > 1,  /// the form for fast models (gsu_rams.same proves that both are the same)
`else
    parameter bit          InOrder = 0,
`endif
    localparam int unsigned AddrW = Words > 1 ? $clog2(Words) : 1
) (
    input  logic                        clk_i,
    input  logic [Parts-1:0]            we_i,
    input  logic [AddrW-1:0]            waddr_i,
    input  logic [Parts-1:0][Width-1:0] wdata_i,
    input  logic                        spread_i,  // every part is written with the first part of wdata_i
    input  logic                        re_i,
    input  logic [AddrW-1:0]            raddr_i,
    output logic [Parts-1:0][Width-1:0] rdata_o  // from flops
);
  logic [Width-1:0] mem_q[Words*Parts];
  logic [Parts-1:0][Width-1:0] out_q;
  if (InOrder) begin : gen_in_order
    always_ff @(posedge clk_i) begin
      if (re_i) begin
        for (int unsigned p = 0; p < Parts; p++) begin
          if (Through && we_i[p] && waddr_i == raddr_i) out_q[p] <= wdata_i[spread_i ? 0 : p];
          else out_q[p] <= mem_q[32'(raddr_i)*Parts+p];
        end
      end
      // Blocking assignments after the read, in the only process that uses the words: a simulator keeps no part until the end of the clock.
      /* verilator lint_off BLKSEQ */
      if (|we_i) begin
        // verilog_lint: waive always-ff-non-blocking
        for (int unsigned p = 0; p < Parts; p++) if (we_i[p]) mem_q[32'(waddr_i)*Parts+p] = wdata_i[spread_i ? 0 : p];
      end
      /* verilator lint_on BLKSEQ */
    end
  end else begin : gen_clocked
    always_ff @(posedge clk_i) begin
      if (|we_i) begin
        for (int unsigned p = 0; p < Parts; p++) if (we_i[p]) mem_q[32'(waddr_i)*Parts+p] <= wdata_i[spread_i ? 0 : p];
      end
      if (re_i) begin
        for (int unsigned p = 0; p < Parts; p++) begin
          if (Through && we_i[p] && waddr_i == raddr_i) out_q[p] <= wdata_i[spread_i ? 0 : p];
          else out_q[p] <= mem_q[32'(raddr_i)*Parts+p];
        end
      end
    end
  end
  assign rdata_o = out_q;
endmodule
