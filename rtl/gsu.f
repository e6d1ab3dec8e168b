+incdir+rtl
rtl/gsu_pkg.sv
rtl/gsu_nbar_pkg.sv
rtl/gsu_delay.sv
rtl/gsu_skid.sv
rtl/gsu_null_unit.sv
rtl/gsu_sm.sv
rtl/gsu_named_barrier.sv
