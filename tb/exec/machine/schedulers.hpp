/// Four schedulers per SM: which warps issue in a cycle, one instruction a clock each, and when the next one can.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "exec/machine/run_state.hpp"

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

    Schedulers(RunState& state, unsigned sms) : s_(state), sms_(sms) {}

    void add(Warp& warp);
    void remove(const Cta& cta);
    /// The warp has something to do from `when` on, or from earlier.
    void rouse(Warp& warp, Cycle when) noexcept
    {
        warp.nextAt = std::min(warp.nextAt, when);
        Cycle& sm = due_[warp.cta->launch.sm];
        sm = std::min(sm, when);
        roused_ = true;
    }
    /// Whether a warp was roused since it was last asked.
    [[nodiscard]] bool takeRoused() noexcept { return std::exchange(roused_, false); }
    /// Issues what is ready now; stops when the run has trapped.
    void run(Issuer& issuer);
    /// No warp can issue before it.
    [[nodiscard]] Cycle next() const noexcept
    {
        Cycle next = kNever;
        for (std::size_t i = 0; i < sms_.size(); ++i) next = std::min(next, due_[i]);
        return next;
    }

private:
    struct Scheduler {
        std::vector<Warp*> warps;
        Cycle freeAt{};
        std::uint32_t last{};
    };
    using Sm = std::array<Scheduler, 4>;
    [[nodiscard]] Warp* pick(Scheduler& scheduler);
    [[nodiscard]] static Cycle firstIssue(const Sm& sm);
    void runSm(Sm& sm, Cycle& due, Issuer& issuer);

    RunState& s_;
    std::vector<Sm> sms_;
    std::array<Cycle, kMaxSms> due_{};
    bool roused_{};
};

}  // namespace gsu::exec
