#include "exec/timing/unit_values.hpp"

#include <array>

namespace gsu::timing {
namespace {

constexpr std::array kValues{
    UnitValue{"mbar_lat", 22, 12,
              "M, FLASH H200: expect_tx and wait 71 less a wait of 43. B300 has 54 for arrive and "
              "wait, which the preset gives: kept for Blackwell. The 6 (H200) and 8 (B300) of an "
              "arrive are its issue (timing.arrive_issue), not the answer with its state"},
    UnitValue{"trywait_lat", 38, 31,
              "M, FLASH H200: a try_wait that succeeds takes 43, 5 of it the pipeline; FLASH fits "
              "36 to H100, which the preset gives and Blackwell keeps: no figure there"},
    UnitValue{
        "mbar_remote_lat", 86, 93,
        "M, FLASH H200: remote arrive to the wake-up 212, less the way (89) and the wake-up "
        "(37 on Hopper, 30 on Blackwell). The hop stays 78: loads of the same job confirm it. "
        "What the far update does in this time is not known; none for Blackwell"},
    UnitValue{
        "trywait_limit", 7716, 7723,
        "M, FLASH H200: 7755 to 7776 clocks from the try_wait to its answer, at 1777 MHz 4.37 "
        "us, less the pipeline and trywait_lat; if it is a time and not a count, 8580 at 1965 "
        "MHz; none for Blackwell"},
};

/// Pipeline before the commit, in calibration.md.
constexpr std::uint32_t kCommit = 5;

std::uint32_t arriveAnswer(const Config& c) { return kCommit + c.mbar_lat; }
std::uint32_t tryWait(const Config& c) { return kCommit + c.trywait_lat; }
std::uint32_t arriveAndWait(const Config& c) { return arriveAnswer(c) + 1 + tryWait(c); }
std::uint32_t remoteWake(const Config& c)
{
    return 7 + c.dsm_hop + 2 + c.mbar_remote_lat + 1 + c.trywait_lat;
}
std::uint32_t waitLimit(const Config& c) { return kCommit + c.trywait_limit + 1 + c.trywait_lat; }

constexpr std::array kFigures{
    UnitFigure{"successful try_wait", 43, 43, Target::Hopper, tryWait, "M, FLASH H200"},
    UnitFigure{"arrive.expect_tx(0) and wait", 71, 71, Target::Hopper, arriveAndWait,
               "M, FLASH H200"},
    UnitFigure{"arrive and wait", 54, 54, Target::Blackwell, arriveAndWait, "M, B300"},
    UnitFigure{"remote arrive to the owner's wake-up", 212, 212, Target::Hopper, remoteWake,
               "M, FLASH H200"},
    UnitFigure{"remote arrive to the owner's wake-up", 212, 212, Target::Blackwell, remoteWake,
               "M, FLASH H200: none for Blackwell"},
    UnitFigure{"time limit of try_wait", 7755, 7776, Target::Hopper, waitLimit, "M, FLASH H200"},
};

}  // namespace

std::span<const UnitValue> unitValues() noexcept { return kValues; }
std::span<const UnitFigure> unitFigures() noexcept { return kFigures; }

void applyUnitValues(Config& config, Target target) noexcept
{
    for (const UnitValue& v : kValues) {
        for (const Parameter& p : parameters()) {
            if (std::string_view(p.key) == v.key)
                p.set(config, target == Target::Hopper ? v.hopper : v.blackwell);
        }
    }
}

Config unitConfigOf(Target target) noexcept
{
    Config config = configOf(target == Target::Hopper ? Preset::Hopper : Preset::Blackwell);
    applyUnitValues(config, target);
    return config;
}

}  // namespace gsu::timing
