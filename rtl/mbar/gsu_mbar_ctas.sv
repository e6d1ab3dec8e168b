// gsu_mbar_ctas: table of the shared-memory window and the cluster place of each CTA slot, with three read ports. A slot is live from its launch to the end
// of its CTA.
// Rules: D-66, D-72 (windows), D-41 (a late update of an ended CTA finds it not live).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_ctas
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
(
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       launch_valid_i,  // pulse; the slot is not live
    input  launch_t    launch_i,
    input  logic       end_valid_i,     // pulse: the CTA has ended
    input  logic [4:0] end_cta_i,
    input  logic [4:0] local_cta_i,     // slot of local_o, in the same clock; likewise the other two
    output mbar_cta_t  local_o,
    input  logic [4:0] async_cta_i,
    output mbar_cta_t  async_o,
    input  logic [4:0] remote_cta_i,
    output mbar_cta_t  remote_o
);
  logic [31:0] live_q;
  mbar_cta_t   table_q[MaxCtas];  // no reset: valid where live_q

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live_q <= '0;
    end else begin
      if (end_valid_i) live_q[end_cta_i] <= 1'b0;
      if (launch_valid_i) live_q[launch_i.cta] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (launch_valid_i) begin
      table_q[launch_i.cta] <= '{
          live: 1'b1,
          base: launch_i.base[17:0],
          size: launch_i.size,
          ctas: launch_i.ctas,
          rank: launch_i.rank,
          clus: launch_i.clus,
          era: launch_i.era
      };
    end
  end

  always_comb begin
    local_o       = table_q[local_cta_i];
    local_o.live  = live_q[local_cta_i];
    async_o       = table_q[async_cta_i];
    async_o.live  = live_q[async_cta_i];
    remote_o      = table_q[remote_cta_i];
    remote_o.live = live_q[remote_cta_i];
  end

  `REQUIRE(BaseAligned, !launch_valid_i || launch_i.base[2:0] == '0)
  `REQUIRE(WindowFits, !launch_valid_i || 33'(launch_i.base) + 33'(launch_i.size) <= 33'h4_0000)
endmodule
