#include "observers/mbarrier_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/counted.hpp"
#include "observers/mbarrier_rings.hpp"

namespace gsu {

namespace {

std::string longestOf(const MbarrierRecord& r)
{
    if (r.longest == 0) return "-";
    return fmt::format("{} ({} @{})", r.longest, r.longestWarp, r.longestFrom);
}

std::string lastOf(const MbarrierRecord& r)
{
    std::uint64_t times = 0;
    const MbarrierArriver* who = r.lastArriver(times);
    return who == nullptr ? "-" : fmt::format("{} ({}x)", describe(*who), times);
}

/// "0-3,7"
std::string warpsOf(const std::vector<GridWarp>& warps)
{
    std::vector<unsigned> list;
    for (const GridWarp& w : warps) list.push_back(w.warp);
    std::sort(list.begin(), list.end());
    std::string text;
    for (std::size_t i = 0; i < list.size();) {
        std::size_t k = i;
        while (k + 1 < list.size() && list[k + 1] == list[k] + 1) ++k;
        text += text.empty() ? "" : ",";
        text += k == i ? fmt::format("{}", list[i]) : fmt::format("{}-{}", list[i], list[k]);
        i = k + 1;
    }
    return (list.size() == 1 ? "warp " : "warps ") + text;
}

/// Sum of the rings at equal addresses in different CTAs.
struct Family {
    MbarrierRing ring;  ///< the first ring; its stages hold the sums
    std::size_t ctas{1};
};

std::vector<Family> familiesOf(const std::vector<MbarrierRing>& rings)
{
    std::vector<Family> families;
    std::map<std::vector<std::uint32_t>, std::size_t> known;
    for (const MbarrierRing& ring : rings) {
        std::vector<std::uint32_t> key{ring.cta == ring.emptyCta, ring.stages.empty()};
        for (const RingStage& s : ring.stages) {
            key.push_back(s.full);
            key.push_back(s.empty);
        }
        const auto [entry, fresh] = known.try_emplace(key, families.size());
        if (fresh) {
            families.push_back({ring, 1});
            continue;
        }
        Family& f = families[entry->second];
        ++f.ctas;
        for (std::size_t i = 0; i < ring.stages.size(); ++i) {
            f.ring.stages[i].rounds += ring.stages[i].rounds;
            f.ring.stages[i].consumers += ring.stages[i].consumers;
            f.ring.stages[i].producers += ring.stages[i].producers;
        }
    }
    return families;
}

std::string verdictOf(RingBound bound)
{
    switch (bound) {
        case RingBound::Producer: return "producer-bound";
        case RingBound::Consumer: return "consumer-bound";
        case RingBound::Balanced: return "balanced";
        case RingBound::Unknown: return "unknown";
    }
    return "?";
}

std::string waitedOf(const RingSide& side)
{
    return fmt::format("{:>10} {:>7}", side.blocked, fmt::format("({:.0f} %)", 100 * side.share()));
}

void table(std::string& out, const Family& f, SummaryStyle style)
{
    const MbarrierRing& r = f.ring;
    RingSide consumers, producers;
    for (const RingStage& s : r.stages) {
        consumers += s.consumers;
        producers += s.producers;
    }
    const RingBound bound = r.stages.empty() ? RingBound::Unknown : boundOf(consumers, producers);
    std::string title =
        fmt::format("pipeline of {} in {}: {} {}{}, {} {}: {}", counted(r.stages.size(), "stage"),
                    f.ctas == 1 ? fmt::format("CTA {}", r.cta) : fmt::format("{} CTAs", f.ctas),
                    r.copies ? "copies by" : "filled by", warpsOf(r.producers),
                    r.cta == r.emptyCta ? "" : fmt::format(" of CTA {}", r.emptyCta), "consumed by",
                    warpsOf(r.consumers), verdictOf(bound));
    if (!r.unknown.empty())
        title = fmt::format("pipeline in CTA {}: unknown: {}", r.cta, r.unknown);
    out += tableLine(std::move(title), Paint::Heading, style);
    if (r.stages.empty()) return;
    TextTable stages({{"stage", 7},
                      {"full", 9, true, 2},
                      {"empty", 9, true},
                      {"rounds", 7},
                      {"consumers waited", 26},
                      {"producers waited", 22},
                      {"bound by", 0, true, 2}},
                     {.colour = false, .rows = r.stages.size()});
    for (std::size_t i = 0; i < r.stages.size(); ++i) {
        const RingStage& s = r.stages[i];
        stages.row(Paint::None, i, fmt::format("+{:#x}", s.full), fmt::format("+{:#x}", s.empty),
                   s.rounds, waitedOf(s.consumers), waitedOf(s.producers), nameOf(s.bound()));
    }
    out += stages.text();
}

}  // namespace

std::string describe(const MbarrierArriver& a)
{
    switch (a.kind) {
        case MbarrierArriver::Kind::Warp: return fmt::format("warp {}", a.warp);
        case MbarrierArriver::Kind::RemoteWarp: return fmt::format("CTA {} warp {}", a.cta, a.warp);
        case MbarrierArriver::Kind::RemoteData: return fmt::format("st.async of CTA {}", a.cta);
        case MbarrierArriver::Kind::BulkCopy:
        case MbarrierArriver::Kind::CpAsync:
        case MbarrierArriver::Kind::Agent:
        case MbarrierArriver::Kind::Cancel: return nameOf(a.kind);
    }
    return "?";
}

std::string mbarrierTable(const MbarrierStatistics& statistics, SummaryStyle style)
{
    auto records = statistics.records();
    if (records.empty()) return {};
    std::stable_sort(records.begin(), records.end(),
                     [](const auto* a, const auto* b) { return a->blocked > b->blocked; });
    TextTable table({{"mbarrier", 16, true},
                     {"phases", 7},
                     {"arrivals", 9},
                     {"tx bytes", 10},
                     {"waits", 6},
                     {"blocked", 10},
                     {"never", 6},
                     {"longest (warp @)", 17, true, 2},
                     {"last arriver", 0, true}},
                    style);
    for (const MbarrierRecord* r : records) {
        table.row(r->never != 0 ? Paint::Alarm : Paint::None,
                  fmt::format("CTA {} +{:#x}", r->cta, r->offset), r->completions, r->arrivals,
                  r->txBytes, r->waits, r->blocked, r->never, longestOf(*r), lastOf(*r));
    }
    return table.text();
}

std::string ringTable(const MbarrierStatistics& statistics, SummaryStyle style)
{
    const auto families = familiesOf(ringsOf(statistics));
    std::string out;
    for (std::size_t i = 0; i < std::min(families.size(), style.rows); ++i)
        table(out, families[i], style);
    if (families.size() > style.rows)
        out += fmt::format("  ... and {} more\n", families.size() - style.rows);
    return out;
}

}  // namespace gsu
