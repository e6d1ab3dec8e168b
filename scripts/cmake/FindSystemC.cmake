# Finds Accellera SystemC 2.3.x and defines SystemC::systemc (Debian's libsystemc-dev ships no CMake package).
# The library's symbols contain the C++ standard for which it was built. Debian's have C++17, so our C++20 units declare that too.
# SystemC_ROOT or SYSTEMC_HOME names another installation.
find_path(SystemC_INCLUDE_DIR systemc HINTS ${SYSTEMC_HOME} $ENV{SYSTEMC_HOME} PATH_SUFFIXES include)
find_library(SystemC_LIBRARY systemc HINTS ${SYSTEMC_HOME} $ENV{SYSTEMC_HOME} PATH_SUFFIXES lib lib-linux64)
set(SystemC_CPLUSPLUS 201703L CACHE STRING "C++ standard the SystemC library was built for")

if(SystemC_INCLUDE_DIR AND EXISTS ${SystemC_INCLUDE_DIR}/sysc/kernel/sc_ver.h)
  set(version "")
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS ${SystemC_INCLUDE_DIR}/sysc/kernel/sc_ver.h line REGEX "define SC_VERSION_${part} ")
    string(REGEX REPLACE ".*[ \t]+([0-9]+).*" "\\1" number "${line}")
    list(APPEND version ${number})
  endforeach()
  list(JOIN version "." SystemC_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SystemC REQUIRED_VARS SystemC_LIBRARY SystemC_INCLUDE_DIR VERSION_VAR SystemC_VERSION
  REASON_FAILURE_MESSAGE "install Debian's package libsystemc-dev, set SystemC_ROOT, or configure with -DGSU_SYSTEMC=OFF")

if(SystemC_FOUND AND NOT TARGET SystemC::systemc)
  find_package(Threads REQUIRED)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION ${SystemC_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SystemC_INCLUDE_DIR}
    INTERFACE_COMPILE_DEFINITIONS SC_CPLUSPLUS=${SystemC_CPLUSPLUS}
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
mark_as_advanced(SystemC_INCLUDE_DIR SystemC_LIBRARY SystemC_CPLUSPLUS)
