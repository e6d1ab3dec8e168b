#include "exec/hangs/hang_watch.hpp"

#include <algorithm>
#include <utility>

#include "golden/op_traits.hpp"

namespace gsu::exec {

/// Whether the group can continue only if other warps act, or by an answer for which something must happen first.
bool HangWatch::stuck(const Warp& warp, const Group& group) const
{
    if (group.loop.looping && group.loop.changes == s_.progress.changes()) return true;
    switch (group.state) {
        case GroupState::Shuffling:
        case GroupState::Aligned:
        case GroupState::Parked:
        case GroupState::Columns: return true;
        case GroupState::Ready:
        case GroupState::Copies: return false;
        case GroupState::Matrix:
            return true;  // nothing is in flight, and another warp of the warpgroup is missing
        case GroupState::Waiting: break;
    }
    // A poll gets its answer and continues; a wait at a barrier does not.
    return std::all_of(warp.openTags.begin(), warp.openTags.end(), [&](std::uint16_t tag) {
        const OpenRequest& o = client_.open(warp, tag);
        const bool met = meetsLanes(o.request.op) && o.joined;
        return (o.request.lanes & group.lanes) == 0 || (o.info->splits && !met) ||
               (o.request.op == Op::GdcWait && s_.grids.before());
    });
}

bool HangWatch::nothingMoves() const
{
    if (async_.busy() || s_.pendingStores != 0 || !s_.events.empty() || launcher_.offering())
        return false;
    bool moves = false;
    residents_.each([&](const Cta& cta) {
        moves = moves || !cta.started;
        for (const Warp& w : cta.warps) {
            for (const Group& g : w.groups) moves = moves || !stuck(w, g);
        }
    });
    return !moves;
}

bool HangWatch::nothingMoves(const AsksAgain& asksAgain) const
{
    bool moves = false;
    residents_.each([&](Cta& cta) {
        moves = moves || !cta.started;
        for (Warp& w : cta.warps) {
            for (const Group& g : w.groups)
                moves = moves || !(stuck(w, g) || (suspended(w, g) && asksAgain(w, g)));
        }
    });
    return !moves;
}

/// Whether the group waits only for try_waits that have been suspended for long.
bool HangWatch::suspended(const Warp& warp, const Group& group) const
{
    if (group.state != GroupState::Waiting) return false;
    return std::all_of(warp.openTags.begin(), warp.openTags.end(), [&](std::uint16_t tag) {
        const OpenRequest& o = client_.open(warp, tag);
        return (o.request.lanes & group.lanes) == 0 || isMbarTryWait(o.request.op);
    });
}

void HangWatch::watch()
{
    const bool roused = schedulers_.takeRoused();
    if (loops_.takeSuspicion()) {
        if (!draining_) drainFrom_ = s_.now();
        draining_ = nothingMoves();
        drainChanges_ = s_.progress.changes();
    } else if (draining_ && (roused || s_.progress.changes() != drainChanges_)) {
        draining_ = nothingMoves();
    }
}

bool HangWatch::releaseHeld()
{
    const bool drained = std::exchange(draining_, false);
    // An input to the unit may have changed what a loop polls for, and nothing reports that. So each loop runs once more.
    if (const std::uint64_t acts = s_.port.acts();
        drained && s_.now() > drainFrom_ && std::exchange(lookedAfter_, acts) != acts) {
        s_.progress.again();
        return true;
    }
    // The others may wait for parked lanes. Lanes at an aligned operation wait for lanes that wait themselves: to continue without these
    // would be a misuse that the program does not do.
    bool released = false;
    residents_.each([&](Cta& cta) {
        for (Warp& w : cta.warps) released = lanes_.releaseHeld(w) || released;
    });
    if (released) s_.progress.moved();
    return released;
}

}  // namespace gsu::exec
