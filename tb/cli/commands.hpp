/// One function per command of `gsu`; each returns the exit code and throws InputError for unusable input.
#pragma once
#include <string>

#include "cli/decode.hpp"
#include "exec/launch/arguments.hpp"
#include "run/options.hpp"
#include "run/terminal.hpp"

namespace gsu::cli {

using namespace run;

/// `gsu run`. `call`: the launch, if the input is a PTX file.
[[nodiscard]] int run(const CommonOptions& options, const LaunchCall& call);
struct InitOptions {
    std::string ptx, entry;
    std::string output;  ///< empty: standard output
    bool force{};        ///< may overwrite a file
};
[[nodiscard]] int init(const InitOptions& options);
[[nodiscard]] int replay(const CommonOptions& options);
[[nodiscard]] int check(const std::string& path, const std::string& dialect, bool json);
[[nodiscard]] int decode(const DecodeOptions& options);
[[nodiscard]] int params(const std::string& preset, const std::string& timing,
                         const std::string& with, bool json);
/// `gsu params --structure`: the parameters of gsu build and --with, and the name of the model of `with` in the cache. Throws InputError.
[[nodiscard]] int structureParams(const std::string& with, bool json);
[[nodiscard]] int help(const std::string& mnemonic);
struct RulesOptions {
    std::string kind{"ub"};
    std::string folder;  ///< folder for the examples; empty: none are written
    bool json{};
};
[[nodiscard]] int rules(const RulesOptions& options);
/// The text of `gsu help` for a rule, with its examples; empty if no rule has this name.
[[nodiscard]] std::string ruleHelp(const std::string& id);

/// "gsu 0.2.0 (commit 1a2b3c4d5, Verilator 5.006, GNU 12.2.0, Release)"; without the commit if it was not built from a checkout.
[[nodiscard]] const char* versionText() noexcept;

}  // namespace gsu::cli
