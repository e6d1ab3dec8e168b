// prove: name=lanes0 engine=kind depth=2 flat=1 files=gsu_mbar_pkg,gsu_ram2,gsu_mbar_operands define=FV_FROM=0 cover=7 skip=LeadIs|GroupIsToDo
// prove: name=lanes8 engine=kind depth=2 flat=1 files=gsu_mbar_pkg,gsu_ram2,gsu_mbar_operands define=FV_FROM=8 skip=LeadIs|GroupIsToDo
// prove: name=lanes16 engine=kind depth=2 flat=1 files=gsu_mbar_pkg,gsu_ram2,gsu_mbar_operands define=FV_FROM=16 skip=LeadIs|GroupIsToDo
// prove: name=lanes24 engine=kind depth=2 flat=1 files=gsu_mbar_pkg,gsu_ram2,gsu_mbar_operands define=FV_FROM=24 skip=LeadIs|GroupIsToDo
// Harness of gsu_mbar_operands, four slots, with walks that take and process requests in any order. It compares two forms: memories that are read when a walk
// takes its request (dut), and one array that is read on demand. Both hold the same operands of each lane from its beat on. So the search has the same inputs
// in both, and the same groups, because the search is one piece of code. Each task proves it for eight lanes.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_mbar_operands_fv
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
(
    input logic        clk_i,
    input logic        rst_ni,
    input logic        opnd_valid_i,
    input opnd_beat_t  opnd_i,
    input logic        claim_i,
    input logic [MbKinds-1:0] take_i,
    input logic [MbKinds-1:0][1:0] from_i,
    input logic [MbKinds-1:0] turn_i,
    input logic        free_i,
    input logic        query_i,
    input mask_t       todo_i,
    input logic        bcast_i,
    input logic        by_phase_i,
    input logic        by_limit_i,
    input logic        by_rank_i
);
  typedef struct packed {
    logic        ready;
    logic        full;
    logic [1:0]  next;
    mask_t       lanes;
    logic [4:0]  lead;
    logic [31:0] addr;
    logic [31:0] data;
    logic        phase;
    logic [31:0] limit;
    logic        idle;
  } outputs_t;
  outputs_t rams, one;
  logic [1:0] slot_i;
  gsu_mbar_operands #(.Slots(4), .Array(1'b0)) dut (
      .*, .opnd_ready_o(rams.ready), .full_o(rams.full), .next_o(rams.next), .lanes_o(rams.lanes), .lead_o(rams.lead), .addr_o(rams.addr),
      .data_o(rams.data), .phase_o(rams.phase), .limit_o(rams.limit), .idle_o(rams.idle)
  );
  gsu_mbar_operands #(.Slots(4), .Array(1'b1)) u_one (
      .*, .opnd_ready_o(one.ready), .full_o(one.full), .next_o(one.next), .lanes_o(one.lanes), .lead_o(one.lead), .addr_o(one.addr),
      .data_o(one.data), .phase_o(one.phase), .limit_o(one.limit), .idle_o(one.idle)
  );
  `FV_RESET

  // Requests: claimed and not yet at a walk, or processed by one.
  logic [3:0] waits_q, waits_d;
  logic [MbKinds-1:0] busy_q;
  logic [MbKinds-1:0][1:0] at_q;
  // Lanes that have been written, and their limits.
  mask_t [3:0] known_q, limit_known_q;
  mask_t written;
  logic [3:0] works;
  always_comb begin
    slot_i  = at_q[0];
    works   = '0;
    waits_d = waits_q;
    if (claim_i) waits_d[rams.next] = 1'b1;
    for (int w = 0; w < int'(MbKinds); w++) begin
      if (turn_i[w]) slot_i = at_q[w];
      if (busy_q[w]) works[at_q[w]] = 1'b1;
      if (take_i[w]) waits_d[from_i[w]] = 1'b0;
    end
    written = '0;
    if (opnd_valid_i && rams.ready) written = 32'(opnd_i.mask) << {opnd_i.quad, 2'd0};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {waits_q, busy_q, at_q, known_q, limit_known_q} <= '0;
    else begin
      waits_q <= waits_d;
      for (int w = 0; w < int'(MbKinds); w++) begin
        if (take_i[w]) {busy_q[w], at_q[w]} <= {1'b1, from_i[w]};
        else if (turn_i[w] && free_i) busy_q[w] <= 1'b0;
      end
      if (opnd_i.half) limit_known_q[dut.fill_q] <= limit_known_q[dut.fill_q] | written;
      else known_q[dut.fill_q] <= known_q[dut.fill_q] | written;
    end
  end
  `ASSUME(WorkHasATurn, !(query_i || free_i) || turn_i != '0)
  `ASSUME(TurnIsAtWork, (turn_i & ~busy_q) == '0)
  for (genvar w = 0; w < int'(MbKinds); w++) begin : gen_walk
    `ASSUME(TakesWhatWaits, !take_i[w] || (!busy_q[w] && (waits_q[from_i[w]] || (claim_i && from_i[w] == rams.next))))
    for (genvar v = 0; v < w; v++) begin : gen_other
      `ASSUME(TakesOneEach, !(take_i[w] && take_i[v]) || from_i[w] != from_i[v])
      `ASSERT(WorksAtOneEach, !(busy_q[w] && busy_q[v]) || at_q[w] != at_q[v])
    end
  end
  `ASSERT(SlotsAreUsed, ((waits_q | works) & ~dut.used_q) == '0 && (waits_q & works) == '0
          && !(dut.fill_valid_q && |((waits_q | works) & (4'd1 << dut.fill_q))) && !(dut.full_q && |((waits_q | works) & (4'd1 << dut.next_q))))
  `ASSERT(SameFlags, dut.used_q == u_one.used_q && dut.fill_valid_q == u_one.fill_valid_q && dut.fill_done_q == u_one.fill_done_q
          && dut.full_q == u_one.full_q && dut.fill_q == u_one.fill_q && dut.next_q == u_one.next_q)
  // The memories hold the same, and so do the output registers of the processed slot, and the operands that are searched.
  for (genvar i = `FV_FROM; i < `FV_FROM + 8; i++) begin : gen_lane
    logic [3:0][31:0] addr, data, limit;  // operands of this lane, one word for each slot
    logic [3:0] phase, known, limit_known;
    for (genvar k = 0; k < 4; k++) begin : gen_slot
      assign addr[k]        = u_one.addr[32*k+i];
      assign data[k]        = u_one.data[32*k+i];
      assign limit[k]       = u_one.limit[32*k+i];
      assign phase[k]       = u_one.phase[k][i];
      assign known[k]       = known_q[k][i];
      assign limit_known[k] = limit_known_q[k][i];
      for (genvar g = 0; g < int'(MbKinds); g = g + 2) begin : gen_copy
        `ASSERT(HoldsTheSame, !known[k] || (dut.gen_rams.gen_copy[g].u_addr.gen_part[i].mem_q[k] == addr[k]
                && dut.gen_rams.gen_copy[g].u_data.gen_part[i].mem_q[k] == data[k] && dut.gen_rams.gen_copy[g].u_phase.gen_part[i].mem_q[k] == phase[k]))
      end
      `ASSERT(HoldsTheLimit, !limit_known[k] || dut.gen_rams.gen_copy[0].gen_limit.u_limit.gen_part[i].mem_q[k] == limit[k])
      for (genvar w = 0; w < int'(MbKinds); w++) begin : gen_walk
        logic here;
        assign here = busy_q[w] && at_q[w] == 2'(k);
        `ASSERT(ReadsTheSame, !(here && known[k]) || {dut.gen_rams.addr_of[w][i], dut.gen_rams.data_of[w][i], dut.gen_rams.phase_of[w][i]}
                == {addr[k], data[k], phase[k]})
        if (w < int'(MbAtom)) begin : gen_limit
          `ASSERT(ReadsTheLimit, !(here && limit_known[k]) || dut.gen_rams.limit_of[w][i] == limit[k])
        end
      end
    end
    `ASSERT(SearchesTheSame, !(query_i && known[slot_i]) || {dut.addr[i], dut.data[i], dut.phase[0][i]} == {addr[slot_i], data[slot_i], phase[slot_i]})
    `ASSERT(SearchesTheLimit, !(query_i && limit_known[slot_i] && !turn_i[MbAtom] && !turn_i[MbQuery]) || dut.limit[i] == limit[slot_i])
  end
  `ASSERT(SameHandshake, {rams.ready, rams.full, rams.next, rams.idle, rams.lead} == {one.ready, one.full, one.next, one.idle, one.lead})
  `COVER(GroupOfTwo, query_i && by_limit_i && turn_i[MbPosted] && (todo_i & ~(known_q[slot_i] & limit_known_q[slot_i])) == '0
         && (rams.lanes & (rams.lanes - 32'd1)) != '0 && rams.lanes != todo_i)
endmodule
