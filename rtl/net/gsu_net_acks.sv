// gsu_net_acks: carries acknowledgements from the owners of objects back to the sources of the packets. A source takes every acknowledgement at once. So an
// acknowledgement waits only for its time and for others to the same source, and never for packets.
// Rules: D-38, D-54 (what a release waits for), D-70 (a full port refuses, no owner starves).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_net_acks
  import gsu_pkg::*;
#(
    parameter int unsigned Sms = MaxSms,  /// SMs
    parameter int unsigned Depth = 128    /// acknowledgements in flight from one owner, a power of two; dsm_hop of them are enough for the full rate
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    input  cycle_t         now_i,
    input  logic [15:0]    hop_i,        // latency in clocks
    input  logic [Sms-1:0] ack_valid_i,  // each holds until ready
    output logic [Sms-1:0] ack_ready_o,
    input  ack_t           ack_i[Sms],
    output logic [Sms-1:0] ack_valid_o,  // pulses, from flops
    output ack_t [Sms-1:0] ack_o,        // meaningful where valid
    output logic           idle_o,       // nothing to do before next_o without an input
    output cycle_t         next_o        // earliest deadline, all ones if none
);
  localparam int unsigned PtrW = $clog2(Depth);
  localparam int unsigned SmW = Sms > 1 ? $clog2(Sms) : 1;
  typedef logic [Sms-1:0] sms_t;
  typedef logic [SmW-1:0] sm_t;
  typedef logic [PtrW-1:0] ptr_t;
  typedef struct packed {
    cycle_t due;
    ack_t   ack;
  } entry_t;

  ptr_t wptr_q[Sms];
  ptr_t rptr_q[Sms];
  sms_t used_q, full_q;
  sms_t after_q[Sms];  // for each source: owners after the one served last

  sms_t push, arrived, pop, go;
  sms_t [Sms-1:0] grant;  // for each source: the owner served
  logic [Sms-1:0][SmW-1:0] from, to;
  entry_t [Sms-1:0] head, entry;  // each head is in the output register of its memory
  sms_t fetch;
  ptr_t read[Sms];
  assign ack_ready_o = ~full_q;
  assign push        = ack_valid_i & ~full_q;
  // In simulation this is skipped in clocks in which nothing moves.
  always_comb begin
    entry = '0;
    fetch = '0;
    read  = '{default: '0};
    if (|push || |go || Eager) begin
      fetch = pop | (push & ~used_q);
      for (int s = 0; s < int'(Sms); s++) begin
        entry[s] = '{due: now_i + cycle_t'(hop_i), ack: ack_i[s]};
        read[s]  = pop[s] ? rptr_q[s] + ptr_t'(1) : rptr_q[s];
      end
    end
  end
  gsu_rams #(.Banks(Sms), .Words(Depth), .Width($bits(entry_t)), .Through(1'b1)) u_way (
      .clk_i, .we_i(push), .waddr_i(wptr_q), .wdata_i(entry), .re_i(fetch), .raddr_i(read), .rdata_o(head)
  );
  always_comb begin
    arrived = '0;
    if (|used_q) for (int s = 0; s < int'(Sms); s++) arrived[s] = used_q[s] && at_most(head[s].due, now_i);
  end
  for (genvar s = 0; s < int'(Sms); s++) begin : gen_owner
    assign to[s] = sm_t'(head[s].ack.sm);
  end
  // Each source gets one acknowledgement a clock. The owners with an acknowledgement for that source take turns.
  for (genvar d = 0; d < int'(Sms); d++) begin : gen_source
    sms_t want;
    always_comb begin
      want     = '0;
      grant[d] = '0;
      from[d]  = '0;
      if (|arrived) begin
        for (int s = 0; s < int'(Sms); s++) want[s] = arrived[s] && to[s] == sm_t'(d);
        from[d] = sm_t'(turn_of(64'(want), 64'(after_q[d])));
        if (|want) grant[d][from[d]] = 1'b1;
      end
    end
    assign go[d] = |want;
  end
  always_comb begin
    pop = '0;
    if (|go) for (int d = 0; d < int'(Sms); d++) pop = pop | grant[d];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wptr_q      <= '{default: '0};
      rptr_q      <= '{default: '0};
      after_q     <= '{default: ~sms_t'(1)};
      used_q      <= '0;
      full_q      <= '0;
      ack_valid_o <= '0;
    end else begin
      ack_valid_o <= go;
      if (|push || |go) begin
        for (int s = 0; s < int'(Sms); s++) begin
          if (go[s]) after_q[s] <= ~sms_t'(1) << from[s];
          if (push[s]) wptr_q[s] <= wptr_q[s] + ptr_t'(1);
          if (pop[s]) rptr_q[s] <= rptr_q[s] + ptr_t'(1);
          if (push[s] != pop[s]) begin
            used_q[s] <= push[s] || wptr_q[s] != ptr_t'(rptr_q[s] + ptr_t'(1));
            full_q[s] <= push[s] && rptr_q[s] == ptr_t'(wptr_q[s] + ptr_t'(1));
          end
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (|go) begin
      for (int s = 0; s < int'(Sms); s++) begin
        if (go[s]) begin
          ack_o[s]    <= head[from[s]].ack;
          ack_o[s].sm <= 5'(from[s]);
        end
      end
    end
  end

  assign idle_o = ack_valid_o == '0;
  // The earliest deadline of the heads, by a tree of comparisons.
  function automatic cycle_t earliest();
    cycle_t of_head[Sms];
    for (int s = 0; s < int'(Sms); s++) of_head[s] = used_q[s] ? head[s].due : '1;
    for (int half = 1 << (SmW - 1); half >= 1; half = half / 2) begin
      for (int s = 0; s < half && s + half < int'(Sms); s++) if (of_head[s+half] < of_head[s]) of_head[s] = of_head[s+half];
    end
    earliest = of_head[0];
  endfunction
  always_comb begin
    next_o = '1;
    if (|used_q) next_o = Events ? earliest() : '0;
  end

  sms_t lost;  // only for the checks: the acknowledgement names no SM
  for (genvar s = 0; s < int'(Sms); s++) begin : gen_lost
    assign lost[s] = ack_valid_i[s] && 32'(ack_i[s].sm) >= Sms;
  end
  `REQUIRE(SourceExists, lost == '0)
  `ASSERT(OneOwnerPerSource, $countones(go) == $countones(pop) && (pop & ~arrived) == '0)
  `ASSERT(FullIsUsed, (full_q & ~used_q) == '0)
  `ASSERT(PushHasSpace, (push & full_q) == '0)
`ifdef FV_FLAT
  for (genvar s = 0; s < int'(Sms); s++) begin : gen_head
    `ASSERT(HeadIsTheOldest, !used_q[s] || head[s] == u_way.gen_one.mem_q[s*int'(Depth)+int'(rptr_q[s])])
  end
`endif
  `ASSERT(SomeoneIsServed, arrived == '0 || |pop)
  `ASSERT_NEXT(IdleHolds, idle_o && !(|ack_valid_i) && now_i < next_o, $stable(used_q) && $stable(full_q) && $stable(next_o) && ack_valid_o == '0)
  `COVER(TwoOwnersOneSource, $countones(arrived) > $countones(go))
  `COVER(OwnerFull, |full_q)
  `COVER(TwoSourcesAtOnce, $countones(go) > 1)
endmodule
