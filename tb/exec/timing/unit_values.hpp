/// Parameters of the sync unit under the timings hopper and blackwell where they differ from the presets, and the published figures that they add up to
/// (rtl/doc/calibration.md has the sums). The caller that runs a launch applies them; `simple` keeps the presets.
#pragma once
#include <span>

#include "exec/timing/timing_params.hpp"
#include "golden/params.hpp"

namespace gsu::timing {

struct UnitValue {
    const char* key;  ///< of gsu::parameters()
    std::uint32_t hopper, blackwell;
    const char* source;  ///< with its mark (timing_params.hpp), and what speaks against it
};
[[nodiscard]] std::span<const UnitValue> unitValues() noexcept;
/// Puts these values into a configuration.
void applyUnitValues(Config& config, Target target) noexcept;
/// The preset with these values.
[[nodiscard]] Config unitConfigOf(Target target) noexcept;

/// A published figure of the unit's ports, and the sum that gives it.
struct UnitFigure {
    const char* name;
    std::uint32_t low, high;  ///< published
    Target target;
    std::uint32_t (*sum)(const Config&);
    const char* source;
};
[[nodiscard]] std::span<const UnitFigure> unitFigures() noexcept;

}  // namespace gsu::timing
