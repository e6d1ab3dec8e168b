/// Four schedulers per SM, one instruction a clock each: which warps issue in a cycle, and when the next one can.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "exec/ctas/wake_queue.hpp"
#include "exec/state/run_state.hpp"

namespace gsu::exec {

struct alignas(1024) Scheduler {  // found by a shift
    std::vector<Warp*> warps;
    std::vector<std::uint64_t> slots;  ///< of each of them, a bit: its place among all of the SM
    WakeQueue queue;                   ///< by Warp::place
    Cycle freeAt{};
    std::uint32_t last{};
    [[nodiscard]] Cycle due() const noexcept
    {
        const Cycle ready = queue.next();
        return ready == kNever ? kNever : std::max(ready, freeAt);
    }
};

class Schedulers {
public:
    /// Executes the picked warp.
    class Issuer {
    public:
        /// Issues an instruction of the warp, or several, up to kMostOfIssue. Returns the clocks for which the scheduler is busy; afterwards
        /// Warp::nextAt is the next time of the warp.
        virtual std::uint32_t issue(Warp& warp) = 0;
        /// Takes the turns before `end` of warps of this scheduler that only compute, as long as one alone is ready: up to kMostOfIssue instructions with
        /// those of issue(). Nobody else sees what they do, and they keep their order within the scheduler.
        virtual void computeOn(Scheduler& scheduler, Cycle end) = 0;

    protected:
        ~Issuer() = default;
    };

    static constexpr std::uint32_t kMostOfIssue = 256;
    /// Clocks for which a scheduler may go on by itself (Issuer::computeOn). A warp that is roused meanwhile finds so many more clocks of the pipes taken;
    /// warps that only compute take them 1024 ahead in any case (timing::Calendar::kLead).
    static constexpr Cycle kAlone = 64;

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
        sms_[sm].set(warp.index % kOfSm, warp.place, warp.nextAt);
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
    static constexpr unsigned kOfSm = 4;
    struct Sm {
        std::array<Scheduler, kOfSm> schedulers;
        std::array<Cycle, kOfSm> due{kNever, kNever, kNever,
                                     kNever};           ///< first cycle in which each can issue
        std::array<Warp*, WakeQueue::kPlaces> warps{};  ///< by slot
        /// Sets the time of the warp at this place, and of its scheduler (Scheduler::freeAt).
        void set(unsigned of, std::uint32_t place, Cycle when) noexcept
        {
            schedulers[of].queue.set(place, when);
            look(of);
        }
        void look(unsigned of) noexcept { due[of] = schedulers[of].due(); }
    };
    [[nodiscard]] bool pick(Scheduler& scheduler, unsigned sm, std::uint64_t& random, Cycle now);
    [[nodiscard]] std::uint32_t pickAmong(const Scheduler& scheduler, std::uint64_t ready,
                                          unsigned sm);
    [[nodiscard]] std::uint64_t picks(unsigned index, Cycle now);
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
