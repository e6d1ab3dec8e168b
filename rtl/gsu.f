+incdir+rtl
rtl/gsu_pkg.sv
rtl/gsu_skid.sv
rtl/gsu_null_unit.sv
rtl/gsu_sm.sv
