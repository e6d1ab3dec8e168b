#include "exec/timing/scoreboard.hpp"

namespace gsu::timing {

/// Makes room for them.
void Scoreboard::name(std::span<const Register> registers)
{
    constexpr Register kRoom = 32;
    for (const Register r : registers) {
        if (r >= named_) grow(r + kRoom);
    }
}

Wait Scoreboard::readyOfMore(Wait wait, std::span<const Register> reads,
                             std::span<const Register> writes)
{
    name(reads);
    name(writes);
    return ready(wait, reads, writes);
}

}  // namespace gsu::timing
