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
inline std::uint32_t Schedulers::pick(const Scheduler& s, std::uint64_t ready, unsigned sm)
{
    const auto n = static_cast<std::uint32_t>(s.warps.size());
    std::uint32_t last = s.last;
    // there is only one; a search for another one would draw again
    if ((ready & (ready - 1)) == 0) {
        const auto only = static_cast<std::uint32_t>(std::countr_zero(ready));
        if ((s_.random(sm) & 3) == 0 && only != last) (void)s_.random(sm);
        return only;
    }
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

/// Memory-visible instructions of one cycle take effect in warp order.
inline unsigned Schedulers::picks(unsigned index, std::array<Pick, 4>& list)
{
    unsigned count = 0;
    for (Scheduler& s : sms_[index]) {
        if (s.due > s_.now()) continue;
        const std::uint64_t ready = s.queue.ready(s_.now());
        if (ready == 0) {
            s.look();
            continue;
        }
        s.last = pick(s, ready, index);
        Warp* warp = s.warps[s.last];
        const std::uint32_t key = warp->cta->launch.wbase + warp->index;
        unsigned i = count++;
        for (; i != 0 && list[i - 1].key > key; --i) list[i] = list[i - 1];
        list[i] = {warp, &s, key};
    }
    return count;
}

inline void Schedulers::runSm(unsigned index, Issuer& issuer)
{
    std::array<Pick, 4> list;
    const unsigned count = picks(index, list);
    Cycle& due = due_[index];
    due = s_.now() + 1;
    if (count == 0) {
        due = kNever;
        for (const Scheduler& s : sms_[index]) due = std::min(due, s.due);
    }
    for (unsigned i = 0; i < count; ++i) {
        const auto& [warp, owner, key] = list[i];
        const std::uint32_t issued = issuer.issue(*warp);
        owner->freeAt = s_.now() + std::max(issued, 1u);
        owner->set(warp->place, warp->nextAt);
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
