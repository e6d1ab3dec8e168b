#include "causes/mbar_history.hpp"

#include <algorithm>

#include "golden/mbarrier.hpp"
#include "golden/op_traits.hpp"

namespace gsu {

const char* nameOf(Share share) noexcept
{
    constexpr const char* kNames[]{"arrivals", "dropped", "announced", "completed"};
    return kNames[static_cast<std::size_t>(share)];
}

std::uint64_t MbarPhase::sum(Share share) const noexcept
{
    std::uint64_t all = 0;
    for (const Contribution& c : parts) all += c.share == share ? c.amount : 0;
    return all;
}

bool MbarHistory::paid(std::uint64_t announced) const noexcept
{
    return std::any_of(last_.begin(), last_.end(), [&](const MbarPhase& phase) {
        return phase.end != kNever && phase.sum(Share::Announced) == announced;
    });
}

void MbarHistory::setup(const Commit& c, const Doer& doer)
{
    const MbarState after = unpackMbar(c.newWord);
    const std::uint64_t arrived = running().sum(Share::Arrivals) + running().sum(Share::Dropped);
    const bool lost = !running().parts.empty();
    setups_.push_back({c.cycle, doer, c.op == Op::MbarInval, after.expected, phases_, lost,
                       static_cast<std::uint32_t>(arrived)});
    if (setups_.size() > kSetups) setups_.erase(setups_.begin() + 1);  // the first is kept
    phases_ = 0;
    last_.push_back({0, c.cycle, kNever, {}});
    if (last_.size() > kPhases) last_.pop_front();
}

void MbarHistory::add(Share share, std::uint64_t amount, const Commit& c, const Doer& doer)
{
    if (amount == 0) return;
    std::vector<Contribution>& parts = last_.back().parts;
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const Contribution& p) {
        return p.share == share && p.doer.warp == doer.warp && p.doer.line == doer.line;
    });
    if (same == parts.end()) {
        parts.push_back({share, doer, amount, 1, c.cycle, c.cycle});
    } else {
        same->amount += amount;
        ++same->times;
        same->last = c.cycle;
    }
    MbarTotal& total = totals_[{share, doer.warp, doer.line}];
    total.amount += amount;
    ++total.times;
    total.lastPhase = phases_;
    total.remote = doer.remote;
    total.last = c.cycle;
    total.lanes |= c.lanes;
}

void MbarHistory::commit(const Commit& c, const Doer& doer)
{
    word_ = c.newWord;
    if (c.op == Op::MbarInit || c.op == Op::MbarInval) return setup(c, doer);
    if (isMbarWait(c.op)) return;
    const MbarState before = unpackMbar(c.oldWord), after = unpackMbar(c.newWord);
    const std::uint32_t pending = c.flip ? 0 : after.pending;
    const std::int64_t tx = c.flip ? 0 : after.tx;
    if (pending < before.pending)
        add(isMbarDrop(c.op) ? Share::Dropped : Share::Arrivals, before.pending - pending, c, doer);
    if (tx > before.tx)
        add(Share::Announced, static_cast<std::uint64_t>(tx - before.tx), c, doer);
    else if (tx < before.tx)
        add(Share::Completed, static_cast<std::uint64_t>(before.tx - tx), c, doer);
    if (!c.flip) return;
    last_.back().end = c.cycle;
    ++phases_;
    last_.push_back({phases_, c.cycle, kNever, {}});
    if (last_.size() > kPhases) last_.pop_front();
}

void MbarHistory::looked(const WarpId& warp, std::uint32_t line, Cycle now)
{
    MbarLook& look = looks_[warp];
    look = {now, line, phases_, look.times + 1};
}

}  // namespace gsu
