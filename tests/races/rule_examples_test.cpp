// The examples of the catalogue that need the detector: each bad kernel is reported by its rule in a line that the example marks, the good one is not.
#include "exec/settings/params.hpp"
#include "rules/examples.hpp"
#include "watched_run.hpp"

using namespace gsu;
using namespace racetests;

namespace {

std::vector<Finding> found(const rules::Example& e, bool good)
{
    const ptx::Module module = ptx::parseModule(rules::kernelOf(e, good), "k.ptx");
    RunOptions options;
    options.seed = 1;
    options.maxCycles = 1'000'000;
    if (!e.set.empty()) REQUIRE(setExecParameter(options.params, e.set).empty());
    return orderFindings(watchedRun(parseLaunch(rules::launchOf(e, good, "k.ptx"), "k.launch.json"),
                                    module, options));
}

}  // namespace

TEST_CASE("examples of rules that need the detector", "[races][rules]")
{
    std::string table;
    for (const rules::Example& e : rules::examples()) {
        if (!e.race || e.dependent) continue;
        INFO(e.name);
        const std::vector<Finding> none = found(e, true), bad = found(e, false);
        INFO("good:\n" << textOf(none) << "bad:\n" << textOf(bad));
        CHECK(none.empty());
        const auto lines = reportedLines(e);
        CHECK(std::any_of(bad.begin(), bad.end(), [&](const Finding& f) {
            return f.rule == e.as && std::find(lines.begin(), lines.end(), f.line) != lines.end();
        }));
        table += fmt::format("# {}\n{}", e.name, factsOf(bad));
    }
    checkTable("rule_examples.tsv", table);
}
