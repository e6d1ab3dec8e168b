// prove: name=barrier engine=kind depth=2 flat=1 files=gsu_mbar_inflight,gsu_order_pkg,gsu_order_count,gsu_order_epochs,gsu_order,gsu_ram,gsu_rams,gsu_order_wait_queue,gsu_net_acks cover=10 skip=IdleHolds|[.]Two$|u_order[.]u_(own|wide|cta)_count|u_order[.]u_(own|wide)[.]|AccessesAndPackets|CountIsHalf|u_room[.](Full|TwoReady|ThroughTheGate|WaitsForAll)|u_acks[.](OwnerFull|TwoSourcesAtOnce|TwoOwnersOneSource)|u_order[.](Turns|WaitsForBoth)$ limit=1200
// Composition of two SMs and the network: a cluster of a CTA on each SM. Both send packets to objects of either, and arrive at their cluster barrier
// with release; a packet of either CTA is followed. A generation never completes before the followed packet, older than its CTA's arrive, has
// committed at its owner (CLU-016, CLU-020, D-54). The acknowledgement must have come back; the other SM cannot pass earlier either.
//   Real, once for each SM: gsu_order, its wait queue; between them gsu_net_acks. Nothing is assumed of these: the duties between them are proved here.
//   Contracts, each proved by the named task:
//     owners commit each packet once, at any time after it has left, and acknowledge it in that clock (gsu_mbar_exec.lanes: CommitBeforeAck, AckOnce,
//       AckNotForgotten; the way there delivers each packet once: gsu_net_sources.order, gsu_net_links.order)
//     an arrive at the port goes to the wait queue while its CTA has outstanding operations, else to the join (gsu_sm: JoinKeepsItsRequest,
//       EveryRequestHasOneUnit)
//     the join forwards an arrive once and not before it has come (gsu_lane_join.groups)
//     a generation completes only when each CTA's arrive has come out of the join, and a CTA arrives once a generation (gsu_cluster_barrier.pair:
//       AllArrived, GenerationsDistinct, DoubleIsReported)
// Time stands still: every deadline has come.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_order_system_fv
  import gsu_pkg::*;
  import gsu_order_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic [1:0] sent_i,             // a packet leaves SM m
    input logic [1:0] sent_async_i,
    input logic [1:0] commit_i,           // owner s commits a packet
    input logic [1:0] any_src_i,          // of SM any_src_i[s]
    input logic [1:0] any_commit_async_i,
    input logic [1:0] any_commit_epoch_i,
    input logic [1:0] any_followed_i,     // it is the followed packet
    input logic [1:0] arrive_i,           // barrier.cluster.arrive.release of CTA m is at its port
    input logic [1:0] join_ready_i,
    input logic complete_i,               // the generation completes
    input logic sym_i,
    input logic pick_i
);
  localparam logic [3:0] Most = 4'd3;  // packets of a CTA and kind outstanding
  ack_t ack_i[2];
  ack_t [1:0] ack;
  logic [1:0] ack_ready, ack_valid, commits;
  logic acks_idle;
  cycle_t acks_next;
  always_comb begin
    for (int s = 0; s < 2; s++) begin
      ack_i[s] = '{tag: {11'd0, any_followed_i[s]}, sm: {4'd0, any_src_i[s]}, async: any_commit_async_i[s],
                   epoch: any_commit_epoch_i[s] && !any_commit_async_i[s], default: '0};
    end
  end
  // The owner commits only if it can push the acknowledgement, in the clock of the commit.
  assign commits = commit_i & ack_ready;
  gsu_net_acks #(.Sms(2), .Depth(2)) u_acks (
      .clk_i, .rst_ni, .now_i('0), .hop_i('0), .ack_valid_i(commit_i), .ack_ready_o(ack_ready), .ack_i, .ack_valid_o(ack_valid), .ack_o(ack),
      .idle_o(acks_idle), .next_o(acks_next)
  );
  `FV_RESET
  function automatic logic [1:0] kind_of(logic async, logic epoch);
    kind_of = async ? 2'd2 : {1'b0, epoch};
  endfunction

  ////// The SMs //////
  // For the CTA on SM m: its arrive is in the wait queue, or at the barrier; packets on their way to an owner; the order unit's view of the CTA.
  logic [1:0] in_room_q, arrived_q, presents, waits, comes_out, owing, epoch, current, waits_old, waits_now, room_used, room_wide, room_old, room_valid, quiet;
  logic [1:0][2:0][3:0] net_q, count;
  logic [1:0][2:0] busy;
  logic complete;
  assign complete = complete_i && arrived_q == 2'b11;  // contract of the cluster barrier
  assign presents = arrive_i & ~in_room_q & ~arrived_q;
  for (genvar m = 0; m < 2; m++) begin : gen_sm
    mask_t owes, sends, epochs, fire, turn;
    logic [MaxWarpSlots-1:0] own_owing, own_epoch, own_fire, own_turn;
    logic order_idle, room_idle, space, tap_valid, fail_ready, data;
    logic [5:0] slot;
    order_hold_t hold;
    cycle_t room_next;
    tap_t tap;
    assign hold     = '{wide: 1'b1, default: '0};
    assign waits[m] = presents[m] && owes[0];
    gsu_order #(.Width(2), .AccessW(2)) u_order (
        .clk_i, .rst_ni, .launch_valid_i(1'b0), .launch_i('0), .wr_valid_i(1'b0), .wr_i('0), .sent_i(sent_i[m]), .sent_cta_i('0), .sent_async_i(sent_async_i[m]), .epoch_o(epochs),
        .ack_valid_i(ack_valid[m]), .ack_i(ack[m]), .fail_valid_i(1'b0), .fail_ready_o(fail_ready), .fail_i('0),
        .req_cta_i('0), .req_warp_i('0), .req_slot_o(slot), .wait_wide_i(waits[m]), .wait_own_i(1'b0),
        .own_owing_o(own_owing), .own_epoch_o(own_epoch), .own_fire_o(own_fire), .own_turn_o(own_turn), .owing_o(owes), .sending_o(sends), .fire_o(fire), .turn_o(turn),
        .tap_valid_o(tap_valid), .tap_o(tap), .idle_o(order_idle)
    );
    gsu_order_wait_queue #(.Width(1), .Depth(2)) u_room (
        .clk_i, .rst_ni, .now_i('0), .push_i(waits[m]), .space_o(space), .hold_i(hold), .data_i(1'b1), .class_i(1'b1),
        .open_i('0), .fire_i(fire), .turn_i(turn), .own_fire_i(own_fire), .own_turn_i(own_turn),
        .valid_o(room_valid[m]), .ready_i(join_ready_i[m]), .data_o(data), .idle_o(room_idle), .next_o(room_next)
    );
    assign owing[m]     = owes[0];
    assign epoch[m]     = epochs[0];
    assign comes_out[m] = (room_valid[m] && join_ready_i[m]) || (presents[m] && !owes[0]);
    assign quiet[m]     = order_idle && room_idle;
    assign current[m]   = u_order.u_wide.current_q[0];
    assign waits_old[m] = u_order.u_wide.waits_old_q[0];
    assign waits_now[m] = u_order.u_wide.waits_now_q[0];
    assign room_used[m] = |u_room.used_q;
    assign room_wide[m] = |(u_room.used_q & u_room.wide_q);
    assign room_old[m]  = |(u_room.used_q & u_room.wide_old_q);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) {in_room_q[m], arrived_q[m]} <= '0;
      else begin
        in_room_q[m] <= (in_room_q[m] || waits[m]) && !(room_valid[m] && join_ready_i[m]);
        arrived_q[m] <= (arrived_q[m] || comes_out[m]) && !complete;
      end
    end
    // Packets of the CTA per kind: its two epochs, asynchronous.
    for (genvar k = 0; k < 3; k++) begin : gen_kind
      logic goes;
      logic [1:0] done;
      logic [4:0] under;
      assign goes = sent_i[m] && kind_of(sent_async_i[m], epoch[m]) == 2'(k);
      for (genvar s = 0; s < 2; s++) begin : gen_owner
        logic [1:0] age_at, holds;
        ack_t [1:0] at;
        assign done[s] = commits[s] && any_src_i[s] == 1'(m) && kind_of(any_commit_async_i[s], any_commit_epoch_i[s]) == 2'(k);
        assign age_at  = {u_acks.full_q[s], u_acks.used_q[s]};
        assign at      = {ack_t'(u_acks.u_way.gen_one.mem_q[{1'(s), !u_acks.rptr_q[s]}]), ack_t'(u_acks.u_way.gen_one.mem_q[{1'(s), u_acks.rptr_q[s]}])};
        for (genvar i = 0; i < 2; i++) begin : gen_entry
          assign holds[i] = age_at[i] && at[i].sm == 5'(m) && kind_of(at[i].async, at[i].epoch) == 2'(k);
        end
        assign under[2*s +: 2] = holds;
      end
      assign under[4]    = ack_valid[m] && kind_of(ack[m].async, ack[m].epoch) == 2'(k);
      assign count[m][k] = net_q[m][k] + 4'($countones(under));
      assign busy[m][k]  = u_order.gen_count[k].u_count.busy_q[0];
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) net_q[m][k] <= '0;
        else net_q[m][k] <= net_q[m][k] + 4'(goes) - 4'(done[0]) - 4'(done[1]);
      end
      `ASSUME(CommitsWhatWasSent, 4'($countones(done)) <= net_q[m][k])
      `ASSUME(AtMostThree, !goes || count[m][k] < Most)
      `ASSERT(CountIsWhatIsUnderWay, net_q[m][k] <= Most && count[m][k] <= Most && busy[m][k] == (count[m][k] != '0)
              && (count[m][k] == '0 || {2'd0, u_order.gen_count[k].u_count.count_q[0]} == count[m][k]))
    end
    `ASSERT(OthersSilent, owes[31:1] == '0 && sends[31:1] == '0 && u_order.u_wide.waits_old_q[31:1] == '0 && u_order.u_wide.waits_now_q[31:1] == '0 && u_order.u_wide.current_q[31:1] == '0
            && u_order.u_wide_count.busy_q == '0 && u_order.u_own_count.busy_q == '0 && u_order.u_cta_count.busy_q == '0 && u_order.u_own.waits_old_q == '0
            && u_order.u_own.waits_now_q == '0 && u_order.u_own.current_q == '0)
    // The arrive is in one place; there it waits for the order unit's counts.
    `ASSERT(OneArrive, 2'($countones(u_room.used_q)) + 2'(room_valid[m]) == 2'(in_room_q[m]) && !(in_room_q[m] && arrived_q[m]))
    for (genvar i = 0; i < 2; i++) begin : gen_room
      `ASSERT(RoomFits, !u_room.used_q[i] || (u_room.cta_q[i] == '0 && !u_room.gate_q[i] && !u_room.own_q[i] && !u_room.timed_q[i]))
    end
    `ASSERT(EntryIsAwaited, !room_wide[m] || (room_old[m] ? waits_old[m] : waits_now[m]))
    // No arrive waits for ever: when order units, wait queues and acknowledgements are still, a waiting arrive has packets that are not committed.
    `ASSERT(WaitsForACommit, !(quiet == '1 && acks_idle && acks_next == '1 && ack_valid == '0) || !room_used[m] || |{net_q[m][0], net_q[m][1]})
  end

  ////// One packet of one CTA, from its departure to its acknowledgement //////
  typedef enum logic [1:0] {
    PkNone,
    PkSent,
    PkCommitted
  } packet_e;
  packet_e packet_q;
  logic sym_q, kind_q, older_q, takes, gone;  // older: the packet had left when the arrive of its CTA, not yet through the barrier, was presented
  logic [1:0] mine;
  always_ff @(posedge clk_i) if (!fv_started_q) sym_q <= sym_i;
  assign takes = sent_i[sym_q] && !sent_async_i[sym_q] && pick_i && packet_q == PkNone;
  assign mine  = commits & any_followed_i;
  assign gone  = ack_valid[sym_q] && ack[sym_q].tag[0];
  `ASSUME(FollowedIsOne, mine != 2'b11 && (mine == '0 || packet_q == PkSent))
  logic [1:0] taken_here;
  for (genvar s = 0; s < 2; s++) begin : gen_followed
    assign taken_here[s] = commits[s] && any_src_i[s] == sym_q && kind_of(any_commit_async_i[s], any_commit_epoch_i[s]) == {1'b0, kind_q};
    `ASSUME(FollowedIsItself, !(commit_i[s] && any_followed_i[s]) || (any_src_i[s] == sym_q && kind_of(any_commit_async_i[s], any_commit_epoch_i[s]) == {1'b0, kind_q}))
  end
  `ASSUME(LastIsFollowed, packet_q != PkSent || mine != '0 || net_q[sym_q][kind_q] > 4'($countones(taken_here)))
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      packet_q <= PkNone;
      {kind_q, older_q} <= '0;
    end else begin
      if (takes) begin
        packet_q <= PkSent;
        kind_q   <= epoch[sym_q];
      end else if (|mine) begin
        packet_q <= PkCommitted;
      end else if (gone) begin
        packet_q <= PkNone;
      end
      if (presents[sym_q]) older_q <= packet_q == PkSent && mine == '0;
      else if (complete || |mine) older_q <= 1'b0;
    end
  end
  // The main property: stated of the owner's commit, and of nothing in between.
  `ASSERT(BarrierAfterCommit, !complete || !older_q)
  // And on the way: before that, no arrive leaves the wait queue, and none bypasses it.
  `ASSERT(ReleaseAfterCommit, !comes_out[sym_q] || !(presents[sym_q] ? packet_q == PkSent : older_q))
  `ASSERT(ArrivedIsCommitted, !(arrived_q[sym_q] && older_q))
  `ASSERT(OlderWaits, !older_q || (packet_q == PkSent && in_room_q[sym_q] && !room_valid[sym_q] && room_wide[sym_q] && (!room_old[sym_q] || kind_q != current[sym_q])))
  `ASSERT(OutstandingIsOwed, packet_q == PkNone || owing[sym_q])
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
              || (at.sm < 2 && at.cta == 0 && due == '0
                  && (!at.tag[0] || (at.sm == {4'd0, sym_q} && !at.async && at.epoch == kind_q))))
    end
    `ASSERT(OutputFits, !ack_valid[s] || (ack[s].cta == 0 && (!ack[s].tag[0] || (sym_q == 1'(s) && !ack[s].async && ack[s].epoch == kind_q))))
  end
  assign marks[4] = gone;
  `ASSERT(MarkIsSomewhere, 3'($countones(marks)) == 3'(packet_q == PkCommitted))
  `ASSERT(SentIsUnderWay, packet_q != PkSent || net_q[sym_q][kind_q] != '0)
  `ASSERT(StateIsNamed, packet_q <= PkCommitted)
  `COVER(CompletesAfterAWait, complete && $past(room_valid != '0))
  `COVER(OtherIsThereFirst, arrived_q == (2'd1 << !sym_q) && older_q)
  `COVER(LaterPacketsUnderWay, complete && net_q[0][0] != '0 && net_q[1] != '0)
endmodule
