// prove: name=step engine=kind depth=1 files=gsu_mbar_pkg define=FV_STEP cover=3
// prove: name=mergeArrive engine=kind depth=1 files=gsu_mbar_pkg define=FV_MERGE,FV_LOW=2,FV_HIGH=2,FV_OP=OpMbarArrive cover=3 limit=900
// prove: name=mergeArriveDrop engine=kind depth=1 files=gsu_mbar_pkg define=FV_MERGE,FV_LOW=2,FV_HIGH=2,FV_OP=OpMbarArriveDrop cover=3 limit=900
// prove: name=mergeExpectTx engine=kind depth=1 files=gsu_mbar_pkg define=FV_MERGE,FV_LOW=2,FV_HIGH=2,FV_OP=OpMbarExpectTx cover=3 limit=900
// prove: name=mergeCompleteTx engine=kind depth=1 files=gsu_mbar_pkg define=FV_MERGE,FV_LOW=2,FV_HIGH=2,FV_OP=OpMbarCompleteTx cover=3 limit=900
// prove: name=mergeArriveExpectTx engine=kind depth=1 files=gsu_mbar_pkg define=FV_MERGE,FV_LOW=2,FV_HIGH=2,FV_OP=OpMbarArriveExpectTx cover=3 limit=900
// prove: name=mergeDropExpectTx engine=kind depth=1 files=gsu_mbar_pkg define=FV_MERGE,FV_LOW=2,FV_HIGH=2,FV_OP=OpMbarDropExpectTx cover=3 limit=900
// prove: name=mergeCpAsync engine=kind depth=1 files=gsu_mbar_pkg define=FV_MERGE,FV_LOW=2,FV_HIGH=2,FV_OP=OpCpAsyncArrive cover=3 limit=900
// prove: name=mergeArrive3 engine=kind depth=1 files=gsu_mbar_pkg define=FV_MERGE,FV_LOW=3,FV_HIGH=3,FV_OP=OpMbarArrive limit=900
// Harness of gsu_mbar_pkg::mbar_next, over all words, operations and operands (MBAR-002, 010, 011, D-22..D-30, D-36).
//   step   one execution against a statement in signed integers
//   merge  n executions in one commit equal n-1 executions and one more, with no flip and no refusal before the last: by induction over n
//          a merged commit has the effect of the lanes one by one (D-23). Proved for n = 2 for every operation, and for n = 3 for
//          arrive; the random test covers larger n (a multiplier per n is slow to prove).
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_mbar_next_fv
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
(
    input logic        clk_i,
    input logic        rst_ni,
    input logic [63:0] word_i,
    input op_e         op_i,
    input logic [31:0] amount_i,
    input logic        no_complete_i,
    input logic        lock_i,
    input logic [26:0] total_i,  // any total, of any number of executions
    input logic [5:0]  n_i
);
  `FV_RESET

  typedef logic signed [39:0] int_t;
  localparam int_t Max = 40'sd1048575;
  function automatic int_t count_of(logic [19:0] field);
    count_of = field == '0 ? 40'sd0 : 40'sd1048576 - $signed({20'd0, field});
  endfunction
  function automatic int_t tx_of(logic [63:0] w);
    tx_of = w[41] ? 40'sd2097152 - $signed({19'd0, w[41:21]}) : -$signed({19'd0, w[41:21]});
  endfunction

`ifdef FV_STEP
  mbar_result_t r;
  assign r = mbar_next(word_i, op_i, amount_i, 6'd1, no_complete_i, lock_i);

  int_t pending, expected, tx, amount, arrivals, drops, bytes, extra, pending_after, tx_after, expected_after;
  logic update, operand_ok, retired, fits, done;
  always_comb begin
    pending  = count_of(word_i[62:43]);
    expected = count_of(word_i[20:1]);
    tx       = tx_of(word_i);
    amount   = $signed({8'd0, amount_i});
    arrivals = 0;
    drops    = 0;
    bytes    = 0;
    extra    = 0;
    update   = 1'b1;
    operand_ok = 1'b1;
    case (op_i)
      OpMbarArrive, OpEvAsyncArrive, OpEvAgentArrive: arrivals = amount;
      OpMbarArriveDrop: begin
        arrivals = amount;
        drops    = amount;
      end
      OpMbarArriveExpectTx: begin
        arrivals = 1;
        bytes    = amount;
      end
      OpMbarDropExpectTx: begin
        arrivals = 1;
        drops    = 1;
        bytes    = amount;
      end
      OpMbarExpectTx: bytes = amount;
      OpMbarCompleteTx, OpEvAsyncCompleteTx, OpClcTryCancel: bytes = -amount;
      OpCpAsyncArrive: extra = 1;
      default: update = 1'b0;
    endcase
    if (op_i == OpMbarArrive || op_i == OpEvAsyncArrive || op_i == OpEvAgentArrive || op_i == OpMbarArriveDrop || op_i == OpMbarInit)
      operand_ok = amount >= 1 && amount <= Max;
    retired        = pending == 0 && expected == 0 && tx == 0;
    fits           = arrivals <= pending && drops <= expected && pending + extra <= Max
                     && (bytes == 0 && op_i != OpMbarExpectTx && op_i != OpMbarCompleteTx && op_i != OpEvAsyncCompleteTx && op_i != OpClcTryCancel
                         && op_i != OpMbarArriveExpectTx && op_i != OpMbarDropExpectTx || (tx + bytes <= Max && tx + bytes >= -Max));
    tx_after       = tx + bytes;
    expected_after = expected - drops;
    done           = pending - arrivals + extra == 0 && tx_after == 0;
    pending_after  = done ? expected_after : pending - arrivals + extra;
  end
  logic applies, denied;
  assign denied  = update ? !(operand_ok && fits) || word_i[42] || retired : op_i == OpMbarInit && !operand_ok;
  assign applies = update && !denied;

  `ASSERT(RefusedExactlyWhenOutOfRange, r.refused == denied)
  `ASSERT(RefusedKeepsTheWord, !denied || r.word == (word_i | {21'd0, lock_i && update, 42'd0}))
  `ASSERT(OthersKeepTheWord, update || op_i == OpMbarInit || (r.word == word_i && !r.flip && r.errs == '0))
  `ASSERT(PendingExact, !applies || count_of(r.word[62:43]) == pending_after)
  `ASSERT(ExpectedExact, !applies || count_of(r.word[20:1]) == expected_after)
  `ASSERT(TxExact, !applies || tx_of(r.word) == tx_after)
  `ASSERT(FlipExactlyAtCompletion, r.flip == (applies && done))
  `ASSERT(PhaseTogglesWithFlip, !applies || r.word[63] == (word_i[63] ^ done))
  `ASSERT(UnlockedAndVersionZero, !applies || (!r.word[42] && !r.word[0]))
  `ASSERT(TxZeroEntersNewPhase, !r.flip || tx_of(r.word) == 0)
  `ASSERT(InitWord, op_i != OpMbarInit || denied || (count_of(r.word[62:43]) == amount && count_of(r.word[20:1]) == amount
          && r.word[41:21] == '0 && !r.word[63] && !r.word[42] && !r.word[0]))
  `ASSERT(StateIsTheWordBeforeTheArrival, !applies || (count_of(r.state[62:43]) == pending && count_of(r.state[20:1]) == expected
          && r.state[63] == word_i[63] && tx_of(r.state) == (arrivals == 0 ? tx : tx_after)))
  `ASSERT(RetiredIsFinal, !(update && retired) || r.refused)
  `ASSERT(ReportedWhenRefused, r.refused == ((r.errs & ~16'(1 << MbErrDropZero | 1 << MbErrNoComplete)) != '0))
  `ASSERT(DropZeroReported, r.errs[MbErrDropZero] == (applies && drops != 0 && expected_after == 0))
  `ASSERT(NoCompleteReported, r.errs[MbErrNoComplete] == (applies && done && no_complete_i))
  `ASSERT(ReasonsAreTrue, (!r.errs[MbErrPending] || arrivals > pending) && (!r.errs[MbErrDrop] || drops > expected)
          && (!r.errs[MbErrCount] || !operand_ok) && (!r.errs[MbErrTx] || tx_after > Max || tx_after < -Max)
          && (!r.errs[MbErrLocked] || word_i[42]) && (!r.errs[MbErrRetired] || retired) && (!r.errs[MbErrCpaMax] || pending == Max))
  `ASSERT(OneExecutionIsExact, r.exact)
  mbar_result_t any;
  assign any = mbar_step(word_i, mbar_does(op_i), amount_i, total_i, n_i, no_complete_i, lock_i);
  `ASSERT(ChangesExactly, n_i == '0 || any.changes == (any.word != word_i))
  `COVER(FlipByExpect, r.flip && op_i == OpMbarExpectTx)
  `COVER(NegativeTx, applies && tx_after < 0 && pending > 0)
  `COVER(DropsToZero, r.errs[MbErrDropZero] && r.flip)
`endif

`ifdef FV_MERGE
  logic updates;
  assign updates = mbar_updates(op_i);
  `ASSUME(OneOperation, op_i == `FV_OP)
  for (genvar g = `FV_LOW; g <= `FV_HIGH; g++) begin : gen_n
    localparam logic [5:0] N = 6'(g);
    mbar_result_t all, less, next;
    assign all  = mbar_next(word_i, op_i, amount_i, N, no_complete_i, lock_i);
    assign less = mbar_next(word_i, op_i, amount_i, N - 6'd1, no_complete_i, lock_i);
    assign next = mbar_next(less.word, op_i, amount_i, 6'd1, no_complete_i, lock_i);
    logic merged;
    assign merged = all.exact && updates;
    `ASSERT(LessIsMergedToo, !merged || (less.exact && !less.refused && !less.flip && less.errs == '0))
    `ASSERT(SameWord, !merged || (next.word == all.word && next.flip == all.flip))
    `ASSERT(SameReports, !merged || (next.errs == all.errs && !next.refused && !all.refused))
    `ASSERT(SameFirstState, !merged || all.state == less.state)
    // The state of the n-th arrival differs from that of the first by n-1 counts in the pending field and nowhere else.
    `ASSERT(StatesStep, !(merged && (op_i == OpMbarArrive || op_i == OpEvAsyncArrive || op_i == OpEvAgentArrive))
            || (next.state[62:43] == all.state[62:43] + amount_i[19:0] * 20'(g - 1)
                && next.state[63] == all.state[63] && next.state[42:1] == all.state[42:1]))
    `ASSERT(RefusalsAreNotMerged, !(updates && all.refused) || !all.exact)
    `COVER(Merged, merged && amount_i == 48)
  end
`endif
endmodule
