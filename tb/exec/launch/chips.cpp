#include "exec/launch/chips.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "golden/chip_layout.hpp"

namespace gsu {
namespace {

/// Numbers of SMs and GPCs from the data sheets. Clocks are those of published measurements (tb/exec/timing/timing_params.cpp), not the highest ones.
constexpr std::array kChips{
    ChipModel{"h100", Preset::Hopper, 132, 8, 1755, "H100 SXM; up to 1980 MHz"},
    ChipModel{"h200", Preset::Hopper, 132, 8, 1777, "H200; observed under load"},
    ChipModel{"b200", Preset::Blackwell, 148, 8, 1965, "B200"},
};
static_assert(std::ranges::all_of(kChips, [](const ChipModel& c) { return c.sms <= kMaxChipSms; }));

constexpr unsigned kMeasuredSms = 132;
constexpr std::array kMeasuredGpcs{16u, 16u, 16u, 16u, 16u, 18u, 18u, 8u, 2u, 2u, 2u, 2u};
static_assert(std::accumulate(kMeasuredGpcs.begin(), kMeasuredGpcs.end(), 0u) == kMeasuredSms);

}  // namespace

unsigned clustersSideBySide(unsigned sms, unsigned ctas) noexcept
{
    if (sms != kMeasuredSms) return std::max(1u, sms / ctas);
    unsigned clusters = 0;
    for (const unsigned gpc : kMeasuredGpcs) clusters += gpc / ctas;
    return clusters;
}

const ChipModel* chipOf(std::string_view name) noexcept
{
    const auto found =
        std::find_if(kChips.begin(), kChips.end(), [&](const auto& c) { return c.name == name; });
    return found == kChips.end() ? nullptr : found;
}

std::string chipNames()
{
    std::string names;
    for (const ChipModel& c : kChips) names += (names.empty() ? "" : ", ") + std::string(c.name);
    return names;
}

}  // namespace gsu
