/// A 64-bit mbarrier word of sm_90 (golden/mbarrier.hpp, D-22) in words.
#pragma once
#include <cstdint>
#include <string>

namespace gsu {

/// A few sentences on what the word says and what no unit leaves behind.
[[nodiscard]] std::string explainMbarWord(std::uint64_t word);

}  // namespace gsu
