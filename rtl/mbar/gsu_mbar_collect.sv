// gsu_mbar_collect: operands of the lanes of a request, collected from its beats; two slots, so that the next request's beats arrive meanwhile.
// Finds the lanes that one commit may serve: same address and same operand as the lowest lane still to do. Rules: D-23, MBAR-004 (per-lane addresses).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_collect
  import gsu_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        opnd_valid_i,
    output logic        opnd_ready_o,  // a slot is free for the beats of the next request
    input  opnd_beat_t  opnd_i,
    output logic        full_o,        // the older slot holds all operands of the next request
    input  logic        free_i,        // the request of the older slot is done with it
    input  logic        query_i,       // a group is wanted in this clock
    input  mask_t       todo_i,        // lanes not served yet, not 0 with query_i
    input  logic        bcast_i,       // lane 0 holds the operand of all lanes
    input  logic        by_phase_i,    // operands are states: they are the same if their phases are
    input  logic        by_limit_i,    // limits must be the same as well
    output mask_t       lanes_o,       // the group: served one by one in ascending order it is next for its address
    output logic [4:0]  lead_o,        // its lowest lane
    output logic [31:0] addr_o,
    output logic [31:0] data_o,
    output logic        phase_o,
    output logic [31:0] limit_o,
    output logic        empty_o
);
  // {slot, lane}; no reset: full_q says what is valid.
  logic [31:0] addr_q[64];
  logic [31:0] data_q[64];
  logic [31:0] limit_q[64];
  logic [63:0] phase_q;
  logic [1:0] full_q;
  logic wslot_q, rslot_q, some_q;
  logic take;

  assign opnd_ready_o = !full_q[wslot_q];
  assign take         = opnd_valid_i && opnd_ready_o;
  assign full_o       = full_q[rslot_q];
  assign empty_o      = full_q == '0 && !some_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q  <= '0;
      wslot_q <= 1'b0;
      rslot_q <= 1'b0;
      some_q  <= 1'b0;
    end else begin
      if (free_i) begin
        full_q[rslot_q] <= 1'b0;
        rslot_q         <= !rslot_q;
      end
      if (take) begin
        some_q <= !opnd_i.last;
        if (opnd_i.last) begin
          full_q[wslot_q] <= 1'b1;
          wslot_q         <= !wslot_q;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (take) begin
      for (int unsigned k = 0; k < 4; k++) begin
        if (opnd_i.mask[k]) begin
          if (opnd_i.half) begin
            limit_q[{wslot_q, opnd_i.quad, 2'(k)}] <= opnd_i.lane[k].data[31:0];
          end else begin
            addr_q[{wslot_q, opnd_i.quad, 2'(k)}]  <= opnd_i.lane[k].addr;
            data_q[{wslot_q, opnd_i.quad, 2'(k)}]  <= opnd_i.lane[k].data[31:0];
            phase_q[{wslot_q, opnd_i.quad, 2'(k)}] <= opnd_i.lane[k].data[63];
          end
        end
      end
    end
  end

  logic [5:0] lead;
  mask_t same_addr, same, other;
  always_comb begin
    lead_o = '0;
    lanes_o = '0;
    same_addr = '0;
    same = '0;
    other = '0;
    if (query_i) begin
      for (int i = 31; i >= 0; i--) if (todo_i[i]) lead_o = 5'(i);
    end
    lead    = {rslot_q, bcast_i ? 5'd0 : lead_o};
    addr_o  = addr_q[lead];
    data_o  = data_q[lead];
    phase_o = phase_q[lead];
    limit_o = limit_q[lead];
    if (query_i && bcast_i) begin
      lanes_o = todo_i;
    end else if (query_i) begin
      for (int i = 0; i < 32; i++) begin
        same_addr[i] = todo_i[i] && addr_q[{rslot_q, 5'(i)}] == addr_o;
        same[i] = (by_phase_i ? phase_q[{rslot_q, 5'(i)}] == phase_o : data_q[{rslot_q, 5'(i)}] == data_o)
                  && (!by_limit_i || limit_q[{rslot_q, 5'(i)}] == limit_o);
      end
      // Lanes above one with another operand on the same object must wait for it.
      other   = same_addr & ~same;
      lanes_o = same_addr & ~(other | -other);
    end
  end

  `REQUIRE(FreeOnlyFull, !free_i || full_o)
  `REQUIRE(QueryOnlyFull, !query_i || (full_o && todo_i != '0))
  `ASSERT(LeadIsInGroup, !query_i || lanes_o[lead_o])
  `ASSERT(GroupIsToDo, (lanes_o & ~todo_i) == '0)
  `ASSERT(LeadIsLowest, !query_i || (lanes_o & ((32'd1 << lead_o) - 32'd1)) == '0)
  `COVER(BothSlotsFull, &full_q)
  `COVER(GroupStopsAtOtherOperand, query_i && other != '0 && (same_addr & same & ~lanes_o) != '0)
endmodule
