// gsu_mbar_pkg: the mbarrier word, one step of its arithmetic as pure functions that are proved alone, the error bits, and the types inside the mbarrier unit.
// Rules: MBAR-001..003, 010, 011, 014, 018, 031, 033, 036, 039, 041, MBARR-003, 004, MBDROP-003, 004, 011, CPA-003, 005, D-22..D-30, D-36, D-39.
// SPDX-License-Identifier: Apache-2.0
package gsu_mbar_pkg;
  import gsu_pkg::*;
  import gsu_op_pkg::*;

  // Bits of tap_t.errs of this unit. Locked, Retired and Count exclude each other and all others: only the first of them that applies is set. Otherwise
  // Pending, Drop, Tx and CpaMax are set independently.
  localparam int unsigned MbErrAlign = 0;  // offset not a multiple of 8 (MBAR-004, D-72): refused
  localparam int unsigned MbErrWindow = 1;  // beyond the CTA's shared memory (D-72): refused
  localparam int unsigned MbErrCount = 2;  // UB-32 init or arrive count 0 or above 2^20-1: refused
  localparam int unsigned MbErrPending = 3;  // UB-33 more arrivals than pending: refused
  localparam int unsigned MbErrTx = 4;  // UB-34 tx-count beyond +-(2^20-1): refused
  localparam int unsigned MbErrNoComplete = 5;  // UB-36 noComplete completed the phase: applied
  localparam int unsigned MbErrDropZero = 6;  // UB-38 expected count reached 0: applied (A-12)
  localparam int unsigned MbErrDrop = 7;  // UB-38 expected count would fall below 0: refused
  localparam int unsigned MbErrRetired = 8;  // update of an object retired by UB-38: refused
  localparam int unsigned MbErrParity = 9;  // UB-41 parity operand above 1: refused, false
  localparam int unsigned MbErrLocal = 9;  // the same bit for arrivals and drops: noComplete on the object of another CTA (MBARR-007): refused
  localparam int unsigned MbErrLocked = 10;  // update of an object locked by an earlier error: refused
  localparam int unsigned MbErrUndeliverable = 11;  // no such rank (src local, network), or CTA not resident (at the owner): refused
  localparam int unsigned MbErrKilled = 12;  // UB-31 waiters parked on the object woke with false (D-35): applied
  localparam int unsigned MbErrCpaMax = 13;  // UB-45 cp.async increment above 2^20-1: refused
  localparam int unsigned MbErrRemoteForm = 14;  // UB-37 remote with a state, UB-42 remote wait, MBAR-015 local-only operation: refused
  localparam int unsigned MbErrLeft = 5;  // response of try_cancel, not multicast: its CTA has exited (same bit): dropped
  localparam int unsigned MbErrResponse = 9;  // try_cancel: response not a multiple of 16 (CLC-008, same bit): refused
  localparam int unsigned MbErrSelf = 15;  // UB-22 st.async, red.async to their own CTA | operation outside the sm_80 profile (D-42): refused

  localparam int unsigned MbResponse = 16;  // bytes of a response of try_cancel (CLC-006)
  localparam logic [19:0] MbMax = 20'hF_FFFF;  // largest count

  // Bits of cfg_t.mbar_policy.
  localparam int unsigned MbPolicyWriteBack = 0;
  localparam int unsigned MbPolicyLock = 1;
  localparam int unsigned MbPolicySm80 = 2;

  typedef struct packed {
    logic               phase;
    logic [19:0]        pending;
    logic               lock;
    logic signed [21:0] tx;        // one bit wider than the field, for -(-2^20) of an undefined word
    logic [19:0]        expected;
  } mbar_obj_t;

  // {phase[63], -pending[62:43], lock[42], -tx[41:21], -expected[20:1], 0}, for readers of waves.
  function automatic mbar_obj_t mbar_unpack(logic [63:0] w);
    mbar_unpack.phase    = w[63];
    mbar_unpack.pending  = -w[62:43];
    mbar_unpack.lock     = w[42];
    mbar_unpack.tx       = -{w[41], w[41:21]};
    mbar_unpack.expected = -w[20:1];
  endfunction

  // A word with expected, pending and tx all 0 is retired (A-12). A running phase never has this word, because it would have completed.
  function automatic logic mbar_retired(logic [19:0] np, logic [21:0] ntx, logic [19:0] ne);
    mbar_retired = np == '0 && ntx == '0 && ne == '0;
  endfunction

  // Whether there are more arrivals than the count. `field` is the negated count, `sum` is field + arrivals.
  function automatic logic mbar_exceeds(logic [19:0] field, logic [26:0] arrivals, logic [27:0] sum);
    if (field == '0) mbar_exceeds = arrivals != '0;
    else mbar_exceeds = |sum[27:21] || (sum[20] && |sum[19:0]);
  endfunction

  typedef struct packed {
    logic [63:0] word;     // after the operation; unchanged if refused, except for the lock
    logic [63:0] state;    // result of the first execution: the word before its arrive-on, after its expect (D-22)
    logic        exact;    // `n` executions at once have the same effect as one by one (D-23)
    logic        flip;     // the phase completed
    logic        refused;
    logic        changes;  // the operation changes the word
    logic [15:0] errs;
  } mbar_result_t;

  function automatic logic mbar_counts(op_e op);  // arrives with the operand as its count
    mbar_counts = op_counted(op) || op inside {OpEvAsyncArrive, OpEvAgentArrive};
  endfunction
  function automatic logic mbar_completes(op_e op);  // subtracts the operand from the tx-count
    mbar_completes = op inside {OpMbarCompleteTx, OpEvAsyncCompleteTx, OpClcTryCancel};  // the last: the bytes of its response
  endfunction
  function automatic logic mbar_arrives_one(op_e op);  // arrives once besides its tx operand
    mbar_arrives_one = op_arrives(op) && op_expects(op);
  endfunction
  function automatic logic mbar_is_wait(op_e op);
    mbar_is_wait = op_mbarrier(op) && op_waits(op);
  endfunction
  function automatic logic mbar_updates(op_e op);  // acts on the counts of an existing object
    mbar_updates = mbar_counts(op) || op_expects(op) || mbar_completes(op) || op == OpCpAsyncArrive;
  endfunction

  // `n` times the operand. 21 bits of it are enough: an operand of 2^21 or more is refused for any `n`.
  function automatic logic [26:0] mbar_total(logic [20:0] amount, logic [5:0] n);
    mbar_total = 27'(amount) * 27'(n);
  endfunction

  // a + b == 0, without a carry chain.
  function automatic logic mbar_cancel_out(logic [27:0] a, logic [27:0] b);
    mbar_cancel_out = (a ^ b) == ((a | b) << 1);
  endfunction

  // The effects of an operation, as mbar_step needs them. They are decoded from the operation in the clock before.
  typedef struct packed {
    logic counts;
    logic expects;
    logic completes;
    logic one;      // also arrives once
    logic drops;
    logic more;     // adds one pending arrival (cp.async)
    logic init;
    logic update;
  } mbar_does_t;
  function automatic mbar_does_t mbar_does(op_e op);
    mbar_does = '{
        counts: mbar_counts(op),
        expects: op_expects(op),
        completes: mbar_completes(op),
        one: mbar_arrives_one(op),
        drops: op_drops(op),
        more: op == OpCpAsyncArrive,
        init: op == OpMbarInit,
        update: mbar_updates(op)
    };
  endfunction

  // `n` executions (1..32) of an operation with the same operand on object `word`, in one commit. Valid for n > 1 only if `exact`.
  // Operations that touch no count (waits, inval, events) leave the word as it is. `total` is mbar_total of both.
  // The word stores counts negated; this function works on the negated values np, ntx, ne.
  function automatic mbar_result_t mbar_step(logic [63:0] word, mbar_does_t does, logic [31:0] amount, logic [26:0] total, logic [5:0] n,
                                             logic no_complete, logic lock_on_error);
    logic [19:0] np, ne, np_d;
    logic [21:0] ntx;
    logic [26:0] arrivals;
    logic [27:0] p_sum, e_sum, tx_sum, moved;
    logic moves_tx, p_zero, tx_zero;
    np       = word[62:43];
    ne       = word[20:1];
    ntx      = {word[41], word[41:21]};
    moves_tx = does.expects || does.completes;
    arrivals = does.counts ? total : does.one ? 27'(n) : '0;
    moved    = does.completes ? 28'(total) : '0;
    p_sum    = 28'(np) + 28'(arrivals);
    e_sum    = 28'(ne) + 28'(arrivals);
    tx_sum   = does.expects ? {{6{ntx[21]}}, ntx} - 28'(total) : {{6{ntx[21]}}, ntx} + moved;
    tx_zero  = does.expects ? {{6{ntx[21]}}, ntx} == 28'(total) : mbar_cancel_out({{6{ntx[21]}}, ntx}, moved);
    p_zero   = mbar_cancel_out({np, 8'd0}, {arrivals[19:0], 8'd0});
    np_d     = does.more ? np - 20'(n) : p_sum[19:0];

    mbar_step      = '{word: word, state: word, exact: 1'b1, default: '0};
    if (does.update && word[42]) mbar_step.errs[MbErrLocked] = 1'b1;
    else if (does.update && mbar_retired(np, ntx, ne)) mbar_step.errs[MbErrRetired] = 1'b1;
    else if ((does.counts || does.init) && (amount == '0 || amount > 32'(MbMax))) mbar_step.errs[MbErrCount] = 1'b1;
    else begin
      mbar_step.errs[MbErrPending] = mbar_exceeds(np, arrivals, p_sum);
      mbar_step.errs[MbErrDrop]    = does.drops && mbar_exceeds(ne, arrivals, e_sum);
      mbar_step.errs[MbErrTx]      = moves_tx && (|amount[31:21] || (tx_sum[27] ? !(&tx_sum[26:20]) || tx_sum[19:0] == '0 : |tx_sum[26:20]));
      mbar_step.errs[MbErrCpaMax]  = does.more && np != '0 && np <= 20'(n);
    end
    mbar_step.refused = |mbar_step.errs;

    if (mbar_step.refused) begin
      // If executed one by one, some might be refused and others not. So the caller executes only one.
      mbar_step.exact = n == 6'd1;
      if (lock_on_error && does.update) mbar_step.word[42] = 1'b1;
      mbar_step.changes = lock_on_error && does.update && !word[42];
    end else if (does.init) begin
      mbar_step.word = {1'b0, -amount[19:0], 22'd0, -amount[19:0], 1'b0};
      mbar_step.changes = word[63] || |word[42:21] || word[0] || !mbar_cancel_out({np, 8'd0}, {amount[19:0], 8'd0})
                          || !mbar_cancel_out({ne, 8'd0}, {amount[19:0], 8'd0});
    end else if (does.update) begin
      if (does.one) mbar_step.state = {word[63:42], 21'(ntx - amount[21:0]), ne, 1'b0};
      // Without arrivals the phase could complete before the last execution only if nothing was pending.
      mbar_step.exact = n == 6'd1 || arrivals != '0 || np != '0 || does.more;
      mbar_step.flip  = !does.more && p_zero && tx_zero;
      if (does.drops) ne = e_sum[19:0];
      mbar_step.word = {word[63] ^ mbar_step.flip, mbar_step.flip ? ne : np_d, word[42], tx_sum[20:0], ne, 1'b0};
      mbar_step.changes = mbar_step.flip || does.more || arrivals[19:0] != '0 || (moves_tx && total[20:0] != '0) || word[0];
      mbar_step.errs[MbErrDropZero]   = does.drops && mbar_cancel_out({word[20:1], 8'd0}, {arrivals[19:0], 8'd0});
      mbar_step.errs[MbErrNoComplete] = no_complete && mbar_step.flip;
    end
  endfunction

  function automatic mbar_result_t mbar_next(logic [63:0] word, op_e op, logic [31:0] amount, logic [5:0] n,
                                             logic no_complete, logic lock_on_error);
    mbar_next = mbar_step(word, mbar_does(op), amount, mbar_total(amount[20:0], n), n, no_complete, lock_on_error);
  endfunction

  // One group of lanes of one instruction on one object, or one asynchronous or remote update, on its way to the commit.
  typedef struct packed {
    op_e         op;
    src_e        src;
    logic [4:0]  cta;          // owner of the object | source of an error packet
    logic [4:0]  warp;
    logic [15:0] tag;
    logic [4:0]  src_sm;       // of a remote update
    logic [4:0]  src_cta;
    logic        cancel;       // for a delivery: it is a response of try_cancel
    logic        multi;        // for a response: every CTA gets one
    logic        async;        // for the acknowledgement of a remote update: no release waits for it
    logic        epoch;        // likewise: the epoch in which it is counted
    logic [4:0]  top;          // likewise: its highest lane
    mask_t       lanes;        // one bit for each execution
    logic [31:0] obj;          // {rank, offset}
    logic [14:0] addr;         // word of the SM's shared memory
    logic [31:0] amount;
    logic [31:0] limit;        // suspension of a try_wait
    logic        phase;        // for a wait: the phase that it waits for
    logic        no_complete;
    logic        want_value;
    logic        diverged;
    logic        last;         // last group of its request
    logic [15:0] errs;         // errors that were found before: the item is refused
  } mbar_item_t;

  // Kinds of requests, each with its own walk, so that none waits for another: operations on objects of this SM; posted packets, answered when they have left;
  // atoms, which wait for their answers; queries of try_cancel, which wait for entries.
  localparam int unsigned MbKinds = 4;
  localparam int unsigned MbNear = 0, MbPosted = 1, MbAtom = 2, MbQuery = 3;
  typedef logic [MbQuery:MbPosted] mbar_far_t;  // a bit for each kind that leaves the SM
  function automatic logic [1:0] mbar_kind_at(mbar_far_t one);  // index of the only bit that is set; MbNear if none is
    mbar_kind_at = {one[3] | one[2], one[3] | one[1]};
  endfunction

  // A parked wait.
  typedef struct packed {
    op_e         op;
    logic [4:0]  cta;
    logic [4:0]  warp;
    logic [11:0] tag;
    mask_t       lanes;
    logic [31:0] obj;
    logic [14:0] addr;
    cycle_t      due;          // time-out
  } mbar_wait_t;

  // Arrivals of an agent that is not a thread, at objects of other CTAs: the same offset in each CTA whose bit in `ranks` is set.
  typedef struct packed {
    logic [15:0] ranks;
    logic [5:0]  clus;
    logic [7:0]  era;
    logic [4:0]  cta;
    logic [4:0]  warp;
    logic [11:0] tag;
    logic [23:0] offset;
  } mbar_agent_t;

  // Window of a CTA in its SM's shared memory, and its place in its cluster.
  typedef struct packed {
    logic        live;
    logic [17:0] base;         // multiple of 8
    logic [31:0] size;
    logic [4:0]  ctas;
    logic [4:0]  rank;
    logic [5:0]  clus;
    logic [7:0]  era;
  } mbar_cta_t;

  // Errors of an offset in the window of `c` (D-72).
  function automatic logic [15:0] mbar_offset_errs(logic [23:0] offset, mbar_cta_t c);
    mbar_offset_errs = '0;
    mbar_offset_errs[MbErrAlign]  = offset[2:0] != '0;
    mbar_offset_errs[MbErrWindow] = 33'(offset) + 33'd8 > 33'(c.size);
  endfunction

  // Errors of the response address of try_cancel in the window of `c` (CLC-002, CLC-008). Those of its mbarrier come from mbar_offset_errs.
  function automatic logic [15:0] mbar_response_errs(logic [31:0] offset, mbar_cta_t c);
    mbar_response_errs = '0;
    mbar_response_errs[MbErrResponse] = offset[3:0] != '0;
    mbar_response_errs[MbErrWindow]   = 33'(offset) + 33'(MbResponse) > 33'(c.size);
  endfunction

  function automatic logic [14:0] mbar_word_addr(logic [23:0] offset, mbar_cta_t c);
    mbar_word_addr = c.base[17:3] + offset[17:3];
  endfunction

  // An asynchronous operation: no release waits for it (CLU-017).
  function automatic logic mbar_is_async(op_e op);
    mbar_is_async = op inside {OpStAsync, OpRedAsync, OpClcTryCancel, OpEvAgentArrive};
  endfunction

  function automatic pkt_e mbar_pkt_kind(op_e op);
    case (op)
      OpMbarArriveDrop: mbar_pkt_kind = PktDrop;
      OpMbarExpectTx: mbar_pkt_kind = PktExpectTx;
      OpMbarCompleteTx: mbar_pkt_kind = PktCompleteTx;
      OpMbarArriveExpectTx: mbar_pkt_kind = PktArriveExpectTx;
      OpMbarDropExpectTx: mbar_pkt_kind = PktDropExpectTx;
      OpStAsync, OpRedAsync: mbar_pkt_kind = PktData;
      OpAtom: mbar_pkt_kind = PktAtom;
      OpRed: mbar_pkt_kind = PktRed;
      OpClcTryCancel: mbar_pkt_kind = PktCancel;
      OpEvAgentArrive: mbar_pkt_kind = PktAgentArrive;
      default: mbar_pkt_kind = PktArrive;
    endcase
  endfunction

  function automatic op_e mbar_pkt_op(pkt_e kind);
    case (kind)
      PktDrop: mbar_pkt_op = OpMbarArriveDrop;
      PktExpectTx: mbar_pkt_op = OpMbarExpectTx;
      PktCompleteTx: mbar_pkt_op = OpMbarCompleteTx;
      PktArriveExpectTx: mbar_pkt_op = OpMbarArriveExpectTx;
      PktDropExpectTx: mbar_pkt_op = OpMbarDropExpectTx;
      PktData, PktCancel: mbar_pkt_op = OpEvDelivered;
      PktAtom: mbar_pkt_op = OpAtom;
      PktRed: mbar_pkt_op = OpRed;
      PktAgentArrive: mbar_pkt_op = OpEvAgentArrive;
      default: mbar_pkt_op = OpMbarArrive;
    endcase
  endfunction

endpackage
