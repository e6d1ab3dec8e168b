#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/input_error.hpp"
#include "cli/commands.hpp"
#include "exec/settings/params.hpp"
#include "observers/text_table.hpp"
#include "units/model.hpp"

namespace gsu::cli {

constexpr std::size_t kWhole = ~std::size_t{0};

namespace {

Structure structureOf(const std::string& with)
{
    return ModelChoice{.with = with, .model = {}}.structure();
}

}  // namespace

int structureParams(const std::string& with, bool json)
{
    const Structure structure = structureOf(with);
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    TextTable table(
        {{"structure", 14, true}, {"value", 7}, {"range", 9, true, 2}, {"what there is", 0, true}},
        {.rows = kWhole, .columns = kWhole});
    for (const StructureItem& item : structureItems()) {
        list.push_back({{"key", item.key},
                        {"value", structure.*item.field},
                        {"default", defaultStructure().*item.field},
                        {"min", item.min},
                        {"max", item.max},
                        {"power_of_two", item.power},
                        {"what", item.what},
                        {"limit", item.limit}});
        table.row(
            Paint::None, item.key, structure.*item.field, fmt::format("{}..{}", item.min, item.max),
            fmt::format("{} ({}{})", item.what, item.limit, item.power ? "; powers of two" : ""));
    }
    const std::string text = textOf(structure);
    if (!json) {
        print(table.text());
        return kAsExpected;
    }
    print(nlohmann::ordered_json{{"with", text},
                                 {"digest", modelDigest()},
                                 {"tools", modelTools()},
                                 {"file", text.empty() ? "" : modelFile(structure).string()},
                                 {"cache", cacheFolder().string()},
                                 {"structure", list}}
              .dump() +
          '\n');
    return kAsExpected;
}

// long: one row after the other
int params(const std::string& presetName, const std::string& timingName, const std::string& with,
           bool json)
{
    const Structure structure = structureOf(with);
    Preset preset{};
    if (!presetOf(presetName, preset)) {
        throw InputError("--preset",
                         "'" + presetName + "' is not hopper, ampere, blackwell or ideal");
    }
    const Config config = configOf(preset, structure);
    ExecParams exec = execParamsOf(preset);
    if (const std::string error = setTiming(exec, timingName.empty() ? "simple" : timingName);
        !error.empty())
        throw InputError("--timing", error);
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    TextTable table({{fmt::format("parameter ({})", presetName), 32, true},
                     {"value", 10},
                     {"unit", 12, true, 2},
                     {"range", 16, true},
                     {"where it comes from", 0, true}},
                    {.rows = kWhole, .columns = kWhole});
    const auto add = [&](const char* key, std::uint32_t value, const char* unit, std::uint32_t min,
                         std::uint32_t max, const char* evidence) {
        list.push_back({{"key", key},
                        {"value", value},
                        {"unit", unit},
                        {"min", min},
                        {"max", max},
                        {"evidence", evidence}});
        table.row(Paint::None, key, value, unit, fmt::format("{}..{}", min, max), evidence);
    };
    for (const Parameter& p : parameters())
        add(p.key, p.get(config), p.unit, p.min, maxOf(p, structure), p.evidence);
    for (const ExecParameter& p : execParameters()) {
        if (isUsed(exec, p))
            add(p.key, exec.*p.field, p.unit, p.min, p.max, "issue model of the executor");
    }
    for (const timing::TimingParameter& p : timing::timingParameters()) {
        if (exec.timing != Timing::Simple)
            add(p.key, exec.servers.*p.field, p.unit, p.min, p.max, p.source);
    }
    if (json)
        print(nlohmann::ordered_json{{"preset", presetName}, {"parameters", list}}.dump() + '\n');
    else
        print(table.text());
    return kAsExpected;
}

}  // namespace gsu::cli
