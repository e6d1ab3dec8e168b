/// Reproducible random draws (splitmix64): the same seed gives the same program, in every run of one build.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/random.hpp"

namespace gsu::fuzz {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    [[nodiscard]] std::uint64_t next() noexcept { return splitmix64(state_); }
    [[nodiscard]] std::uint32_t word() noexcept { return static_cast<std::uint32_t>(next() >> 32); }
    /// A number 0..n-1. Pre: n > 0.
    [[nodiscard]] std::uint32_t below(std::uint32_t n) noexcept
    {
        return static_cast<std::uint32_t>((std::uint64_t{word()} * n) >> 32);
    }
    [[nodiscard]] std::uint32_t between(std::uint32_t low, std::uint32_t high) noexcept
    {
        return low + below(high - low + 1);
    }
    [[nodiscard]] bool chance(std::uint32_t percent) noexcept { return below(100) < percent; }
    template <typename T, std::size_t N> [[nodiscard]] const T& pick(const T (&all)[N]) noexcept
    {
        return all[below(N)];
    }

private:
    std::uint64_t state_;
};

}  // namespace gsu::fuzz
