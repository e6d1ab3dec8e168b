/// Reproducible random numbers, a sequence for each SM: what one SM draws depends neither on what the others do nor on who executes them.
#pragma once
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace gsu {

class SmRandom {
public:
    /// SM 0 has the sequence of splitmix64 from `seed`.
    explicit SmRandom(std::uint64_t seed) : seed_(seed) {}
    [[nodiscard]] std::uint64_t next(unsigned sm)
    {
        if (sm >= states_.size()) grow(sm);
        return splitmix64(states_[sm]);
    }

private:
    void grow(unsigned sm)
    {
        while (states_.size() <= sm) {
            std::uint64_t spread = states_.size();
            states_.push_back(states_.empty() ? seed_ : seed_ ^ splitmix64(spread));
        }
    }

    std::uint64_t seed_;
    std::vector<std::uint64_t> states_;
};

}  // namespace gsu
