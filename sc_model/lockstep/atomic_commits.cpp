// atom and red on the shared memory of other CTAs: commits of their packets, and the answer of an atom.
#include <fmt/format.h>

#include <bit>
#include <utility>

#include "lockstep/describe.hpp"
#include "lockstep/mbarrier_follower.hpp"

namespace gsu::lockstep {
namespace {

std::string atomWords(const SyncRequest& r)
{
    return fmt::format("atom of {} lanes {:#x} tag {}", describe(r.at), r.lanes, r.tag);
}

}  // namespace

/// The object of an atomic is that of its lowest lane.
std::uint32_t MbarrierFollower::objectOf(const Posted& p, Lanes lanes)
{
    const std::uint32_t offset =
        isAtomic(p.request.op) ? clusterOffset(p.request.addr[lowest(lanes)]) : p.to.offset;
    return clusterAddress(p.to.rank, offset);
}

/// No object changes: the driver is notified at once, and performs the data of the lanes of this packet.
Verdict MbarrierFollower::commitAtomic(const Commit& c, const Posted& p, bool dropped)
{
    const SyncRequest& r = p.request;
    const Lanes run = c.lanes >> lowest(c.lanes);
    if ((run & (run + 1)) != 0)
        return Problem{"one packet for lanes that do not follow each other", hex(c.lanes), ""};
    if (!dropped && (c.refused || c.errs != 0)) return off("errs", "0");
    if (c.flip || c.oldWord != 0 || c.newWord != 0) return off("newWord", "0");
    sms_[c.at.sm].atomics.push_back({c.at.sm, c.at.cta, c.tag, c.cycle, dropped, c.lanes});
    if (Open* const open = sms_[r.at.sm].open.find(r.tag);
        dropped && open != nullptr && r.op == Op::Atom)
        open->dropped = true;
    return std::nullopt;
}

/// An atom is answered when all its packets have been performed or dropped, and acknowledged; with all lanes that left.
Verdict MbarrierFollower::answerAtom(const SyncResponse& r, const Open& open) const
{
    const SyncRequest& q = open.request;
    OrderBook::Id seen = 0;
    for (Lanes rest = open.open; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(rest));
        if (open.lane[i].stage != Stage::Away) continue;
        if (open.post[i] != std::exchange(seen, open.post[i]) && acks_.owed(q.at.sm, seen))
            return Problem{"atom answered before its last acknowledgement (ATOM-029)",
                           fmt::format("lane {} is owed", i), atomWords(q)};
        if ((r.lanes >> i & 1) == 0)
            return Problem{"an atom has several answers", fmt::format("lane {}", i), atomWords(q)};
    }
    const Cause want = open.dropped ? Cause::Refused : Cause::Done;
    if (r.cause != want)
        return Problem{"cause of the response differs for an atom", nameOf(want), atomWords(q)};
    if (r.pred != 0) return Problem{"predicate differs for an atom", "0", atomWords(q)};
    return std::nullopt;
}

}  // namespace gsu::lockstep
