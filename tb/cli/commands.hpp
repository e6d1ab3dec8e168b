/// One function per command of `gsu`; each returns the exit code and throws InputError for unusable input.
#pragma once
#include <string>

#include "cli/decode.hpp"
#include "exec/launch/arguments.hpp"
#include "run/options.hpp"
#include "run/terminal.hpp"

namespace gsu::cli {

using namespace run;

/// `gsu run`. `call`: the launch, when the input is a PTX file.
[[nodiscard]] int run(const CommonOptions& options, const LaunchCall& call);
struct InitOptions {
    std::string ptx, entry;
    std::string output;  ///< empty: standard output
    bool force{};        ///< may replace a file
};
[[nodiscard]] int init(const InitOptions& options);
[[nodiscard]] int replay(const CommonOptions& options);
[[nodiscard]] int check(const std::string& path, const std::string& dialect, bool json);
[[nodiscard]] int decode(const DecodeOptions& options);
[[nodiscard]] int params(const std::string& preset, const std::string& timing,
                         const std::string& with, bool json);
/// `gsu params --structure`: what gsu build and --with take, and what a model of `with` is called in the cache. Throws InputError.
[[nodiscard]] int structureParams(const std::string& with, bool json);
[[nodiscard]] int help(const std::string& mnemonic);
struct RulesOptions {
    std::string kind{"ub"};
    std::string folder;  ///< where examples are written; empty: nowhere
    bool json{};
};
[[nodiscard]] int rules(const RulesOptions& options);
/// What `gsu help` prints of a rule, with its examples; empty if no rule has this name.
[[nodiscard]] std::string ruleHelp(const std::string& id);

/// "gsu 0.2.0 (commit 1a2b3c4d5, Verilator 5.006, GNU 12.2.0, Release)"; without the commit where it was not built from a checkout.
[[nodiscard]] const char* versionText() noexcept;

}  // namespace gsu::cli
