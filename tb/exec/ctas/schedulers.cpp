#include "exec/ctas/schedulers.hpp"

namespace gsu::exec {

void Schedulers::add(Warp& warp)
{
    Scheduler& s = sms_[warp.cta->launch.sm][warp.index % 4];
    warp.turnOf = static_cast<std::uint32_t>(s.warps.size());
    s.warps.push_back(&warp);
    s.nextAt.push_back(warp.nextAt);
}

void Schedulers::remove(const Cta& cta)
{
    for (Scheduler& s : sms_[cta.launch.sm]) {
        std::erase_if(s.warps, [&](const Warp* w) { return w->cta == &cta; });
        s.nextAt.resize(s.warps.size());
        for (std::uint32_t i = 0; i < s.warps.size(); ++i) {
            s.warps[i]->turnOf = i;
            s.nextAt[i] = s.warps[i]->nextAt;
        }
        s.last = 0;
    }
}

Cycle Schedulers::firstReady(const Scheduler& s)
{
    Cycle first = kNever;
    for (const Cycle at : s.nextAt) first = std::min(first, at);
    return first;
}

/// Loosely round robin: sometimes a later ready warp goes first.
Warp* Schedulers::pick(Scheduler& s)
{
    if (s.freeAt > s_.now()) {
        if (s.readyAt <= s_.now()) s.readyAt = firstReady(s);
        return nullptr;
    }
    if (s.readyAt > s_.now()) return nullptr;
    const auto n = static_cast<std::uint32_t>(s.warps.size());
    Warp* best = nullptr;
    Cycle later = kNever;
    for (std::uint32_t step = 1; step <= n; ++step) {
        const std::uint32_t at = s.last + step < n ? s.last + step : s.last + step - n;
        if (s.nextAt[at] > s_.now()) {
            later = std::min(later, s.nextAt[at]);
            continue;
        }
        best = s.warps[at];
        s.last = at;
        if ((s_.random() & 3) != 0) break;
    }
    s.readyAt = best != nullptr ? s_.now() + 1 : later;
    return best;
}

void Schedulers::runSm(Sm& sm, Cycle& due, Issuer& issuer)
{
    std::array<Warp*, 4> picks{};
    std::array<Scheduler*, 4> owner{};
    unsigned count = 0;
    for (Scheduler& s : sm) {
        Warp* best = pick(s);
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
        owner[least]->nextAt[picks[least]->turnOf] = picks[least]->nextAt;
        owner[least]->freeAt = s_.now() + std::max(issued, 1u);
        picks[least] = nullptr;
        if (s_.trapped) return;
    }
}

void Schedulers::run(Issuer& issuer)
{
    if (soonest_ > s_.now()) return;
    for (std::size_t i = 0; i < sms_.size(); ++i) {
        if (due_[i] > s_.now()) continue;
        runSm(sms_[i], due_[i], issuer);
        if (s_.trapped) return;
    }
    soonest_ = kNever;
    for (std::size_t i = 0; i < sms_.size(); ++i) soonest_ = std::min(soonest_, due_[i]);
}

}  // namespace gsu::exec
