/// Four schedulers per SM, one instruction a clock each: which warps issue in a cycle, and when the next one can.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "exec/ctas/wake_queue.hpp"
#include "exec/state/run_state.hpp"

namespace gsu::exec {

class Schedulers {
public:
    /// Executes the picked warp.
    class Issuer {
    public:
        /// Issues an instruction of the warp. Returns the clocks for which the scheduler is busy; afterwards Warp::nextAt is the next time
        /// of the warp.
        virtual std::uint32_t issue(Warp& warp) = 0;

    protected:
        ~Issuer() = default;
    };

    explicit Schedulers(RunState& state)
        : s_(state),
          sms_(state.shape.sms),
          first_(state.part == nullptr ? 0 : state.part->first()),
          end_(state.part == nullptr ? state.shape.sms : state.part->end())
    {
    }

    void add(Warp& warp);
    void remove(const Cta& cta);
    /// Notes that the warp can issue from `when` on, or earlier.
    void rouse(Warp& warp, Cycle when) noexcept
    {
        warp.nextAt = std::min(warp.nextAt, when);
        const unsigned sm = warp.cta->launch.sm;
        Scheduler& scheduler = sms_[sm][warp.index % 4];
        scheduler.set(warp.place, warp.nextAt);
        due_[sm] = std::min(due_[sm], when);
        soonest_ = std::min(soonest_, when);
        roused_ = true;
    }
    /// Whether a warp was roused since the last call.
    [[nodiscard]] bool takeRoused() noexcept { return std::exchange(roused_, false); }
    /// Issues all ready warps; stops when the run has trapped.
    void run(Issuer& issuer);
    /// The same in the cycles that follow, before `end`, as long as RunState::stirred is false, there is room and none is `far` behind the one before.
    void runOn(Issuer& issuer, Cycle end, Cycle far, const Progress::Room& room);
    /// The first cycle in which a warp can issue.
    [[nodiscard]] Cycle next() const noexcept { return soonest_; }

private:
    struct Scheduler {
        std::vector<Warp*> warps;
        WakeQueue queue;  ///< by Warp::place
        Cycle freeAt{};
        Cycle due{kNever};  ///< first cycle in which it can issue
        std::uint32_t last{};
        /// Sets the time of the warp at this place, and of the scheduler (freeAt).
        void set(std::uint32_t place, Cycle when) noexcept
        {
            queue.set(place, when);
            look();
        }
        void look() noexcept
        {
            const Cycle ready = queue.next();
            due = ready == kNever ? kNever : std::max(ready, freeAt);
        }
    };
    using Sm = std::array<Scheduler, 4>;
    /// Of the warps that issue next: their places among all of the SM, with their schedulers in the low bits.
    using Picks = std::array<std::uint32_t, 4>;
    [[nodiscard]] std::uint32_t pick(const Scheduler& scheduler, std::uint64_t ready, unsigned sm);
    [[nodiscard]] std::uint32_t pickAmong(const Scheduler& scheduler, std::uint64_t ready,
                                          unsigned sm);
    [[nodiscard]] unsigned picks(unsigned index, Cycle now, Picks& list);
    void runSm(unsigned index, Cycle now, Issuer& issuer);
    void runCycle(Cycle now, Issuer& issuer);

    RunState& s_;
    std::vector<Sm> sms_;
    unsigned first_, end_;  ///< range of the SMs that are executed here
    std::array<Cycle, kMaxChipSms> due_{};
    Cycle soonest_{};  ///< the earliest of these times
    bool roused_{};
};

}  // namespace gsu::exec
