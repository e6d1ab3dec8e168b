/// Reproducible random numbers: the step function that every generator of the project uses.
#pragma once
#include <cstdint>

namespace gsu {

/// The next of 2^64 numbers (splitmix64). `state` is the generator; any state is a good seed.
[[nodiscard]] constexpr std::uint64_t splitmix64(std::uint64_t& state) noexcept
{
    std::uint64_t z = state += 0x9e37'79b9'7f4a'7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11ebull;
    return z ^ (z >> 31);
}

}  // namespace gsu
