#include "golden/order_book.hpp"

#include <algorithm>

#include "base/by_id.hpp"
#include "golden/op_traits.hpp"

namespace gsu {

std::uint32_t fenceObject(const SyncRequest& r) noexcept
{
    return std::uint32_t{r.kind} << 8 | std::uint32_t(r.scope) << 4 | std::uint32_t(r.sem);
}

OrderNeeds orderNeeds(const SyncRequest& r) noexcept
{
    const bool release = releases(r.sem);
    const bool wide = r.scope == Scope::Cluster || r.scope == Scope::Gpu || r.scope == Scope::Sys;
    switch (r.op) {
        case Op::BarSync:
        case Op::BarArrive:
        case Op::BarRedPopc:
        case Op::BarRedAnd:
        case Op::BarRedOr:
        case Op::WarpSync: return {true, false};
        case Op::ClusterArrive:
        case Op::MbarArrive:
        case Op::MbarArriveExpectTx:
        case Op::MbarArriveDrop:
        case Op::MbarDropExpectTx:
            return {release && (wide || r.scope == Scope::Cta), release && wide};
        case Op::Fence: return {release, release && wide};
        case Op::Membar:
        case Op::TensormapCpFence: return {true, wide};
        case Op::FenceProxy: {
            // From the async proxy to the generic one only barrier state is ordered, and that has committed (FENCE-036, FENCE-037).
            const bool waits = r.sem != Sem::Acquire && r.kind != kFenceGeneric;
            return {waits, waits};
        }
        default: return {};
    }
}

void OrderBook::answered(const WarpRef& source, Id id)
{
    if (Posted* p = byId(cta(source).posted, id)) p->answered = ++now_;
}

void OrderBook::committed(const WarpRef& source, Id id)
{
    std::vector<Posted>& posted = cta(source).posted;
    if (const Posted* p = byId(posted, id)) posted.erase(posted.begin() + (p - posted.data()));
}

void OrderBook::announce(const Accesses& a)
{
    slot(a.at, a.reach).epochs[a.epoch & 1].push_back({++now_, a.count});
    cta(a.at).accesses += a.count;
    accesses_ += a.count;
}

bool OrderBook::performed(const Accesses& a)
{
    std::vector<Batch>& batches = slot(a.at, a.reach).epochs[a.epoch & 1];
    std::uint32_t left = a.count;
    std::uint32_t there = 0;
    for (const Batch& b : batches) there += b.count;
    if (there < left) return false;
    while (left != 0) {
        const auto batch =
            performed_ == Performed::First ? batches.begin() : std::prev(batches.end());
        const std::uint32_t some = std::min(left, batch->count);
        left -= some;
        batch->count -= some;
        if (batch->count == 0) batches.erase(batch);
    }
    cta(a.at).accesses -= a.count;
    accesses_ -= a.count;
    return true;
}

void OrderBook::turn(const WarpRef& at, const Since& since)
{
    const auto close = [](Slot& s) {
        if (!s.epochs[s.current].empty() && s.epochs[s.current ^ 1].empty()) s.current ^= 1;
    };
    if (since.own != 0) close(slot(at, Reach::Cta));
    if (since.wide != 0) close(slot(at, Reach::Everyone));
}

std::uint32_t OrderBook::before(const Slot& slot, Stamp stamp) noexcept
{
    std::uint32_t count = 0;
    for (const auto& batches : slot.epochs)
        for (const Batch& b : batches)
            if (b.at < stamp) count += b.count;
    return count;
}

std::optional<OrderBook::Older> OrderBook::blocks(const WarpRef& at, const Since& since) const
{
    const Cta& c = ctas_[at.sm][at.cta];
    if (since.wide != 0)
        for (const Posted& p : c.posted)
            if (p.answered != 0 && p.answered < since.wide) return Older{p.id, 0, Reach::Everyone};
    if (c.accesses == 0) return std::nullopt;
    for (const auto& [reach, stamp] :
         {std::pair{Reach::Cta, since.own}, {Reach::Everyone, since.wide}})
        if (const std::uint32_t count = stamp != 0 ? before(slot(at, reach), stamp) : 0; count != 0)
            return Older{0, count, reach};
    return std::nullopt;
}

}  // namespace gsu
