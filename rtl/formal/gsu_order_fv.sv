// prove: name=waits engine=kind depth=2 flat=1 files=gsu_skid,gsu_mbar_inflight,gsu_order_pkg,gsu_order_count,gsu_order_epochs,gsu_order,gsu_ram,gsu_order_wait_queue cover=10 skip=u_own_count|u_cta_count|u_own[.](Turns|WaitsForBoth)|u_room[.]WaitsForAll|IdleHolds limit=900
// prove: name=own engine=kind depth=2 flat=1 define=FV_OWN files=gsu_skid,gsu_mbar_inflight,gsu_order_pkg,gsu_order_count,gsu_order_epochs,gsu_order,gsu_ram,gsu_order_wait_queue skip=u_wide[.](Turns|WaitsForBoth)|u_wide_count|gen_count|AsyncOutstanding|AccessesAndPackets|u_room[.]WaitsForAll|IdleHolds limit=900
// Harness of gsu_order with a gsu_order_wait_queue, connected as in gsu_sm: two CTAs (task own: two warps of a CTA), counts up to three, a wait queue of four.
// One symbolic packet or access is followed from its departure or announcement to its acknowledgement or performance, and one symbolic request from the start
// of its wait to its departure from the wait queue.
//   A release never resumes before the older packets and accesses of its CTA (own: accesses of its warp) are done. Count zero means that all are done.
//   Counts neither lose nor wrap. Asynchronous packets hold up no release. When nothing is outstanding, no request waits
//   (D-40, D-41, D-54, D-69, CLU-016, CLU-017, D-70).
// Accesses come as in gsu_sm, through a gsu_skid, one or two at once; their counts have three bits, so that they are full soon.
// Assumed: acknowledgements are of packets that were sent (gsu_net_acks, gsu_mbar_exec); performed accesses were announced (the driver; whatever epoch it
// names); the driver announces only with wr_room_o; at most three packets are outstanding per kind and CTA.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
`ifdef FV_OWN
`define FV_EPOCHS dut.u_own
`define FV_COUNT dut.u_own_count
`define FV_WAITS u_room.own_q
`define FV_OLD u_room.own_old_q
`else
`define FV_EPOCHS dut.u_wide
`define FV_COUNT dut.u_wide_count
`define FV_WAITS u_room.wide_q
`define FV_OLD u_room.wide_old_q
`endif
module gsu_order_fv
  import gsu_pkg::*;
  import gsu_order_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic any_sent_i,
    input logic any_sent_cta_i,
    input logic sent_async_i,
    input logic any_ack_valid_i,
    input logic any_ack_cta_i,
    input logic any_ack_async_i,
    input logic any_ack_epoch_i,
    input logic any_fail_i,
    input logic any_fail_cta_i,
    input logic any_fail_async_i,
    input logic any_fail_epoch_i,
    input logic any_wr_valid_i,
    input logic wr_two_i,
    input logic wr_live_i,    // the CTA of the access at the head of the buffer has been launched
    input logic any_wr_who_i,
    input logic any_wr_epoch_i,
    input logic any_wr_performed_i,
    input logic any_push_i,
    input logic gate_i,
    input logic any_who_i,
    input logic [1:0] any_open_i,
    input logic ready_i,
    input logic sym_i,        // the watched CTA or warp
    input logic pick_i,       // follow the packet or access that starts now
    input logic mine_i,       // the followed packet or access is acknowledged or performed now
    input logic pick_wait_i   // follow the release that starts to wait now
);
`ifdef FV_OWN
  localparam bit Own = 1'b1;
`else
  localparam bit Own = 1'b0;
`endif
  localparam int unsigned Stride = Own ? MaxWarpSlots : MaxCtas;
  ack_t ack_i, fail_i;
  wr_t wr_i, wr_port;
  logic wr_valid_i, wr_head, wr_ready, wr_empty, wr_room_o;
  order_hold_t hold;
  logic push_i, sent_i, ack_valid_i, fail_valid_i, fail_ready_o, tap_valid_o, idle_o, space, valid, room_idle, follows, launch_valid_i;
  launch_t launch_i;
  logic [4:0] sent_cta_i, req_cta_i, req_warp_i;
  logic [5:0] req_slot_o;
  logic wait_wide_i, wait_own_i;
  mask_t epoch_o, owing_o, sending_o, fire_o, turn_o;
  logic [MaxWarpSlots-1:0] own_owing_o, own_epoch_o, own_fire_o, own_turn_o;
  tap_t tap_o;
  cycle_t room_next;
  logic [1:0] out;  // {followed, CTA or warp}
  always_comb begin
    ack_i          = '0;
    fail_i         = '0;
    wr_port        = '0;
    hold           = '0;
    ack_i.cta      = {4'd0, any_ack_cta_i};
    ack_i.async    = any_ack_async_i;
    ack_i.epoch    = any_ack_epoch_i;
    fail_i.cta     = {4'd0, any_fail_cta_i};
    fail_i.async   = any_fail_async_i;
    fail_i.epoch   = any_fail_epoch_i;
    wr_port.everyone  = !Own;
    wr_port.performed = any_wr_performed_i;
    wr_port.epoch     = any_wr_epoch_i;
    wr_port.count     = {14'd0, wr_two_i, !wr_two_i};
    if (Own) wr_port.warp = {4'd0, any_wr_who_i};
    else wr_port.cta = {4'd0, any_wr_who_i};
    hold.gate = gate_i;
    hold.own  = Own;
    hold.wide = !Own;
    hold.cta  = req_cta_i;
    hold.slot = req_slot_o;
  end
  assign push_i         = any_push_i && space;
  assign launch_valid_i = 1'b0;
  assign launch_i       = '0;
  assign sent_i         = !Own && any_sent_i;
  assign ack_valid_i    = !Own && any_ack_valid_i;
  assign fail_valid_i   = !Own && any_fail_i && fail_ready_o;
  assign sent_cta_i     = {4'd0, any_sent_cta_i};
  assign req_cta_i      = Own ? '0 : {4'd0, any_who_i};
  assign req_warp_i     = Own ? {4'd0, any_who_i} : '0;
  assign wait_wide_i    = push_i && !Own;
  assign wait_own_i     = push_i && Own;
  gsu_skid #(.Width($bits(wr_t))) u_wr_skid (
      .clk_i, .rst_ni, .valid_i(any_wr_valid_i), .ready_o(wr_ready), .data_i(wr_port), .valid_o(wr_head), .ready_i(wr_valid_i), .data_o(wr_i), .empty_o(wr_empty)
  );
  assign wr_valid_i = wr_head && wr_live_i;
  `ASSUME(AnnouncedWithRoom, !any_wr_valid_i || any_wr_performed_i || wr_room_o)
  gsu_order #(.Width(2), .AccessW(3)) dut (.*);
  gsu_order_wait_queue #(.Width(2), .Depth(4)) u_room (
      .clk_i, .rst_ni, .now_i('0), .push_i, .space_o(space), .hold_i(hold), .data_i({follows, any_who_i}), .class_i(1'b1),
      .open_i({30'd0, any_open_i}), .fire_i(fire_o), .turn_i(turn_o), .own_fire_i(own_fire_o), .own_turn_i(own_turn_o),
      .valid_o(valid), .ready_i, .data_o(out), .idle_o(room_idle), .next_o(room_next)
  );
  `FV_RESET
  `ASSUME(WarpSlotsOfCta0, dut.wbase_q[0] == '0 && dut.wbase_q[1] == '0)

  ////// Outstanding operations, per CTA and kind, or per warp //////
  logic leave, leave_cta;
  logic [1:0] sent_kind, leave_kind;
  logic [1:0][2:0][1:0] count_q;
  logic [1:0][1:0][2:0] access_q;
  logic wr_who;
  logic [1:0] wr_count;
  assign wr_who   = Own ? wr_i.warp[0] : wr_i.cta[0];
  assign wr_count = wr_i.count[1:0];
  assign leave      = ack_valid_i || fail_valid_i;
  assign leave_cta  = ack_valid_i ? any_ack_cta_i : any_fail_cta_i;
  assign leave_kind = ack_valid_i ? (any_ack_async_i ? 2'd2 : {1'b0, any_ack_epoch_i}) : (any_fail_async_i ? 2'd2 : {1'b0, any_fail_epoch_i});
  assign sent_kind  = sent_async_i ? 2'd2 : {1'b0, epoch_o[sent_cta_i]};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q  <= '0;
      access_q <= '0;
    end else begin
      for (int c = 0; c < 2; c++) begin
        for (int k = 0; k < 3; k++) begin
          count_q[c][k] <= count_q[c][k] + 2'(sent_i && any_sent_cta_i == 1'(c) && sent_kind == 2'(k)) - 2'(leave && leave_cta == 1'(c) && leave_kind == 2'(k));
        end
      end
      if (wr_valid_i)
        access_q[wr_who][wr_i.epoch] <= wr_i.performed ? access_q[wr_who][wr_i.epoch] - 3'(wr_count) : access_q[wr_who][wr_i.epoch] + 3'(wr_count);
    end
  end
  `ASSUME(AcknowledgesWhatWasSent, !leave || count_q[leave_cta][leave_kind] != '0)
  `ASSUME(AtMostThree, !sent_i || count_q[any_sent_cta_i][sent_kind] != 2'd3)
  `ASSUME(PerformsWhatWasAnnounced, !wr_valid_i || !wr_i.performed || access_q[wr_who][wr_i.epoch] >= 3'(wr_count))
  // Announcements in the buffer: at most one beyond the room, so the upper half of a count holds them.
  logic [1:0] coming, waiting;
  assign coming  = {u_wr_skid.tail_valid_q, u_wr_skid.head_valid_q};
  wr_t first, second;
  assign {first, second} = {u_wr_skid.head_q, u_wr_skid.tail_q};
  assign waiting = 2'(coming[0] && !first.performed) + 2'(coming[1] && !second.performed);
  `ASSERT(OneComesLate, wr_room_o || waiting <= 2'd1)
  `ASSERT(BufferFits, (!coming[0] || wr_fits(first)) && (!coming[1] || wr_fits(second)))
  function automatic logic wr_fits(wr_t w);
    wr_fits = w.everyone == !Own && w.count inside {16'd1, 16'd2} && w.cta == (Own ? 5'd0 : {4'd0, w.cta[0]}) && w.warp == (Own ? {4'd0, w.warp[0]} : 5'd0);
  endfunction
  logic [1:0] owes, turning;
  assign owes    = Own ? own_owing_o[1:0] : owing_o[1:0];
  assign turning = `FV_EPOCHS.current_q[1:0];
  for (genvar c = 0; c < 2; c++) begin : gen_cta
    `ASSERT(CountsExact, dut.gen_count[0].u_count.busy_q[c] == (count_q[c][0] != '0) && dut.gen_count[1].u_count.busy_q[c] == (count_q[c][1] != '0)
            && dut.gen_count[2].u_count.busy_q[c] == (count_q[c][2] != '0)
            && (count_q[c][0] == '0 || dut.gen_count[0].u_count.count_q[c] == count_q[c][0])
            && (count_q[c][1] == '0 || dut.gen_count[1].u_count.count_q[c] == count_q[c][1])
            && (count_q[c][2] == '0 || dut.gen_count[2].u_count.count_q[c] == count_q[c][2]))
    for (genvar e = 0; e < 2; e++) begin : gen_epoch
      `ASSERT(AccessesExact, `FV_COUNT.busy_q[e*Stride+c] == (access_q[c][e] != '0)
              && (access_q[c][e] == '0 || `FV_COUNT.count_q[e*Stride+c] == access_q[c][e]))
      `ASSERT(HalfIsTold, `FV_COUNT.half_q[e*Stride+c] == access_q[c][e][2])
      `ASSERT(NeverOverfull, 4'(access_q[c][e]) + (wr_room_o ? 4'd0 : 4'd2 * 4'(waiting)) <= (wr_room_o ? 4'd3 : 4'd7))
    end
    `ASSERT(ZeroMeansAll, owes[c] == (count_q[c][0] != '0 || count_q[c][1] != '0 || access_q[c] != '0))
    `ASSERT(SlotIsHeld, Own || sending_o[c] == (owes[c] || count_q[c][2] != '0))
  end
  logic [4:0] all_own;
  assign all_own = 5'(access_q[0][0]) + 5'(access_q[0][1]) + 5'(access_q[1][0]) + 5'(access_q[1][1]);
  `ASSERT(SlotIsHeldByWarps, !Own || (dut.u_cta_count.busy_q == 32'(all_own != '0) && (all_own == '0 || dut.u_cta_count.count_q[0] == 10'(all_own)) && dut.u_cta_count.half_q == '0 && sending_o == 32'(all_own != '0)))
  `ASSERT(OthersSilent, owing_o[31:2] == '0 && fire_o[31:2] == '0 && turn_o[31:2] == '0 && `FV_EPOCHS.waits_old_q >> 2 == '0 && `FV_EPOCHS.waits_now_q >> 2 == '0
          && `FV_EPOCHS.current_q >> 2 == '0 && own_owing_o >> 2 == '0)
  `ASSERT(OtherHalvesSilent, (`FV_COUNT.half_q & ~`FV_COUNT.busy_q) == '0 && (Own ? dut.u_wide_count.half_q : dut.u_own_count.half_q) == '0 && dut.u_cta_count.half_q == '0)
  `ASSERT(OtherKindSilent, Own ? dut.u_wide_count.busy_q == '0 && dut.u_wide.waits_old_q == '0 && dut.u_wide.waits_now_q == '0 && dut.u_wide.current_q == '0
                                 && sending_o >> 1 == '0 && count_q == '0
                               : dut.u_own_count.busy_q == '0 && dut.u_cta_count.busy_q == '0 && sending_o >> 2 == '0
                                 && dut.u_own.waits_old_q == '0 && dut.u_own.waits_now_q == '0 && dut.u_own.current_q == '0)

  ////// One packet or access, one release that is presented after it //////
  logic sym_q, item_q, access_item_q, kind_q, release_q, older_q, takes_packet, takes_access, gone, leaves, mine_packet, mine_access;
  always_ff @(posedge clk_i) if (!fv_started_q) sym_q <= sym_i;
  assign takes_packet = sent_i && !sent_async_i && pick_i && any_sent_cta_i == sym_q && !item_q;
  assign takes_access = wr_valid_i && !wr_i.performed && pick_i && wr_who == sym_q && !item_q && !takes_packet;
  assign mine_packet  = item_q && !access_item_q && leave && leave_cta == sym_q && leave_kind == {1'b0, kind_q};
  assign mine_access  = item_q && access_item_q && wr_valid_i && wr_i.performed && wr_who == sym_q && wr_i.epoch == kind_q;
  assign gone         = (mine_packet || mine_access) && mine_i;
  assign follows      = push_i && any_who_i == sym_q && pick_wait_i && !release_q;
  assign leaves       = valid && ready_i && out[1];
  `ASSUME(LastIsMine, !(mine_packet && count_q[sym_q][kind_q] == 2'd1) && !(mine_access && access_q[sym_q][kind_q] == 3'(wr_count)) || mine_i)
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {item_q, access_item_q, kind_q, release_q, older_q} <= '0;
    end else begin
      if (takes_packet || takes_access) begin
        item_q        <= 1'b1;
        access_item_q <= takes_access;
        kind_q        <= takes_access ? wr_i.epoch : epoch_o[sent_cta_i];
      end else if (gone) begin
        item_q <= 1'b0;
      end
      if (follows) begin
        release_q <= 1'b1;
        older_q   <= item_q && !gone;
      end else begin
        if (leaves) release_q <= 1'b0;
        if (gone) older_q <= 1'b0;
      end
    end
  end
  `ASSERT(ReleaseOnlyAtZero, !(valid && out[1]) || !older_q)
  `ASSERT(NobodyPassesOlder, !item_q || owes[sym_q])  // a release without older operations does not wait
  // The place of the followed release, and its reason to wait.
  logic [3:0] mine;
  for (genvar i = 0; i < 4; i++) begin : gen_room
    logic who;
    assign who     = u_room.u_data.mem_q[i][0];
    assign mine[i] = u_room.used_q[i] && u_room.u_data.mem_q[i][1];
    `ASSERT(EntryFits, !u_room.used_q[i] || (Own ? u_room.slot_q[i] == {5'd0, who} && u_room.cta_q[i] == '0 : u_room.cta_q[i] == {4'd0, who}))
    `ASSERT(EntryWaitsForOne, (Own ? u_room.wide_q : u_room.own_q) == '0 && u_room.timed_q == '0)
    `ASSERT(EntryIsAwaited, !(u_room.used_q[i] && `FV_WAITS[i]) || (`FV_OLD[i] ? `FV_EPOCHS.waits_old_q[who] : `FV_EPOCHS.waits_now_q[who]))
    `ASSERT(MineIsOfTheCta, !mine[i] || who == sym_q)
    `ASSERT(WaitsWhileOlder, !(mine[i] && older_q) || (`FV_WAITS[i] && (!`FV_OLD[i] || kind_q != turning[sym_q])))
  end
  `ASSERT(OneFollowed, 3'($countones(mine)) + 3'(u_room.valid_q && u_room.data_o[0][1]) == 3'(release_q))
  `ASSERT(OlderIsOutstanding, !older_q || (item_q && release_q))
  `ASSERT(FollowedIsCounted, !item_q || (access_item_q ? access_q[sym_q][kind_q] != '0 : count_q[sym_q][kind_q] != '0))
  // No lost wake-up: when nothing is outstanding, waiting requests resume after the clocks of the wake-up.
  `ASSERT(NobodyLeftBehind, !(idle_o && room_idle && !ready_i) || `FV_WAITS == '0 || |owes)
  for (genvar c = 0; c < 2; c++) begin : gen_wait
    `ASSERT(WaitsForSomething, !(idle_o && (`FV_EPOCHS.waits_old_q[c] || `FV_EPOCHS.waits_now_q[c])) || owes[c])
  end
  `COVER(LaterOutstanding, leaves && owes[sym_q])
  `COVER(AsyncOutstanding, leaves && !owes[sym_q] && sending_o[sym_q])
  `COVER(Half, !wr_room_o && access_q[0][0] == 3'd7)
  `COVER(RoomAgain, older_q && !$past(wr_room_o) && wr_room_o)
  `COVER(WaitedForAccess, older_q && access_item_q && |mine)
endmodule
