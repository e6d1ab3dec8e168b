// gsu_mbar_exec: the only place where mbarrier objects change. It takes items of three streams in turn, waits for the object's word in the cache, commits,
// reports the commit on the tap, and answers. The arithmetic is gsu_mbar_pkg::mbar_next.
// Rules: MBAR-010, 011, 049, MBW-004..007, MBW-012, D-01, D-02, D-23, D-24, D-31, D-32, D-35, D-36, D-45, D-70.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_exec
  import gsu_pkg::*;
  import gsu_op_pkg::*;
  import gsu_mbar_pkg::*;
(
    input  logic              clk_i,
    input  logic              rst_ni,
    input  cycle_t            now_i,
    input  cfg_t              cfg_i,
    input  logic [2:0]        item_valid_i,   // local [0], asynchronous [1], remote [2]; each holds until its ready
    output logic [2:0]        item_ready_o,
    input  mbar_item_t        local_i,
    input  mbar_item_t        async_i,
    input  mbar_item_t        remote_i,
    output logic              access_o,       // this and the next six ports: as gsu_mbar_cache
    output logic [14:0]       addr_o,
    input  logic              hit_i,
    input  logic [63:0]       word_i,
    output logic              write_o,
    output logic [63:0]       wdata_o,
    output logic              drop_o,
    input  mask_t             left_i,         // per CTA: its last warp has exited, so packets for it are dropped
    input  logic              hold_i,         // no commit in this clock: a parked wait is being answered
    input  logic              park_space_i,   // this and the next five ports: as gsu_mbar_wait_slots
    output logic              park_o,
    output mbar_wait_t        park_wait_o,
    output logic              wake_o,
    output logic              kill_o,
    input  logic              killed_i,
    input  logic              tag_parked_i,   // earlier groups of the request tag_o are parked
    output logic [11:0]       tag_o,          // request of the item
    output logic              local_o,        // the item is of a request of this SM
    input  logic              rsp_space_i,    // there is space for an answer
    input  logic              ack_space_i,    // there is space for the acknowledgement of a packet
    output logic              rsp_valid_o,    // pulse
    output logic              rsp_wait_o,     // the answer has the latency of waits
    output sync_rsp_t         rsp_o,
    output logic              tap_valid_o,    // pulse
    /*verilator tracing_off*/ output tap_t              tap_o, /*verilator tracing_on*/
    output logic              dlv_valid_o,    // pulse, from a flop
    output deliver_t          dlv_o,
    output logic [1:0]        done_o,         // pulse: the last item of an asynchronous completion [0], of a packet [1] has left
    output logic [4:0]        done_cta_o,     // its CTA slot
    output logic              returned_o,     // the packet came back, or is a response to its own CTA: this SM counts its acknowledgement
    output ack_t              ack_o,          // with done_o of a packet
    output logic              idle_o,
    output cycle_t            next_event_o
);
  ////// Round robin over the three streams into one register //////
  logic       valid_q, take;
  logic [2:0] low_q, from_q, grant;  // low_q: streams up to and including the one served last
  mbar_item_t item_q;
  cycle_t     next_q;                // earliest next commit
  logic       asked_q;               // the item has requested its word from the cache, and waits for it even if its CTA exits meanwhile
  logic       finished;
  assign take = !valid_q || finished;
  always_comb begin
    logic [2:0] above, below;
    above = item_valid_i & ~low_q;
    below = item_valid_i & low_q;
    grant = above != '0 ? above & (~above + 3'd1) : below & (~below + 3'd1);
  end
  assign item_ready_o = take ? grant : '0;

  ////// The effect of the item on the word //////
  logic is_wait, cond, data, bytes, event_only, touches, commit, partial, all_lanes, refused;
  logic [15:0] errs;  // errors for which the item does not reach its object
  mask_t lanes, lead;
  mbar_result_t many, single, result;
  logic [5:0]  n_q;      // of item_q, from flops: number of lanes, sum of their operands, effects of the operation
  logic [26:0] total_q;
  mbar_does_t  does_q;
  assign is_wait    = mbar_is_wait(item_q.op);
  assign data       = item_q.op == OpEvDelivered;
  assign bytes      = item_q.op == (item_q.cancel ? OpClcTryCancel : OpEvAsyncCompleteTx);  // the complete_tx that follows data
  assign event_only = data || op_atomic(item_q.op);  // acts in the driver's memory, on no object
  always_comb begin
    errs = item_q.errs;
    if (from_q[2] && item_q.src inside {SrcRemote, SrcAsyncCopy} && left_i[item_q.cta])
      errs[item_q.cancel && !item_q.multi ? MbErrLeft : MbErrUndeliverable] = 1'b1;
  end
  assign touches    = valid_q && errs == '0 && !event_only;
  assign access_o   = touches || asked_q;
  assign addr_o     = item_q.addr;
  assign commit     = valid_q && !hold_i && at_most(next_q, now_i) && rsp_space_i && (!from_q[2] || ack_space_i) && (!access_o || hit_i);
  assign lead       = item_q.lanes & (~item_q.lanes + 32'd1);
  // A simulator computes only the result that is needed. Hardware computes both in parallel with the decision whether there is a commit, and selects last.
  logic updates, by_one;
  assign updates = commit && touches && !is_wait;
  always_comb begin
    many    = '{word: word_i, state: word_i, exact: 1'b1, default: '0};
    single  = many;
    result  = many;
    by_one  = 1'b0;
    partial = 1'b0;
    lanes   = item_q.lanes;
    if (updates || Eager) begin
      many = mbar_step(word_i, does_q, item_q.amount, total_q, n_q, item_q.no_complete, cfg_i.mbar_policy[MbPolicyLock]);
      // Lanes whose result states differ in more than the pending count are answered one by one.
      by_one = n_q != 6'd1 && (!many.exact || (item_q.want_value && (does_q.drops || does_q.one)));
      if (by_one || Eager) begin
        single = mbar_step(word_i, does_q, item_q.amount, 27'(item_q.amount[20:0]), 6'd1, item_q.no_complete, cfg_i.mbar_policy[MbPolicyLock]);
      end
      if (updates) begin
        result = by_one ? single : many;
        // A refusal that does not change the word is the same for every lane.
        partial = by_one && (!single.refused || single.word[42] != word_i[42]);
        if (partial) lanes = lead;
      end
    end
    if (commit && !touches) begin
      result.refused = !event_only || errs != '0;
      result.errs    = errs;
    end
  end
  assign cond      = word_i[63] != item_q.phase;
  assign refused   = result.refused;
  assign all_lanes = !partial;

  ////// Waits //////
  logic park, waits;
  cause_e wait_cause;
  assign waits = touches && is_wait;
  always_comb begin
    wait_cause = CauseDone;
    park       = 1'b0;
    if (cond) wait_cause = CauseAlreadyTrue;
    else if (!op_suspends(item_q.op)) wait_cause = CauseDone;
    else if (item_q.diverged) wait_cause = CauseDiverged;
    else if (word_i[42]) wait_cause = CauseKilled;
    else if (item_q.limit == '0) wait_cause = CauseTimeout;
    else if (!park_space_i) wait_cause = CauseCamFull;
    else park = commit && waits;
  end
  assign park_o = park;
  always_comb begin
    park_wait_o = '0;
    if (park) begin
      park_wait_o = '{
          op: item_q.op,
          cta: item_q.cta,
          warp: item_q.warp,
          tag: item_q.tag[11:0],
          lanes: item_q.lanes,
          obj: item_q.obj,
          addr: item_q.addr,
          due: now_i + cycle_t'(item_q.limit)
      };
    end
  end

  ////// Effects of the commit //////
  logic stays;  // the item stays: the data of a packet are delivered now, and its complete_tx follows in a later commit (D-45)
  assign stays      = data && errs == '0;
  assign finished   = commit && all_lanes && !stays;

  // The data of a packet are delivered with the first of its two commits, or dropped with the refusal that takes its place. Atomics have one commit.
  logic told_q, dlv;
  logic [4:0] dlv_more;
  always_comb begin
    dlv = 1'b0;
    if (from_q[2]) dlv = commit && (event_only || (bytes && errs != '0 && !told_q));
  end
  assign dlv_more = 5'(n_q - 6'd1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      told_q      <= 1'b0;
      dlv_valid_o <= 1'b0;
      dlv_o       <= '0;
    end else begin
      if (take) told_q <= 1'b0;
      else if (stays && commit) told_q <= 1'b1;
      dlv_valid_o <= dlv;
      if (dlv) dlv_o <= '{more: dlv_more, lane: item_q.top - dlv_more, refused: errs != '0, tag: item_q.tag, cta: item_q.cta};
    end
  end
  assign write_o    = commit && touches && !is_wait && (Events ? result.word != word_i : result.changes);
  assign wdata_o    = result.word;
  assign drop_o     = commit && touches && item_q.op == OpMbarInval;
  assign wake_o     = commit && result.flip;
  assign tag_o      = item_q.tag[11:0];
  assign local_o    = valid_q && from_q[0];
  assign done_o     = finished && item_q.last ? from_q[2:1] : '0;
  assign done_cta_o = item_q.cta;
  assign returned_o = item_q.src inside {SrcNetwork, SrcAsyncCopy};
  always_comb begin
    kill_o = 1'b0;
    if (updates) kill_o = !result.flip && ((item_q.op inside {OpMbarInit, OpMbarInval} && !refused) || (result.word[42] && !word_i[42]));
    ack_o = '0;
    if (done_o != '0 || Eager) begin
      ack_o.refused = item_q.op == OpAtom && errs != '0;
      ack_o.reply   = item_q.op == OpAtom;
      ack_o.tag     = item_q.tag[11:0];
      ack_o.async   = item_q.async;
      ack_o.epoch   = item_q.epoch;
      ack_o.lane    = item_q.top;
      ack_o.cta     = item_q.src_cta;
      ack_o.sm      = item_q.src_sm;
    end
  end
  assign idle_o     = !dlv_valid_o && asked_q == (access_o && !hit_i) && (valid_q ? (next_q > now_i || (access_o && !hit_i)) : item_valid_i == '0);
  assign next_event_o = valid_q && next_q > now_i ? (Events ? next_q : '0) : '1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      asked_q <= 1'b0;
      low_q   <= '0;
      from_q  <= '0;
      next_q  <= '0;
    end else begin
      asked_q <= access_o && !hit_i;
      if (take) begin
        valid_q <= grant != '0;
        from_q  <= grant;
        if (grant != '0) low_q <= grant | (grant - 3'd1);
      end
      if (commit) next_q <= now_i + cycle_t'(cfg_i.mbar_interval);
    end
  end
  always_ff @(posedge clk_i) begin
    if (take) begin
      if (|grant) begin
        automatic mbar_item_t item = grant[0] ? local_i : grant[1] ? async_i : remote_i;
        automatic logic [5:0] n = Events ? count_of(item.lanes)  // hardware counts in parallel with the selection
            : grant[0] ? count_of(local_i.lanes) : grant[1] ? count_of(async_i.lanes) : count_of(remote_i.lanes);
        item_q  <= item;
        n_q     <= n;
        total_q <= mbar_total(item.amount[20:0], n);
        does_q  <= mbar_does(item.op);
      end
    end else if (commit) begin
      if (stays) begin
        item_q.op <= item_q.cancel ? OpClcTryCancel : OpEvAsyncCompleteTx;
        does_q    <= mbar_does(OpEvAsyncCompleteTx);
      end else begin  // one lane of several
        item_q.lanes <= item_q.lanes & ~lanes;
        n_q          <= n_q - 6'd1;
        total_q      <= total_q - 27'(item_q.amount[20:0]);
      end
    end
  end

  ////// Answer and record //////
  assign rsp_valid_o = commit && from_q[0] && !park;
  assign rsp_wait_o  = is_wait;
  always_comb begin
    rsp_o = '0;
    if (rsp_valid_o) begin
      rsp_o.cta   = item_q.cta;
      rsp_o.warp  = item_q.warp;
      rsp_o.tag   = item_q.tag[11:0];
      rsp_o.lanes = lanes;
      rsp_o.last  = item_q.last && all_lanes && !tag_parked_i;
      rsp_o.cause = refused ? CauseRefused : waits ? wait_cause : CauseDone;
      if (waits && cond) rsp_o.pred = lanes;
      if (item_q.want_value && !refused && (does_q.counts || does_q.one)) begin
        rsp_o.value  = result.state;
        rsp_o.stride = does_q.counts ? item_q.amount[19:0] : 20'd1;
      end
    end
  end

  assign tap_valid_o = commit;
  always_comb begin
    tap_o = '0;
    if (commit) begin
      tap_o.op      = !(data && refused) ? item_q.op : item_q.cancel ? OpClcTryCancel : OpEvAsyncCompleteTx;
      tap_o.src     = item_q.src;
      tap_o.cta     = item_q.cta;
      tap_o.warp    = item_q.warp;
      tap_o.tag     = item_q.tag[11:0];
      tap_o.lanes   = lanes;
      tap_o.obj     = item_q.obj;
      tap_o.old_w   = touches ? word_i : '0;
      tap_o.new_w   = touches ? result.word : data && !refused ? 64'(item_q.tag) : '0;
      tap_o.flip    = result.flip;
      tap_o.refused = refused;
      tap_o.errs    = result.errs;
      tap_o.errs[MbErrKilled] = killed_i;
      tap_o.cause   = refused ? CauseRefused : waits && !park ? wait_cause : CauseDone;
      tap_o.src_sm  = item_q.src_sm;
      {tap_o.src_cta_hi, tap_o.src_cta_lo} = item_q.src_cta;
    end
  end

  `REQUIRE(IntervalGiven, !commit || cfg_i.mbar_interval != '0)
  `ASSERT(OneGrant, $onehot0(item_ready_o))
  `ASSERT(SomeLaneLeft, !valid_q || item_q.lanes != '0)
  `ASSERT(LanesAreCounted, !valid_q || n_q == 6'($countones(item_q.lanes)))
  `ASSERT(DoesWhatItIs, !valid_q || does_q == mbar_does(item_q.op))
  `ASSERT(OperandsAreAdded, !valid_q || total_q == mbar_total(item_q.amount[20:0], n_q))
  `ASSERT(OneLaneOrAll, !commit || lanes == (all_lanes ? item_q.lanes : lead))
  `ASSERT(AskedForAnObject, !asked_q || (valid_q && !event_only && item_q.errs == '0))
  `ASSERT(WritesWhatChanges, !updates || result.changes == (result.word != word_i))
  `ASSERT(RefusedKeepsWord, !(commit && refused) || !write_o || (result.word ^ word_i) == 64'd1 << 42)
  `COVER(LanesStraddleFlip, commit && result.flip && !all_lanes)
  `COVER(DataThenComplete, commit && stays)
  `COVER(ResponseThenComplete, commit && bytes && item_q.cancel && told_q && write_o)
  `COVER(ResponseToLeaver, commit && dlv && item_q.cancel && refused)
  `ASSERT(AtomicsInOneStep, !(commit && op_atomic(item_q.op)) || (all_lanes && !write_o && !wake_o))
  `COVER(AtomicOfManyLanes, commit && dlv && op_atomic(item_q.op) && dlv_more == '1)
  `COVER(AtomicDropped, commit && dlv && op_atomic(item_q.op) && errs != '0)
  `COVER(AllWait, &item_valid_i && take)
  `COVER(Parked, park)
endmodule
