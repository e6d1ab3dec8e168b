/// Checks for every pair of conflicting accesses of a run whether a path of events orders them.
#pragma once
#include "causality/events.hpp"

namespace gsu::causality {

struct OrderCheck {
    std::uint64_t
        pairs{};  ///< conflicting accesses, uses after inits, remote accesses in a CTA's life
    std::uint64_t unordered{};       ///< pairs without a path
    bool complete{true};             ///< all pairs were checked; else the search took too long
    std::vector<Question> examples;  ///< unordered pairs, one for each pair of lines
};
/// Checks a recorded run; may be called once.
[[nodiscard]] OrderCheck checkOrder(Events& events);

}  // namespace gsu::causality
