/// Random numbers, a sequence for each SM: what one SM draws depends neither on what the others do nor on who executes them.
#pragma once
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace gsu::exec {

class SmRandom {
public:
    SmRandom(std::uint64_t seed, unsigned sms)
        : states_(sms, seed * 0x9e37'79b9'7f4a'7c15ull + 1)  // SM 0 has the sequence of the seed
    {
        std::uint64_t spread = 0;
        for (unsigned sm = 1; sm < sms; ++sm) states_[sm] ^= splitmix64(spread);
    }
    [[nodiscard]] std::uint64_t next(unsigned sm) noexcept { return splitmix64(states_[sm]); }

private:
    std::vector<std::uint64_t> states_;
};

}  // namespace gsu::exec
