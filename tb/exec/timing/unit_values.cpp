#include "exec/timing/unit_values.hpp"

#include <array>

namespace gsu::timing {
namespace {

constexpr std::array kValues{
    UnitValue{"bar_release_lat", 11, 22,
              "M, tests/hardware H100, H200: rows barSync1 to barSync32 take 12 + 1.9 W; B300 has "
              "22 + 2 W, which the preset gives: kept for Blackwell"},
    UnitValue{
        "cbar_up_lat", 27, 36,
        "M, tests/hardware H100, H200: rows clusterRelaxed2 to 16 take 74 to 86; B300 has 102 "
        "for two CTAs, which the preset gives"},
    UnitValue{"cbar_down_lat", 27, 36, "the same"},
    UnitValue{"cbar_wait_lat", 11, 21, "the same: the tail of bar_release_lat"},
    UnitValue{
        "dsm_hop", 72, 78,
        "D from M, tests/hardware H100, H200: row pingArriveRelaxed, 440 both ways; FLASH fits "
        "78 to H200, which the preset gives"},
    UnitValue{
        "vote_lat", 11, 5,
        "M, tests/hardware H100, H200: row voteBallot, 17 with its comparison. Blackwell: the "
        "preset's, no figure"},
    UnitValue{
        "warp_sync_lat", 0, 5,
        "M, tests/hardware H100, H200: row warpSync, of all lanes; B300 has 7.25 for a partial "
        "mask, which the preset gives"},
    UnitValue{
        "match_lat", 26, 366,
        "M, tests/hardware H100, H200: row matchAnySame, one value; B300 has 375 for 32, which "
        "the preset gives to the first"},
    UnitValue{"fence_cta_lat", 1, 8,
              "M, tests/hardware H100, H200: row fenceCta; other fences of the CTA have "
              "timing.fence_view, too. B300 has 6 to 16, which the preset gives"},
    UnitValue{"fence_sys_lat", 1024, 1750,
              "M, tests/hardware H200: rows fenceSys, fenceScSys (H100: 1351, 1300); B300 has 1750 "
              "to 3042, which the preset gives"},
    UnitValue{
        "mbar_lat", 1, 12,
        "M, tests/hardware H100, H200: row mbarArrive: arrives follow each other every 6 "
        "clocks, and arrive and wait take 46, not the 71 of FLASH H200. B300 has 54 for arrive "
        "and wait, which the preset gives: kept for Blackwell"},
    UnitValue{
        "trywait_lat", 28, 31,
        "M, tests/hardware H100, H200: rows mbarTestWaitTrue, mbarTestWaitFalse (32 to 36 "
        "without the arithmetic around it), mbarArriveWait, mbarSyncLane1; FLASH H200 has 43, "
        "and fits 36 to H100, which the preset gives and Blackwell keeps"},
    UnitValue{
        "smem_lat", 3, 23,
        "M, tests/hardware H100, H200: row mbarArriveLanesOwn, 4.9 clocks for each mbarrier of "
        "32: what the cache of the unit does not hold costs little. The preset's for Blackwell"},
    UnitValue{
        "mbar_remote_lat", 6, 93,
        "M, tests/hardware H100, H200: rows dsmemAtom, dsmemCas; what a remote arrive takes more "
        "is the wake-up of a wait (timing.wait_wake). Blackwell as FLASH H200: remote arrive to "
        "the wake-up 212, less the way (89) and the wake-up (30)"},
    UnitValue{
        "trywait_limit", 7730, 7723,
        "M, tests/hardware H100, H200: row mbarTryWaitFalse 7774, FLASH H200: 7755 to 7776 clocks "
        "from the try_wait to its answer, at 1777 MHz 4.37 us, less the pipeline and trywait_lat; "
        "if it is a time and not a count, 8580 at 1965 MHz; none for Blackwell"},
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
std::uint32_t barSync(const Config& c) { return c.bar_release_lat + 2; }
std::uint32_t clusterBarrier(const Config& c)
{
    return c.cbar_up_lat + c.cbar_down_lat + c.cbar_wait_lat + 9;
}

constexpr const char* kOurs = "M, tests/hardware H100, H200";
constexpr std::array kFigures{
    UnitFigure{"successful try_wait", 32, 36, Target::Hopper, tryWait, kOurs},
    UnitFigure{"arrive to its answer", 6, 6, Target::Hopper, arriveAnswer, kOurs},
    UnitFigure{"arrive and wait, with its branch", 40, 46, Target::Hopper, arriveAndWait, kOurs},
    UnitFigure{"arrive and wait", 54, 54, Target::Blackwell, arriveAndWait, "M, B300"},
    UnitFigure{"remote arrive to the owner's wake-up", 212, 212, Target::Blackwell, remoteWake,
               "M, FLASH H200: none for Blackwell"},
    UnitFigure{"time limit of try_wait", 7755, 7776, Target::Hopper, waitLimit,
               "M, FLASH H200, tests/hardware"},
    UnitFigure{"bar.sync of one warp", 13, 14, Target::Hopper, barSync, kOurs},
    UnitFigure{"barrier.cluster, relaxed, two CTAs", 74, 74, Target::Hopper, clusterBarrier, kOurs},
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
