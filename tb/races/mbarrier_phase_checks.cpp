#include "races/mbarrier_phase_checks.hpp"

#include <fmt/format.h>

#include "golden/op_traits.hpp"

namespace gsu::races {
namespace {

/// Whether the time is reached by any kind of order.
bool reachedSomehow(const Knowledge& k, std::uint32_t cta, std::uint32_t key, Lanes lanes, Time t)
{
    return k.all.reached(cta, key, lanes, t) || k.weak.reached(cta, key, lanes, t) ||
           k.unread.reached(cta, key, lanes, t) || k.inits.reached(cta, key, lanes, t);
}

}  // namespace

void MbarrierPhaseChecks::uses(Mbarrier& object, const CtaState& by, const SyncRequest& r,
                               Lanes lanes)
{
    Use& use = object.uses[{by.number, r.at.warp}];
    use.times.raise(lanes, by.warps[r.at.warp].now());
    use.lanes |= lanes;
    // An inval is told what came before it.
    if (use.line == 0 || r.op != Op::MbarInval) use.line = r.source;
}

bool MbarrierPhaseChecks::knowsPhase(const Knowledge& k, const Mbarrier& object,
                                     const CtaState& owner, Time phase) const
{
    return reachedSomehow(k, owner.number, keyOfPhase(object.offset), 1, phase);
}

/// Whether the phase before the running one is known to be complete: a thread saw it, or every arrival of it is known.
bool MbarrierPhaseChecks::knowsLast(const Threads& threads, Lanes lanes, const Mbarrier& object,
                                    const CtaState& owner) const
{
    if (object.phase <= object.first) return true;
    const Knowledge k = threads.known(lanes);
    return knowsPhase(k, object, owner, object.phase - 1) ||
           (!object.lastHadBytes && k.all.covers(object.lastArrivals));
}

void MbarrierPhaseChecks::expects(Mbarrier& object, const CtaState& owner, const Commit& c,
                                  std::uint32_t line)
{
    const Threads* threads = state_.threads(c.at);
    if (threads == nullptr || c.lanes == 0) return;
    object.expected.push_back({owner.number, c.at.warp, c.lanes, threads->now(), line});
    if (knowsLast(*threads, c.lanes, object, owner)) return;
    findings_.rule({.rule = "HS-013",
                    .severity = Severity::Error,
                    .message = fmt::format(
                        "nothing orders this expect_tx after phase {} of the mbarrier at {}, which "
                        "has completed: its bytes may be meant for that phase, and arrivals "
                        "did not wait for them",
                        object.phase - 1 - object.first, object.offset),
                    .cta = owner.linear,
                    .warp = c.at.warp,
                    .lanes = c.lanes,
                    .line = line,
                    .cycle = c.cycle});
}

void MbarrierPhaseChecks::completes(Mbarrier& object, const CtaState& owner, const Commit& c)
{
    Clock arrivals = object.near.all;
    arrivals.join(object.far.all);
    Clock relaxed = object.near.weak;
    relaxed.join(object.far.weak);
    const auto followed = [&](const Stamp& e) {
        const std::uint32_t key = keyOf(Line::Threads, e.warp);
        return arrivals.reached(e.cta, key, e.lanes & (0u - e.lanes), e.time) ||
               relaxed.reached(e.cta, key, e.lanes & (0u - e.lanes), e.time);
    };
    const auto& all = object.expected;
    if (!all.empty() && !object.announced && std::none_of(all.begin(), all.end(), followed)) {
        const Stamp& e = all.front();
        findings_.rule({.rule = "HS-013",
                        .severity = Severity::Error,
                        .message = fmt::format(
                            "no arrival of phase {} of the mbarrier at {} is ordered after this "
                            "expect_tx: the phase may complete before it, without the bytes",
                            object.phase - object.first, object.offset),
                        .cta = owner.linear,
                        .warp = e.warp,
                        .lanes = e.lanes,
                        .line = e.line,
                        .cycle = c.cycle});
    }
    object.lastArrivals = std::move(arrivals);
    object.lastHadBytes = object.hasBytes;
    object.expected.clear();
    object.announced = object.hasBytes = false;
}

void MbarrierPhaseChecks::waits(const Mbarrier& object, const CtaState& owner, const SyncRequest& r,
                                Lanes lanes)
{
    if (object.phase < object.first + 3) return;
    const auto lead = static_cast<unsigned>(__builtin_ctz(lanes));
    // The last completed phase with this parity.
    Time phase = object.phase - 1;
    if (((phase - object.first) & 1) != (r.data[lead] & 1)) --phase;
    if (phase < object.first + 2) return;
    for (const Threads::Part& part : owner.warps[r.at.warp].parts()) {
        if ((part.lanes & lanes) == 0 || knowsPhase(part.knows, object, owner, phase - 2)) continue;
        findings_.rule(
            {.rule = "MBW-014",
             .severity = Severity::Warning,
             .message = fmt::format(
                 "the wait has found phase {} of the mbarrier at {} complete, and nothing "
                 "orders it after phase {}, which has the same parity: it may be two "
                 "phases late",
                 phase - object.first, object.offset, phase - 2 - object.first),
             .cta = owner.linear,
             .warp = r.at.warp,
             .lanes = part.lanes & lanes,
             .line = r.source,
             .cycle = findings_.now});
        return;
    }
}

void MbarrierPhaseChecks::invalidates(const Mbarrier& object, const CtaState& owner,
                                      const Commit& c, std::uint32_t line)
{
    const Threads* threads = state_.threads(c.at);
    if (threads == nullptr || !object.init) return;
    const Knowledge k = threads->known(c.lanes);
    const auto told = [&](std::string what) {
        findings_.rule(
            {.rule = "MBAR-029",
             .severity = Severity::Error,
             .message = fmt::format("nothing orders the inval of the mbarrier at {} after {}",
                                    object.offset, what),
             .cta = owner.linear,
             .warp = c.at.warp,
             .lanes = c.lanes,
             .line = line,
             .cycle = c.cycle});
    };
    for (const auto& [who, use] : object.uses) {
        const std::uint32_t key = keyOf(Line::Threads, who.second);
        bool known = true;
        eachLane(use.lanes, [&](unsigned l) {
            known = known && reachedSomehow(k, who.first, key, Lanes{1} << l, use.times.of(l));
        });
        if (known) continue;
        return told(fmt::format("its use in line {} (CTA {} warp {})", use.line,
                                state_.ctas[who.first]->linear, who.second));
    }
    if (object.phase > object.first && object.lastHadBytes &&
        !knowsPhase(k, object, owner, object.phase - 1))
        told("the copies of its last phase");
}

}  // namespace gsu::races
