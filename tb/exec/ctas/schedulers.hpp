/// Four schedulers per SM, one instruction a clock each: which warps issue in a cycle, and when the next one can.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "exec/state/run_state.hpp"

namespace gsu::exec {

class Schedulers {
public:
    /// Executes what a scheduler has picked.
    class Issuer {
    public:
        /// Clocks for which the scheduler is busy; afterwards Warp::nextAt says when the warp has something to do again.
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
    /// The warp has something to do from `when` on, or from earlier.
    void rouse(Warp& warp, Cycle when) noexcept
    {
        warp.nextAt = std::min(warp.nextAt, when);
        const unsigned sm = warp.cta->launch.sm;
        Scheduler& scheduler = sms_[sm][warp.index % 4];
        scheduler.set(warp.place, warp.nextAt);
        scheduler.readyAt = std::min(scheduler.readyAt, when);
        due_[sm] = std::min(due_[sm], when);
        soonest_ = std::min(soonest_, when);
        roused_ = true;
    }
    /// Whether a warp was roused since it was last asked.
    [[nodiscard]] bool takeRoused() noexcept { return std::exchange(roused_, false); }
    /// Issues what is ready now; stops when the run has trapped.
    void run(Issuer& issuer);
    /// No warp can issue before it.
    [[nodiscard]] Cycle next() const noexcept { return soonest_; }

private:
    struct Scheduler {
        std::vector<Warp*> warps;
        std::vector<Cycle> nextAt;  ///< Warp::nextAt of each
        std::uint64_t ready{};      ///< bit of each that was ready when that was last looked at
        Cycle wakeAt{};             ///< the least nextAt of the others
        Cycle freeAt{};
        Cycle readyAt{kNever};  ///< no warp is ready before it
        std::uint32_t last{};
        [[nodiscard]] Cycle next() const noexcept
        {
            return readyAt == kNever ? kNever : std::max(readyAt, freeAt);
        }
        /// The warp at this place has something to do at another time than it had.
        void set(std::uint32_t place, Cycle when) noexcept
        {
            nextAt[place] = when;
            ready &= ~(std::uint64_t{1} << place);
            wakeAt = std::min(wakeAt, when);
        }
        /// Those that have become ready by `now`.
        void wake(Cycle now) noexcept;
    };
    using Sm = std::array<Scheduler, 4>;
    [[nodiscard]] Warp* pick(Scheduler& scheduler, unsigned sm);
    void runSm(unsigned index, Issuer& issuer);

    RunState& s_;
    std::vector<Sm> sms_;
    unsigned first_, end_;  ///< SMs that are executed here
    std::array<Cycle, kMaxChipSms> due_{};
    Cycle soonest_{};  ///< the earliest of them
    bool roused_{};
};

}  // namespace gsu::exec
