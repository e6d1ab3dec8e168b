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
    SmRandom(std::uint64_t seed, unsigned group) : seed_(seed), group_(group) {}
    /// The next number of an SM's group.
    [[nodiscard]] std::uint64_t next(unsigned sm)
    {
        const unsigned group = sm / group_;
        if (group >= states_.size()) [[unlikely]]
            grow(group);
        return splitmix64(states_[group]);
    }

private:
    void grow(unsigned group)
    {
        while (group >= states_.size()) {
            std::uint64_t spread = states_.size();
            states_.push_back(states_.empty() ? seed_ : seed_ ^ splitmix64(spread));
        }
    }

    std::uint64_t seed_;
    unsigned group_;
    std::vector<std::uint64_t> states_;
};

}  // namespace gsu
