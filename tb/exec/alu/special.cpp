// Special registers.
#include <array>

#include "exec/alu/special.hpp"
#include "exec/alu/wide_host.hpp"
#include "exec/device/device_memory.hpp"
#include "exec/launch/launch_spec.hpp"
#include "exec/state/run_parts.hpp"
#include "exec/state/run_state.hpp"
#include "ptx/special_registers.hpp"

namespace gsu::exec {
namespace {

enum Special : int {
    TidX,
    TidY,
    TidZ,
    NtidX,
    NtidY,
    NtidZ,
    CtaidX,
    CtaidY,
    CtaidZ,
    NctaidX,
    NctaidY,
    NctaidZ,
    Laneid,
    Warpid,
    Nwarpid,
    Smid,
    Nsmid,
    Gridid,
    Envreg1,
    Envreg2,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    Clock,
    ClockHi,
    Clock64,
    Globaltimer,
    GlobaltimerLo,
    GlobaltimerHi,
    ClusteridX,
    ClusteridY,
    ClusteridZ,
    NclusteridX,
    NclusteridY,
    NclusteridZ,
    ClusterCtaidX,
    ClusterCtaidY,
    ClusterCtaidZ,
    ClusterNctaidX,
    ClusterNctaidY,
    ClusterNctaidZ,
    ClusterCtarank,
    ClusterNctarank,
    IsExplicitCluster,
    TotalSmem,
    AggrSmem,
    DynamicSmem,
    ReservedSmem,
    Envreg0,
    Count
};

constexpr std::array<std::string_view, Count> kNames{"%tid.x",
                                                     "%tid.y",
                                                     "%tid.z",
                                                     "%ntid.x",
                                                     "%ntid.y",
                                                     "%ntid.z",
                                                     "%ctaid.x",
                                                     "%ctaid.y",
                                                     "%ctaid.z",
                                                     "%nctaid.x",
                                                     "%nctaid.y",
                                                     "%nctaid.z",
                                                     "%laneid",
                                                     "%warpid",
                                                     "%nwarpid",
                                                     "%smid",
                                                     "%nsmid",
                                                     "%gridid",
                                                     "%envreg1",
                                                     "%envreg2",
                                                     "%lanemask_eq",
                                                     "%lanemask_le",
                                                     "%lanemask_lt",
                                                     "%lanemask_ge",
                                                     "%lanemask_gt",
                                                     "%clock",
                                                     "%clock_hi",
                                                     "%clock64",
                                                     "%globaltimer",
                                                     "%globaltimer_lo",
                                                     "%globaltimer_hi",
                                                     "%clusterid.x",
                                                     "%clusterid.y",
                                                     "%clusterid.z",
                                                     "%nclusterid.x",
                                                     "%nclusterid.y",
                                                     "%nclusterid.z",
                                                     "%cluster_ctaid.x",
                                                     "%cluster_ctaid.y",
                                                     "%cluster_ctaid.z",
                                                     "%cluster_nctaid.x",
                                                     "%cluster_nctaid.y",
                                                     "%cluster_nctaid.z",
                                                     "%cluster_ctarank",
                                                     "%cluster_nctarank",
                                                     "%is_explicit_cluster",
                                                     "%total_smem_size",
                                                     "%aggr_smem_size",
                                                     "%dynamic_smem_size",
                                                     "%reserved_smem_offset_begin",
                                                     "%envreg0"};

// long: a row per special register
std::uint64_t uniform(const Ctx& x, int which)
{
    const RunParts& m = *x.parts;
    const Cta& cta = *x.cta;
    const Shape& s = m.shape;
    const Cycle now = m.state.now();
    const std::uint64_t ns = now * 1000 / m.state.ep.clock_mhz;
    switch (which) {
        case NtidX:
        case NtidY:
        case NtidZ: return s.block[static_cast<unsigned>(which - NtidX)];
        case CtaidX:
        case CtaidY:
        case CtaidZ: return cta.id[static_cast<unsigned>(which - CtaidX)];
        case NctaidX:
        case NctaidY:
        case NctaidZ: return s.grid[static_cast<unsigned>(which - NctaidX)];
        case Warpid: return x.warp->index;
        case Nwarpid: return s.has.warpSlots;
        case Smid: return cta.launch.sm;
        case Nsmid: return s.sms;
        case Clock: return now & 0xffff'ffff;
        case ClockHi: return now >> 32;
        case Clock64: return now;
        case Globaltimer: return ns;
        case GlobaltimerLo: return ns & 0xffff'ffff;
        case GlobaltimerHi: return ns >> 32;
        case ClusteridX:
        case ClusteridY:
        case ClusteridZ:
            return cta.id[static_cast<unsigned>(which - ClusteridX)] /
                   s.cluster[static_cast<unsigned>(which - ClusteridX)];
        case NclusteridX:
        case NclusteridY:
        case NclusteridZ:
            return s.grid[static_cast<unsigned>(which - NclusteridX)] /
                   s.cluster[static_cast<unsigned>(which - NclusteridX)];
        case ClusterCtaidX:
        case ClusterCtaidY:
        case ClusterCtaidZ:
            return cta.id[static_cast<unsigned>(which - ClusterCtaidX)] %
                   s.cluster[static_cast<unsigned>(which - ClusterCtaidX)];
        case ClusterNctaidX:
        case ClusterNctaidY:
        case ClusterNctaidZ: return s.cluster[static_cast<unsigned>(which - ClusterNctaidX)];
        case ClusterCtarank: return cta.launch.rank;
        case ClusterNctarank: return cta.launch.ctas;
        case IsExplicitCluster: return s.clusterLaunch ? 1 : 0;
        case TotalSmem:
        case AggrSmem: return s.totalSmem;
        case DynamicSmem: return m.spec.dynamicSmem;
        case Envreg1: return m.device.gridWorkspace >> 32;
        case Envreg2: return m.device.gridWorkspace & 0xffff'ffff;
        default: return 0;  // grid id, reserved memory and the other environment registers
    }
}

/// Threads of a warp are neighbours: their indices are counted up.
void threadIndex(const Ctx& x, std::uint64_t* d, int which, Lanes lanes)
{
    const Shape& s = x.parts->shape;
    const std::uint32_t first = x.warp->index * 32u;
    std::array<std::uint32_t, 3> at{first % s.block[0], first / s.block[0] % s.block[1],
                                    first / (s.block[0] * s.block[1])};
    std::array<std::uint32_t, 32> index;
    for (std::uint32_t& i : index) {
        i = at[static_cast<unsigned>(which - TidX)];
        if (++at[0] != s.block[0]) continue;
        at[0] = 0;
        if (++at[1] != s.block[1]) continue;
        at[1] = 0;
        ++at[2];
    }
    eachCell(lanes, [&](unsigned l) { d[l] = index[l]; });
}

}  // namespace

int specialIndex(std::string_view name) noexcept
{
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] == name) return static_cast<int>(i);
    }
    // Counters, environment registers and reserved offsets that nothing here drives read as zero.
    return ptx::isSpecialRegister(name) && !ptx::hasComponents(name) ? Envreg0 : -1;
}

bool specialIsTime(int index) noexcept { return index >= Clock && index <= GlobaltimerHi; }

void specialOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const auto which = static_cast<int>(o.extra);
    if (which > TidZ && which != Laneid && (which < LanemaskEq || which > LanemaskGt)) {
        const std::uint64_t value = uniform(x, which);
        eachCell(lanes, [=](unsigned l) { d[l] = value; });
        return;
    }
    if (which <= TidZ) return threadIndex(x, d, which, lanes);
    eachCell(lanes, [&](unsigned l) {
        switch (which) {
            case LanemaskEq: d[l] = 1u << l; break;
            case LanemaskLe: d[l] = (2ull << l) - 1; break;
            case LanemaskLt: d[l] = (1u << l) - 1; break;
            case LanemaskGe: d[l] = ~((1u << l) - 1); break;
            case LanemaskGt: d[l] = ~((2ull << l) - 1) & 0xffff'ffff; break;
            default: d[l] = l; break;  // laneid
        }
    });
}

}  // namespace gsu::exec
