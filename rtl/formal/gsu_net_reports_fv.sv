// prove: name=idle engine=kind depth=3 files=gsu_ram,gsu_rams,gsu_net_reports define=FV_TIME skip=FullIsUsed
// prove: name=order engine=pdr files=gsu_ram,gsu_rams,gsu_net_reports define=FV_ORDER skip=IdleHolds limit=600 cover=12
// Harness of gsu_net_reports with two SMs and queues of two. One symbolic report is followed. It comes out once, in order, within a bound (D-70).
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_net_reports_fv
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cycle_t any_now_i,
    input logic [15:0] any_latency_i,
    input logic [1:0] up_valid_i,
    input cb_up_t [1:0] any_up_i,
    input logic ready_i,
    input logic pick_i,
    input logic sym_i
);
  logic [1:0] up_ready_o;
  logic valid_o;
  cb_up_t report_o;
  cb_up_t up_i[2];
  cycle_t next_o, now_i;
  logic [15:0] latency_i;
`ifdef FV_TIME
  assign {now_i, latency_i} = {any_now_i, any_latency_i};
`else
  assign {now_i, latency_i} = '0;
  logic unused;
  assign unused = &{any_now_i, any_latency_i};
`endif
  // The rank names the SM, so that the harness can tell whose report comes out.
  always_comb begin
    for (int s = 0; s < 2; s++) begin
      up_i[s] = any_up_i[s];
      up_i[s].rank = 5'(s);
    end
  end
  gsu_net_reports #(.Sms(2), .Depth(2)) dut (.*);
  `FV_RESET
`ifdef FV_ORDER
  logic sym_q, follow_q, goes, comes, some;
  logic [1:0] ahead_q, inside_q, waited_q;
  logic [5:0] clus_q;
  always_ff @(posedge clk_i) if (!rst_ni) sym_q <= sym_i;
  assign goes  = up_valid_i[sym_q] && up_ready_o[sym_q];
  assign some  = valid_o && ready_i;
  assign comes = some && report_o.rank == 5'(sym_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {follow_q, ahead_q, inside_q, clus_q, waited_q} <= '0;
    end else begin
      inside_q <= inside_q + 2'(goes) - 2'(comes);
      if (inside_q == 0 || comes) waited_q <= '0;
      else if (some) waited_q <= waited_q + 2'(waited_q != 3);
      if (goes && pick_i && !follow_q) begin
        follow_q <= 1'b1;
        ahead_q  <= inside_q - 2'(comes);
        clus_q   <= up_i[sym_q].clus;
      end else if (follow_q && comes) begin
        follow_q <= ahead_q != 0;
        ahead_q  <= ahead_q - 2'(ahead_q != 0);
      end
    end
  end
  `ASSERT(NothingFromNothing, !comes || inside_q != 0)
  `ASSERT(ReadyMeansRoom, up_ready_o[sym_q] == (inside_q != 2))
  `ASSERT(OrderAndDataKept, !(follow_q && ahead_q == 0 && comes) || report_o.clus == clus_q)
  `ASSERT(FollowedIsInside, !follow_q || ahead_q < inside_q)
  `ASSERT(NextButOne, waited_q <= 1)
  `ASSERT(ValidWhileInside, inside_q == 0 || valid_o)
`endif
endmodule
