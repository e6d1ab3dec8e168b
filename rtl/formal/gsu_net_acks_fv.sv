// prove: name=idle engine=kind depth=3 files=gsu_ram,gsu_rams,gsu_net_acks define=FV_TIME skip=FullIsUsed
// prove: name=order engine=pdr files=gsu_ram,gsu_rams,gsu_net_acks define=FV_ORDER skip=IdleHolds limit=600 cover=10
// Harness of gsu_net_acks with two SMs and queues of two. One symbolic acknowledgement is followed from its owner to its source. It comes out once, only there,
// unchanged, in order, within a bound: nothing at a source can stop it (D-38, D-70).
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_net_acks_fv
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cycle_t any_now_i,
    input logic [15:0] any_hop_i,
    input logic [1:0] ack_valid_i,
    input logic [1:0] any_to_i,
    input logic [1:0][2:0] any_what_i,  // {epoch, async, bit of cta}
    input logic pick_i,
    input logic sym_from_i,
    input logic sym_to_i
);
  logic [1:0] ack_ready_o, ack_valid_o;
  ack_t ack_i[2];
  ack_t [1:0] ack_o;
  logic idle_o;
  cycle_t next_o, now_i;
  logic [15:0] hop_i;
`ifdef FV_TIME
  assign {now_i, hop_i} = {any_now_i, any_hop_i};
`else
  assign {now_i, hop_i} = '0;
  logic unused;
  assign unused = &{any_now_i, any_hop_i};
`endif
  always_comb begin
    for (int s = 0; s < 2; s++) begin
      ack_i[s] = '{sm: {4'd0, any_to_i[s]}, epoch: any_what_i[s][2], async: any_what_i[s][1], cta: {4'd0, any_what_i[s][0]}, default: '0};
    end
  end
  gsu_net_acks #(.Sms(2), .Depth(2)) dut (.*);
  `FV_RESET
`ifdef FV_ORDER
  for (genvar s = 0; s < 2; s++) begin : gen_env
    `ASSUME(AckHolds, !$past(rst_ni) || !$past(ack_valid_i[s] && !ack_ready_o[s]) || (ack_valid_i[s] && $stable(any_to_i[s]) && $stable(any_what_i[s])))
  end
  // Acknowledgements from from_q to to_q: how many are inside, and one of them with the number of acknowledgements ahead of it.
  logic from_q, to_q, follow_q, goes, comes;
  logic [1:0] ahead_q, inside_q;
  logic [2:0] what_q, waited_q;
  always_ff @(posedge clk_i) if (!fv_started_q) {from_q, to_q} <= {sym_from_i, sym_to_i};
  assign goes  = ack_valid_i[from_q] && ack_ready_o[from_q] && any_to_i[from_q] == to_q;
  assign comes = ack_valid_o[to_q] && ack_o[to_q].sm == 5'(from_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {follow_q, ahead_q, inside_q, what_q, waited_q} <= '0;
    end else begin
      inside_q <= inside_q + 2'(goes) - 2'(comes);
      waited_q <= follow_q && !comes ? waited_q + 3'(waited_q != 7) : 3'd0;
      if (goes && pick_i && !follow_q) begin
        follow_q <= 1'b1;
        ahead_q  <= inside_q - 2'(comes);
        what_q   <= any_what_i[from_q];
      end else if (follow_q && comes) begin
        follow_q <= ahead_q != 0;
        ahead_q  <= ahead_q - 2'(ahead_q != 0);
      end
    end
  end
  `ASSERT(NothingFromNothing, !comes || inside_q != 0)
  `ASSERT(DataKept, !(follow_q && ahead_q == 0 && comes) || {ack_o[to_q].epoch, ack_o[to_q].async, ack_o[to_q].cta[0]} == what_q)
  `ASSERT(FollowedIsInside, !follow_q || ahead_q < inside_q)
  `ASSERT(ComesInTime, waited_q <= 5)
`endif
endmodule
