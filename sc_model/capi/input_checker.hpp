/// Checks the duties of a driver (golden/port.hpp): which CTAs, warps and lanes exist, and which requests are open. The checker knows the
/// past of one unit: its inputs and its answers. A problem is a text, empty if there is none.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "capi/convert.hpp"
#include "golden/chip_layout.hpp"
#include "golden/types.hpp"

namespace gsu::capi {

class InputChecker {
public:
    explicit InputChecker(ChipLayout chip)
        : chip_(chip), sms_(chip.sms()), clusters_(chip.networks()), grids_(clusters_.size())
    {
    }

    /// An unanswered request.
    struct Open {
        std::uint16_t tag{};
        WarpRef at{};
        Lanes lanes{};  ///< unanswered lanes
        Op op{};
        std::uint32_t id{};    ///< arg0
        std::uint32_t addr{};  ///< address of the first lane
    };
    struct Cluster {
        std::array<ClusterRoute, kMaxRanks> ranks{};
        std::uint32_t routed{}, launched{}, freed{};  ///< bit per rank
        std::uint8_t era{};                           ///< era of the cluster's launches
    };
    [[nodiscard]] unsigned sms() const noexcept { return static_cast<unsigned>(sms_.size()); }
    /// Requests of an SM without an answer, in the order in which they came.
    [[nodiscard]] const std::vector<Open>& open(unsigned sm) const noexcept
    {
        return sms_[sm].open;
    }
    /// The launch of this CTA; nullptr: not launched.
    [[nodiscard]] const Launch* launched(unsigned sm, unsigned cta) const noexcept
    {
        const Cta& slot = sms_[sm].ctas[cta];
        return slot.used ? &slot.launch : nullptr;
    }
    /// Warps of a launched CTA, bit per warp, without those that have exited.
    [[nodiscard]] Lanes liveWarps(unsigned sm, unsigned cta) const noexcept;
    [[nodiscard]] unsigned warps(unsigned sm, unsigned cta) const noexcept;
    /// The cluster in slot `slot` of the network of an SM.
    [[nodiscard]] const Cluster& cluster(unsigned sm, unsigned slot) const noexcept
    {
        return clusters_[chip_.networkOf(sm)][slot];
    }

    /// Queries of try_cancel of an SM without an answer, in the order in which they came.
    [[nodiscard]] const std::vector<CancelQuery>& queries(unsigned sm) const noexcept
    {
        return sms_[sm].queries;
    }

    // Whether an input contradicts what came before. Pre: within the structural maxima (golden/limits.hpp).
    [[nodiscard]] std::string problem(const SyncRequest& r) const;
    [[nodiscard]] std::string problem(const Launch& l) const;
    [[nodiscard]] std::string problem(const Exit& e) const;
    [[nodiscard]] std::string problem(const ClusterRoute& r) const;
    [[nodiscard]] std::string problem(const GridInput& g) const;
    [[nodiscard]] std::string problem(const AsyncUpdate& u) const;
    [[nodiscard]] std::string problem(const CancelAnswer& a) const;

    [[nodiscard]] std::string problem(const Accesses& a) const { return noWarp(a.at, 0); }
    /// Why this many more accesses cannot be outstanding.
    [[nodiscard]] std::string tooMany(const Accesses& a) const;
    /// Why this many accesses cannot be performed.
    [[nodiscard]] std::string notAnnounced(const Accesses& a) const;
    /// Why this warp has no such lanes, or why these lanes wait.
    [[nodiscard]] std::string noWarp(const WarpRef& at, Lanes lanes) const;

    // inputs that the port has taken
    void announced(const Accesses& a) { outstanding(a) += a.count; }
    void performed(const Accesses& a) { outstanding(a) -= a.count; }
    void took(const SyncRequest& r);
    void took(const Launch& l);
    void took(const Exit& e);
    void took(const ClusterRoute& r);
    void took(const GridInput& g);
    void took(const CancelAnswer& a);

    // The port reports.
    void saw(const SyncResponse& r);
    void saw(const Release& r);
    void saw(const CtaFree& f);
    void saw(const GridEvent& e, std::uint32_t network)
    {
        if (e.complete) grids_[network][e.grid] = {};
    }
    void saw(const CancelQuery& q);

private:
    struct Cta {
        bool used{};
        Launch launch{};
        std::array<Lanes, kMaxWarps> live{}, open{};
        std::array<std::array<std::uint32_t, 2>, kMaxWarps + 1>
            accesses{};  ///< outstanding accesses, by warp, last towards everyone, and by epoch
    };
    struct Sm {
        std::array<Cta, kMaxCtas> ctas{};
        std::uint64_t warpSlots{};  ///< in use
        std::vector<CancelQuery> queries;
        std::vector<Open> open;
    };

    /// A slot of a grid table.
    struct Grid {
        bool used{}, elsewhere{};
        std::uint32_t launches{};  ///< launches still to come
    };

    [[nodiscard]] const std::uint32_t& outstanding(const Accesses& a) const
    {
        const unsigned row = a.reach == Reach::Everyone ? kMaxWarps : a.at.warp;
        return sms_[a.at.sm].ctas[a.at.cta].accesses[row][a.epoch];
    }
    [[nodiscard]] std::uint32_t& outstanding(const Accesses& a)
    {
        return const_cast<std::uint32_t&>(static_cast<const InputChecker&>(*this).outstanding(a));
    }
    [[nodiscard]] Cluster& cluster(unsigned sm, unsigned slot) noexcept
    {
        return clusters_[chip_.networkOf(sm)][slot];
    }
    void close(Open& open, Lanes lanes);
    void sweep(Sm& sm);

    ChipLayout chip_;
    std::vector<Sm> sms_;
    std::vector<std::array<Cluster, kMaxClusters>> clusters_;  ///< by network
    std::vector<std::array<Grid, kMaxGrids>> grids_;           ///< likewise
};

}  // namespace gsu::capi
