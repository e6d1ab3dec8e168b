# Named barriers, cluster barriers and network through RtlPort.
gsu_add_test(test_rtl_barriers named_barrier_test.cpp cluster_barrier_test.cpp LIBS gsu_verilated ALONE all)
