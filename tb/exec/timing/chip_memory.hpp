/// ChipMemory: L2 and HBM as the simulated SMs see them. k simulated SMs of n with the same work get k / n of the rates. A line lies in the near or the far
/// half.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "exec/timing/cached_lines.hpp"
#include "exec/timing/priority_server.hpp"
#include "exec/timing/queue_wait.hpp"
#include "exec/timing/sharing.hpp"
#include "exec/timing/timing_params.hpp"

namespace gsu::timing {

/// Bytes of global memory that follow each other.
struct Run {
    std::uint64_t address{}, bytes{};
};

/// When data that were asked for arrive.
struct Arrival {
    Ticks first{}, last{};
    Ticks latency{};  ///< latency of the slowest line, without its transfer
};

class ChipMemory {
public:
    /// `sms`: simulated ones, at most params.sms. `sharing`: what the survey found, nullptr: there was none.
    ChipMemory(const TimingParams& params, unsigned sms,
               std::shared_ptr<const Sharing> sharing = nullptr);

    /// A warp's load (`copy` false), or a copy. `sharers`: as CopyRequest has them, used without a survey.
    Arrival read(unsigned sm, Ticks ready, std::span<const Run> runs, bool copy,
                 std::uint32_t sharers = 1);
    /// When it has been performed. A store does not hold its warp: this is for fences.
    Ticks write(unsigned sm, Ticks ready, std::span<const Run> runs, bool copy);

    /// As parts of `time`, of all simulated SMs.
    [[nodiscard]] double l2Busy(Ticks time) const noexcept;
    [[nodiscard]] double hbmBusy(Ticks time) const noexcept;
    [[nodiscard]] double hbmBytes() const noexcept { return static_cast<double>(hbmBytes_); }
    void watch(Activity& l2, Activity& hbm) noexcept
    {
        l2Share_.watch(l2);
        hbmShare_.watch(hbm);
    }
    /// Lines that SMs side by side read together.
    [[nodiscard]] std::uint64_t merged() const noexcept { return merged_; }

private:
    /// What a request asks of the caches.
    struct Demand {
        std::uint64_t l2{}, hbm{};  ///< bytes
        std::uint64_t shared{};     ///< bytes of l2 that other SMs want as well
        bool nearHit{}, farHit{}, nearMiss{}, farMiss{};
    };
    /// An SM's way to L2, and through it to HBM: faster than its share, for others rest meanwhile.
    struct Way {
        PriorityServer l2, hbm, out;
    };
    struct Recent {
        std::uint64_t line{};
        Ticks at{};
        unsigned sm{};
    };
    /// `sharers` 0: a write.
    [[nodiscard]] Demand demandOf(unsigned sm, Ticks ready, std::span<const Run> runs,
                                  std::uint32_t sharers);
    [[nodiscard]] bool merges(unsigned sm, Ticks ready, std::uint64_t line);
    /// What lines that L2 misses take longer than one alone on a chip at rest.
    [[nodiscard]] Ticks extraOfHbm(Ticks ready, std::span<const Run> runs, Ticks service,
                                   bool copy);

    TimingParams p_;
    std::uint64_t l2Rate_, hbmRate_;  ///< of all simulated SMs, in a thousand clocks
    std::uint64_t l2Way_, hbmWay_;    ///< of one of them
    CachedLines l2_;
    std::shared_ptr<const Sharing> sharing_;
    std::vector<Way> ways_;
    Server l2Share_, hbmShare_;
    QueueWait hbmQueue_;
    std::vector<Recent> recent_;
    std::uint64_t merged_{}, hbmBytes_{};
    std::uint64_t room_;  ///< bytes that the simulated SMs may yet write before L2 writes back
};

}  // namespace gsu::timing
