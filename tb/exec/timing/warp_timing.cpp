#include "exec/timing/warp_timing.hpp"

#include <cassert>
#include <utility>

namespace gsu::timing {

void WarpTiming::begin(Calendar& scheduler, FenceServer& fences, Ledger::Account& role,
                       Cycle at) noexcept
{
    scheduler_ = &scheduler;
    fences_ = &fences;
    account_ = &role;
    asked_ = nullptr;
    held_ = nullptr;
    window_.begin(at);
    scoreboard_.begin();
    stored_ = storedFar_ = {};
    fence_ = kNever;
}

Cycle WarpTiming::computeOther(const Computation& what, Cycle now)
{
    return computeAs<false>(what, now);
}

void WarpTiming::fenceIssues(Cycle now) noexcept
{
    if (std::exchange(fence_, kNever) > now) ++shared_->fencesAmidCopies;
    fences_->begin(now);
}

void WarpTiming::rename(const Instruction& what)
{
    changed();
    const Wait ready = scoreboard_.ready({}, what.reads, {});
    scoreboard_.write(what.writes, ready.at, ready.cause);
}

void WarpTiming::rename(const Computation& what) noexcept
{
    changed();
    scoreboard_.rename(what);
}

void WarpTiming::waited(Stall cause, Cycle until, std::uint32_t line)
{
    changed();
    charge(cause, until, line);
    window_.block(until);
}

void WarpTiming::loads(const Instruction& what, Cycle ready, Stall cause)
{
    assert(cause != Stall::Barrier && cause != Stall::Mbarrier);
    changed();
    scoreboard_.write(what.writes, ready, cause);
}

Wait WarpTiming::underWay(Drain what) const noexcept
{
    Wait wait = scoreboard_.last();
    wait.later(stored_);
    if (what != Drain::Sm) wait.later(storedFar_);
    return wait;
}

}  // namespace gsu::timing
