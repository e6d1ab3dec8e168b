# cmake --install: program, public headers, libraries, RTL, documents, a CMake package and pkg-config files. Relocatable: nothing
# that is installed knows where it was built or where it lies.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
set(GSU_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/gsu)
set(GSU_INCLUDE ${CMAKE_INSTALL_INCLUDEDIR}/gsu)
set(GSU_DOC ${CMAKE_INSTALL_DATADIR}/doc/gsu)

# gsu_package(name EXPORT set OF targets... LINK libraries...): libgsu_<name>.a of the objects of several libraries of the build, exported as
# gsu::<name>. One archive instead of nine, and interfaces without a path of the build.
function(gsu_package name)
  cmake_parse_arguments(ARG "" "EXPORT" "OF;LINK" ${ARGN})
  set(objects "")
  foreach(target ${ARG_OF})
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
  endforeach()
  add_library(gsu_pkg_${name} STATIC ${objects})
  set_target_properties(gsu_pkg_${name} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME gsu_${name} EXPORT_NAME ${name}
    ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/package)
  target_include_directories(gsu_pkg_${name} INTERFACE $<INSTALL_INTERFACE:${GSU_INCLUDE}>)
  target_compile_features(gsu_pkg_${name} INTERFACE cxx_std_20)
  target_link_libraries(gsu_pkg_${name} INTERFACE ${ARG_LINK})
  install(TARGETS gsu_pkg_${name} EXPORT ${ARG_EXPORT} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# gsu_headers(folder names...): public headers of sc_model/<folder>, under the names they have in the tree.
function(gsu_headers folder)
  foreach(name ${ARGN})
    install(FILES ${CMAKE_SOURCE_DIR}/sc_model/${folder}/${name} DESTINATION ${GSU_INCLUDE}/${folder})
  endforeach()
endfunction()

install(TARGETS gsu RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The stand-in of the CUDA libraries, where no loader looks by itself: only `gsu exec` puts it in front of a program.
if(TARGET gsu_cuda)
  install(TARGETS gsu_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gsu/cuda)
  foreach(name ${GSU_CUDA_NAMES})
    install(FILES ${CMAKE_BINARY_DIR}/cuda/${name} DESTINATION ${CMAKE_INSTALL_LIBDIR}/gsu/cuda)
  endforeach()
endif()
target_include_directories(gsu_c INTERFACE $<INSTALL_INTERFACE:${GSU_INCLUDE}>)
set_target_properties(gsu_c PROPERTIES EXPORT_NAME c)
install(TARGETS gsu_c EXPORT gsuC LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES sc_model/capi/gsu.h sc_model/capi/gsu_state.h sc_model/capi/gsu_types.h DESTINATION ${GSU_INCLUDE})

gsu_package(golden EXPORT gsuCpp OF gsu_golden gsu_base)
set(GSU_PC_LZ4 "")
if(GSU_LZ4)  # the newer Verilator's waves; by name, so that nothing of this machine is in the package
  set(GSU_PC_LZ4 " -llz4")
endif()
gsu_package(verilated EXPORT gsuCpp LINK gsu_pkg_golden ZLIB::ZLIB Threads::Threads $<$<BOOL:${GSU_LZ4}>:lz4>
  OF gsu_verilated gsu_v_mbar_alone gsu_v_sm_rest gsu_v_sm_ck gsu_v_sm_tr gsu_v_net gsu_v_net_ck gsu_v_net_tr gsu_verilator_runtime)
gsu_package(lockstep EXPORT gsuCpp OF gsu_lockstep LINK gsu_pkg_golden)
gsu_headers(golden findings.hpp forwarding_port.hpp golden.hpp layout.gen.hpp limits.hpp mbarrier_note.hpp params.hpp port.hpp structure.hpp types.hpp word_memory.hpp)
gsu_headers(verilated rtl_port.hpp)
gsu_headers(lockstep lockstep.hpp)
set(exports gsuC gsuCpp)
if(GSU_SYSTEMC)
  find_package(SystemC 2.3.3 REQUIRED)
  gsu_package(systemc EXPORT gsuSystemc OF gsu_systemc LINK gsu_pkg_golden SystemC::systemc)
  gsu_package(systemc_pins EXPORT gsuSystemc OF gsu_systemc_pins gsu_v_cluster_sc LINK gsu_pkg_systemc gsu_pkg_verilated)
  gsu_headers(systemc cycle_time.hpp payload.hpp pin_port.hpp sync_tlm.hpp tlm_port.hpp)
  list(APPEND exports gsuSystemc)
endif()
foreach(set ${exports})
  install(EXPORT ${set} NAMESPACE gsu:: DESTINATION ${GSU_CMAKE_DIR} FILE ${set}.cmake)
endforeach()
set(package ${CMAKE_BINARY_DIR}/package)
configure_file(scripts/cmake/gsuConfig.cmake.in ${package}/gsuConfig.cmake @ONLY)
write_basic_package_version_file(${package}/gsuConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${package}/gsuConfig.cmake ${package}/gsuConfigVersion.cmake scripts/cmake/FindSystemC.cmake DESTINATION ${GSU_CMAKE_DIR})
file(RELATIVE_PATH GSU_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" GSU_PC_PREFIX "${GSU_PC_PREFIX}")
foreach(pc gsu gsu-cpp)
  configure_file(scripts/cmake/${pc}.pc.in ${package}/${pc}.pc @ONLY)
  install(FILES ${package}/${pc}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# Names in rtl/gsu.f begin with rtl/: tools that read it start in share/gsu.
install(DIRECTORY rtl/ DESTINATION ${CMAKE_INSTALL_DATADIR}/gsu/rtl FILES_MATCHING PATTERN "*.v" PATTERN "*.sv" PATTERN "*.svh" PATTERN "gsu*.f" PATTERN "gsu.core" PATTERN "Bender.yml" PATTERN "*.vlt" PATTERN "*.py"
  PATTERN formal EXCLUDE PATTERN doc EXCLUDE)
install(DIRECTORY waveforms sc_model/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/gsu)
# Documents and their pictures keep their places, so that they still find each other.
file(GLOB_RECURSE pages RELATIVE ${CMAKE_SOURCE_DIR} rtl/*.md sc_model/*.md tb/*.md tests/*.md tests/tutorials/* scripts/*.md scripts/python/studies/*.png waveforms/*.md waveforms/*.png
  waveforms/*.svg rtl/doc/*.tsv)
foreach(page README.md ${pages})
  get_filename_component(folder ${page} DIRECTORY)
  install(FILES ${page} DESTINATION ${GSU_DOC}/${folder})
endforeach()
install(FILES rtl/LICENSE rtl/NOTICE DESTINATION ${GSU_DOC}/rtl)

# What `gsu build` makes models of other structures from, as it lies in the checkout: beside the program, and in the Python package.
function(gsu_sources place)
  install(FILES CMakeLists.txt DESTINATION ${place} ${ARGN})
  install(DIRECTORY rtl DESTINATION ${place} ${ARGN} FILES_MATCHING PATTERN "*.sv" PATTERN "*.svh" PATTERN "gsu.f" PATTERN "*.vlt" PATTERN "LICENSE" PATTERN "NOTICE"
    PATTERN formal EXCLUDE PATTERN doc EXCLUDE)
  install(DIRECTORY sc_model/base sc_model/golden sc_model/verilated DESTINATION ${place}/sc_model ${ARGN})
  install(DIRECTORY scripts/cmake DESTINATION ${place}/scripts ${ARGN})
endfunction()
gsu_sources(${CMAKE_INSTALL_DATADIR}/gsu/src)
if(GSU_PYTHON)
  gsu_sources(gsu/src COMPONENT python)
endif()
