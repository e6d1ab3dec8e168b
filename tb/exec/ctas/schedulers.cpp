#include "exec/ctas/schedulers.hpp"

#include <bit>
#include <cassert>
#include <utility>

namespace gsu::exec {

void Schedulers::add(Warp& warp)
{
    Sm& sm = sms_[warp.cta->launch.sm];
    const unsigned of = warp.index % kOfSm;
    Scheduler& s = sm.schedulers[of];
    warp.place = static_cast<std::uint8_t>(s.warps.size());
    s.warps.push_back(&warp);
    const unsigned slot = warp.cta->launch.wbase + warp.index;
    s.slots.push_back(std::uint64_t{1} << slot);
    sm.warps[slot] = &warp;
    sm.set(of, warp.place, warp.nextAt);
}

void Schedulers::remove(const Cta& cta)
{
    Sm& sm = sms_[cta.launch.sm];
    for (unsigned of = 0; of < kOfSm; ++of) {
        Scheduler& s = sm.schedulers[of];
        std::uint64_t kept = 0;
        std::size_t count = 0;
        for (std::size_t i = 0; i < s.warps.size(); ++i) {
            if (s.warps[i]->cta == &cta) continue;
            kept |= std::uint64_t{1} << i;
            s.warps[i]->place = static_cast<std::uint8_t>(count);
            s.warps[count] = s.warps[i];
            s.slots[count++] = s.slots[i];
        }
        s.warps.resize(count);
        s.slots.resize(count);
        s.queue.keep(kept);
        s.last = 0;
        sm.look(of);
    }
}

/// Loosely round robin: sometimes a later ready warp goes first.
std::uint32_t Schedulers::pickAmong(const Scheduler& s, std::uint64_t ready, unsigned sm)
{
    const auto n = static_cast<std::uint32_t>(s.warps.size());
    std::uint32_t last = s.last;
    for (std::uint32_t step = 1; step <= n; ++step) {
        // The next ready one from there on, in a circle.
        const std::uint32_t from = last + step < n ? last + step : last + step - n;
        const std::uint64_t before = ready & ((std::uint64_t{1} << from) - 1);
        const std::uint64_t turned = ready >> from | (from == 0 ? 0 : before << (n - from));
        step += static_cast<std::uint32_t>(std::countr_zero(turned));
        if (step > n) break;
        last = last + step < n ? last + step : last + step - n;
        if ((s_.random(sm) & 3) != 0) break;
    }
    return last;
}

/// Picks a warp; false: none is ready. Mostly there is but one; who looks for another one draws again. Whether it does is no branch: the host could not
/// predict it.
[[gnu::always_inline]] inline bool Schedulers::pick(Scheduler& s, unsigned sm,
                                                    std::uint64_t& random, Cycle now)
{
    std::uint32_t only = s.queue.takeOnly(now);
    if (only == WakeQueue::kPlaces) [[unlikely]] {
        const std::uint64_t ready = s.queue.ready(now);
        if (ready == 0) return false;
        if ((ready & (ready - 1)) != 0) {
            s.last = pickAmong(s, ready, sm);
            return true;
        }
        only = static_cast<std::uint32_t>(std::countr_zero(ready));
    }
    std::uint64_t next = random;
    const auto again = static_cast<std::uint64_t>((splitmix64(next) & 3) == 0) &
                       static_cast<std::uint64_t>(only != s.last);
    random = next + (-again & (next - random));  // the states are equally far from each other
    s.last = only;
    return true;
}

/// Which warps issue, a bit each: memory-visible instructions of one cycle take effect in warp order.
[[gnu::always_inline]] inline std::uint64_t Schedulers::picks(unsigned index, Cycle now)
{
    Sm& sm = sms_[index];
    const auto bit = [&](unsigned of) { return static_cast<unsigned>(sm.due[of] <= now) << of; };
    std::uint64_t& random = s_.randomState(index);
    std::uint64_t who = 0;
    for (unsigned due = bit(0) | bit(1) | bit(2) | bit(3); due != 0; due &= due - 1) {
        const auto of = static_cast<unsigned>(std::countr_zero(due));
        Scheduler& s = sm.schedulers[of];
        if (pick(s, index, random, now)) [[likely]]
            who |= s.slots[s.last];
        else
            sm.look(of);
    }
    return who;
}

[[gnu::always_inline]] inline void Schedulers::runSm(unsigned index, Cycle now, Issuer& issuer)
{
    Sm& sm = sms_[index];
    std::uint64_t who = picks(index, now);
    due_[index] = now + 1;
    [[maybe_unused]] const std::uint64_t before = s_.progress.instructions();
    if (who == 0) [[unlikely]]
        due_[index] = *std::min_element(sm.due.begin(), sm.due.end());
    for (; who != 0; who &= who - 1) {
        Warp& warp = *sm.warps[static_cast<std::size_t>(std::countr_zero(who))];
        const std::uint32_t issued = issuer.issue(warp);
        const unsigned of = warp.index % kOfSm;
        Scheduler& s = sm.schedulers[of];
        s.freeAt = now + std::max(issued, 1u);
        s.queue.putBack(warp.place, warp.nextAt);
        if (warp.ahead != 0 && !s_.trapped) issuer.computeOn(s, now + kAlone);
        sm.due[of] = s.due();
        if (s_.trapped) [[unlikely]]
            return;
    }
    assert(s_.progress.instructions() - before <= std::uint64_t{kMostOfIssue} * kOfSm);
}

[[gnu::always_inline]] inline void Schedulers::runCycle(Cycle now, Issuer& issuer)
{
    soonest_ = kNever;  // whoever is roused meanwhile lowers it as well
    Cycle soonest = kNever;
    for (unsigned i = first_; i < end_; ++i) {
        if (due_[i] <= now) runSm(i, now, issuer);
        if (s_.trapped) return;
        soonest = std::min(soonest, due_[i]);
    }
    soonest_ = std::min(soonest_, soonest);
}

void Schedulers::run(Issuer& issuer)
{
    if (soonest_ <= s_.now()) runCycle(s_.now(), issuer);
}

void Schedulers::runOn(Issuer& issuer, Cycle end, Cycle far, const Progress::Room& room)
{
    const std::uint64_t most = std::uint64_t{kMostOfIssue} * kOfSm * (end_ - first_);
    Progress& progress = s_.progress;
    std::uint64_t sure = 0;  // turns that need no look at the room
    bool several = false;    // to count them is worth it
    Cycle now = s_.now();
    while (!s_.stirred && !s_.trapped) {
        const Cycle next = std::max(soonest_, now + 1);
        if (next >= end || next - now >= far) return;
        if (sure != 0 && progress.turnUnchanged()) [[likely]] {
            --sure;
        } else {
            if (!progress.turnWithin(room)) return;
            if (std::exchange(several, true)) sure = progress.turnsWithin(room, most);
        }
        now = next;
        s_.port.skipTo(now);
        progress.setNow(now);
        runCycle(now, issuer);
    }
}

}  // namespace gsu::exec
