/// \file
/// OrderBook: which posted operations of each CTA have been answered and not committed, which ordinary accesses of each warp and CTA are
/// outstanding, and so what a release, fence or barrier has to wait for (rtl/doc/ordering.md; BAR-014, BWS-006, FENCE-023, D-38, D-40, D-54,
/// D-69, CLU-016, CLU-017, MBARR-014, MBDROP-014). It states the rule; time is the caller's.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "golden/types.hpp"

namespace gsu {

/// What a request waits for if it is outstanding when the request is presented.
struct OrderNeeds {
    bool own{};   ///< accesses of its warp, towards the CTA
    bool wide{};  ///< accesses and posted operations of its CTA, towards everyone
};
[[nodiscard]] OrderNeeds orderNeeds(const SyncRequest& request) noexcept;
/// What the commit of a fence names as its object: {kind[15:8], scope[6:4], sem[1:0]}.
[[nodiscard]] std::uint32_t fenceObject(const SyncRequest& request) noexcept;

class OrderBook {
public:
    using Id = std::uint64_t;  ///< of a posted operation, never 0
    using Stamp = std::
        uint64_t;  ///< a point in the order in which the driver sees things; 0: before everything

    /// When a request was presented, as far as it waits for anything: own and wide, 0 where it does not.
    struct Since {
        Stamp own{}, wide{};
        void include(const Since& other) noexcept
        {
            own = own < other.own ? other.own : own;
            wide = wide < other.wide ? other.wide : wide;
        }
    };
    /// What a request must wait for: a posted operation, or so many accesses.
    struct Older {
        Id id{};
        std::uint32_t accesses{};
        Reach reach{};
    };
    /// Which of the accesses of an epoch are the ones that are performed: the port does not say. A checker takes those that were
    /// announced first, and so accuses nobody who is innocent; who decides takes the last ones, and so lets nobody go too early.
    enum class Performed : std::uint8_t { First, Last };

    OrderBook(unsigned sms, Performed performed) : ctas_(sms), performed_(performed) {}

    /// Lanes of one request go to one object of another CTA. Asynchronous operations are not booked: nothing waits for them.
    [[nodiscard]] Id post(const WarpRef& source)
    {
        cta(source).posted.push_back({++last_, 0});
        return last_;
    }
    /// All its lanes have been answered: releases that are presented from now on wait for it. Nothing if it has committed.
    void answered(const WarpRef& source, Id id);
    /// Its owner has committed or refused the last of its lanes.
    void committed(const WarpRef& source, Id id);

    /// Accesses are outstanding, in the epoch they name.
    void announce(const Accesses& accesses);
    /// Accesses are performed; false: more than were announced in that epoch.
    [[nodiscard]] bool performed(const Accesses& accesses);
    /// Whether accesses of any warp, or of this CTA, are outstanding.
    [[nodiscard]] bool anyAccesses() const noexcept { return accesses_ != 0; }
    [[nodiscard]] std::uint32_t accesses(const WarpRef& cta) const noexcept
    {
        return ctas_[cta.sm][cta.cta].accesses;
    }

    /// Accesses that are announced now belong to this epoch.
    [[nodiscard]] std::uint8_t epoch(const WarpRef& at, Reach reach) const
    {
        return slot(at, reach).current;
    }
    /// A request waits: what comes after it is to be told apart from what came before. Turns the epochs that it waits for, each once the
    /// other one is empty.
    void turn(const WarpRef& at, const Since& since);

    /// A request is presented now.
    [[nodiscard]] Since present(const SyncRequest& request) noexcept
    {
        const OrderNeeds needs = orderNeeds(request);
        if (!needs.own && !needs.wide) return {};
        ++now_;
        return {needs.own ? now_ : 0, needs.wide ? now_ : 0};
    }
    /// Something that a request of this warp must wait for.
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
        std::vector<Posted> posted;
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
