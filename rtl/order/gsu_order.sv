// gsu_order: counts outstanding operations, each kind in two epochs, and reports when requests that wait for them may resume. Per CTA it counts the packets
// that are not acknowledged and the accesses that are not performed towards everyone; per warp the accesses that are not performed towards its CTA.
// A waiting request is in a gsu_order_wait_queue; wait_wide_i and wait_own_i announce it here.
// Rules: D-38, D-40, D-41, D-54, D-69, CLU-016 (a release waits for older operations of its CTA), CLU-017 (asynchronous ones hold up only the end of the CTA).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_order
  import gsu_pkg::*;
#(
    parameter int unsigned Width = 13,   /// bits of a count of packets: queues, links and acknowledgements of 18 SMs hold fewer packets of one source
    parameter int unsigned AccessW = 18  /// bits of a count of accesses: half of it, and two announcements of 16 bits that may be on the way
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       launch_valid_i,  // pulse
    input  launch_t    launch_i,
    input  logic       sent_i,          // pulse: a packet has left
    input  logic [4:0] sent_cta_i,
    input  logic       sent_async_i,
    input  logic       ack_valid_i,     // pulse: a packet was acknowledged
    input  ack_t       ack_i,
    input  logic       fail_valid_i,    // a packet came back undeliverable and is reported in this clock, only with fail_ready_o
    output logic       fail_ready_o,
    input  ack_t       fail_i,
    input  logic       wr_valid_i,      // pulse: accesses of a launched CTA are outstanding, or performed
    input  wr_t        wr_i,
    output logic       wr_room_o,       // from flops: accesses may be announced; one announcement may still come in the clock after it falls
    input  logic [4:0] req_cta_i,       // CTA of the request at the port
    input  logic [4:0] req_warp_i,
    output logic [5:0] req_slot_o,      // warp slot of that request
    input  logic       wait_wide_i,     // pulse: that request starts to wait for its CTA's operations
    input  logic       wait_own_i,      // pulse: that request starts to wait for its warp's operations
    output mask_t      owing_o,         // from flops, per CTA: it has operations for which a wide release waits
    output mask_t      sending_o,       // from flops, per CTA: it has outstanding operations of any kind, so its slot stays in use
    output logic [MaxWarpSlots-1:0] own_owing_o,  // per warp slot: it has operations for which an own release waits
    output mask_t      epoch_o,         // from flops: as gsu_order_epochs
    output mask_t      fire_o,          // as gsu_order_epochs
    output mask_t      turn_o,
    output logic [MaxWarpSlots-1:0] own_epoch_o,
    output logic [MaxWarpSlots-1:0] own_fire_o,
    output logic [MaxWarpSlots-1:0] own_turn_o,
    output logic       tap_valid_o,     // pulse: an acknowledgement was counted
    /*verilator tracing_off*/ output tap_t       tap_o, /*verilator tracing_on*/
    output logic       idle_o         // without an input nothing changes
);
  ////// Warp slots of the CTAs //////
  logic [5:0] wbase_q[MaxCtas];  // valid from launch on
  logic [5:0] wr_slot;
  always_ff @(posedge clk_i) begin
    if (launch_valid_i) wbase_q[launch_i.cta] <= launch_i.wbase;
  end
  assign req_slot_o = wbase_q[req_cta_i] + 6'(req_warp_i);
  assign wr_slot    = wbase_q[wr_i.cta] + 6'(wr_i.warp);

  ////// Packets //////
  logic       leave;
  ack_t       left;
  logic [2:0] enter_kind, leave_kind;
  mask_t [2:0] busy;  // epochs, asynchronous
  assign fail_ready_o = !ack_valid_i;
  assign leave        = ack_valid_i || fail_valid_i;
  assign left         = ack_valid_i ? ack_i : fail_i;
  assign enter_kind   = !sent_i ? '0 : sent_async_i ? 3'b100 : epoch_o[sent_cta_i] ? 3'b010 : 3'b001;
  assign leave_kind   = !leave ? '0 : left.async ? 3'b100 : left.epoch ? 3'b010 : 3'b001;
  for (genvar k = 0; k < 3; k++) begin : gen_count
    gsu_mbar_inflight #(.Width(Width)) u_count (
        .clk_i, .rst_ni,
        .enter_i(enter_kind[k]), .enter_cta_i(sent_cta_i), .leave_i(leave_kind[k]), .leave_cta_i(left.cta), .busy_o(busy[k])
    );
  end

  ////// Accesses: towards everyone per CTA, towards the CTA per warp. The latter are also counted per CTA, for the end of its slot //////
  logic [2*MaxCtas-1:0]      wide_busy;  // {epoch, CTA}
  logic [2*MaxWarpSlots-1:0] own_busy;   // {epoch, warp slot}
  mask_t                     cta_busy, wide0, wide1;
  logic                      wide_room, own_room, cta_room;
  logic [MaxWarpSlots-1:0]   own0, own1;
  gsu_order_count #(.Slots(2 * MaxCtas), .Width(AccessW)) u_wide_count (
      .clk_i, .rst_ni, .valid_i(wr_valid_i && wr_i.everyone), .minus_i(wr_i.performed), .slot_i({wr_i.epoch, wr_i.cta}), .amount_i(wr_i.count),
      .busy_o(wide_busy), .room_o(wide_room)
  );
  gsu_order_count #(.Slots(2 * MaxWarpSlots), .Width(AccessW)) u_own_count (
      .clk_i, .rst_ni, .valid_i(wr_valid_i && !wr_i.everyone), .minus_i(wr_i.performed), .slot_i({wr_i.epoch, wr_slot}), .amount_i(wr_i.count),
      .busy_o(own_busy), .room_o(own_room)
  );
  // Sum over 32 warps and two epochs. It is 7 bits wider than one count, so it cannot overflow before one of them is full.
  gsu_order_count #(.Slots(MaxCtas), .Width(AccessW + 7)) u_cta_count (
      .clk_i, .rst_ni, .valid_i(wr_valid_i && !wr_i.everyone), .minus_i(wr_i.performed), .slot_i(wr_i.cta), .amount_i(wr_i.count), .busy_o(cta_busy),
      .room_o(cta_room)
  );
  assign wide0       = busy[0] | wide_busy[MaxCtas-1:0];
  assign wide1       = busy[1] | wide_busy[2*MaxCtas-1:MaxCtas];
  assign own0        = own_busy[MaxWarpSlots-1:0];
  assign own1        = own_busy[2*MaxWarpSlots-1:MaxWarpSlots];
  assign wr_room_o   = wide_room && own_room;
  assign owing_o     = wide0 | wide1;
  assign sending_o   = wide0 | wide1 | busy[2] | cta_busy;
  assign own_owing_o = own0 | own1;

  ////// Epochs //////
  logic wide_idle, own_idle;
  gsu_order_epochs #(.Slots(MaxCtas)) u_wide (
      .clk_i, .rst_ni, .busy0_i(wide0), .busy1_i(wide1), .wait_i(wait_wide_i ? 32'd1 << req_cta_i : '0),
      .epoch_o, .fire_o, .turn_o, .idle_o(wide_idle)
  );
  gsu_order_epochs #(.Slots(MaxWarpSlots)) u_own (
      .clk_i, .rst_ni, .busy0_i(own0), .busy1_i(own1), .wait_i(wait_own_i ? 64'd1 << req_slot_o : '0),
      .epoch_o(own_epoch_o), .fire_o(own_fire_o), .turn_o(own_turn_o), .idle_o(own_idle)
  );
  assign idle_o = !sent_i && !fail_valid_i && !wr_valid_i && wide_idle && own_idle;

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
      tap_o.obj    = {28'd0, left.refused, left.reply, left.async, left.epoch};
    end
  end

  logic unused;
  assign unused = &{1'b0, launch_i, wr_i.rsvd};

  `REQUIRE(FailWhenReady, !fail_valid_i || fail_ready_o)
  `ASSERT(OneKind, $onehot0(enter_kind) && $onehot0(leave_kind))
  `ASSERT(SumHasRoom, cta_room)
  `ASSERT_NEXT(IdleHolds, idle_o && !ack_valid_i, $stable(epoch_o) && $stable(own_epoch_o) && $stable(owing_o) && $stable(own_owing_o) && $stable(sending_o))
  `COVER(CountIsHalf, !wr_room_o)
  `COVER(AccessesAndPackets, |(busy[0] & wide_busy[MaxCtas-1:0]))
endmodule
