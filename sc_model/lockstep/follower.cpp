#include "lockstep/follower.hpp"

#include <fmt/format.h>

#include <bit>

#include "lockstep/describe.hpp"

namespace gsu {

using lockstep::describe;
using lockstep::hex;

Follower::Follower(unsigned sms, LockstepOptions options, const Structure& structure)
    : unit_(sms, structure),
      mbar_(unit_, options.policy, options.waitLimit),
      sms_(sms),
      options_(std::move(options))
{
    mbar_.objects().onNote = options_.onNote;
    for (Sm& sm : sms_) sm.due.reserve(64);
}

bool Follower::fail(Cycle cycle, const std::string& what, const std::string& device,
                    const std::string& golden, const std::string& before)
{
    if (fault_) return false;
    std::string message = fmt::format("lockstep, cycle {}: {}", cycle, what);
    if (!device.empty()) message += "; device: " + device;
    if (!golden.empty()) message += "; golden: " + golden;
    if (!before.empty()) message += "; state before: " + before;
    fault_ = Fault{Fault::Kind::Divergence, cycle, std::move(message)};
    return false;
}

bool Follower::differ(const Commit& c, const char* field, std::uint64_t golden,
                      const std::string& request, const std::string& before)
{
    return fail(c.cycle, fmt::format("{} differs for {}", field, request), describe(c),
                fmt::format("{} {:#x}", field, golden), before);
}

void Follower::protocol(Cycle cycle, const std::string& what)
{
    if (!fault_)
        fault_ =
            Fault{Fault::Kind::Protocol, cycle, fmt::format("driver, cycle {}: {}", cycle, what)};
}

bool Follower::known(const WarpRef& at, bool anyWarp) const
{
    if (at.sm >= sms_.size() || at.cta >= unit_.structure().ctas) return false;
    const CtaEntry& entry = unit_.cta(at);
    return entry.used && (anyWarp || at.warp < entry.warps());
}

void Follower::onRequest(Cycle now, const SyncRequest& r)
{
    if (fault_) return;
    if (!known(r.at, false))
        return protocol(now, fmt::format("request of {}, which is not launched", describe(r.at)));
    Warp& w = warp(r.at);
    const Lanes gone = ~unit_.live(r.at) | w.exiting;
    if (r.lanes == 0 || (r.lanes & (w.open | gone)) != 0)
        return protocol(
            now, fmt::format("request {} of {} lanes {:#x}: open lanes {:#x}, exited lanes {:#x}",
                             nameOf(r.op), describe(r.at), r.lanes, w.open, gone));
    w.open |= r.lanes;
    if (options_.mbarriers && isMbarRequest(r)) return mbar_.present(r, now);
    const OrderBook::Since since = mbar_.order().present(r);
    const bool held = since.wide != 0 || (since.own != 0 && mbar_.order().accesses(r.at) != 0);
    w.held = held ? w.held | r.lanes : w.held & ~r.lanes;
    w.together = r.lanes;
    if (r.lanes == ~Lanes{0}) {
        w.since.fill(since);
        w.tag.fill(r.tag);
    } else
        for (Lanes rest = r.lanes; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            w.since[lane] = since;
            w.tag[lane] = r.tag;
        }
    if (r.op == Op::GdcWait) {
        w.gridWaits |= r.lanes;
        gridWaiting_ += static_cast<unsigned>(std::popcount(r.lanes));
        for (Lanes rest = r.lanes; rest != 0; rest &= rest - 1)
            w.gridSince[static_cast<unsigned>(std::countr_zero(rest))] = now;
        return;
    }
    WarpJoin& join = unit_.join(r.at);
    forParts(r, [&](const SyncRequest& part, bool more) {
        const unsigned index = join.add(part, unit_.cta(r.at).launch.threads, unit_.bars());
        join.at(index).since = now;
        join.at(index).more = more;
        w.liveSeen[index] = unit_.live(r.at);
        if (join.ready(index, unit_.live(r.at)))
            ++debts_;  // it was not before: its lanes would be open
    });
}

void Follower::onLaunch(Cycle now, const Launch& launch)
{
    if (fault_) return;
    if (!mayLaunch(launch))
        return protocol(now,
                        fmt::format("launch of grid {}, which has not started or has all its CTAs",
                                    launch.grid));
    if (!unit_.launch(launch))
        return protocol(
            now, fmt::format("launch into sm {} cta {}: slot in use, out of range or not routed",
                             launch.sm, launch.cta));
    Sm& sm = sms_[launch.sm];
    const unsigned warps = warpsOf(launch.threads);
    for (unsigned w = 0; w < warps; ++w) {
        Warp& slot = sm.warps[launch.wbase + w];
        slot.open = slot.exiting = slot.gridWaits = 0;
        slot.goneTable = slot.goneNamed = slot.goneCluster = false;
        slot.expected.clear();
        slot.waiting.clear();
    }
    sm.ctas[launch.cta] = {};
    sm.used |= Lanes{1} << launch.cta;
    sm.launches.push({launch.cta, now});
    ++debts_;
    if (launch.ctas > 1) net_[launch.cluster].completedAt = now;
}

void Follower::onExit(Cycle now, const Exit& exit)
{
    if (fault_) return;
    if (!known(exit.at, false))
        return protocol(now, fmt::format("exit of {}, which is not launched", describe(exit.at)));
    Warp& w = warp(exit.at);
    const Lanes gone = ~unit_.live(exit.at) | w.exiting;
    if (exit.lanes == 0 || (exit.lanes & (w.open | gone)) != 0)
        return protocol(now,
                        fmt::format("exit of {} lanes {:#x}: open lanes {:#x}, exited lanes {:#x}",
                                    describe(exit.at), exit.lanes, w.open, gone));
    w.exiting |= exit.lanes;
    sms_[exit.at.sm].exits.push({exit, now});
    ++debts_;
}

void Follower::onAccesses(Cycle now, const Accesses& a, bool performed)
{
    if (fault_) return;
    if (!known(a.at, false) || a.epoch > 1 || a.count == 0)
        return protocol(
            now, fmt::format("accesses of {}: not launched, no epoch or none", describe(a.at)));
    OrderBook& book = mbar_.order();
    if (!performed)
        book.announce(a);
    else if (!book.performed(a))
        protocol(now, fmt::format("more accesses of {} are performed than were announced",
                                  describe(a.at)));
}

OrderBook::Since Follower::sinceOf(const Warp& w, Lanes lanes) noexcept
{
    OrderBook::Since since;
    if ((lanes & ~w.together) == 0) lanes &= ~(lanes - 1);  // one stands for all
    for (Lanes rest = lanes; rest != 0; rest &= rest - 1)
        since.include(w.since[static_cast<unsigned>(std::countr_zero(rest))]);
    return since;
}

bool Follower::mayCommit(const Commit& c, Lanes lanes)
{
    const lockstep::Verdict bad = mbar_.mayRelease(c.at, sinceOf(warp(c.at), lanes));
    return bad ? report(c.cycle, *bad, describe(c)) : true;
}

void Follower::onCommit(const Commit& c)
{
    if (fault_) return;
    ++commits_;
    if (c.seq < nextSeq_) {
        fail(c.cycle, "sequence numbers do not rise", describe(c),
             fmt::format("at least {}", nextSeq_), "");
        return;
    }
    nextSeq_ = c.seq + 1;
    const bool wholeCta = c.unit == Unit::Cta || c.op >= Op::EvLaunch;
    // Remote and asynchronous updates name the warp they come from, and may find their CTA gone.
    const bool foreign = c.unit == Unit::Mbarrier && c.src != Src::Local && c.src != Src::Timer &&
                         c.at.sm < sms_.size() && c.at.cta < unit_.structure().ctas;
    if (c.unit != Unit::Network && !foreign && !known(c.at, wholeCta)) {
        fail(c.cycle, "commit of a warp that is not launched", describe(c), "", "");
        return;
    }
    switch (c.unit) {
        case Unit::Cta: commitCta(c); break;
        case Unit::Named: commitNamed(c); break;
        case Unit::WarpSync: commitWarpSync(c); break;
        case Unit::Cluster: commitCluster(c); break;
        case Unit::Network: commitNetwork(c); break;
        case Unit::Null: commitNull(c); break;
        case Unit::Grid: commitGrid(c); break;
        case Unit::Mbarrier: commitMbarrier(c); break;
        case Unit::Fence: c.op == Op::EvAck ? commitAck(c) : commitFence(c); break;
    }
}

bool Follower::commitAck(const Commit& c)
{
    const lockstep::Verdict bad = mbar_.acknowledged(c);
    return bad ? report(c.cycle, *bad, describe(c)) : true;
}

bool Follower::report(Cycle cycle, const lockstep::Problem& problem, const std::string& device)
{
    return fail(cycle, problem.what, device, problem.golden, problem.before);
}

bool Follower::commitMbarrier(const Commit& c)
{
    const lockstep::Verdict bad = mbar_.commit(c);
    return bad ? report(c.cycle, *bad, describe(c)) : true;
}

void Follower::onDelivered(const Delivered& d)
{
    if (fault_ || d.sm >= sms_.size()) return;
    if (const lockstep::Verdict bad = mbar_.delivered(d))
        report(d.cycle, *bad, fmt::format("data of tag {} dropped", d.tag));
}

void Follower::onCancel(const CancelQuery& q)
{
    if (fault_) return;
    if (const lockstep::Verdict bad = mbar_.asked(q))
        report(q.cycle, *bad,
               fmt::format("query of sm {} cta {} tag {} lane {} slot {}{}", q.sm, q.cta, q.tag,
                           q.lane, q.slot, q.multicast ? " multicast" : ""));
}

void Follower::onCancelAnswer(Cycle now, const CancelAnswer& a)
{
    if (!fault_ && !mbar_.answer(a, now))
        protocol(now, fmt::format("answer to no query of try_cancel: sm {} slot {}", a.sm, a.slot));
}

void Follower::onNotify(Cycle now, const AsyncUpdate& update)
{
    if (fault_) return;
    if (update.sm >= sms_.size() || update.cta >= unit_.structure().ctas)
        return protocol(now, "asynchronous completion of an SM or CTA slot that does not exist");
    mbar_.notify(update, now);
}

bool Follower::commitCta(const Commit& c)
{
    Sm& sm = sms_[c.at.sm];
    if (c.op == Op::EvLaneExit || c.op == Op::EvWarpExit) return commitTableExit(c);
    if (c.op == Op::EvCtaFree) return commitFree(c);
    if (c.op != Op::EvLaunch)
        return fail(c.cycle, "the CTA table commits no such event", describe(c), "", "");
    if (sm.launches.empty() || sm.launches.front().cta != c.at.cta)
        return fail(c.cycle, "launch out of order, twice or never given", describe(c),
                    sm.launches.empty() ? "no launch pending"
                                        : fmt::format("cta {}", sm.launches.front().cta),
                    "");
    sm.launches.pop();
    --debts_;
    return true;
}

bool Follower::commitTableExit(const Commit& c)
{
    Sm& sm = sms_[c.at.sm];
    if (sm.exits.empty())
        return fail(c.cycle, "exit that was never given, or twice", describe(c), "no exit pending",
                    "");
    const Exit exit = sm.exits.front().exit;
    if (exit.at != c.at || exit.lanes != c.lanes)
        return fail(c.cycle, "exit out of order", describe(c),
                    fmt::format("exit of {} lanes {:#x}", describe(exit.at), exit.lanes), "");
    sm.exits.pop();
    const Lanes before = unit_.live(c.at);
    debts_ -= 1 + readyGroups(c.at);
    const bool gone = unit_.exit(c.at, exit.lanes);
    if (gone != (c.op == Op::EvWarpExit))
        return fail(c.cycle, "last lane of the warp", describe(c),
                    nameOf(gone ? Op::EvWarpExit : Op::EvLaneExit),
                    fmt::format("live lanes {:#x}", before));
    Warp& w = warp(c.at);
    w.exitedAt = c.cycle;
    w.goneTable = gone;
    debts_ += readyGroups(c.at) + (gone ? 2u : 0u);  // the named and the cluster unit must see it
    return true;
}

unsigned Follower::readyGroups(const WarpRef& at)
{
    const WarpJoin& join = unit_.join(at);
    unsigned count = 0;
    for (Lanes rest = join.used(); rest != 0; rest &= rest - 1)
        count += join.ready(static_cast<unsigned>(std::countr_zero(rest)), unit_.live(at));
    return count;
}

bool Follower::commitFree(const Commit& c)
{
    const unsigned warps = unit_.cta(c.at).warps();
    if (unit_.cta(c.at).liveWarps != 0 || !unit_.gone(c.at))
        return fail(c.cycle, "CTA slot freed while its cluster has live warps", describe(c), "",
                    fmt::format("live warps {:#x}", unit_.cta(c.at).liveWarps));
    for (unsigned i = 0; i < warps; ++i) {
        const WarpRef at{c.at.sm, c.at.cta, static_cast<std::uint8_t>(i)};
        const Warp& w = warp(at);  // no lane of it is open: open lanes cannot exit
        if (!w.goneNamed || !w.goneCluster)
            return fail(c.cycle,
                        fmt::format("CTA slot freed before every unit saw the exit of warp {}", i),
                        describe(c), "", "");
    }
    Cta& slot = cta(c.at);
    if (slot.flipsDue != 0 || slot.leftDue != 0 || slot.freed)
        return fail(c.cycle, "CTA slot freed twice or with completions by exit missing",
                    describe(c), "", fmt::format("barriers {:#x}", slot.flipsDue));
    if (const std::uint32_t left = mbar_.order().accesses(c.at); left != 0)
        return fail(c.cycle, "CTA slot freed before its accesses were performed (D-41)",
                    describe(c), "", fmt::format("{} outstanding", left));
    if (const lockstep::Verdict bad = mbar_.mayFree(c.at))
        return report(c.cycle, *bad, describe(c));
    slot.freed = true;
    gridCtaEnds(c.at, c.cycle);
    return true;
}

void Follower::onCtaFree(const CtaFree& free)
{
    if (fault_) return;
    const WarpRef at{free.sm, free.cta, 0};
    if (!known(at, true) || !cta(at).freed) {
        fail(free.cycle, "CTA slot reported free without its commit", describe(at), "", "");
        return;
    }
    const Launch launch = unit_.cta(at).launch;
    mbar_.freed(launch, free.cycle);
    unit_.free(at);
    sms_[at.sm].used &= ~(Lanes{1} << at.cta);
    if (launch.ctas > 1 && unit_.slot(launch.cluster).ctas() == 0) net_[launch.cluster] = {};
}

}  // namespace gsu
