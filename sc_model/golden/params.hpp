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

/// Description of one parameter.
struct Parameter {
    const char* key;                      ///< name of the field, used by --set
    const char* unit;                     ///< "clocks", "bytes/clock", "slots", "bits"
    std::uint32_t min;                    ///< smallest value
    std::uint32_t max;                    ///< largest value
    std::uint32_t preset[4];              ///< indexed by Preset
    const char* evidence;                 ///< source of the default
    std::uint32_t (*get)(const Config&);  ///< reads it
    void (*set)(Config&, std::uint32_t);  ///< writes it; Pre: min..max
};

/// All parameters.
[[nodiscard]] std::span<const Parameter> parameters() noexcept;
/// Whether this is the old name of a parameter that belonged to the executor before; setParameter() takes such names, too.
[[nodiscard]] bool isFormerParameter(std::string_view key) noexcept;
/// The defaults of a preset.
[[nodiscard]] Config configOf(Preset preset) noexcept;
/// Finds the preset of a name ("hopper", ...); false if there is none.
[[nodiscard]] bool presetOf(std::string_view name, Preset& preset) noexcept;
/// The name of a preset ("hopper", ...).
[[nodiscard]] const char* nameOf(Preset preset) noexcept;
/// Applies KEY=VALUE. Returns an empty text, or the error: unknown key (with the nearest one), bad number, out of range.
[[nodiscard]] std::string setParameter(Config& config, std::string_view assignment);

}  // namespace gsu
