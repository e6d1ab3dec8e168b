#include "causality/order_check.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace gsu::causality {

/// The thread's next event, or the end of an asynchronous operation.
Node Events::afterOf(const Touching& t) const
{
    if (t.alone) return t.end;
    const std::vector<Node>& events = ctas_[t.cta]->threads[threadOf(t.warp, t.lane)].events;
    return t.next < events.size() ? events[t.next] : kNone;
}

/// Whether two accesses cannot race: both are strong and their scopes include each other, or they store the same value.
bool Events::together(const Touching& a, const Touching& b) const
{
    const unsigned needed = between(a.cta, b.cta);
    if (a.strong && b.strong && a.reach >= needed && b.reach >= needed) return true;
    return a.value != 0 && a.value == b.value && a.range.at == b.range.at &&
           a.range.bytes == b.range.bytes;
}

void Events::pair(const Touching& a, const Touching& b, std::vector<Question>& all)
{
    if (!(a.writes || b.writes) || a.range.at >= b.range.at + b.range.bytes ||
        b.range.at >= a.range.at + a.range.bytes)
        return;
    if ((a.instruction == b.instruction) || together(a, b)) return;
    const bool own = !a.alone && a.cta == b.cta && a.warp == b.warp && a.lane == b.lane;
    const bool proxy = b.proxy && !a.proxy && a.writes && b.reads;
    if (own && !proxy) return;
    const Need need = !proxy             ? Need::Order
                      : b.range.global() ? Need::ProxyGlobal
                                         : Need::ProxyShared;
    all.push_back({afterOf(a), b.before, need, a.line, b.line, "order"});
}

/// Adds the questions whether accesses to another CTA's memory happen before the end of that CTA.
void Events::lifetimes(std::vector<Question>& all)
{
    for (std::size_t i = 0; i < touched_.size(); ++i) {
        const Touching& t = touched_[i];
        if (t.range.global() || memoryOf_[i] == t.cta) continue;
        all.push_back({afterOf(t), ctas_[memoryOf_[i]]->end, Need::Any, t.line, 0, "end"});
    }
}

namespace {

/// Accesses by one thread to the same bytes in the same way; each follows the one before.
class Repeated {
public:
    /// Calls `meet` for the accesses that matter to `i`, which is not in the list yet: the last one of every thread, of another
    /// instruction. One is skipped if a later access of i's thread is already compared with it.
    template <class Meet> void meet(std::uint32_t i, const std::vector<Touching>& all, Meet&& meet)
    {
        const std::vector<std::uint32_t>& own = times_[keyOf(all[i])];
        for (const auto& [key, times] : times_) {
            const std::uint32_t* last = lastBeside(times, all, all[i].instruction);
            if (last == nullptr) continue;
            const std::uint32_t* mine = lastBeside(own, all, all[*last].instruction);
            if (mine == nullptr || *mine < *last) meet(*last);
        }
    }
    void add(std::uint32_t i, const std::vector<Touching>& all)
    {
        std::vector<std::uint32_t>& times = times_[keyOf(all[i])];
        // two accesses are never of one instruction
        if (times.size() == 2) times.erase(times.begin());
        times.push_back(i);
    }

private:
    using Key = std::array<std::uint64_t, 8>;
    /// Each asynchronous operation has a key of its own.
    static Key keyOf(const Touching& t)
    {
        const auto flags = static_cast<unsigned>(t.reads) | static_cast<unsigned>(t.writes) << 1 |
                           static_cast<unsigned>(t.strong) << 2 |
                           static_cast<unsigned>(t.proxy) << 3 | t.reach << 4;
        return {t.cta,         std::uint64_t{t.warp} << 8 | t.lane,
                t.line,        flags,
                t.value,       t.range.at,
                t.range.bytes, t.alone ? t.end : kNone};
    }
    static const std::uint32_t* lastBeside(const std::vector<std::uint32_t>& times,
                                           const std::vector<Touching>& all,
                                           std::uint32_t instruction)
    {
        for (std::size_t k = times.size(); k-- > 0;)
            if (all[times[k]].instruction != instruction) return &times[k];
        return nullptr;
    }

    std::map<Key, std::vector<std::uint32_t>> times_;
};

}  // namespace

std::vector<Question> Events::questions()
{
    std::vector<Question> all = std::move(asked_);
    constexpr std::uint64_t kPiece = 16;  // bytes that are looked up at once
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint32_t>> places;
    for (std::uint32_t i = 0; i < touched_.size(); ++i) {
        const MemoryRange& r = touched_[i].range;
        for (std::uint64_t p = r.at / kPiece; p <= (r.at + r.bytes - 1) / kPiece; ++p)
            places[{memoryOf_[i], p}].push_back(i);
    }
    for (const auto& [place, list] : places) {
        Repeated seen;
        for (const std::uint32_t b : list) {
            seen.meet(b, touched_, [&](std::uint32_t a) { pair(touched_[a], touched_[b], all); });
            seen.add(b, touched_);
        }
    }
    lifetimes(all);
    return all;
}

OrderCheck checkOrder(Events& events)
{
    std::vector<Question> all = events.questions();
    std::sort(all.begin(), all.end(), [](const Question& a, const Question& b) {
        return std::tie(a.from, a.need) < std::tie(b.from, b.need);
    });
    OrderCheck j;
    j.pairs = all.size();
    Graph& graph = events.graph();
    constexpr std::uint64_t kMost = 600'000'000;  // some seconds
    std::vector<Node> targets;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (graph.cut() || graph.steps() > kMost) {
            j.complete = false;
            break;
        }
        const Question& q = all[i];
        if (i == 0 || all[i - 1].from != q.from || all[i - 1].need != q.need) {
            targets.clear();
            for (std::size_t k = i;
                 k < all.size() && all[k].from == q.from && all[k].need == q.need; ++k)
                targets.push_back(all[k].to);
            graph.search(q.from, q.need, targets);
        }
        if (q.from != kNone && graph.reached(q.to)) continue;
        ++j.unordered;
        const bool known =
            std::any_of(j.examples.begin(), j.examples.end(), [&](const Question& k) {
                return k.first == q.first && k.second == q.second && k.what == q.what;
            });
        if (!known && j.examples.size() < 100) j.examples.push_back(q);
    }
    return j;
}

}  // namespace gsu::causality
