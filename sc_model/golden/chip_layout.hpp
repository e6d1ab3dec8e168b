/// Division of the SMs of a unit into networks. A network has cluster slots of its own, and a cluster lies in one network. Up to kMaxSms
/// SMs are one network. More SMs are networks of kChipNetworkSms: SM 0 to 15 in network 0, 16 to 31 in network 1, and so on; the last
/// network may have fewer.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "golden/types.hpp"

namespace gsu {

/// Number of SMs of the largest chip.
inline constexpr unsigned kMaxChipSms = 148;

/// SMs of each network, if a chip has several.
inline constexpr unsigned kChipNetworkSms = 16;

class ChipLayout {
public:
    /// Pre: sms >= 1.
    constexpr ChipLayout(unsigned sms) noexcept  // not explicit: most units have no other layout
        : ChipLayout(sms, sms <= kMaxSms ? kMaxSms : kChipNetworkSms)
    {
    }
    /// A layout with networks of `network` SMs, 1..kMaxSms.
    constexpr ChipLayout(unsigned sms, unsigned network) noexcept : sms_(sms), network_(network) {}

    [[nodiscard]] constexpr unsigned sms() const noexcept { return sms_; }
    /// SMs of a full network.
    [[nodiscard]] constexpr unsigned network() const noexcept { return network_; }
    [[nodiscard]] constexpr unsigned networks() const noexcept
    {
        return (sms_ + network_ - 1) / network_;
    }
    [[nodiscard]] constexpr unsigned networkOf(unsigned sm) const noexcept { return sm / network_; }
    [[nodiscard]] constexpr unsigned firstOf(unsigned network) const noexcept
    {
        return network * network_;
    }
    [[nodiscard]] constexpr unsigned smsOf(unsigned network) const noexcept
    {
        return std::min(sms_ - firstOf(network), network_);
    }
    /// SMs of the largest network.
    [[nodiscard]] constexpr unsigned largest() const noexcept { return std::min(sms_, network_); }

    /// Clusters of `ctas` CTAs that the SMs hold at once, with room for `perSm` CTAs each.
    [[nodiscard]] constexpr std::uint64_t clustersHeld(std::uint64_t perSm,
                                                       unsigned ctas) const noexcept
    {
        std::uint64_t sum = 0;
        for (unsigned n = 0; n < networks(); ++n) {
            const std::uint64_t fit = perSm * smsOf(n) / ctas;
            sum += ctas > 1 && fit > kMaxClusters ? kMaxClusters : fit;
        }
        return sum;
    }
    /// Number of cluster slots of all networks: clusterOf() is less.
    [[nodiscard]] constexpr std::size_t clusterSlots() const noexcept
    {
        return std::size_t{networks()} * kMaxClusters;
    }
    /// A number for a cluster that is unique in the unit; `slot` is the cluster slot of a CTA on SM `sm`.
    [[nodiscard]] constexpr unsigned clusterOf(unsigned sm, unsigned slot) const noexcept
    {
        return networkOf(sm) * kMaxClusters + slot % kMaxClusters;
    }
    /// A name for a packet that is unique among the packets in flight in the unit. Tags are unique in a network, and a packet stays in the
    /// network of the SM that sent it.
    [[nodiscard]] constexpr std::uint32_t packetName(unsigned sm, std::uint16_t tag) const noexcept
    {
        return std::uint32_t{networkOf(sm)} << 16 | tag;
    }
    bool operator==(const ChipLayout&) const = default;

private:
    unsigned sms_, network_;
};
/// Slots of the grid table of a chip of several networks, including slot 0.
inline constexpr unsigned kChipGrids = kMaxGrids / 2;

/// A set of SMs of a chip. A visit takes time only for each group of 64 SMs that is not empty.
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
