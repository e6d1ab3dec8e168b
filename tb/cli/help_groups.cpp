#include "cli/help_groups.hpp"

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

namespace gsu::cli {

namespace {

/// Titles in --help, and the options below each; others stand in front.
const std::vector<std::pair<const char*, std::vector<const char*>>> kGroups{
    {"Unit and parameters",
     {"--unit", "--preset", "--set", "--with", "--model", "--chip", "--seed", "--max-cycles",
      "--threads", "--assertions"}},
    {"Time around the unit", {"--timing", "--of", "--range"}},
    {"Findings", {"--check", "--ignore", "--ignore-file", "--keep-going", "--check-uninit"}},
    {"Output files",
     {"--fst", "--fst-window", "--fst-around", "--waves", "--timeline", "--record",
      "--record-accesses", "--sarif", "--dot", "--dump-smem", "--dump-cta", "--dump-memory",
      "--save"}}};

}  // namespace

void groupOptions(CLI::App& command)
{
    for (const auto& [title, names] : kGroups) {
        for (const char* name : names)
            if (CLI::Option* option = command.get_option_no_throw(name); option != nullptr)
                option->group(title);
    }
}

}  // namespace gsu::cli
