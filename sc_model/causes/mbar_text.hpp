/// What the word of an mbarrier lacks, in the words of causes: one sentence for a run, a replay, the C library and a dump.
#pragma once
#include <cstdint>
#include <string>

namespace gsu {

/// "NAME lacks 32 of 32 arrivals of phase 1", "NAME has 256 bytes outstanding in phase 1". `phases` have completed.
[[nodiscard]] std::string lacksOf(const std::string& name, std::uint64_t word,
                                  std::uint64_t phases);

}  // namespace gsu
