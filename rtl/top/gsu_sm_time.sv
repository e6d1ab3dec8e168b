// gsu_sm_time: the clock number of an SM, and idle_o and next_event_o of gsu_sm, which say when clocks may be left out.
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
    input  logic   buffers_i,     // the buffers of inputs and outputs are empty
    input  logic   units_i,       // the units that are busy most often are idle
    input  logic   rest_i,        // the other units are idle
    input  cycle_t ws_next_i,     // this and the next six: earliest deadline of a unit, all ones if none
    input  cycle_t nb_next_i,
    input  cycle_t cb_next_i,
    input  cycle_t mb_next_i,
    input  cycle_t fe_next_i,
    input  cycle_t nu_next_i,
    input  cycle_t room_next_i,
    output logic   idle_o,        // no flop changes without an input or a deadline
    output cycle_t next_event_o   // with idle_o: earliest deadline, all ones if none
);
  gsu_sm_now u_now (.clk_i, .rst_ni, .now_i, .now_o);

  // Nothing that can move is in a buffer, a unit or on its way in: then this edge changes no state, and neither does the next.
  // One test after the other, from flops alone: a simulator stops at the first that fails.
  logic still;
  always_comb begin
    still = 1'b0;
    if (buffers_i) begin
      if (units_i) begin
        if (rest_i) still = 1'b1;
      end
    end
  end
  cycle_t next;  // earliest deadline, once all is still
  always_comb begin
    next = '1;
    if (still) next = earlier(earlier(earlier(nb_next_i, cb_next_i), earlier(ws_next_i, nu_next_i)), earlier(earlier(fe_next_i, room_next_i), mb_next_i));
  end
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
