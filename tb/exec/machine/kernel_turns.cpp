// The turns of a launch: the work of each executed cycle, and the choice of the next one.
#include <fmt/format.h>

#include <algorithm>

#include "exec/lookahead/lookahead.hpp"
#include "exec/machine/kernel_run.hpp"
#include "exec/program/errors.hpp"

namespace gsu::exec {
namespace {

constexpr Cycle kFar = 300'000;  ///< four of the longest latencies that a unit can be given

}  // namespace

/// Next cycle of all parts except warps.
inline Cycle KernelRun::nextOfOthers()
{
    Cycle next = state.now() + 1;
    if (!launcher.offering() && !client.queued())
        next = std::max(next, std::min(state.events.next(), client.nextWatch()));
    return std::min(next, memory.late().next());
}

Cycle KernelRun::nextTurn()
{
    const Cycle next = nextOfOthers();
    return hang.draining() ? next : std::min(next, nextOfWarps());
}

std::string KernelRun::placeOfOne() const
{
    std::string place;
    residents.each([&](const Cta& cta) {
        for (const Warp& warp : cta.warps)
            for (const Group& group : warp.groups)
                if (place.empty() && group.lanes != 0 && group.state == GroupState::Ready)
                    place =
                        fmt::format("; CTA {} warp {} is at {}", cta.linear, warp.index,
                                    module.lineText(program.codes[group.code].ops[group.pc].line));
    });
    return place;
}

inline bool KernelRun::limitReached()
{
    RunResult& result = state.result;
    const Progress& p = state.progress;
    if (state.part == nullptr && options.stop != nullptr &&
        options.stop->load(std::memory_order_relaxed)) {
        result.verdict = Verdict::Interrupted;
        return true;
    }
    state.progress.turn();
    if (options.watch && p.turns() % Progress::kLook == 0)
        options.watch({p.now(), p.instructions(), shape.ctas - launcher.left(), shape.ctas});
    if (p.now() >= options.maxCycles) {
        result.limit = fmt::format("stopped at cycle {} (--max-cycles)", options.maxCycles);
    } else if (p.instructions() >= options.maxInstructions) {
        result.limit = fmt::format("{} instructions are reached", options.maxInstructions);
    } else if (p.quietWork() > options.quietWork) {
        result.limit = fmt::format("no memory and no barrier has changed since cycle {}, but loops "
                                   "continue to change registers",
                                   p.lastChangeAt()) +
                       placeOfOne();
    } else if (p.ctaWork() > options.ctaWork) {
        result.limit =
            "for very long no CTA has started or ended; with --max-cycles the run continues" +
            placeOfOne();
    } else {
        return false;
    }
    result.verdict = Verdict::Limit;
    return true;
}

void KernelRun::checkUnits() const
{
    if (client.noUnitLine() == 0) return;
    const auto [file, line] = module.placeOf(client.noUnitLine());
    throw UnsupportedError(file, line, 0,
                           "instruction not supported: the unit behind this port has no hardware "
                           "for it yet");
}

/// Whether there is nothing more to do, or a limit forbids it.
inline bool KernelRun::stops()
{
    if (!over() && !limitReached()) return false;
    state.port.catchUp();
    state.result.fault = state.port.fault();
    return true;
}

/// Warps issue; false: the run has trapped.
inline bool KernelRun::issue()
{
    if (!hang.draining()) schedulers.run(warps);
    if (!state.trapped && client.queued()) client.present();
    return !state.trapped;
}

bool KernelRun::act()
{
    state.progress.setNow(state.port.startTurn());
    if (state.accesses != nullptr) state.port.catchUp();  // observers ask it for the time
    if (auto fault = state.port.fault()) {
        state.result.fault = std::move(fault);
        return false;
    }
    if (stops()) return false;
    state.grids.give();
    state.events.deliver(state.now());
    client.watchWaits();
    memory.late().perform();
    launcher.place();
    launcher.offer();
    tensorCores.retry();
    hang.watch();
    return issue();
}

bool KernelRun::releaseHeld() { return hang.releaseHeld(); }

void KernelRun::stop(std::string why)
{
    state.result.verdict = Verdict::Interrupted;
    state.result.stopped = std::move(why);
}

/// Steps the port if it has an input or work; else returns the cycle of the next event.
inline std::optional<Cycle> KernelRun::stepOrNext()
{
    const Cycle quiet = state.port.quietUntil();
    if (!state.port.given() && quiet > state.now()) {
        others_ = std::min(nextOfOthers(), quiet);
        return hang.draining() ? others_ : std::min(others_, nextOfWarps());
    }
    state.port.step();
    checkUnits();
    return std::nullopt;
}

/// Cycles in which warps only compute follow at once: the others have nothing more to do than they had, and no limit is near.
bool KernelRun::computeOn()
{
    const Progress::Room room{options.maxInstructions, options.quietWork, options.ctaWork};
    schedulers.runOn(warps, std::min(others_, options.maxCycles), kFar, room);
    if (state.trapped) return false;
    if (client.queued()) client.present();
    return true;
}

/// `alone`: no other launch takes turns with this one, so cycles in which only its warps have work follow at once.
Executor::Turn KernelRun::advance(bool alone)
{
    using Turn = Executor::Turn;
    if (!act()) return Turn::Ended;
    while (const std::optional<Cycle> next = stepOrNext()) {
        if (*next - state.now() >= kFar && (*next == kNever || nothingComes())) return standStill();
        state.port.skipTo(std::min(*next, options.maxCycles));
        if (!alone || *next == others_ || *next >= options.maxCycles || hang.draining() ||
            loops.suspected() || state.accesses != nullptr)
            break;
        state.progress.setNow(*next);
        tensorCores.retry();
        state.stirred = false;
        if (stops() || !issue() || !computeOn()) return Turn::Ended;
    }
    return Turn::Going;
}

/// As turn(), but an event that needs all SMs ends it.
KernelRun::Pause KernelRun::turnsUntil(Cycle until, bool waiting)
{
    ParallelPart& part = *state.part;
    const auto left = [&](const char* why) {
        part.giveUp(why);
        return Pause::Left;
    };
    for (;;) {
        if (part.why() != nullptr) return Pause::Left;
        if (waiting && launcher.hasFreed()) return Pause::Freed;
        if (over()) return Pause::Over;
        if (state.port.now() >= until) return Pause::Until;
        if (!act()) return left("a fault, a trap or a limit");
        if (hang.draining()) return left("nothing moves");
        const std::optional<Cycle> next = stepOrNext();
        if (!next) continue;
        if (*next == kNever && over()) return Pause::Over;
        if (*next == kNever) return left("nothing moves");
        if (*next - state.now() >= kFar) return left("nothing moves for long");
        state.port.skipTo(std::min(*next, options.maxCycles));
    }
}

/// The next cycle is far. Whether only ends of try_waits can come, and each of these would only be repeated: nobody has to wait for them.
bool KernelRun::nothingComes()
{
    if (async.busy() || state.pendingStores != 0 || !state.events.empty() || launcher.offering() ||
        lookedAt_ == state.progress.instructions())
        return false;
    lookedAt_ = state.progress.instructions();
    Lookahead ahead(state, memory, client);
    const std::vector<Finding> kept = state.result.findings;
    const bool still =
        hang.nothingMoves([&](Warp& w, const Group& g) { return ahead.comesBack(w, g); });
    state.result.findings = kept;
    return still;
}

/// Handles a state in which nothing will happen by itself.
Executor::Turn KernelRun::standStill()
{
    if (over()) return Executor::Turn::Ended;
    return releaseHeld() ? Executor::Turn::Going : Executor::Turn::Still;
}

}  // namespace gsu::exec
