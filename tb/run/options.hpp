/// Options that `gsu run` and `gsu replay` share, and what follows from them.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exec/launch/chips.hpp"
#include "exec/machine/executor.hpp"
#include "exec/settings/params.hpp"
#include "golden/params.hpp"
#include "golden/types.hpp"
#include "units/sync_unit.hpp"

namespace CLI {
class App;
}

namespace gsu::run {

/// Checks an unsigned number for CLI11, which alone would take "-1". Returns an error text, or empty.
[[nodiscard]] std::string unsignedNumber(const std::string& text);
/// The same for a number of 1 or more.
[[nodiscard]] std::string aboveZero(const std::string& text);

/// Options as the user wrote them. *run only*, *not of replay*: the other commands do not offer the option, and leave the default.
struct CommonOptions {
    std::string input;
    std::string unitName{"lockstep"};
    bool json{}, coverage{}, assertions{};
    bool keepGoing{};                   ///< run only
    std::string tensorName{"compute"};  ///< run only
    ModelChoice choice;                 ///< --with, --model: run and replay only
    std::size_t print{};                ///< run only: elements shown of every buffer
    unsigned threads{};                 ///< threads of the RTL: 1, 2, or 0 for as many as help
    std::string fst, fstWindow, waves, record, timeline;
    bool recordAccesses{};             ///< with --record. Not of replay
    std::string dot;                   ///< run only
    std::string dumpSmem, dumpMemory;  ///< run only
    std::uint32_t dumpCta{};           ///< CTA of dumpSmem
    std::optional<Cycle> fstAround;    ///< --fst-around CYCLE, or the cycle of the event
    std::string fstEvent;   ///< --fst-around finding or hang: run only, see Probe in tb/cli/run.cpp
    std::string checkName;  ///< --check: race
    std::vector<std::string> ignores;      ///< --ignore: RULE or RULE@LINE
    std::string ignoreFile;                ///< --ignore-file: lines of the same
    std::string sarif;                     ///< --sarif: findings for editors and CI. Not of replay
    std::vector<std::string> assignments;  ///< --set
    std::string presetName;                ///< empty: not given
    std::string timingName;                ///< --timing; empty: not given. Not of replay
    unsigned of{};                         ///< --of; 0: not given. Not of replay
    bool range{};                          ///< --range: with window 1, too. run only
    std::string chipName;  ///< --chip, or the chip of the launch file; empty: neither. Run only
    std::optional<Cycle> maxCycles;
    std::uint64_t seed{1};

    void addTo(CLI::App& app);
    void addStructureTo(CLI::App& app);
    void addTimingTo(CLI::App& app);
    void addRangeTo(CLI::App& app);
    void addChipTo(CLI::App& app);
    void addFindingsTo(CLI::App& app);
    // All of these throw InputError for options that cannot be used.
    [[nodiscard]] UnitKind unit() const;
    [[nodiscard]] TensorMode tensor() const noexcept;
    [[nodiscard]] bool checksRaces() const noexcept { return checkName == "race"; }
    /// The rules of --ignore, then those of --ignore-file. Throws InputError for an unknown rule.
    [[nodiscard]] std::vector<Suppression> suppressions() const;
    /// The unit for reports, with its structure if that is not the default.
    [[nodiscard]] std::string unitText() const;
    /// The chip; nullptr: none is named.
    [[nodiscard]] const ChipModel* chip() const;
    /// The preset of --preset, else of the chip.
    [[nodiscard]] std::optional<Preset> preset() const;
    /// Applies --set for the unit and the executor to `config` and `params`.
    void applySettings(Config& config, ExecParams& params) const;
    /// Replaces --timing target by the timing of the PTX's .target, unless the launch file (`inFile`: empty, or its timing) or --set names
    /// one. Call before settings().
    void chooseTiming(const std::string& target, const std::string& inFile);
    /// Parameters of preset and timing for the unit, and in `params` for the executor, with --set on top. The options override "timing"
    /// and "of" of `launch`, the launch file; nullptr: there is none.
    [[nodiscard]] Config settings(Preset preset, ExecParams& params,
                                  const LaunchSpec* launch = nullptr) const;
    /// Refuses --range with a timing that has no window.
    void checkRange(const ExecParams& params) const;
    /// `config` with the mbarrier profile of the module's .target (D-42), unless --set names mbar_policy: no transactions, no remote
    /// forms and no counts without .noComplete below sm_90, whatever the preset says.
    [[nodiscard]] Config forTarget(Config config, const std::string& target) const;
    /// The first and last cycle of the waves.
    void window(Cycle& from, Cycle& to) const;
    /// Checks before any work: no two outputs with one name, each in a folder that exists; waves only with RTL.
    void check() const;
    /// Refuses outputs that cannot be written (checkOutputFile()), or that would replace this input.
    void protect(const std::filesystem::path& read) const;

private:
    /// The output files of this call, each with the option that names it; files that are not wanted have no name.
    [[nodiscard]] std::vector<std::pair<const char*, const std::string*>> outputFiles() const;
    void setAround(const std::string& text);
    void followUnit(ExecParams& params, const Config& usual, const Config& unit) const;
};

/// Exit codes of the program.
enum ExitCode : int { kAsExpected = 0, kNotAsExpected = 1, kUnusable = 2, kOwnError = 3 };

}  // namespace gsu::run
