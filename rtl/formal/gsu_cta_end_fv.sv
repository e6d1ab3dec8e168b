// prove: name=main engine=pdr cover=8 files=gsu_cta_end limit=900
// Harness of gsu_cta_end: one symbolic CTA slot is followed from its gate to its release (D-41, D-47).
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_cta_end_fv
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic gate_valid_i,
    input logic [4:0] gate_cta_i,
    input mask_t arriving_i,
    input mask_t quiet_i,
    input logic [4:0] who_i
);
  logic end_valid_o, free_valid_o, idle_o;
  logic [4:0] end_cta_o, free_cta_o;
  mask_t ending_o;
  gsu_cta_end dut (.*);
  `FV_RESET

  logic [4:0] who_q;
  always_ff @(posedge clk_i) if (!fv_started_q) who_q <= who_i;
  logic gate, told, freed, open_q, told_q;
  assign gate  = gate_valid_i && gate_cta_i == who_q;
  assign told  = end_valid_o && end_cta_o == who_q;
  assign freed = free_valid_o && free_cta_o == who_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {open_q, told_q} <= '0;
    else begin
      open_q <= (open_q || gate) && !freed;
      told_q <= (told_q || told) && !freed;
    end
  end
  // The slot's gate opens again only after it was freed.
  `ASSUME(GateOfLiveSlot, !(gate && open_q))
  `ASSERT(EndAfterGate, !told || (open_q && !told_q))
  `ASSERT(EndAfterArrivals, !told || !arriving_i[who_q])
  `ASSERT(FreeAfterEnd, !freed || told_q)
  `ASSERT(FreeWhenQuiet, !freed || quiet_i[who_q])
  `ASSERT(EndingIsExact, ending_o[who_q] == (open_q || gate))
  // Lowest first: if nothing is in flight, the slot waits at most for the slots below it (D-70).
  `ASSERT(NobodyWaitsForNothing, !(open_q && !told_q && arriving_i == '0) || end_valid_o)
  `ASSERT(NobodyStaysForNothing, !(told_q && quiet_i == '1) || free_valid_o)
  `COVER(WholeLife, freed && $past(told_q))
endmodule
