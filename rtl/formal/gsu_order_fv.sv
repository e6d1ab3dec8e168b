// prove: name=waits engine=kind depth=2 flat=1 files=gsu_mbar_inflight,gsu_order,gsu_order_room cover=10 limit=900
// Harness of gsu_order with a gsu_order_room, as gsu_sm joins them: two CTAs, counts up to three, a room of four. One symbolic packet is followed
// from its departure to its acknowledgement, one symbolic release from the start of its wait to its departure from the room.
//   A release never goes on before an older packet of its CTA is acknowledged; count zero means that all are; counts neither lose nor wrap;
//   asynchronous packets hold up no release; when nothing is outstanding nobody waits (D-40, D-41, D-54, CLU-016, CLU-017, D-70).
// Assumed: acknowledgements are of packets that were sent (gsu_net_acks, gsu_mbar_exec), at most three are outstanding per kind and CTA.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_order_fv
  import gsu_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic sent_i,
    input logic any_sent_cta_i,
    input logic sent_async_i,
    input logic ack_valid_i,
    input logic any_ack_cta_i,
    input logic any_ack_async_i,
    input logic any_ack_epoch_i,
    input logic any_fail_i,
    input logic any_fail_cta_i,
    input logic any_fail_async_i,
    input logic any_fail_epoch_i,
    input logic push_i,
    input logic gate_i,
    input logic any_cta_i,
    input logic [1:0] any_open_i,
    input logic ready_i,
    input logic sym_i,        // the CTA that is watched
    input logic pick_i,       // the packet that leaves now is followed
    input logic mine_i,       // the acknowledgement is that of the followed packet
    input logic pick_wait_i   // the release that starts to wait now is followed
);
  ack_t ack_i, fail_i;
  logic fail_valid_i, wait_i, fail_ready_o, tap_valid_o, idle_o, space, valid, room_idle, follows;
  logic [4:0] sent_cta_i, wait_cta_i;
  mask_t epoch_o, owing_o, sending_o, fire_o, turn_o;
  tap_t tap_o;
  logic [1:0] out;  // {followed, CTA}
  always_comb begin
    ack_i        = '0;
    fail_i       = '0;
    ack_i.cta    = {4'd0, any_ack_cta_i};
    ack_i.async  = any_ack_async_i;
    ack_i.epoch  = any_ack_epoch_i;
    fail_i.cta   = {4'd0, any_fail_cta_i};
    fail_i.async = any_fail_async_i;
    fail_i.epoch = any_fail_epoch_i;
  end
  assign fail_valid_i = any_fail_i && fail_ready_o;
  assign sent_cta_i   = {4'd0, any_sent_cta_i};
  assign wait_cta_i   = {4'd0, any_cta_i};
  assign wait_i       = push_i && !gate_i;
  gsu_order #(.Width(2)) dut (.*);
  gsu_order_room #(.Width(2), .Depth(4)) u_room (
      .clk_i, .rst_ni, .push_i, .space_o(space), .gate_i, .cta_i(wait_cta_i), .data_i({follows, any_cta_i}),
      .open_i({30'd0, any_open_i}), .fire_i(fire_o), .turn_i(turn_o), .valid_o(valid), .ready_i, .data_o(out), .idle_o(room_idle)
  );
  `FV_RESET
  `ASSUME(RoomHasSpace, !push_i || space)

  ////// What is outstanding, per CTA and kind //////
  logic leave, leave_cta;
  logic [1:0] sent_kind, leave_kind;
  logic [1:0][2:0][1:0] count_q;
  assign leave      = ack_valid_i || fail_valid_i;
  assign leave_cta  = ack_valid_i ? any_ack_cta_i : any_fail_cta_i;
  assign leave_kind = ack_valid_i ? (any_ack_async_i ? 2'd2 : {1'b0, any_ack_epoch_i}) : (any_fail_async_i ? 2'd2 : {1'b0, any_fail_epoch_i});
  assign sent_kind  = sent_async_i ? 2'd2 : {1'b0, epoch_o[sent_cta_i]};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else begin
      for (int c = 0; c < 2; c++) begin
        for (int k = 0; k < 3; k++) begin
          count_q[c][k] <= count_q[c][k] + 2'(sent_i && any_sent_cta_i == 1'(c) && sent_kind == 2'(k)) - 2'(leave && leave_cta == 1'(c) && leave_kind == 2'(k));
        end
      end
    end
  end
  `ASSUME(AcknowledgesWhatWasSent, !leave || count_q[leave_cta][leave_kind] != '0)
  `ASSUME(AtMostThree, !sent_i || count_q[any_sent_cta_i][sent_kind] != 2'd3)
  for (genvar c = 0; c < 2; c++) begin : gen_cta
    `ASSERT(CountsExact, dut.gen_count[0].u_count.busy_q[c] == (count_q[c][0] != '0) && dut.gen_count[1].u_count.busy_q[c] == (count_q[c][1] != '0)
            && dut.gen_count[2].u_count.busy_q[c] == (count_q[c][2] != '0)
            && (count_q[c][0] == '0 || dut.gen_count[0].u_count.count_q[c] == count_q[c][0])
            && (count_q[c][1] == '0 || dut.gen_count[1].u_count.count_q[c] == count_q[c][1])
            && (count_q[c][2] == '0 || dut.gen_count[2].u_count.count_q[c] == count_q[c][2]))
    `ASSERT(ZeroMeansAll, owing_o[c] == (count_q[c][0] != '0 || count_q[c][1] != '0) && sending_o[c] == (owing_o[c] || count_q[c][2] != '0))
  end
  `ASSERT(OthersSilent, owing_o[31:2] == '0 && sending_o[31:2] == '0 && fire_o[31:2] == '0 && turn_o[31:2] == '0
          && dut.waits_old_q[31:2] == '0 && dut.waits_now_q[31:2] == '0 && dut.current_q[31:2] == '0)

  ////// One packet, one release that is presented after it //////
  logic sym_q, packet_q, packet_kind_q, release_q, older_q, takes, gone, leaves;
  always_ff @(posedge clk_i) if (!fv_started_q) sym_q <= sym_i;
  assign takes   = sent_i && !sent_async_i && pick_i && any_sent_cta_i == sym_q && !packet_q;
  assign gone    = packet_q && leave && mine_i && leave_cta == sym_q && leave_kind == {1'b0, packet_kind_q};
  assign follows = push_i && !gate_i && any_cta_i == sym_q && pick_wait_i && !release_q;
  assign leaves  = valid && ready_i && out[1];
  `ASSUME(LastIsMine, !(packet_q && leave && leave_cta == sym_q && leave_kind == {1'b0, packet_kind_q} && count_q[sym_q][packet_kind_q] == 2'd1) || mine_i)
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {packet_q, packet_kind_q, release_q, older_q} <= '0;
    end else begin
      if (takes) begin
        packet_q      <= 1'b1;
        packet_kind_q <= epoch_o[sent_cta_i];
      end else if (gone) begin
        packet_q <= 1'b0;
      end
      if (follows) begin
        release_q <= 1'b1;
        older_q   <= packet_q && !gone;
      end else begin
        if (leaves) release_q <= 1'b0;
        if (gone) older_q <= 1'b0;
      end
    end
  end
  `ASSERT(ReleaseOnlyAtZero, !(valid && out[1]) || !older_q)
  `ASSERT(NobodyPassesOlder, !packet_q || owing_o[sym_q])  // a release that finds nothing owed does not come here
  // Where it is, and what it waits for.
  logic [3:0] mine;
  logic mine_old;
  for (genvar i = 0; i < 4; i++) begin : gen_room
    assign mine[i] = u_room.used_q[i] && u_room.data_q[i][1];
    `ASSERT(EntryFits, !u_room.used_q[i] || (u_room.cta_q[i] == {4'd0, u_room.data_q[i][0]} && !(u_room.gate_q[i] && (u_room.old_q[i] || u_room.data_q[i][1]))))
    `ASSERT(EntryIsAwaited, !(u_room.used_q[i] && !u_room.ready_q[i] && !u_room.gate_q[i])
            || (u_room.old_q[i] ? dut.waits_old_q[u_room.cta_q[i]] : dut.waits_now_q[u_room.cta_q[i]]))
    `ASSERT(MineIsOfTheCta, !mine[i] || u_room.data_q[i][0] == sym_q)
    `ASSERT(WaitsWhileOlder, !(mine[i] && older_q) || (!u_room.ready_q[i] && (!u_room.old_q[i] || packet_kind_q != dut.current_q[sym_q])))
  end
  assign mine_old = |(mine & u_room.old_q);
  `ASSERT(OneFollowed, 3'($countones(mine)) + 3'(u_room.valid_q && u_room.out_q[1]) == 3'(release_q))
  `ASSERT(OlderIsOutstanding, !older_q || (packet_q && release_q))
  `ASSERT(FollowedIsCounted, !packet_q || count_q[sym_q][packet_kind_q] != '0)
  // No lost wake-up: without outstanding packets nobody waits any longer than it takes to say so.
  `ASSERT(NobodyLeftBehind, !(idle_o && room_idle && !ready_i) || (u_room.used_q & ~u_room.gate_q) == '0 || |owing_o[1:0])
  for (genvar c = 0; c < 2; c++) begin : gen_wait
    `ASSERT(WaitsForSomething, !(idle_o && (dut.waits_old_q[c] || dut.waits_now_q[c])) || owing_o[c])
  end
  `COVER(LaterPacketOutstanding, leaves && owing_o[sym_q])
  `COVER(AsyncOutstanding, leaves && !owing_o[sym_q] && sending_o[sym_q])
  `COVER(WaitedForBothEpochs, older_q && !mine_old && |mine && count_q[sym_q][0] != '0 && count_q[sym_q][1] != '0)
endmodule
