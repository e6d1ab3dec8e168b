// prove: name=object engine=kind depth=2 flat=1 files=gsu_mbar_pkg,gsu_mbar_cache,gsu_mbar_exec define=FV_OBJECT cover=12 skip=SnoopBeats|EvictsDirty|FlushesDirty|ReadsAgain|[.]Parked$|WritesWhatChanges limit=1200
// prove: name=lanes engine=kind depth=2 files=gsu_mbar_pkg,gsu_mbar_exec define=FV_LANES cover=6 skip=[.]Parked$|WritesWhatChanges limit=1200
// Harness of gsu_mbar_exec, the one place where objects change. Items of all three streams, operations and operands are free.
//   object  in front of gsu_mbar_cache (two lines) and a memory that answers after any time: each commit on one symbolic object finds the word
//           that the last commit on it left, whatever happens to other objects in between, in the next clock and in the same line too
//   lanes   one symbolic lane of each stream: every lane of an item is in exactly one commit; a commit writes the result of mbar_next (proved by
//           gsu_mbar_next.step) and wakes exactly when the phase completes; a wait is answered or parked, true only if its phase has
//           completed; each stream has its turn
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_mbar_exec_fv
  import gsu_pkg::*;
  import gsu_op_pkg::*;
  import gsu_mbar_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cycle_t now_i,
    input cfg_t cfg_i,
    input logic [2:0] item_valid_i,
    input mbar_item_t [2:0] item_i,
    input mask_t left_i,
    input logic hold_i,
    input logic park_space_i,
    input logic killed_i,
    input logic tag_parked_i,
    input logic rsp_space_i,
    input logic ack_space_i,
    input logic any_hit_i,
    input logic [63:0] any_word_i,
    input logic answer_i,      // the memory answers in this clock
    input logic [63:0] other_data_i,
    input logic flush_i,
    input logic [4:0] sym_i,   // lane or object
    input logic [1:0] stream_i
);
  logic [2:0] item_ready;
  logic access, hit, write, drop, park, wake, kill, exec_local, rsp_valid, rsp_wait, tap_valid, idle;
  logic [14:0] addr;
  logic [63:0] word, wdata;
  mbar_wait_t park_wait;
  logic [11:0] tag;
  sync_rsp_t rsp;
  tap_t tap;
  logic dlv_valid;
  deliver_t dlv;
  logic [1:0] done;
  logic [4:0] done_cta;
  logic returned;
  ack_t done_ack;
  cycle_t next_event;
  gsu_mbar_exec dut (
      .clk_i, .rst_ni, .now_i, .cfg_i,
      .item_valid_i, .item_ready_o(item_ready), .local_i(item_i[0]), .async_i(item_i[1]), .remote_i(item_i[2]),
      .access_o(access), .addr_o(addr), .hit_i(hit), .word_i(word), .write_o(write), .wdata_o(wdata), .drop_o(drop),
      .left_i, .hold_i, .park_space_i, .park_o(park), .park_wait_o(park_wait),
      .wake_o(wake), .kill_o(kill), .killed_i, .tag_parked_i, .tag_o(tag), .local_o(exec_local),
      .rsp_space_i, .ack_space_i, .rsp_valid_o(rsp_valid), .rsp_wait_o(rsp_wait), .rsp_o(rsp),
      .tap_valid_o(tap_valid), .tap_o(tap), .dlv_valid_o(dlv_valid), .dlv_o(dlv), .done_o(done), .done_cta_o(done_cta), .returned_o(returned), .ack_o(done_ack), .idle_o(idle), .next_event_o(next_event)
  );
  `FV_RESET
  for (genvar s = 0; s < 3; s++) begin : gen_item
    `ASSUME(ItemHolds, !$past(rst_ni) || !$past(item_valid_i[s] && !item_ready[s]) || (item_valid_i[s] && $stable(item_i[s])))
    `ASSUME(ItemHasLanes, item_i[s].lanes != '0)
  end
  `ASSUME(Interval, cfg_i.mbar_interval != '0)
  logic [4:0] sym_q;
  logic [1:0] stream_q;
  always_ff @(posedge clk_i) if (!fv_started_q) {sym_q, stream_q} <= {sym_i, stream_i};
  logic commit, touches;
  logic [4:0] object;  // object of the item: its word must be in the cache
  assign object  = dut.item_q.addr[4:0];
  assign commit  = tap_valid;
  assign touches = tap_valid && dut.touches;  // an item that was refused while it waited for its word does not touch it

`ifdef FV_LANES
  assign hit  = any_hit_i;
  assign word = any_word_i;
  `ASSUME(AStream, stream_q < 2'd3)
  `ASSUME(TimeFits, !now_i[47])
  // From taking an item to its last commit: the lanes still owed. Data of a packet are delivered first, then completed (D-45).
  logic owed_q, mine_q, take, takes_mine;
  assign take       = (item_valid_i & item_ready) != '0;
  assign takes_mine = item_valid_i[stream_q] && item_ready[stream_q];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {owed_q, mine_q} <= '0;
    else if (take) begin
      mine_q <= takes_mine;
      owed_q <= takes_mine && item_i[stream_q].lanes[sym_q];
    end else if (commit && !(tap.op == OpEvDelivered && !tap.refused)) begin
      owed_q <= owed_q && !tap.lanes[sym_q];
    end
  end
  `ASSERT(LaneOnce, !(commit && mine_q && tap.lanes[sym_q]) || owed_q)
  `ASSERT(LaneNotForgotten, !(take && owed_q) || (commit && tap.lanes[sym_q]))
  `ASSERT(OwedIsInTheRegister, owed_q == (mine_q && dut.valid_q && dut.item_q.lanes[sym_q]))
  `ASSERT(RegisterNamesItsStream, !dut.valid_q || mine_q == dut.from_q[stream_q])
  `ASSERT(NextOnlyAfterTheLast, !(take && dut.valid_q) || (commit && tap.lanes == dut.item_q.lanes))
  // A commit is one execution for each lane that it names, with the same effect as one by one (gsu_mbar_next.merge*).
  mbar_result_t by_lanes;
  logic updates;
  assign updates  = touches && !mbar_is_wait(tap.op);
  assign by_lanes = mbar_next(word, tap.op, dut.item_q.amount, 6'($countones(tap.lanes)), dut.item_q.no_complete, cfg_i.mbar_policy[MbPolicyLock]);
  `ASSERT(CommitIsItsLanes, !(updates && !tap.refused) || (by_lanes.exact && !by_lanes.refused && tap.new_w == by_lanes.word && tap.flip == by_lanes.flip))
  `ASSERT(RecordIsTheWord, !touches || tap.old_w == word)
  `ASSERT(WriteIsTheRecord, !touches || (write ? wdata : word) == tap.new_w)
  `ASSERT(WaitsChangeNothing, !(touches && mbar_is_wait(tap.op)) || (tap.new_w == tap.old_w && !tap.flip && !wake && !kill && !drop))
  `ASSERT(NothingWithoutCommit, commit || !(write || drop || wake || kill || park || rsp_valid || done != '0))
  `ASSERT(RefusedEarlyTouchesNothing, touches || !(write || drop || wake || kill || park))
  `ASSERT(WakesExactlyAtFlip, wake == (commit && tap.flip) && (!wake || updates))
  `ASSERT(QuietWhileAnswering, !(hold_i && commit))
  `ASSERT(OneEffect, !(wake && kill) && !(park && (wake || kill)) && !(write && drop))
  // A wait leaves as an answer or as a parked wait, never as both, with all its lanes; a full buffer answers.
  logic waits;
  assign waits = touches && mbar_is_wait(tap.op);
  `ASSERT(WaitIsAnsweredOrParked, !(waits && mine_q && stream_q == 0) || (rsp_valid != park && tap.lanes == dut.item_q.lanes))
  `ASSERT(ParksOnlyWithRoom, !park || (waits && park_space_i && park_wait.lanes == tap.lanes && park_wait.addr == dut.item_q.addr && addr == dut.item_q.addr && park_wait.due > now_i))
  `ASSERT(ParksOnlyBeforeCompletion, !park || word[63] == dut.item_q.phase)
  `ASSERT(TrueOnlyIfCompleted, !(rsp_valid && rsp.pred != '0) || (waits && word[63] != dut.item_q.phase && rsp.pred == rsp.lanes))
  `ASSERT(CompletedIsTrue, !(waits && word[63] != dut.item_q.phase && rsp_valid) || rsp.pred == rsp.lanes)
  `ASSERT(AnswerNamesTheLanes, !rsp_valid || (rsp.lanes == tap.lanes && rsp.tag == tap.tag))
  // A packet is acknowledged once, with its last commit, when there is space for the acknowledgement: then none of its lanes is owed (D-54).
  logic owes_ack_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) owes_ack_q <= 1'b0;
    else if (take) owes_ack_q <= item_valid_i[2] && item_ready[2] && item_i[2].last;
    else if (done[1]) owes_ack_q <= 1'b0;
  end
  `ASSERT(CommitBeforeAck, !done[1] || (commit && ack_space_i && (!(mine_q && stream_q == 2) || !owed_q || tap.lanes[sym_q])))
  `ASSERT(AckOnce, !done[1] || owes_ack_q)
  `ASSERT(AckNotForgotten, !(take && owes_ack_q) || done[1])
  `ASSERT(AckOwedIsHere, owes_ack_q == (dut.valid_q && dut.from_q[2] && dut.item_q.last))
  `ASSERT(AckNamesThePacket, !done[1] || (done_ack.cta == dut.item_q.src_cta && done_ack.sm == dut.item_q.src_sm && done_ack.epoch == dut.item_q.epoch
          && done_ack.async == dut.item_q.async && done_ack.tag == tap.tag
          && done_ack.reply == (tap.op == OpAtom) && done_ack.refused == (tap.op == OpAtom && tap.refused) && returned == (tap.src inside {SrcNetwork, SrcAsyncCopy})))
  // An atomic is one commit, reported to the driver in that clock with its lanes, and touches no object.
  `ASSERT(AtomicIsOneStep, !(commit && op_atomic(tap.op)) || (!access && tap.lanes == dut.item_q.lanes))
  `ASSERT(AtomicIsDelivered, !(commit && op_atomic(tap.op) && dut.from_q[2]) || (dut.dlv && (tap.refused == (dut.errs != '0))))
  // Round robin: while an item waits, at most two items of other streams are taken.
  logic [1:0] passed_q;
  logic [2:0] others_before;
  assign others_before[0] = stream_q != 0 && (dut.low_q[0] == dut.low_q[stream_q] || !dut.low_q[0]);
  assign others_before[1] = stream_q != 1 && (dut.low_q[1] == dut.low_q[stream_q] ? stream_q == 2 : !dut.low_q[1]);
  assign others_before[2] = stream_q != 2 && dut.low_q[2] != dut.low_q[stream_q] && !dut.low_q[2];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) passed_q <= '0;
    else if (!item_valid_i[stream_q] || takes_mine) passed_q <= '0;
    else if (take) passed_q <= passed_q + 2'd1;
  end
  `ASSERT(OrderIsAThermometer, (dut.low_q & (dut.low_q + 3'd1)) == '0)
  `ASSERT(ServedAfterTwo, passed_q <= 2'd2)
  `ASSERT(EveryTurnBringsItCloser, 3'($countones(others_before)) + 3'(passed_q) <= 3'd2)
  `COVER(WaitedForTwo, passed_q == 2 && takes_mine)
  `COVER(ByLanes, commit && mine_q && owed_q && !tap.lanes[sym_q])
`endif

`ifdef FV_OBJECT
  logic flushing, mem_req_valid, mem_rsp_valid, cache_idle, back_q;
  logic [63:0] mem_rdata;
  mem_req_t mem_req;
  always_ff @(posedge clk_i) back_q <= back_q;  // either policy
  gsu_mbar_cache #(.Lines(2), .AddrW(5)) u_cache (
      .clk_i, .rst_ni, .write_back_i(back_q), .access_i(access), .addr_i(addr[4:0]), .hit_o(hit), .word_o(word),
      .write_i(write), .wdata_i(wdata), .drop_i(drop), .flush_i, .flushing_o(flushing), .snoop_valid_i(1'b0), .snoop_addr_i('0),
      .mem_req_valid_o(mem_req_valid), .mem_req_o(mem_req), .mem_rsp_valid_i(mem_rsp_valid), .mem_rdata_i(mem_rdata), .idle_o(cache_idle)
  );
  for (genvar s = 0; s < 3; s++) begin : gen_small
    `ASSUME(SmallMemory, item_i[s].addr < 15'd32)
  end
  // The object in memory, in a pending read, and after its last commit.
  logic [63:0] mem_q, mem_now, read_q, truth_q;
  logic reading_q, read_sym_q, wait_q, started, sym_req;
  logic [4:0] wait_addr_q;
  assign sym_req       = mem_req_valid && mem_req.addr[7:3] == sym_q;
  assign started       = mem_req_valid && !mem_req.we;
  assign mem_rsp_valid = reading_q && answer_i;
  assign mem_rdata     = read_sym_q ? read_q : other_data_i;
  assign mem_now       = sym_req && mem_req.we ? mem_req.wdata : mem_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {reading_q, read_sym_q, wait_q} <= '0;
    else begin
      if (started) reading_q <= 1'b1;
      else if (mem_rsp_valid) reading_q <= 1'b0;
      if (started) read_sym_q <= sym_req;
      wait_q <= access && !hit;
    end
  end
  always_ff @(posedge clk_i) begin
    mem_q       <= mem_now;
    wait_addr_q <= addr[4:0];
    if (started && sym_req) read_q <= mem_q;
    if (!rst_ni) truth_q <= mem_now;
    else if (touches && object == sym_q) truth_q <= tap.new_w;
  end
  `ASSERT(CommitSeesTheLast, !(touches && object == sym_q) || tap.old_w == truth_q)
  `ASSERT(PhaseMovesByFlipOnly, !(touches && tap.op != OpMbarInit) || tap.flip == (tap.new_w[63] != tap.old_w[63]))
  // The place of the object.
  logic [1:0] holds, dirty;
  logic [63:0] kept;
  always_comb begin
    for (int l = 0; l < 2; l++) begin
      holds[l] = u_cache.valid_q[l][sym_q[1:0]] && u_cache.tag_q[l] == sym_q[4:2];
      dirty[l] = holds[l] && u_cache.dirty_q[l][sym_q[1:0]];
    end
    kept = u_cache.data_q[{holds[1], sym_q[1:0]}];
  end
  `ASSERT(AddressSmall, !dut.valid_q || dut.item_q.addr < 15'd32)
  `ASSERT(OneLinePerTag, u_cache.valid_q[0] == '0 || u_cache.valid_q[1] == '0 || u_cache.tag_q[0] != u_cache.tag_q[1])
  `ASSERT(KeptIsTheTruth, holds == '0 || kept == truth_q)
  `ASSERT(CleanMemoryIsTheTruth, (holds != '0 && dirty != '0) || mem_now == truth_q)
  `ASSERT(NoDirtyInThrough, back_q || u_cache.dirty_q == '0)
  `ASSERT(ReadIsUnderWay, (u_cache.state_q == 2'd2) == (started || reading_q) && !(started && reading_q))
  `ASSERT(ReadWaits, u_cache.state_q != 2'd2 || (wait_q && u_cache.tag_q[u_cache.line_q] == wait_addr_q[4:2] && !u_cache.valid_q[u_cache.line_q][wait_addr_q[1:0]]))
  `ASSERT(WaiterIsKnown, dut.asked_q == wait_q && (!wait_q || dut.valid_q))
  `ASSERT(WaiterStays, !wait_q || (access && addr[4:0] == wait_addr_q))
  `ASSERT(ReadLineIsItsOwn, u_cache.state_q != 2'd2 || u_cache.valid_q[!u_cache.line_q] == '0 || u_cache.tag_q[!u_cache.line_q] != wait_addr_q[4:2])
  `ASSERT(ReadAddress, !started || mem_req.addr == 18'({wait_addr_q, 3'b0}))
  `ASSERT(ReadNamesTheWord, !reading_q || read_sym_q == (wait_addr_q == sym_q))
  `ASSERT(ReadBringsTheTruth, !(reading_q && read_sym_q) || (read_q == truth_q && dirty == '0))
  `ASSERT(NeverStale, !u_cache.stale_q)
  `ASSERT(EvictHasDirty, u_cache.state_q != 2'd1 || u_cache.dirty_q[u_cache.line_q] != '0)
  // Two objects of one line in consecutive clocks, and the object again.
  `COVER(NeighboursInARow, touches && write && $past(touches && write && object == sym_q) && object == (sym_q ^ 5'd1))
`endif
endmodule
