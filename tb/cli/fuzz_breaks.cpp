#include "cli/fuzz_breaks.hpp"

#include <fmt/format.h>

#include <map>

#include "cli/commands.hpp"
#include "cli/fuzz_run.hpp"
#include "fuzz/breaks.hpp"

namespace gsu::cli {

namespace {

/// What became of the breaks of one kind, by what found them.
struct Count {
    std::uint64_t all{};
    std::map<std::string, std::uint64_t> by;
    [[nodiscard]] std::uint64_t missed() const
    {
        const auto none = by.find("pass");
        return none == by.end() ? 0 : none->second;
    }
};

}  // namespace

int fuzzBreaks(const fuzz::CampaignOptions& c, std::uint64_t maxCycles)
{
    std::map<std::string, Count> counts;
    const std::vector<std::string>& kinds = fuzz::breakKinds();
    for (std::uint64_t i = c.from; i < c.from + c.programs; ++i) {
        const fuzz::ProgramPlan plan = programOf(c, i);
        const fuzz::Built right = fuzz::build(plan);
        fuzz::Conditions conditions = conditionsOf(c, plan, i, 0);
        conditions.unit = "golden";
        conditions.replay = false;
        // The kinds in turn; a program that has none of one takes the next.
        std::optional<fuzz::Break> one;
        for (std::size_t k = 0; k < kinds.size() && !one; ++k)
            one = fuzz::broken(right.ptx, kinds[(i + k) % kinds.size()], c.seed + i);
        if (!one) continue;
        fuzz::Built wrong = right;
        wrong.ptx = one->ptx;
        const fuzz::Outcome outcome =
            fuzzRun({plan, conditions}, wrong, "", maxCycles, {.races = true});
        Count& count = counts[one->kind];
        ++count.all;
        ++count.by[outcome.kind.empty() ? "pass" : outcome.kind];
        if (outcome.kind.empty())
            print(fmt::format("not found: program {} of seed {}, {} in line {}: {}\n", i, c.seed,
                              one->kind, one->line, one->before));
    }
    std::uint64_t all = 0, missed = 0;
    for (const auto& [kind, count] : counts) {
        std::string by;
        for (const auto& [what, n] : count.by) by += fmt::format(" {} {}", what, n);
        print(fmt::format("{:24}{:6} breaks:{}\n", kind, count.all, by));
        all += count.all;
        missed += count.missed();
    }
    print(fmt::format("seed {}: {} of {} breaks are found\n", c.seed, all - missed, all));
    return kAsExpected;
}

}  // namespace gsu::cli
