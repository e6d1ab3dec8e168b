#include "exec/machine/params.hpp"

#include <array>

#include "base/number.hpp"

namespace gsu {
namespace {

constexpr std::array<ExecParameter, 17> kParameters{{
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
    {"exec.reconverge_instructions", "instructions", 1, 1000000,
     &ExecParams::reconverge_instructions},
    {"exec.slice", "instructions", 1, 1000000, &ExecParams::slice},
    {"exec.batch", "instructions", 1, 1000, &ExecParams::batch},
    {"exec.quiet", "instructions", 100, 100000000, &ExecParams::quiet},
    {"exec.clock_mhz", "MHz", 1, 10000, &ExecParams::clock_mhz},
}};

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
            break;
    }
    return p;
}

bool isExecParameter(std::string_view assignment) noexcept
{
    return assignment.substr(0, 5) == "exec." &&
           !isFormerParameter(assignment.substr(0, assignment.find('=')));
}

std::string setExecParameter(ExecParams& params, std::string_view assignment)
{
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos) {
        return "expected KEY=VALUE, found '" + std::string(assignment) + "'";
    }
    const std::string_view key = assignment.substr(0, equals);
    const std::string_view text = assignment.substr(equals + 1);
    for (const ExecParameter& q : kParameters) {
        if (key != q.key) continue;
        const auto value = wholeNumber(text, q.max);
        if (!value || *value < q.min) {
            return std::string(q.key) + " takes a whole number " + std::to_string(q.min) + ".." +
                   std::to_string(q.max) + " (" + q.unit + "), not '" + std::string(text) + "'";
        }
        params.*q.field = static_cast<std::uint32_t>(*value);
        return {};
    }
    return "unknown parameter '" + std::string(key) + "'";
}

}  // namespace gsu
