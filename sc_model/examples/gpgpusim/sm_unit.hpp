/// One SM's unit of GSU behind whole warps that are issued by another simulator: requests and exits wait in a queue of their own, time is brought up
/// to the simulator's clock when it asks. No type of the simulator's is in here. Licence: Apache-2.0.
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

    /// What a generation of a barrier gives to the warps that it releases.
    struct Release {
        unsigned cta, barrier, popc;
        bool all, any;
        Warps warps;
    };

    /// `number` is for messages; environment: GSU_UNIT, GSU_PRESET, GSU_SETTINGS as gsu_options.
    SmUnit(unsigned number, std::function<void(const Release&)> released);
    ~SmUnit();
    SmUnit(const SmUnit&) = delete;
    SmUnit& operator=(const SmUnit&) = delete;

    /// A CTA takes these warp slots, a contiguous range.
    void launch(unsigned cta, Warps warps, std::uint64_t now);
    /// A warp executes a barrier instruction with all its lanes; it waits until released or answered. `threads` 0: all of the CTA.
    void request(unsigned op, unsigned cta, unsigned warp, unsigned barrier, unsigned threads,
                 std::uint32_t pred, std::uint64_t now);
    /// A warp of this slot has ended.
    void exit(unsigned warp, std::uint64_t now);
    /// Does this warp wait for an answer or a release?
    [[nodiscard]] bool waits(unsigned warp, std::uint64_t now);
    /// Who waits for whom.
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
    Warps waiting_, used_;              ///< warps that wait; warp slots that the unit has in use
    std::array<Cta, kCtas> ctas_{};     ///< by the simulator's slot
    std::array<Warps, kCtas> homes_{};  ///< by the unit's slot: its warps, none: free
    std::array<unsigned, kCtas> ownerOf_{};     ///< by the unit's slot: the simulator's
    std::array<unsigned, kWarps> ctaOfWarp_{};  ///< the simulator's slot
    std::uint64_t start_{};                     ///< the simulator's clock in cycle 0 of the unit
    bool started_{};
};
