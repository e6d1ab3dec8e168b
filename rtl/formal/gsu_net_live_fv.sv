// prove: name=ends engine=kind depth=17 cover=14 flat=1 files=gsu_ram,gsu_rams,gsu_net_links,gsu_net_acks skip=IdleHolds|DrainsALink limit=900
// Packets and acknowledgements together, two SMs, queues of two: nothing on the two ways waits for itself (D-70). Owners take a packet when they can push
// its acknowledgement, at the latest in the second clock in which they could (gsu_mbar_exec.lanes: ServedAfterTwo). Sources take every acknowledgement
// (gsu_order has no input that refuses). Whatever all queues hold, once nothing new is offered, every packet is acknowledged at its source within 16 clocks:
// no state is a deadlock. gsu_net_links.bound and gsu_rr_arb.main prove that no stream starves. Reports and messages of the cluster barrier have their own
// ways (gsu_net_reports.order, gsu_net_cbar.local). They wait for packets only by "gone", sent at count zero; packets never wait for them.
// Time stands still: every deadline has come; links without a limit of bandwidth.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_net_live_fv
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic [1:0] offer_i,    // SM s offers a packet, unless it waits with one
    input logic [1:0] to_i,
    input logic [1:0] error_i,
    input logic [1:0] take_i      // the owner takes; else at its second chance
);
  localparam int unsigned Bound = 16;
  logic [1:0] head_valid, head_take, rx_valid, rx_ready, ack_ready, ack_out, late_q, wait_q, dest, bad, dest_q, bad_q;
  pkt_t [1:0] head, rx;
  ack_t [1:0] acked;
  ack_t ack_i[2];
  logic drained, links_idle, acks_idle;
  cycle_t links_next, acks_next;
  gsu_net_links #(.Sms(2), .Depth(2)) u_links (
      .clk_i, .rst_ni, .now_i('0), .hop_i('0), .bytes_i('0), .head_valid_i(head_valid), .head_take_o(head_take), .head_i(head), .error_i(bad), .sm_i({4'd0, dest[1], 4'd0, dest[0]}),
      .cta_i('0), .drain_i(1'b0), .drained_o(drained), .rx_valid_o(rx_valid), .rx_ready_i(rx_ready), .rx_o(rx), .idle_o(links_idle), .next_o(links_next)
  );
  gsu_net_acks #(.Sms(2), .Depth(2)) u_acks (
      .clk_i, .rst_ni, .now_i('0), .hop_i('0), .ack_valid_i(rx_valid & rx_ready), .ack_ready_o(ack_ready), .ack_i, .ack_valid_o(ack_out), .ack_o(acked), .idle_o(acks_idle), .next_o(acks_next)
  );
  `FV_RESET
  // A source holds its packet and its route.
  assign head_valid = wait_q | offer_i;
  assign dest       = (wait_q & dest_q) | (~wait_q & to_i);
  assign bad        = (wait_q & bad_q) | (~wait_q & error_i);
  assign rx_ready   = ack_ready & (take_i | late_q);
  always_comb begin
    for (int s = 0; s < 2; s++) begin
      head[s]        = '0;
      head[s].src_sm = 5'(s);
      ack_i[s]       = '{sm: rx[s].src_sm, default: '0};
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {wait_q, late_q, dest_q, bad_q} <= '0;
    else begin
      wait_q <= head_valid & ~head_take;
      dest_q <= dest;
      bad_q  <= bad;
      late_q <= rx_valid & ack_ready & ~rx_ready;
    end
  end

  ////// Once nothing new is offered //////
  logic [4:0] still_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) still_q <= '0;
    else still_q <= |offer_i ? '0 : still_q + 5'(still_q != '1);
  end
  `ASSERT(AllIsTold, still_q < 5'(Bound) || {wait_q, u_links.used_q, rx_valid, u_acks.used_q, ack_out} == '0)

  // Helper properties for induction: the queues are queues, of packets between the two SMs, whose deadline has come.
  `ASSERT(NoLimit, {u_links.bytes_q, u_links.header_q, u_links.most_q} == '0)
  for (genvar i = 0; i < 8; i++) begin : gen_digit
    `ASSERT(NoClocks, {u_links.upper_q[i], u_links.lower_q[i]} == '0)
  end
  for (genvar k = 0; k < 2; k++) begin : gen_side
    `ASSERT(LinkPointers, `FV_RING(u_links, k))
    `ASSERT(AckPointers, `FV_RING(u_acks, k))
    `ASSERT(LinkIsFree, {u_links.start_q[k], u_links.took_q[k]} == '0)
    `ASSERT(OutputFits, !rx_valid[k] || rx[k].src_sm < 2)
    for (genvar i = 0; i < 2; i++) begin : gen_place
      pkt_t way;
      cycle_t due;
      ack_t ack;
      assign way = u_links.u_way.gen_one.mem_q[{1'(k), u_links.rptr_q[k] ^ 1'(i)}];
      assign {due, ack} = u_acks.u_way.gen_one.mem_q[{1'(k), u_acks.rptr_q[k] ^ 1'(i)}];
      `ASSERT(WayFits, !(i == 0 ? u_links.used_q[k] : u_links.full_q[k]) || (way.src_sm < 2 && u_links.u_due.gen_one.mem_q[{1'(k), u_links.rptr_q[k] ^ 1'(i)}] == '0))
      `ASSERT(AckFits, !(i == 0 ? u_acks.used_q[k] : u_acks.full_q[k]) || (ack.sm < 2 && due == '0))
    end
  end
  `COVER(BothWaysFull, u_links.full_q != '0 && u_acks.full_q != '0 && |wait_q)
endmodule
