/// The numbers of the timing model, by target: value, unit, range, their source, and what other sources say. Keys of `--set` begin with "timing.".
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gsu::timing {

enum class Target : std::uint8_t { Hopper, Blackwell };
/// "hopper", "blackwell"
[[nodiscard]] const char* nameOf(Target target) noexcept;

/// Units: timing_params.cpp. Rates are in thousandths, so that 31.2 bytes a clock are a whole number.
struct TimingParams {
    // Issue and arithmetic, per scheduler
    std::uint32_t window, fma_lat, fma_interval, half_lat, packed_interval, minmax_interval;
    std::uint32_t integer_lat, integer_interval, convert_lat, convert_interval;
    std::uint32_t special_lat, special_interval, reciprocal_lat, count_lat, count_interval;
    std::uint32_t shuffle_lat, shuffle_interval, double_lat, double_interval, back_edge;
    std::uint32_t clock_read, sleep_least;
    // Shared memory of an SM
    std::uint32_t smem_port, smem_lat, smem_way, smem_atomic_lat, matrix_lat, matrix_interval;
    std::uint32_t smem_copy_weight;
    // Tensor cores
    std::uint32_t mma_rate, mma_floor, mma_tail_smem, mma_tail_regs, mma_back;
    std::uint32_t mma_queue_smem, mma_queue_regs, mma_issue, mma_sync_interval, mma_sync_lat;
    std::uint32_t mma_beside_fma, mma_beside_alu, mma_beside_special, mma_beside_lsu, mma_view;
    std::uint32_t tcgen_tail_m64, tcgen_tail_m128, tcgen_tail_tmem, tcgen_tail_pair;
    std::uint32_t tcgen_queue, tcgen_alloc, tmem_bytes, tmem_lat;
    // Copies
    std::uint32_t cp_async_interval, tma_issue, tma_issue_multicast, tma_row, tma_short_row;
    std::uint32_t tma_engine, tma_extra, tma_descriptor, tma_first_touch, tma_multicast;
    std::uint32_t tma_map_kept, tma_wake, tma_store, tma_store_wait;
    // Memory of the chip
    std::uint32_t l1_lat, l1_size, l2_near, l2_far, l2_half, hbm_near, hbm_far, l2_size;
    std::uint32_t l2_dirty, hbm_write_weight, hbm_rows, hbm_load;
    std::uint32_t l2_bytes, hbm_gbps, share_burst, sm_port, load_weight, merge_window;
    std::uint32_t line_merge, store_line, store_queue;
    std::uint32_t clock_mhz, l2_mhz, sms;
    // Other CTAs of the cluster
    std::uint32_t dsm_lat, dsm_copy, dsm_link, dsm_load_header, dsm_request, dsm_store_header,
        dsm_ack;
    // Launch, and what a synchronization costs its own warp
    std::uint32_t launch, cta_refill, arrive_issue, fence_overlap, fence_copies, fence_interval;
    std::uint32_t fence_view, fence_proxy, bar_result, bar_register, wait_hint, mbar_init,
        match_value;
    std::uint32_t arrive_state, wait_first, wait_poll, wait_look;

    bool operator==(const TimingParams&) const = default;
};

struct TimingParameter {
    const char* key;  ///< "timing.fma_lat"
    const char* unit;
    std::uint32_t min, max;  ///< bounds that `--set` accepts
    std::uint32_t hopper, blackwell;
    std::uint32_t low,
        high;  ///< range of the published figures, both targets together; both 0: there is one figure
    /// Source and mark: M measured on the named GPU, F fitted by its source, T from a paper at second hand, D derived here from M, A assumed here. Then why
    /// this value where sources disagree.
    const char* source;
    std::uint32_t TimingParams::*field;
};

[[nodiscard]] std::span<const TimingParameter> timingParameters() noexcept;
[[nodiscard]] TimingParams timingParamsOf(Target target) noexcept;
/// L2 and HBM in clocks of SMs that run at clock_mhz, where they keep a clock of their own (l2_mhz).
[[nodiscard]] TimingParams atOwnClocks(TimingParams params) noexcept;
/// Applies "timing.KEY=VALUE"; an error text or empty.
[[nodiscard]] std::string setTimingParameter(TimingParams& params, std::string_view assignment);

}  // namespace gsu::timing
