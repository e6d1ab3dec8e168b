// gsu_net_route: the table of the places (SM, slot) of each cluster's CTAs. It gives the destination of the packet at the head of each source.
// Rules: D-38, D-66 (a packet to an unknown rank comes back to its source as an error). Routes of a cluster are dropped when all its CTAs are gone.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_net_route
  import gsu_pkg::*;
#(
    parameter int unsigned Sms = MaxSms,           /// sources
    parameter int unsigned Clusters = MaxClusters  /// cluster slots; proofs use fewer
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic                           clus_valid_i,  // pulse; never for a cluster whose routes are being dropped
    input  clus_cfg_t                      clus_i,
    input  logic                           drop_valid_i,  // pulse
    input  logic [5:0]                     drop_clus_i,
    input  logic [Sms-1:0]                 valid_i,
    input  pkt_t [Sms-1:0]                 head_i,        // head of each source
    output logic [Sms-1:0]                 error_o,       // per source: its destination is unknown, so the packet goes back
    output logic [Sms-1:0][4:0]            sm_o,          // per source: SM of the destination
    output logic [Sms-1:0][4:0]            cta_o          // per source: CTA slot of the destination
);
  typedef logic [(Clusters > 1 ? $clog2(Clusters) : 1)-1:0] clu_t;
  typedef logic [$clog2(MaxRanks)-1:0] rank_t;
  typedef logic [$clog2(Clusters*MaxRanks)-1:0] route_t;

  logic [9:0]  route_q[Clusters*MaxRanks];  // {sm, cta}, valid where known_q
  logic [15:0] known_q[Clusters];           // ranks with a route

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q <= '{default: '0};
    end else begin
      if (drop_valid_i) known_q[clu_t'(drop_clus_i)] <= '0;
      if (clus_valid_i) known_q[clu_t'(clus_i.clus)][rank_t'(clus_i.rank)] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (clus_valid_i) route_q[route_t'({clus_i.clus, rank_t'(clus_i.rank)})] <= {clus_i.sm, clus_i.cta};
  end

  always_comb begin
    error_o = '0;
    sm_o    = '0;
    cta_o   = '0;
    if (|valid_i) begin
      for (int s = 0; s < int'(Sms); s++) begin
        if (valid_i[s]) begin
          if (32'(head_i[s].rank) < MaxRanks && known_q[clu_t'(head_i[s].clus)][rank_t'(head_i[s].rank)]) begin
            {sm_o[s], cta_o[s]} = route_q[route_t'({head_i[s].clus, rank_t'(head_i[s].rank)})];
          end else begin
            error_o[s] = 1'b1;
            sm_o[s]    = 5'(s);
          end
        end
      end
    end
  end

  logic unused;
  assign unused = &{1'b0, clus_i};

  `REQUIRE(KnownSlot, !clus_valid_i || (32'(clus_i.clus) < Clusters && 32'(clus_i.sm) < Sms && clus_i.rank < clus_i.ctas))
  `REQUIRE(NotBeingDropped, !(clus_valid_i && drop_valid_i) || clus_i.clus != drop_clus_i)
  logic [Sms-1:0] astray;  // only for the checks: an error packet that does not go back to its source
  for (genvar s = 0; s < int'(Sms); s++) begin : gen_astray
    assign astray[s] = error_o[s] && sm_o[s] != 5'(s);
  end
  `ASSERT(ErrorGoesBack, astray == '0)
  `ASSERT(SilentWithoutPacket, |valid_i || error_o == '0)
  `COVER(UnknownRank, |error_o)
  `COVER(KnownRank, |(valid_i & ~error_o))
endmodule
