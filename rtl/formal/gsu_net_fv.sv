// prove: name=skip engine=skip files=gsu_ram,gsu_rams,gsu_delay,gsu_skid,gsu_net_sources,gsu_net_route,gsu_net_links,gsu_net_acks,gsu_net_reports,gsu_net_cbar,gsu_net_grid,gsu_net
// Harness of gsu_net: while idle_o is high and no input comes, the clocks before next_event_o change no flop and no word of a memory, so the adapter leaves
// them out. The numbers of SMs and clusters, and the depths, are those of a small network: the properties of its parts do not depend on them.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_net_fv
  import gsu_pkg::*;
#(
    parameter int unsigned Sms = 2,
    parameter int unsigned Clusters = 2
) (
    input logic           clk_i,
    input logic           rst_ni,
    input cycle_t         now_i,
    input cfg_t           cfg_i,
    input logic           clus_valid_i,
    input clus_cfg_t      clus_i,
    input logic [Sms-1:0] tx_valid_i,
    input pkt_t [Sms-1:0] any_tx_i,
    input logic [Sms-1:0] rx_ready_i,
    input logic [Sms-1:0] ack_valid_i,
    input ack_t [Sms-1:0] any_ack_i,
    input logic [Sms-1:0] cb_up_valid_i,
    input cb_up_t [Sms-1:0] any_cb_up_i,
    input logic [Sms-1:0][Clusters-1:0] any_alive_i,
    input logic [Sms-1:0] cb_dn_ready_i,
    input logic           grid_valid_i,
    input grid_t          grid_i,
    input logic [Sms-1:0] gd_up_valid_i,
    input grid_up_t [Sms-1:0] any_gd_up_i
);
  logic [Sms-1:0] tx_ready_o, rx_valid_o, ack_ready_o, ack_valid_o, cb_up_ready_o, cb_dn_valid_o, gd_up_ready_o;
  pkt_t tx_i[Sms];
  pkt_t rx_o[Sms];
  ack_t ack_i[Sms];
  ack_t ack_o[Sms];
  cb_up_t cb_up_i[Sms];
  logic [Clusters-1:0] cb_alive_i[Sms];
  grid_up_t gd_up_i[Sms];
  cb_dn_t cb_dn_o;
  logic grid_ready_o, gd_dn_valid_o, tap_valid_o, tap_gd_valid_o, idle_o;
  grid_dn_t gd_dn_o;
  logic [MaxGrids-1:0] grid_signalled_o, grid_complete_o;
  tap_t tap_o, tap_gd_o;
  cycle_t next_event_o;
  for (genvar s = 0; s < int'(Sms); s++) begin : gen_in
    assign tx_i[s]       = any_tx_i[s];
    assign ack_i[s]      = any_ack_i[s];
    assign cb_up_i[s]    = any_cb_up_i[s];
    assign cb_alive_i[s] = any_alive_i[s];
    assign gd_up_i[s]    = any_gd_up_i[s];
  end
  gsu_net #(.Sms(Sms), .Clusters(Clusters), .Packets(4), .UpDepth(2), .DownDepth(2)) dut (.*);
  `FV_RESET

  `ASSUME(DrainsWhatIsThere, dut.u_links.drain_q != 2'd3 || (dut.u_links.last_out_q & ~rx_valid_o) == '0)
  `ASSUME(ConfigurationStays, cfg_i.net_bytes == dut.u_links.bytes_q)
  (* keep *) logic fv_skip;
  assign fv_skip = rst_ni && idle_o && now_i < next_event_o && !clus_valid_i && !grid_valid_i && tx_valid_i == '0 && ack_valid_i == '0 && cb_up_valid_i == '0
                   && gd_up_valid_i == '0;
endmodule
