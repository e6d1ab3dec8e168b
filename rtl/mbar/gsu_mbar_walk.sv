// gsu_mbar_walk: splits a request into groups of lanes, one group a clock, and sends each to an object of its own CTA, to the network, to the queries of
// try_cancel, or to a refusal.
// Rules: CLC-002, CLC-008, D-23, D-38, D-42, D-72, MBAR-004, 015, 020, MBARR-010, MBW-011, RASYNC-016.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_walk
  import gsu_pkg::*;
  import gsu_op_pkg::*;
  import gsu_mbar_pkg::*;
#(
    parameter int unsigned SlotW = 6  /// bits of a slot of operands
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  cfg_t        cfg_i,
    input  logic        req_valid_i,
    output logic        req_ready_o,
    input  sync_req_t   req_i,          // all its operands have come
    input  logic [SlotW-1:0] slot_i,         // slot of its operands
    output logic        want_o,         // the walk has a group to form in this clock
    input  logic        turn_i,         // it may form one: the lookups of operands and windows are for this walk
    output logic [SlotW-1:0] slot_o,         // slot of the request that is processed
    output logic        free_o,         // pulse: that slot is no longer needed
    output logic        query_o,        // this and the ports up to limit_i: as gsu_mbar_operands, answered in the same clock
    output mask_t       todo_o,
    output logic        bcast_o,
    output logic        by_phase_o,
    output logic        by_limit_o,
    output logic        by_rank_o,
    input  mask_t       lanes_i,
    input  logic [4:0]  lead_i,
    input  logic [31:0] addr_i,
    input  logic [31:0] data_i,
    input  logic        phase_i,
    input  logic [31:0] limit_i,
    output logic [4:0]  cta_o,          // CTA slot whose place is looked up
    input  mbar_cta_t   cta_i,          // its place, in the same clock
    output logic        item_valid_o,   // holds until item_ready_i
    input  logic        item_ready_i,
    output mbar_item_t  item_o,
    output logic        item_remote_o,  // item_o goes to the network or is a query of try_cancel, not to an object of this SM
    output logic [1:0]       open_o,    // requests that still have groups here
    output logic [1:0][11:0] open_tag_o,  // their tags
    output logic        idle_o
);
  logic       busy_q, valid_q, remote_q;
  sync_req_t  req_q;
  logic [SlotW-1:0] slot_q;
  mask_t      todo_q;
  mbar_item_t item_q;
  logic       accept, form, done;

  assign req_ready_o   = !busy_q;
  assign accept        = req_valid_i && req_ready_o;
  assign want_o        = busy_q && (!valid_q || item_ready_i);
  assign form          = want_o && turn_i;
  assign query_o       = form;
  assign todo_o        = todo_q;
  assign bcast_o       = req_q.bcast;
  assign by_phase_o    = mbar_is_wait(req_q.op) && !op_parity(req_q.op);
  assign by_limit_o    = op_suspends(req_q.op) && req_q.kind[0];
  assign by_rank_o     = op_atomic(req_q.op);
  assign cta_o         = req_q.cta;
  assign free_o        = done;
  assign slot_o        = slot_q;
  assign item_valid_o  = valid_q;
  assign item_o        = item_q;
  assign item_remote_o = remote_q;
  assign open_o        = {busy_q, valid_q};
  assign open_tag_o    = {req_q.tag, item_q.tag[11:0]};
  assign idle_o        = !form && !(valid_q && item_ready_i);

  ////// Which kind of access is it? //////
  logic data_op, atomic, cancel, moves_tx, own, remote, sm80;
  mask_t lanes;
  mask_t run;
  logic [15:0] errs;
  always_comb begin
    {data_op, atomic, cancel, moves_tx, own, remote, sm80} = '0;
    lanes = '0;
    run   = '0;
    errs  = '0;
    if (busy_q || Eager) begin
      data_op  = req_q.op inside {OpStAsync, OpRedAsync};
      atomic   = op_atomic(req_q.op);
      cancel   = req_q.op == OpClcTryCancel;  // names an mbarrier of its own CTA; `remote` is multicast
      moves_tx = op_expects(req_q.op) || mbar_completes(req_q.op) || data_op;
      own      = addr_i[31:24] == 8'(cta_i.rank);
      remote   = atomic || ((req_q.remote || data_op) && !own && !cancel);  // an atomic to its own CTA takes the network, too
      sm80     = cfg_i.mbar_policy[MbPolicySm80];
      // A packet carries contiguous lanes: data one lane, try_cancel one lane, atomics as many as are contiguous.
      run      = lanes_i >> lead_i;
      lanes    = lanes_i;
      if (atomic) lanes = (run & ~(run + 32'd1)) << lead_i;
      else if (data_op || cancel || (remote && (run & (run + 32'd1)) != '0)) lanes = 32'd1 << lead_i;
      if (remote) begin
        errs[MbErrUndeliverable] = addr_i[31:24] >= 8'(cta_i.ctas) || (atomic && cta_i.ctas == 5'd1);
        errs[MbErrRemoteForm]    = !data_op && !atomic && ((req_q.want_value && (mbar_counts(req_q.op) || mbar_arrives_one(req_q.op)))
                                   || (req_q.no_complete && !mbar_counts(req_q.op)) || !mbar_updates(req_q.op)
                                   || req_q.op == OpCpAsyncArrive);
      end else begin
        errs = mbar_offset_errs(addr_i[23:0], cta_i);
        if (cancel) errs |= mbar_response_errs(data_i, cta_i);
        errs[MbErrRemoteForm] = cancel && req_q.remote && !own;
      end
      if (op_parity(req_q.op)) errs[MbErrParity] = data_i > 32'd1;
      if (remote && req_q.no_complete && !data_op && !atomic && mbar_counts(req_q.op)) errs[MbErrLocal] = 1'b1;
      errs[MbErrSelf]   = (data_op && own) || (sm80 && (moves_tx || req_q.remote
                          || (mbar_counts(req_q.op) && data_i != 32'd1 && !req_q.no_complete)));
    end
    done = form && lanes == todo_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      if (accept) busy_q <= 1'b1;
      else if (done) busy_q <= 1'b0;
      if (form) valid_q <= 1'b1;
      else if (item_ready_i) valid_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (accept) begin
      req_q  <= req_i;
      slot_q <= slot_i;
      todo_q <= req_i.lanes;
    end else if (form) begin
      todo_q <= todo_q & ~lanes;
    end
    if (form) begin
      remote_q <= (remote || cancel) && errs == '0;
      item_q   <= '{
          op: req_q.op,
          src: SrcLocal,
          cta: req_q.cta,
          warp: req_q.warp,
          tag: 16'(req_q.tag),
          lanes: lanes,
          obj: {remote ? addr_i[31:24] : 8'(cta_i.rank), addr_i[23:0]},
          addr: mbar_word_addr(addr_i[23:0], cta_i),
          amount: data_i,
          limit: req_q.kind[0] ? limit_i : cfg_i.trywait_limit,
          phase: op_parity(req_q.op) ? data_i[0] : phase_i,
          multi: req_q.remote,
          no_complete: req_q.no_complete,
          want_value: req_q.want_value && !req_q.remote,
          diverged: req_q.diverged,
          last: lanes == todo_q,
          errs: errs,
          default: '0
      };
    end
  end

  `REQUIRE(LanesNotEmpty, !req_valid_i || req_i.lanes != '0)
  `REQUIRE(GroupOfTodo, !query_o || ((lanes_i & ~todo_q) == '0 && lanes_i[lead_i]))
  `ASSERT(BusyHasLanes, !busy_q || todo_q != '0)
  `ASSERT(SentHasNoError, !(valid_q && remote_q) || item_q.errs == '0)
  `COVER(SecondGroup, form && todo_q != req_q.lanes)
  `COVER(Sent, item_valid_o && item_remote_o)
endmodule
