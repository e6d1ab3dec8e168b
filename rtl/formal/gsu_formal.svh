// Start of every proof harness: reset holds in the first cycle, so that `$past` and the state are defined. Later resets stay free.
// A symbolic constant is chosen in that cycle by a flop without reset: `if (!fv_started_q) who_q <= who_i;`. (An asynchronous reset to an
// input is a latch, which the engines do not treat alike.)
// A property of the harness uses the macros of gsu_assert.svh; ASSUME states an assumption of the harness about its environment.
`ifndef GSU_FORMAL_SVH
`define GSU_FORMAL_SVH
`define ASSUME(name, prop) `GSU_CHECK(assume, name, prop)
// The flags of a ring agree with its pointers: empty, full, or neither.
`define FV_RING(ring, k) \
  (ring.full_q[k] ? ring.used_q[k] && ring.wptr_q[k] == ring.rptr_q[k] : ring.used_q[k] == (ring.wptr_q[k] != ring.rptr_q[k]))
`define FV_RESET \
  logic fv_started_q = 1'b0; \
  always_ff @(posedge clk_i) fv_started_q <= 1'b1; \
  always_comb assume (fv_started_q || !rst_ni);
`endif
