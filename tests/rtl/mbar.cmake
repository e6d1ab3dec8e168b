# The mbarrier unit alone: its own Verilated model, driven at its ports.
gsu_verilate(gsu_v_mbar PREFIX Vgsu_mbar_unit TOP gsu_mbar_unit)
gsu_add_test(test_rtl_mbar mbar_agent_test.cpp mbar_atom_test.cpp mbar_testbench.cpp mbar_unit_test.cpp mbar_cache_test.cpp mbar_wait_test.cpp mbar_remote_test.cpp mbar_random_test.cpp
             LIBS gsu_golden gsu_v_mbar ALONE all)
