#include "cuda/code/launch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"
#include "exec/storage/global_memory.hpp"
#include "golden/chip_layout.hpp"
#include "golden/limits.hpp"

namespace gsu::cuda {
namespace {

std::uint64_t product(const Dim& d) { return std::uint64_t{d[0]} * d[1] * d[2]; }

std::string text(const Dim& d) { return fmt::format("({}, {}, {})", d[0], d[1], d[2]); }

Refusal checkShape(const LaunchCall& call)
{
    constexpr Dim kGrid{0x7fff'ffff, 65535, 65535}, kBlock{1024, 1024, 64};
    for (unsigned d = 0; d < 3; ++d) {
        if (call.grid[d] == 0 || call.grid[d] > kGrid[d])
            return {Status::InvalidConfiguration, "a grid of " + text(call.grid)};
        if (call.block[d] == 0 || call.block[d] > kBlock[d])
            return {Status::InvalidConfiguration, "a block of " + text(call.block)};
    }
    if (product(call.block) > 1024)
        return {Status::InvalidConfiguration,
                fmt::format("a block of {} threads, at most 1024", product(call.block))};
    const ptx::Function& f = *call.kernel->function;
    if (f.reqntid && *f.reqntid != call.block)
        return {Status::InvalidConfiguration,
                "a block of " + text(call.block) + ", the kernel requires " + text(*f.reqntid)};
    if (f.maxntid && product(call.block) > product(*f.maxntid))
        return {Status::OutOfResources, fmt::format("{} threads, the kernel's launch bounds say {}",
                                                    product(call.block), product(*f.maxntid))};
    return {Status::Success};
}

Refusal checkCluster(const LaunchCall& call)
{
    const ptx::Function& f = *call.kernel->function;
    Dim cluster = call.cluster.value_or(Dim{1, 1, 1});
    if (f.reqnctapercluster) {
        if (call.cluster && *call.cluster != *f.reqnctapercluster)
            return {Status::InvalidCluster, "a cluster of " + text(*call.cluster) +
                                                ", the kernel requires " +
                                                text(*f.reqnctapercluster)};
        cluster = *f.reqnctapercluster;
    }
    const std::uint64_t ctas = product(cluster);
    const std::uint64_t most = call.kernel->largeCluster ? 16 : 8;
    if (ctas == 0 || ctas > most)
        return {Status::InvalidCluster,
                fmt::format("a cluster of {} CTAs, at most {}{}", ctas, most,
                            most == 8 ? " unless the kernel allows a non-portable size" : "")};
    for (unsigned d = 0; d < 3; ++d) {
        if (call.grid[d] % cluster[d] != 0)
            return {Status::InvalidCluster, "a grid of " + text(call.grid) +
                                                " is not a multiple of the cluster " +
                                                text(cluster)};
    }
    return {Status::Success};
}

}  // namespace

Refusal checkLaunch(const LaunchCall& call, unsigned sms)
{
    if (Refusal r = checkShape(call); r.status != Status::Success) return r;
    if (Refusal r = checkCluster(call); r.status != Status::Success) return r;
    if (call.dynamicSmem > call.kernel->maxDynamic)
        return {Status::InvalidValue,
                fmt::format("{} bytes of dynamic shared memory, the kernel may have {} "
                            "(its attribute says how many)",
                            call.dynamicSmem, call.kernel->maxDynamic)};
    const std::uint64_t shared = std::uint64_t{call.kernel->staticSmem} + call.dynamicSmem;
    if (shared > exec::SharedBytes::kUsablePerSm)
        return {Status::InvalidValue, fmt::format("{} bytes of shared memory, at most {}", shared,
                                                  exec::SharedBytes::kUsablePerSm)};
    if (!smsFor(call, sms))
        return {call.cooperative ? Status::CooperativeTooLarge : Status::OutOfResources,
                fmt::format("{} CTAs do not fit on {} at once", product(call.grid),
                            counted(sms, "SM"))};
    return {Status::Success};
}

unsigned residentCtas(const Kernel& kernel, std::uint32_t threads,
                      std::uint64_t dynamicSmem) noexcept
{
    const std::uint64_t warps = (std::max(threads, 1u) + 31) / 32;
    const std::uint64_t shared = (kernel.staticSmem + dynamicSmem + 255) / 256 * 256;
    const std::uint64_t bySmem = shared == 0 ? kMaxCtas : exec::SharedBytes::kUsablePerSm / shared;
    return static_cast<unsigned>(
        std::min({kMaxWarpSlots / warps, bySmem, std::uint64_t{kMaxCtas}}));
}

std::optional<unsigned> smsFor(const LaunchCall& call, unsigned sms, bool spread)
{
    const Dim cluster =
        call.kernel->function->reqnctapercluster.value_or(call.cluster.value_or(Dim{1, 1, 1}));
    const auto ctas = static_cast<unsigned>(product(cluster));
    const unsigned perSm = residentCtas(
        *call.kernel, static_cast<std::uint32_t>(product(call.block)), call.dynamicSmem);
    if (perSm == 0) return std::nullopt;
    unsigned need = std::min(ctas, ChipLayout(sms).largest());
    if (spread)
        need =
            std::max(need, static_cast<unsigned>(std::min<std::uint64_t>(product(call.grid), sms)));
    if (!call.cooperative)
        return std::uint64_t{perSm} * need >= ctas ? std::optional(need) : std::nullopt;
    // Only whole clusters count: space that a cluster leaves free on its SMs is not used.
    for (; need <= sms; ++need) {
        if (ChipLayout(need).clustersHeld(perSm, ctas) * ctas >= product(call.grid)) return need;
    }
    return std::nullopt;
}

}  // namespace gsu::cuda
