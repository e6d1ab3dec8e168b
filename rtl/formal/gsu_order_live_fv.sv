// prove: name=ends engine=kind depth=3 flat=1 files=gsu_skid,gsu_mbar_inflight,gsu_order_pkg,gsu_order_count,gsu_order_epochs,gsu_order,gsu_ram,gsu_rams,gsu_order_wait_queue,gsu_net_links,gsu_net_acks cover=9 skip=IdleHolds|ErrorTurnsBack|DrainsALink|u_wr[.]Full|WaitsForAll|ThroughTheGate|u_(wide|own)_count[.]PartlyPerformed|CountIsHalf limit=900
// Two SMs, the network, fences and the memory port together: whatever was accepted is answered (D-70). Each SM has a CTA of one warp, an order unit, a queue of
// waiting fences and the buffer of accesses, connected as in gsu_sm; between the SMs are the links for packets and the ways of acknowledgements.
//   Whatever the queues hold and whatever waits for what: once nothing new is offered, what is left to do becomes less in every two clocks, until every packet
//   is acknowledged at its source, every access is counted as performed, every fence is answered, and no CTA slot is held.
// What is left to do is a number (`left`): the steps that packets, accesses and fences have still to take. It is at most 90, so all ends within 180 clocks.
// Assumed are four partners, none of which waits for another:
//   an owner takes a packet when it can push its acknowledgement, at the latest in the second clock in which it could (gsu_mbar_exec.lanes: ServedAfterTwo);
//   the driver performs an outstanding access in the second clock at the latest, and takes an answer in the second clock at the latest (duties.tsv);
//   a packet has a route (gsu_net_route.main); none comes back.
// Time stands still: every deadline has come; links without a limit of bandwidth. One access of each kind and epoch is outstanding at most.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_order_live_fv
  import gsu_pkg::*;
  import gsu_order_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic [1:0] offer_i,      // SM s offers a packet, unless it waits with one
    input logic [1:0] to_i,
    input logic [1:0] async_i,
    input logic [1:0] take_i,       // the owner takes a packet; else at its second chance
    input logic [1:0] announce_i,   // the driver announces an access
    input logic [1:0] perform_i,    // the driver performs one; else at its second chance
    input logic [1:0][1:0] which_i, // {everyone, epoch} of the access
    input logic [1:0] fence_i,      // a fence is at the port
    input logic [1:0] own_i,        // it waits for its warp's accesses
    input logic [1:0] wide_i,       // it waits for its CTA's operations
    input logic [1:0] answer_i      // the driver takes an answer; else at its second chance
);
  localparam int unsigned Kinds = 3;  // of packets: two epochs, asynchronous
  logic [1:0] head_valid, head_take, rx_valid, rx_ready, ack_ready, ack_out, late_rx_q, wait_q, dest, dest_q, async, async_q, epoch;
  pkt_t [1:0] head, rx;
  ack_t [1:0] acked;
  ack_t ack_i[2];
  logic drained, links_idle, acks_idle;
  cycle_t links_next, acks_next;
  gsu_net_links #(.Sms(2), .Depth(2)) u_links (
      .clk_i, .rst_ni, .now_i('0), .hop_i('0), .bytes_i('0), .head_valid_i(head_valid), .head_take_o(head_take), .head_i(head), .error_i('0), .sm_i({4'd0, dest[1], 4'd0, dest[0]}),
      .cta_i('0), .drain_i(1'b0), .drained_o(drained), .rx_valid_o(rx_valid), .rx_ready_i(rx_ready), .rx_o(rx), .idle_o(links_idle), .next_o(links_next)
  );
  gsu_net_acks #(.Sms(2), .Depth(2)) u_acks (
      .clk_i, .rst_ni, .now_i('0), .hop_i('0), .ack_valid_i(rx_valid & rx_ready), .ack_ready_o(ack_ready), .ack_i, .ack_valid_o(ack_out), .ack_o(acked), .idle_o(acks_idle), .next_o(acks_next)
  );
  `FV_RESET
  // A source holds its packet and its route. The packet is counted in the epoch of the clock in which it leaves.
  assign head_valid = wait_q | offer_i;
  assign dest       = (wait_q & dest_q) | (~wait_q & to_i);
  assign async      = (wait_q & async_q) | (~wait_q & async_i);
  assign rx_ready   = ack_ready & (take_i | late_rx_q);
  always_comb begin
    for (int s = 0; s < 2; s++) begin
      head[s]        = '0;
      head[s].src_sm = 5'(s);
      head[s].async  = async[s];
      head[s].epoch  = epoch[s] && !async[s];
      ack_i[s]       = '{sm: rx[s].src_sm, async: rx[s].async, epoch: rx[s].epoch, default: '0};
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {wait_q, late_rx_q, dest_q, async_q} <= '0;
    else begin
      wait_q    <= head_valid & ~head_take;
      dest_q    <= dest;
      async_q   <= async;
      late_rx_q <= rx_valid & ack_ready & ~rx_ready;
    end
  end
  function automatic logic [1:0] kind_of(logic is_async, logic in_epoch);
    kind_of = is_async ? 2'd2 : {1'b0, in_epoch};
  endfunction

  ////// The SMs //////
  logic [1:0] announces, pushes, still, tells;  // still: nothing of this SM is under way
  logic [1:0][6:0] steps;  // that accesses and fences of this SM have still to take
  for (genvar m = 0; m < 2; m++) begin : gen_sm
    mask_t owes, sends, epochs, fire, turn;
    logic [MaxWarpSlots-1:0] own_owing, own_epoch, own_fire, own_turn;
    logic order_idle, room_idle, space, valid, tap_valid, fail_ready, data, wr_room, wr_ready, wr_valid, wr_empty, answers, late_answer_q;
    logic [5:0] slot;
    order_hold_t hold;
    cycle_t room_next;
    tap_t tap;

    ////// The driver's accesses: outstanding per {everyone, epoch} //////
    logic [3:0] out_q, out_d;
    logic performs, late_access_q;
    logic [1:0] which;
    wr_t wr_port, wr;
    assign performs     = out_q != '0 && (perform_i[m] || late_access_q);
    assign which        = performs && !out_q[which_i[m]] ? 2'(lowest_of(64'(out_q))) : which_i[m];
    assign announces[m] = announce_i[m] && !performs && !out_q[which_i[m]] && wr_room;
    assign tells[m]     = performs || announces[m];
    always_comb begin
      out_d = out_q;
      if (tells[m]) out_d[which] = announces[m];
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) {out_q, late_access_q} <= '0;
      else begin
        out_q         <= out_d;
        late_access_q <= out_q != '0 && !performs;
      end
    end
    assign wr_port = '{performed: performs, everyone: which[1], epoch: which[0], count: 16'd1, default: '0};
    gsu_skid #(.Width($bits(wr_t))) u_wr (
        .clk_i, .rst_ni, .valid_i(tells[m]), .ready_o(wr_ready), .data_i(wr_port), .valid_o(wr_valid), .ready_i(1'b1), .data_o(wr), .empty_o(wr_empty)
    );

    ////// Order and fences //////
    always_comb begin
      hold      = '0;
      hold.own  = own_i[m];
      hold.wide = wide_i[m];
    end
    assign pushes[m] = fence_i[m] && space && (own_i[m] || wide_i[m]);
    gsu_order #(.Width(4), .AccessW(2)) u_order (
        .clk_i, .rst_ni, .launch_valid_i(1'b0), .launch_i('0), .sent_i(head_take[m]), .sent_cta_i('0), .sent_async_i(async[m]),
        .ack_valid_i(ack_out[m]), .ack_i(acked[m]), .fail_valid_i(1'b0), .fail_ready_o(fail_ready), .fail_i('0),
        .wr_valid_i(wr_valid), .wr_i(wr), .wr_room_o(wr_room), .req_cta_i('0), .req_warp_i('0), .req_slot_o(slot),
        .wait_wide_i(pushes[m] && wide_i[m]), .wait_own_i(pushes[m] && own_i[m]),
        .owing_o(owes), .sending_o(sends), .own_owing_o(own_owing), .epoch_o(epochs), .fire_o(fire), .turn_o(turn),
        .own_epoch_o(own_epoch), .own_fire_o(own_fire), .own_turn_o(own_turn), .tap_valid_o(tap_valid), .tap_o(tap), .idle_o(order_idle)
    );
    gsu_order_wait_queue #(.Width(1), .Depth(2)) u_room (
        .clk_i, .rst_ni, .now_i('0), .push_i(pushes[m]), .space_o(space), .hold_i(hold), .data_i(1'b1), .class_i(1'b1),
        .open_i('0), .fire_i(fire), .turn_i(turn), .own_fire_i(own_fire), .own_turn_i(own_turn),
        .valid_o(valid), .ready_i(answers), .data_o(data), .idle_o(room_idle), .next_o(room_next)
    );
    assign epoch[m] = epochs[0];
    assign answers  = valid && (answer_i[m] || late_answer_q);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) late_answer_q <= 1'b0;
      else late_answer_q <= valid && !answers;
    end
    `ASSUME(FirstWarpSlot, u_order.wbase_q[0] == '0)
    assign still[m] = out_q == '0 && wr_empty && !owes[0] && !own_owing[0] && !sends[0] && u_room.used_q == '0 && !valid;

    // An access is to be performed, then counted. A fence waits for the current epochs to close, then for the closed ones, leaves the queue, and is answered.
    always_comb begin
      steps[m] = 7'd2 * 7'($countones(out_q)) + 7'(wr_valid) + 7'(valid);
      for (int i = 0; i < 2; i++) begin
        if (u_room.used_q[i])
          steps[m] = steps[m] + 7'd2 + (u_room.wide_q[i] ? 7'd2 - 7'(u_room.wide_old_q[i]) : '0) + (u_room.own_q[i] ? 7'd2 - 7'(u_room.own_old_q[i]) : '0);
      end
    end

    ////// Helper properties for induction: counts are what is under way; other CTAs and warps have nothing //////
    for (genvar k = 0; k < int'(Kinds); k++) begin : gen_kind
      logic [11:0] under;
      for (genvar s = 0; s < 2; s++) begin : gen_side
        ack_t [1:0] at;
        pkt_t [1:0] way;
        for (genvar i = 0; i < 2; i++) begin : gen_place
          assign at[i]  = ack_t'(u_acks.u_way.gen_one.mem_q[{1'(s), u_acks.rptr_q[s] ^ 1'(i)}]);
          assign way[i] = pkt_t'(u_links.u_way.gen_one.mem_q[{1'(s), u_links.rptr_q[s] ^ 1'(i)}]);
          assign under[6*s+i]   = (i == 0 ? u_acks.used_q[s] : u_acks.full_q[s]) && at[i].sm == 5'(m) && kind_of(at[i].async, at[i].epoch) == 2'(k);
          assign under[6*s+2+i] = (i == 0 ? u_links.used_q[s] : u_links.full_q[s]) && way[i].src_sm == 5'(m) && kind_of(way[i].async, way[i].epoch) == 2'(k);
        end
        assign under[6*s+4] = rx_valid[s] && rx[s].src_sm == 5'(m) && kind_of(rx[s].async, rx[s].epoch) == 2'(k);
        assign under[6*s+5] = s == m && ack_out[s] && kind_of(acked[s].async, acked[s].epoch) == 2'(k);
      end
      `ASSERT(CountIsWhatIsUnderWay, u_order.gen_count[k].u_count.busy_q == 32'(under != '0)
              && (under == '0 || u_order.gen_count[k].u_count.count_q[0] == 4'($countones(under))))
    end
    // The order unit has not seen yet what is in the buffer.
    logic [3:0] seen;
    always_comb begin
      seen = out_q;
      if (wr_valid) seen[{wr.everyone, wr.epoch}] = wr.performed;
    end
    `ASSERT(BufferFits, !u_wr.tail_valid_q && (!wr_valid || (wr.count == 16'd1 && wr.cta == '0 && wr.warp == '0 && out_q[{wr.everyone, wr.epoch}] == !wr.performed)))
    for (genvar e = 0; e < 2; e++) begin : gen_epoch
      `ASSERT(WideIsSeen, !seen[2+e] || u_order.u_wide_count.count_q[32*e] == 2'd1)
      `ASSERT(OwnIsSeen, !seen[e] || u_order.u_own_count.count_q[64*e] == 2'd1)
    end
    `ASSERT(BusyIsSeen, u_order.u_wide_count.busy_q == {31'd0, seen[3], 31'd0, seen[2]} && u_order.u_own_count.busy_q == {63'd0, seen[1], 63'd0, seen[0]}
            && u_order.u_cta_count.busy_q == 32'(seen[1:0] != '0) && (seen[1:0] == '0 || u_order.u_cta_count.count_q[0] == 9'($countones(seen[1:0]))))
    `ASSERT(NothingIsHalf, {u_order.u_wide_count.half_q, u_order.u_own_count.half_q, u_order.u_cta_count.half_q} == '0)
    `ASSERT(OthersWaitForNothing, {u_order.u_wide.current_q[31:1], u_order.u_wide.waits_old_q[31:1], u_order.u_wide.waits_now_q[31:1]} == '0
            && {u_order.u_own.current_q[63:1], u_order.u_own.waits_old_q[63:1], u_order.u_own.waits_now_q[63:1]} == '0)
    for (genvar i = 0; i < 2; i++) begin : gen_room
      `ASSERT(EntryFits, !u_room.used_q[i] || (u_room.cta_q[i] == '0 && u_room.slot_q[i] == '0 && !u_room.gate_q[i] && !u_room.timed_q[i]))
      `ASSERT(EntryIsAwaited, !u_room.used_q[i] || ((!u_room.wide_q[i] || (u_room.wide_old_q[i] ? u_order.u_wide.waits_old_q[0] : u_order.u_wide.waits_now_q[0]))
              && (!u_room.own_q[i] || (u_room.own_old_q[i] ? u_order.u_own.waits_old_q[0] : u_order.u_own.waits_now_q[0]))))
    end
  end

  ////// Once nothing new is offered //////
  // A packet waits at its source, is on its link, at its owner, then its acknowledgement is on its way, and at its source.
  logic [7:0] left, left_1_q, left_2_q;
  logic silent_1_q, silent_2_q;  // nothing new was offered in the last clock | two clocks
  assign left = 8'd5 * 8'($countones(wait_q)) + 8'd4 * 8'($countones({u_links.used_q, u_links.full_q})) + 8'd3 * 8'($countones(rx_valid))
                + 8'd2 * 8'($countones({u_acks.used_q, u_acks.full_q})) + 8'($countones(ack_out)) + 8'(steps[0]) + 8'(steps[1]);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {silent_1_q, silent_2_q} <= '0;
      {left_1_q, left_2_q} <= '0;
    end else begin
      silent_1_q <= {offer_i, announces, pushes} == '0;
      silent_2_q <= silent_1_q && {offer_i, announces, pushes} == '0;
      left_1_q   <= left;
      left_2_q   <= left_1_q;
    end
  end
  `ASSERT(BecomesLess, !silent_2_q || left_2_q == '0 || left < left_2_q)
  `ASSERT(StaysNothing, !silent_1_q || left_1_q != '0 || left == '0)
  `ASSERT(NothingIsLeft, left != '0 || (still == '1 && {wait_q, u_links.used_q, rx_valid, u_acks.used_q, ack_out} == '0))
  `ASSERT(Bounded, left <= 8'd90)

  // The queues are queues, of packets between the two SMs, whose deadline has come.
  `ASSERT(NoDrain, {u_links.drain_q, u_links.two_q, u_links.one_q, u_links.behind_q, u_links.last_out_q} == '0)
  `ASSERT(NoLimit, {u_links.bytes_q, u_links.header_q, u_links.most_q} == '0)
  for (genvar i = 0; i < 8; i++) begin : gen_digit
    `ASSERT(NoClocks, {u_links.upper_q[i], u_links.lower_q[i]} == '0)
  end
  for (genvar k = 0; k < 2; k++) begin : gen_side
    `ASSERT(LinkPointers, `FV_RING(u_links, k))
    `ASSERT(AckPointers, `FV_RING(u_acks, k))
    `ASSERT(LinkIsFree, {u_links.start_q[k], u_links.took_q[k]} == '0)
    `ASSERT(OutputFits, !rx_valid[k] || (rx[k].src_sm < 2 && !(rx[k].async && rx[k].epoch)))
    `ASSERT(AnswerFits, !ack_out[k] || (acked[k].cta == '0 && !(acked[k].async && acked[k].epoch)))
    for (genvar i = 0; i < 2; i++) begin : gen_place
      pkt_t way;
      cycle_t due;
      ack_t ack;
      assign way = u_links.u_way.gen_one.mem_q[{1'(k), u_links.rptr_q[k] ^ 1'(i)}];
      assign {due, ack} = u_acks.u_way.gen_one.mem_q[{1'(k), u_acks.rptr_q[k] ^ 1'(i)}];
      `ASSERT(WayFits, !(i == 0 ? u_links.used_q[k] : u_links.full_q[k])
              || (way.src_sm < 2 && !(way.async && way.epoch) && u_links.u_due.gen_one.mem_q[{1'(k), u_links.rptr_q[k] ^ 1'(i)}] == '0))
      `ASSERT(AckFits, !(i == 0 ? u_acks.used_q[k] : u_acks.full_q[k]) || (ack.sm < 2 && ack.cta == '0 && !(ack.async && ack.epoch) && due == '0))
    end
  end
  `COVER(BothWaysFull, u_links.full_q != '0 && u_acks.full_q != '0 && |wait_q)
  `COVER(FencesWaitForBoth, gen_sm[0].u_room.used_q == '1 && gen_sm[1].u_room.used_q == '1 && gen_sm[0].out_q != '0 && u_links.used_q != '0)
  `COVER(TwoEpochs, |(gen_sm[0].u_room.wide_q & gen_sm[0].u_room.wide_old_q) && |(gen_sm[0].u_room.wide_q & ~gen_sm[0].u_room.wide_old_q) && gen_sm[0].owes[0])
endmodule
