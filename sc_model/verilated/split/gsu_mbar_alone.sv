// gsu_mbar_alone: the mbarrier unit of an SM as a model of its own, with the copies of time and configuration that gsu_sm gives it.
// The time comes with its inputs as well as with its clock: after clocks that were left out it needs no other for that.
// SPDX-License-Identifier: Apache-2.0
module gsu_mbar_alone
  import gsu_pkg::*;
  import gsu_order_pkg::*;
#(
    parameter int unsigned Waits = 32, Lines = 4, MbarAnswers = 32, WaitAnswers = 64, Sends = 8, Receives = 32,
    parameter int unsigned Operands = 64, Replies = 16, Cancels = 8  /// as gsu_mbar_unit
) (
    input  logic        clk_i,
    input  logic        clk_in_i,   // takes inputs, and the time
    input  logic        rst_ni,
    input  cycle_t      now_i,
    input  cfg_t        cfg_i,
    input  logic        launch_valid_i,
    input  launch_t     launch_i,
    input  logic        cta_end_valid_i,
    input  logic [4:0]  cta_end_cta_i,
    output mask_t       cta_quiet_o,
    output mask_t       arriving_o,
    input  mask_t       open_i,
    input  mask_t       left_i,
    input  order_hold_t hold_i,
    input  mask_t       epoch_i,
    input  mask_t       fire_i,
    input  mask_t       turn_i,
    input  logic [MaxWarpSlots-1:0] own_fire_i,
    input  logic [MaxWarpSlots-1:0] own_turn_i,
    output logic        wait_o,
    output logic        sent_o,
    output logic [4:0]  sent_cta_o,
    output logic        sent_async_o,
    input  mask_t       ending_i,
    input  logic        req_valid_i,
    output logic        req_ready_o,
    input  sync_req_t   req_i,
    input  logic        opnd_valid_i,
    output logic        opnd_ready_o,
    input  opnd_beat_t  opnd_i,
    input  logic        async_valid_i,
    output logic        async_ready_o,
    input  async_t      async_i,
    output logic        clc_req_valid_o,
    output clc_req_t    clc_req_o,
    input  logic        clc_rsp_valid_i,
    input  clc_rsp_t    clc_rsp_i,
    output logic        mem_req_valid_o,
    output mem_req_t    mem_req_o,
    input  logic        mem_rsp_valid_i,
    input  logic [63:0] mem_rdata_i,
    input  logic        snoop_valid_i,
    input  logic [17:0] snoop_addr_i,
    output logic        tx_valid_o,
    input  logic        tx_ready_i,
    output pkt_t        tx_o,
    input  logic        rx_valid_i,
    output logic        rx_ready_o,
    input  pkt_t        rx_i,
    output logic        ack_valid_o,
    input  logic        ack_ready_i,
    output ack_t        ack_o,
    input  logic        back_valid_i,
    input  ack_t        back_i,
    output logic        fail_valid_o,
    input  logic        fail_ready_i,
    output ack_t        fail_o,
    output logic        rsp_valid_o,
    input  logic        rsp_ready_i,
    output sync_rsp_t   rsp_o,
    output logic        dlv_valid_o,
    output deliver_t    dlv_o,
    output logic        tap_valid_o,
    output tap_t        tap_o,
    output logic        idle_o,
    output cycle_t      next_event_o
);
  // Inputs are looked at with a clock of their own: it comes, before clk_i, where one of them has changed. (What hangs on an input is evaluated in
  // every clock; on these hangs half of the unit.)
  logic                    launch_valid_q, cta_end_valid_q, req_valid_q, opnd_valid_q, async_valid_q, clc_rsp_valid_q, mem_rsp_valid_q, snoop_valid_q, tx_ready_q, rx_valid_q, ack_ready_q, back_valid_q, fail_ready_q, rsp_ready_q;
  launch_t                 launch_q;
  logic [4:0]              cta_end_cta_q;
  mask_t                   open_q, left_q, epoch_q, fire_q, turn_q, ending_q;
  order_hold_t             hold_q;
  logic [MaxWarpSlots-1:0] own_fire_q, own_turn_q;
  sync_req_t               req_q;
  opnd_beat_t              opnd_q;
  async_t                  async_q;
  clc_rsp_t                clc_rsp_q;
  logic [63:0]             mem_rdata_q;
  logic [17:0]             snoop_addr_q;
  pkt_t                    rx_q;
  ack_t                    back_q;
  always_ff @(posedge clk_in_i) begin
    open_q <= open_i;
    left_q <= left_i;
    epoch_q <= epoch_i;
    fire_q <= fire_i;
    turn_q <= turn_i;
    own_fire_q <= own_fire_i;
    own_turn_q <= own_turn_i;
    ending_q <= ending_i;
    tx_ready_q <= tx_ready_i;
    ack_ready_q <= ack_ready_i;
    fail_ready_q <= fail_ready_i;
    rsp_ready_q <= rsp_ready_i;
    if (launch_valid_i) launch_q <= launch_i;
    if (cta_end_valid_i) cta_end_cta_q <= cta_end_cta_i;
    if (req_valid_i) {hold_q, req_q} <= {hold_i, req_i};
    if (opnd_valid_i) opnd_q <= opnd_i;
    if (async_valid_i) async_q <= async_i;
    if (clc_rsp_valid_i) clc_rsp_q <= clc_rsp_i;
    if (mem_rsp_valid_i) mem_rdata_q <= mem_rdata_i;
    if (snoop_valid_i) snoop_addr_q <= snoop_addr_i;
    if (rx_valid_i) rx_q <= rx_i;
    if (back_valid_i) back_q <= back_i;
  end
  cycle_t now_q;
  always_ff @(posedge clk_in_i or posedge clk_i) begin
    now_q <= clk_in_i || !rst_ni ? now_i : now_i + cycle_t'(1);
    launch_valid_q <= clk_in_i && launch_valid_i;
    cta_end_valid_q <= clk_in_i && cta_end_valid_i;
    req_valid_q <= clk_in_i && req_valid_i;
    opnd_valid_q <= clk_in_i && opnd_valid_i;
    async_valid_q <= clk_in_i && async_valid_i;
    clc_rsp_valid_q <= clk_in_i && clc_rsp_valid_i;
    mem_rsp_valid_q <= clk_in_i && mem_rsp_valid_i;
    snoop_valid_q <= clk_in_i && snoop_valid_i;
    rx_valid_q <= clk_in_i && rx_valid_i;
    back_valid_q <= clk_in_i && back_valid_i;
  end
  cfg_t cfg_q;
  always_ff @(posedge clk_i) cfg_q <= cfg_i;
  gsu_mbar_unit #(.Waits(Waits), .Lines(Lines), .MbarAnswers(MbarAnswers), .WaitAnswers(WaitAnswers), .Sends(Sends), .Receives(Receives),
      .Operands(Operands), .Replies(Replies), .Cancels(Cancels)) u_mbar (
      .*, .now_i(now_q), .cfg_i(cfg_q),
      .launch_valid_i(launch_valid_q), .launch_i(launch_q), .cta_end_valid_i(cta_end_valid_q), .cta_end_cta_i(cta_end_cta_q), .open_i(open_q),
      .left_i(left_q), .hold_i(hold_q), .epoch_i(epoch_q), .fire_i(fire_q), .turn_i(turn_q), .own_fire_i(own_fire_q), .own_turn_i(own_turn_q),
      .ending_i(ending_q), .req_valid_i(req_valid_q), .req_i(req_q), .opnd_valid_i(opnd_valid_q), .opnd_i(opnd_q), .async_valid_i(async_valid_q),
      .async_i(async_q), .clc_rsp_valid_i(clc_rsp_valid_q), .clc_rsp_i(clc_rsp_q), .mem_rsp_valid_i(mem_rsp_valid_q), .mem_rdata_i(mem_rdata_q), .snoop_valid_i(snoop_valid_q), .snoop_addr_i(snoop_addr_q),
      .tx_ready_i(tx_ready_q), .rx_valid_i(rx_valid_q), .rx_i(rx_q), .ack_ready_i(ack_ready_q), .back_valid_i(back_valid_q), .back_i(back_q), .fail_ready_i(fail_ready_q), .rsp_ready_i(rsp_ready_q)
  );
endmodule
