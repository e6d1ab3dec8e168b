// prove: name=idle engine=kind depth=3 files=gsu_ram,gsu_delay,gsu_net_cbar skip=NewsHasMembers|PushHasSpace|FlipNeeds|FreeMeans|OneNews|NewsHolds|FreeAfterDrain|EndsOnce
// prove: name=local engine=pdr files=gsu_ram,gsu_delay,gsu_net_cbar skip=IdleHolds|OutputHolds limit=600 cover=14 define=FV_LOCAL
// Harness of gsu_net_cbar alone: its own checks, for any order of reports that the SMs may send. The task gsu_cluster_barrier.pair proves the whole.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_net_cbar_fv
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cycle_t any_now_i,
    input cfg_t any_cfg_i,
    input logic clus_valid_i,
    input clus_cfg_t clus_i,
    input logic up_valid_i,
    input cb_up_t up_i,
    input logic [1:0][1:0] any_alive_i,
    input logic [1:0] dn_ready_i,
    input logic drained_i
);
  logic up_ready_o, drain_o, free_valid_o, tap_valid_o, idle_o;
  logic [1:0] dn_valid_o;
  cb_dn_t dn_o;
  logic [5:0] free_clus_o;
  tap_t tap_o;
  cycle_t next_event_o, now_i;
  cfg_t cfg_i;
  logic [1:0] alive_i[2];
  assign alive_i = '{any_alive_i[0], any_alive_i[1]};
`ifdef FV_LOCAL
  assign now_i = '0;
  assign cfg_i = '0;
  logic unused;
  assign unused = &{any_now_i, any_cfg_i};
`else
  assign now_i = any_now_i;
  assign cfg_i = any_cfg_i;
`endif
  gsu_net_cbar #(.Sms(2), .Clusters(2), .DownDepth(2)) dut (.*);
  `FV_RESET
  // All ranks of a cluster agree on its size, and none of its routes comes after its first report.
  logic [1:0] sized_q, begun_q;
  logic [1:0][4:0] ctas_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {sized_q, begun_q, ctas_q} <= '0;
    end else begin
      if (free_valid_o) {sized_q[free_clus_o[0]], begun_q[free_clus_o[0]]} <= '0;
      else if (up_valid_i && up_ready_o) begun_q[up_i.clus[0]] <= 1'b1;
      if (clus_valid_i) begin
        sized_q[clus_i.clus[0]] <= 1'b1;
        ctas_q[clus_i.clus[0]]  <= clus_i.ctas;
      end
    end
  end
  `ASSUME(SameSize, !clus_valid_i || ((!sized_q[clus_i.clus[0]] || ctas_q[clus_i.clus[0]] == clus_i.ctas) && !begun_q[clus_i.clus[0]]))
  `ASSUME(Small, clus_i.ctas <= 3)
  // CLU-005: clusters are independent. A message is about the cluster that reported; a free slot follows the drain of its packets (D-41).
  logic ends;
  assign ends = tap_valid_o && tap_o.op == OpEvCtaFree;
  `ASSERT(NewsIsAboutReporter, !tap_valid_o || ends || tap_o.obj == 32'(up_i.clus))
  `ASSERT(NoNewsWithoutReport, !tap_valid_o || ends || (up_valid_i && up_ready_o))
  logic [1:0] drain_q;  // clusters whose drain has begun
  logic running_q;
  logic [1:0] gone_q;
  `ASSUME(DrainTakesTime, !running_q || !drained_i)
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {running_q, drain_q, gone_q} <= '0;
    else begin
      running_q <= drain_o;
      if (drain_o) drain_q <= gone_q;
      if (ends) {drain_q[tap_o.obj[0]], gone_q[tap_o.obj[0]]} <= '0;
      if (dut.ends) gone_q[up_i.clus[0]] <= 1'b1;
    end
  end
  `ASSERT(FreeAfterDrain, !ends || (drain_q[tap_o.obj[0]] && drained_i))
endmodule
