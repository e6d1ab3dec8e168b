/// Microarchitecture parameters: the fields of gsu_pkg::cfg_t by name, with unit, range, defaults per preset and evidence.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "golden/layout.gen.hpp"

namespace gsu {

using Config = raw::Cfg;

enum class Preset : std::uint8_t { Hopper, Ampere, Blackwell, Ideal };

struct Parameter {
    const char* key;   ///< name of the field, used by --set
    const char* unit;  ///< "clocks", "bytes/clock", "slots", "bits"
    std::uint32_t min, max;
    std::uint32_t preset[4];  ///< indexed by Preset
    const char* evidence;     ///< where the default comes from
    std::uint32_t (*get)(const Config&);
    void (*set)(Config&, std::uint32_t);
};

[[nodiscard]] std::span<const Parameter> parameters() noexcept;
[[nodiscard]] Config configOf(Preset preset) noexcept;
/// "hopper", ...; nullptr-safe: an unknown name gives false.
[[nodiscard]] bool presetOf(std::string_view name, Preset& preset) noexcept;
[[nodiscard]] const char* nameOf(Preset preset) noexcept;
/// Applies KEY=VALUE; an error text (unknown key with the nearest match, bad number, out of range) or empty.
[[nodiscard]] std::string setParameter(Config& config, std::string_view assignment);

}  // namespace gsu
