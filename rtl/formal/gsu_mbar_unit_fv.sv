// prove: name=skip engine=skip files=gsu_ram,gsu_delay,gsu_skid,gsu_order_pkg,gsu_mbar_pkg,gsu_order_wait_queue,gsu_mbar_operands,gsu_mbar_ctas,gsu_mbar_walk,gsu_mbar_async,gsu_mbar_recv,gsu_mbar_send,gsu_atom_reply,gsu_mbar_clc,gsu_mbar_agent,gsu_mbar_remote,gsu_mbar_inflight,gsu_mbar_cache,gsu_mbar_wait_slots,gsu_mbar_exec,gsu_mbar_rsp,gsu_mbar_unit
// Harness of gsu_mbar_unit: while idle_o is high, time may jump to next_event_o without a clock. All of its state is compared, including parts, buffers and
// memories.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_mbar_unit_fv
  import gsu_pkg::*;
  import gsu_order_pkg::*;
(
    input logic        clk_i,
    input logic        rst_ni,
    input cycle_t      now_i,
    input cfg_t        cfg_i,
    input logic        launch_valid_i,
    input launch_t     launch_i,
    input logic        cta_end_valid_i,
    input logic [4:0]  cta_end_cta_i,
    input mask_t       open_i,
    input order_hold_t hold_i,
    input mask_t       left_i,
    input logic [MaxWarpSlots-1:0] own_fire_i,
    input logic [MaxWarpSlots-1:0] own_turn_i,
    input mask_t       epoch_i,
    input mask_t       fire_i,
    input mask_t       turn_i,
    input logic        ack_ready_i,
    input logic        back_valid_i,
    input ack_t        back_i,
    input logic        fail_ready_i,
    input mask_t       ending_i,
    input logic        req_valid_i,
    input sync_req_t   req_i,
    input logic        opnd_valid_i,
    input opnd_beat_t  opnd_i,
    input logic        async_valid_i,
    input async_t      async_i,
    input logic        clc_rsp_valid_i,
    input clc_rsp_t    clc_rsp_i,
    input logic        mem_rsp_valid_i,
    input logic [63:0] mem_rdata_i,
    input logic        snoop_valid_i,
    input logic [17:0] snoop_addr_i,
    input logic        tx_ready_i,
    input logic        rx_valid_i,
    input pkt_t        rx_i,
    input logic        rsp_ready_i
);
  mask_t cta_quiet_o, arriving_o;
  logic wait_o, sent_o, sent_async_o, ack_valid_o, fail_valid_o;
  logic dlv_valid_o, clc_req_valid_o;
  clc_req_t clc_req_o;
  deliver_t dlv_o;
  logic [4:0] sent_cta_o;
  ack_t ack_o, fail_o;
  logic req_ready_o, opnd_ready_o, async_ready_o, mem_req_valid_o, tx_valid_o, rx_ready_o, rsp_valid_o, tap_valid_o, idle_o;
  mem_req_t mem_req_o;
  pkt_t tx_o;
  sync_rsp_t rsp_o;
  tap_t tap_o;
  cycle_t next_event_o;
  gsu_mbar_unit dut (.*);
  `FV_RESET

  (* keep *) logic fv_skip;
  assign fv_skip = rst_ni && idle_o && now_i < next_event_o && !launch_valid_i && !cta_end_valid_i && !req_valid_i && !opnd_valid_i
                   && !async_valid_i && !mem_rsp_valid_i && !snoop_valid_i && !rx_valid_i && !back_valid_i && !clc_rsp_valid_i;
endmodule
