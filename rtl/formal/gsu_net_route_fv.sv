// prove: name=goes engine=kind depth=2 flat=1 files=gsu_net_route cover=6
// Harness of gsu_net_route with two SMs and two clusters. One symbolic route is followed from its setting to its drop. A packet of any source for its rank goes
// to the SM and CTA that were set; a packet for a rank without a route goes back to its source (D-38, D-66).
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_net_route_fv
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic clus_valid_i,
    input clus_cfg_t clus_i,
    input logic drop_valid_i,
    input logic [5:0] drop_clus_i,
    input logic [1:0] valid_i,
    input pkt_t [1:0] head_i,
    input logic sym_clus_i,
    input logic [3:0] sym_rank_i
);
  logic [1:0] error_o;
  logic [1:0][4:0] sm_o, cta_o;
  gsu_net_route #(.Sms(2), .Clusters(2)) dut (.*);
  `FV_RESET
  logic known_q, clus_q, sets, drops;
  logic [3:0] rank_q;
  logic [9:0] at_q;
  always_ff @(posedge clk_i) if (!fv_started_q) {clus_q, rank_q} <= {sym_clus_i, sym_rank_i};
  assign sets  = clus_valid_i && clus_i.clus == 6'(clus_q) && clus_i.rank == 5'(rank_q);
  assign drops = drop_valid_i && drop_clus_i == 6'(clus_q);
  `ASSUME(RanksExist, !clus_valid_i || clus_i.ctas <= 5'd16)
  `ASSUME(DropsASlot, !drop_valid_i || drop_clus_i < 6'd2)
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) known_q <= 1'b0;
    else if (sets || drops) known_q <= sets;
  end
  always_ff @(posedge clk_i) if (sets) at_q <= {clus_i.sm, clus_i.cta};
  `ASSERT(KnownIsExact, dut.known_q[clus_q][rank_q] == known_q)
  `ASSERT(RouteIsKept, !known_q || dut.route_q[{clus_q, rank_q}] == at_q)
  for (genvar s = 0; s < 2; s++) begin : gen_source
    logic mine;
    assign mine = valid_i[s] && head_i[s].clus == 6'(clus_q) && head_i[s].rank == 5'(rank_q);
    `ASSUME(PacketOfASlot, !valid_i[s] || head_i[s].clus < 6'd2)
    `ASSERT(GoesWhereItWasSet, !mine || (known_q ? !error_o[s] && {sm_o[s], cta_o[s]} == at_q : error_o[s] && sm_o[s] == 5'(s)))
    `ASSERT(NoSuchRank, !(valid_i[s] && head_i[s].rank >= 5'd16) || (error_o[s] && sm_o[s] == 5'(s)))
    `COVER(Goes, mine && !error_o[s])
    `COVER(ComesBack, mine && error_o[s])
  end
endmodule
