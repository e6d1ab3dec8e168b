#include "exec/settings/params.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/nearest.hpp"
#include "base/number.hpp"
#include "exec/visibility/form.hpp"

namespace gsu {
namespace {

constexpr std::array kForms{visibility::nameOf(visibility::Form::Immediate),
                            visibility::nameOf(visibility::Form::Default),
                            visibility::nameOf(visibility::Form::Weak)};

/// A tmem::ShiftReach each.
constexpr std::array kShiftReaches{"refused", "warp", "all"};

constexpr std::array kTimings{"simple", "hopper", "blackwell"};

/// Latencies that the servers of the other timings replace.
constexpr std::array kOfSimple{
    &ExecParams::alu_lat,    &ExecParams::wide_lat,      &ExecParams::sfu_lat,
    &ExecParams::shared_lat, &ExecParams::global_lat,    &ExecParams::atomic_lat,
    &ExecParams::dsm_lat,    &ExecParams::launch_lat,    &ExecParams::warp_sync_lat,
    &ExecParams::copy_lat,   &ExecParams::copy_bytes,    &ExecParams::copy_jitter,
    &ExecParams::mma_lat,    &ExecParams::mma_async_lat, &ExecParams::mma_rate,
    &ExecParams::mma_jitter, &ExecParams::tmem_lat,      &ExecParams::tmem_jitter,
    &ExecParams::batch};

constexpr std::array<ExecParameter, 29> kParameters{{
    {"exec.alu_lat", "clocks", 1, 1000, &ExecParams::alu_lat},
    {"exec.wide_lat", "clocks", 1, 1000, &ExecParams::wide_lat},
    {"exec.sfu_lat", "clocks", 1, 1000, &ExecParams::sfu_lat},
    {"exec.shared_lat", "clocks", 1, 10000, &ExecParams::shared_lat},
    {"exec.global_lat", "clocks", 1, 100000, &ExecParams::global_lat},
    {"exec.atomic_lat", "clocks", 1, 100000, &ExecParams::atomic_lat},
    {"exec.dsm_lat", "clocks", 1, 100000, &ExecParams::dsm_lat},
    {"exec.launch_lat", "clocks", 1, 100000, &ExecParams::launch_lat},
    {"exec.warp_sync_lat", "clocks", 1, 1000, &ExecParams::warp_sync_lat},
    {"exec.copy_lat", "clocks", 1, 1000000, &ExecParams::copy_lat},
    {"exec.copy_bytes", "bytes/clock", 1, 65536, &ExecParams::copy_bytes},
    {"exec.copy_jitter", "percent", 0, 1000, &ExecParams::copy_jitter},
    {"exec.mma_lat", "clocks", 1, 100000, &ExecParams::mma_lat},
    {"exec.mma_async_lat", "clocks", 1, 100000, &ExecParams::mma_async_lat},
    {"exec.mma_rate", "multiply-adds/clock", 4, 1000000, &ExecParams::mma_rate},
    {"exec.mma_jitter", "percent", 0, 1000, &ExecParams::mma_jitter},
    {"exec.tcgen05_lat", "clocks", 1, 1000000, &ExecParams::tcgen05_lat},
    {"exec.tcgen05_rate", "multiply-adds/clock", 4, 1000000, &ExecParams::tcgen05_rate},
    {"exec.tcgen05_jitter", "percent", 0, 1000, &ExecParams::tcgen05_jitter},
    {"exec.tmem_lat", "clocks", 1, 1000000, &ExecParams::tmem_lat},
    {"exec.tmem_jitter", "percent", 0, 1000, &ExecParams::tmem_jitter},
    {"exec.tmem_alloc_lat", "clocks", 1, 1000000, &ExecParams::tmem_alloc_lat},
    {"exec.tcgen05_shift", "lanes", 0, 2, &ExecParams::tcgen05_shift, kShiftReaches},
    {"exec.reconverge_instructions", "instructions", 1, 1000000,
     &ExecParams::reconverge_instructions},
    {"exec.slice", "instructions", 1, 1000000, &ExecParams::slice},
    {"exec.batch", "instructions", 1, 1000, &ExecParams::batch},
    {"exec.quiet", "instructions", 100, 100000000, &ExecParams::quiet},
    {"exec.clock_mhz", "MHz", 1, 10000, &ExecParams::clock_mhz},
    {"exec.memory", "form", 0, 2, &ExecParams::memory, kForms},
}};

/// A former parameter of `--set`. Parameters that only have another name now are still taken (isFormerParameter).
struct GoneParameter {
    std::string_view key;
    const char* instead;
};
constexpr std::array kGone{
    GoneParameter{"exec.reconverge_clocks",
                  "how long parked lanes wait is counted in instructions of their siblings, "
                  "--set exec.reconverge_instructions=N"},
    GoneParameter{"exec.aligned_instructions",
                  "an aligned instruction waits for the other lanes of its warp however many "
                  "instructions they issue; nothing takes its place"},
};

}  // namespace

std::span<const ExecParameter> execParameters() noexcept { return kParameters; }

ExecParams execParamsOf(Preset preset) noexcept
{
    ExecParams p;
    switch (preset) {
        case Preset::Hopper: break;
        case Preset::Ampere:
            p.global_lat = 290;
            p.clock_mhz = 1410;
            break;
        case Preset::Blackwell:
            p.shared_lat = 24;
            p.clock_mhz = 1920;
            break;
        case Preset::Ideal:
            for (const ExecParameter& q : kParameters) {
                const std::string_view unit = q.unit;
                if (unit == "clocks") p.*q.field = 1;
            }
            p.copy_bytes = 65536;
            p.copy_jitter = 0;
            p.mma_rate = 1000000;
            p.mma_jitter = 0;
            p.tcgen05_rate = 1000000;
            p.tcgen05_jitter = p.tmem_jitter = 0;
            break;
    }
    return p;
}

bool isExecParameter(std::string_view assignment) noexcept
{
    return assignment.starts_with("timing.") ||
           (assignment.starts_with("exec.") &&
            !isFormerParameter(assignment.substr(0, assignment.find('='))));
}

namespace {

std::string listOf(std::span<const char* const> names)
{
    std::string text;
    for (const char* name : names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

}  // namespace

namespace {

std::string setServer(ExecParams& params, std::string_view assignment)
{
    if (params.timing == Timing::Simple)
        return "timing.* are of exec.timing=hopper and blackwell (--timing NAME); this is simple";
    std::string error = timing::setTimingParameter(params.servers, assignment);
    params.clock_mhz = params.servers.clock_mhz;
    return error;
}

/// The reason why the chosen timing does not use a parameter; empty: it does.
std::string unusedBy(const ExecParams& params, const ExecParameter& q)
{
    if (isUsed(params, q)) return {};
    return fmt::format("exec.timing={} does not use {}: its times are timing.* (gsu params lists "
                       "them); --timing simple uses it",
                       nameOf(params.timing), q.key);
}

}  // namespace

bool isUsed(const ExecParams& params, const ExecParameter& q) noexcept
{
    return params.timing == Timing::Simple ||
           std::find(kOfSimple.begin(), kOfSimple.end(), q.field) == kOfSimple.end();
}

const char* nameOf(Timing timing) noexcept { return kTimings[static_cast<std::size_t>(timing)]; }

std::string setTiming(ExecParams& params, std::string_view name)
{
    const auto found = std::find(kTimings.begin(), kTimings.end(), name);
    if (found == kTimings.end())
        return "exec.timing is one of " + listOf(kTimings) + ", not '" + std::string(name) + "'";
    params.timing = static_cast<Timing>(found - kTimings.begin());
    if (params.timing == Timing::Simple) return {};
    for (const auto field : kOfSimple) params.*field = 1;
    params.servers = timing::timingParamsOf(
        params.timing == Timing::Hopper ? timing::Target::Hopper : timing::Target::Blackwell);
    params.clock_mhz = params.servers.clock_mhz;
    return {};
}

std::string setPart(ExecParams& params, std::string_view sms)
{
    constexpr std::uint64_t kMost = 1024;
    if (params.timing == Timing::Simple)
        return "exec.of goes with exec.timing=hopper or blackwell: simple has no chip to share";
    const auto value = wholeNumber(sms, kMost);
    if (!value || *value == 0 || *value > kMost)
        return fmt::format("exec.of takes a whole number 1..{} (SMs), not '{}'", kMost, sms);
    params.of = static_cast<std::uint32_t>(*value);
    return {};
}

std::string setExecParameter(ExecParams& params, std::string_view assignment)
{
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos) {
        return "expected KEY=VALUE, found '" + std::string(assignment) + "'";
    }
    const std::string_view key = assignment.substr(0, equals);
    const std::string_view text = assignment.substr(equals + 1);
    if (key.starts_with("timing.")) return setServer(params, assignment);
    if (key == "exec.timing") return setTiming(params, text);
    if (key == "exec.of") return setPart(params, text);
    for (const ExecParameter& q : kParameters) {
        if (key != q.key) continue;
        if (std::string unused = unusedBy(params, q); !unused.empty()) return unused;
        const auto name = std::find(q.names.begin(), q.names.end(), text);
        if (name != q.names.end()) {
            params.*q.field = static_cast<std::uint32_t>(name - q.names.begin());
            return {};
        }
        const auto value = wholeNumber(text, q.max);
        if (!q.names.empty() && (!value || *value > q.max))
            return std::string(q.key) + " is one of " + listOf(q.names) + ", not '" +
                   std::string(text) + "'";
        if (!value || *value < q.min) {
            return fmt::format("{} takes a whole number {}..{} ({}), not '{}'", q.key, q.min, q.max,
                               q.unit, text);
        }
        params.*q.field = static_cast<std::uint32_t>(*value);
        params.servers.clock_mhz = params.clock_mhz;
        return {};
    }
    const auto gone = std::find_if(kGone.begin(), kGone.end(),
                                   [&](const GoneParameter& g) { return key == g.key; });
    if (gone != kGone.end()) return fmt::format("there is no {} any more: {}", key, gone->instead);
    return withNearest(fmt::format("unknown parameter '{}'", key), kParameters, key) +
           " (gsu params lists them)";
}

}  // namespace gsu
