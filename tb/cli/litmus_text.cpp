#include "cli/litmus_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/counted.hpp"

namespace gsu::cli {

namespace {

std::string valuesOf(const litmus::Test& test, const litmus::Outcome& values)
{
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i)
        text += fmt::format("{}{}={}", i == 0 ? "" : "; ", nameOf(test, test.shown[i]), values[i]);
    return text.empty() ? "(nothing is looked at)" : text;
}

std::string howFar(const litmus::Exploration& e)
{
    if (!e.complete && e.states == 0) return counted(e.runs, "run");
    if (e.complete) return "all " + counted(e.states, "state");
    return fmt::format("incomplete ({}): {}, then {}", nameOf(e.limit), counted(e.states, "state"),
                       counted(e.runs, "random run"));
}

/// How many outcomes the unit has shown, and why it has not shown the others.
std::string replayText(const LitmusReport& report)
{
    std::size_t tried = 0, shown = 0;
    std::string text, last;
    for (std::size_t i = 0; i < report.replays.size(); ++i) {
        const Replay& r = report.replays[i];
        tried += r.tried ? 1 : 0;
        shown += r.tried && r.shown ? 1 : 0;
        if (!r.tried || r.shown || r.why == last) continue;
        last = r.why;
        text += fmt::format("    not {}: {}\n",
                            valuesOf(*report.test, report.exploration.seen[i].values), r.why);
    }
    if (tried == 0) return {};
    return fmt::format("  repeated on {}: {} of {} outcomes\n", report.unit, shown, tried) + text;
}

}  // namespace

std::string textOf(const LitmusReport& report)
{
    const litmus::Test& test = *report.test;
    const litmus::Exploration& e = report.exploration;
    std::string text = fmt::format("{} ({}): {}\n  {}; memory {}; {}\n", test.name, test.file,
                                   nameOf(e.verdict), test.conditionText, report.memory, howFar(e));
    for (std::size_t i = 0; i < e.seen.size(); ++i)
        text += fmt::format("  {:8} {} {}\n", e.seen[i].count, e.seen[i].named ? '*' : ' ',
                            valuesOf(test, e.seen[i].values));
    if (e.hung != 0) text += fmt::format("  {:8}   hang\n", e.hung);
    for (std::size_t i = 0; i < e.seen.size(); ++i) {
        if (!e.seen[i].named) continue;
        text += "  a way to " + valuesOf(test, e.seen[i].values) + "\n";
        for (const std::string& line : report.witnesses[i]) text += "    " + line + "\n";
    }
    if (e.hung != 0 && e.seen.empty())
        for (const std::string& line : report.hang) text += "    " + line + "\n";
    return text + replayText(report);
}

nlohmann::ordered_json jsonOf(const LitmusReport& report)
{
    const litmus::Test& test = *report.test;
    const litmus::Exploration& e = report.exploration;
    nlohmann::ordered_json outcomes = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < e.seen.size(); ++i) {
        nlohmann::ordered_json values = nlohmann::ordered_json::object();
        for (std::size_t k = 0; k < test.shown.size(); ++k)
            values[nameOf(test, test.shown[k])] = e.seen[i].values[k];
        outcomes.push_back({{"values", std::move(values)},
                            {"count", e.seen[i].count},
                            {"named", e.seen[i].named},
                            {"witness", report.witnesses[i]}});
        if (i >= report.replays.size() || !report.replays[i].tried) continue;
        const Replay& r = report.replays[i];
        nlohmann::ordered_json replay{{"unit", report.unit}, {"shown", r.shown}};
        if (r.shown) replay["seed"] = r.seed, replay["cycles"] = r.cycles;
        if (!r.shown) replay["why"] = r.why;
        outcomes.back()["replay"] = std::move(replay);
    }
    nlohmann::ordered_json json{{"name", test.name},
                                {"file", test.file},
                                {"condition", test.conditionText},
                                {"memory", report.memory},
                                {"verdict", nameOf(e.verdict)},
                                {"complete", e.complete},
                                {"states", e.states},
                                {"runs", e.runs},
                                {"outcomes", std::move(outcomes)},
                                {"hung", e.hung}};
    if (e.limit != litmus::Limit::None) json["limit"] = nameOf(e.limit);
    if (e.hung != 0) json["hang"] = report.hang;
    return json;
}

}  // namespace gsu::cli
