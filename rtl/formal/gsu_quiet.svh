// What an idle unit promises, stated once: gsu_idle_fv.sv proves it (assert), the harness of gsu_sm, in which the unit is left out, takes it (assume).
//   given    an input of it is valid               levels   inputs that are read all the time: it stays idle in clocks in which they stay
//   told     its outputs that say something        shows    outputs that follow from its flops
// Silent: idle and given nothing, it says nothing. Stays: it is idle in the next clock as well until its deadline, which stays. Shows: what it shows stays.
`ifndef GSU_QUIET_SVH
`define GSU_QUIET_SVH
`define FV_QUIET(verb, name, idle, next, now, given, told, levels, shows) \
  `GSU_CHECK(verb, name``Silent, !(idle) || (given) || (told) == '0) \
  `GSU_CHECK(verb, name``Stays, !$past(rst_ni) || !$past((idle) && !(given) && (now) < (next)) || (given) || !$stable(levels) || (now) < $past(now) || (now) >= $past(next) \
             || ((idle) && $stable(next))) \
  `GSU_CHECK(verb, name``Shows, !$past(rst_ni) || !$past((idle) && !(given) && (now) < (next)) || $stable(shows))
`endif
