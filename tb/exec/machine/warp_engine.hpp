/// Execution of one warp: picks a lane group, runs a stretch of its instructions, handles control flow, calls and exits.
#pragma once
#include "exec/device/thread_bytes.hpp"
#include "exec/issue/sync_issue.hpp"
#include "exec/lanes/shuffle.hpp"

namespace gsu::exec {

class WarpEngine final : public Schedulers::Issuer {
public:
    /// The engine of a run. All arguments must outlive it. `bytes`: pays for the frames of calls.
    WarpEngine(RunState& state, Reconvergence& lanes, LoopWatcher& loops, Shuffles& shuffles,
               SyncIssue& sync, AsyncEngines& async, Memory& memory, ThreadBytes& bytes)
        : s_(state),
          lanes_(lanes),
          loops_(loops),
          shuffles_(shuffles),
          sync_(sync),
          async_(async),
          memory_(memory),
          bytes_(bytes),
          latencies_(latenciesOf(state.ep)),
          products_(!state.program.mmas.empty() || !state.program.wmmas.empty() ||
                    !state.program.wgmmas.empty() || !state.program.tcgen05s.empty())
    {
    }

    std::uint32_t issue(Warp& warp) override;
    void computeOn(Scheduler& scheduler, Cycle end) override;
    /// Reports every instruction to observers from now on.
    void watchIssue() noexcept { watchIssue_ = true; }
    /// Reports accesses to RunState::accesses from now on.
    void watchAccesses() noexcept { watchAccesses_ = true; }

private:
    [[nodiscard]] std::uint32_t pick(Warp& warp) const
    {
        if (warp.groups.size() != 1) return pickGroup(warp);
        warp.current = 0;
        return runnable(warp.groups.front()) ? 0 : ptx::kNone;
    }
    [[nodiscard]] bool runnable(const Group& group) const noexcept
    {
        return group.state == GroupState::Ready && group.readyAt <= s_.now();
    }
    [[nodiscard]] std::uint32_t pickGroup(Warp& warp) const;
    [[nodiscard]] std::uint32_t turn(Warp& warp);
    [[nodiscard]] std::uint32_t stretch(Warp& warp, std::uint32_t index);
    /// Whether runPlain() may execute instructions of the warp: nobody watches them one by one.
    [[nodiscard]] bool mayRunPlain(const Warp& warp) const noexcept
    {
        return warp.loading == 0 && !warp.matrix && !watchIssue_ && !watchAccesses_;
    }
    [[nodiscard]] bool onlyWarpsSee(const MicroOp& op) const;
    struct Stretch {
        std::uint32_t count{};  ///< instructions
        Cycle latency{};        ///< clocks until they have their results
    };
    [[nodiscard]] bool runPlain(Ctx& ctx, const MicroOp* next, std::uint32_t most, Stretch& done);
    // timed_stretch.cpp
    [[nodiscard]] std::uint32_t timedTurn(Warp& warp, std::uint32_t count);
    [[nodiscard]] bool timedStretch(Warp& warp, std::uint32_t& index, std::uint32_t& count);
    [[nodiscard]] Cycle timesOf(Warp& warp, Cycle now, std::uint32_t& count);
    [[nodiscard]] bool catchUp(Warp& warp, Cycle now, std::uint32_t& count);
    [[nodiscard]] Cycle takeBranch(Warp& warp, Group& group, Cycle now);
    void goRound(Warp& warp);
    [[nodiscard]] bool inTime(Warp& warp, Group& group, const TimedInstruction& next, Lanes lanes,
                              bool behind);
    [[nodiscard]] static bool wantsAnswer(const Code& code, const Group& group, const Ctx& ctx);
    void goOn(Warp& warp, std::uint32_t index);
    [[nodiscard]] static std::uint32_t mayRunAhead(const Warp& warp, const Group& group,
                                                   const Code& code);
    [[nodiscard]] static bool runAhead(Warp& warp, Ctx& ctx, const Code& code);
    void timedBranch(Warp& warp, Group& group, const MicroOp& op, Lanes lanes);
    void timedControl(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes,
                      timing::Tail tail);
    void counted(Warp& warp, Group& group, std::uint32_t line, Lanes lanes)
    {
        ran(warp, group, lanes, 1);
        if (watchIssue_) tellIssue(warp, s_.now(), line, lanes);
    }
    /// The same of so many, of which observers know.
    void ran(Warp& warp, Group& group, Lanes lanes, std::uint32_t times)
    {
        group.slice += times;
        warp.issued += times;
        s_.progress.issued(static_cast<unsigned>(__builtin_popcount(lanes)), times);
    }
    void tellIssue(const Warp& warp, Cycle now, std::uint32_t line, Lanes lanes) const
    {
        for (ExecObserver* o : s_.observers) o->onIssue(now, refOf(warp), line, lanes);
    }
    void control(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes);
    void branchIndexed(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes);
    void branchTo(Warp& warp, std::uint32_t index, std::uint32_t target);
    void collective(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes);
    void sleep(Warp& warp, Group& group, const MicroOp& op, Lanes lanes);
    void trap(Warp& warp, const MicroOp& op, Lanes lanes);
    void call(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes);
    [[nodiscard]] bool take(std::uint64_t bytes);
    void ret(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes);
    void exitLanes(Warp& warp, Lanes lanes, const MicroOp& op, bool trap);
    void note(const Ctx& ctx, const MicroOp& op, Lanes lanes) const;
    void noteEnd(const Warp& warp, Lanes lanes, const MicroOp& op, bool trap);
    void refresh(Warp& warp);
    /// Handles an error of lanes: it ends the run.
    void fault(Warp& warp, const FaultNote& fault, const MicroOp& op);

    RunState& s_;
    Reconvergence& lanes_;
    LoopWatcher& loops_;
    Shuffles& shuffles_;
    SyncIssue& sync_;
    AsyncEngines& async_;
    Memory& memory_;
    ThreadBytes& bytes_;
    /// Of results within the CTA, by Class.
    using Latencies = std::array<std::uint32_t, static_cast<std::size_t>(Class::Mma) + 1>;
    [[nodiscard]] static Latencies latenciesOf(const ExecParams& ep);
    const Latencies latencies_;
    const bool products_;  ///< the kernel has tensor instructions
    bool watchIssue_{}, watchAccesses_{};
};

}  // namespace gsu::exec
