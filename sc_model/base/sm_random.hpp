/// Reproducible random numbers for the SMs of a unit, one sequence for each group of SMs. The sequence of a group does not depend on the
/// other groups, nor on the thread that runs it.
#pragma once
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace gsu {

class SmRandom {
public:
    /// Groups of `group` SMs; the first has the sequence of splitmix64 from `seed`.
    SmRandom(std::uint64_t seed, unsigned group) : seed_(seed), group_(group), first_(seed) {}
    /// The next number of an SM's group.
    [[nodiscard]] std::uint64_t next(unsigned sm) { return splitmix64(stateOf(sm)); }
    /// The state of that sequence, for splitmix64(); valid until an SM of another group is asked for.
    [[nodiscard]] std::uint64_t& stateOf(unsigned sm)
    {
        if (sm < group_) return first_;
        const unsigned group = sm / group_ - 1;
        if (group >= others_.size()) [[unlikely]]
            grow(group);
        return others_[group];
    }

private:
    void grow(unsigned group)
    {
        while (group >= others_.size()) {
            std::uint64_t spread = others_.size() + 1;
            others_.push_back(seed_ ^ splitmix64(spread));
        }
    }

    std::uint64_t seed_;
    unsigned group_;
    std::uint64_t first_;                ///< state of the first group
    std::vector<std::uint64_t> others_;  ///< of those behind it
};

}  // namespace gsu
