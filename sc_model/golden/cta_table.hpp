/// CTA table of one SM: live warps and lanes of each CTA slot (D-04, D-06, D-19, D-47, D-48). Value type, no latencies.
#pragma once
#include "golden/types.hpp"

namespace gsu {

/// Lanes of warp `warp` that exist in a CTA of `threads` threads; the last warp may be partial (BAR-005, D-19).
[[nodiscard]] constexpr Lanes launchedLanes(unsigned threads, unsigned warp) noexcept
{
    const unsigned first = warp * kLanes;
    if (threads <= first) return 0;
    const unsigned n = threads - first;
    return n >= kLanes ? ~Lanes{0} : (Lanes{1} << n) - 1;
}

[[nodiscard]] constexpr unsigned warpsOf(unsigned threads) noexcept
{
    return (threads + kLanes - 1) / kLanes;
}

/// Mask with a bit for each of the first `n` warps.
[[nodiscard]] constexpr Lanes firstBits(unsigned n) noexcept
{
    return n >= 32 ? ~Lanes{0} : (Lanes{1} << n) - 1;
}

struct CtaEntry {
    Launch launch{};
    bool used{};
    Lanes liveWarps{};
    std::array<Lanes, kMaxWarps> live{};  ///< live lanes per warp

    [[nodiscard]] unsigned warps() const noexcept { return warpsOf(launch.threads); }
    [[nodiscard]] Lanes launched(unsigned warp) const noexcept
    {
        return launchedLanes(launch.threads, warp);
    }
};

class CtaTable {
public:
    /// Takes the slot; false if it is in use or the launch is out of range.
    [[nodiscard]] bool launch(const Launch& launch) noexcept;
    /// Lanes exit. Returns true if they were the last lanes of the warp. Lanes that have exited before are ignored.
    bool exit(unsigned cta, unsigned warp, Lanes lanes) noexcept;
    void free(unsigned cta) noexcept { entries_[cta] = {}; }

    [[nodiscard]] const CtaEntry& at(unsigned cta) const noexcept { return entries_[cta]; }

private:
    std::array<CtaEntry, kMaxCtas> entries_{};
};

}  // namespace gsu
