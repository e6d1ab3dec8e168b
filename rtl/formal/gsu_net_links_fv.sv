// prove: name=idle engine=kind depth=3 files=gsu_ram,gsu_rams,gsu_net_links define=FV_TIME skip=FullIsUsed|PushHas|PopHas|DrainWaits
// prove: name=order engine=kind depth=2 flat=1 files=gsu_ram,gsu_rams,gsu_net_links define=FV_ORDER,FV_TIME skip=IdleHolds|Drain limit=900 cover=12
// prove: name=bound engine=pdr files=gsu_ram,gsu_rams,gsu_net_links define=FV_BOUND skip=IdleHolds limit=600
// Harness of gsu_net_links with two SMs, queues of four (order) or two. One symbolic packet of a symbolic source and target is followed (D-38, D-70).
// Tasks order and idle have any time; in task bound time stands still. The checks of the drain are shown in gsu_net_drain.
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
  logic [1:0][4:0] sm_i;
  logic idle_o, drained_o;
  cycle_t next_o, now_i;
  logic [15:0] hop_i, bytes_i;
  assign sm_i = {4'd0, to_i[1], 4'd0, to_i[0]};
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
    for (int s = 0; s < 2; s++) head_i[s].src_sm = 5'(s);
  end
`ifdef FV_ORDER
  localparam int unsigned Depth = 4;
`else
  localparam int unsigned Depth = 2;
`endif
  gsu_net_links #(.Sms(2), .Depth(Depth)) dut (.*);
  `FV_RESET
  for (genvar s = 0; s < 2; s++) begin : gen_env
    // A source waits with its packet until it is taken.
    `ASSUME(HeadHolds, !$past(rst_ni) || !$past(head_valid_i[s] && !head_take_o[s])
            || (head_valid_i[s] && $stable(any_head_i[s]) && $stable(to_i[s]) && $stable(error_i[s]) && $stable(cta_i[s])))
  end

`ifdef FV_ORDER
  // Packets from from_q to to_q: their number inside, and one of them with the number of such packets ahead of it.
  logic from_q, to_q, follow_q, goes, comes;
  logic [2:0] ahead_q, inside_q;
  pkt_t want_q, offered;
  assign goes  = head_take_o[from_q] && to_i[from_q] == to_q;
  assign comes = rx_valid_o[to_q] && rx_ready_i[to_q] && rx_o[to_q].src_sm == 5'(from_q);
  function automatic pkt_t delivered(pkt_t sent, logic error, logic [4:0] cta, logic to);
    delivered         = sent;
    delivered.dst_sm  = 5'(to);
    delivered.kind    = error ? PktError : sent.kind;
    delivered.err     = error || sent.err;
    delivered.dst_cta = error ? sent.src_cta : cta;
  endfunction
  assign offered = delivered(head_i[from_q], error_i[from_q], cta_i[from_q], to_q);
  always_ff @(posedge clk_i) if (!fv_started_q) {from_q, to_q} <= {sym_from_i, sym_to_i};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {follow_q, ahead_q, inside_q} <= '0;
      want_q <= '0;
    end else begin
      inside_q <= inside_q + 3'(goes) - 3'(comes);
      if (goes && pick_i && !follow_q) begin
        follow_q <= 1'b1;
        ahead_q  <= inside_q - 3'(comes);
        want_q   <= offered;
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
  `ASSERT(NoneLost, inside_q <= 5)
  `ASSERT(OrderAndDataKept, !mine || rx_o[to_q] == want_q)
  `ASSERT(NothingStaysBehind, !(rx_valid_o == '0 && dut.used_q == '0) || inside_q == 0)
  // Helper properties for induction: the queue holds as many such packets as counted, oldest first; the followed one is among them.
  logic [1:0] age[4], rptr, wptr;
  logic [3:0] held, mine_at;
  logic used, full, in_out;
  logic [2:0] depth;
  logic [3:0][2:0] before_it;
  assign {used, full} = {dut.used_q[to_q], dut.full_q[to_q]};
  assign {rptr, wptr} = {dut.rptr_q[to_q], dut.wptr_q[to_q]};
  assign depth        = full ? 3'd4 : {1'b0, wptr - rptr};
  assign in_out       = rx_valid_o[to_q] && rx_o[to_q].src_sm == 5'(from_q);
  for (genvar i = 0; i < 4; i++) begin : gen_place
    pkt_t at;
    assign age[i]  = 2'(i) - rptr;
    assign at      = dut.u_way.gen_one.mem_q[{to_q, 2'(i)}];
    assign held[i] = {1'b0, age[i]} < depth && at.src_sm == 5'(from_q);
    always_comb begin
      before_it[i] = 3'(in_out);
      for (int j = 0; j < 4; j++) before_it[i] = before_it[i] + 3'(held[j] && age[j] < age[i]);
    end
    assign mine_at[i] = held[i] && before_it[i] == ahead_q && at == want_q;
  end
  `ASSERT(PointersAgree, used == (full || wptr != rptr) && (!full || wptr == rptr))
  `ASSERT(CountedAreThere, inside_q == 3'($countones(held)) + 3'(in_out))
  `ASSERT(FollowedIsThere, !follow_q || mine_at != '0 || (in_out && ahead_q == 0 && rx_o[to_q] == want_q))
  `COVER(FollowedBehindTwo, follow_q && ahead_q == 2)
`endif
`ifdef FV_BOUND
  // A head packet is taken within 2 clocks for each source, as long as the targets take their packets and the link is not limited.
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
