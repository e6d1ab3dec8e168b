// Responses and releases: every lane is answered once, after its commit, with the values of its generation.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "lockstep/describe.hpp"
#include "lockstep/follower.hpp"

namespace gsu {

using lockstep::describe;
using lockstep::hex;

void Follower::answer(Warp& w, const Expected* expected)
{
    w.open &= ~expected->lanes;
    w.expected.erase(expected);
    --debts_;
}

/// The error of an answer to these lanes; null if it is right.
const char* Follower::wrongIn(const SyncResponse& r, const Expected& e, Warp& w)
{
    const bool cause = r.cause == e.cause || (e.orRelease && r.cause == Cause::AlreadyTrue);
    const bool others = e.parts && w.expected.find([&](const Expected& x) {
        return x.parts && x.tag == e.tag && x.lanes != e.lanes;
    }) != nullptr;
    if (r.lanes != e.lanes) return "lanes of the response differ";
    if (r.tag != e.tag) return "tag of the response differs";
    if (!cause) return "cause of the response differs";
    if (e.only && !r.last) return "the only response of a request is not marked last";
    if (e.parts && !others && !e.more && !r.last)
        return "the last response of a request is not marked last";
    if ((e.more || others) && r.last)
        return "response marked last while other lanes of its request are open";
    if (!e.parts && (r.pred != 0 || r.value != 0)) return "result of an operation without result";
    if (((r.pred ^ e.pred) & e.predMask) != 0) return "predicates differ";
    if (((r.value ^ e.value) & e.valueMask) != 0) return "value differs";
    return nullptr;
}

void Follower::onResponse(const SyncResponse& r)
{
    if (fault_) return;
    if (!known(r.at, false)) {
        fail(r.cycle, "response to a warp that is not launched", describe(r), "", "");
        return;
    }
    Warp& w = warp(r.at);
    if (mbar_.owns(r)) {
        if (const lockstep::Verdict bad = mbar_.response(r)) report(r.cycle, *bad, describe(r));
        w.open &= ~r.lanes;
        return;
    }
    const Expected* e =
        w.expected.find([&](const Expected& x) { return (x.lanes & r.lanes) != 0; });
    if (e == nullptr) {
        const bool pending =
            r.lanes != 0 && unit_.join(r.at).find(unsigned(std::countr_zero(r.lanes))) != kLanes;
        fail(r.cycle, pending ? "response before the commit" : "response to lanes that await none",
             describe(r), "", fmt::format("open lanes {:#x}", w.open));
        return;
    }
    const char* what = wrongIn(r, *e, w);
    if (what == nullptr) return answer(w, e);
    const std::string golden =
        fmt::format("lanes {:#x} tag {} cause {} pred {:#x} value {:#x} committed in cycle {}",
                    e->lanes, e->tag, nameOf(e->cause), e->pred, e->value, e->since);
    fail(r.cycle, what, describe(r), golden, "");
}

void Follower::onRelease(const Release& r)
{
    if (fault_) return;
    if (!known({r.sm, r.cta, 0}, true))
        fail(r.cycle, "release of a CTA that is not launched", describe(r), "", "");
    else if (r.cluster)
        releaseCluster(r);
    else
        releaseNamed(r);
}

/// Lanes of `due.warps` that waited for its generation continue.
void Follower::close(const WarpRef& at, const Due& due)
{
    for (Lanes rest = due.warps; rest != 0; rest &= rest - 1) {
        Warp& w = warp({at.sm, at.cta, static_cast<std::uint8_t>(std::countr_zero(rest))});
        while (const Waiting* x = w.waiting.find([&](const Waiting& v) {
            return v.cluster == due.cluster && v.id == due.id && v.generation == due.generation;
        })) {
            w.open &= ~x->lanes;
            w.waiting.erase(x);
        }
    }
}

bool Follower::releaseNamed(const Release& r)
{
    auto& dues = sms_[r.sm].due;
    const auto found = std::find_if(dues.begin(), dues.end(), [&](const Due& d) {
        return !d.cluster && d.cta == r.cta && d.id == r.id;
    });
    if (found == dues.end())
        return fail(r.cycle, "release before the completion, or twice", describe(r), "",
                    describe(unit_.named({r.sm, r.cta, 0}).at(r.id % unit_.bars())));
    const bool same = r.popc == found->popc && r.all == found->all && r.any == found->any;
    const char* what = nullptr;
    if (r.warps != found->warps)
        what = "released warps differ";
    else if (r.lanes != found->lanes)
        what = "released lanes differ";
    else if (found->hasResult && !same)
        what = "reduction results differ";
    if (what == nullptr) {
        close({r.sm, r.cta, 0}, *found);
        dues.erase(found);
        --debts_;
        return true;
    }
    const std::string golden =
        fmt::format("warps {:#x} lanes {:#x} popc {} all {:d} any {:d}", found->warps, found->lanes,
                    found->popc, found->all, found->any);
    const std::string before =
        fmt::format("generation {} completed in cycle {}", found->generation, found->since);
    return fail(r.cycle, what, describe(r), golden, before);
}

bool Follower::releaseCluster(const Release& r)
{
    if (r.lanes != ~Lanes{0})  // warps that wait there wait with every live lane (D-51)
        return fail(r.cycle, "released lanes differ", describe(r),
                    fmt::format("lanes {:#x}", ~Lanes{0}), "");
    auto& dues = sms_[r.sm].due;
    const auto found = std::find_if(dues.begin(), dues.end(),
                                    [&](const Due& d) { return d.cluster && d.cta == r.cta; });
    Lanes parked = 0;
    if (found != dues.end() && (found->warps & r.warps) != 0) {
        parked = found->warps;
        if ((parked & ~r.warps) != 0)
            return fail(r.cycle, "released warps differ", describe(r),
                        fmt::format("warps {:#x}", parked), "");
        close({r.sm, r.cta, 0}, *found);
        dues.erase(found);
        --debts_;
    }
    if (r.warps == 0) return fail(r.cycle, "release of no warp", describe(r), "", "");
    // The remaining warps can only be waits that found their generation complete (D-49).
    for (Lanes rest = r.warps & ~parked; rest != 0; rest &= rest - 1) {
        const WarpRef at{r.sm, r.cta, static_cast<std::uint8_t>(std::countr_zero(rest))};
        const Expected* e = nullptr;
        if (known(at, false))
            e = warp(at).expected.find([](const Expected& x) { return x.orRelease; });
        if (e == nullptr)
            return fail(r.cycle, "release of a warp that does not wait for a complete generation",
                        describe(r), fmt::format("warps {:#x}", parked), describe(at));
        answer(warp(at), e);
    }
    return true;
}

}  // namespace gsu
