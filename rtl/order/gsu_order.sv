// gsu_order: counts per CTA the packets that have left and are not acknowledged, in two epochs, and says when requests that wait for them may go on.
// Rules: D-38, D-40, D-41, D-54, CLU-016 (a release waits for older posted operations of its CTA), CLU-017 (asynchronous ones gate only the end of the CTA).
// A waiting request is told by wait_i; it lies in a gsu_order_room. The current epoch closes once the other is empty, so what comes later is not waited for;
// fire_o says that a closed epoch is empty, turn_o that the current one closes. Every wait ends after at most two epochs.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_order
  import gsu_pkg::*;
#(
    parameter int unsigned Width = 13  /// bits of a count: queues, links and acknowledgements of 16 SMs hold fewer packets of one source
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       sent_i,        // pulse: a packet has left
    input  logic [4:0] sent_cta_i,
    input  logic       sent_async_i,
    output mask_t      epoch_o,       // from flops: epoch in which packets of each CTA are counted now
    input  logic       ack_valid_i,   // pulse: always taken
    input  ack_t       ack_i,
    input  logic       fail_valid_i,  // a packet came back undeliverable and is reported in this clock, only with fail_ready_o
    output logic       fail_ready_o,
    input  ack_t       fail_i,
    input  logic       wait_i,        // pulse: a request of this CTA starts to wait
    input  logic [4:0] wait_cta_i,
    output mask_t      owing_o,       // from flops: packets that a release waits for
    output mask_t      sending_o,     // from flops: packets of any kind
    output mask_t      fire_o,        // the closed epoch is empty: those that wait for it go on
    output mask_t      turn_o,        // the current epoch is closed with this clock
    output logic       tap_valid_o,   // pulse: an acknowledgement was counted
    /*verilator tracing_off*/ output tap_t       tap_o, /*verilator tracing_on*/
    output logic       idle_o         // without an input nothing changes
);
  logic       leave;
  ack_t       left;
  logic [2:0] enter_kind, leave_kind;
  mask_t [2:0] busy;  // epochs, asynchronous
  mask_t      current_q, waits_old_q, waits_now_q, old_busy, new_wait;
  assign fail_ready_o = !ack_valid_i;
  assign leave        = ack_valid_i || fail_valid_i;
  assign left         = ack_valid_i ? ack_i : fail_i;
  assign enter_kind   = !sent_i ? '0 : sent_async_i ? 3'b100 : current_q[sent_cta_i] ? 3'b010 : 3'b001;
  assign leave_kind   = !leave ? '0 : left.async ? 3'b100 : left.epoch ? 3'b010 : 3'b001;
  for (genvar k = 0; k < 3; k++) begin : gen_count
    gsu_mbar_inflight #(.Width(Width)) u_count (
        .clk_i, .rst_ni,
        .enter_i(enter_kind[k]), .enter_cta_i(sent_cta_i), .leave_i(leave_kind[k]), .leave_cta_i(left.cta), .busy_o(busy[k])
    );
  end
  assign owing_o   = busy[0] | busy[1];
  assign sending_o = busy[0] | busy[1] | busy[2];
  assign epoch_o   = current_q;

  assign old_busy = (current_q & busy[0]) | (~current_q & busy[1]);
  assign fire_o   = waits_old_q & ~old_busy;
  assign turn_o   = waits_now_q & ~old_busy;
  assign new_wait = wait_i ? 32'd1 << wait_cta_i : '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      current_q   <= '0;
      waits_old_q <= '0;
      waits_now_q <= '0;
    end else begin
      current_q   <= current_q ^ turn_o;
      waits_old_q <= (waits_old_q & ~fire_o) | turn_o;
      waits_now_q <= (waits_now_q & ~turn_o) | (new_wait & ~turn_o);
    end
  end
  assign idle_o = !sent_i && !fail_valid_i && !wait_i && fire_o == '0 && turn_o == '0;

  assign tap_valid_o = leave;
  always_comb begin
    tap_o = '0;
    if (leave) begin
      tap_o.op     = OpEvAck;
      tap_o.src    = ack_valid_i ? SrcRemote : SrcNetwork;
      tap_o.src_sm = left.sm;
      tap_o.cta    = left.cta;
      tap_o.tag    = left.tag;
      tap_o.lanes  = 32'd1 << left.lane;
      tap_o.obj    = {30'd0, left.async, left.epoch};
    end
  end

  `REQUIRE(FailWhenReady, !fail_valid_i || fail_ready_o)
  `ASSERT(FireOrTurnMeansEmpty, ((fire_o | turn_o) & old_busy) == '0)
  `ASSERT(OneKind, $onehot0(enter_kind) && $onehot0(leave_kind))
  `ASSERT_NEXT(IdleHolds, idle_o && !ack_valid_i, $stable(current_q) && $stable(waits_old_q) && $stable(waits_now_q) && $stable(owing_o) && $stable(sending_o))
  `COVER(Turns, |turn_o)
  `COVER(WaitsForBoth, |(waits_old_q & waits_now_q))
endmodule
