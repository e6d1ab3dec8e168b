/// One SM's unit of GSU for whole warps that another simulator issues. Requests and exits wait in a queue; the unit advances to the
/// simulator's clock when the simulator asks. This file has no type of the simulator. Licence: Apache-2.0.
/// 13
/// The unit of an SM. Warps are named by their slot of the SM, 0..63; CTAs by the simulator's slot, below 32.
#pragma once
#include <gsu.h>

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>

/// Warps are named by their slot of the SM, 0..63; CTAs by the simulator's slot, below 32.
class SmUnit {
public:
    static constexpr unsigned kWarps = 64, kCtas = 32, kLanes = 32;
    using Warps = std::bitset<kWarps>;

    /// The result of a generation of a barrier for the warps that it releases.
    struct Release {
        unsigned cta, barrier, popc;
        bool all, any;
        Warps warps;
    };

    /// `number`: number of the SM, for messages. Environment: GSU_UNIT, GSU_PRESET, GSU_SETTINGS as gsu_options.
    SmUnit(unsigned number, std::function<void(const Release&)> released);
    ~SmUnit();
    SmUnit(const SmUnit&) = delete;
    SmUnit& operator=(const SmUnit&) = delete;

    /// Launches a CTA in these warp slots, a contiguous range.
    void launch(unsigned cta, Warps warps, std::uint64_t now);
    /// Executes a barrier instruction of a warp with all its lanes; the warp waits until it is released or answered. `threads` 0: all of the CTA.
    void request(unsigned op, unsigned cta, unsigned warp, unsigned barrier, unsigned threads,
                 std::uint32_t pred, std::uint64_t now);
    /// Ends the warp in this slot.
    void exit(unsigned warp, std::uint64_t now);
    /// Whether this warp waits for an answer or a release.
    [[nodiscard]] bool waits(unsigned warp, std::uint64_t now);
    /// Which warps wait for which others.
    [[nodiscard]] std::string explain() const;

    /// Totals of all units of the process.
    struct Totals {
        std::uint64_t requests{}, releases{}, steps{}, cycles{}, nanoseconds{};
    };
    static Totals totals;

private:
    struct Input {
        enum Kind { Launch, Request, Exit } kind;
        unsigned cta, warp, op, barrier, threads;
        std::uint32_t pred;
        Warps warps;
    };
    struct Cta {
        bool live{};
        unsigned home{}, base{},
            left{};  ///< slot in the unit, first warp slot, warps that have not ended
    };

    void advance(std::uint64_t now);
    bool give(const Input& input);
    bool giveLaunch(const Input& input);
    void give();
    void take();
    void must(gsu_status status, const char* what) const;

    gsu_unit* unit_{};
    unsigned number_;
    std::function<void(const Release&)> released_;
    std::deque<Input> queue_;
    Warps waiting_, used_;           ///< warps that wait; warp slots that the unit uses
    std::array<Cta, kCtas> ctas_{};  ///< by the simulator's slot
    /// by the unit's slot: warps of the CTA; none: the slot is free
    std::array<Warps, kCtas> homes_{};
    std::array<unsigned, kCtas> ownerOf_{};     ///< by the unit's slot: the simulator's slot
    std::array<unsigned, kWarps> ctaOfWarp_{};  ///< by warp: the simulator's slot of its CTA
    std::uint64_t start_{};                     ///< the simulator's clock in cycle 0 of the unit
    bool started_{};
};
