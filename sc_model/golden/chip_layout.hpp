/// How the SMs of a chip lie in networks: SM 0 to 15 in network 0, 16 to 31 in network 1, and so on; the last one may have fewer. A network has
/// cluster slots of its own, and a cluster lies in one.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include "golden/types.hpp"

namespace gsu {

/// SMs of the largest chip that a launch runs on.
inline constexpr unsigned kMaxChipSms = 148;

[[nodiscard]] constexpr unsigned networkOf(unsigned sm) noexcept { return sm / kMaxSms; }
[[nodiscard]] constexpr unsigned networksOf(unsigned sms) noexcept
{
    return (sms + kMaxSms - 1) / kMaxSms;
}
inline constexpr unsigned kMaxNetworks = networksOf(kMaxChipSms);
/// SMs of network `network` of a chip of `sms`.
[[nodiscard]] constexpr unsigned smsOfNetwork(unsigned network, unsigned sms) noexcept
{
    const unsigned left = sms - network * kMaxSms;
    return left < kMaxSms ? left : kMaxSms;
}

/// Clusters of `ctas` CTAs that `sms` SMs hold at once, with room for `perSm` CTAs each.
[[nodiscard]] constexpr std::uint64_t clustersHeld(unsigned sms, std::uint64_t perSm,
                                                   unsigned ctas) noexcept
{
    std::uint64_t sum = 0;
    for (unsigned n = 0; n < networksOf(sms); ++n) {
        const std::uint64_t fit = perSm * smsOfNetwork(n, sms) / ctas;
        sum += ctas > 1 && fit > kMaxClusters ? kMaxClusters : fit;
    }
    return sum;
}

/// Slots of the grid table of a chip of several networks, 0 among them.
inline constexpr unsigned kChipGrids = kMaxGrids / 2;

/// Tells clusters of all networks apart: `slot` is the cluster slot of a CTA on SM `sm`.
[[nodiscard]] constexpr unsigned chipCluster(unsigned sm, unsigned slot) noexcept
{
    return networkOf(sm) * kMaxClusters + slot % kMaxClusters;
}
inline constexpr unsigned kMaxChipClusters = kMaxNetworks * kMaxClusters;

/// Tells what is under way between the CTAs of clusters apart: a delivery names the tag, and is in the network of the SM that sent it.
[[nodiscard]] constexpr std::uint32_t packetName(unsigned sm, std::uint16_t tag) noexcept
{
    return std::uint32_t{networkOf(sm)} << 16 | tag;
}

/// A set of SMs of a chip.
class SmSet {
public:
    void add(unsigned sm) noexcept { words_[sm / 64] |= bit(sm); }
    void remove(unsigned sm) noexcept { words_[sm / 64] &= ~bit(sm); }
    [[nodiscard]] bool any() const noexcept
    {
        std::uint64_t all = 0;
        for (const std::uint64_t word : words_) all |= word;
        return all != 0;
    }
    [[nodiscard]] SmSet operator|(const SmSet& other) const noexcept
    {
        SmSet both = *this;
        for (std::size_t i = 0; i < both.words_.size(); ++i) both.words_[i] |= other.words_[i];
        return both;
    }
    /// Visits the SMs that were in it when the call began, lowest first.
    template <typename Visit> void each(Visit&& visit) const
    {
        const auto words = words_;
        for (std::size_t i = 0; i < words.size(); ++i) {
            for (std::uint64_t rest = words[i]; rest != 0; rest &= rest - 1)
                visit(static_cast<unsigned>(64 * i) + unsigned(std::countr_zero(rest)));
        }
    }

private:
    [[nodiscard]] static constexpr std::uint64_t bit(unsigned sm) noexcept
    {
        return std::uint64_t{1} << sm % 64;
    }
    std::array<std::uint64_t, (kMaxChipSms + 63) / 64> words_{};
};

}  // namespace gsu
