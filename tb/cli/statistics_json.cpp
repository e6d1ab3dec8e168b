#include "cli/statistics_json.hpp"

namespace gsu::cli {

nlohmann::ordered_json barriersJson(const Statistics& statistics)
{
    auto list = nlohmann::ordered_json::array();
    for (const BarrierStatistics& b : statistics.barriers()) {
        nlohmann::ordered_json item{{"kind", nameOf(b.kind)},       {"id", b.id},
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

nlohmann::ordered_json coverageJson(const Coverage& coverage)
{
    nlohmann::ordered_json out;
    for (const CoverPoint& p : coverage.points()) {
        nlohmann::ordered_json bins;
        for (const CoverBin& b : p.bins) bins[b.name] = b.hits;
        out[p.id] = bins;
    }
    return out;
}

}  // namespace gsu::cli
