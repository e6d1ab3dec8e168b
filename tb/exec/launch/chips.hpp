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

/// Clusters of `ctas` CTAs, one on each SM, that run side by side on a chip of `sms` SMs. Of 132 SMs it is the number that an H100 and an H200 hold, whose
/// GPCs have 16, 16, 16, 16, 16, 18, 18 and 8 SMs, and four pairs of SMs of their own (tests/hardware). Pre: 1 <= ctas <= 16.
[[nodiscard]] unsigned clustersSideBySide(unsigned sms, unsigned ctas) noexcept;
/// The chip of this name, or nullptr.
[[nodiscard]] const ChipModel* chipOf(std::string_view name) noexcept;
/// The names: "h100, h200, b200".
[[nodiscard]] std::string chipNames();

}  // namespace gsu
