// gsu_net_reports: carries the reports of all SMs to the cluster barriers, or to the grid table. A report arrives after the latency of its way. Reports that
// have arrived come out one a clock, in round-robin order of the SMs.
// Rules: D-46, D-53, D-70 (no SM starves, a full port refuses).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_net_reports
  import gsu_pkg::*;
#(
    parameter int unsigned Sms = MaxSms,  /// SMs
    parameter int unsigned Width = 16,    /// bits of a report
    parameter int unsigned Depth = 32     /// reports in flight per SM, a power of two: one for each CTA slot
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    input  cycle_t         now_i,
    input  logic [15:0]    latency_i,
    input  logic [Sms-1:0] up_valid_i,
    output logic [Sms-1:0] up_ready_o,
    input  logic [Width-1:0] up_i[Sms],
    output logic           valid_o,
    input  logic           ready_i,
    output logic [Width-1:0] report_o,   // 0 unless valid_o and ready_i
    output cycle_t         next_o      // earliest deadline, all ones if none
);
  localparam int unsigned PtrW = $clog2(Depth);
  localparam int unsigned SmW = Sms > 1 ? $clog2(Sms) : 1;
  typedef logic [Sms-1:0] sms_t;
  typedef logic [SmW-1:0] sm_t;
  typedef logic [PtrW-1:0] ptr_t;
  typedef struct packed {
    cycle_t           due;
    logic [Width-1:0] report;
  } entry_t;

  ptr_t wptr_q[Sms];
  ptr_t rptr_q[Sms];
  sms_t used_q, full_q;
  sms_t after_q;  // SMs after the one that was served last

  sms_t push, arrived, pop;
  sm_t pick;
  entry_t [Sms-1:0] head, entry;  // each head is in the output register of its memory
  sms_t fetch;
  ptr_t from[Sms];
  // In simulation this is skipped in clocks in which nothing moves.
  always_comb begin
    entry = '0;
    fetch = '0;
    from  = '{default: '0};
    if (|push || |pop || Eager) begin
      fetch = pop | (push & ~used_q);
      for (int s = 0; s < int'(Sms); s++) begin
        entry[s] = '{due: now_i + cycle_t'(latency_i), report: up_i[s]};
        from[s]  = pop[s] ? rptr_q[s] + ptr_t'(1) : rptr_q[s];
      end
    end
  end
  gsu_rams #(.Banks(Sms), .Words(Depth), .Width($bits(entry_t)), .Through(1'b1)) u_way (
      .clk_i, .we_i(push), .waddr_i(wptr_q), .wdata_i(entry), .re_i(fetch), .raddr_i(from), .rdata_o(head)
  );
  // The report of the lowest of these SMs, by a tree that selects one of two neighbours at each level. It is ready before the number of its SM.
  function automatic logic [Width-1:0] first(sms_t of);
    logic [Sms-1:0][Width-1:0] report;
    for (int s = 0; s < int'(Sms); s++) report[s] = head[s].report;
    for (int half = 1; half < int'(Sms); half = 2 * half) begin
      for (int s = 0; s + half < int'(Sms); s = s + 2 * half) begin
        if (!of[s]) report[s] = report[s+half];
        of[s] = of[s] || of[s+half];
      end
    end
    first = report[0];
  endfunction
  assign up_ready_o = ~full_q;
  assign push       = up_valid_i & ~full_q;
  assign valid_o    = |arrived;
  always_comb begin
    arrived  = '0;
    pop      = '0;
    pick     = '0;
    report_o = '0;
    if (|used_q) begin
      for (int s = 0; s < int'(Sms); s++) arrived[s] = used_q[s] && at_most(head[s].due, now_i);
      if (|arrived && ready_i) begin
        pick      = sm_t'(turn_of(64'(arrived), 64'(after_q)));
        pop[pick] = 1'b1;
        report_o  = Events ? head[pick].report : |(arrived & after_q) ? first(arrived & after_q) : first(arrived);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wptr_q <= '{default: '0};
      rptr_q <= '{default: '0};
      used_q <= '0;
      full_q <= '0;
      after_q <= ~sms_t'(1);
    end else if (|push || (valid_o && ready_i)) begin
      if (valid_o && ready_i) after_q <= ~sms_t'(1) << pick;
      for (int s = 0; s < int'(Sms); s++) begin
        if (push[s]) wptr_q[s] <= wptr_q[s] + ptr_t'(1);
        if (pop[s]) rptr_q[s] <= rptr_q[s] + ptr_t'(1);
        if (push[s] != pop[s]) begin
          used_q[s] <= push[s] || wptr_q[s] != ptr_t'(rptr_q[s] + ptr_t'(1));
          full_q[s] <= push[s] && rptr_q[s] == ptr_t'(wptr_q[s] + ptr_t'(1));
        end
      end
    end
  end
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

  `ASSERT(OneAtATime, $onehot0(pop) && (pop & ~arrived) == '0)
  `ASSERT(FullIsUsed, (full_q & ~used_q) == '0)
  `ASSERT(FirstInTurn, !(valid_o && ready_i) || head[pick].report == (|(arrived & after_q) ? first(arrived & after_q) : first(arrived)))
  `ASSERT(NoneLeftBehind, !(valid_o && ready_i) || |pop)
  `ASSERT_NEXT(IdleHolds, !valid_o && !(|up_valid_i) && now_i < next_o, $stable(used_q) && $stable(full_q) && $stable(after_q) && $stable(next_o))
  `COVER(TwoAtOnce, |(arrived & (arrived - sms_t'(1))))
  `COVER(SmFull, |full_q)
endmodule
