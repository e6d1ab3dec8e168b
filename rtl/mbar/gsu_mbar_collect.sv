// gsu_mbar_collect: operands of the lanes of a request, collected from its beats, a slot a request: the next request's beats arrive meanwhile, and
// requests that wait keep theirs without holding up others (D-70): with as many slots as warps one request of each may wait.
// Finds the lanes that one commit may serve: same address and same operand as the lowest lane still to do
// (of atomics: the same CTA). Rules: D-23, MBAR-004 (per-lane addresses).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_collect
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
#(
    parameter int unsigned Slots = 64,  /// requests whose operands are held at once, a power of two up to 64
    localparam int unsigned SlotW = $clog2(Slots)
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        opnd_valid_i,
    output logic        opnd_ready_o,  // from flops: a slot is free for the beats of the next request
    input  opnd_beat_t  opnd_i,
    output logic        full_o,        // slot next_o holds all operands of the next request
    output logic [SlotW-1:0] next_o,
    input  logic        claim_i,       // that request has been taken
    input  logic [SlotW-1:0] slot_i,        // operands of the request at work
    input  logic        free_i,        // it is done with them
    input  logic        query_i,       // a group is wanted in this clock
    input  mask_t       todo_i,        // lanes not served yet, not 0 with query_i
    input  logic        bcast_i,       // lane 0 holds the operand of all lanes
    input  logic        by_phase_i,    // operands are states: they are the same if their phases are
    input  logic        by_limit_i,    // limits must be the same as well
    input  logic        by_rank_i,     // the CTA must be the same, and nothing else
    output mask_t       lanes_o,       // the group: served one by one in ascending order it is next for its address
    output logic [4:0]  lead_o,        // its lowest lane
    output logic [31:0] addr_o,
    output logic [31:0] data_o,
    output logic        phase_o,
    output logic [31:0] limit_o,
    output logic        idle_o         // without an input nothing moves
);
  typedef logic [SlotW-1:0] slot_t;
  // {slot, lane}; no reset: the flags say what is valid.
  logic [31:0] addr_q[Slots*32];
  logic [31:0] data_q[Slots*32];
  logic [31:0] limit_q[Slots*32];
  logic [31:0] phase_q[Slots];
  logic [Slots-1:0] used_q;                  // filling, filled or claimed
  logic fill_valid_q, fill_done_q, full_q;     // a slot takes beats | and has all of them | a filled slot is next
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
  assign spare        = alloc ? slot_t'(lowest_of(64'(Slots'(~used_q)))) : '0;

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
  always_ff @(posedge clk_i) begin
    if (take) begin
      for (int unsigned k = 0; k < 4; k++) begin
        if (opnd_i.mask[k]) begin
          if (opnd_i.half) begin
            limit_q[{fill_q, opnd_i.quad, 2'(k)}] <= opnd_i.lane[k].data[31:0];
          end else begin
            addr_q[{fill_q, opnd_i.quad, 2'(k)}]          <= opnd_i.lane[k].addr;
            data_q[{fill_q, opnd_i.quad, 2'(k)}]          <= opnd_i.lane[k].data[31:0];
            phase_q[fill_q][{opnd_i.quad, 2'(k)}] <= opnd_i.lane[k].data[63];
          end
        end
      end
    end
  end

  logic [SlotW+4:0] lead;
  mask_t same_addr, same, other;
  always_comb begin
    lead_o = '0;
    lanes_o = '0;
    same_addr = '0;
    same = '0;
    other = '0;
    if (query_i) lead_o = 5'(lowest_of(64'(todo_i)));
    lead    = {slot_i, bcast_i ? 5'd0 : lead_o};
    addr_o  = addr_q[lead];
    data_o  = data_q[lead];
    phase_o = phase_q[slot_i][lead[4:0]];
    limit_o = limit_q[lead];
    if (query_i && bcast_i) begin
      lanes_o = todo_i;
    end else if (query_i) begin
      for (int i = 0; i < 32; i++) begin
        same_addr[i] = todo_i[i] && addr_q[{slot_i, 5'(i)}][31:24] == addr_o[31:24] && (by_rank_i || addr_q[{slot_i, 5'(i)}][23:0] == addr_o[23:0]);
        same[i] = by_rank_i || ((by_phase_i ? phase_q[slot_i][i] == phase_o : data_q[{slot_i, 5'(i)}] == data_o)
                  && (!by_limit_i || limit_q[{slot_i, 5'(i)}] == limit_o));
      end
      // Lanes above one with another operand on the same object must wait for it.
      other   = same_addr & ~same;
      lanes_o = same_addr & ~(other | -other);
    end
  end

  `REQUIRE(FreeOnlyUsed, !free_i || (used_q[slot_i] && !(full_q && slot_i == next_q) && !(fill_valid_q && slot_i == fill_q)))
  `REQUIRE(QueryOnlyUsed, !query_i || (used_q[slot_i] && todo_i != '0))
  `REQUIRE(ClaimOnlyFull, !claim_i || full_o)
  `ASSERT(LeadIsInGroup, !query_i || lanes_o[lead_o])
  `ASSERT(GroupIsToDo, (lanes_o & ~todo_i) == '0)
  `ASSERT(LeadIsLowest, !query_i || (lanes_o & ((32'd1 << lead_o) - 32'd1)) == '0)
  `ASSERT(SlotsAreUsed, (!fill_valid_q || used_q[fill_q]) && (!full_q || used_q[next_q]) && !(fill_valid_q && full_q && fill_q == next_q))
  `ASSERT(DoneIsFilling, !fill_done_q || (fill_valid_q && full_q))
  `ASSERT_NEXT(IdleHolds, idle_o && !opnd_valid_i && !claim_i && !free_i, $stable(used_q) && $stable(fill_valid_q) && $stable(full_q))
  `COVER(AllSlotsUsed, &used_q)
  `COVER(GroupStopsAtOtherOperand, query_i && other != '0 && (same_addr & same & ~lanes_o) != '0)
endmodule
