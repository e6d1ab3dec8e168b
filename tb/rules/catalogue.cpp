#include "rules/catalogue.hpp"

#include <algorithm>
#include <array>

#include "rules/texts.hpp"

namespace gsu::rules {
namespace {

/// Calls `row` with the columns of each line that is not a comment.
template <std::size_t Columns, class Row> void eachRow(std::string_view text, Row&& row)
{
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.front() == '#') continue;
        std::array<std::string_view, Columns> columns;
        for (std::size_t i = 0; i < Columns; ++i) {
            const std::size_t tab = i + 1 == Columns ? line.size() : line.find('\t');
            columns[i] = line.substr(0, tab);
            line.remove_prefix(std::min(tab, line.size()));
            if (!line.empty()) line.remove_prefix(1);
        }
        row(columns);
    }
}

std::string_view orNothing(std::string_view column) { return column == "-" ? "" : column; }

/// The statement of a rule without a line in rules.tsv.
std::string_view statementOf(std::string_view id)
{
    if (id == "race-async")
        return "An asynchronous operation (copy, st.async, red.async, operands of a matrix "
               "instruction) is ordered with the accesses that it conflicts with.";
    if (id == "race-lifetime")
        return "Shared memory of another CTA is used after that CTA has started and before it "
               "ends, and an mbarrier after its init.";
    if (id == "race-read-write") return "A read and a write of the same bytes are ordered.";
    if (id == "race-write-write") return "Two writes of the same bytes are ordered.";
    if (id == "HW-001")
        return "A bulk copy from shared memory to shared::cluster belongs to a launch with "
               "clusters: an H200 traps without, although PTX does not say so.";
    if (id == "INIT-001") return "Device memory is written before it is read.";
    return {};
}

std::vector<Rule> readRules()
{
    std::vector<Rule> rules;
    eachRow<4>(rulesText(), [&](const auto& c) {
        Rule r{.id = c[0],
               .kind = c[1],
               .statement = c[3],
               .misuse = {},
               .by = {},
               .as = {},
               .fix = {}};
        if (r.kind == "legality") r.by = "check";
        if (r.id.starts_with("TC5-")) r.by = "executor";
        rules.push_back(r);
    });
    eachRow<5>(foundText(), [&](const auto& c) {
        auto known =
            std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.id == c[0]; });
        if (known == rules.end()) {
            const bool race = c[0].starts_with("race-");
            rules.push_back({.id = c[0],
                             .kind = race ? "race" : "ub",
                             .statement = statementOf(c[0]),
                             .misuse = {},
                             .by = {},
                             .as = {},
                             .fix = {}});
            known = std::prev(rules.end());
        }
        known->misuse = orNothing(c[1]);
        known->by = c[2];
        known->as = orNothing(c[3]);
        known->fix = orNothing(c[4]);
    });
    return rules;
}

}  // namespace

const std::vector<Rule>& all()
{
    static const std::vector<Rule> rules = readRules();
    return rules;
}

const Rule* find(std::string_view id)
{
    const auto found =
        std::find_if(all().begin(), all().end(), [&](const Rule& r) { return r.id == id; });
    return found == all().end() ? nullptr : &*found;
}

std::string foundWhen(const Rule& rule)
{
    static constexpr std::pair<std::string_view, const char*> kWhen[] = {
        {"unit", "always"},        {"executor", "always"},  {"race", "with --check race"},
        {"hang", "when it hangs"}, {"trace", "in a trace"}, {"generator", "by gsu gen"},
        {"check", "by gsu check"},
    };
    std::string text;
    for (const auto& [who, when] : kWhen) {
        const std::string by = ' ' + std::string(rule.by) + ' ';
        if (by.find(' ' + std::string(who) + ' ') == std::string::npos) continue;
        if (text.find(when) == std::string::npos)
            text += (text.empty() ? "" : ", ") + std::string(when);
    }
    return text;
}

}  // namespace gsu::rules
