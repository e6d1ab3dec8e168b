/// For every pair of conflicting accesses of a run: is there a path of events that puts them in order?
#pragma once
#include "causality/events.hpp"

namespace gsu::causality {

struct OrderCheck {
    std::uint64_t
        pairs{};  ///< of accesses that conflict, uses behind inits, remote accesses in a CTA's life
    std::uint64_t unordered{};       ///< those that have no path
    bool complete{true};             ///< all were looked at; else the search took too long
    std::vector<Question> examples;  ///< of the unordered ones, by lines, one of each
};
/// Of a recorded run; may be called once.
[[nodiscard]] OrderCheck checkOrder(Events& events);

}  // namespace gsu::causality
