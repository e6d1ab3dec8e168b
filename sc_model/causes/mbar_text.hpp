/// What the word of an mbarrier lacks, in the wording of causes: one sentence for a run, a replay, the C library and a dump.
#pragma once
#include <cstdint>
#include <string>

namespace gsu {

/// "NAME lacks 32 of 32 arrivals of PHASE", "NAME has 256 bytes outstanding in PHASE".
[[nodiscard]] std::string lacksOf(const std::string& name, std::uint64_t word,
                                  const std::string& phase);

}  // namespace gsu
