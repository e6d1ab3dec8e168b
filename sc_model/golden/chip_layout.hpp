/// How the SMs of a chip are divided into networks: SMs 0 to 15 in network 0, 16 to 31 in network 1, and so on; the last one may have fewer. A network has
/// cluster slots of its own, and a cluster lies in one network.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include "golden/types.hpp"

namespace gsu {

/// SMs of the largest chip.
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

/// How many clusters of `ctas` CTAs `sms` SMs hold at once, if each SM has place for `perSm` CTAs.
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

/// A number of the cluster that is unique in the chip; `slot` is the cluster slot of a CTA on SM `sm`.
[[nodiscard]] constexpr unsigned chipCluster(unsigned sm, unsigned slot) noexcept
{
    return networkOf(sm) * kMaxClusters + slot % kMaxClusters;
}
inline constexpr unsigned kMaxChipClusters = kMaxNetworks * kMaxClusters;

/// A name of a packet that is unique among those under way in the chip. Tags are unique in a network, and a packet stays in its sender's network.
[[nodiscard]] constexpr std::uint32_t packetName(unsigned sm, std::uint16_t tag) noexcept
{
    return std::uint32_t{networkOf(sm)} << 16 | tag;
}

/// A set of SMs of a chip. Visiting it takes time only for each 64 SMs of which one is in it.
class SmSet {
public:
    void add(unsigned sm) noexcept
    {
        words_[sm / 64] |= bit(sm);
        used_ |= 1u << sm / 64;
    }
    void remove(unsigned sm) noexcept
    {
        words_[sm / 64] &= ~bit(sm);
        if (words_[sm / 64] == 0) used_ &= ~(1u << sm / 64);
    }
    [[nodiscard]] bool any() const noexcept { return used_ != 0; }
    /// Visits the SMs, lowest first. An SM that is added or removed meanwhile may be visited or not.
    template <typename Visit> void each(Visit&& visit) const { eachOf(*this, *this, visit); }
    /// Visits the SMs that are in one of two sets.
    template <typename Visit> static void eachOf(const SmSet& a, const SmSet& b, Visit&& visit)
    {
        for (std::uint32_t left = a.used_ | b.used_; left != 0; left &= left - 1) {
            const auto word = static_cast<unsigned>(std::countr_zero(left));
            for (std::uint64_t rest = a.words_[word] | b.words_[word]; rest != 0; rest &= rest - 1)
                visit(64 * word + static_cast<unsigned>(std::countr_zero(rest)));
        }
    }

private:
    [[nodiscard]] static constexpr std::uint64_t bit(unsigned sm) noexcept
    {
        return std::uint64_t{1} << sm % 64;
    }
    std::uint32_t used_{};  ///< bit per word that is not 0
    std::array<std::uint64_t, (kMaxChipSms + 63) / 64> words_{};
};

}  // namespace gsu
