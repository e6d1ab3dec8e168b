/// A set of bytes of a block of 128 bytes.
#pragma once
#include <array>
#include <cstdint>

namespace gsu::races {

inline constexpr unsigned kBlock = 128;  ///< bytes

class ByteSet {
public:
    constexpr ByteSet() = default;
    /// The bytes `first` to `last`, both included.
    constexpr ByteSet(unsigned first, unsigned last) noexcept
        : half_{span(first, last, 0), span(first, last, 64)}
    {
    }
    [[nodiscard]] constexpr bool empty() const noexcept { return (half_[0] | half_[1]) == 0; }
    [[nodiscard]] constexpr bool has(unsigned byte) const noexcept
    {
        return (half_[byte / 64] >> byte % 64 & 1) != 0;
    }
    [[nodiscard]] constexpr ByteSet operator&(const ByteSet& o) const noexcept
    {
        ByteSet both;
        both.half_ = {half_[0] & o.half_[0], half_[1] & o.half_[1]};
        return both;
    }
    constexpr ByteSet& operator|=(const ByteSet& o) noexcept
    {
        half_[0] |= o.half_[0];
        half_[1] |= o.half_[1];
        return *this;
    }
    [[nodiscard]] constexpr bool overlaps(const ByteSet& o) const noexcept
    {
        return ((half_[0] & o.half_[0]) | (half_[1] & o.half_[1])) != 0;
    }
    /// True if this set has all bytes of the other.
    [[nodiscard]] constexpr bool covers(const ByteSet& o) const noexcept
    {
        return ((o.half_[0] & ~half_[0]) | (o.half_[1] & ~half_[1])) == 0;
    }
    [[nodiscard]] constexpr bool operator==(const ByteSet& o) const noexcept
    {
        return half_[0] == o.half_[0] && half_[1] == o.half_[1];
    }
    /// The first byte. Pre: the set is not empty.
    [[nodiscard]] unsigned first() const noexcept
    {
        return half_[0] != 0 ? low(half_[0]) : 64 + low(half_[1]);
    }
    [[nodiscard]] unsigned last() const noexcept
    {
        return half_[1] != 0 ? 64 + high(half_[1]) : high(half_[0]);
    }

private:
    /// The bytes of `first` to `last` in the half that begins at `base`.
    static constexpr std::uint64_t span(unsigned first, unsigned last, unsigned base) noexcept
    {
        if (last < base || first >= base + 64) return 0;
        const unsigned from = first < base ? 0 : first - base,
                       to = last - base > 63 ? 63 : last - base;
        return (~0ull >> (63 - (to - from))) << from;
    }
    static unsigned low(std::uint64_t half) noexcept
    {
        return static_cast<unsigned>(__builtin_ctzll(half));
    }
    static unsigned high(std::uint64_t half) noexcept
    {
        return 63 - static_cast<unsigned>(__builtin_clzll(half));
    }

    std::array<std::uint64_t, 2> half_{};
};

}  // namespace gsu::races
