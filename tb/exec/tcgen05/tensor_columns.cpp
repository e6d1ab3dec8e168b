// tcgen05.alloc, dealloc, relinquish_alloc_permit: columns of tensor memory, and waiting allocs.
#include <fmt/format.h>

#include <algorithm>

#include "exec/memory/access.hpp"
#include "exec/tcgen05/tensor_cores.hpp"

namespace gsu::exec {

/// Grants columns: the CTA's shared memory gets their address, and the warp continues.
void TensorCores::grant(const Waiter& w, const tmem::Grant& grant, bool now)
{
    Cta* cta = residents_.live(w.cta);
    if (cta == nullptr) return;
    tensorMemory(cta->launch.sm).memory.poison(grant.address.column, w.columns);
    hold(*cta, w, grant.address.column, now);
    const std::uint32_t address = grant.address.bits();
    const Place place{memory_.shared(*cta, w.destination), cta, w.destination,
                      Place::Where::Shared};
    memory_.late().beforeWrite(*cta, place, w.destination, 4);
    memory_.write(place, &address, 4);
    memory_.stored(*cta, w.destination, 4, {cta->linear, w.warp, w.lanes, w.line});
    s_.progress.changed();
    Warp& warp = cta->warps[w.warp];
    const std::uint32_t index = exec::groupOf(warp, w.lanes);
    if (index == ptx::kNone) return;
    auto& group = warp.groups[index];
    group.readyAt = std::max(group.readyAt, s_.now() + s_.ep.tmem_alloc_lat);
    if (!now) lanes_.wake(warp, group);
}

/// Serves a waiter. Returns true if the warp waits no longer. `now`: the waiter executes the instruction now.
bool TensorCores::serve(const Waiter& w, bool now)
{
    if (w.group == 2) return servePair(w, now);
    const tmem::Grant g = tensorMemory(w.cta.sm).columns.alloc(w.cta.slot, w.columns);
    if (g.outcome == tmem::Grant::Outcome::MustWait) return false;
    if (g.outcome == tmem::Grant::Outcome::Granted) grant(w, g, now);
    return true;
}

/// Serves a pair: both CTAs have asked, or it waits for the other one.
bool TensorCores::servePair(const Waiter& w, bool now)
{
    const Cta* own = residents_.live(w.cta);
    const Cta* peer = own == nullptr ? nullptr : own->cluster->ranks[own->launch.rank ^ 1u];
    if (peer == nullptr) return false;
    const auto other = std::find_if(waiters_.begin(), waiters_.end(), [&](const Waiter& o) {
        return o.group == 2 && o.cta == keyOf(*peer);
    });
    if (other == waiters_.end()) return false;
    const bool even = own->launch.rank % 2 == 0;
    const Waiter &first = even ? w : *other, &second = even ? *other : w;
    const tmem::Grant g = tmem::ColumnAllocator::allocPair(
        tensorMemory(first.cta.sm).columns, first.cta.slot, first.columns,
        tensorMemory(second.cta.sm).columns, second.cta.slot, second.columns);
    if (g.outcome == tmem::Grant::Outcome::MustWait) return false;
    if (g.outcome == tmem::Grant::Outcome::Refused) {
        s_.findings.add(
            {tmem::textOf(g.refusal.rule).id, Severity::Error,
             fmt::format("{} ({})", tmem::textOf(g.refusal.rule).statement, g.refusal.text),
             own->linear, w.warp, w.lanes, w.line, s_.now()});
        return false;  // both wait for what never comes
    }
    const Waiter waiting = *other;
    waiters_.erase(other);
    grant(w, g, now);
    grant(waiting, g, false);
    return true;
}

void TensorCores::serveWaiters()
{
    retriedAt_ = s_.resources.columnsFreed;
    for (std::size_t i = 0; i < waiters_.size();) {
        const Waiter w = waiters_[i];
        const std::size_t before = waiters_.size();
        if (!serve(w, false)) {
            ++i;
            continue;
        }
        std::erase_if(waiters_, [&](const Waiter& o) {
            return o.cta == w.cta && o.warp == w.warp && o.lanes == w.lanes;
        });
        if (waiters_.size() + 1 < before) i = 0;  // and the other CTA's
    }
}

void TensorCores::alloc(Ctx& x, const MicroOp& op, Lanes lanes)
{
    const Tcgen05Info& info = s_.program.tcgen05s[op.extra];
    checkWarp(x, op, lanes, "tcgen05.alloc", {info.descriptor, op.a});
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::uint64_t address = addressOf(x, op, lane);
    const Place place = access(x, op.space, address, 4, lane, "tcgen05.alloc");
    if (place.bytes == nullptr) return;
    if (place.owner != x.cta)
        return faultLane(x, lane, "GEN-002",
                         "tcgen05.alloc: the address is not in shared memory of its CTA",
                         TrapKind::AddressSpace);
    const Group group = groupOf(x, op, lanes, info.group);
    if (group.count == 0) return;
    memory_.late().settle(x, lane, place, address, 4);
    CtaSide& side = sideOf(*x.cta);
    side.line = op.line;
    const Waiter w{keyOf(*x.cta),
                   x.warp->index,
                   x.group->lanes,
                   info.group,
                   static_cast<std::uint32_t>(x.src(info.descriptor)[lane]),
                   place.offset,
                   op.line,
                   s_.now()};
    if (auto problem = tensorMemory(w.cta.sm).columns.problemOfAlloc(w.cta.slot, w.columns))
        return refuse(x, op, lanes, *problem);
    if (serve(w, true)) return;
    waiters_.push_back(w);
    x.group->state = GroupState::Columns;
    x.group->line = op.line;
}

void TensorCores::dealloc(Ctx& x, const MicroOp& op, Lanes lanes)
{
    const Tcgen05Info& info = s_.program.tcgen05s[op.extra];
    checkWarp(x, op, lanes, "tcgen05.dealloc", {op.a, info.descriptor});
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    Cta& cta = *x.cta;
    cta.tensor = true;
    tmem::ColumnAllocator& columns = tensorMemory(cta.launch.sm).columns;
    if (auto problem = columns.useGroup(cta.launch.cta, info.group)) report(x, op.line, *problem);
    const Given given{static_cast<std::uint32_t>(x.src(op.a)[lane]),
                      static_cast<unsigned>(x.src(info.descriptor)[lane])};
    if (auto problem = columns.dealloc(cta.launch.cta, given.address, given.columns))
        return refuse(x, op, lanes, *problem);
    CtaSide& side = sideOf(cta);
    const unsigned first = tmem::Address::of(given.address).column;
    if (const TensorOp* user = side.order.user(first, given.columns))
        report(x, op.line, "TC5-088",
               fmt::format("gives back columns that the {} of {} uses: {}", user->name(),
                           s_.module.lineText(user->line),
                           user->onCore() ? "no wait has found a later commit"
                                          : "it is still in flight"));
    side.order.forget(first, given.columns);
    release(cta, first);
    if (info.group == 2) {
        side.givenBack.push_back(given);
        const Cta* peer = cta.cluster->ranks[cta.launch.rank ^ 1u];
        const auto other = peer == nullptr ? ctas_.end() : ctas_.find(peer->serial);
        const std::size_t at = side.givenBack.size() - 1;
        if (other != ctas_.end() && at < other->second.givenBack.size() &&
            other->second.givenBack[at] != given)
            report(x, op.line,
                   {tmem::Rule::PairDiffers,
                    fmt::format("{} columns at 0x{:x} here, {} at 0x{:x} in the other CTA",
                                given.columns, given.address, other->second.givenBack[at].columns,
                                other->second.givenBack[at].address)});
    }
    ++s_.resources.columnsFreed;
    retry();
}

void TensorCores::relinquish(Ctx& x, const MicroOp& op, Lanes lanes)
{
    const Tcgen05Info& info = s_.program.tcgen05s[op.extra];
    checkWarp(x, op, lanes, "tcgen05.relinquish_alloc_permit", {});
    x.cta->tensor = true;
    tmem::ColumnAllocator& columns = tensorMemory(x.cta->launch.sm).columns;
    if (auto problem = columns.useGroup(x.cta->launch.cta, info.group))
        report(x, op.line, *problem);
    columns.relinquish(x.cta->launch.cta);
}

}  // namespace gsu::exec
