#include "golden/params.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "base/nearest.hpp"
#include "base/number.hpp"
#include "golden/structure.hpp"

namespace gsu {
namespace {

template <auto Field> std::uint32_t getField(const Config& config) { return config.*Field; }

template <auto Field> void setField(Config& config, std::uint32_t value)
{
    using Type = std::remove_reference_t<decltype(config.*Field)>;
    config.*Field = static_cast<Type>(value);
}

constexpr std::uint32_t k16 = 0xffff;
constexpr std::uint32_t k32 = 0xffff'ffff;

#define GSU_FIELD(name) #name
#define GSU_ACCESS(name) getField<&Config::name>, setField<&Config::name>

// Columns of the preset: hopper, ampere, blackwell, ideal.
constexpr std::array kParameters{
    Parameter{
        GSU_FIELD(bar_interval),
        "clocks",
        1,
        k16,
        {2, 2, 2, 1},
        "slope of bar.sync over warps 2.0 (B300), arrival interval 2 (H100), 0.36-0.47 warps/clock",
        GSU_ACCESS(bar_interval)},
    Parameter{GSU_FIELD(bar_release_lat),
              "clocks",
              0,
              k16,
              {22, 22, 22, 0},
              "bar.sync of W warps = 22 + 2W clocks at the port (B300); 30 fitted on H100",
              GSU_ACCESS(bar_release_lat)},
    Parameter{GSU_FIELD(bar_arrive_lat),
              "clocks",
              0,
              k16,
              {6, 6, 6, 0},
              "compiler-emitted stall of 6 after a BAR when another one follows (sm_80 and later)",
              GSU_ACCESS(bar_arrive_lat)},
    Parameter{GSU_FIELD(warp_sync_lat),
              "clocks",
              0,
              k16,
              {5, 5, 5, 0},
              "__syncwarp with a partial mask 7.25 clocks (B300), less issue and port",
              GSU_ACCESS(warp_sync_lat)},
    Parameter{GSU_FIELD(vote_lat),
              "clocks",
              0,
              k16,
              {5, 5, 5, 0},
              "vote, elect, activemask: no published number, taken as __syncwarp",
              GSU_ACCESS(vote_lat)},
    Parameter{GSU_FIELD(redux_lat),
              "clocks",
              0,
              k16,
              {35, 35, 35, 0},
              "REDUX.SUM 44 clocks at the port (B300), 9 of it operands and buffers",
              GSU_ACCESS(redux_lat)},
    Parameter{GSU_FIELD(redux_minmax_lat),
              "clocks",
              0,
              k16,
              {35, 35, 9, 0},
              "CREDUX.MIN 18 clocks at the port (B300); REDUX.MIN before it as the sum",
              GSU_ACCESS(redux_minmax_lat)},
    Parameter{GSU_FIELD(match_lat),
              "clocks",
              0,
              k16,
              {366, 366, 366, 0},
              "match.any 375 clocks at the port (B300), to the first set of lanes",
              GSU_ACCESS(match_lat)},
    Parameter{GSU_FIELD(cbar_up_lat),
              "clocks",
              0,
              k16,
              {36, 36, 36, 0},
              "a third of the relaxed cluster round trip of 102 clocks (B300), size-independent",
              GSU_ACCESS(cbar_up_lat)},
    Parameter{GSU_FIELD(cbar_down_lat),
              "clocks",
              0,
              k16,
              {36, 36, 36, 0},
              "a third of the relaxed cluster round trip of 102 clocks (B300)",
              GSU_ACCESS(cbar_down_lat)},
    Parameter{GSU_FIELD(cbar_wait_lat),
              "clocks",
              0,
              k16,
              {21, 21, 21, 0},
              "rest of the 102 clocks; same tail as a named release",
              GSU_ACCESS(cbar_wait_lat)},
    Parameter{GSU_FIELD(grid_up_lat),
              "clocks",
              0,
              k16,
              {36, 36, 36, 0},
              "griddepcontrol, SM to grid table: no published number, taken as cbar_up_lat",
              GSU_ACCESS(grid_up_lat)},
    Parameter{GSU_FIELD(grid_down_lat),
              "clocks",
              0,
              k16,
              {36, 36, 36, 0},
              "grid table to SM: no published number, taken as cbar_down_lat",
              GSU_ACCESS(grid_down_lat)},
    Parameter{GSU_FIELD(mbar_interval),
              "clocks",
              1,
              k16,
              {1, 2, 1, 1},
              "one barrier operation a clock and SM (patent); Ampere uses shared atomics",
              GSU_ACCESS(mbar_interval)},
    Parameter{GSU_FIELD(mbar_lat),
              "clocks",
              0,
              k16,
              {12, 30, 12, 0},
              "arrive + wait round trip 54 at the port (B300); shared atomic 30 on Ampere",
              GSU_ACCESS(mbar_lat)},
    Parameter{GSU_FIELD(mbar_remote_lat),
              "clocks",
              0,
              k16,
              {18, 18, 18, 0},
              "no published number: taken as a local update",
              GSU_ACCESS(mbar_remote_lat)},
    Parameter{GSU_FIELD(mbar_policy),
              "bits",
              0,
              7,
              {0, 4, 0, 0},
              "bit 0 write-back cache, bit 1 lock on error (D-36), bit 2 sm_80 profile (D-42)",
              GSU_ACCESS(mbar_policy)},
    Parameter{GSU_FIELD(trywait_lat),
              "clocks",
              0,
              k16,
              {31, 36, 31, 0},
              "try_wait to predicate 36 at the port (H100 fit), 5 of it the pipeline",
              GSU_ACCESS(trywait_lat)},
    Parameter{GSU_FIELD(trywait_slots),
              "slots",
              0,
              32,
              {32, 0, 32, 32},
              "32-entry wait buffer (patent); sm_80 has no try_wait",
              GSU_ACCESS(trywait_slots)},
    Parameter{GSU_FIELD(trywait_limit),
              "clocks",
              0,
              k32,
              {1'000'000, 1'000'000, 1'000'000, 1'000'000},
              "system-dependent in the text; no published number",
              GSU_ACCESS(trywait_limit)},
    Parameter{GSU_FIELD(smem_lat),
              "clocks",
              1,
              k16,
              {23, 23, 23, 1},
              "shared load 29-31 clocks less issue and write-back",
              GSU_ACCESS(smem_lat)},
    Parameter{GSU_FIELD(dsm_hop),
              "clocks",
              0,
              k16,
              {78, 78, 78, 0},
              "one-way fit over H200 DSMEM loads, flat over pairs",
              GSU_ACCESS(dsm_hop)},
    Parameter{GSU_FIELD(net_bytes),
              "bytes/clock",
              0,
              k16,
              {16, 16, 16, 0},
              "ring copy 16.4 bytes/clock and SM at cluster size 2 (H800); 0 is unlimited",
              GSU_ACCESS(net_bytes)},
    Parameter{GSU_FIELD(fence_cta_lat),
              "clocks",
              0,
              k32,
              {8, 8, 8, 0},
              "fence of scope cta 6-16 clocks (B300), from the request to its answer; proxy fences "
              "as well",
              GSU_ACCESS(fence_cta_lat)},
    Parameter{GSU_FIELD(fence_gpu_lat),
              "clocks",
              0,
              k32,
              {270, 270, 270, 0},
              "fence of scope gpu or cluster 258-320 clocks (B300); part of 373 for cluster.sync "
              "with release and acquire",
              GSU_ACCESS(fence_gpu_lat)},
    Parameter{GSU_FIELD(fence_sys_lat),
              "clocks",
              0,
              k32,
              {1750, 1750, 1750, 0},
              "fence of scope sys 1750-3042 clocks (B300)",
              GSU_ACCESS(fence_sys_lat)},
    Parameter{GSU_FIELD(null_lat),
              "clocks",
              0,
              k16,
              {4, 4, 4, 0},
              "no hardware counterpart: answer of an operation without a unit",
              GSU_ACCESS(null_lat)},
};

#undef GSU_FIELD
#undef GSU_ACCESS

constexpr const char* kSeeParams = " (gsu params lists them)";
constexpr std::string_view kFormerPrefix = "exec.";

constexpr std::array kPresetNames{"hopper", "ampere", "blackwell", "ideal"};

}  // namespace

std::span<const Parameter> parameters() noexcept { return kParameters; }

bool isFormerParameter(std::string_view key) noexcept
{
    return key == "exec.fence_cta_lat" || key == "exec.fence_gpu_lat" ||
           key == "exec.fence_sys_lat";
}

Config configOf(Preset preset) noexcept
{
    Config config{};
    for (const Parameter& parameter : kParameters)
        parameter.set(config, parameter.preset[static_cast<std::size_t>(preset)]);
    return config;
}

bool presetOf(std::string_view name, Preset& preset) noexcept
{
    for (std::size_t i = 0; i < kPresetNames.size(); ++i) {
        if (name == kPresetNames[i]) {
            preset = static_cast<Preset>(i);
            return true;
        }
    }
    return false;
}

const char* nameOf(Preset preset) noexcept
{
    return kPresetNames[static_cast<std::size_t>(preset)];
}

std::string setParameter(Config& config, std::string_view assignment)
{
    return setParameter(config, assignment, defaultStructure());
}

std::string setParameter(Config& config, std::string_view assignment, const Structure& structure)
{
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos)
        return "expected KEY=VALUE, got '" + std::string(assignment) + "'";
    std::string_view key = assignment.substr(0, equals);
    const std::string_view text = assignment.substr(equals + 1);
    if (isFormerParameter(key)) key.remove_prefix(kFormerPrefix.size());
    const auto found = std::find_if(kParameters.begin(), kParameters.end(),
                                    [&](const Parameter& p) { return key == p.key; });
    if (found == kParameters.end())
        return withNearest("unknown parameter '" + std::string(key) + "'", kParameters, key) +
               kSeeParams;
    const auto number = wholeNumber(text, ~std::uint64_t{0}, Digits::Either);
    const std::uint32_t max = maxOf(*found, structure);
    const std::string range =
        std::to_string(found->min) + ".." + std::to_string(max) + ' ' + found->unit;
    if (!number)
        return "parameter '" + std::string(key) + "': '" + std::string(text) +
               "' is not a number of " + range;
    if (*number < found->min || *number > max)
        return "parameter '" + std::string(key) + "': " + std::to_string(*number) + " is outside " +
               range;
    found->set(config, static_cast<std::uint32_t>(*number));
    return {};
}

}  // namespace gsu
