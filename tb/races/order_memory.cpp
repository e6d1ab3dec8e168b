// Releases and acquires by strong accesses of ordinary memory.
#include "races/order_parts.hpp"

namespace gsu::races {

void Order::synchronize(const Access& a, unsigned lane, const MemoryRange& range)
{
    const CtaState* cta = state_.at(a.at);
    if (cta == nullptr || a.at.warp >= cta->warps.size()) return;
    const std::uint64_t place =
        range.global() ? range.at
                       : std::uint64_t{state_.slots[range.sm][range.slot]} << 32 | range.at;
    if (a.touch != Touch::Writes) see(a, lane, *cta, place);
    if (a.touch != Touch::Reads) give(a, lane, *cta, place);
}

/// A read sees what was released there, as far as all four scopes reach.
void Order::see(const Access& a, unsigned lane, const CtaState& cta, std::uint64_t place)
{
    const auto found = released_.find(place);
    if (found == released_.end()) return;
    Threads& threads = *state_.threads(a.at);
    const Lanes one = Lanes{1} << lane;
    const Level scope = levelOf(a.order.scope);
    for (const Released& r : found->second) {
        const Level needed = state_.between(r.cta, cta.number);
        const bool given = r.write >= needed && r.release >= needed;
        if (given && scope >= needed && acquires(a.order.sem)) {
            threads.acquire(one, r.what);
            continue;
        }
        if (given && scope >= needed) threads.saw(one, needed, r.what);
        threads.acquire(one, given ? unreadOf(r.what) : weakOf(r.what));
    }
}

/// Knowledge that a write releases: that of its thread, or what an earlier fence has released.
std::vector<Order::Released> Order::givenBy(const Access& a, unsigned lane, const CtaState& cta)
{
    Threads& threads = *state_.threads(a.at);
    const Lanes one = Lanes{1} << lane;
    const Level scope = levelOf(a.order.scope);
    const auto released = [&](Level release, Knowledge what) {
        return Released{cta.number, a.at.warp, static_cast<std::uint8_t>(lane),
                        release,    scope,     std::move(what)};
    };
    if (releases(a.order.sem)) {
        threads.forgetFence(one, a.line);
        return {released(scope, threads.release(one))};
    }
    std::vector<Released> given;
    for (const Level level : {Level::Gpu, Level::Cluster, Level::Cta}) {
        Knowledge k = threads.fenced(one, level);
        if (k == Knowledge{} || (!given.empty() && given.back().what.all.covers(k.all))) continue;
        given.push_back(released(level, std::move(k)));
    }
    if (a.touch != Touch::Writes) return given;
    // What a relaxed store does not release is kept in order to report what is missing.
    if (given.empty()) given.push_back(released(Level::Gpu, {}));
    const Knowledge weak = weakOf(threads.release(one));
    for (Released& g : given) g.what.join(weak);
    return given;
}

void Order::give(const Access& a, unsigned lane, const CtaState& cta, std::uint64_t place)
{
    std::vector<Released> given = givenBy(a, lane, cta);
    if (given.empty() && !released_.contains(place)) return;
    std::vector<Released>& list = released_[place];
    const bool chain = a.touch == Touch::Updates;
    // A store of another thread ends the release sequence; one of the releasing thread continues it.
    std::erase_if(list, [&](const Released& r) {
        return !chain && (r.cta != cta.number || r.warp != a.at.warp || r.lane != lane);
    });
    for (Released& g : given) {
        const auto same = std::find_if(list.begin(), list.end(), [&](const Released& r) {
            return chain && r.cta == g.cta && r.release == g.release && r.write == g.write;
        });
        if (same == list.end())
            list.push_back(std::move(g));
        else
            same->what.join(g.what);
    }
}

}  // namespace gsu::races
