#include "cli/fuzz_breaks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "causality/order_check.hpp"
#include "cli/commands.hpp"
#include "cli/fuzz_run.hpp"
#include "fuzz/breaks.hpp"

namespace gsu::cli {

namespace {

/// Results of the breaks of one kind.
struct Count {
    std::uint64_t found{}, named{}, harmless{}, missed{};
    std::uint64_t aside{};  ///< nothing was found, and the program is too large to be judged
    std::map<std::string, std::uint64_t> by;  ///< number of breaks per checker that found them
};

class Campaign {
public:
    Campaign(const fuzz::CampaignOptions& options, std::uint64_t maxCycles)
        : c_(options), maxCycles_(maxCycles)
    {
    }
    void program(std::uint64_t index);
    [[nodiscard]] int summary() const;

private:
    [[nodiscard]] bool tries(const fuzz::Case& what, const fuzz::Built& right,
                             const fuzz::BreakKind& kind, std::uint64_t index);
    void add(const fuzz::BreakKind& kind, const fuzz::Break& b, const fuzz::Outcome& outcome,
             const std::string& where);
    void addPassing(const fuzz::Case& what, const fuzz::Built& wrong, const fuzz::Break& b,
                    const std::string& where);

    const fuzz::CampaignOptions& c_;
    std::uint64_t maxCycles_;
    std::map<std::string, Count> counts_;
};

bool named(const fuzz::BreakKind& kind, const std::vector<std::string>& names)
{
    return std::any_of(names.begin(), names.end(), [&](const std::string& n) {
        return std::any_of(kind.names.begin(), kind.names.end(), [&](const std::string& right) {
            return right.front() == ':' ? n.ends_with(right) : n == right;
        });
    });
}

void Campaign::add(const fuzz::BreakKind& kind, const fuzz::Break& b, const fuzz::Outcome& outcome,
                   const std::string& where)
{
    Count& count = counts_[b.kind];
    ++count.found;
    const std::set<std::string> names(outcome.names.begin(), outcome.names.end());
    std::string text = outcome.kind;
    for (const std::string& n : names) text += " " + n;
    ++count.by[outcome.kind];
    if (named(kind, outcome.names))
        ++count.named;
    else
        print(fmt::format("named otherwise: {}: {}\n", where, text));
}

/// Handles a break for which nothing was found: is everything that conflicts still in order?
void Campaign::addPassing(const fuzz::Case& what, const fuzz::Built& wrong, const fuzz::Break& b,
                          const std::string& where)
{
    causality::Events events;
    static_cast<void>(fuzzRun(what, wrong, "", maxCycles_, {.events = &events}));
    const causality::OrderCheck paths = causality::checkOrder(events);
    Count& count = counts_[b.kind];
    if (paths.unordered == 0 && paths.complete) {
        ++count.harmless;
        print(fmt::format("harmless: {}: {} pairs, a path for each\n", where, paths.pairs));
        return;
    }
    if (paths.unordered == 0) {
        ++count.aside;
        print(fmt::format("set aside: {}: {} pairs are too many to look for a path of each\n",
                          where, paths.pairs));
        return;
    }
    ++count.missed;
    print(fmt::format("missed: {}: {}\n", where, cli::textOf(paths)));
}

/// Tries breaks of this kind until one gives a program that can be run; false: none does.
bool Campaign::tries(const fuzz::Case& what, const fuzz::Built& right, const fuzz::BreakKind& kind,
                     std::uint64_t index)
{
    constexpr std::size_t kMost = 4;
    for (const fuzz::Break& b : fuzz::broken(right.ptx, kind.name, c_.seed + index, kMost)) {
        fuzz::Built wrong = right;
        wrong.ptx = b.ptx;
        const fuzz::Outcome outcome = fuzzRun(what, wrong, "", maxCycles_, {.races = true});
        if (outcome.kind == "check" || outcome.kind == "parse") continue;
        const std::string where =
            fmt::format("{} in line {} of program {}: {}", b.kind, b.line, index, b.before);
        if (outcome.kind.empty())
            addPassing(what, wrong, b, where);
        else
            add(kind, b, outcome, where);
        return true;
    }
    return false;
}

void Campaign::program(std::uint64_t index)
{
    const fuzz::ProgramPlan plan = programOf(c_, index);
    const fuzz::Built right = fuzz::build(plan);
    fuzz::Conditions conditions = conditionsOf(c_, plan, index, 0);
    conditions.unit = "golden";
    conditions.replay = false;
    // The kinds take turns; if the program has no break of one kind, the next kind is tried.
    const std::vector<fuzz::BreakKind>& kinds = fuzz::breakKinds();
    for (std::size_t k = 0; k < kinds.size(); ++k)
        if (tries({plan, conditions}, right, kinds[(index + k) % kinds.size()], index)) return;
}

int Campaign::summary() const
{
    Count all;
    for (const auto& [kind, count] : counts_) {
        std::string by;
        for (const auto& [what, n] : count.by) by += fmt::format(" {} {}", what, n);
        print(fmt::format(
            "{:24}{:6} found, {:6} named right, {:6} harmless, {:6} set aside, {:6} missed:{}\n",
            kind, count.found, count.named, count.harmless, count.aside, count.missed, by));
        all.found += count.found;
        all.named += count.named;
        all.harmless += count.harmless;
        all.missed += count.missed;
        all.aside += count.aside;
    }
    const std::uint64_t matter = all.found + all.missed, tried = matter + all.harmless + all.aside;
    const auto percent = [](std::uint64_t part, std::uint64_t of) {
        return of == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(of);
    };
    print(fmt::format(
        "seed {}: {} breaks of {} kinds matter: {} found ({:.1f} %), {} named right ({:.1f} %), {} "
        "missed; {} change nothing, {} set aside ({:.1f} %)\n",
        c_.seed, matter, counts_.size(), all.found, percent(all.found, matter), all.named,
        percent(all.named, all.found), all.missed, all.harmless, all.aside,
        percent(all.aside, tried)));
    const bool good = 100 * all.found >= 97 * matter && 100 * all.named >= 95 * all.found &&
                      100 * all.aside <= 3 * tried;
    return good ? kAsExpected : kNotAsExpected;
}

}  // namespace

int fuzzBreaks(const fuzz::CampaignOptions& c, std::uint64_t maxCycles)
{
    Campaign campaign(c, maxCycles);
    for (std::uint64_t i = c.from; i < c.from + c.programs; ++i) campaign.program(i);
    return campaign.summary();
}

}  // namespace gsu::cli
