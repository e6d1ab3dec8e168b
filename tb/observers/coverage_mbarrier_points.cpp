#include "observers/coverage_mbarrier_points.hpp"

#include "observers/coverage_mbarrier.hpp"

namespace gsu {

namespace {

CoverPoint rankPairs(const char* id)
{
    CoverPoint p{id, {}};
    for (unsigned from = 0; from < kCoveredRanks; ++from) {
        for (unsigned to = 0; to < kCoveredRanks; ++to) {
            if (from != to)
                p.bins.push_back({"rank " + std::to_string(from) + " to " + std::to_string(to), 0});
        }
    }
    return p;
}

std::vector<CoverPoint> objectPoints()
{
    const auto completed = {"completes the phase", "does not"};
    return {
        coverPoint("CP-MBO-01", {"1", "2", "32", "1023", "2^20-1", "others"}),
        coverPoint("CP-MBO-02", {"phase 0", "1", "2", "3 and later"}),
        coverPoint("CP-MBO-03", {"the last arrivals", "more to come"}),
        crossedPoint("CP-MBO-04", {"arrive", "complete_tx"}, {"tx < 0", "tx = 0", "tx > 0"}),
        coverPoint("CP-MBO-05", {"2^20-1", "-(2^20-1)"}),
        coverPoint("CP-MBO-06",
                   {"arrive", "arrive.expect_tx", "complete_tx", "drop", "remote arrive",
                    "cp.async", "st.async or red.async", "bulk copy", "agent", "try_cancel"}),
        coverPoint("CP-MBO-07", {"1", "some", "all of the phase"}),
        crossedPoint("CP-MBO-08", completed, {"0 expected after it", "1", "more"}),
        coverPoint("CP-MBO-09", completed),
        coverPoint("CP-MBO-10", {"arrive", "arrive_drop", "completes nevertheless"}),
        coverPoint("CP-MBO-11", {"shared::cta", "shared::cluster, own CTA", "another CTA"}),
        coverPoint("CP-MBO-12", {"1", "2..63", "64 and more"}),
        coverPoint("CP-MBO-13", {"inval after use", "init after inval", "init of a live object"}),
        coverPoint("CP-MBO-15", {"expect_tx before complete_tx", "after it"}),
        coverPoint("CP-MBO-16", {"no flip", "flip on the last lane", "flip before it"}),
        coverPoint("CP-MBO-17", {"alignment", "window", "count", "pending", "tx", "drop", "retired",
                                 "parity, noComplete or response", "locked", "undeliverable",
                                 "cp.async", "form of another CTA", "profile or own CTA"}),
    };
}

}  // namespace

std::vector<CoverPoint> MbarrierCoverage::points()
{
    const auto waits = {"test_wait", "test_wait.parity", "try_wait", "try_wait.parity"};
    const auto completers = {"arrive",        "arrive.expect_tx", "complete_tx",   "drop",
                             "remote arrive", "cp.async",         "st.async, ...", "bulk copy",
                             "agent",         "try_cancel"};
    std::vector<CoverPoint> all = objectPoints();
    const std::vector<CoverPoint> more{
        crossedPoint("CP-MBW-01", waits,
                     {"relaxed.cta", "relaxed.cluster", "acquire.cta", "acquire.cluster"}),
        crossedPoint("CP-MBW-02", waits, {"true", "false"}),
        coverPoint("CP-MBW-03", {"already complete", "completed while suspended", "time-out"}),
        coverPoint("CP-MBW-04", {"no limit", "0", "to 1000 clocks", "more"}),
        coverPoint("CP-MBW-05", {"1 lane", "2..31", "32", "several warps"}),
        coverPoint("CP-MBW-06", {"presented in the cycle of the completion"}),
        coverPoint("CP-MBW-07", {"one completion before it goes on", "two"}),
        crossedPoint("X-MBO-01", completers, {"nobody waits", "polled", "suspended"}),
        crossedPoint("X-MBO-02", completers, {"tx never below 0", "tx was below 0"}),
        crossedPoint("X-MBO-04", {"own CTA", "another CTA"}, {"phase even", "phase odd"}),
        crossedPoint("CP-CPA-01", {"inc", "noinc"}, {"none outstanding", "1", "more"}),
        coverPoint("CP-CPA-02", {"copies before an arrive", "copies after it"}),
        coverPoint("CP-RAS-02", {"4 bytes", "8", "16"}),
        coverPoint("CP-RAS-03", {"before an arrive of the own CTA", "after it"}),
        rankPairs("CP-RAS-04"),
        crossedPoint("CP-CLC-01", {"canceled", "not"}, {"one CTA", "multicast"}),
        coverPoint("CP-CLC-02", {"1 query without answer", "more"})};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace gsu
