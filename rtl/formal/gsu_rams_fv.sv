// prove: name=same engine=kind depth=2 flat=1 files=gsu_ram,gsu_rams
// Harness of gsu_rams, two memories of four words: one array, and one memory for each bank, give the same for every word that has been written. And of
// gsu_ram with two parts: both of its forms give the same.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_rams_fv
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic [1:0] we_i,
    input logic [1:0][1:0] at_i,
    input logic [1:0][1:0] wdata_i,
    input logic [1:0] re_i,
    input logic [1:0][1:0] from_i
);
  logic [1:0] waddr_i[2];
  logic [1:0] raddr_i[2];
  for (genvar b = 0; b < 2; b++) begin : gen_port
    assign {waddr_i[b], raddr_i[b]} = {at_i[b], from_i[b]};
  end
  `FV_RESET
  for (genvar t = 0; t < 2; t++) begin : gen_through
    logic [1:0][1:0] one, each;
    gsu_rams #(.Banks(2), .Words(4), .Width(2), .Through(1'(t)), .Array(1'b1)) u_one (.*, .rdata_o(one));
    gsu_rams #(.Banks(2), .Words(4), .Width(2), .Through(1'(t)), .Array(1'b0)) u_each (.*, .rdata_o(each));
    for (genvar b = 0; b < 2; b++) begin : gen_bank
      logic [3:0] known_q;  // words that have been written
      logic read_q;         // the last read was of such a word
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) {known_q, read_q} <= '0;
        else begin
          if (we_i[b]) known_q[at_i[b]] <= 1'b1;
          if (re_i[b]) read_q <= known_q[from_i[b]] || (t != 0 && we_i[b] && at_i[b] == from_i[b]);
        end
      end
      `ASSERT(ReadsTheSame, !read_q || one[b] == each[b])
      for (genvar w = 0; w < 4; w++) begin : gen_word
        `ASSERT(HoldsTheSame, !known_q[w] || u_one.gen_one.mem_q[4*b+w] == u_each.gen_each.gen_bank[b].u_ram.mem_q[w])
      end
    end
  end
  for (genvar t = 0; t < 2; t++) begin : gen_parts
    logic [1:0][1:0] steps, clocked;
    gsu_ram #(.Words(4), .Width(2), .Parts(2), .Through(1'(t)), .InOrder(1'b1)) u_steps (
        .clk_i, .we_i, .waddr_i(at_i[0]), .wdata_i, .spread_i(re_i[1]), .re_i(re_i[0]), .raddr_i(from_i[0]), .rdata_o(steps)
    );
    gsu_ram #(.Words(4), .Width(2), .Parts(2), .Through(1'(t)), .InOrder(1'b0)) u_clocked (
        .clk_i, .we_i, .waddr_i(at_i[0]), .wdata_i, .spread_i(re_i[1]), .re_i(re_i[0]), .raddr_i(from_i[0]), .rdata_o(clocked)
    );
    for (genvar p = 0; p < 2; p++) begin : gen_part
      logic [3:0] known_q;
      logic read_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) {known_q, read_q} <= '0;
        else begin
          if (we_i[p]) known_q[at_i[0]] <= 1'b1;
          if (re_i[0]) read_q <= known_q[from_i[0]] || (t != 0 && we_i[p] && at_i[0] == from_i[0]);
        end
      end
      `ASSERT(PartReadsTheSame, !read_q || steps[p] == clocked[p])
      for (genvar w = 0; w < 4; w++) begin : gen_word
        `ASSERT(PartHoldsTheSame, !known_q[w] || u_steps.mem_q[2*w+p] == u_clocked.mem_q[2*w+p])
      end
    end
  end
  logic unused;
  assign unused = &{1'b0, clk_i};
endmodule
