// prove: name=done engine=kind depth=2 flat=1 files=gsu_net_sources,gsu_ram,gsu_rams,gsu_net_links define=FV_DONE skip=IdleHolds limit=900 cover=14
// prove: name=ends engine=kind depth=15 files=gsu_net_sources,gsu_ram,gsu_rams,gsu_net_links define=FV_ENDS skip=IdleHolds limit=900
// Harness of gsu_net_sources in front of gsu_net_links, two SMs, queues of four: a drain (D-41).
//   done  one symbolic packet carries a mark from its port to its target. When a drain that began after the packet came in is reported, the packet has left.
//         Any time, latency and bandwidth; sinks and routes are free. The mark is in one place: no packet is lost or doubled on the way
//   ends  if sinks take every packet, with no latency and unlimited bandwidth, a drain ends within 12 clocks, whatever the queues hold and whatever follows
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_net_path  // both modules in one, so that the duties between them are proved
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cycle_t now_i,
    input logic [15:0] hop_i,
    input logic [15:0] bytes_i,
    input logic [1:0] tx_valid_i,
    output logic [1:0] tx_ready_o,
    input pkt_t [1:0] any_tx_i,
    output logic [1:0] head_valid_o,
    output logic [1:0] head_take_o,
    input logic [1:0] error_i,
    input logic [1:0][4:0] sm_i,
    input logic [1:0][4:0] cta_i,
    input logic drain_i,
    output logic drained_o,
    output logic [1:0] rx_valid_o,
    input logic [1:0] rx_ready_i,
    output pkt_t [1:0] rx_o
);
  pkt_t tx_i[2];
  pkt_t [1:0] head;
  logic idle_o;
  cycle_t next_o;
  assign tx_i[0] = any_tx_i[0];
  assign tx_i[1] = any_tx_i[1];
  gsu_net_sources #(.Sms(2)) u_in (.clk_i, .rst_ni, .tx_valid_i, .tx_ready_o, .tx_i, .head_valid_o, .head_take_i(head_take_o), .head_o(head));
  gsu_net_links #(.Sms(2), .Depth(4)) u_links (.*, .head_valid_i(head_valid_o), .head_i(head));
endmodule

module gsu_net_drain_fv
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cycle_t any_now_i,
    input logic [15:0] any_hop_i,
    input logic [15:0] any_bytes_i,
    input logic [1:0] tx_valid_i,
    input pkt_t [1:0] offered_i,
    input logic [1:0] error_i,
    input logic [1:0] to_i,
    input logic [1:0][4:0] cta_i,
    input logic [1:0] rx_ready_i,
    input logic begin_i,
    input logic pick_i,
    input logic from_i
);
  logic [1:0] tx_ready_o, head_valid_o, head_take_o, rx_valid_o;
  pkt_t [1:0] any_tx_i, rx_o;
  logic [1:0][4:0] sm_i;
  logic drained_o, drain_i, take;
  assign drain_i = begin_i && drained_o;
  cycle_t now_i;
  logic [15:0] hop_i, bytes_i;
  assign sm_i = {4'd0, to_i[1], 4'd0, to_i[0]};
`ifdef FV_DONE
  assign {now_i, hop_i, bytes_i} = {any_now_i, any_hop_i, any_bytes_i};
`else
  assign {now_i, hop_i, bytes_i} = {48'hFFFF_FFFF_FFFF, 32'd0};  // every deadline has come
`endif
  always_comb begin
    any_tx_i = offered_i;
    for (int s = 0; s < 2; s++) any_tx_i[s].rsvd1[0] = take && from_i == 1'(s);  // the mark
  end
  gsu_net_path dut (.*);
  `FV_RESET
  for (genvar s = 0; s < 2; s++) begin : gen_env
    `ASSUME(RouteHolds, !$past(rst_ni) || !$past(head_valid_o[s] && !head_take_o[s]) || ($stable(to_i[s]) && $stable(error_i[s]) && $stable(cta_i[s])))
  end

`ifdef FV_DONE
  logic inside_q, owed_q, out;
  assign take = pick_i && !inside_q && tx_valid_i[from_i] && tx_ready_o[from_i];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {inside_q, owed_q} <= '0;
    else begin
      inside_q <= (inside_q || take) && !out;
      owed_q   <= (owed_q || (drain_i && (inside_q || take))) && !out;
    end
  end
  assign out = (rx_valid_o[0] && rx_ready_i[0] && rx_o[0].rsvd1[0]) || (rx_valid_o[1] && rx_ready_i[1] && rx_o[1].rsvd1[0]);
  `ASSERT(DrainedIsDelivered, !(drained_o && owed_q))
  `ASSERT_NEXT(DrainTakesTime, drain_i, !drained_o)  // gsu_net_cbar_fv assumes it
  `ASSERT(OutWasInside, !out || inside_q)

  // Helper properties for induction: the place of the mark, and the packets for which the drain still waits.
  logic [1:0] in_tail, in_head, in_out, used, full, behind, last_out, two, one;
  logic [1:0][3:0] in_queue, waited;
  logic [1:0][1:0] rptr, wptr, mark;
  logic [1:0][2:0] depth, wanted;
  assign {used, full, behind} = {dut.u_links.used_q, dut.u_links.full_q, dut.u_links.behind_q};
  assign {last_out, two, one} = {dut.u_links.last_out_q, dut.u_links.two_q, dut.u_links.one_q};
  for (genvar k = 0; k < 2; k++) begin : gen_side
    assign {rptr[k], wptr[k], mark[k]} = {dut.u_links.rptr_q[k], dut.u_links.wptr_q[k], dut.u_links.mark_q[k]};
    assign depth[k]   = full[k] ? 3'd4 : {1'b0, wptr[k] - rptr[k]};
    assign wanted[k]  = mark[k] == rptr[k] ? 3'd4 : {1'b0, mark[k] - rptr[k]};  // packets up to the mark, valid while behind
    assign in_tail[k] = dut.u_in.tail_valid_q[k] && dut.u_in.tail_q[k].rsvd1[0];
    assign in_head[k] = head_valid_o[k] && dut.head[k].rsvd1[0];
    assign in_out[k]  = rx_valid_o[k] && rx_o[k].rsvd1[0];
    for (genvar i = 0; i < 4; i++) begin : gen_place
      pkt_t at;
      logic [1:0] age;
      assign at             = dut.u_links.u_way.gen_one.mem_q[{1'(k), 2'(i)}];
      assign age            = 2'(i) - rptr[k];
      assign in_queue[k][i] = {1'b0, age} < depth[k] && at.rsvd1[0];
      assign waited[k][i]   = behind[k] && {1'b0, age} < wanted[k];
    end
    `ASSERT(PointersAgree, used[k] == (full[k] || wptr[k] != rptr[k]) && (!full[k] || wptr[k] == rptr[k]))
    `ASSERT(MarkIsInside, !(dut.u_links.drain_q == 2'd3 && behind[k]) || wanted[k] <= depth[k])
    `ASSERT(SourcesWaited, !(owed_q && dut.u_links.drain_q == 2'd1) || ((!in_tail[k] || (two[k] && one[k])) && (!in_head[k] || one[k])))
    `ASSERT(QueueWaited, !(owed_q && dut.u_links.drain_q == 2'd3) || (in_queue[k] & ~waited[k]) == '0)
    `ASSERT(OutputWaited, !(owed_q && dut.u_links.drain_q == 2'd3 && in_out[k]) || behind[k] || last_out[k])
  end
  `ASSERT(OneMark, 4'($countones({in_tail, in_head, in_out, in_queue})) == 4'(inside_q))
  `ASSERT(SourcesDone, !(owed_q && dut.u_links.drain_q >= 2'd2) || {in_tail, in_head} == '0)
  `ASSERT(OwedIsInside, !owed_q || inside_q)
  `COVER(WaitsInTheTail, owed_q && in_tail != '0)
  `COVER(WaitsBehindTwo, owed_q && dut.u_links.drain_q == 2'd3 && in_queue[0][2] && rptr[0] == 0)
`endif
`ifdef FV_ENDS
  assign take = 1'b0;
  logic [3:0] clocks_q;
  `ASSUME(SinksTake, rx_ready_i == '1)
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) clocks_q <= '0;
    else clocks_q <= drained_o ? '0 : clocks_q + 4'd1;
  end
  `ASSERT(DrainEnds, clocks_q <= 4'd12)
  logic unused;
  assign unused = &{any_now_i, any_hop_i, any_bytes_i, pick_i};
`endif
endmodule
