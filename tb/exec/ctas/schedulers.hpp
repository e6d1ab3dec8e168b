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
        WakeQueue queue;  ///< by Warp::place
        Cycle freeAt{};
        Cycle due{kNever};  ///< it can issue nothing before
        std::uint32_t last{};
        /// The warp at this place has something to do from `when` on, and the scheduler is free from freeAt on.
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
    /// A warp that issues next, of the scheduler.
    struct Pick {
        Warp* warp;
        Scheduler* scheduler;
        std::uint32_t key;
    };
    [[nodiscard]] std::uint32_t pick(const Scheduler& scheduler, std::uint64_t ready, unsigned sm);
    [[nodiscard]] unsigned picks(unsigned index, std::array<Pick, 4>& list);
    void runSm(unsigned index, Issuer& issuer);

    RunState& s_;
    std::vector<Sm> sms_;
    unsigned first_, end_;  ///< SMs that are executed here
    std::array<Cycle, kMaxChipSms> due_{};
    Cycle soonest_{};  ///< the earliest of them
    bool roused_{};
};

}  // namespace gsu::exec
