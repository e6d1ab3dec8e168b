#include "exec/ctas/schedulers.hpp"

#include <bit>

namespace gsu::exec {

void Schedulers::add(Warp& warp)
{
    Scheduler& s = sms_[warp.cta->launch.sm][warp.index % 4];
    warp.place = static_cast<std::uint32_t>(s.warps.size());
    s.warps.push_back(&warp);
    s.set(warp.place, warp.nextAt);
}

void Schedulers::remove(const Cta& cta)
{
    for (Scheduler& s : sms_[cta.launch.sm]) {
        std::erase_if(s.warps, [&](const Warp* w) { return w->cta == &cta; });
        s.queue.clear();
        for (std::uint32_t i = 0; i < s.warps.size(); ++i) {
            s.warps[i]->place = i;
            s.queue.set(i, s.warps[i]->nextAt);
        }
        s.last = 0;
        s.look();
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

/// Mostly there is but one; who looks for another one draws again.
inline std::uint32_t Schedulers::pick(const Scheduler& s, std::uint64_t ready, unsigned sm)
{
    if ((ready & (ready - 1)) != 0) [[unlikely]]
        return pickAmong(s, ready, sm);
    const auto only = static_cast<std::uint32_t>(std::countr_zero(ready));
    if ((s_.random(sm) & 3) == 0 && only != s.last) (void)s_.random(sm);
    return only;
}

/// Which schedulers issue, those of the lowest warps first: memory-visible instructions of one cycle take effect in warp order.
[[gnu::always_inline]] inline unsigned Schedulers::picks(unsigned index, Cycle now, Picks& list)
{
    Sm& sm = sms_[index];
    unsigned count = 0;
    for (unsigned of = 0; of < sm.size(); ++of) {
        Scheduler& s = sm[of];
        if (s.due > now) continue;
        const std::uint64_t ready = s.queue.ready(now);
        if (ready == 0) {
            s.look();
            continue;
        }
        s.last = pick(s, ready, index);
        const Warp& warp = *s.warps[s.last];
        const auto key =
            static_cast<std::uint32_t>((warp.cta->launch.wbase + warp.index) * sm.size() + of);
        unsigned i = count++;
        for (; i != 0 && list[i - 1] > key; --i) list[i] = list[i - 1];
        list[i] = key;
    }
    return count;
}

[[gnu::always_inline]] inline void Schedulers::runSm(unsigned index, Cycle now, Issuer& issuer)
{
    Sm& sm = sms_[index];
    Picks list;
    const unsigned count = picks(index, now, list);
    due_[index] = now + 1;
    if (count == 0) {
        due_[index] = kNever;
        for (const Scheduler& s : sm) due_[index] = std::min(due_[index], s.due);
    }
    for (unsigned i = 0; i < count; ++i) {
        Scheduler& s = sm[list[i] % sm.size()];
        Warp& warp = *s.warps[s.last];
        const std::uint32_t issued = issuer.issue(warp);
        s.freeAt = now + std::max(issued, 1u);
        s.set(warp.place, warp.nextAt);
        if (s_.trapped) return;
    }
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
    Cycle now = s_.now();
    while (!s_.stirred && !s_.trapped) {
        const Cycle next = std::max(soonest_, now + 1);
        if (next >= end || next - now >= far || !s_.progress.turnWithin(room)) return;
        now = next;
        s_.port.skipTo(now);
        s_.progress.setNow(now);
        runCycle(now, issuer);
    }
}

}  // namespace gsu::exec
