// What error bits of commits and remarks of the mbarrier unit mean.
#include "golden/findings.hpp"

#include "catch.hpp"

using namespace gsu;

namespace {

Commit broken(Unit unit, Op op, unsigned errs, bool refused = false)
{
    Commit c;
    c.unit = unit;
    c.op = op;
    c.errs = static_cast<std::uint16_t>(errs);
    c.refused = refused;
    return c;
}

}  // namespace

TEST_CASE("each remark of the mbarrier unit is a finding of its own rule, two are none", "[D-03]")
{
    const auto [kind, rule] = GENERATE(
        table<MbarNote::Kind, const char*>({{MbarNote::Kind::Uninitialised, "MBAR-005"},
                                            {MbarNote::Kind::InitOnLive, "MBAR-006"},
                                            {MbarNote::Kind::InvalDead, "MBAR-028"},
                                            {MbarNote::Kind::InvalBusy, "MBAR-029"},
                                            {MbarNote::Kind::PlainStore, "MBAR-007"},
                                            {MbarNote::Kind::Unwaited, "MBAR-013"},
                                            {MbarNote::Kind::StaleState, "MBW-010"},
                                            {MbarNote::Kind::FreshParity, ""},
                                            {MbarNote::Kind::ExpectCompletes, ""},
                                            {MbarNote::Kind::EndedBusy, "MBAR-029"},
                                            {MbarNote::Kind::EndedSurplus, "RASYNC-022"}}));
    CAPTURE(nameOf(kind));
    const auto found = findingOf(kind);
    REQUIRE(found.has_value() == (*rule != '\0'));
    if (found) {
        CHECK(std::string(found->rule) == rule);
        CHECK(found->unit == Unit::Mbarrier);
        CHECK(found->effect == Effect::Seen);
    }
}

TEST_CASE("each error bit of a commit is one finding, in the order of the bits", "[D-03]")
{
    CHECK(findingsOf(broken(Unit::Named, Op::BarSync, 0)).empty());
    for (const FindingRow& row : findingRows()) {
        if (row.rule.effect == Effect::Seen) continue;
        for (unsigned op = 1; op < unsigned(Op::EvLaunch); ++op) {
            if (!row.covers(static_cast<Op>(op))) continue;
            const auto found =
                findingsOf(broken(row.rule.unit, static_cast<Op>(op), 1u << row.rule.bit));
            REQUIRE(found.size() == 1);
            CHECK(found[0].unit == row.rule.unit);
            CHECK(found[0].bit == row.rule.bit);
            CHECK(found[0].effect != Effect::Seen);
            CHECK(*found[0].message != '\0');
        }
    }
    const auto two = findingsOf(
        broken(Unit::Cluster, Op::ClusterArrive, 1u << kCbErrDiverged | 1u << kCbErrUnwaited));
    REQUIRE(two.size() == 2);
    CHECK(two[0].bit == std::min(kCbErrDiverged, kCbErrUnwaited));
    CHECK(two[1].bit == std::max(kCbErrDiverged, kCbErrUnwaited));
}

TEST_CASE("an error bit without a name is an error all the same", "[D-03]")
{
    const auto applied = findingsOf(broken(Unit::Null, Op::BarSync, 1u << 15));
    REQUIRE(applied.size() == 1);
    CHECK(applied[0].severity == Severity::Error);
    CHECK(applied[0].effect == Effect::Applied);
    CHECK(applied[0].bit == 15);
    CHECK(std::string(applied[0].message) == "an error the model has no name for");
    const auto refused = findingsOf(broken(Unit::Null, Op::BarSync, 1u << 15, true));
    CHECK(refused.at(0).effect == Effect::Refused);
}
