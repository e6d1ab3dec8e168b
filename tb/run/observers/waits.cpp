// Tables of waits by barrier, mbarrier, ring of mbarriers and PTX line: which warps waited, where, and how long.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "observers/mbarrier_rings.hpp"
#include "observers/mbarrier_statistics.hpp"
#include "observers/mbarrier_summary.hpp"
#include "observers/statistics.hpp"
#include "observers/summary.hpp"
#include "run/run_observer.hpp"

namespace gsu::run {

namespace {

using Json = nlohmann::ordered_json;

Json barriersJson(const Statistics& statistics)
{
    auto list = Json::array();
    for (const BarrierStatistics& b : statistics.barriers()) {
        Json item{{"kind", nameOf(b.kind)},       {"id", b.id},
                  {"generations", b.generations}, {"requests", b.requests},
                  {"blocked_clocks", b.stall},    {"longest_wait", b.longest},
                  {"never_answered", b.never}};
        unsigned warp = 0;
        std::uint64_t times = 0;
        if (b.lastArriver(warp, times)) item["last_arriver"] = {{"warp", warp}, {"times", times}};
        list.push_back(item);
    }
    return list;
}

Json warpsJson(const std::vector<GridWarp>& warps)
{
    Json list = Json::array();
    for (const GridWarp& w : warps) list.push_back({{"cta", w.cta}, {"warp", w.warp}});
    return list;
}

Json sideJson(const RingSide& side)
{
    return {{"blocked_clocks", side.blocked}, {"percent", std::round(1000 * side.share()) / 10}};
}

Json arriverJson(const MbarrierArriver& a, std::uint64_t times)
{
    using Kind = MbarrierArriver::Kind;
    Json item{{"kind", nameOf(a.kind)}};
    const bool nobody = a.kind == Kind::BulkCopy || a.kind == Kind::CpAsync ||
                        a.kind == Kind::Cancel || a.kind == Kind::Agent;
    if (!nobody) item["cta"] = a.cta;
    if (a.kind == Kind::Warp || a.kind == Kind::RemoteWarp) item["warp"] = a.warp;
    item["times"] = times;
    return item;
}

Json mbarriersJson(const MbarrierStatistics& statistics)
{
    Json list = Json::array();
    for (const MbarrierRecord* r : statistics.records()) {
        Json item{{"cta", r->cta},
                  {"address", r->offset},
                  {"expected", r->expected},
                  {"inits", r->inits},
                  {"phases", r->completions},
                  {"arrivals", r->arrivals},
                  {"tx_bytes", r->txBytes},
                  {"waits", r->waits},
                  {"wait_requests", r->polls},
                  {"blocked_clocks", r->blocked},
                  {"never_released", r->never}};
        if (r->longest != 0)
            item["longest_wait"] = {
                {"clocks", r->longest}, {"warp", r->longestWarp}, {"from_cycle", r->longestFrom}};
        Json last = Json::array();
        for (const auto& [who, times] : r->last) last.push_back(arriverJson(who, times));
        item["last_arrivers"] = last;
        list.push_back(item);
    }
    return list;
}

Json pipelinesJson(const MbarrierStatistics& statistics)
{
    Json list = Json::array();
    for (const MbarrierRing& ring : ringsOf(statistics)) {
        Json item{{"cta", ring.cta}, {"copies", ring.copies}};
        if (ring.emptyCta != ring.cta) item["empty_cta"] = ring.emptyCta;
        if (ring.stride) item["stride"] = *ring.stride;
        item["producers"] = warpsJson(ring.producers);
        item["consumers"] = warpsJson(ring.consumers);
        item["from_cycle"] = ring.from;
        item["to_cycle"] = ring.to;
        if (!ring.unknown.empty()) item["unknown"] = ring.unknown;
        RingSide consumers, producers;
        Json stages = Json::array();
        for (const RingStage& s : ring.stages) {
            consumers += s.consumers, producers += s.producers;
            stages.push_back({{"full", s.full},
                              {"empty", s.empty},
                              {"rounds", s.rounds},
                              {"consumers_waited", sideJson(s.consumers)},
                              {"producers_waited", sideJson(s.producers)},
                              {"bound_by", nameOf(s.bound())}});
        }
        item["bound_by"] =
            nameOf(ring.stages.empty() ? RingBound::Unknown : boundOf(consumers, producers));
        item["stages"] = stages;
        list.push_back(item);
    }
    return list;
}

class Waits final : public RunObserver {
public:
    explicit Waits(ChipLayout chip) : statistics_(chip), mbarriers_(chip) {}
    [[nodiscard]] std::vector<PortObserver*> ports() override
    {
        return {&statistics_, &mbarriers_};
    }
    void finish(const RunEnd& end, Outputs&) override
    {
        statistics_.onEnd(end.now);
        mbarriers_.onEnd(end.now);
    }
    void text(std::string& out, const ReportStyle& report) const override;
    void json(Json& out) const override
    {
        out["barriers"] = barriersJson(statistics_);
        out["mbarriers"] = mbarriersJson(mbarriers_);
        out["pipelines"] = pipelinesJson(mbarriers_);
    }

private:
    Statistics statistics_;
    MbarrierStatistics mbarriers_;
};

void Waits::text(std::string& out, const ReportStyle& report) const
{
    const SummaryStyle style{.colour = report.colour};
    out += barrierTable(statistics_, style);
    out += mbarrierTable(mbarriers_, style);
    out += ringTable(mbarriers_, style);
    const std::string lines = lineTable(statistics_, style, report.source);
    out += lines;
    if (lines.empty() || report.module == nullptr || report.module->sources.size() < 2) return;
    for (const ptx::Source& s : report.module->sources)
        out += fmt::format("lines from {}: {}\n", s.before + 1, s.path);
}

}  // namespace

namespace observers {
std::unique_ptr<RunObserver> waits(const RunBegin& begin)
{
    return std::make_unique<Waits>(begin.header.chip());
}
}  // namespace observers

}  // namespace gsu::run
