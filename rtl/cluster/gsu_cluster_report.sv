// gsu_cluster_report: sends the reports of the CTAs of an SM to the network, one a clock. Each CTA reports launch, arrive and gone, in this order.
// At most one report of each kind is open for a CTA, so there is always a place for a report.
// Rules: D-41 (the end of a CTA follows its packets), D-46, D-70 (round robin over the CTAs).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_cluster_report
  import gsu_pkg::*;
#(
    parameter int unsigned Ctas = MaxCtas  /// CTA slots; proofs use fewer
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    launch_i,        // pulse: the CTA launch_cta_i starts
    input  logic [$clog2(Ctas)-1:0] launch_cta_i,
    input  logic [5:0]              launch_clus_i,   // its cluster
    input  logic [4:0]              launch_rank_i,   // its rank there
    input  logic                    arrive_i,        // pulse: all warps of cta_i have arrived
    input  logic                    gone_i,          // pulse: all warps of cta_i have exited
    input  logic [$clog2(Ctas)-1:0] cta_i,
    input  logic [Ctas-1:0]         sending_i,       // per CTA: it has unacknowledged packets; its end is reported after their acknowledgement
    output logic                    cb_up_valid_o,
    input  logic                    cb_up_ready_i,
    output cb_up_t                  cb_up_o,
    output logic                    empty_o          // nothing to report now
);
  typedef logic [$clog2(Ctas)-1:0] cta_t;
  typedef logic [Ctas-1:0] ctas_t;

  logic [10:0] home_q[Ctas];  // {rank, clus}, fixed from launch on
  ctas_t launch_q, arrive_q, gone_q;
  logic valid_q;
  cb_up_t up_q;
  cta_t last_q;

  ctas_t open, after;
  logic take;
  cta_t cta;
  cb_up_e kind;
  assign kind  = launch_q[cta] ? CbUpLaunch : arrive_q[cta] ? CbUpArrive : CbUpGone;
  assign open  = launch_q | arrive_q | (gone_q & ~sending_i);
  assign take  = |open && (!valid_q || cb_up_ready_i);
  assign after = open & (~ctas_t'(1) << last_q);
  always_comb begin
    cta = '0;
    if (take) cta = |after ? cta_t'(lowest_of(64'(after))) : cta_t'(lowest_of(64'(open)));
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      launch_q <= '0;
      arrive_q <= '0;
      gone_q   <= '0;
      valid_q  <= 1'b0;
      up_q     <= '0;
      last_q   <= '0;
    end else begin
      if (take) begin
        valid_q   <= 1'b1;
        last_q    <= cta;
        up_q      <= '{rsvd: '0, kind: kind, rank: home_q[cta][10:6], clus: home_q[cta][5:0]};
        case (kind)
          CbUpLaunch: launch_q[cta] <= 1'b0;
          CbUpArrive: arrive_q[cta] <= 1'b0;
          default: gone_q[cta] <= 1'b0;
        endcase
      end else if (cb_up_ready_i) begin
        valid_q <= 1'b0;
      end
      if (launch_i) launch_q[launch_cta_i] <= 1'b1;
      if (arrive_i) arrive_q[cta_i] <= 1'b1;
      if (gone_i) gone_q[cta_i] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (launch_i) home_q[launch_cta_i] <= {launch_rank_i, launch_clus_i};
  end
  assign cb_up_valid_o = valid_q;
  assign cb_up_o       = up_q;
  assign empty_o       = !valid_q && !(|open);

  `REQUIRE(OneOpenLaunch, !launch_i || !(open[launch_cta_i] || gone_q[launch_cta_i]))
  `REQUIRE(OneOpenArrive, !arrive_i || !(arrive_q[cta_i] || gone_q[cta_i]))
  `REQUIRE(OneOpenGone, !gone_i || !gone_q[cta_i])
  `ASSERT_NEXT(ReportHolds, valid_q && !cb_up_ready_i, valid_q && $stable(up_q))
  `ASSERT_NEXT(SilentWhenEmpty, empty_o && !launch_i && !arrive_i && !gone_i, (empty_o || !$stable(sending_i)) && $stable(up_q) && $stable(last_q))
  `ASSERT_NEXT(NewReportWasOpen, open == '0 && cb_up_ready_i, !valid_q)
  `COVER(ArriveThenGone, take && arrive_q[cta] && gone_q[cta])
  `COVER(Stalled, valid_q && !cb_up_ready_i && |open)
endmodule
