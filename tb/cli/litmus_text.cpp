#include "cli/litmus_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace gsu::cli {

namespace {

std::string valuesOf(const litmus::Test& test, const litmus::Outcome& values)
{
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i)
        text +=
            (i == 0 ? "" : "; ") + nameOf(test, test.shown[i]) + "=" + std::to_string(values[i]);
    return text.empty() ? "(nothing is looked at)" : text;
}

std::string howFar(const litmus::Exploration& e)
{
    if (e.complete) return fmt::format("all {} states", e.states);
    return fmt::format("incomplete: {} states, then {} random runs", e.states, e.runs);
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
    return text;
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
    if (e.hung != 0) json["hang"] = report.hang;
    return json;
}

}  // namespace gsu::cli
