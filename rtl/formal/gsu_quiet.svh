// The promises of an idle unit, stated once: gsu_idle_fv.sv proves them (assert); the harness of gsu_sm, in which the unit is cut out, uses them (assume).
//   given    an input of the unit is valid         levels   inputs that are read all the time: the unit stays idle while they are stable
//   told     valid outputs of the unit             shows    outputs that follow from its flops
// Silent: idle and without an input, it has no valid output. Stays: it is still idle in the next clock, until its deadline, which is stable. Shows: stable.
`ifndef GSU_QUIET_SVH
`define GSU_QUIET_SVH
`define FV_QUIET(verb, name, idle, next, now, given, told, levels, shows) \
  `GSU_CHECK(verb, name``Silent, !(idle) || (given) || (told) == '0) \
  `GSU_CHECK(verb, name``Stays, !$past(rst_ni) || !$past((idle) && !(given) && (now) < (next)) || (given) || !$stable(levels) || (now) < $past(now) || (now) >= $past(next) \
             || ((idle) && $stable(next))) \
  `GSU_CHECK(verb, name``Shows, !$past(rst_ni) || !$past((idle) && !(given) && (now) < (next)) || $stable(shows))
`endif
