/// Chips by name: number of SMs, preset, clock.
#pragma once
#include <string>
#include <string_view>

#include "golden/params.hpp"

namespace gsu {

struct ChipModel {
    std::string_view name;
    Preset preset;
    unsigned sms, gpcs;
    std::uint32_t clockMhz;
    std::string_view source;
};

/// The chip of this name, or nullptr.
[[nodiscard]] const ChipModel* chipOf(std::string_view name) noexcept;
/// The names: "h100, h200, b200".
[[nodiscard]] std::string chipNames();

}  // namespace gsu
