// gsu_mbar_unit: the mbarrier unit of an SM. Wiring only: requests (operands, wait queue, walks), asynchronous and remote updates -> exec on the barrier cache
// -> answers, parked waits, packets. Rules: MBAR-*, MBARR-*, MBDROP-*, MBW-*, CPA-* that are not legality, D-22..D-45, D-72; the parts name theirs.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_unit
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
  import gsu_order_pkg::*;
#(
    parameter int unsigned Waits = 32,        /// parked waits
    parameter int unsigned Lines = 4,         /// lines of four words of the barrier cache
    parameter int unsigned MbarAnswers = 32,  /// depths of queues: answers, answers of waits, packets to and from other CTAs
    parameter int unsigned WaitAnswers = 64, parameter int unsigned Sends = 8, parameter int unsigned Receives = 32,
    parameter int unsigned Operands = 64,     /// requests whose operands are held at once: waiting ones, one that is processed, one that arrives
    parameter int unsigned Replies = 16,      /// atoms that wait for their answers
    parameter int unsigned Cancels = 8        /// lanes of try_cancel with outstanding queries or responses
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  cycle_t      now_i,
    input  cfg_t        cfg_i,            // changes only while idle_o
    input  logic        launch_valid_i,   // pulse
    input  launch_t     launch_i,
    input  logic        cta_end_valid_i,  // pulse: the CTA's words leave the cache, its later updates are refused
    input  logic [4:0]  cta_end_cta_i,
    output mask_t       cta_quiet_o,      // from flops, up to two clocks late: nothing of a CTA of ending_i is in flight
    output mask_t       arriving_o,       // from flops: updates from copies or other CTAs are in flight to the CTA
    input  mask_t       left_i,           // CTAs whose last warp has exited
    input  mask_t       open_i,           // entry gate per CTA slot: remote accesses may leave
    input  order_hold_t hold_i,           // reasons for which req_i waits, besides the entry gate
    input  mask_t       epoch_i, fire_i, turn_i,  // as gsu_order
    input  logic [MaxWarpSlots-1:0] own_fire_i,
    input  logic [MaxWarpSlots-1:0] own_turn_i,
    output logic        wait_o,           // pulse: the request waits from this clock on
    output logic        sent_o,           // pulse: a packet has left, or a query of try_cancel
    output logic [4:0]  sent_cta_o,
    output logic        sent_async_o,
    input  mask_t       ending_i,         // CTAs that end: gsu_cta_end waits for their cta_quiet_o
    input  logic        req_valid_i,
    output logic        req_ready_o,
    input  sync_req_t   req_i,            // OpMbar* with an object, OpCpAsyncArrive*, OpStAsync, OpRedAsync, OpClcTryCancel; OpAtom, OpRed with remote
    input  logic        opnd_valid_i,
    output logic        opnd_ready_o,
    input  opnd_beat_t  opnd_i,           // beats of the next request; all come before it
    input  logic        async_valid_i,
    output logic        async_ready_o,
    input  async_t      async_i,
    output logic        clc_req_valid_o,  // pulse, from a flop
    output clc_req_t    clc_req_o,
    input  logic        clc_rsp_valid_i,  // pulse: the answer to an open query
    input  clc_rsp_t    clc_rsp_i,
    output logic        mem_req_valid_o,  // from flops
    output mem_req_t    mem_req_o,
    input  logic        mem_rsp_valid_i,
    input  logic [63:0] mem_rdata_i,
    input  logic        snoop_valid_i,
    input  logic [17:0] snoop_addr_i,
    output logic        tx_valid_o,       // from flops
    input  logic        tx_ready_i,
    output pkt_t        tx_o,
    input  logic        rx_valid_i,
    output logic        rx_ready_o,
    input  pkt_t        rx_i,
    output logic        ack_valid_o,      // from a flop: to the source of a packet
    input  logic        ack_ready_i,
    output ack_t        ack_o,
    input  logic        back_valid_i,     // pulse: a packet of ours was acknowledged
    input  ack_t        back_i,
    output logic        fail_valid_o,     // a packet of ours has come back
    input  logic        fail_ready_i,
    output ack_t        fail_o,
    output logic        rsp_valid_o,
    input  logic        rsp_ready_i,
    output sync_rsp_t   rsp_o,
    output logic        dlv_valid_o,      // pulse, from a flop
    output deliver_t    dlv_o,
    output logic        tap_valid_o,      // pulse with the commit
    /*verilator tracing_off*/ output tap_t        tap_o, /*verilator tracing_on*/
    output logic        idle_o,
    output cycle_t      next_event_o
);
  ////// Places and windows of the CTAs //////
  logic [4:0] walk_cta, async_cta, remote_cta;
  mbar_cta_t walk_place, async_place, remote_place;
  gsu_mbar_ctas u_ctas (
      .clk_i, .rst_ni, .launch_valid_i, .launch_i, .end_valid_i(cta_end_valid_i), .end_cta_i(cta_end_cta_i),
      .local_cta_i(walk_cta), .local_o(walk_place), .async_cta_i(async_cta), .async_o(async_place),
      .remote_cta_i(remote_cta), .remote_o(remote_place)
  );

  ////// Requests: operands, then groups of lanes //////
  // Requests of different kinds never wait for each other: each kind has its own walk, and its own output of the wait queue. A request is in the wait queue,
  // with its operands, if it waits for older accesses and packets of its CTA or for the entry gate, or if it may go to other CTAs and its walk is busy.
  localparam int unsigned SlotW = $clog2(Operands);
  typedef logic [MbKinds-1:0] kinds_t;
  typedef logic [SlotW-1:0] slot_t;
  slot_t full_slot;
  logic full, free, query, bcast, by_phase, by_limit, phase, collect_idle, wants;
  logic far, gated, holds, room_push, room_space, room_idle;
  kinds_t kind, walk_offered, walk_ready_to, walk_want, walk_free, walk_query, walk_bcast, walk_by_phase, walk_by_limit, walk_by_rank, walk_idle;
  kinds_t room_valid, from_room, item_at, item_taken, item_remote, turn, turn_low_q;
  slot_t [MbKinds-1:0] room_slot, walk_offer, walk_slot;
  sync_req_t [MbKinds-1:0] room_req;
  mask_t [MbKinds-1:0] walk_todo;
  logic [MbKinds-1:0][4:0] walk_of;
  order_hold_t hold;
  cycle_t room_next;
  mbar_item_t [MbKinds-1:0] walk_item;
  logic [MbKinds-1:0][1:0] walk_open;
  logic [MbKinds-1:0][1:0][11:0] walk_tag;
  mask_t lanes;
  logic [4:0] lead;
  logic [31:0] addr, data, limit;
  logic [1:0] at_work;  // the walk whose turn it is
  logic [MbKinds-1:0][$bits(sync_req_t)+SlotW-1:0] room_data;
  assign far         = !mbar_is_wait(req_i.op) && (req_i.remote || mbar_is_async(req_i.op));
  assign gated       = !open_i[req_i.cta] && far;
  assign holds       = gated || hold_i.own || hold_i.wide || hold_i.timed;
  assign wants       = req_valid_i && full;
  assign room_push   = wants && room_space && (holds || (far && |(kind & (~walk_ready_to | room_valid))));
  assign wait_o      = room_push;
  assign req_ready_o = full && (far || holds ? room_space : walk_ready_to[MbNear] && !from_room[MbNear]);
  // Requests on objects here that need not wait take turns with requests that have waited, however many of the latter resume at once.
  logic port_first_q;
  assign from_room = room_valid & ~kinds_t'(wants && !far && !holds && port_first_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) port_first_q <= 1'b0;
    else if (room_valid[MbNear] && walk_ready_to[MbNear]) port_first_q <= from_room[MbNear];
  end
  always_comb begin
    kind = '0;
    kind[!far ? MbNear : req_i.op == OpAtom ? MbAtom : req_i.op == OpClcTryCancel ? MbQuery : MbPosted] = 1'b1;
    hold      = hold_i;
    hold.gate = gated;
  end
  gsu_order_wait_queue #(.Width($bits(sync_req_t) + SlotW), .Depth(Operands), .Classes(MbKinds)) u_room (
      .clk_i, .rst_ni, .now_i,
      .push_i(room_push), .space_o(room_space), .hold_i(hold), .data_i({full_slot, req_i}), .class_i(kind),
      .open_i, .fire_i, .turn_i, .own_fire_i, .own_turn_i,
      .valid_o(room_valid), .ready_i(walk_ready_to & from_room), .data_o(room_data), .idle_o(room_idle), .next_o(room_next)
  );
  for (genvar w = 0; w < int'(MbKinds); w++) begin : gen_walk
    assign {room_slot[w], room_req[w]} = room_data[w];
    assign walk_offered[w] = from_room[w] || (wants && kind[w] && !holds);
    assign walk_offer[w]   = from_room[w] ? room_slot[w] : full_slot;
    gsu_mbar_walk #(.SlotW(SlotW)) u_walk (
        .clk_i, .rst_ni, .cfg_i,
        .req_valid_i(walk_offered[w]), .req_ready_o(walk_ready_to[w]), .req_i(from_room[w] ? room_req[w] : req_i),
        .slot_i(walk_offer[w]), .want_o(walk_want[w]), .turn_i(turn[w]),
        .slot_o(walk_slot[w]), .free_o(walk_free[w]), .query_o(walk_query[w]), .todo_o(walk_todo[w]), .bcast_o(walk_bcast[w]),
        .by_phase_o(walk_by_phase[w]), .by_limit_o(walk_by_limit[w]), .by_rank_o(walk_by_rank[w]),
        .lanes_i(lanes), .lead_i(lead), .addr_i(addr), .data_i(data), .phase_i(phase), .limit_i(limit),
        .cta_o(walk_of[w]), .cta_i(walk_place),
        .item_valid_o(item_at[w]), .item_ready_i(item_taken[w]), .item_o(walk_item[w]), .item_remote_o(item_remote[w]),
        .open_o(walk_open[w]), .open_tag_o(walk_tag[w]), .idle_o(walk_idle[w])
    );
  end
  // One lookup a clock, in turns.
  function automatic kinds_t next_of(kinds_t set, kinds_t low);
    next_of = (set & ~low) != '0 ? set & ~low : set;
    next_of = next_of & (~next_of + kinds_t'(1));
  endfunction
  assign turn    = next_of(walk_want, turn_low_q);
  assign at_work = mbar_kind_at(turn[MbQuery:MbPosted]);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) turn_low_q <= '0;
    else if (|walk_want) turn_low_q <= turn | (turn - kinds_t'(1));
  end
  assign walk_cta = walk_of[at_work];
  assign {free, query} = {|walk_free, |walk_query};
  assign bcast    = walk_bcast[at_work];
  assign by_phase = walk_by_phase[at_work];
  assign by_limit = walk_by_limit[at_work];
  gsu_mbar_operands #(.Slots(Operands)) u_collect (
      .clk_i, .rst_ni,
      .opnd_valid_i, .opnd_ready_o, .opnd_i,
      .full_o(full), .next_o(full_slot), .claim_i(req_valid_i && req_ready_o),
      .take_i(walk_offered & walk_ready_to), .from_i(walk_offer), .turn_i(turn), .slot_i(walk_slot[at_work]), .free_i(free),
      .query_i(query), .todo_i(walk_todo[at_work]), .bcast_i(bcast), .by_phase_i(by_phase), .by_limit_i(by_limit), .by_rank_i(walk_by_rank[at_work]),
      .lanes_o(lanes), .lead_o(lead), .addr_o(addr), .data_o(data), .phase_o(phase), .limit_o(limit), .idle_o(collect_idle)
  );

  ////// Updates from copies and from other CTAs //////
  logic [2:0] item_valid, item_ready;
  mbar_item_t async_item, remote_item;
  logic async_idle, recv_take, recv_ready, loop_valid;
  pkt_t loop;
  logic [4:0] recv_cta, left_cta;
  cycle_t recv_next;
  logic agent_push, agent_space, left;
  logic [1:0] done;
  mbar_agent_t agent;
  mask_t agent_busy;
  gsu_mbar_async u_async (
      .clk_i, .rst_ni, .sm80_i(cfg_i.mbar_policy[MbPolicySm80]), .async_valid_i, .async_ready_o, .async_i,
      .cta_o(async_cta), .cta_i(async_place),
      .item_valid_o(item_valid[1]), .item_ready_i(item_ready[1]), .item_o(async_item), .agent_push_o(agent_push), .agent_space_i(agent_space),
      .agent_o(agent), .left_o(left), .left_cta_o(left_cta), .left_ready_i(!done[0]), .idle_o(async_idle)
  );
  assign rx_ready_o = recv_ready && !loop_valid;  // packets of this SM to itself go first; the walk limits their number
  gsu_mbar_recv #(.Depth(Receives)) u_recv (
      .clk_i, .rst_ni, .now_i,
      .latency_i(cfg_i.mbar_remote_lat),
      .rx_valid_i(loop_valid || rx_valid_i), .rx_ready_o(recv_ready), .rx_i(loop_valid ? loop : rx_i),
      .take_o(recv_take), .take_cta_o(recv_cta),
      .cta_o(remote_cta), .cta_i(remote_place),
      .item_valid_o(item_valid[2]), .item_ready_i(item_ready[2]), .item_o(remote_item), .next_event_o(recv_next)
  );

  ////// Objects //////
  logic access, hit, write, drop, flushing, cache_idle;
  logic [14:0] word_addr;
  logic [63:0] word, wdata;
  gsu_mbar_cache #(.Lines(Lines)) u_cache (
      .clk_i, .rst_ni,
      .write_back_i(cfg_i.mbar_policy[MbPolicyWriteBack]),
      .access_i(access), .addr_i(word_addr), .hit_o(hit), .word_o(word),
      .write_i(write), .wdata_i(wdata), .drop_i(drop),
      .flush_i(cta_end_valid_i), .flushing_o(flushing),
      .snoop_valid_i, .snoop_addr_i(snoop_addr_i[17:3]),
      .mem_req_valid_o, .mem_req_o, .mem_rsp_valid_i, .mem_rdata_i,
      .idle_o(cache_idle)
  );

  logic park_space, park, wake, kill, killed, tag_parked, exec_local, exec_idle;
  logic exec_rsp, exec_rsp_wait, exec_tap, plain_space, wait_space;
  mbar_wait_t park_wait;
  logic [11:0] exec_tag;
  sync_rsp_t exec_rsp_data;
  /*verilator tracing_off*/ tap_t exec_tap_data; /*verilator tracing_on*/
  logic returned, ack_space, answer_valid, hold_exec, away_hold, here_open;
  ack_t done_ack;
  logic [4:0] done_cta;
  cycle_t exec_next;
  mbar_item_t local_item;
  gsu_mbar_exec u_exec (
      .clk_i, .rst_ni, .now_i, .cfg_i,
      .item_valid_i(item_valid), .item_ready_o(item_ready), .local_i(local_item), .async_i(async_item), .remote_i(remote_item),
      .access_o(access), .addr_o(word_addr), .hit_i(hit), .word_i(word), .write_o(write), .wdata_o(wdata), .drop_o(drop),
      .left_i, .hold_i(hold_exec), .park_space_i(park_space), .park_o(park), .park_wait_o(park_wait),
      .wake_o(wake), .kill_o(kill), .killed_i(killed), .tag_parked_i(tag_parked), .tag_o(exec_tag), .local_o(exec_local),
      .rsp_space_i(plain_space && wait_space), .ack_space_i(ack_space), .rsp_valid_o(exec_rsp), .rsp_wait_o(exec_rsp_wait), .rsp_o(exec_rsp_data),
      .tap_valid_o(exec_tap), .tap_o(exec_tap_data), .dlv_valid_o, .dlv_o,
      .done_o(done), .done_cta_o(done_cta), .returned_o(returned), .ack_o(done_ack), .idle_o(exec_idle), .next_event_o(exec_next)
  );

  ////// Parked waits: while one is answered, no other wait commits (same answer path); after a time-out nothing commits (its record takes the tap) //////
  logic answer, alone, answer_last;
  mbar_wait_t answer_wait;
  cause_e answer_cause;
  cycle_t waits_next;
  gsu_mbar_wait_slots #(.Slots(Waits)) u_wait_slots (
      .clk_i, .rst_ni, .now_i,
      .usable_i(cfg_i.trywait_slots),
      .space_o(park_space), .push_i(park), .wait_i(park_wait),
      .wake_i(wake), .kill_i(kill), .addr_i(word_addr), .killed_o(killed),
      .tag_valid_i(exec_local), .tag_i(exec_tag), .tag_parked_o(tag_parked),
      .valid_o(answer_valid), .ready_i(wait_space), .wait_o(answer_wait), .cause_o(answer_cause), .alone_o(alone),
      .next_event_o(waits_next)
  );
  assign answer      = answer_valid && wait_space;
  always_comb begin
    answer_last = alone && !(exec_local && exec_tag == answer_wait.tag);
    for (int i = 0; i < 2; i++) if (walk_open[MbNear][i] && walk_tag[MbNear][i] == answer_wait.tag) answer_last = 1'b0;  // waits are operations on objects here
  end
  assign hold_exec   = away_hold || (answer_valid && (exec_rsp_wait || answer_cause == CauseTimeout));

  ////// Groups for objects here, of all walks, in turns; an offered group stays until it is taken //////
  kinds_t here, local_sel, lock_sel_q, here_low_q;
  logic lock_d, lock_q;
  mbar_far_t send;
  assign here       = item_at & ~item_remote;
  assign local_sel  = lock_q ? lock_sel_q : next_of(here, here_low_q);
  assign local_item = walk_item[mbar_kind_at(local_sel[MbQuery:MbPosted])];
  assign item_valid[0] = |here;
  assign lock_d        = item_valid[0] && !item_ready[0];
  assign item_taken    = ({send, 1'b0} & item_remote) | (item_ready[0] ? local_sel & here : '0);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {lock_q, lock_sel_q, here_low_q} <= '0;
    else begin
      lock_q <= lock_d;
      if (item_valid[0]) lock_sel_q <= local_sel;
      if (item_valid[0] && item_ready[0]) here_low_q <= local_sel | (local_sel - kinds_t'(1));
    end
  end

  ////// Groups for other CTAs, acknowledgements, answers of atoms //////
  logic away_idle, away_rsp, plain_commit;
  sync_rsp_t away_rsp_data;
  cycle_t away_next;
  assign plain_commit = exec_rsp && !exec_rsp_wait;
  gsu_mbar_remote #(.Depth(Sends), .Replies(Replies), .Cancels(Cancels)) u_away (
      .clk_i, .rst_ni, .now_i, .epoch_i, .open_i, .agent_push_i(agent_push), .agent_space_o(agent_space), .agent_i(agent), .agent_busy_o(agent_busy),
      .item_valid_i(item_at[3:1] & item_remote[3:1]), .item_i(walk_item[3:1]),
      .place_valid_i(walk_query[3:1]), .place_i(walk_place),
      .here_i(exec_local), .here_tag_i(exec_tag), .here_answer_i(plain_commit), .here_last_i(exec_rsp_data.last), .here_open_o(here_open), .hold_o(away_hold),
      .send_o(send), .sent_o, .sent_cta_o, .sent_async_o, .space_i(plain_space), .rsp_valid_o(away_rsp), .rsp_o(away_rsp_data),
      .tx_valid_o, .tx_ready_i, .tx_o,
      .done_i(done[1]), .returned_i(returned), .done_ack_i(done_ack), .done_space_o(ack_space),
      .ack_valid_o, .ack_ready_i, .ack_o, .fail_valid_o, .fail_ready_i, .fail_o, .back_valid_i, .back_i,
      .clc_req_valid_o, .clc_req_o, .clc_rsp_valid_i, .clc_rsp_i, .loop_valid_o(loop_valid), .loop_ready_i(recv_ready), .loop_o(loop),
      .idle_o(away_idle), .next_event_o(away_next)
  );

  ////// Answers and records //////
  logic rsp_idle, wait_push, rsp_push;
  sync_rsp_t wait_data, rsp_data;
  cycle_t rsp_next;
  assign rsp_push  = away_rsp || plain_commit;
  assign wait_push = answer || (exec_rsp && exec_rsp_wait);
  always_comb begin
    rsp_data  = exec_rsp_data;
    wait_data = exec_rsp_data;
    tap_o     = exec_tap_data;
    rsp_data.last = exec_rsp_data.last && !here_open;
    if (away_rsp) rsp_data = away_rsp_data;
    if (answer) begin
      wait_data = '{cta: answer_wait.cta, warp: answer_wait.warp, tag: answer_wait.tag, last: answer_last, cause: answer_cause,
                    lanes: answer_wait.lanes, pred: answer_cause == CauseFlip ? answer_wait.lanes : '0, default: '0};
    end
    if (answer && answer_cause == CauseTimeout) begin
      tap_o       = '0;
      tap_o.op    = OpEvTimeout;
      tap_o.src   = SrcTimer;
      tap_o.cause = CauseTimeout;
      tap_o.cta   = answer_wait.cta;
      tap_o.warp  = answer_wait.warp;
      tap_o.tag   = answer_wait.tag;
      tap_o.lanes = answer_wait.lanes;
      tap_o.obj   = answer_wait.obj;
    end
  end
  assign tap_valid_o = exec_tap || (answer && answer_cause == CauseTimeout);
  gsu_mbar_rsp #(.Depth(MbarAnswers), .WaitDepth(WaitAnswers)) u_rsp (
      .clk_i, .rst_ni, .now_i,
      .latency_i(cfg_i.mbar_lat), .wait_latency_i(cfg_i.trywait_lat),
      .push_i(rsp_push), .space_o(plain_space), .rsp_i(rsp_data),
      .wait_push_i(wait_push), .wait_space_o(wait_space), .wait_rsp_i(wait_data),
      .rsp_valid_o, .rsp_ready_i, .rsp_o, .idle_o(rsp_idle), .next_event_o(rsp_next)
  );

  ////// Updates in flight, per CTA //////
  mask_t req_busy, async_busy, rx_busy, quiet_d, quiet_q;
  gsu_mbar_inflight #(.Width(11)) u_reqs (
      .clk_i, .rst_ni,
      .enter_i(req_valid_i && req_ready_o), .enter_cta_i(req_i.cta),
      .leave_i(rsp_valid_o && rsp_ready_i && rsp_o.last), .leave_cta_i(rsp_o.cta), .busy_o(req_busy)
  );
  gsu_mbar_inflight u_asyncs (
      .clk_i, .rst_ni,
      .enter_i(async_valid_i && async_ready_o), .enter_cta_i(async_i.cta),
      .leave_i(done[0] || left), .leave_cta_i(done[0] ? done_cta : left_cta), .busy_o(async_busy)
  );
  gsu_mbar_inflight #(.Width(Receives > 32 ? $clog2(Receives) + 1 : 6)) u_rxs (
      .clk_i, .rst_ni,
      .enter_i(recv_take), .enter_cta_i(recv_cta),
      .leave_i(done[1]), .leave_cta_i(done_cta), .busy_o(rx_busy)
  );
  // Only for CTAs that end, so that idle does not wait for a flop that is not read.
  assign quiet_d     = flushing || cta_end_valid_i ? '0 : ending_i & ~(req_busy | async_busy | rx_busy | agent_busy);
  assign cta_quiet_o = quiet_q;
  assign arriving_o  = async_busy | rx_busy;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) quiet_q <= '0;
    else quiet_q <= quiet_d;
  end

  // One test after the other, so that a simulator stops at the first that fails.
  always_comb begin
    idle_o = 1'b0;
    if (&walk_idle) begin
      if (exec_idle && room_idle && collect_idle && async_idle) begin
        if (cache_idle && rsp_idle && away_idle) idle_o = lock_d == lock_q && (!item_valid[2] || !item_ready[2]) && quiet_d == quiet_q;
      end
    end
  end
  assign next_event_o = earlier(earlier(earlier(exec_next, waits_next), earlier(rsp_next, recv_next)), earlier(away_next, room_next));

  logic unused;
  assign unused = &{1'b0, snoop_addr_i[2:0]};

  `REQUIRE(KnownOperation, !req_valid_i || mbar_updates(req_i.op) || mbar_is_wait(req_i.op)
                           || req_i.op inside {OpMbarInit, OpMbarInval, OpCpAsyncArriveNoinc} || mbar_is_async(req_i.op)
                           || (gsu_op_pkg::op_atomic(req_i.op) && req_i.remote))
  `ASSERT(OneAnswer, !(away_rsp && plain_commit) && !(answer && exec_rsp && exec_rsp_wait))
  `ASSERT(OneRecord, !(answer && answer_cause == CauseTimeout && exec_tap))
  `ASSERT(RoomForEverySlot, !(req_valid_i && full) || room_space)
  `ASSERT(NearStaysHere, !(item_at[MbNear] && item_remote[MbNear]))
  `ASSERT(TurnsForOneWalk, $onehot0(walk_query))
  `ASSERT(LockedIsHere, !lock_q || (lock_sel_q & ~here) == '0)
  `COVER(CommitBesideAnAnswer, answer && exec_tap)
  `COVER(LoopBeforeNetwork, loop_valid && rx_valid_i && recv_ready)
  `COVER(NearPassesFar, |(item_at[3:1] & item_remote[3:1] & ~send) && item_taken[MbNear])
  `COVER(PostedPassesAtom, item_at[MbAtom] && item_remote[MbAtom] && !send[MbAtom] && send[MbPosted])
  `COVER(PostedPassesQuery, item_at[MbQuery] && item_remote[MbQuery] && !send[MbQuery] && send[MbPosted])
  `COVER(EveryWalkWorks, &walk_want)
  `COVER(EveryStreamWaits, &item_valid)
  `COVER(TimeoutRecord, answer && answer_cause == CauseTimeout)
endmodule
