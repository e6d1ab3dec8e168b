// prove: name=whole engine=kind depth=2 flat=1 files=gsu_mbar_pkg,gsu_mbar_exec,gsu_mbar_wait_slots cover=8 skip=dut[.]u_exec[.](AllWait|AtomicOf|Data|LanesStraddle|OperandsAre|Parked)|dut[.]u_wait_slots[.](Full|FlipAfter|FlipAndLimit|Killed) limit=1200
// Harness of gsu_mbar_exec with gsu_mbar_wait_slots, connected as in gsu_mbar_unit. One symbolic wait on one symbolic object is followed from its commit to its
// answer, while anything happens to this and other objects (MBW-004..007, D-32..D-35). The cache is left out: gsu_mbar_exec.object proves that each commit
// finds the word that the last commit left. Any time, any limit; four slots, any number of them usable.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_mbar_waits  // exec and parked waits, connected as in the unit
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cycle_t now_i,
    input cfg_t cfg_i,
    input logic [2:0] item_valid_i,
    output logic [2:0] item_ready_o,
    input mbar_item_t [2:0] item_i,
    input logic hit_i,
    input logic [63:0] word_i,
    input logic plain_space_i,
    input logic wait_space_i,
    input logic ack_space_i,
    output logic [14:0] addr_o,
    output logic rsp_valid_o,
    output sync_rsp_t rsp_o,
    output logic answer_o,
    output mbar_wait_t answer_wait_o,
    output cause_e answer_cause_o,
    output logic park_o,
    output logic wake_o,
    output logic kill_o,
    output logic tap_valid_o,
    output tap_t tap_o
);
  logic access, write, drop, answer_valid, space, killed, parked, exec_local, rsp_wait, idle, alone;
  logic [63:0] wdata;
  logic [11:0] tag;
  logic dlv_valid;
  deliver_t dlv;
  logic [1:0] done;
  logic [4:0] done_cta;
  logic returned;
  ack_t done_ack;
  mbar_wait_t park_wait;
  cycle_t exec_next, waits_next;
  gsu_mbar_exec u_exec (
      .clk_i, .rst_ni, .now_i, .cfg_i,
      .item_valid_i, .item_ready_o, .local_i(item_i[0]), .async_i(item_i[1]), .remote_i(item_i[2]),
      .access_o(access), .addr_o, .hit_i, .word_i, .write_o(write), .wdata_o(wdata), .drop_o(drop),
      .left_i('0), .hold_i(answer_valid && (rsp_wait || answer_cause_o == CauseTimeout)), .park_space_i(space), .park_o, .park_wait_o(park_wait),
      .wake_o, .kill_o, .killed_i(killed), .tag_parked_i(parked), .tag_o(tag), .local_o(exec_local),
      .rsp_space_i(plain_space_i && wait_space_i), .ack_space_i(ack_space_i), .rsp_valid_o, .rsp_wait_o(rsp_wait), .rsp_o, .tap_valid_o, .tap_o,
      .dlv_valid_o(dlv_valid), .dlv_o(dlv), .done_o(done), .done_cta_o(done_cta), .returned_o(returned), .ack_o(done_ack), .idle_o(idle), .next_event_o(exec_next)
  );
  gsu_mbar_wait_slots #(.Slots(4)) u_wait_slots (
      .clk_i, .rst_ni, .now_i,
      .usable_i(cfg_i.trywait_slots), .space_o(space), .push_i(park_o), .wait_i(park_wait),
      .wake_i(wake_o), .kill_i(kill_o), .addr_i(addr_o), .killed_o(killed), .tag_valid_i(1'b1), .tag_i(tag), .tag_parked_o(parked),
      .valid_o(answer_valid), .ready_i(wait_space_i), .wait_o(answer_wait_o), .cause_o(answer_cause_o), .alone_o(alone), .next_event_o(waits_next)
  );
  assign answer_o = answer_valid && wait_space_i;
endmodule

module gsu_mbar_wait_fv
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input cycle_t now_i,
    input cfg_t cfg_i,
    input logic [2:0] item_valid_i,
    input mbar_item_t [2:0] any_item_i,
    input logic hit_i,
    input logic [63:0] other_word_i,
    input logic plain_space_i,
    input logic wait_space_i,
    input logic ack_space_i,
    input logic pick_i,
    input logic [14:0] sym_i
);
  logic [2:0] item_ready_o;
  mbar_item_t [2:0] item_i;
  logic [63:0] word_i, truth_q;
  logic [14:0] addr_o, sym_q;
  logic rsp_valid_o, answer_o, park_o, wake_o, kill_o, tap_valid_o;
  sync_rsp_t rsp_o;
  mbar_wait_t answer_wait_o;
  cause_e answer_cause_o;
  tap_t tap_o;
  gsu_mbar_waits dut (.*);
  `FV_RESET
  always_ff @(posedge clk_i) if (!fv_started_q) sym_q <= sym_i;
  `ASSUME(Interval, cfg_i.mbar_interval != '0)
  `ASSUME(TimeFits, !now_i[47])
  // The highest lane marks the followed wait; other waits use lower lanes (so none has all 32: AtomicOfManyLanes is covered in gsu_mbar_exec.lanes).
  logic take;
  for (genvar s = 0; s < 3; s++) begin : gen_item
    `ASSUME(ItemHasLanes, any_item_i[s].lanes[30:0] != '0)
    `ASSUME(OnlyRequestsWait, s == 0 || !mbar_is_wait(any_item_i[s].op))
  end
  always_comb begin
    item_i = any_item_i;
    for (int s = 0; s < 3; s++) item_i[s].lanes[31] = 1'b0;
    item_i[0].lanes[31] = take;
  end
  // The object as its commits leave it, and the life of the wait.
  logic committing, parked_q, in_exec_q, flip_q, kill_q, phase_q, mine, object_commits;
  logic [3:0] marked;
  assign take           = pick_i && !in_exec_q && !parked_q && item_valid_i[0] && item_ready_o[0] && mbar_is_wait(any_item_i[0].op)
                          && any_item_i[0].addr == sym_q && any_item_i[0].errs == '0;
  assign word_i         = dut.u_exec.item_q.addr == sym_q ? truth_q : other_word_i;
  assign committing     = tap_valid_o && dut.u_exec.touches;
  assign object_commits = committing && dut.u_exec.item_q.addr == sym_q;
  assign mine           = committing && tap_o.lanes[31];  // the followed wait commits
  always_ff @(posedge clk_i) if (object_commits) truth_q <= tap_o.new_w;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {in_exec_q, parked_q, flip_q, kill_q, phase_q} <= '0;
    else begin
      if (take) begin
        in_exec_q <= 1'b1;
        phase_q   <= any_item_i[0].phase;
      end else if (mine) begin
        in_exec_q <= 1'b0;
      end
      if (mine && park_o) begin
        parked_q         <= 1'b1;
        {flip_q, kill_q} <= '0;
      end else if (answer_o && answer_wait_o.lanes[31]) begin
        parked_q <= 1'b0;
      end
      if (parked_q && object_commits && tap_o.flip && !kill_q) flip_q <= 1'b1;
      if (parked_q && object_commits && kill_o && !flip_q) kill_q <= 1'b1;
    end
  end
  // MBW-004: true only if the phase has completed. MBW-006: the wait does not miss the completion of the phase; D-35: nor the end of the object.
  `ASSERT(TrueAtOnceMeansCompleted, !(mine && rsp_valid_o && rsp_o.pred != '0) || truth_q[63] != phase_q)
  `ASSERT(CompletedIsTrueAtOnce, !(mine && truth_q[63] != phase_q) || (rsp_valid_o && rsp_o.pred == rsp_o.lanes))
  `ASSERT(TrueLaterMeansFlip, !(answer_o && answer_wait_o.lanes[31] && answer_cause_o == CauseFlip) || flip_q)
  `ASSERT(FlipIsTrueLater, !(answer_o && answer_wait_o.lanes[31] && flip_q) || answer_cause_o == CauseFlip)
  `ASSERT(NeverSleepsOverACompletion, !(parked_q && !flip_q && !kill_q) || truth_q[63] == phase_q)
  `ASSERT(WokenIsOffered, !(parked_q && (flip_q || kill_q)) || dut.answer_valid)
  `ASSERT(NoWaitCommitsMeanwhile, !(dut.answer_valid && tap_valid_o) || (!mbar_is_wait(dut.u_exec.item_q.op) && answer_cause_o != CauseTimeout))
  `ASSERT(AnsweredOrParkedOnce, !mine || (rsp_valid_o != park_o && in_exec_q))
  `ASSERT(AnsweredOnceLater, !(answer_o && answer_wait_o.lanes[31]) || parked_q)
  // The place of the mark.
  always_comb begin
    for (int i = 0; i < 4; i++) marked[i] = dut.u_wait_slots.valid_q[i] && dut.u_wait_slots.wait_q[i].lanes[31];
  end
  logic [3:0] right;
  always_comb begin
    for (int i = 0; i < 4; i++) right[i] = !marked[i] || dut.u_wait_slots.wait_q[i].addr == sym_q;
  end
  `ASSERT(InTheRegister, in_exec_q == (dut.u_exec.valid_q && dut.u_exec.item_q.lanes[31]))
  `ASSERT(RegisterIsTheWait, !in_exec_q || (mbar_is_wait(dut.u_exec.item_q.op) && dut.u_exec.item_q.errs == '0 && dut.u_exec.item_q.addr == sym_q
          && dut.u_exec.item_q.phase == phase_q && dut.u_exec.from_q == 3'd1))
  `ASSERT(OnlyRequestsWaitHere, !dut.u_exec.valid_q || dut.u_exec.from_q[0] || !mbar_is_wait(dut.u_exec.item_q.op))
  `ASSERT(InOneSlot, $onehot0(marked) && parked_q == (marked != '0) && right == '1 && !(parked_q && in_exec_q))
  `ASSERT(SlotKnowsFlip, ((dut.u_wait_slots.true_q & marked) != '0) == (parked_q && flip_q))
  `ASSERT(SlotKnowsKill, ((dut.u_wait_slots.killed_q & marked) != '0) == (parked_q && kill_q))
  `ASSERT(SlotKnowsEnd, !(parked_q && (flip_q || kill_q)) || (dut.u_wait_slots.done_q & marked) != '0)
  `COVER(WokenByFlip, answer_o && answer_wait_o.lanes[31] && answer_cause_o == CauseFlip)
  `COVER(EndedByLimit, answer_o && answer_wait_o.lanes[31] && answer_cause_o == CauseTimeout)
  `COVER(EndedByKill, answer_o && answer_wait_o.lanes[31] && answer_cause_o == CauseKilled)
endmodule
