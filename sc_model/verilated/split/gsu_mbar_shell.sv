// Stands for gsu_mbar_unit inside gsu_sm_rest: its outputs are inputs of that model, what it is given are outputs.
// SPDX-License-Identifier: Apache-2.0
module gsu_mbar_unit
  import gsu_pkg::*;
  import gsu_order_pkg::*;
#(
    parameter int unsigned Waits = 32, Lines = 4, MbarAnswers = 32, WaitAnswers = 64, Sends = 8, Receives = 32,
    parameter int unsigned Operands = 64, Replies = 16, Cancels = 8  /// as gsu_mbar_unit
) (
    input  logic        clk_i,
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
  // What the rest of the SM looks at.
  assign cta_quiet_o  = gsu_sm_rest.mb_cta_quiet_q;
  assign arriving_o   = gsu_sm_rest.mb_arriving_q;
  assign wait_o       = gsu_sm_rest.mb_wait_q;
  assign sent_o       = gsu_sm_rest.mb_sent_q;
  assign sent_cta_o   = gsu_sm_rest.mb_sent_cta_q;
  assign sent_async_o = gsu_sm_rest.mb_sent_async_q;
  assign req_ready_o  = gsu_sm_rest.mb_req_ready_q;
  assign fail_valid_o = gsu_sm_rest.mb_fail_valid_q;
  assign fail_o       = gsu_sm_rest.mb_fail_q;
  assign rsp_valid_o  = gsu_sm_rest.mb_rsp_valid_q;
  assign rsp_o        = gsu_sm_rest.mb_rsp_q;
  assign idle_o       = gsu_sm_rest.mb_idle_i;
  assign next_event_o = gsu_sm_rest.mb_next_event_i;
  // Ports of the SM that are only its, and its tap: nobody in the rest looks at them.
  assign tap_valid_o     = 1'b0;
  assign tap_o           = '0;
  assign opnd_ready_o    = 1'b0;
  assign async_ready_o   = 1'b0;
  assign clc_req_valid_o = 1'b0;
  assign clc_req_o       = '0;
  assign mem_req_valid_o = 1'b0;
  assign mem_req_o       = '0;
  assign tx_valid_o      = 1'b0;
  assign tx_o            = '0;
  assign rx_ready_o      = 1'b0;
  assign ack_valid_o     = 1'b0;
  assign ack_o           = '0;
  assign dlv_valid_o     = 1'b0;
  assign dlv_o           = '0;
endmodule
