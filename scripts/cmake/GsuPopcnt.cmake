# GSU_POPCNT: use the instruction popcnt (x86-64 since 2008). Default: where the machine that builds has it. A program or library built with it
# says so on a processor without, instead of dying (base/processor.hpp).
include(CheckCXXSourceRuns)
if(NOT DEFINED GSU_POPCNT AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"popcnt\") ? 0 : 1; }" GSU_HAS_POPCNT)
endif()
option(GSU_POPCNT "Use the processor's popcnt: not for processors of before 2008" ${GSU_HAS_POPCNT})
if(GSU_POPCNT)
  add_compile_options(-mpopcnt)
endif()
