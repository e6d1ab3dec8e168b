/// Counters of RTL coverage that all instances of a model share, in a build with GSU_COVERAGE. Force-included into the Verilated sources that count.
#pragma once
#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
/// The counters of the model `name`: in the file `name`.counts of the folder $GSU_COVERAGE_COUNTS, to which every process adds; without that
/// variable, in memory that nobody reads.
extern "C++" std::uint32_t* gsuCoverageCounts(const char* name, std::size_t counters);
#endif
