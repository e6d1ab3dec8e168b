#include "traffic/stream.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "golden/op_traits.hpp"
#include "golden/warp_ops.hpp"
#include "traffic/grid_traffic.hpp"
#include "traffic/mbar_traffic.hpp"
#include "traffic/order_traffic.hpp"

namespace gsu::traffic {
namespace {

/// Upper limit of times: longer times only let fewer events meet.
constexpr std::uint32_t kLongest = 300;
constexpr unsigned kMostSms = 6;
constexpr std::uint32_t kBriskInterval = 8;  ///< clocks from one mbarrier operation to the next
constexpr unsigned kGridsShare = 80;         ///< requests of a grid, approximately

/// Values of some parameters, most of them small.
std::vector<std::string> drawn(Random& random, const Config& preset)
{
    std::vector<std::string> sets;
    const unsigned percent = 5 + random.below(40);
    for (const Parameter& p : parameters()) {
        if (!random.percent(percent)) continue;
        const std::uint32_t top = std::min(p.max, std::max(p.min + 8, kLongest));
        const std::uint32_t span = random.percent(70) ? std::min(top, p.min + 12) : top;
        const std::uint32_t value = p.min + random.below(span - p.min + 1);
        if (value != p.get(preset))
            sets.push_back(std::string(p.key) + '=' + std::to_string(value));
    }
    return sets;
}

std::string lost(bool hung, const FindingRows& rows)
{
    if (hung) return "nothing happens any more";
    return rows.wrong.empty() ? "" : "a commit that no rule describes: " + rows.wrong;
}

bool tryOne(Stream& now, Stream next, const std::function<bool(const Stream&)>& fails)
{
    if (!fails(next)) return false;
    now = std::move(next);
    return true;
}

}  // namespace

std::optional<Kind> kindOf(std::string_view name) noexcept
{
    const auto found = std::find(kKindNames.begin(), kKindNames.end(), name);
    if (found == kKindNames.end()) return {};
    return static_cast<Kind>(found - kKindNames.begin());
}

Config Stream::config(const Structure& structure) const
{
    Config config = configOf(ideal ? Preset::Ideal : Preset::Hopper, structure);
    for (const std::string& assignment : sets)
        static_cast<void>(setParameter(config, assignment, structure));
    return config;
}

Stream streamOf(std::uint64_t seed, std::uint64_t number, std::uint64_t requests,
                const std::vector<Kind>& kinds)
{
    assert(!kinds.empty());
    Random random(seed * 0x1'0000'0001u + number);
    Stream s;
    s.seed = random.next();
    s.kind = kinds[number % kinds.size()];
    s.sms = 1 + random.below(kMostSms);
    s.requests = requests;
    s.ideal = random.percent(40);
    s.legal = random.percent(25);
    s.spread = random.percent(40);
    s.sets = drawn(random, configOf(s.ideal ? Preset::Ideal : Preset::Hopper));
    s.lively = random.percent(60);
    // Streams with long operations have fewer of them, so that every stream takes about the same time.
    const std::uint32_t interval = s.config().mbar_interval;
    if ((s.kind == Kind::Mbarriers || s.kind == Kind::Orders) && interval > kBriskInterval)
        s.requests = std::max<std::uint64_t>(1, requests * kBriskInterval / interval);
    return s;
}

std::vector<std::pair<const char*, std::uint64_t*>> fieldsOf(Counts& c)
{
    return {{"streams", &c.streams},
            {"requests", &c.requests},
            {"commits", &c.commits},
            {"cycles", &c.cycles},
            {"named", &c.named},
            {"cluster", &c.cluster},
            {"warp", &c.warp},
            {"mbarrier", &c.mbarrier},
            {"atomic", &c.atomic},
            {"grid", &c.grid},
            {"fences", &c.fences},
            {"waiting", &c.waiting},
            {"asynchronous", &c.asynchronous},
            {"crossed", &c.crossed},
            {"flips", &c.flips},
            {"refused", &c.refused},
            {"launches", &c.launches},
            {"exits", &c.exits},
            {"cancels", &c.cancels},
            {"timeouts", &c.timeouts},
            {"grids", &c.grids},
            {"generations", &c.generations},
            {"cut", &c.cut}};
}

void Counts::add(Counts other)
{
    const auto from = fieldsOf(other), to = fieldsOf(*this);
    for (std::size_t i = 0; i < to.size(); ++i) *to[i].second += *from[i].second;
}

void Counter::onRequest(Cycle, const SyncRequest& r)
{
    ++counts.requests;
    counts.named += isNamed(r.op);
    counts.cluster += isCluster(r.op);
    counts.warp += isWarpOp(r.op);
    counts.atomic += isAtomic(r.op);
    counts.mbarrier += isMbarOp(r.op) || isCancel(r.op);
    counts.grid += isGridControl(r.op);
    const bool fence = r.op == Op::Fence || r.op == Op::FenceMbarrierInit ||
                       r.op == Op::FenceProxy || r.op == Op::Membar;
    counts.fences += fence;
    std::int64_t& owing = owing_[r.at.sm][r.at.cta];
    counts.waiting += fence && owing > 0;
    if (r.remote && !isCancel(r.op)) owing += std::popcount(r.lanes);
}

void Counter::onAccesses(Cycle, const Accesses& a, bool performed)
{
    owing_[a.at.sm][a.at.cta] += performed ? -std::int64_t{a.count} : std::int64_t{a.count};
}

void Counter::onCommit(const Commit& c)
{
    ++counts.commits;
    counts.crossed += c.src == Src::Remote || c.src == Src::Network;
    counts.flips += c.flip;
    counts.refused += c.refused;
    counts.timeouts += c.op == Op::EvTimeout;
    counts.generations +=
        c.op == Op::EvClusterFlip && (c.unit == Unit::Network || c.src == Src::Local);
}

Driven drive(SyncPort& port, const Stream& s)
{
    const unsigned illegal = s.legal ? 0 : 6;
    if (s.kind == Kind::Grids) {
        GridTraffic grids(
            port, {.seed = s.seed, .sms = s.sms, .grids = 1 + unsigned(s.requests / kGridsShare)});
        const GridStats& told = grids.run();
        return {told.hung ? "nothing happens any more" : told.wrong, false};
    }
    if (s.kind == Kind::Mbarriers) {
        MbarTraffic mbarriers(port, {.seed = s.seed,
                                     .sms = s.sms,
                                     .requests = s.requests,
                                     .illegal = illegal,
                                     .spread = s.spread,
                                     .lively = s.lively});
        const MbarStats& told = mbarriers.run();
        return {lost(told.hung, told.findings), false};
    }
    if (s.kind == Kind::Orders) {
        OrderTraffic orders(port, {.seed = s.seed, .sms = s.sms, .requests = s.requests});
        const OrderStats& told = orders.run();
        return {lost(told.hung, told.findings), false};
    }
    BarrierTraffic barriers(port, {.seed = s.seed,
                                   .sms = s.sms,
                                   .requests = s.requests,
                                   .illegal = illegal,
                                   .nullOps = !s.legal,
                                   .warpOps = s.kind == Kind::Warp ? 80u : 0u});
    const BarrierStats& told = barriers.run();
    return {lost(told.hung, told.findings), told.endless};
}

Stream smaller(Stream now, const std::function<bool(const Stream&)>& fails)
{
    const auto with = [&](auto change) {
        Stream next = now;
        change(next);
        return next;
    };
    for (std::size_t i = now.sets.size(); i-- > 0;)
        tryOne(now, with([&](Stream& s) { s.sets.erase(s.sets.begin() + std::ptrdiff_t(i)); }),
               fails);
    while (now.sms > 1 && tryOne(now, with([](Stream& s) { --s.sms; }), fails)) {
    }
    tryOne(now, with([](Stream& s) { s.legal = true; }), fails);
    tryOne(now, with([](Stream& s) { s.spread = false; }), fails);
    tryOne(now, with([](Stream& s) { s.lively = false; }), fails);
    // A stream begins with the requests of a shorter one.
    std::uint64_t few = 1;
    while (few < now.requests) {
        const std::uint64_t middle = (few + now.requests) / 2;
        if (!tryOne(now, with([&](Stream& s) { s.requests = middle; }), fails)) few = middle + 1;
    }
    return now;
}

}  // namespace gsu::traffic
