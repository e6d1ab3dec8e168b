// gsu_sm: the sync unit of one SM. Wiring only: skid buffers, units, response and release merge.
// Rules: D-01 (taps), D-70 (bounded service), D-71 (units are independent).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_sm
  import gsu_pkg::*;
(
    input  logic       clk_i,
    input  logic       rst_ni,
    input  cycle_t     now_i,
    input  cfg_t       cfg_i,           // changes only while idle_o
    input  logic       req_valid_i,
    output logic       req_ready_o,
    input  sync_req_t  req_i,           // its operand beats have been delivered before
    input  logic       opnd_valid_i,
    output logic       opnd_ready_o,
    input  opnd_beat_t opnd_i,
    output logic       rsp_valid_o,     // pulse
    output sync_rsp_t  rsp_o,
    output logic       rel_valid_o,     // pulse
    output release_t   rel_o,
    input  logic       launch_valid_i,
    output logic       launch_ready_o,
    input  launch_t    launch_i,
    input  logic       exit_valid_i,
    output logic       exit_ready_o,
    input  exit_t      exit_i,          // these lanes have no open request
    output logic [31:0] cta_free_o,     // pulse per slot: may be launched again
    input  logic       async_valid_i,
    output logic       async_ready_o,
    input  async_t     async_i,
    output logic       mem_req_valid_o, // never refused
    output mem_req_t   mem_req_o,
    input  logic       mem_rsp_valid_i, // exactly cfg smem_lat clocks after a read
    input  logic [63:0] mem_rdata_i,
    input  logic       snoop_valid_i,   // pulse: an ordinary store hit a used word
    input  logic [17:0] snoop_addr_i,
    output logic       tx_valid_o,
    input  logic       tx_ready_i,
    output pkt_t       tx_o,
    input  logic       rx_valid_i,
    output logic       rx_ready_o,
    input  pkt_t       rx_i,
    output logic       cb_up_valid_o,
    input  logic       cb_up_ready_i,
    output cb_up_t     cb_up_o,
    input  logic       cb_dn_valid_i,
    output logic       cb_dn_ready_o,
    input  cb_dn_t     cb_dn_i,
    input  logic       wr_valid_i,      // pulse
    input  wr_t        wr_i,
    output logic       tap_ct_valid_o,  // taps: pulses, at most one commit per unit and clock
    output tap_t       tap_ct_o,
    output logic       tap_ws_valid_o,
    output tap_t       tap_ws_o,
    output logic       tap_nb_valid_o,
    output tap_t       tap_nb_o,
    output logic       tap_cb_valid_o,
    output tap_t       tap_cb_o,
    output logic       tap_mb_valid_o,
    output tap_t       tap_mb_o,
    output logic       tap_fe_valid_o,
    output tap_t       tap_fe_o,
    output logic       tap_nu_valid_o,
    output tap_t       tap_nu_o,
    output logic       idle_o,          // no flop changes without an input or a deadline
    output cycle_t     next_event_o     // earliest deadline, all ones if none
);
  logic      req_valid, req_ready, req_empty;
  sync_req_t req;
  gsu_skid #(.Width($bits(sync_req_t))) u_req_skid (
      .clk_i, .rst_ni,
      .valid_i(req_valid_i), .ready_o(req_ready_o), .data_i(req_i),
      .valid_o(req_valid), .ready_i(req_ready), .data_o(req), .empty_o(req_empty)
  );

  logic      null_rsp_valid, null_tap_valid, null_idle;
  sync_rsp_t null_rsp;
  tap_t      null_tap;
  cycle_t    null_next;
  gsu_null_unit u_null (
      .clk_i, .rst_ni, .now_i,
      .latency_i(cfg_i.null_lat),
      .req_valid_i(req_valid), .req_ready_o(req_ready), .req_i(req),
      .rsp_valid_o(null_rsp_valid), .rsp_ready_i(1'b1), .rsp_o(null_rsp),
      .tap_valid_o(null_tap_valid), .tap_o(null_tap),
      .idle_o(null_idle), .next_event_o(null_next)
  );

  // Outputs of cycle n are flops; idle is conservative by one clock.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rsp_valid_o    <= 1'b0;
      rsp_o          <= '0;
      tap_nu_valid_o <= 1'b0;
      tap_nu_o       <= '0;
      idle_o         <= 1'b0;
      next_event_o   <= '0;
    end else begin
      rsp_valid_o    <= null_rsp_valid;
      tap_nu_valid_o <= null_tap_valid;
      if (null_rsp_valid) rsp_o <= null_rsp;
      if (null_tap_valid) tap_nu_o <= null_tap;
      idle_o         <= req_empty && !req_valid_i && null_idle && !null_rsp_valid && !rsp_valid_o && !tap_nu_valid_o;
      next_event_o   <= null_next;
    end
  end

  // Units that are not here yet drive nothing.
  assign opnd_ready_o    = 1'b1;
  assign rel_valid_o     = 1'b0;
  assign rel_o           = '0;
  assign launch_ready_o  = 1'b1;
  assign exit_ready_o    = 1'b1;
  assign cta_free_o      = '0;
  assign async_ready_o   = 1'b1;
  assign mem_req_valid_o = 1'b0;
  assign mem_req_o       = '0;
  assign tx_valid_o      = 1'b0;
  assign tx_o            = '0;
  assign rx_ready_o      = 1'b1;
  assign cb_up_valid_o   = 1'b0;
  assign cb_up_o         = '0;
  assign cb_dn_ready_o   = 1'b1;
  assign tap_ct_valid_o  = 1'b0;
  assign tap_ct_o        = '0;
  assign tap_ws_valid_o  = 1'b0;
  assign tap_ws_o        = '0;
  assign tap_nb_valid_o  = 1'b0;
  assign tap_nb_o        = '0;
  assign tap_cb_valid_o  = 1'b0;
  assign tap_cb_o        = '0;
  assign tap_mb_valid_o  = 1'b0;
  assign tap_mb_o        = '0;
  assign tap_fe_valid_o  = 1'b0;
  assign tap_fe_o        = '0;
  logic unused;
  assign unused = &{1'b0, opnd_valid_i, opnd_i, launch_valid_i, launch_i, exit_valid_i, exit_i, async_valid_i, async_i, mem_rsp_valid_i,
                    mem_rdata_i, snoop_valid_i, snoop_addr_i, tx_ready_i, rx_valid_i, rx_i, cb_up_ready_i, cb_dn_valid_i, cb_dn_i, wr_valid_i, wr_i};
endmodule
