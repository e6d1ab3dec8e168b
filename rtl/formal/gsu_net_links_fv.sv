// prove: name=idle engine=kind depth=3 files=gsu_net_links define=FV_TIME skip=FullIsUsed|PushHas|PopHas
// prove: name=order engine=pdr files=gsu_net_links define=FV_ORDER skip=IdleHolds limit=1800 cover=12
// prove: name=bound engine=pdr files=gsu_net_links define=FV_BOUND skip=IdleHolds limit=600
// Harness of gsu_net_links with two SMs and queues of two. One symbolic packet of a symbolic source and target is followed (D-38, D-70).
// Time stands still except in task idle; the free rx_ready stands for every delay.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_net_links_fv
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cycle_t any_now_i,
    input logic [15:0] any_hop_i,
    input logic [15:0] any_bytes_i,
    input logic [1:0] head_valid_i,
    input pkt_t [1:0] any_head_i,
    input logic [1:0] error_i,
    input logic [1:0] to_i,
    input logic [1:0][4:0] cta_i,
    input logic [1:0] rx_ready_i,
    input logic drain_i,
    input logic pick_i,
    input logic sym_from_i,
    input logic sym_to_i
);
  logic [1:0] head_take_o, rx_valid_o;
  pkt_t [1:0] rx_o, head_i;
  logic [1:0][3:0] sm_i;
  logic idle_o, drained_o;
  cycle_t next_o, now_i;
  logic [15:0] hop_i, bytes_i;
  assign sm_i = {3'd0, to_i[1], 3'd0, to_i[0]};
`ifdef FV_TIME
  assign {now_i, hop_i, bytes_i} = {any_now_i, any_hop_i, any_bytes_i};
`else
  assign {now_i, hop_i} = '0;
  assign bytes_i = any_bytes_i;
  logic unused;
  assign unused = &{any_now_i, any_hop_i};
`endif
  always_comb begin
    head_i = any_head_i;
    for (int s = 0; s < 2; s++) head_i[s].src_sm = 4'(s);
  end
  gsu_net_links #(.Sms(2), .Depth(2)) dut (.*);
  `FV_RESET
  for (genvar s = 0; s < 2; s++) begin : gen_env
    // A source waits with its packet until it is taken.
    `ASSUME(HeadHolds, !$past(rst_ni) || !$past(head_valid_i[s] && !head_take_o[s])
            || (head_valid_i[s] && $stable(any_head_i[s]) && $stable(to_i[s]) && $stable(error_i[s]) && $stable(cta_i[s])))
  end

`ifdef FV_ORDER
  `ASSUME(Unlimited, bytes_i == '0)
  logic from_q, to_q;
  always_ff @(posedge clk_i) if (!rst_ni) {from_q, to_q} <= {sym_from_i, sym_to_i};
  logic follow_q, goes, comes, error_q;
  logic [2:0] ahead_q, inside_q;
  logic [15:0] tag_q;
  logic [4:0] cta_q;
  pkt_e kind_q;
  assign goes  = head_take_o[from_q] && to_i[from_q] == to_q;
  assign comes = rx_valid_o[to_q] && rx_ready_i[to_q] && rx_o[to_q].src_sm == 4'(from_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {follow_q, ahead_q, inside_q, tag_q, cta_q, error_q} <= '0;
      kind_q <= PktArrive;
    end else begin
      inside_q <= inside_q + 3'(goes) - 3'(comes);
      if (goes && pick_i && !follow_q) begin
        follow_q <= 1'b1;
        ahead_q  <= inside_q - 3'(comes);
        tag_q    <= head_i[from_q].tag;
        error_q  <= error_i[from_q];
        kind_q   <= error_i[from_q] ? PktError : head_i[from_q].kind;
        cta_q    <= error_i[from_q] ? head_i[from_q].src_cta : cta_i[from_q];
      end else if (follow_q && comes) begin
        follow_q <= ahead_q != 0;
        ahead_q  <= ahead_q - 3'(ahead_q != 0);
      end
    end
  end
  logic mine;
  assign mine = follow_q && ahead_q == 0 && comes;
  `ASSERT(NothingFromNothing, !comes || inside_q != 0)
  `ASSERT(FollowedIsInside, !follow_q || ahead_q < inside_q)
  `ASSERT(NoneLost, inside_q <= 3)
  `ASSERT(OrderAndDataKept, !mine || (rx_o[to_q].tag == tag_q && rx_o[to_q].kind == kind_q && rx_o[to_q].dst_cta == cta_q
          && (rx_o[to_q].err || !error_q)))
  `ASSERT(Delivered, !(rx_valid_o[to_q]) || rx_o[to_q].dst_sm == 4'(to_q))
  `ASSERT(NothingStaysBehind, !(idle_o && dut.used_q == '0) || inside_q == 0)
  `COVER(FollowedBehindTwo, follow_q && ahead_q == 2)
`endif
`ifdef FV_BOUND
  // A head packet is taken within 2 clocks for each source, as long as the targets take theirs and the link is not limited.
  `ASSUME(TargetsTake, rx_ready_i == 2'b11)
  `ASSUME(Unlimited, bytes_i == '0)
  logic [1:0][2:0] waited_q;
  for (genvar s = 0; s < 2; s++) begin : gen_wait
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) waited_q[s] <= '0;
      else if (head_valid_i[s] && !head_take_o[s]) waited_q[s] <= waited_q[s] + 3'(waited_q[s] != 7);
      else waited_q[s] <= '0;
    end
    `ASSERT(TakenInTime, waited_q[s] <= 3)
  end
`endif
endmodule
