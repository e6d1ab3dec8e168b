/// For every pair of conflicting accesses of a run: is there a path of ordering events between them?
#pragma once
#include "causality/events.hpp"

namespace gsu::causality {

struct Judgement {
    std::uint64_t
        pairs{};  ///< of accesses that conflict, uses behind inits, remote accesses in a CTA's life
    std::uint64_t without{};     ///< those that have no path
    bool whole{true};            ///< all were looked at; else the search took too long
    std::vector<Question> some;  ///< of them, by lines, one of each
};
/// Of the run that was written down; once.
[[nodiscard]] Judgement judge(Events& events);

}  // namespace gsu::causality
