/// Cycles that two threads share. Included by system.hpp only.
#pragma once
#include "verilated/system.hpp"

namespace gsu {

/// If no route and no grid follows, the network has all inputs of the next cycle already: the helper evaluates it while the driver makes up those of the SMs.
template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::netAhead()
{
    if (!noMoreRoutes || !pool->shares() || !routes.empty() || !grids.empty()) return;
    wanted_ = smsOfNet();
    for (unsigned i = 0; i < slots_.size(); ++i) driveFromNet(i);  // before the outputs change
    if (!driveNet()) return;
    ++networksAhead;
    parts_[0] = 0;
    count_ = 1;
    round_.emplace(*pool, count_, &ModelSystem::part, this);
}

/// An SM's reports are told on this thread, in the order of SMs, as on one thread. The helper evaluates later SMs meanwhile: what the sink does
/// changes their inputs of the next cycle only.
template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::evaluateShared(std::uint32_t active, bool netActive)
{
    // The network may be part 0 already.
    const unsigned first = round_ ? 1 : 0;
    count_ = first;
    for (std::uint32_t rest = active; rest != 0;) {
        const std::uint32_t before = rest;
        const unsigned together = (unsigned(std::popcount(rest)) + kShare - 1) / kShare;
        for (unsigned n = 0; n < together; ++n) rest &= rest - 1;
        parts_[count_++] = before & ~rest;
        if (count_ == 1 && netActive) parts_[count_++] = 0;  // takes as long as three SMs
    }
    const struct Ended {  // also left by an exception of the sink
        std::optional<StepPool::Round>& round;
        ~Ended() { round.reset(); }
    } ended{round_};
    if (round_)
        round_->more(count_ - first);
    else
        round_.emplace(*pool, count_, &ModelSystem::part, this);
    for (unsigned part = first; part < count_; ++part) {
        round_->wait(part);
        forEach(parts_[part], [&](unsigned i) { finish(i); });
    }
    afterRise();
}

template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::waitFor(unsigned sm) const
{
    for (unsigned part = 0; part < count_; ++part)
        if ((parts_[part] >> sm & 1) != 0) round_->wait(part);
}

}  // namespace gsu
