// Checks in the one spelling that Verilator 5.006, slang and yosys read_slang all accept: boolean concurrent form.
//   ASSERT        the module's promise          ASSERT_NEXT   promise about the cycle after `ante`
//   REQUIRE       the caller's duty: assumed when the module is the formal top (GSU_FORMAL_TOP), asserted otherwise; REQUIRE_NEXT of the cycle after `ante`
//   COVER         the case really happens
`ifndef GSU_ASSERT_SVH
`define GSU_ASSERT_SVH
`define GSU_CHECK(verb, name, prop) \
  name: verb property (@(posedge clk_i) disable iff (!rst_ni) (prop));
`define ASSERT(name, prop) `GSU_CHECK(assert, name, prop)
`define COVER(name, prop) `GSU_CHECK(cover, name, prop)
`define ASSERT_NEXT(name, ante, cons) \
  `GSU_CHECK(assert, name, !$past(rst_ni) || !$past(ante) || (cons))
`ifdef GSU_FORMAL_TOP
`define REQUIRE(name, prop) `GSU_CHECK(assume, name, prop)
`else
`define REQUIRE(name, prop) `GSU_CHECK(assert, name, prop)
`endif
`define REQUIRE_NEXT(name, ante, cons) \
  `REQUIRE(name, !$past(rst_ni) || !$past(ante) || (cons))
`endif
