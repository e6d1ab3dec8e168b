// prove: name=same engine=kind depth=2 flat=1 files=gsu_mbar_pkg,gsu_ram2,gsu_mbar_collect skip=LeadIs|GroupIsToDo
// Harness of gsu_mbar_collect, four slots, with walks that take requests and work at them in any order: memories that are read when a walk takes its
// request (dut), and one array that is looked at where it is asked for, hold the same for a lane of a slot, whichever it is, from its beat on. What is
// searched is then the same in both, and so are the groups, for the search is one piece of code.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_mbar_collect_fv
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
    input logic        by_rank_i,
    input logic [1:0]  which_slot_i,
    input logic [4:0]  which_lane_i
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
  gsu_mbar_collect #(.Slots(4), .Array(1'b0)) dut (
      .*, .opnd_ready_o(rams.ready), .full_o(rams.full), .next_o(rams.next), .lanes_o(rams.lanes), .lead_o(rams.lead), .addr_o(rams.addr),
      .data_o(rams.data), .phase_o(rams.phase), .limit_o(rams.limit), .idle_o(rams.idle)
  );
  gsu_mbar_collect #(.Slots(4), .Array(1'b1)) u_one (
      .*, .opnd_ready_o(one.ready), .full_o(one.full), .next_o(one.next), .lanes_o(one.lanes), .lead_o(one.lead), .addr_o(one.addr),
      .data_o(one.data), .phase_o(one.phase), .limit_o(one.limit), .idle_o(one.idle)
  );
  `FV_RESET

  // Requests: claimed and with no walk yet, or at work in one.
  logic [3:0] waits_q, waits_d;
  logic [MbKinds-1:0] busy_q;
  logic [MbKinds-1:0][1:0] at_q;
  // The lane that is looked at: it has been written, and so has its limit.
  logic [1:0] slot_q;
  logic [4:0] lane_q;
  logic known_q, limit_known_q, written;
  always_ff @(posedge clk_i) if (!fv_started_q) {slot_q, lane_q} <= {which_slot_i, which_lane_i};
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
    written = opnd_valid_i && rams.ready && dut.fill_q == slot_q && opnd_i.quad == lane_q[4:2] && opnd_i.mask[lane_q[1:0]];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {waits_q, busy_q, at_q, known_q, limit_known_q} <= '0;
    else begin
      waits_q <= waits_d;
      for (int w = 0; w < int'(MbKinds); w++) begin
        if (take_i[w]) {busy_q[w], at_q[w]} <= {1'b1, from_i[w]};
        else if (turn_i[w] && free_i) busy_q[w] <= 1'b0;
      end
      if (written && opnd_i.half) limit_known_q <= 1'b1;
      if (written && !opnd_i.half) known_q <= 1'b1;
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
  // Memories hold the same, and output registers what the slot at work holds.
  logic [6:0] word;
  logic [31:0] addr, data, limit;
  logic phase;
  assign word  = {slot_q, lane_q};
  assign addr  = u_one.addr[word];
  assign data  = u_one.data[word];
  assign limit = u_one.limit[word];
  assign phase = u_one.phase[slot_q][lane_q];
  logic [1:0][31:0][31:0] copy_addr, copy_data;
  logic [31:0][31:0] copy_limit;
  logic [1:0][31:0] copy_phase;
  for (genvar i = 0; i < 32; i++) begin : gen_lane
    for (genvar g = 0; g < 2; g++) begin : gen_copy
      assign copy_addr[g][i]  = dut.gen_rams.gen_copy[2*g].u_addr.gen_part[i].mem_q[slot_q];
      assign copy_data[g][i]  = dut.gen_rams.gen_copy[2*g].u_data.gen_part[i].mem_q[slot_q];
      assign copy_phase[g][i] = dut.gen_rams.gen_copy[2*g].u_phase.gen_part[i].mem_q[slot_q];
    end
    assign copy_limit[i] = dut.gen_rams.gen_copy[0].gen_limit.u_limit.gen_part[i].mem_q[slot_q];
  end
  for (genvar g = 0; g < 2; g++) begin : gen_holds
    `ASSERT(HoldsTheSame, !known_q || (copy_addr[g][lane_q] == addr && copy_data[g][lane_q] == data && copy_phase[g][lane_q] == phase))
  end
  `ASSERT(HoldsTheLimit, !limit_known_q || copy_limit[lane_q] == limit)
  for (genvar w = 0; w < int'(MbKinds); w++) begin : gen_row
    `ASSERT(ReadsTheSame, !(busy_q[w] && known_q && at_q[w] == slot_q) || (dut.gen_rams.addr_of[w][lane_q] == addr
            && dut.gen_rams.data_of[w][lane_q] == data && dut.gen_rams.phase_of[w][lane_q] == phase))
    if (w < int'(MbAtom)) begin : gen_limit
      `ASSERT(ReadsTheLimit, !(busy_q[w] && limit_known_q && at_q[w] == slot_q) || dut.gen_rams.limit_of[w][lane_q] == limit)
    end
  end
  // What is searched.
  logic here;
  assign here = query_i && slot_i == slot_q;
  `ASSERT(SearchesTheSame, !(here && known_q) || (dut.addr[lane_q] == addr && dut.data[lane_q] == data && dut.phase[0][lane_q] == phase))
  `ASSERT(SearchesTheLimit, !(here && limit_known_q && !turn_i[MbAtom] && !turn_i[MbQuery]) || dut.limit[lane_q] == limit)
  `ASSERT(SameOperand, !(here && known_q && lane_q == (bcast_i ? 5'd0 : rams.lead)) || {rams.addr, rams.data, rams.phase} == {one.addr, one.data, one.phase})
  `ASSERT(SameHandshake, {rams.ready, rams.full, rams.next, rams.idle, rams.lead} == {one.ready, one.full, one.next, one.idle, one.lead})
  `COVER(GroupOfTwo, here && limit_known_q && by_limit_i && turn_i[MbPosted] && (rams.lanes & (rams.lanes - 32'd1)) != '0 && rams.lanes != todo_i)
endmodule
