// gsu_mbar_agent: sends the arrivals of agents that are not threads (tcgen05.commit) to objects of other CTAs. It sends one packet for each rank of the mask
// when the cluster's entry gate is open. An entry waits for its own gate only; the entries whose gates are open take turns.
// Rules: D-38, D-41, D-66 (as for other remote arrivals).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_agent
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
#(
    parameter int unsigned Depth = 4  /// entries, 2..16: arrivals that wait or are being sent; a further one waits at the port
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  mask_t       open_i,        // per CTA slot: its entry gate is open
    input  logic        push_i,        // pulse, only with space_o
    output logic        space_o,       // from flops
    input  mbar_agent_t agent_i,       // ranks is not 0
    output mask_t       busy_o,        // from flops, per CTA slot: it has an entry
    output logic        emit_valid_o,
    input  logic        emit_ready_i,
    output mbar_item_t  emit_o,
    output logic [5:0]  emit_clus_o,   // cluster of emit_o.cta
    output logic [7:0]  emit_era_o,    // its era
    output logic        idle_o         // without an input nothing changes
);
  if (Depth < 2 || Depth > 16) begin : gen_out_of_range
    $error("gsu_mbar_agent: Depth must be 2..16");
  end
  typedef logic [Depth-1:0] set_t;
  typedef logic [$clog2(Depth)-1:0] idx_t;
  set_t used_q, can, above, low_q;  // low_q: entries up to and including the one served last
  mbar_agent_t entry_q[Depth];  // no reset: valid where used_q
  logic [4:0] cta_q[Depth];     // a copy of the entry's CTA, so that the gate is looked up before the entry is read
  mbar_agent_t now;
  idx_t free, pick;
  logic [3:0] rank;
  logic [15:0] rest;
  assign space_o = used_q != '1;
  always_comb begin
    free = '0;
    if (push_i) free = idx_t'(lowest_of(64'(set_t'(~used_q))));
  end
  always_comb begin
    {can, busy_o} = '0;
    if (used_q != '0 || Eager) begin
      for (int i = 0; i < int'(Depth); i++) begin
        can[i] = used_q[i] && open_i[cta_q[i]];
        if (used_q[i]) busy_o[cta_q[i]] = 1'b1;
      end
    end
  end
  assign emit_valid_o = can != '0;
  assign emit_clus_o  = now.clus;
  assign emit_era_o   = now.era;
  always_comb begin
    {above, pick, now, rank, rest} = '0;
    emit_o = '0;
    if (emit_valid_o || Eager) begin
      above = can & ~low_q;
      pick  = idx_t'(lowest_of(64'(set_t'(|above ? above : can))));
      now   = entry_q[pick];
      rank  = 4'(lowest_of(64'(now.ranks)));
      rest  = now.ranks & (now.ranks - 16'd1);
    end
    if (emit_valid_o) begin
      emit_o.op     = OpEvAgentArrive;
      emit_o.cta    = now.cta;
      emit_o.warp   = now.warp;
      emit_o.tag    = 16'(now.tag);
      emit_o.lanes  = 32'd1;
      emit_o.obj    = {4'd0, rank, now.offset};
      emit_o.amount = 32'd1;
      emit_o.last   = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
      low_q  <= '0;
    end else begin
      if (push_i) used_q[free] <= 1'b1;
      if (emit_valid_o && emit_ready_i && rest == '0) begin
        used_q[pick] <= 1'b0;
        low_q        <= ~(~set_t'(1) << pick);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (push_i) {entry_q[free], cta_q[free]} <= {agent_i, agent_i.cta};
    if (emit_valid_o && emit_ready_i) entry_q[pick].ranks <= rest;
  end
  assign idle_o = !push_i && can == '0;

  `REQUIRE(PushHasSpace, !push_i || space_o)
  `REQUIRE(NamesSomebody, !push_i || agent_i.ranks != '0)
  `ASSERT(FreeIsFree, !push_i || !used_q[free])
  `COVER(Full, !space_o)
  `COVER(SeveralRanks, emit_valid_o && emit_ready_i && rest != '0)
  `COVER(GateClosed, |(used_q & ~can) && |can)
  `COVER(NetworkWaits, emit_valid_o && !emit_ready_i)
endmodule
