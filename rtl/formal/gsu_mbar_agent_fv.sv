// prove: name=sends engine=kind depth=3 flat=1 files=gsu_mbar_pkg,gsu_mbar_agent cover=10 limit=300
// Harness of gsu_mbar_agent with two entries. The arrival of one symbolic tag and CTA is followed from its acceptance to its last packet, while anything
// happens to the other entry. Each rank of its mask gets one packet, and no other rank does. Nothing is sent while its gate is closed. Its CTA is busy until
// the last packet has left. When its gate is open and the network takes packets, it is served after at most one other entry.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_mbar_agent_fv
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
(
    input logic        clk_i,
    input logic        rst_ni,
    input mask_t       open_i,
    input logic        push_i,
    input mbar_agent_t agent_i,
    input logic        emit_ready_i,
    input logic [16:0] sym_i  // {tag, cta}
);
  logic space_o, emit_valid_o, idle_o;
  mask_t busy_o;
  mbar_item_t emit_o;
  logic [5:0] emit_clus_o;
  logic [7:0] emit_era_o;
  gsu_mbar_agent #(.Depth(2)) dut (.*);
  `FV_RESET

  logic [16:0] sym_q;
  always_ff @(posedge clk_i) if (!fv_started_q) sym_q <= sym_i;
  logic [11:0] tag;
  logic [4:0] cta;
  assign {tag, cta} = sym_q;

  // The followed arrival as its CTA sees it.
  logic pushes, emits, open_q;
  mbar_agent_t agent_q;
  logic [15:0] seen_q, target;
  assign pushes = push_i && agent_i.tag == tag && agent_i.cta == cta;
  assign emits  = emit_valid_o && emit_ready_i && emit_o.tag == 16'(tag) && emit_o.cta == cta;
  assign target = 16'd1 << emit_o.obj[27:24];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {open_q, seen_q} <= '0;
    else begin
      if (pushes) {open_q, seen_q} <= {1'b1, 16'd0};
      if (emits) seen_q <= seen_q | target;
      if (emits && (seen_q | target) == agent_q.ranks) open_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) if (pushes) agent_q <= agent_i;
  // The followed arrival is the only one of its tag and CTA until its end.
  `ASSUME(TagIsFree, !pushes || !open_q)

  ////// Relation to the flops //////
  logic [1:0] mine;
  for (genvar i = 0; i < 2; i++) begin : gen_entry
    assign mine[i] = dut.used_q[i] && dut.entry_q[i].tag == tag && dut.entry_q[i].cta == cta;
    `ASSERT(EntryKept, !mine[i] || (dut.entry_q[i].ranks == (agent_q.ranks & ~seen_q) && dut.entry_q[i].clus == agent_q.clus
            && dut.entry_q[i].era == agent_q.era && dut.entry_q[i].warp == agent_q.warp && dut.entry_q[i].offset == agent_q.offset))
    `ASSERT(CtaTwice, !dut.used_q[i] || dut.cta_q[i] == dut.entry_q[i].cta)
    `ASSERT(SomeRankLeft, !dut.used_q[i] || dut.entry_q[i].ranks != '0)
  end
  `ASSERT(OneEntry, mine != 2'b11 && |mine == open_q)
  `ASSERT(OnlyItsRanks, !open_q || (seen_q & ~agent_q.ranks) == '0)

  ////// Properties //////
  `ASSERT(EachOnce, !emits || (open_q && (agent_q.ranks & target) != '0 && (seen_q & target) == '0 && emit_o.obj[31:28] == '0))
  `ASSERT(NotThroughTheGate, !emit_valid_o || open_i[emit_o.cta])
  `ASSERT(AsItIs, !emits || (emit_o.op == OpEvAgentArrive && emit_o.warp == agent_q.warp && emit_o.obj[23:0] == agent_q.offset && emit_o.amount == 32'd1
          && emit_o.lanes == 32'd1 && emit_o.last && emit_clus_o == agent_q.clus && emit_era_o == agent_q.era))
  `ASSERT(BusyUntilTheLast, !open_q || busy_o[cta])
  `ASSERT(BusyNoLonger, busy_o[cta] == ((dut.used_q[0] && dut.entry_q[0].cta == cta) || (dut.used_q[1] && dut.entry_q[1].cta == cta)))
  `ASSERT(IdleOwesNothing, !idle_o || !(open_q && open_i[cta]))
  // Service: while its gate is open, packets of at most one other arrival leave before its own.
  logic waits, over_q;
  assign waits = open_q && open_i[cta];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) over_q <= 1'b0;
    else over_q <= waits && (over_q || (emit_valid_o && emit_ready_i && !emits && dut.rest == '0)) && !(emits && seen_q == '0);
  end
  `ASSERT(AfterOneOther, !(over_q && waits && seen_q == '0 && emit_valid_o && emit_ready_i) || emits)
  `ASSERT(OverIsTheOther, !(over_q && seen_q == '0 && waits) || (dut.low_q == (mine[0] ? 2'b11 : 2'b01)))
  `ASSERT(SomethingLeaves, !waits || emit_valid_o)
  `COVER(TwoRanks, emits && seen_q != '0)
  `COVER(AfterTheOther, emits && over_q)
  `COVER(WaitsForTheGate, open_q && !open_i[cta] && emit_valid_o)
endmodule
