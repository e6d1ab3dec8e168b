/// \file
/// Microarchitecture parameters: the fields of gsu_pkg::cfg_t by name, with unit, range, defaults per preset and evidence.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "golden/layout.gen.hpp"

namespace gsu {

/// All parameters of a unit; from configOf() and setParameter().
using Config = raw::Cfg;

/// Named sets of defaults.
enum class Preset : std::uint8_t {
    Hopper,     ///< sm_90; the default
    Ampere,     ///< sm_80
    Blackwell,  ///< sm_100
    Ideal       ///< every latency as small as the RTL allows
};

/// One parameter.
struct Parameter {
    const char* key;                      ///< name of the field, used by --set
    const char* unit;                     ///< "clocks", "bytes/clock", "slots", "bits"
    std::uint32_t min;                    ///< smallest value
    std::uint32_t max;                    ///< largest value
    std::uint32_t preset[4];              ///< indexed by Preset
    const char* evidence;                 ///< where the default comes from
    std::uint32_t (*get)(const Config&);  ///< reads it
    void (*set)(Config&, std::uint32_t);  ///< writes it; Pre: min..max
};

/// All parameters.
[[nodiscard]] std::span<const Parameter> parameters() noexcept;
/// A parameter of the executor that is one of the unit now: setParameter() takes its old name, too.
[[nodiscard]] bool isFormerParameter(std::string_view key) noexcept;
/// The defaults of a preset.
[[nodiscard]] Config configOf(Preset preset) noexcept;
/// "hopper", ...; nullptr-safe: an unknown name gives false.
[[nodiscard]] bool presetOf(std::string_view name, Preset& preset) noexcept;
/// "hopper", ...
[[nodiscard]] const char* nameOf(Preset preset) noexcept;
/// Applies KEY=VALUE; an error text (unknown key with the nearest match, bad number, out of range) or empty.
[[nodiscard]] std::string setParameter(Config& config, std::string_view assignment);

}  // namespace gsu
