/// Timing and policy parameters of the executor: issue model, latency classes, asynchronous copies, limits.
/// All latencies are in RTL clocks; they place requests in time and are not those of silicon. Keys of `--set` begin with "exec.".
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "exec/timing/timing_params.hpp"
#include "golden/params.hpp"

namespace gsu {

/// exec.timing: the source of times around the unit.
enum class Timing : std::uint8_t {
    Simple,  ///< the latencies of ExecParams
    Hopper,  ///< the servers of tb/exec/timing.md
    Blackwell
};
[[nodiscard]] const char* nameOf(Timing timing) noexcept;

struct ExecParams {
    std::uint32_t alu_lat{4};   ///< issue to next issue of the same warp
    std::uint32_t wide_lat{8};  ///< 64-bit multiply, double precision
    std::uint32_t sfu_lat{18};  ///< rcp, sqrt, sin, ex2, division
    std::uint32_t shared_lat{29};
    std::uint32_t global_lat{260};
    std::uint32_t atomic_lat{120};
    std::uint32_t dsm_lat{180};       ///< load or atomic in another CTA of the cluster
    std::uint32_t launch_lat{10};     ///< CTA launch to its first instruction
    std::uint32_t warp_sync_lat{7};   ///< shfl
    std::uint32_t copy_lat{600};      ///< cp.async and bulk copies: issue to first byte
    std::uint32_t copy_bytes{32};     ///< bytes per clock of one SM's copy engine
    std::uint32_t copy_jitter{25};    ///< percent of the latency that the seed may add
    std::uint32_t mma_lat{33};        ///< mma and wmma.mma: issue to next issue of the same warp
    std::uint32_t mma_async_lat{32};  ///< wgmma: issue to the first that reads its operands
    std::uint32_t mma_rate{2048};     ///< wgmma: multiply-adds of f16 per clock of one SM
    std::uint32_t mma_jitter{25};  ///< percent of latency and time of a wgmma that the seed may add
    std::uint32_t tcgen05_lat{136};     ///< tcgen05.mma, cp: after its time on the tensor core
    std::uint32_t tcgen05_rate{4096};   ///< tcgen05.mma: multiply-adds of f16 per clock of one SM
    std::uint32_t tcgen05_jitter{25};   ///< percent of both that the seed may add
    std::uint32_t tmem_lat{48};         ///< tcgen05.ld, st
    std::uint32_t tmem_jitter{400};     ///< percent of it that the seed may add
    std::uint32_t tmem_alloc_lat{253};  ///< tcgen05.alloc when the columns are free
    std::uint32_t tcgen05_shift{};      ///< a tmem::ShiftReach: lanes that tcgen05.shift moves
    std::uint32_t reconverge_instructions{
        512};  ///< parked lanes wait for siblings that run on until these issued so many
    std::uint32_t slice{64};    ///< instructions of one lane group before another of the warp runs
    std::uint32_t batch{16};    ///< register-only instructions issued as one stretch
    std::uint32_t quiet{4000};  ///< instructions without any change before loops are compared
    std::uint32_t clock_mhz{1755};  ///< RTL clocks per microsecond, for ns operands
    std::uint32_t memory{1};  ///< a visibility::Form: which accesses take time (tb/exec/memory.md)
    Timing timing{Timing::Simple};
    /// the simulated SMs are a part of this many that do the same; 0: there are no others
    std::uint32_t of{};
    timing::TimingParams servers{};  ///< timing.*; unused when `timing` is Simple
    bool operator==(const ExecParams&) const = default;
};

struct ExecParameter {
    const char* key;  ///< "exec.alu_lat"
    const char* unit;
    std::uint32_t min, max;
    std::uint32_t ExecParams::*field;
    std::span<const char* const>
        names{};  ///< names of the values, if they have names; `--set` takes both
};

[[nodiscard]] std::span<const ExecParameter> execParameters() noexcept;
[[nodiscard]] ExecParams execParamsOf(Preset preset) noexcept;
/// Sets exec.timing, with the parameters of its servers; latencies that it does not use become 1. Returns an error text or empty.
[[nodiscard]] std::string setTiming(ExecParams& params, std::string_view name);
/// Whether the chosen timing uses a latency; setExecParameter() refuses the others.
[[nodiscard]] bool isUsed(const ExecParams& params, const ExecParameter& parameter) noexcept;
/// Sets exec.of, once the timing is chosen. Returns an error text or empty.
[[nodiscard]] std::string setPart(ExecParams& params, std::string_view sms);
/// Applies "exec.KEY=VALUE" or "timing.KEY=VALUE"; returns an error text or empty. exec.timing must come before the parameters that depend on it.
[[nodiscard]] std::string setExecParameter(ExecParams& params, std::string_view assignment);
/// True when the key of KEY=VALUE belongs to the executor: exec.* and timing.*.
[[nodiscard]] bool isExecParameter(std::string_view assignment) noexcept;

}  // namespace gsu
