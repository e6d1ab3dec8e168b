// The table of published microbenchmarks: each row gives exactly what it gave, and that is within 10 % of the source or inside its range.
#include <cmath>
#include <cstdio>
#include <set>

#include "catch.hpp"
#include "timing/rows.hpp"

namespace gsu::timing::test {

TimingParams h100() { return timingParamsOf(Target::Hopper); }
TimingParams b200() { return timingParamsOf(Target::Blackwell); }
TimingParams h200()
{
    TimingParams p = h100();
    p.hbm_gbps = 4085;
    p.clock_mhz = 1777;
    return p;
}
TimingParams h800()
{
    TimingParams p = h100();
    // The logs of the H800 have longer copies and a slower far half of L2 than our H100 and H200, and a faster one of HBM.
    p.l2_far = 452;
    p.hbm_far = 690;
    p.tma_extra = 105;
    p.tma_descriptor = 60;
    p.tma_row = 1500;
    p.sms = 114;
    p.hbm_gbps = 1961;
    return p;
}

Trace traceOf(const Stream& stream, const TimingParams& params)
{
    Driver d(params);
    d.add(stream);
    return d.run().front();
}

}  // namespace gsu::timing::test

using namespace gsu::timing::test;

namespace {

std::vector<Row> allRows()
{
    std::vector<Row> rows;
    for (const auto part : {tensorRows, copyRows, memoryRows, issueRows}) {
        const std::vector<Row> more = part();
        rows.insert(rows.end(), more.begin(), more.end());
    }
    return rows;
}

/// Distance from the range, as a part of its nearer end.
double distance(const Row& row, double value)
{
    const double near = std::min(std::max(value, row.low), row.high);
    return (value - near) / near;
}

}  // namespace

TEST_CASE("published microbenchmarks: exact values, within 10 % or in the range", "[rows]")
{
    std::set<std::string> off;
    for (const Row& row : allRows()) {
        INFO(row.section << ": " << row.name << " (" << row.source << ")");
        const double value = row.measure();
        CHECK(value == Approx(row.exact).epsilon(0).margin(0.006));
        const bool holds = std::abs(distance(row, value)) <= 0.1;
        INFO("published " << row.low << ".." << row.high << ", here " << value);
        CHECK(holds == (row.off == nullptr));
        if (!holds) off.insert(row.name);
    }
    const std::size_t claimed = allRows().size();
    std::size_t published = claimed;
    for (const Unclaimed& u : unclaimedRows()) published += u.figures;
    INFO(claimed << " of " << published << " figures claimed, " << off.size() << " of them off");
    CHECK(published == 196);  // no figure of the four tables is dropped unseen
    CHECK(claimed * 100 >= published * 80);
    CHECK(off.size() * 100 <= claimed * 10);
}

TEST_CASE("prints the table of published microbenchmarks", "[.][table]")
{
    std::printf("| part | figure | published | source | here | off |\n|---|---|---|---|---|---|\n");
    for (const Row& row : allRows()) {
        const double value = row.measure();
        std::printf("| %s | %s | %g", row.section, row.name.c_str(), row.low);
        if (row.high != row.low) std::printf("-%g", row.high);
        std::printf(" | %s | %.6g | %+.1f %% |\n", row.source, value, 100 * distance(row, value));
    }
    for (const Unclaimed& u : unclaimedRows())
        std::printf("| %s | %s | not claimed: %s |\n", u.section, u.name, u.reason);
}
