#include "cli/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"

namespace gsu::cli {

namespace {

constexpr std::size_t kLongestName = 40;  ///< what is longer is no misspelled name

std::string explain(const char* what, const std::string& given,
                    const std::vector<std::string>& names)
{
    const std::string_view near = nearestName(names, given);
    return fmt::format("unknown {} '{}{}' ({})", what, given.substr(0, kLongestName),
                       given.size() > kLongestName ? "..." : "",
                       near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                    : fmt::format("did you mean {}?", near));
}

}  // namespace

std::string explainUnknown(const CLI::App& app, int argc, const char* const* argv)
{
    if (argc < 2) return {};
    const std::string command = argv[1];
    if (command.empty() || command[0] == '-') return {};
    const CLI::App* chosen = nullptr;
    std::vector<std::string> names;
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(sub->get_name());
        if (sub->get_name() == command) chosen = sub;
    }
    if (chosen == nullptr) return explain("command", command, names);
    names.clear();
    for (const CLI::Option* option : chosen->get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    for (int i = 2; i < argc; ++i) {
        const std::string given = argv[i];
        if (given == "--") break;
        if (!given.starts_with("--")) continue;
        const std::string name = given.substr(0, given.find('='));
        if (std::find(names.begin(), names.end(), name) == names.end())
            return explain("option", name, names);
    }
    return {};
}

}  // namespace gsu::cli
