/// Settings that `gsu exec` passes to the stand-in of the CUDA libraries in the program's process, and the records that come back.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/options.hpp"

namespace gsu::run {

/// Environment variables of the program: the settings as JSON, and the folder for the records.
inline constexpr const char* kExecSettings = "GSU_EXEC";
inline constexpr const char* kExecFolder = "GSU_EXEC_FOLDER";
/// File in that folder: a line of JSON for each launch and for the end of each process.
inline constexpr const char* kExecRecords = "records";

/// The launches that get a report, waves, timeline and trace: `--kernel NAME[:N]`.
struct KernelChoice {
    std::string name;  ///< mangled, or the part of the readable name before its parameters
    std::optional<std::uint64_t> n;  ///< only its n-th launch, from 0
};

struct ExecSettings {
    CommonOptions
        common;  ///< options of the chosen launches; --unit: of all, unless `others` is given
    std::string kernel;      ///< "NAME[:N]"; empty: every launch gets a line, none a report
    std::string others;      ///< unit of the launches that `kernel` does not choose, or kFunctional
    unsigned sm{90};         ///< compute capability of the device, 10 * major + minor
    unsigned sms{16};        ///< multiprocessors of the device
    std::uint64_t memory{};  ///< bytes of device memory; 0: kDefaultMemory
    std::string save;        ///< folder for the launches as launch lists
    bool leaks{}, quiet{};
    bool checkUninit{};  ///< reads of unwritten device memory are findings
    /// The value of `others` beside the names of units: the golden model on the preset with the least latencies.
    static constexpr const char* kFunctional = "functional";
    static constexpr std::uint64_t kDefaultMemory = 4ull << 30;

    /// Throws InputError for settings that cannot be used.
    void check() const;
    /// The parts of `kernel`; nullopt: not given. Throws InputError.
    [[nodiscard]] std::optional<KernelChoice> choice() const;
    [[nodiscard]] std::string text() const;
    /// Reads the result of text(). Throws InputError.
    [[nodiscard]] static ExecSettings of(const std::string& text);
};

}  // namespace gsu::run
