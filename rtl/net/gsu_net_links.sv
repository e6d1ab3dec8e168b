// gsu_net_links: the links of the network, one to each SM. A link takes packets from the sources in round-robin order, at its bandwidth, and delivers them
// after the latency of a hop.
// Rules: D-38 (packets from one source to one target keep their order, and none is lost), D-70 (no source starves), D-41 (drain: the targets have taken all
// packets that were offered before, so no CTA slot is freed while a packet to it is in flight).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_net_links
  import gsu_pkg::*;
#(
    parameter int unsigned Sms = MaxSms,  /// sources and targets
    parameter int unsigned Depth = 128    /// packets in flight to one SM, a power of two; dsm_hop of them are enough for the full rate
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  cycle_t              now_i,
    input  logic [15:0]         hop_i,         // latency in clocks
    input  logic [15:0]         bytes_i,       // bytes a clock and link, 0: unlimited; set a clock before the first packet
    input  logic [Sms-1:0]      head_valid_i,  // each source waits with its packet until taken
    output logic [Sms-1:0]      head_take_o,
    input  pkt_t [Sms-1:0]      head_i,        // src_sm is already written
    input  logic [Sms-1:0]      error_i,       // per source: its packet goes back to it
    input  logic [Sms-1:0][4:0] sm_i,          // per source: SM of the target
    input  logic [Sms-1:0][4:0] cta_i,         // per source: CTA slot of the target
    input  logic                drain_i,       // pulse, only with drained_o
    output logic                drained_o,     // the targets have taken all packets that were at the sources at the last drain_i
    output logic [Sms-1:0]      rx_valid_o,
    input  logic [Sms-1:0]      rx_ready_i,
    output pkt_t [Sms-1:0]      rx_o,
    output logic                idle_o,        // nothing to do before next_o without an input
    output cycle_t              next_o         // earliest deadline, all ones if none
);
  localparam int unsigned PtrW = $clog2(Depth);
  localparam int unsigned SmW = Sms > 1 ? $clog2(Sms) : 1;
  typedef logic [Sms-1:0] sms_t;
  typedef logic [SmW-1:0] sm_t;
  typedef logic [PtrW-1:0] ptr_t;

  ptr_t wptr_q[Sms];
  ptr_t rptr_q[Sms];
  sms_t used_q, full_q;         // the queue is not empty | is full
  sms_t after_q[Sms];           // sources after the one granted last
  cycle_t start_q[Sms];         // start of the last packet on the link
  logic [6:0] took_q[Sms];      // and the clocks that it takes: they are added when the next packet comes

  ////// Link time //////
  // Clocks of link time of a packet: its bytes (header, and at most 63 bytes of data) divided by the bytes a clock, rounded up. One grant a clock is the limit
  // anyway. The clocks are computed for each source in parallel with the choice of the links. 4096 is divided by the bytes a clock in advance, and a product
  // replaces the division: exact for 16 to 79 bytes by 1 to 63. The product is the sum of two parts: one for header and upper bits of the bytes, one for the
  // lower bits.
  typedef logic [18:0] parts_t;
  function automatic parts_t parts_of(logic [15:0] bytes, int amount);
    parts_of = '0;
    for (int b = 1; b < 64; b++) if (bytes == 16'(b)) parts_of = parts_t'(4096 / b * amount);
  endfunction
  logic [15:0] bytes_q;
  parts_t upper_q[8];
  parts_t lower_q[8];
  logic [6:0] header_q, most_q;  // bytes of a packet without data | of one with 63 bytes
  logic [Sms-1:0][6:0] clocks;
  always_comb begin
    clocks = '0;
    for (int s = 0; s < int'(Sms); s++) begin
      if (head_valid_i[s]) begin
        if (!(head_i[s].kind inside {PktData, PktCancel})) clocks[s] = header_q;
        else if (|head_i[s].amount[31:6]) clocks[s] = most_q;
        else clocks[s] = 7'((upper_q[head_i[s].amount[5:3]] + lower_q[head_i[s].amount[2:0]]) >> 12);
      end
    end
  end
  // The time a few clocks later: the upper bits are incremented in parallel with the sum of the lower bits.
  function automatic cycle_t later(cycle_t now, logic [6:0] by);
    logic [7:0] low;
    low   = 8'(now[6:0]) + 8'(by);
    later = {low[7] ? now[TimeW-1:7] + (TimeW-7)'(1) : now[TimeW-1:7], low[6:0]};
  endfunction

  ////// Grants: of each link to one source. A source wants one link, so they are distinct. //////
  sms_t go, arrived, pop;
  logic [Sms-1:0][SmW-1:0] from;
  always_comb begin
    sms_t want;
    want        = '0;
    go          = '0;
    from        = '0;
    head_take_o = '0;
    if (|head_valid_i) begin
      for (int d = 0; d < int'(Sms); d++) begin
        want = '0;
        for (int s = 0; s < int'(Sms); s++) want[s] = head_valid_i[s] && sm_i[s] == 5'(d);
        if (|want && !full_q[d] && at_most(later(start_q[d], took_q[d]), now_i)) begin
          go[d]   = 1'b1;
          from[d] = sm_t'(turn_of(64'(want), 64'(after_q[d])));
          head_take_o[from[d]] = 1'b1;
        end
      end
    end
  end

  ////// Queues: a packet is written in its final form. The deadline of each head is in the output register of its memory. The output register of the
  // packets' memory is that of the link. In simulation this is skipped in clocks in which nothing moves. //////
  logic [Sms-1:0][TimeW-1:0] due;  // deadlines of the heads
  pkt_t [Sms-1:0] entry;
  sms_t fetch;
  ptr_t head[Sms];
  always_comb begin
    arrived = '0;
    if (|used_q) begin
      for (int d = 0; d < int'(Sms); d++) arrived[d] = used_q[d] && at_most(due[d], now_i);
    end
  end
  assign pop = arrived & (~rx_valid_o | rx_ready_i);
  always_comb begin
    entry = '0;
    if (|go || Eager) begin
      for (int d = 0; d < int'(Sms); d++) begin
        if (go[d] || Eager) begin
          entry[d]         = head_i[from[d]];
          entry[d].dst_sm  = 5'(d);
          entry[d].dst_cta = cta_i[from[d]];
          if (error_i[from[d]]) begin
            entry[d].kind    = PktError;
            entry[d].err     = 1'b1;
            entry[d].dst_cta = head_i[from[d]].src_cta;
          end
        end
      end
    end
  end
  always_comb begin
    fetch = '0;
    head  = '{default: '0};
    if (|go || |pop || Eager) begin
      fetch = pop | (go & ~used_q);
      for (int d = 0; d < int'(Sms); d++) head[d] = pop[d] ? rptr_q[d] + ptr_t'(1) : rptr_q[d];
    end
  end
  gsu_rams #(.Banks(Sms), .Words(Depth), .Width($bits(pkt_t))) u_way (
      .clk_i, .we_i(go), .waddr_i(wptr_q), .wdata_i(entry), .re_i(pop), .raddr_i(rptr_q), .rdata_o(rx_o)
  );
  gsu_rams #(.Banks(Sms), .Words(Depth), .Width(TimeW), .Through(1'b1)) u_due (
      .clk_i, .we_i(go), .waddr_i(wptr_q), .wdata_i({Sms{now_i + cycle_t'(hop_i)}}), .re_i(fetch), .raddr_i(head), .rdata_o(due)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wptr_q     <= '{default: '0};
      rptr_q     <= '{default: '0};
      after_q    <= '{default: ~sms_t'(1)};
      start_q    <= '{default: '0};
      took_q     <= '{default: '0};
      used_q     <= '0;
      full_q     <= '0;
      rx_valid_o <= '0;
      bytes_q    <= '0;
      header_q   <= '0;
      most_q     <= '0;
      upper_q    <= '{default: '0};
      lower_q    <= '{default: '0};
    end else begin
      if (bytes_i != bytes_q) begin
        bytes_q  <= bytes_i;
        header_q <= 7'((parts_of(bytes_i, 16) + parts_t'(4095)) >> 12);
        most_q   <= 7'((parts_of(bytes_i, 79) + parts_t'(4095)) >> 12);
        for (int i = 0; i < 8; i++) begin
          upper_q[i] <= parts_of(bytes_i, 16 + 8 * i) + parts_t'(4095);
          lower_q[i] <= parts_of(bytes_i, i);
        end
      end
      rx_valid_o <= pop | (rx_valid_o & ~rx_ready_i);
      if (|go || |pop) begin
        for (int d = 0; d < int'(Sms); d++) begin
          if (go[d]) begin
            wptr_q[d] <= wptr_q[d] + ptr_t'(1);
            after_q[d] <= ~sms_t'(1) << from[d];
            start_q[d] <= now_i;
            took_q[d]  <= clocks[from[d]];
          end
          if (pop[d]) rptr_q[d] <= rptr_q[d] + ptr_t'(1);
          if (go[d] != pop[d]) begin
            used_q[d] <= go[d] || wptr_q[d] != ptr_t'(rptr_q[d] + ptr_t'(1));
            full_q[d] <= go[d] && rptr_q[d] == ptr_t'(wptr_q[d] + ptr_t'(1));
          end
        end
      end
    end
  end
  ////// Drain: first the packets that wait at the sources (at most two each) enter the links; then the links deliver all that they hold at that time //////
  typedef enum logic [1:0] {
    DrainNone    = 2'd0,
    DrainSources = 2'd1,
    DrainMark    = 2'd2,
    DrainLinks   = 2'd3
  } drain_e;
  drain_e drain_q;
  sms_t two_q, one_q;             // the source has still to give two packets | at least one
  sms_t behind_q, last_out_q;     // older packets in the queue | the last of them in the output register
  ptr_t mark_q[Sms];
  sms_t pops_last;
  assign drained_o = drain_q == DrainNone;
  always_comb begin
    pops_last = '0;
    if (drain_q == DrainMark || drain_q == DrainLinks) begin
      for (int d = 0; d < int'(Sms); d++) pops_last[d] = pop[d] && ptr_t'(rptr_q[d] + ptr_t'(1)) == (drain_q == DrainMark ? wptr_q[d] : mark_q[d]);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      drain_q    <= DrainNone;
      two_q      <= '0;
      one_q      <= '0;
      behind_q   <= '0;
      last_out_q <= '0;
    end else begin
      case (drain_q)
        DrainNone: begin
          if (drain_i) begin
            drain_q <= DrainSources;
            two_q   <= '1;
            one_q   <= '1;
          end
        end
        DrainSources: begin
          two_q <= two_q & ~head_take_o & head_valid_i;
          one_q <= one_q & ~(head_take_o & ~two_q) & head_valid_i;
          if ((one_q | two_q) == '0) drain_q <= DrainMark;
        end
        DrainMark: begin
          drain_q    <= DrainLinks;
          behind_q   <= used_q & ~pops_last;
          last_out_q <= pops_last | (~used_q & rx_valid_o & ~rx_ready_i);
        end
        default: begin
          behind_q   <= behind_q & ~pops_last;
          last_out_q <= (last_out_q & ~rx_ready_i) | (behind_q & pops_last);
          if ((behind_q | last_out_q) == '0) drain_q <= DrainNone;
        end
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (drain_q == DrainMark) begin
      for (int d = 0; d < int'(Sms); d++) mark_q[d] <= wptr_q[d];
    end
  end

  assign idle_o = head_valid_i == '0 && rx_valid_o == '0 && (drain_q == DrainNone || (drain_q == DrainLinks && behind_q != '0));
  // The earliest deadline of the heads, by a tree of comparisons.
  function automatic cycle_t earliest();
    cycle_t of_head[Sms];
    for (int s = 0; s < int'(Sms); s++) of_head[s] = used_q[s] ? due[s] : '1;
    for (int half = 1 << (SmW - 1); half >= 1; half = half / 2) begin
      for (int s = 0; s < half && s + half < int'(Sms); s++) if (of_head[s+half] < of_head[s]) of_head[s] = of_head[s+half];
    end
    earliest = of_head[0];
  endfunction
  always_comb begin
    next_o = '1;
    if (|used_q) next_o = Events ? earliest() : '0;
  end

  sms_t lost;  // only for the checks: the target is no SM
  for (genvar s = 0; s < int'(Sms); s++) begin : gen_lost
    assign lost[s] = head_valid_i[s] && 32'(sm_i[s]) >= Sms;
  end
  `REQUIRE(TargetExists, lost == '0)
  `REQUIRE(DrainOnce, !drain_i || drained_o)
  `ASSERT(DrainWaitsForUsed, drain_q != DrainLinks || (behind_q & ~used_q) == '0)
  `ASSERT(DrainWaitsForOutput, drain_q != DrainLinks || (last_out_q & ~rx_valid_o) == '0)
  `ASSERT(TakesWhatIsThere, (head_take_o & ~head_valid_i) == '0)
  `ASSERT(OneSourcePerGrant, $countones(go) == $countones(head_take_o))
  `ASSERT(FullIsUsed, (full_q & ~used_q) == '0)
  `ASSERT(PushHasSpace, (go & full_q) == '0)
  `ASSERT(PopHasPacket, (pop & ~used_q) == '0)
`ifdef FV_FLAT
  for (genvar d = 0; d < int'(Sms); d++) begin : gen_head
    `ASSERT(PointersAgree, used_q[d] == (full_q[d] || wptr_q[d] != rptr_q[d]) && (!full_q[d] || wptr_q[d] == rptr_q[d]))
    `ASSERT(DeadlineIsOfTheHead, !used_q[d] || due[d] == u_due.gen_one.mem_q[d*int'(Depth)+int'(rptr_q[d])])
  end
`endif
  `ASSERT_NEXT(OutputStays, 1'b1, ($past(rx_valid_o & ~rx_ready_i) & ~rx_valid_o) == '0)
  `ASSERT_NEXT(IdleHolds, idle_o && now_i < next_o, $stable(used_q) && $stable(full_q) && $stable(next_o) && rx_valid_o == '0)
  `COVER(Contended, |go && |(head_valid_i & ~head_take_o))
  `COVER(EveryLinkAtOnce, &go)
  `COVER(QueueFull, |full_q)
  `COVER(DrainsALink, drain_q == DrainLinks && |(behind_q & pops_last))
  `COVER(ErrorTurnsBack, |(head_take_o & error_i))
  // No check names rx_o: Verilator 5.006 samples the whole 2048 bits and loses a loop variable over it.
endmodule
