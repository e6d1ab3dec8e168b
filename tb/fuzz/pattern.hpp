/// The patterns that rounds are made of: each emits the PTX of a round and computes in plain C++ what it does to the values.
#pragma once
#include <span>
#include <string_view>

#include "fuzz/features.hpp"

namespace gsu::fuzz {

class Round;

struct Pattern {
    const char* name;
    FeatureSet needs;
    unsigned weight{4};    ///< how often it is drawn
    bool whole{};          ///< all live warps of the CTA take part
    unsigned minWarps{1};  ///< of a CTA
    bool sm80{};           ///< exists there
    void (*make)(Round&){};
    unsigned minRanks{1};  ///< CTAs of a cluster
};

[[nodiscard]] std::span<const Pattern> patterns();
/// nullptr when there is none of this name.
[[nodiscard]] const Pattern* patternOf(std::string_view name);

}  // namespace gsu::fuzz
