#include "exec/state/timing_adapter.hpp"

#include <algorithm>
#include <bit>

namespace gsu::exec {

using timing::Stall;
using timing::Wait;

namespace {

timing::TimingParams partOf(timing::TimingParams params, unsigned active)
{
    params.sms = active;
    return params;
}

}  // namespace

TimingAdapter::TimingAdapter(const timing::TimingParams& params, unsigned sms, unsigned of,
                             std::shared_ptr<const timing::Sharing> sharing)
    : params_(partOf(params, of == 0 ? sms : of)),
      model_(timing::serverTiming(params_, sms, std::move(sharing)))
{
}

timing::ProductClocks TimingAdapter::product(const Warp& warp, const timing::Product& what)
{
    const unsigned warps = what.tcgen ? 1 : 4;  // warps that ask for one product
    multiplyAdds_ += std::uint64_t{what.m} * what.n * what.k * (what.sparse ? 2 : 1) / warps;
    return model_->product(warp.timed, what, issued_);
}

Cycle TimingAdapter::starts(Cycle now) const noexcept
{
    return ended_ ? model_->starts(now) : now + model_->starts(0);
}

void TimingAdapter::enter(Warp& warp, Cycle at)
{
    constexpr unsigned kSchedulers = 4, kGroups = 16;
    const unsigned group = warp.index / kSchedulers;
    const std::uint64_t cta = warp.cta->serial;
    warp.timed = model_->enter(
        {warp.cta->launch.sm, warp.index % kSchedulers, group, cta, cta * kGroups + group}, at);
    warp.timing = model_->direct(warp.timed);
}

void TimingAdapter::leave(const Warp& warp, Cycle now) { model_->leave(warp.timed, now); }

void TimingAdapter::ended(const Cta& cta)
{
    ended_ = true;
    model_->ended(cta.launch.sm, cta.serial);
}

/// The instruction in a called function, whose registers come after those of its callers.
const timing::Instruction& TimingAdapter::inFrame(timing::Register base, const TimedInstruction& t)
{
    registers_.clear();
    for (const timing::Register r : t.registers) registers_.push_back(r + base);
    const std::span all(registers_);
    here_ = t.what;
    here_.reads = all.first(t.what.reads.size());
    here_.writes = all.subspan(t.what.reads.size());
    here_.footprint.base += base;
    return here_;
}

Cycle TimingAdapter::mayExecute(const Warp& warp, const Group& group, const TimedInstruction& next,
                                Cycle now, bool behind)
{
    if (next.renames) return now;
    Wait wait = warp.timing->earliest(of(group, next));
    if (!next.waits) return std::max(now, warp.timing->tooFarAhead(wait.at, now));
    if (behind && !next.within) wait.at = std::max(wait.at, now + 1);
    if (next.drains != timing::Drain::Nothing) {
        const Wait drained = model_->drained(warp.timed, next.drains, std::max(wait.at, now));
        if (drained.at > std::max(wait.at, now)) {
            if (wait.at <= now) warp.timing->waited(Stall::Fence, drained.at, 0);
            return std::max(wait.at, drained.at);
        }
    }
    return std::max(wait.at, now);
}

void TimingAdapter::issue(const Warp& warp, const Group& group, const TimedInstruction& what,
                          Cycle now)
{
    if (what.within) return;
    if (what.renames) return warp.timing->rename(of(group, what));
    const timing::Instruction& i = of(group, what);
    began(i, warp.timing->issue(i, now));
}

void TimingAdapter::skip(const Warp& warp, const Group& group, const TimedInstruction& what,
                         Cycle now)
{
    timing::Instruction none = of(group, what);
    none.cls = timing::InstructionClass::Branch;
    none.writes = {};
    none.order = timing::Order::Free;
    none.work = 0;
    issued_ = warp.timing->issue(none, now);
}

void TimingAdapter::load(const Warp& warp, const timing::MemoryAccess& access)
{
    model_->load(warp.timed, *running_, access, issued_);
}

void TimingAdapter::store(const Warp& warp, const timing::MemoryAccess& access)
{
    model_->store(warp.timed, access, issued_);
}

void TimingAdapter::copyAsync(const Warp& warp, const timing::MemoryAccess& from,
                              const timing::MemoryAccess& to)
{
    copied_ = model_->copyAsync(warp.timed, from, to, issued_);
}

/// A warp that waits as a whole is woken. One of which a part waits looks from time to time, for its other lanes may go on.
Cycle TimingAdapter::nextLook(Cycle asked, Cycle now) const
{
    if (parked_ == Parked::No) return now;
    const Cycle seen = now + params_.wait_look;
    if (parked_ == Parked::Warp || params_.wait_poll == 0) return seen;
    const Cycle first = asked + params_.wait_first;
    const Cycle late = seen > first ? seen - first : 0;
    return first + (late + params_.wait_poll - 1) / params_.wait_poll * params_.wait_poll;
}

Cycle TimingAdapter::after(const Warp& warp, const Group& group, Cycle now)
{
    switch (group.tail) {
        case timing::Tail::ArriveState: return params_.arrive_state;
        case timing::Tail::MbarInit: return params_.mbar_init;
        case timing::Tail::Match: return Cycle{group.values} * params_.match_value;
        case timing::Tail::Poll: return nextLook(group.asked, now) - now;
        case timing::Tail::View: return model_->view(warp.timed, now);
        case timing::Tail::Proxy: return params_.fence_proxy;
        case timing::Tail::BarResult: return params_.bar_result;
        case timing::Tail::BarRegister: return params_.bar_register;
        case timing::Tail::None: break;
    }
    return 0;
}

Cycle TimingAdapter::woke(const Warp& warp, const Group& group, Cycle now)
{
    const Stall cause = group.state == GroupState::Copies      ? Stall::Copies
                        : group.state == GroupState::Matrix    ? Stall::TensorPipe
                        : group.state == GroupState::Shuffling ? Stall::Special
                                                               : group.stall;
    const Cycle continues = now + 1 + after(warp, group, now);
    warp.timing->waited(cause, continues, group.line);
    return continues;
}

/// The timer has steps of a power of two of ns.
Cycle TimingAdapter::sleeps(const Warp& warp, std::uint64_t ns, Cycle now)
{
    const std::uint64_t clocks = ns == 0 ? 0 : std::bit_ceil(ns) * params_.clock_mhz / 1000;
    const Cycle until = now + 1 + std::max<std::uint64_t>(clocks, params_.sleep_least);
    warp.timing->waited(Stall::Sleep, until, 0);
    return until;
}

}  // namespace gsu::exec
