#include "golden/named_barrier.hpp"

#include <algorithm>
#include <bit>

#include "golden/cta_table.hpp"

namespace gsu {

namespace {

/// Largest count of a barrier (D-05). A larger count is never reached, however often warps arrive again (D-16).
constexpr std::uint32_t kMostWarps = 127;

}  // namespace

std::uint64_t wordOf(const NamedBarrier& b) noexcept
{
    if (b.mode == NamedBarrier::Mode::Idle) return 0;
    const auto saturate = [](std::uint32_t v) { return std::uint8_t(std::min(v, kMostWarps)); };
    std::uint32_t w[raw::NbWord::kWords]{};
    raw::pack(raw::NbWord{b.redops, b.any, b.all, b.popc, saturate(b.n), saturate(b.count / kLanes),
                          std::uint8_t(b.mode), b.arrived},
              w);
    return std::uint64_t{w[1]} << 32 | w[0];
}

bool nbarComplete(const NamedBarrier& b, Lanes live) noexcept
{
    switch (b.mode) {
        case NamedBarrier::Mode::Idle: break;
        case NamedBarrier::Mode::Explicit:
            return b.count / kLanes <= kMostWarps && std::uint64_t{b.n} * kLanes >= b.count;
        case NamedBarrier::Mode::Implicit:
            return b.n >= static_cast<std::uint32_t>(std::popcount(live | b.arrived));
    }
    return false;
}

namespace {

/// D-07, BAR-026, BAR-027, A-40: each arrival is judged against all earlier ones of its generation.
unsigned errorsOf(const NamedBarrier& b, const JoinGroup& a, Lanes bit, bool diverged) noexcept
{
    const bool plain = (a.lanes & ~a.redLanes) != 0;
    const bool open = b.mode != NamedBarrier::Mode::Idle;
    unsigned errs = 0;
    if (open && b.count != a.count) errs |= 1u << kNbErrCountsDiffer;
    if (a.redops != 0 && (plain || b.plain)) errs |= 1u << kNbErrMixed;
    if (plain && b.redops != 0) errs |= 1u << kNbErrMixed;
    if (a.redops != 0 && std::popcount(unsigned(b.redops | a.redops)) > 1)
        errs |= 1u << kNbErrRedOps;
    if ((b.arrived & bit) != 0) errs |= 1u << kNbErrRearrive;
    if (diverged) errs |= 1u << kNbErrDiverged;
    return errs;
}

}  // namespace

NamedNext nbarNext(NamedBarrier b, const JoinGroup& a, Lanes live, bool diverged) noexcept
{
    if (a.errs != 0) {  // both errors are reported, and the one that refuses prevails
        const unsigned both = a.errs | unsigned{diverged} << kNbErrDiverged;
        return {b, static_cast<std::uint16_t>(both), true, false, {}};
    }
    const Lanes bit = Lanes{1} << a.at.warp;
    const auto errs = static_cast<std::uint16_t>(errorsOf(b, a, bit, diverged));
    if (b.mode == NamedBarrier::Mode::Idle) {
        b = {};
        b.mode = a.arg1 == 0 ? NamedBarrier::Mode::Implicit : NamedBarrier::Mode::Explicit;
        b.count = a.count;
        b.all = true;
    }
    b.n += 1;
    b.arrived |= bit;
    if (a.waitLanes != 0) b.waiting |= bit;
    b.redops |= a.redops;
    b.plain = b.plain || (a.lanes & ~a.redLanes) != 0;
    b.popc = static_cast<std::uint16_t>(b.popc + std::popcount(a.pred));
    b.all = b.all && a.pred == a.redLanes;
    b.any = b.any || a.pred != 0;
    if (!nbarComplete(b, live)) return {b, errs, false, false, {}};
    return {{}, errs, false, true, b};
}

void NamedBarriers::launch(unsigned warps) noexcept
{
    std::fill(bars_.begin(), bars_.end(), NamedBarrier{});
    parts_.clear();
    live_ = firstBits(warps);
}

void NamedBarriers::note(unsigned id, const JoinGroup& arrival)
{
    auto at = parts_.begin();
    while (at != parts_.end() && at->warp < arrival.at.warp) ++at;
    for (auto same = at; same != parts_.end() && same->warp == arrival.at.warp; ++same)
        if (same->id == id) {
            same->lanes |= arrival.waitLanes;
            return;
        }
    parts_.insert(at, {static_cast<std::uint8_t>(id), arrival.at.warp, arrival.waitLanes});
}

NamedNext NamedBarriers::arrive(const JoinGroup& arrival, bool diverged)
{
    const std::size_t id =
        arrival.arg0 % bars_.size();  // a larger id is refused and stores nothing
    const NamedNext next = nbarNext(bars_[id], arrival, live_, diverged);
    if (!next.refused) bars_[id] = next.state;
    const bool part = diverged || arrival.waitLanes != arrival.lanes;
    if (!next.refused && part && arrival.waitLanes != 0) note(static_cast<unsigned>(id), arrival);
    return next;
}

BarMask NamedBarriers::exit(unsigned warp) noexcept
{
    live_ &= ~(Lanes{1} << warp);
    BarMask due = 0;
    for (std::size_t id = 0; id < bars_.size(); ++id)
        if (bars_[id].mode == NamedBarrier::Mode::Implicit && nbarComplete(bars_[id], live_))
            due |= BarMask{1} << id;
    return due;
}

BarMask NamedBarriers::left() const noexcept
{
    BarMask ids = 0;
    for (std::size_t id = 0; live_ == 0 && id < bars_.size(); ++id)
        ids |= BarMask{bars_[id].mode != NamedBarrier::Mode::Idle} << id;
    return ids;
}

NamedBarrier NamedBarriers::complete(unsigned id) noexcept
{
    const NamedBarrier done = bars_[id];
    bars_[id] = {};
    return done;
}

}  // namespace gsu
