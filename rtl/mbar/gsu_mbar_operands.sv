// gsu_mbar_operands: holds the operands of requests, one request in a slot, and finds the lanes that one commit may serve. Operands are collected from beats
// while older requests are processed. A waiting request keeps its slot and holds up no other (D-70); with a slot per warp, one request of each may wait.
// Each walk has an output register of the memories, which has the operands of its request from the clock after take_i.
// One commit may serve the lanes with the same address and operand as the lowest unserved lane (for atomics: in the same CTA).
// Rules: D-23, MBAR-004 (per-lane addresses).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_operands
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
#(
    parameter int unsigned Slots = 64,  /// requests whose operands are held at once, a power of two up to 64
    parameter bit          Array = Events,  /// one array: the form for simulators (gsu_mbar_operands.lanes0 proves that both are the same)
    localparam int unsigned SlotW = $clog2(Slots)
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        opnd_valid_i,
    output logic        opnd_ready_o,  // from flops: a slot is free for the beats of the next request
    input  opnd_beat_t  opnd_i,
    output logic        full_o,        // all operands of the next request have come
    output logic [SlotW-1:0] next_o,   // slot of the next request
    input  logic        claim_i,       // pulse: the next request has been taken
    input  logic [MbKinds-1:0] take_i, // pulse, per walk: it takes a request
    input  logic [MbKinds-1:0][SlotW-1:0] from_i,  // per walk: slot of that request
    input  logic [MbKinds-1:0] turn_i, // the walk that uses the next inputs in this clock, at most one
    input  logic [SlotW-1:0] slot_i,        // slot of its request
    input  logic        free_i,        // pulse: that walk no longer needs that slot
    input  logic        query_i,       // that walk requests a group in this clock
    input  mask_t       todo_i,        // lanes that are not served yet; not 0 with query_i
    input  logic        bcast_i,       // lane 0 holds the operand of all lanes
    input  logic        by_phase_i,    // operands are states, and equal if their phases are
    input  logic        by_limit_i,    // limits must be equal as well
    input  logic        by_rank_i,     // only the CTA must be equal
    output mask_t       lanes_o,       // the group. Its lanes could be served one by one in ascending order before any other lane of the same address
    output logic [4:0]  lead_o,        // its lowest lane
    output logic [31:0] addr_o,
    output logic [31:0] data_o,
    output logic        phase_o,
    output logic [31:0] limit_o,
    output logic        idle_o         // without an input nothing moves
);
  typedef logic [SlotW-1:0] slot_t;
  // The operands that are searched, with the index {slot, lane}: all slots in the array form, else only the row of the walk's request. No reset: the flags mark
  // the valid ones.
  localparam int unsigned Rows = Array ? Slots : 1;
  logic [31:0] addr[Rows*32];
  logic [31:0] data[Rows*32];
  logic [31:0] limit[Rows*32];
  mask_t       phase[Rows];
  logic [Slots-1:0] used_q;                  // filling, filled or claimed
  logic fill_valid_q, fill_done_q, full_q;     // a slot takes beats | it has all of them | the next slot is filled
  slot_t fill_q, next_q, spare;
  logic take, filled, move, alloc;

  assign opnd_ready_o = fill_valid_q && !fill_done_q;
  assign take         = opnd_valid_i && opnd_ready_o;
  assign full_o       = full_q;
  assign next_o       = next_q;
  assign filled       = fill_done_q || (take && opnd_i.last);
  assign move         = filled && (!full_q || claim_i);
  assign alloc        = (move || !fill_valid_q) && used_q != '1;
  assign idle_o       = fill_valid_q || used_q == '1;
  always_comb begin
    spare = '0;
    if (alloc) spare = slot_t'(lowest_of(64'(Slots'(~used_q))));
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q       <= Slots'(1);
      fill_valid_q <= 1'b1;
      fill_done_q  <= 1'b0;
      full_q       <= 1'b0;
      fill_q       <= '0;
      next_q       <= '0;
    end else begin
      fill_valid_q <= alloc || (fill_valid_q && !move);
      fill_done_q  <= filled && !move;
      full_q       <= move || (full_q && !claim_i);
      if (move) next_q <= fill_q;
      if (alloc) begin
        fill_q        <= spare;
        used_q[spare] <= 1'b1;
      end
      if (free_i) used_q[slot_i] <= 1'b0;
    end
  end
  if (Array) begin : gen_array
    always_ff @(posedge clk_i) begin
      if (take) begin
        for (int unsigned k = 0; k < 4; k++) begin
          if (opnd_i.mask[k]) begin
            if (opnd_i.half) begin
              limit[{fill_q, opnd_i.quad, 2'(k)}] <= opnd_i.lane[k].data[31:0];
            end else begin
              addr[{fill_q, opnd_i.quad, 2'(k)}]          <= opnd_i.lane[k].addr;
              data[{fill_q, opnd_i.quad, 2'(k)}]          <= opnd_i.lane[k].data[31:0];
              phase[fill_q][{opnd_i.quad, 2'(k)}] <= opnd_i.lane[k].data[63];
            end
          end
        end
      end
    end
  end else begin : gen_rams
    // One word has all lanes of a slot. There are two copies, each read by two walks.
    mask_t we, we_half, phases;
    logic [31:0][31:0] addrs, datas;
    always_comb begin
      {we, we_half} = '0;
      if (take && opnd_i.half) we_half = 32'(opnd_i.mask) << {opnd_i.quad, 2'd0};
      else if (take) we = 32'(opnd_i.mask) << {opnd_i.quad, 2'd0};
      for (int unsigned i = 0; i < 32; i++) begin
        addrs[i]  = opnd_i.lane[i%4].addr;
        datas[i]  = opnd_i.lane[i%4].data[31:0];
        phases[i] = opnd_i.lane[i%4].data[63];
      end
    end
    logic [MbKinds-1:0][31:0][31:0] addr_of, data_of, limit_of;
    mask_t [MbKinds-1:0] phase_of;
    for (genvar g = 0; g < int'(MbKinds); g = g + 2) begin : gen_copy
      gsu_ram2 #(.Words(Slots), .Width(32), .Parts(32)) u_addr (
          .clk_i, .we_i(we), .waddr_i(fill_q), .wdata_i(addrs), .re_i(take_i[g+:2]), .raddr_i(from_i[g+:2]), .rdata_o(addr_of[g+:2])
      );
      gsu_ram2 #(.Words(Slots), .Width(32), .Parts(32)) u_data (
          .clk_i, .we_i(we), .waddr_i(fill_q), .wdata_i(datas), .re_i(take_i[g+:2]), .raddr_i(from_i[g+:2]), .rdata_o(data_of[g+:2])
      );
      gsu_ram2 #(.Words(Slots), .Width(1), .Parts(32)) u_phase (
          .clk_i, .we_i(we), .waddr_i(fill_q), .wdata_i(phases), .re_i(take_i[g+:2]), .raddr_i(from_i[g+:2]), .rdata_o(phase_of[g+:2])
      );
      if (g == 0) begin : gen_limit
        gsu_ram2 #(.Words(Slots), .Width(32), .Parts(32)) u_limit (
            .clk_i, .we_i(we_half), .waddr_i(fill_q), .wdata_i(datas), .re_i(take_i[g+:2]), .raddr_i(from_i[g+:2]), .rdata_o(limit_of[g+:2])
        );
      end else begin : gen_no_limit
        assign limit_of[g+:2] = '0;  // atomics and queries have none
      end
    end
    always_comb begin
      logic [31:0][31:0] addr_row, data_row, limit_row;
      {addr_row, data_row, limit_row, phase[0]} = '0;
      for (int w = 0; w < int'(MbKinds); w++) begin
        if (turn_i[w]) begin
          addr_row  |= addr_of[w];
          data_row  |= data_of[w];
          limit_row |= limit_of[w];
          phase[0]  |= phase_of[w];
        end
      end
      for (int i = 0; i < 32; i++) {addr[i], data[i], limit[i]} = {addr_row[i], data_row[i], limit_row[i]};
    end
  end

  slot_t row;
  logic [SlotW+4:0] lead;
  mask_t same_addr, same, other;
  assign row = Array ? slot_i : '0;
  always_comb begin
    lead_o = '0;
    lanes_o = '0;
    same_addr = '0;
    same = '0;
    other = '0;
    {lead, addr_o, data_o, phase_o, limit_o} = '0;
    if (query_i) lead_o = 5'(lowest_of(64'(todo_i)));
    if (query_i || !Array) begin  // hardware selects while it decides whether there is a query
      lead    = {row, bcast_i ? 5'd0 : lead_o};
      addr_o  = addr[lead];
      data_o  = data[lead];
      phase_o = phase[row][lead[4:0]];
      limit_o = limit[lead];
    end
    if (query_i && bcast_i) begin
      lanes_o = todo_i;
    end else if (query_i) begin
      for (int i = 0; i < 32; i++) begin
        same_addr[i] = todo_i[i] && addr[{row, 5'(i)}][31:24] == addr_o[31:24] && (by_rank_i || addr[{row, 5'(i)}][23:0] == addr_o[23:0]);
        same[i] = by_rank_i || ((by_phase_i ? phase[row][i] == phase_o : data[{row, 5'(i)}] == data_o)
                  && (!by_limit_i || limit[{row, 5'(i)}] == limit_o));
      end
      // A lane must wait for a lower lane that has another operand for the same object.
      other   = same_addr & ~same;
      lanes_o = same_addr & ~(other | -other);
    end
  end

  logic unused;
  assign unused = &{1'b0, take_i, from_i};

  `REQUIRE(FreeOnlyUsed, !free_i || (used_q[slot_i] && !(full_q && slot_i == next_q) && !(fill_valid_q && slot_i == fill_q)))
  `REQUIRE(QueryOnlyUsed, !query_i || (used_q[slot_i] && todo_i != '0))
  `REQUIRE(ClaimOnlyFull, !claim_i || full_o)
  `REQUIRE(OneTurn, $onehot0(turn_i) && (!query_i || turn_i != '0))
  `ASSERT(LeadIsInGroup, !query_i || lanes_o[lead_o])
  `ASSERT(GroupIsToDo, (lanes_o & ~todo_i) == '0)
  `ASSERT(LeadIsLowest, !query_i || (lanes_o & ((32'd1 << lead_o) - 32'd1)) == '0)
  `ASSERT(SlotsAreUsed, (!fill_valid_q || used_q[fill_q]) && (!full_q || used_q[next_q]) && !(fill_valid_q && full_q && fill_q == next_q))
  `ASSERT(DoneIsFilling, !fill_done_q || (fill_valid_q && full_q))
  `ASSERT_NEXT(IdleHolds, idle_o && !opnd_valid_i && !claim_i && !free_i, $stable(used_q) && $stable(fill_valid_q) && $stable(full_q))
  `COVER(AllSlotsUsed, &used_q)
  `COVER(GroupStopsAtOtherOperand, query_i && other != '0 && (same_addr & same & ~lanes_o) != '0)
endmodule
