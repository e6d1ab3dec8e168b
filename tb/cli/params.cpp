#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/input_error.hpp"
#include "cli/commands.hpp"
#include "exec/machine/params.hpp"

namespace gsu::cli {

int params(const std::string& presetName, bool json)
{
    Preset preset{};
    if (!presetOf(presetName, preset)) {
        throw InputError("--preset", 0, 0,
                         "'" + presetName + "' is not hopper, ampere, blackwell or ideal");
    }
    const Config config = configOf(preset);
    const ExecParams exec = execParamsOf(preset);
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    std::string text =
        fmt::format("{:<32}{:>10}  {:<12}{:<16}{}\n", fmt::format("parameter ({})", presetName),
                    "value", "unit", "range", "where it comes from");
    const auto add = [&](const char* key, std::uint32_t value, const char* unit, std::uint32_t min,
                         std::uint32_t max, const char* evidence) {
        list.push_back({{"key", key},
                        {"value", value},
                        {"unit", unit},
                        {"min", min},
                        {"max", max},
                        {"evidence", evidence}});
        text += fmt::format("{:<32}{:>10}  {:<12}{:<16}{}\n", key, value, unit,
                            fmt::format("{}..{}", min, max), evidence);
    };
    for (const Parameter& p : parameters())
        add(p.key, p.get(config), p.unit, p.min, p.max, p.evidence);
    for (const ExecParameter& p : execParameters()) {
        add(p.key, exec.*p.field, p.unit, p.min, p.max, "issue model of the executor");
    }
    if (json)
        print(nlohmann::ordered_json{{"preset", presetName}, {"parameters", list}}.dump() + '\n');
    else
        print(text);
    return kAsExpected;
}

}  // namespace gsu::cli
