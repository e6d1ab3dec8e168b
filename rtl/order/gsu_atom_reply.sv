// gsu_atom_reply: holds the atoms on other CTAs' shared memory until they can be answered. Each request has an entry, which counts its unacknowledged packets.
// When the last packet has left and the last acknowledgement has come, one answer names all lanes that left.
// Rules: ATOM-029 (an atom is performed before its answer), CLU-016, D-38, D-45, HS-024 (a dropped packet is acknowledged as well), D-70.
// No deadlock: acknowledgements are always taken, so each entry becomes free, even if requests wait for one.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_atom_reply
  import gsu_pkg::*;
#(
    parameter int unsigned Depth = 16  /// requests that wait at once, at least 2
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  sync_rsp_t   send_i,       // lanes of a request that will leave as a packet; `last`: the request has no further lanes
    input  logic        send_valid_i, // the packet leaves, only with send_space_o
    output logic        send_space_o, // the request of send_i has an entry, or an entry is free
    input  logic [11:0] here_tag_i,   // tag of a request with lanes that are refused at this SM
    output logic        here_open_o,  // that request has an entry here, so its last answer comes from here
    input  logic        here_last_i,  // pulse, only with here_open_o: the refused lanes are its last ones
    input  logic        back_valid_i, // pulse: a packet of an atom was acknowledged, or came back
    input  ack_t        back_i,
    output logic        rsp_valid_o,  // a request can be answered
    input  logic        rsp_ready_i,
    output sync_rsp_t   rsp_o,
    output logic        idle_o        // without an input nothing changes
);
  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_out_of_range
    $error("gsu_atom_reply: Depth must be a power of two from 2 on");
  end
  typedef logic [Depth-1:0] set_t;
  typedef logic [$clog2(Depth)-1:0] idx_t;

  // Fields without reset are meaningful where used_q.
  set_t        used_q, closed_q, refused_q;  // closed: the request's last lanes have left or were refused
  logic [Depth-1:0][11:0] tag_q;    // not a memory: its content decides in the same clock what is written
  logic [4:0]  cta_q[Depth];
  logic [4:0]  warp_q[Depth];
  mask_t       lanes_q[Depth];
  logic [Depth-1:0][5:0]  count_q;
  idx_t        last_q;                       // entry answered last

  set_t of_send, of_here, of_back, ready, after;
  idx_t free, pick, send_at, back_at;
  always_comb begin
    of_send = '0;
    of_here = '0;
    ready   = '0;
    if (|used_q) begin
      for (int i = 0; i < int'(Depth); i++) begin
        of_send[i] = used_q[i] && tag_q[i] == send_i.tag;
        of_here[i] = used_q[i] && tag_q[i] == here_tag_i;
        ready[i]   = used_q[i] && closed_q[i] && count_q[i] == '0;
      end
    end
  end
  always_comb begin
    of_back = '0;
    if (back_valid_i) for (int i = 0; i < int'(Depth); i++) of_back[i] = used_q[i] && tag_q[i] == back_i.tag;
    back_at = '0;
    if (back_valid_i || Eager) back_at = idx_t'(lowest_of(64'(of_back)));
  end
  always_comb begin
    free    = '0;
    send_at = '0;
    if (send_valid_i) free = idx_t'(lowest_of(64'(set_t'(~used_q))));
    if (send_valid_i || Eager) send_at = idx_t'(lowest_of(64'(of_send)));
  end
  // Answers in turn.
  always_comb begin
    after = '0;
    pick  = '0;
    if (|ready) begin
      after = ready & (~set_t'(1) << last_q);
      pick = idx_t'(lowest_of(64'(set_t'(|after ? after : ready))));
    end
  end

  logic fresh, pop;
  assign fresh        = send_valid_i && of_send == '0;
  assign pop          = rsp_valid_o && rsp_ready_i;
  assign send_space_o = of_send != '0 || used_q != '1;
  assign here_open_o  = |of_here;
  assign rsp_valid_o  = |ready;
  assign idle_o       = !send_valid_i && !back_valid_i && !here_last_i && !pop;
  always_comb begin
    rsp_o = '0;
    if (rsp_valid_o) begin
      rsp_o.cta   = cta_q[pick];
      rsp_o.warp  = warp_q[pick];
      rsp_o.tag   = tag_q[pick];
      rsp_o.lanes = lanes_q[pick];
      rsp_o.cause = refused_q[pick] ? CauseRefused : CauseDone;
      rsp_o.last  = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
      last_q <= '1;
    end else begin
      if (fresh) used_q[free] <= 1'b1;
      if (pop) begin
        used_q[pick] <= 1'b0;
        last_q       <= pick;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (back_valid_i) begin
      count_q[back_at] <= count_q[back_at] - 6'd1;
      if (back_i.refused) refused_q[back_at] <= 1'b1;
    end
    if (here_last_i) closed_q <= closed_q | of_here;
    if (fresh) begin
      tag_q[free]     <= send_i.tag;
      cta_q[free]     <= send_i.cta;
      warp_q[free]    <= send_i.warp;
      lanes_q[free]   <= send_i.lanes;
      count_q[free]   <= 6'd1;
      closed_q[free]  <= send_i.last;
      refused_q[free] <= 1'b0;
    end else if (send_valid_i) begin
      lanes_q[send_at] <= lanes_q[send_at] | send_i.lanes;
      if (!of_back[send_at]) count_q[send_at] <= count_q[send_at] + 6'd1;
      else count_q[send_at] <= count_q[send_at];  // one leaves, one is acknowledged
      if (send_i.last) closed_q[send_at] <= 1'b1;
    end
  end

  logic unused;
  assign unused = &{1'b0, send_i.value, send_i.stride, send_i.pred, send_i.cause, send_i.rsvd0, send_i.rsvd1, back_i};

  // Only for the checks.
  logic [5:0] back_count;
  assign back_count = count_q[back_at];
  `REQUIRE(SendHasSpace, !send_valid_i || send_space_o)
  `REQUIRE(AckHasItsRequest, !back_valid_i || (of_back != '0 && back_count != '0))
  `REQUIRE(LastIsOpen, !here_last_i || here_open_o)
  `REQUIRE(OpenUntilTheLast, !send_valid_i || of_send == '0 || !closed_q[send_at])
  `ASSERT(OneEntryEach, $onehot0(of_send) && $onehot0(of_here) && $onehot0(of_back))
  `ASSERT(FreeIsFree, !fresh || !used_q[free])
  `ASSERT(AnswersAfterTheLast, !rsp_valid_o || (ready[pick] && !of_back[pick]))
  `COVER(Full, send_i.lanes != '0 && !send_space_o)
  `COVER(TwoReady, |(ready & (ready - set_t'(1))))
  `COVER(LeavesAndComesBack, send_valid_i && !fresh && of_back[send_at])
  `COVER(ClosedByRefusal, here_last_i)
  `COVER(AnsweredAsRefused, pop && refused_q[pick])
endmodule
