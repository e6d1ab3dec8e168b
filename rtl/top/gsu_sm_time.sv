// gsu_sm_time: the clock number of an SM, and idle_o and next_event_o of gsu_sm, which say when clocks may be skipped.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_sm_time
  import gsu_pkg::*;
(
    input  logic   clk_i,
    input  logic   rst_ni,
    input  cycle_t now_i,         // number of this clock
    output cycle_t now_o,         // the same number, from a flop
    input  logic   comes_i,       // an input of the SM is valid
    input  logic   core_still_i,  // nothing moves in gsu_sm_core
    input  cycle_t core_next_i,   // earliest deadline there, all ones if none
    input  logic   mb_idle_i,     // the same for the mbarrier unit
    input  cycle_t mb_next_i,
    output logic   idle_o,        // no flop changes without an input or a deadline
    output cycle_t next_event_o   // with idle_o: earliest deadline, all ones if none
);
  gsu_sm_now u_now (.clk_i, .rst_ni, .now_i, .now_o);

  // Buffers, units and inputs hold nothing that can move: then this edge changes no state, and neither does the next.
  logic still;
  assign still = core_still_i && mb_idle_i;
  cycle_t next;  // earliest deadline, valid while all is still
  assign next = still ? earlier(core_next_i, mb_next_i) : '1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      idle_o       <= 1'b0;
      next_event_o <= '0;
    end else begin
      idle_o       <= still && !comes_i;
      next_event_o <= next;
    end
  end

  `REQUIRE(ClockBefore, now_o == now_i || (idle_o && still && !comes_i && now_o < now_i && now_i < next_event_o))
endmodule
