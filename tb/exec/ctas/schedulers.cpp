#include "exec/ctas/schedulers.hpp"

#include <bit>
#include <cassert>

namespace gsu::exec {

void Schedulers::add(Warp& warp)
{
    Scheduler& s = sms_[warp.cta->launch.sm][warp.index % 4];
    warp.place = static_cast<std::uint32_t>(s.warps.size());
    assert(warp.place < 64);  // a bit each
    s.warps.push_back(&warp);
    s.nextAt.push_back(kNever);
    s.set(warp.place, warp.nextAt);
}

void Schedulers::remove(const Cta& cta)
{
    for (Scheduler& s : sms_[cta.launch.sm]) {
        std::erase_if(s.warps, [&](const Warp* w) { return w->cta == &cta; });
        s.nextAt.resize(s.warps.size());
        s.ready = 0;
        s.wakeAt = kNever;
        for (std::uint32_t i = 0; i < s.warps.size(); ++i) {
            s.warps[i]->place = i;
            s.set(i, s.warps[i]->nextAt);
        }
        s.last = 0;
    }
}

void Schedulers::Scheduler::wake(Cycle now) noexcept
{
    if (wakeAt > now) return;
    ready = 0;
    wakeAt = kNever;
    for (std::size_t i = 0; i < nextAt.size(); ++i) {
        if (nextAt[i] <= now)
            ready |= std::uint64_t{1} << i;
        else
            wakeAt = std::min(wakeAt, nextAt[i]);
    }
}

/// Loosely round robin: sometimes a later ready warp goes first.
Warp* Schedulers::pick(Scheduler& s, unsigned sm)
{
    if (s.freeAt > s_.now()) {
        if (s.readyAt <= s_.now()) {
            s.wake(s_.now());
            s.readyAt = s.ready != 0 ? s_.now() : s.wakeAt;
        }
        return nullptr;
    }
    if (s.readyAt > s_.now()) return nullptr;
    s.wake(s_.now());
    if (s.ready == 0) {
        s.readyAt = s.wakeAt;
        return nullptr;
    }
    const auto n = static_cast<std::uint32_t>(s.warps.size());
    Warp* best = nullptr;
    for (std::uint32_t step = 1; step <= n; ++step) {
        // The next ready one from there on, in a circle.
        const std::uint32_t from = s.last + step < n ? s.last + step : s.last + step - n;
        const std::uint64_t before = s.ready & ((std::uint64_t{1} << from) - 1);
        const std::uint64_t turned = s.ready >> from | (from == 0 ? 0 : before << (n - from));
        step += static_cast<std::uint32_t>(std::countr_zero(turned));
        if (step > n) break;
        s.last = s.last + step < n ? s.last + step : s.last + step - n;
        best = s.warps[s.last];
        if ((s_.random(sm) & 3) != 0) break;
    }
    s.readyAt = s_.now() + 1;
    return best;
}

void Schedulers::runSm(unsigned index, Issuer& issuer)
{
    Sm& sm = sms_[index];
    Cycle& due = due_[index];
    std::array<Warp*, 4> picks{};
    std::array<Scheduler*, 4> owner{};
    unsigned count = 0;
    for (Scheduler& s : sm) {
        Warp* best = pick(s, index);
        if (best == nullptr) continue;
        owner[count] = &s;
        picks[count++] = best;
    }
    due = kNever;
    for (const Scheduler& s : sm) due = std::min(due, s.next());
    if (count != 0) due = s_.now() + 1;
    // Memory-visible instructions of one cycle take effect in warp order.
    for (unsigned done = 0; done < count; ++done) {
        unsigned least = count;
        for (unsigned i = 0; i < count; ++i) {
            if (picks[i] == nullptr) continue;
            const auto key = [&](const Warp* w) { return w->cta->launch.wbase + w->index; };
            if (least == count || key(picks[i]) < key(picks[least])) least = i;
        }
        const std::uint32_t issued = issuer.issue(*picks[least]);
        owner[least]->set(picks[least]->place, picks[least]->nextAt);
        owner[least]->freeAt = s_.now() + std::max(issued, 1u);
        picks[least] = nullptr;
        if (s_.trapped) return;
    }
}

void Schedulers::run(Issuer& issuer)
{
    if (soonest_ > s_.now()) return;
    for (unsigned i = first_; i < end_; ++i) {
        if (due_[i] > s_.now()) continue;
        runSm(i, issuer);
        if (s_.trapped) return;
    }
    soonest_ = kNever;
    for (unsigned i = first_; i < end_; ++i) soonest_ = std::min(soonest_, due_[i]);
}

}  // namespace gsu::exec
