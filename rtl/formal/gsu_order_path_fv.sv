// prove: name=commit engine=kind depth=2 flat=1 files=gsu_mbar_inflight,gsu_order_pkg,gsu_order_count,gsu_order_epochs,gsu_order,gsu_ram,gsu_rams,gsu_order_wait_queue,gsu_net_acks cover=12 skip=IdleHolds|[.]Two$|u_order[.]u_(own|wide|cta)_count|u_order[.]u_(own|wide)[.]|AccessesAndPackets|CountIsHalf|u_room[.](Full|TwoReady|ThroughTheGate|WaitsForAll)|u_acks[.](OwnerFull|TwoSourcesAtOnce|TwoOwnersOneSource)|u_order[.](Turns|WaitsForBoth)$ limit=1200
// Composition for two SMs and the way back: gsu_order and its wait queue at the source, gsu_net_acks, and owners that commit a packet at any time after it has
// left and push its acknowledgement with the commit (gsu_mbar_exec.lanes: CommitBeforeAck, AckOnce, AckNotForgotten; the way there delivers each packet
// once: gsu_net_sources.order, gsu_net_links.order). Nothing is assumed of the three modules: the duties between them are proved here.
//   A release leaves the wait queue only after every older packet of its CTA has committed at its owner (CLU-016, D-54, MBARR-014). The count of a CTA
//   is exactly its packets and acknowledgements in flight. Together with gsu_cluster_barrier.pair (a generation completes only when
//   each warp's arrival has come out of the wait queue) a cluster barrier never completes before an older remote arrive of its threads commits.
// Time stands still: every deadline has come.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_order_path_fv
  import gsu_pkg::*;
  import gsu_order_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic sent_i,
    input logic any_sent_cta_i,
    input logic sent_async_i,
    input logic [1:0] commit_i,           // owner s commits a packet
    input logic [1:0] any_mine_sm_i,      // of SM 0, else of SM 1
    input logic [1:0] any_commit_cta_i,
    input logic [1:0] any_commit_async_i,
    input logic [1:0] any_commit_epoch_i,
    input logic [1:0] any_followed_i,     // it is the followed packet
    input logic any_push_i,
    input logic any_cta_i,
    input logic ready_i,
    input logic sym_i,
    input logic pick_i,
    input logic pick_wait_i
);
  localparam logic [3:0] Most = 4'd3;  // packets of a CTA and kind outstanding
  ack_t ack_i[2];
  ack_t [1:0] ack;
  logic [1:0] ack_ready, ack_valid, out, commits, ours;
  logic acks_idle, order_idle, room_idle, space, valid, tap_valid, fail_ready, follows;
  cycle_t acks_next;
  mask_t epoch, owing, sending, fire, turn;
  logic [MaxWarpSlots-1:0] own_owing, own_epoch, own_fire, own_turn;
  logic [5:0] slot;
  order_hold_t hold;
  cycle_t room_next;
  logic push_i;
  tap_t tap;
  assign push_i = any_push_i && space;
  always_comb begin
    hold      = '0;
    hold.wide = 1'b1;
    hold.cta  = {4'd0, any_cta_i};
  end
  always_comb begin
    for (int s = 0; s < 2; s++) begin
      ack_i[s] = '{tag: {11'd0, any_followed_i[s] && any_mine_sm_i[s]}, sm: {4'd0, !any_mine_sm_i[s]}, cta: {4'd0, any_commit_cta_i[s]},
                   async: any_commit_async_i[s], epoch: any_commit_epoch_i[s] && !any_commit_async_i[s], default: '0};
    end
  end
  // The owner commits only if it can push the acknowledgement, in the clock of the commit.
  assign commits = commit_i & ack_ready;
  assign ours    = commits & any_mine_sm_i;
  gsu_net_acks #(.Sms(2), .Depth(2)) u_acks (
      .clk_i, .rst_ni, .now_i('0), .hop_i('0), .ack_valid_i(commit_i), .ack_ready_o(ack_ready), .ack_i, .ack_valid_o(ack_valid), .ack_o(ack),
      .idle_o(acks_idle), .next_o(acks_next)
  );
  gsu_order #(.Width(2), .AccessW(2)) u_order (
      .clk_i, .rst_ni, .launch_valid_i(1'b0), .launch_i('0), .wr_valid_i(1'b0), .wr_i('0), .sent_i, .sent_cta_i({4'd0, any_sent_cta_i}), .sent_async_i, .epoch_o(epoch),
      .ack_valid_i(ack_valid[0]), .ack_i(ack[0]), .fail_valid_i(1'b0), .fail_ready_o(fail_ready), .fail_i('0),
      .req_cta_i({4'd0, any_cta_i}), .req_warp_i('0), .req_slot_o(slot), .wait_wide_i(push_i), .wait_own_i(1'b0),
      .own_owing_o(own_owing), .own_epoch_o(own_epoch), .own_fire_o(own_fire), .own_turn_o(own_turn), .owing_o(owing), .sending_o(sending), .fire_o(fire), .turn_o(turn),
      .tap_valid_o(tap_valid), .tap_o(tap), .idle_o(order_idle)
  );
  gsu_order_wait_queue #(.Width(2), .Depth(2)) u_room (
      .clk_i, .rst_ni, .now_i('0), .push_i, .space_o(space), .hold_i(hold), .data_i({follows, any_cta_i}), .class_i(1'b1),
      .open_i('0), .fire_i(fire), .turn_i(turn), .own_fire_i(own_fire), .own_turn_i(own_turn),
      .valid_o(valid), .ready_i, .data_o(out), .idle_o(room_idle), .next_o(room_next)
  );
  `FV_RESET

  ////// Packets in flight to their owners, per CTA and kind //////
  function automatic logic [1:0] kind_of(logic async, logic epoch);
    kind_of = async ? 2'd2 : {1'b0, epoch};
  endfunction
  logic [1:0] sent_kind;
  logic [1:0][1:0] commit_kind;
  logic [1:0][2:0][3:0] net_q, acks_in, count;
  assign sent_kind = kind_of(sent_async_i, epoch[any_sent_cta_i]);
  for (genvar s = 0; s < 2; s++) begin : gen_kind
    assign commit_kind[s] = kind_of(any_commit_async_i[s], any_commit_epoch_i[s]);
  end
  for (genvar c = 0; c < 2; c++) begin : gen_cta
    for (genvar k = 0; k < 3; k++) begin : gen_packets
      logic goes;
      logic [1:0] comes;
      logic [4:0] under;
      assign goes = sent_i && any_sent_cta_i == 1'(c) && sent_kind == 2'(k);
      for (genvar s = 0; s < 2; s++) begin : gen_owner
        logic [1:0] age_at;
        ack_t [1:0] at;
        logic [1:0] holds;
        assign comes[s] = ours[s] && any_commit_cta_i[s] == 1'(c) && commit_kind[s] == 2'(k);
        // Entries of the owner's queue, from the oldest on.
        assign age_at = {u_acks.full_q[s], u_acks.used_q[s]};
        assign at     = {ack_t'(u_acks.u_way.gen_one.mem_q[{1'(s), !u_acks.rptr_q[s]}]), ack_t'(u_acks.u_way.gen_one.mem_q[{1'(s), u_acks.rptr_q[s]}])};
        for (genvar i = 0; i < 2; i++) begin : gen_entry
          assign holds[i] = age_at[i] && at[i].sm == 5'd0 && at[i].cta == 5'(c) && kind_of(at[i].async, at[i].epoch) == 2'(k);
        end
        assign under[2*s +: 2] = holds;
      end
      assign under[4] = ack_valid[0] && ack[0].cta == 5'(c) && kind_of(ack[0].async, ack[0].epoch) == 2'(k);
      assign acks_in[c][k] = 4'($countones(under));
      assign count[c][k]   = net_q[c][k] + acks_in[c][k];
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) net_q[c][k] <= '0;
        else net_q[c][k] <= net_q[c][k] + 4'(goes) - 4'(comes[0]) - 4'(comes[1]);
      end
      // Owners commit packets in flight to them, the followed packet at the latest as the last of its kind.
      `ASSUME(CommitsWhatWasSent, 4'($countones(comes)) <= net_q[c][k])
      `ASSUME(AtMostThree, !goes || count[c][k] < Most)
      `ASSERT(CountIsWhatIsUnderWay, net_q[c][k] <= Most && count[c][k] <= Most && u_order.gen_count[k].u_count.busy_q[c] == (count[c][k] != '0)
              && (count[c][k] == '0 || {2'd0, u_order.gen_count[k].u_count.count_q[c]} == count[c][k]))
    end
  end
  `ASSERT(OthersSilent, owing[31:2] == '0 && sending[31:2] == '0 && u_order.u_wide.waits_old_q[31:2] == '0 && u_order.u_wide.waits_now_q[31:2] == '0 && u_order.u_wide.current_q[31:2] == '0
          && u_order.u_wide_count.busy_q == '0 && u_order.u_own_count.busy_q == '0 && u_order.u_cta_count.busy_q == '0 && u_order.u_own.waits_old_q == '0
          && u_order.u_own.waits_now_q == '0 && u_order.u_own.current_q == '0)

  ////// One packet from its departure to its acknowledgement, one release presented after it //////
  typedef enum logic [1:0] {
    PkNone,
    PkSent,
    PkCommitted
  } packet_e;
  packet_e packet_q;
  logic sym_q, kind_q, release_q, older_q, takes, done, gone, leaves;
  logic [1:0] mine;
  always_ff @(posedge clk_i) if (!fv_started_q) sym_q <= sym_i;
  assign takes   = sent_i && !sent_async_i && pick_i && any_sent_cta_i == sym_q && packet_q == PkNone;
  assign mine    = ours & any_followed_i;
  assign done    = |mine;
  assign gone    = ack_valid[0] && ack[0].tag[0];
  assign follows = push_i && any_cta_i == sym_q && pick_wait_i && !release_q;
  assign leaves  = valid && ready_i && out[1];
  `ASSUME(FollowedIsOne, mine != 2'b11 && (mine == '0 || packet_q == PkSent))
  for (genvar s = 0; s < 2; s++) begin : gen_followed
    `ASSUME(FollowedIsItself, !mine[s] || (any_commit_cta_i[s] == sym_q && commit_kind[s] == {1'b0, kind_q}))
    `ASSUME(MarkIsOurs, !(commit_i[s] && any_followed_i[s]) || any_mine_sm_i[s])
  end
  `ASSUME(LastIsFollowed, packet_q != PkSent || mine != '0 || net_q[sym_q][kind_q] > 4'(ours[0] && any_commit_cta_i[0] == sym_q && commit_kind[0] == {1'b0, kind_q})
          + 4'(ours[1] && any_commit_cta_i[1] == sym_q && commit_kind[1] == {1'b0, kind_q}))
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      packet_q <= PkNone;
      {kind_q, release_q, older_q} <= '0;
    end else begin
      if (takes) begin
        packet_q <= PkSent;
        kind_q   <= epoch[any_sent_cta_i];
      end else if (done) begin
        packet_q <= PkCommitted;
      end else if (gone) begin
        packet_q <= PkNone;
      end
      if (follows) begin
        release_q <= 1'b1;
        older_q   <= packet_q != PkNone && !gone;
      end else begin
        if (leaves) release_q <= 1'b0;
        if (gone) older_q <= 1'b0;
      end
    end
  end
  `ASSERT(ReleaseOnlyAfterCommit, !(valid && out[1] && older_q) || packet_q != PkSent)
  `ASSERT(ReleaseOnlyAtZero, !(valid && out[1]) || !older_q)
  `ASSERT(NobodyPassesOlder, packet_q == PkNone || owing[sym_q])  // a release without older operations does not wait
  // The place of the mark.
  logic [4:0] marks;
  for (genvar s = 0; s < 2; s++) begin : gen_mark
    ack_t [1:0] both;
    assign both         = {ack_t'(u_acks.u_way.gen_one.mem_q[{1'(s), !u_acks.rptr_q[s]}]), ack_t'(u_acks.u_way.gen_one.mem_q[{1'(s), u_acks.rptr_q[s]}])};
    assign marks[2*s]   = u_acks.used_q[s] && both[0].tag[0];
    assign marks[2*s+1] = u_acks.full_q[s] && both[1].tag[0];
    `ASSERT(QueueFits, `FV_RING(u_acks, s))
    for (genvar i = 0; i < 2; i++) begin : gen_entry
      cycle_t due;
      ack_t at;
      assign {due, at} = u_acks.u_way.gen_one.mem_q[{1'(s), u_acks.rptr_q[s] ^ 1'(i)}];
      `ASSERT(EntryFits, !(i == 0 ? u_acks.used_q[s] : u_acks.full_q[s])
              || (at.sm < 2 && at.cta < 2 && due == '0
                  && (!at.tag[0] || (at.sm == 0 && at.cta == {4'd0, sym_q} && !at.async && at.epoch == kind_q))))
    end
  end
  assign marks[4] = ack_valid[0] && ack[0].tag[0];
  `ASSERT(OutputFits, !ack_valid[0] || (ack[0].cta < 2 && (!ack[0].tag[0] || (ack[0].cta == {4'd0, sym_q} && !ack[0].async && ack[0].epoch == kind_q))))
  `ASSERT(MarkIsSomewhere, 3'($countones(marks)) == 3'(packet_q == PkCommitted))
  `ASSERT(SentIsUnderWay, packet_q != PkSent || net_q[sym_q][kind_q] != '0)
  `ASSERT(OlderIsOutstanding, !older_q || (packet_q != PkNone && release_q))
  `ASSERT(StateIsNamed, packet_q <= PkCommitted)
  logic [1:0] held;
  for (genvar i = 0; i < 2; i++) begin : gen_room
    assign held[i] = u_room.used_q[i] && u_room.u_data.mem_q[i][1];
    `ASSERT(RoomFits, !u_room.used_q[i] || (u_room.cta_q[i] == {4'd0, u_room.u_data.mem_q[i][0]} && !u_room.gate_q[i] && !u_room.own_q[i] && !u_room.timed_q[i]))
    `ASSERT(EntryIsAwaited, !(u_room.used_q[i] && u_room.wide_q[i]) || (u_room.wide_old_q[i] ? u_order.u_wide.waits_old_q[u_room.cta_q[i]] : u_order.u_wide.waits_now_q[u_room.cta_q[i]]))
    `ASSERT(MineIsOfTheCta, !held[i] || u_room.u_data.mem_q[i][0] == sym_q)
    `ASSERT(WaitsWhileOlder, !(held[i] && older_q) || (u_room.wide_q[i] && (!u_room.wide_old_q[i] || kind_q != u_order.u_wide.current_q[sym_q])))
  end
  `ASSERT(OneFollowed, 3'($countones(held)) + 3'(u_room.valid_q && u_room.data_o[0][1]) == 3'(release_q))
  // Nothing waits for ever: when acknowledgements and wait queues are still, a waiting release has packets that are not committed.
  `ASSERT(WaitsForACommit, !(order_idle && room_idle && acks_idle && acks_next == '1 && ack_valid == '0) || (u_room.used_q == '0) || |{net_q[0][0], net_q[0][1], net_q[1][0], net_q[1][1]})
  `COVER(CommittedNotYetTold, packet_q == PkCommitted && older_q && !gone)
  `COVER(LeavesWithLaterUnderWay, leaves && net_q[sym_q] != '0)
endmodule
