/// \file
/// OrderBook: which posted operations of each CTA have been answered and not committed, and so what a release has to wait for
/// (rtl/doc/ordering.md; D-38, D-40, D-54, CLU-016, CLU-017, MBARR-014, MBDROP-014). It states the rule; time is the caller's.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "golden/types.hpp"

namespace gsu {

/// A release towards everyone: it commits after the older posted operations of its CTA.
[[nodiscard]] bool waitsForPosted(const SyncRequest& request) noexcept;

class OrderBook {
public:
    using Id = std::uint64_t;  ///< of a posted operation, never 0
    using Stamp = std::
        uint64_t;  ///< a point in the order in which the driver sees things; 0: before everything

    explicit OrderBook(unsigned sms) : ctas_(sms) {}

    /// Lanes of one request go to one object of another CTA. Asynchronous operations are not booked: nothing waits for them.
    [[nodiscard]] Id post(const WarpRef& source)
    {
        cta(source).open[++last_] = 0;
        return last_;
    }
    /// All its lanes have been answered: releases that are presented from now on wait for it. Nothing if it has committed.
    void answered(const WarpRef& source, Id id)
    {
        const auto found = cta(source).open.find(id);
        if (found != cta(source).open.end()) found->second = ++now_;
    }
    /// Its owner has committed or refused the last of its lanes.
    void committed(const WarpRef& source, Id id) { cta(source).open.erase(id); }

    /// A release is presented now.
    [[nodiscard]] Stamp release() noexcept { return ++now_; }
    /// An operation that a release of this CTA, presented at `stamp`, must wait for.
    [[nodiscard]] std::optional<Id> blocks(const WarpRef& source, Stamp stamp) const
    {
        for (const auto& [id, answered] : ctas_[source.sm][source.cta].open)
            if (answered != 0 && answered < stamp) return id;
        return std::nullopt;
    }

private:
    struct Cta {
        std::map<Id, Stamp> open;  ///< answered when, 0: not yet
    };
    [[nodiscard]] Cta& cta(const WarpRef& at) { return ctas_[at.sm][at.cta]; }

    std::vector<std::array<Cta, kMaxCtas>> ctas_;
    Id last_{};
    Stamp now_{};
};

}  // namespace gsu
