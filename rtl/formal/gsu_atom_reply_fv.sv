// prove: name=answer engine=kind depth=3 flat=1 files=gsu_atom_reply cover=10 limit=300
// Harness of gsu_atom_reply with two entries. The request of one symbolic tag is followed from its first packet to its answer, while anything happens to
// others. It is answered once, with all lanes that left: after its last packet has left or its last lanes were refused, and after the last acknowledgement; as
// refused if one packet was refused. At most every other ready request is answered before it (ATOM-029, D-38, D-70).
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_atom_reply_fv
  import gsu_pkg::*;
(
    input logic        clk_i,
    input logic        rst_ni,
    input sync_rsp_t   send_i,
    input logic        send_valid_i,
    input logic [11:0] here_tag_i,
    input logic        here_last_i,
    input logic        back_valid_i,
    input ack_t        back_i,
    input logic        rsp_ready_i,
    input logic [11:0] sym_i
);
  logic send_space_o, here_open_o, rsp_valid_o, idle_o;
  sync_rsp_t rsp_o;
  gsu_atom_reply #(.Depth(2)) dut (.*);
  `FV_RESET

  // The followed request as its requester sees it.
  logic [11:0] sym_q;
  always_ff @(posedge clk_i) if (!fv_started_q) sym_q <= sym_i;
  logic open_q, closed_q, refused_q, sends, closes, back, answered;
  logic [5:0] out_q, sent_q;
  mask_t lanes_q;
  assign sends    = send_valid_i && send_i.tag == sym_q;
  assign closes   = here_last_i && here_tag_i == sym_q;
  assign back     = back_valid_i && back_i.tag == sym_q;
  assign answered = rsp_valid_o && rsp_ready_i && rsp_o.tag == sym_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {open_q, closed_q, refused_q, out_q, sent_q, lanes_q} <= '0;
    end else if (answered) begin
      {open_q, closed_q, refused_q, out_q, sent_q, lanes_q} <= '0;
    end else begin
      out_q <= out_q + 6'(sends) - 6'(back);
      if (sends) begin
        open_q  <= 1'b1;
        sent_q  <= sent_q + 6'd1;
        lanes_q <= lanes_q | send_i.lanes;
      end
      if ((sends && send_i.last) || closes) closed_q <= 1'b1;
      if (back && back_i.refused) refused_q <= 1'b1;
    end
  end
  // A packet has at least one lane; after the last packet nothing leaves; a packet is acknowledged once.
  `ASSUME(AtMostThirtyTwo, !sends || sent_q < 6'd32)
  `ASSUME(NothingAfterTheLast, !(sends || closes) || !closed_q)
  `ASSUME(AcknowledgedOnce, !back || out_q != '0)
  `ASSUME(ClosesWhatIsOpen, !closes || open_q)
  `ASSUME(OneAtATime, !(sends && closes))

  logic [1:0] mine;
  assign mine = {dut.used_q[1] && dut.tag_q[1] == sym_q, dut.used_q[0] && dut.tag_q[0] == sym_q};
  `ASSERT(OneEntry, mine != 2'b11 && |mine == open_q)
  `ASSERT(OthersHaveOneToo, dut.used_q != 2'b11 || dut.tag_q[0] != dut.tag_q[1])
  for (genvar i = 0; i < 2; i++) begin : gen_entry
    `ASSERT(CountIsExact, !mine[i] || (dut.count_q[i] == out_q && dut.closed_q[i] == closed_q && dut.refused_q[i] == refused_q && dut.lanes_q[i] == lanes_q))
  end
  `ASSERT(NothingBeforeTheFirst, open_q || {closed_q, refused_q, out_q, sent_q, lanes_q} == '0)
  `ASSERT(OutIsSent, out_q <= sent_q && sent_q <= 6'd32)
  `ASSERT(AnswerAfterTheLast, !answered || (open_q && closed_q && out_q == '0))
  `ASSERT(AnswerNamesTheLanes, !answered || (rsp_o.last && rsp_o.lanes == lanes_q && rsp_o.cause == (refused_q ? CauseRefused : CauseDone)))
  `ASSERT(OpenIsTold, here_tag_i != sym_q || here_open_o == open_q)
  `ASSERT(SpaceForItsOwn, send_i.tag != sym_q || !open_q || send_space_o)
  // Answers come in turn.
  logic due;
  logic [1:0] passed_q;
  assign due = open_q && closed_q && out_q == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) passed_q <= '0;
    else if (!due || answered) passed_q <= '0;
    else if (rsp_valid_o && rsp_ready_i) passed_q <= passed_q + 2'd1;
  end
  `ASSERT(SomeoneIsAnswered, !due || rsp_valid_o)
  `ASSERT(AnsweredAfterOne, passed_q <= 2'd1)
  `ASSERT(PassedIsTheOther, passed_q == '0 || !mine[dut.last_q])
  `COVER(SeveralPackets, answered && sent_q > 6'd2)
  `COVER(Waited, answered && passed_q == 2'd1)
  `COVER(EndedByRefusal, answered && $past(closes))
endmodule
