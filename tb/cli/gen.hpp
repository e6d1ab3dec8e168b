/// `gsu gen`: programs of common synchronization patterns.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}
namespace gsu::gen {
struct Pattern;
}

namespace gsu::cli {

struct GenOptions {
    std::vector<std::pair<std::string, std::string>> values;  ///< values of the pattern's options
    std::string folder{"."}, name;
    bool force{};
};
/// Adds the command with one subcommand per pattern; `command` runs it.
void describeGen(CLI::App& app, GenOptions& options, std::function<int()>& command);
[[nodiscard]] int gen(const GenOptions& options, const gen::Pattern& pattern);

}  // namespace gsu::cli
