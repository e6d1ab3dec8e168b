/// Digests of states, so that a search need not keep the states that it has visited.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/random.hpp"

namespace gsu::litmus {

__extension__ typedef unsigned __int128 Digest;

/// A digest of a state. The bytes, eight at a time, are coefficients of a polynomial modulo the prime 2^127 - 1, at a point that is drawn
/// from the seed. Two different texts of at most n words agree at no more than n of the 2^127 points: among N states two are confused with
/// a probability below N^2 * n / 2^128. For a million states of 2 KiB that is 2^-80.
class StateDigest {
public:
    explicit StateDigest(std::uint64_t seed) noexcept
    {
        const std::uint64_t high = splitmix64(seed) >> 1;
        point_ = folded(Digest{high} << 64 | splitmix64(seed));
    }

    [[nodiscard]] Digest of(std::string_view bytes) const noexcept
    {
        Digest d = bytes.size();  // texts of different length differ in their first coefficient
        while (!bytes.empty()) {
            std::uint64_t word = 0;
            const std::size_t n = bytes.size() < 8 ? bytes.size() : 8;
            std::memcpy(&word, bytes.data(), n);
            bytes.remove_prefix(n);
            d = folded(product(d, point_) + word);
        }
        return product(d, point_);
    }

private:
    static constexpr Digest kPrime = (Digest{1} << 127) - 1;

    /// 128 bits modulo the prime: 2^127 is 1.
    static constexpr Digest folded(Digest x) noexcept
    {
        x = (x & kPrime) + (x >> 127);
        return x >= kPrime ? x - kPrime : x;
    }
    /// The product of two numbers below the prime, modulo the prime. With a = a1 * 2^64 + a0, and likewise b: 2^128 is 2.
    static constexpr Digest product(Digest a, Digest b) noexcept
    {
        const Digest a1 = a >> 64, a0 = static_cast<std::uint64_t>(a);
        const Digest b1 = b >> 64, b0 = static_cast<std::uint64_t>(b);
        const Digest middle = a1 * b0 + a0 * b1;  // times 2^64
        const Digest low = folded(((middle << 65) >> 1) + (middle >> 63));
        return folded(folded(a1 * b1 * 2 + low) + folded(a0 * b0));
    }

    Digest point_;
};

}  // namespace gsu::litmus
