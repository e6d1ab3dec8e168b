/// \file
/// OrderBook: for each CTA the posted operations that have been answered and not committed, and for each warp and CTA the outstanding
/// ordinary accesses. They determine what a release, fence or barrier has to wait for (rtl/doc/ordering.md; BAR-014, BWS-006, FENCE-023,
/// D-38, D-40, D-54, D-69, CLU-016, CLU-017, MBARR-014, MBDROP-014). It has no latencies: the caller decides when.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "golden/types.hpp"

namespace gsu {

/// The older operations for which a request waits.
struct OrderNeeds {
    bool own{};   ///< accesses of its warp, towards the CTA
    bool wide{};  ///< accesses and posted operations of its CTA, towards everyone
};
[[nodiscard]] OrderNeeds orderNeeds(const SyncRequest& request) noexcept;
/// The object that the commit of a fence names: {kind[15:8], scope[6:4], sem[1:0]}.
[[nodiscard]] std::uint32_t fenceObject(const SyncRequest& request) noexcept;

class OrderBook {
public:
    using Id = std::uint64_t;  ///< of a posted operation, never 0
    using Stamp =
        std::uint64_t;  ///< a point in the order of the driver's calls; 0: before all of them

    /// The time at which a request was presented, for each kind of operation that it waits for; 0: it does not wait for that kind.
    struct Since {
        Stamp own{}, wide{};
        void include(const Since& other) noexcept
        {
            own = own < other.own ? other.own : own;
            wide = wide < other.wide ? other.wide : wide;
        }
    };
    /// An operation that a request must wait for: a posted operation, or a number of accesses.
    struct Older {
        Id id{};
        std::uint32_t accesses{};
        Reach reach{};
    };
    /// The assumed order of performed accesses; the port does not say which accesses of an epoch are performed. First: assume the oldest;
    /// the follower uses it, so that it never reports a false error. Last: assume the newest; the golden port uses it, so that it never
    /// releases too early.
    enum class Performed : std::uint8_t { First, Last };

    OrderBook(unsigned sms, Performed performed) : ctas_(sms), performed_(performed) {}

    /// Records one packet: the lanes of one request that go to one object of another CTA. Asynchronous operations are not recorded, because nothing waits for
    /// them.
    [[nodiscard]] Id post(const WarpRef& source)
    {
        cta(source).posted.push_back({++last_, 0});
        return last_;
    }
    /// All lanes of operation `id` have been answered: releases that are presented from now on wait for it. Does nothing if it has committed.
    void answered(const WarpRef& source, Id id);
    /// The owner has committed or refused the last lane of operation `id`.
    void committed(const WarpRef& source, Id id);

    /// Accesses are outstanding, in the epoch that they name.
    void announce(const Accesses& accesses);
    /// Accesses are performed. Returns false if they are more than were announced in that epoch.
    [[nodiscard]] bool performed(const Accesses& accesses);
    /// Whether accesses of any warp, or of this CTA, are outstanding.
    [[nodiscard]] bool anyAccesses() const noexcept { return accesses_ != 0; }
    [[nodiscard]] std::uint32_t accesses(const WarpRef& cta) const noexcept
    {
        return ctas_[cta.sm][cta.cta].accesses;
    }

    /// The current epoch: accesses that are announced now belong to it.
    [[nodiscard]] std::uint8_t epoch(const WarpRef& at, Reach reach) const
    {
        return slot(at, reach).current;
    }
    /// A request waits, so later operations must be counted separately from older ones: closes each epoch that it waits for as soon as the
    /// other epoch is empty.
    void turn(const WarpRef& at, const Since& since);

    /// The order of a request; call it when the request is presented.
    [[nodiscard]] Since present(const SyncRequest& request) noexcept
    {
        const OrderNeeds needs = orderNeeds(request);
        if (!needs.own && !needs.wide) return {};
        ++now_;
        return {needs.own ? now_ : 0, needs.wide ? now_ : 0};
    }
    /// An operation, or accesses, for which a request of this warp must still wait; nullopt: none.
    [[nodiscard]] std::optional<Older> blocks(const WarpRef& at, const Since& since) const;

private:
    struct Posted {
        Id id{};
        Stamp answered{};  ///< 0: not yet
    };
    struct Batch {
        Stamp at{};
        std::uint32_t count{};
    };
    /// Accesses of a warp or CTA, by epoch, in the order of their announcement.
    struct Slot {
        std::array<std::vector<Batch>, 2> epochs;
        std::uint8_t current{};
    };
    struct Cta {
        std::vector<Posted> posted;  ///< ids ascend
        Slot wide;
        std::array<Slot, kMaxWarps> own;
        std::uint32_t accesses{};
    };
    [[nodiscard]] Cta& cta(const WarpRef& at) { return ctas_[at.sm][at.cta]; }
    [[nodiscard]] const Slot& slot(const WarpRef& at, Reach reach) const
    {
        const Cta& c = ctas_[at.sm][at.cta];
        return reach == Reach::Everyone ? c.wide : c.own[at.warp];
    }
    [[nodiscard]] Slot& slot(const WarpRef& at, Reach reach)
    {
        return const_cast<Slot&>(static_cast<const OrderBook&>(*this).slot(at, reach));
    }
    [[nodiscard]] static std::uint32_t before(const Slot& slot, Stamp stamp) noexcept;

    std::vector<std::array<Cta, kMaxCtas>> ctas_;
    Performed performed_;
    Id last_{};
    Stamp now_{};
    std::uint64_t accesses_{};
};

}  // namespace gsu
