/// The patterns of rounds: each emits the PTX of a round and computes in plain C++ its effect on the values.
#pragma once
#include <span>
#include <string_view>

#include "fuzz/features.hpp"

namespace gsu::fuzz {

class Round;

struct Pattern {
    const char* name;
    FeatureSet needs;
    unsigned weight{4};    ///< relative frequency
    bool whole{};          ///< all live warps of the CTA take part
    unsigned minWarps{1};  ///< warps of a CTA
    bool sm80{};           ///< exists on sm_80
    void (*make)(Round&){};
    unsigned minRanks{1};  ///< CTAs of a cluster
};

[[nodiscard]] std::span<const Pattern> patterns();
/// The pattern of this name, or nullptr.
[[nodiscard]] const Pattern* patternOf(std::string_view name);

}  // namespace gsu::fuzz
