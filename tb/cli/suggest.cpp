#include "cli/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"
#include "cli/package_command.hpp"

namespace gsu::cli {

namespace {

constexpr std::size_t kLongestName = 40;  ///< what is longer is no misspelled name

/// `names` and `given` without dashes in front: those are no letters that are right.
std::string explain(const char* what, const std::string& given,
                    const std::vector<std::string>& names, const char* dashes = "")
{
    const std::string_view near = nearestName(names, given);
    const std::string between = fmt::format(", {}", dashes);
    return fmt::format("unknown {} '{}{}{}' ({})", what, dashes, given.substr(0, kLongestName),
                       given.size() > kLongestName ? "..." : "",
                       near.empty()
                           ? fmt::format("there are {}{}", dashes, fmt::join(names, between))
                           : fmt::format("did you mean {}{}?", dashes, near));
}

std::vector<const CLI::App*> commandsOf(const CLI::App& app)
{
    return app.get_subcommands([](const CLI::App*) { return true; });
}

/// The command of this name; nullptr: there is none.
const CLI::App* commandNamed(const CLI::App& app, std::string_view name)
{
    for (const CLI::App* sub : commandsOf(app))
        if (sub->get_name() == name) return sub;
    return nullptr;
}

/// The error in a word that should name a command of `app`; empty: the word is right.
std::string explainCommand(const CLI::App& app, const char* what, const char* given)
{
    std::vector<std::string> names;
    for (const CLI::App* sub : commandsOf(app)) names.push_back(sub->get_name());
    if (app.get_parent() == nullptr)
        names.insert(names.end(), packageCommands().begin(), packageCommands().end());
    if (given == nullptr)
        return fmt::format("a {} is missing (there are {})", what, fmt::join(names, ", "));
    if (*given == '\0' || *given == '-' || commandNamed(app, given) != nullptr) return {};
    return explain(what, given, names);
}

/// `first`: where the options may begin.
std::string explainOptions(const CLI::App& command, int first, int argc, const char* const* argv)
{
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back(name);
    for (int i = first; i < argc; ++i) {
        const std::string given = argv[i];
        if (given == "--") break;
        if (!given.starts_with("--")) continue;
        const std::string name = given.substr(2, given.find('=') - 2);
        if (std::find(names.begin(), names.end(), name) == names.end())
            return explain("option", name, names, "--");
    }
    return {};
}

}  // namespace

std::string explainUnknown(const CLI::App& app, int argc, const char* const* argv)
{
    std::string reason = explainCommand(app, "command", argc < 2 ? nullptr : argv[1]);
    const CLI::App* chosen = argc < 2 ? nullptr : commandNamed(app, argv[1]);
    if (!reason.empty() || chosen == nullptr) return reason;
    if (commandsOf(*chosen).empty()) return explainOptions(*chosen, 2, argc, argv);
    reason = explainCommand(*chosen, "pattern", argc < 3 ? nullptr : argv[2]);
    const CLI::App* pattern = argc < 3 ? nullptr : commandNamed(*chosen, argv[2]);
    return reason.empty() && pattern != nullptr ? explainOptions(*pattern, 3, argc, argv) : reason;
}

std::string helpCall(const CLI::App& app, int argc, const char* const* argv)
{
    const CLI::App* command = argc < 2 ? nullptr : commandNamed(app, argv[1]);
    if (command == nullptr) return "gsu --help";
    const CLI::App* pattern = argc < 3 ? nullptr : commandNamed(*command, argv[2]);
    return "gsu " + command->get_name() + (pattern == nullptr ? "" : " " + pattern->get_name()) +
           " --help";
}

}  // namespace gsu::cli
