// gsu_cluster: SMs, network and shared memories in one model, for synthesis, proofs and pin-level SystemC. Wiring only.
// The fast simulation steps the same gsu_sm and gsu_net as separate objects. Every port between them comes from a flop, so both behave the same.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_cluster
  import gsu_pkg::*;
#(
    parameter int unsigned Sms = 4,        /// SMs, at most MaxSms
    parameter int unsigned Words = 28672,  /// 64-bit words of shared memory of an SM
    parameter int unsigned Depth = 128,    /// packets in flight to one SM
    parameter int unsigned Ctas = MaxCtas,  /// as gsu_sm
    parameter int unsigned WarpSlots = MaxWarpSlots,  /// as gsu_sm
    parameter int unsigned Bars = BarsPerCta,  /// as gsu_sm
    parameter int unsigned Waits = 32,  /// as gsu_sm
    parameter int unsigned Lines = 4,  /// as gsu_sm
    parameter int unsigned PerClock = 16,  /// as gsu_sm
    parameter int unsigned Releases = 32,  /// as gsu_sm
    parameter int unsigned Answers = 16,  /// as gsu_sm
    parameter int unsigned MbarAnswers = 32,  /// as gsu_sm
    parameter int unsigned WaitAnswers = 64,  /// as gsu_sm
    parameter int unsigned Sends = 8,  /// as gsu_sm
    parameter int unsigned Receives = 32,  /// as gsu_sm
    parameter int unsigned Operands = 64,  /// as gsu_sm
    parameter int unsigned Replies = 16,  /// as gsu_sm
    parameter int unsigned Cancels = 8,  /// as gsu_sm
    parameter int unsigned Matches = 64,  /// as gsu_sm
    parameter bit          Taps = 1'b1     /// as gsu_sm
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    input  cycle_t         now_i,
    input  cfg_t           cfg_i,                 // changes only while idle_o
    input  logic           clus_valid_i,          // pulse; as gsu_net
    input  clus_cfg_t      clus_i,
    input  logic           grid_valid_i,          // as gsu_net
    output logic           grid_ready_o,
    input  grid_t          grid_i,
    output logic [MaxGrids-1:0] grid_signalled_o, // pulses per slot of the grid table
    output logic [MaxGrids-1:0] grid_complete_o,
    input  logic [Sms-1:0] req_valid_i,           // the streams and pulses of gsu_sm, one per SM
    output logic [Sms-1:0] req_ready_o,
    input  sync_req_t      req_i[Sms],
    input  logic [Sms-1:0] opnd_valid_i,
    output logic [Sms-1:0] opnd_ready_o,          // for beats of mbarrier operations
    output logic [Sms-1:0] opnd_warp_ready_o,     // for beats of match and redux
    input  opnd_beat_t     opnd_i[Sms],
    output logic [Sms-1:0] rsp_valid_o,
    output sync_rsp_t      rsp_o[Sms],
    output logic [Sms-1:0] rel_valid_o,
    output release_t       rel_o[Sms],
    output logic [Sms-1:0] dlv_valid_o,
    output deliver_t       dlv_o[Sms],
    input  logic [Sms-1:0] launch_valid_i,
    output logic [Sms-1:0] launch_ready_o,
    input  launch_t        launch_i[Sms],
    input  logic [Sms-1:0] exit_valid_i,
    output logic [Sms-1:0] exit_ready_o,
    input  exit_t          exit_i[Sms],
    output logic [Sms-1:0] exit_done_o,
    output logic [Sms-1:0][31:0] cta_free_o,
    input  logic [Sms-1:0] async_valid_i,
    output logic [Sms-1:0] async_ready_o,
    input  async_t         async_i[Sms],
    output logic [Sms-1:0] clc_req_valid_o,
    output clc_req_t       clc_req_o[Sms],
    input  logic [Sms-1:0] clc_rsp_valid_i,
    input  clc_rsp_t       clc_rsp_i[Sms],
    input  logic [Sms-1:0] snoop_valid_i,
    input  logic [Sms-1:0][17:0] snoop_addr_i,
    input  logic [Sms-1:0] wr_valid_i,
    output logic [Sms-1:0] wr_ready_o,
    output logic [Sms-1:0] wr_room_o,
    input  wr_t            wr_i[Sms],
    output logic [Sms-1:0][31:0] epoch_wide_o,
    output logic [Sms-1:0][MaxWarpSlots-1:0] epoch_own_o,
    output logic [Sms-1:0][8:0] tap_valid_o,      // {gd, nu, fe, ak, mb, cb, nb, ws, ct}
    output tap_t           tap_ct_o[Sms],
    output tap_t           tap_ws_o[Sms],
    output tap_t           tap_nb_o[Sms],
    output tap_t           tap_cb_o[Sms],
    output tap_t           tap_mb_o[Sms],
    output tap_t           tap_ak_o[Sms],
    output tap_t           tap_fe_o[Sms],
    output tap_t           tap_nu_o[Sms],
    output tap_t           tap_gd_o[Sms],
    output logic           tap_net_valid_o,
    output tap_t           tap_net_o,
    output logic           tap_net_gd_valid_o,    // of the grid table
    output tap_t           tap_net_gd_o,
    output logic           idle_o,                // every part is idle
    output cycle_t         next_event_o           // earliest deadline of the parts
);
  logic [Sms-1:0] tx_valid, tx_ready, rx_valid, rx_ready, ack_valid, ack_ready, got_valid, up_valid, up_ready, dn_valid, dn_ready, sm_idle;
  logic [Sms-1:0] gd_up_valid, gd_up_ready;
  pkt_t tx[Sms];
  pkt_t rx[Sms];
  ack_t ack[Sms];
  ack_t got[Sms];
  cb_up_t up[Sms];
  logic [MaxClusters-1:0] alive[Sms];
  cb_dn_t dn;
  grid_up_t gd_up[Sms];
  grid_dn_t gd_dn;
  logic gd_dn_valid;
  if (Sms < 1 || Sms > MaxSms || Words < 2 || Words > 32768 || Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_out_of_range
    $error("gsu_cluster: Sms must be 1..18, Words 2..32768, Depth a power of two from 2 on");
  end
  cycle_t sm_next[Sms];
  cycle_t net_next;
  logic net_idle;

  for (genvar s = 0; s < int'(Sms); s++) begin : gen_sm
    logic mem_req_valid, mem_rsp_valid;
    mem_req_t mem_req;
    logic [63:0] mem_rdata;
    logic [WarpSlots-1:0] epoch_own;
    assign epoch_own_o[s] = MaxWarpSlots'(epoch_own);
    gsu_sm #(.Ctas(Ctas), .WarpSlots(WarpSlots), .Bars(Bars), .Waits(Waits), .Lines(Lines), .PerClock(PerClock), .Releases(Releases), .Answers(Answers),
             .MbarAnswers(MbarAnswers), .WaitAnswers(WaitAnswers), .Sends(Sends), .Receives(Receives),
             .Operands(Operands), .Replies(Replies), .Cancels(Cancels), .Matches(Matches), .Packets(Depth), .Taps(Taps)) u_sm (
        .clk_i, .rst_ni, .now_i, .cfg_i,
        .req_valid_i(req_valid_i[s]), .req_ready_o(req_ready_o[s]), .req_i(req_i[s]),
        .opnd_valid_i(opnd_valid_i[s]), .opnd_ready_o(opnd_ready_o[s]), .opnd_warp_ready_o(opnd_warp_ready_o[s]), .opnd_i(opnd_i[s]),
        .rsp_valid_o(rsp_valid_o[s]), .rsp_o(rsp_o[s]),
        .rel_valid_o(rel_valid_o[s]), .rel_o(rel_o[s]), .dlv_valid_o(dlv_valid_o[s]), .dlv_o(dlv_o[s]),
        .launch_valid_i(launch_valid_i[s]), .launch_ready_o(launch_ready_o[s]), .launch_i(launch_i[s]),
        .exit_valid_i(exit_valid_i[s]), .exit_ready_o(exit_ready_o[s]), .exit_i(exit_i[s]), .exit_done_o(exit_done_o[s]),
        .cta_free_o(cta_free_o[s]),
        .async_valid_i(async_valid_i[s]), .async_ready_o(async_ready_o[s]), .async_i(async_i[s]),
        .clc_req_valid_o(clc_req_valid_o[s]), .clc_req_o(clc_req_o[s]), .clc_rsp_valid_i(clc_rsp_valid_i[s]), .clc_rsp_i(clc_rsp_i[s]),
        .mem_req_valid_o(mem_req_valid), .mem_req_o(mem_req), .mem_rsp_valid_i(mem_rsp_valid), .mem_rdata_i(mem_rdata),
        .snoop_valid_i(snoop_valid_i[s]), .snoop_addr_i(snoop_addr_i[s]),
        .tx_valid_o(tx_valid[s]), .tx_ready_i(tx_ready[s]), .tx_o(tx[s]),
        .rx_valid_i(rx_valid[s]), .rx_ready_o(rx_ready[s]), .rx_i(rx[s]),
        .ack_valid_o(ack_valid[s]), .ack_ready_i(ack_ready[s]), .ack_o(ack[s]), .ack_valid_i(got_valid[s]), .ack_i(got[s]),
        .cb_up_valid_o(up_valid[s]), .cb_up_ready_i(up_ready[s]), .cb_up_o(up[s]), .cb_alive_o(alive[s]),
        .cb_dn_valid_i(dn_valid[s]), .cb_dn_ready_o(dn_ready[s]), .cb_dn_i(dn),
        .gd_up_valid_o(gd_up_valid[s]), .gd_up_ready_i(gd_up_ready[s]), .gd_up_o(gd_up[s]), .gd_dn_valid_i(gd_dn_valid), .gd_dn_i(gd_dn),
        .wr_valid_i(wr_valid_i[s]), .wr_ready_o(wr_ready_o[s]), .wr_i(wr_i[s]), .wr_room_o(wr_room_o[s]),
        .epoch_wide_o(epoch_wide_o[s]), .epoch_own_o(epoch_own),
        .tap_ct_valid_o(tap_valid_o[s][0]), .tap_ct_o(tap_ct_o[s]),
        .tap_ws_valid_o(tap_valid_o[s][1]), .tap_ws_o(tap_ws_o[s]),
        .tap_nb_valid_o(tap_valid_o[s][2]), .tap_nb_o(tap_nb_o[s]),
        .tap_cb_valid_o(tap_valid_o[s][3]), .tap_cb_o(tap_cb_o[s]),
        .tap_mb_valid_o(tap_valid_o[s][4]), .tap_mb_o(tap_mb_o[s]),
        .tap_ak_valid_o(tap_valid_o[s][5]), .tap_ak_o(tap_ak_o[s]),
        .tap_fe_valid_o(tap_valid_o[s][6]), .tap_fe_o(tap_fe_o[s]),
        .tap_nu_valid_o(tap_valid_o[s][7]), .tap_nu_o(tap_nu_o[s]),
        .tap_gd_valid_o(tap_valid_o[s][8]), .tap_gd_o(tap_gd_o[s]),
        .idle_o(sm_idle[s]), .next_event_o(sm_next[s])
    );
    gsu_smem_model #(.Words(Words)) u_smem (
        .clk_i, .rst_ni, .now_i, .latency_i(cfg_i.smem_lat),
        .req_valid_i(mem_req_valid), .req_i(mem_req), .rsp_valid_o(mem_rsp_valid), .rdata_o(mem_rdata)
    );
  end

  gsu_net #(.Sms(Sms), .Packets(Depth)) u_net (
      .clk_i, .rst_ni, .now_i, .cfg_i, .clus_valid_i, .clus_i,
      .tx_valid_i(tx_valid), .tx_ready_o(tx_ready), .tx_i(tx),
      .rx_valid_o(rx_valid), .rx_ready_i(rx_ready), .rx_o(rx),
      .ack_valid_i(ack_valid), .ack_ready_o(ack_ready), .ack_i(ack), .ack_valid_o(got_valid), .ack_o(got),
      .cb_up_valid_i(up_valid), .cb_up_ready_o(up_ready), .cb_up_i(up), .cb_alive_i(alive),
      .cb_dn_valid_o(dn_valid), .cb_dn_ready_i(dn_ready), .cb_dn_o(dn),
      .grid_valid_i, .grid_ready_o, .grid_i, .grid_signalled_o, .grid_complete_o,
      .gd_up_valid_i(gd_up_valid), .gd_up_ready_o(gd_up_ready), .gd_up_i(gd_up), .gd_dn_valid_o(gd_dn_valid), .gd_dn_o(gd_dn),
      .tap_valid_o(tap_net_valid_o), .tap_o(tap_net_o), .tap_gd_valid_o(tap_net_gd_valid_o), .tap_gd_o(tap_net_gd_o), .idle_o(net_idle), .next_event_o(net_next)
  );

  always_comb begin
    idle_o       = net_idle && (&sm_idle);
    next_event_o = net_next;
    for (int s = 0; s < int'(Sms); s++) next_event_o = earlier(next_event_o, sm_next[s]);
  end

  `ASSERT_NEXT(IdleMeansSilent, idle_o && !(|req_valid_i) && !(|launch_valid_i) && !(|exit_valid_i) && !(|async_valid_i) && !clus_valid_i && !grid_valid_i
               && !(|snoop_valid_i) && !(|wr_valid_i) && !(|clc_rsp_valid_i) && now_i < next_event_o,
               tap_valid_o == '0 && !tap_net_valid_o && !tap_net_gd_valid_o && rsp_valid_o == '0 && rel_valid_o == '0)
  `COVER(PacketBetweenSms, |(rx_valid & ~tx_valid))
  `COVER(ClusterFlips, |dn_valid)
endmodule
