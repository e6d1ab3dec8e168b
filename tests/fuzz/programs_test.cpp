// The generator of programs by itself: what it draws, leaves out and shrinks. What runs is in tests/cli/fuzz_test.cpp.
#include <algorithm>
#include <set>

#include "catch.hpp"
#include "fuzz/campaign.hpp"
#include "fuzz/pattern.hpp"

using namespace gsu::fuzz;

namespace {

bool uses(const Built& built, const std::string& begin)
{
    return std::any_of(built.forms.begin(), built.forms.end(),
                       [&](const auto& form) { return form.first.starts_with(begin); });
}

/// Forms of `programs` programs without the features of `list`.
std::set<std::string> formsWithout(const std::string& list, unsigned programs)
{
    FeatureSet features = allFeatures();
    REQUIRE(change(features, list, false).empty());
    std::set<std::string> all;
    for (unsigned seed = 1; seed <= programs; ++seed) {
        for (const auto& [form, n] : build(drawProgram(seed, features)).forms) all.insert(form);
    }
    return all;
}

}  // namespace

TEST_CASE("a seed is a program", "[fuzz]")
{
    std::set<std::string> texts;
    for (unsigned seed = 1; seed <= 50; ++seed) {
        const ProgramPlan plan = drawProgram(seed, allFeatures());
        const Built once = build(plan), again = build(drawProgram(seed, allFeatures()));
        CHECK(once.ptx == again.ptx);
        CHECK(once.out == again.out);
        CHECK(once.aux == again.aux);
        CHECK(once.out.size() == std::size_t{plan.shape.ctas()} * plan.shape.threads);
        texts.insert(once.ptx);
    }
    CHECK(texts.size() == 50);
}

TEST_CASE("features that are left out do not occur, others do", "[fuzz]")
{
    struct Row {
        const char* feature;
        std::vector<std::string> forms;
    };
    const std::vector<Row> rows{
        {"cluster", {"barrier.cluster", "mapa"}},
        {"mbarrier", {"mbarrier.", "st.async", "red.async", "cp.async.mbarrier"}},
        {"copies", {"cp."}},
        {"async", {"st.async", "red.async"}},
        {"warp", {"vote.", "shfl.", "match.", "redux.", "elect.", "activemask"}},
        {"delays", {"nanosleep"}}};
    const std::set<std::string> all = formsWithout("", 300);
    for (const Row& row : rows) {
        const std::set<std::string> left = formsWithout(row.feature, 100);
        for (const std::string& begin : row.forms) {
            CAPTURE(row.feature, begin);
            const auto starts = [&](const std::string& form) { return form.starts_with(begin); };
            CHECK(std::any_of(all.begin(), all.end(), starts));
            CHECK(std::none_of(left.begin(), left.end(), starts));
        }
    }
    FeatureSet set = allFeatures();
    CHECK(change(set, "named,frobnicate", true) == "frobnicate");
}

TEST_CASE("every pattern is drawn", "[fuzz]")
{
    std::map<std::string, unsigned> seen;
    for (unsigned seed = 1; seed <= 600; ++seed) {
        for (const auto& [pattern, n] : build(drawProgram(seed, allFeatures())).patterns)
            seen[pattern] += n;
    }
    for (const Pattern& p : patterns()) {
        CAPTURE(p.name);
        CHECK(seen[p.name] >= 5);
    }
}

TEST_CASE("what fails is made as small as it goes", "[fuzz]")
{
    // Fails where a vote stands in a cluster of two or more and mbar_lat is set: nothing else may remain.
    unsigned runs = 0;
    const Runner run = [&](const Case& c, const Built& built) {
        ++runs;
        const bool set = std::any_of(c.conditions.sets.begin(), c.conditions.sets.end(),
                                     [](const auto& s) { return s.first == "mbar_lat"; });
        const bool fails = set && c.plan.shape.clusterSize >= 2 && uses(built, "vote.");
        return Outcome{fails ? "broken" : "", "detail", 1, 1, {}};
    };
    CampaignOptions options;
    options.features = allFeatures();
    options.knobs = {{"mbar_lat", "clocks", 0, 100},
                     {"dsm_hop", "clocks", 0, 100},
                     {"null_lat", "clocks", 0, 100}};
    unsigned found = 0;
    for (std::uint64_t i = 0; i < 400 && found < 5; ++i) {
        const ProgramPlan plan = programOf(options, i);
        const Case c{plan, conditionsOf(options, plan, i, 0)};
        const Outcome outcome = run(c, build(plan));
        if (outcome.kind.empty()) continue;
        ++found;
        CAPTURE(i);
        const Shrunk small = shrink(c, outcome, run);
        CHECK(small.what.plan.rounds() == 1);
        CHECK(small.what.plan.segments.size() == 1);
        CHECK(small.what.plan.shape == Shape{1, 2, 1});
        CHECK(small.what.conditions.sets.size() == 1);
        CHECK(small.what.conditions.seed == 1);
        CHECK(small.outcome.kind == "broken");
        CHECK(small.runs <= 400);
    }
    CHECK(found == 5);
    CHECK(runs > 100);
}
