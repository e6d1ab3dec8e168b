/// The state that the parts of the executor share: parameters, the program, clock and progress, findings, events, the port.
#pragma once
#include <memory>
#include <vector>

#include "base/sm_random.hpp"
#include "exec/history/history.hpp"
#include "exec/launch/shape.hpp"
#include "exec/result/accesses.hpp"
#include "exec/result/findings.hpp"
#include "exec/result/observer.hpp"
#include "exec/settings/run_options.hpp"
#include "exec/state/events.hpp"
#include "exec/state/grid_side.hpp"
#include "exec/state/parallel_part.hpp"
#include "exec/state/port_side.hpp"
#include "exec/state/progress.hpp"
#include "exec/state/shared_unit_resources.hpp"
#include "exec/state/timing_adapter.hpp"
#include "exec/state/work_counter.hpp"
#include "exec/warps/context.hpp"

namespace gsu::exec {

struct RunParts;
class WindowWatcher;

struct RunState {
    /// State of a run. All arguments except the parts must outlive it. `seen` is the set of parts that micro-operations reach, nullptr if
    /// none is executed. `given`: resources that it shares with other launches on its unit; nullptr: it has the unit for itself. `some`:
    /// only these SMs are executed here.
    RunState(const RunOptions& runOptions, const ptx::Module& m, const Program& p, const Shape& s,
             const RunParts* seen, SharedUnitResources* given = nullptr,
             ParallelPart* some = nullptr)
        : options(runOptions),
          ep(runOptions.params),
          module(m),
          program(p),
          shape(s),
          parts(seen),
          ownResources(given == nullptr ? std::make_unique<SharedUnitResources>(s.sms) : nullptr),
          resources(given == nullptr ? *ownResources : *given),
          part(some),
          progress(runOptions.params.quiet),
          timingAdapter(ep.timing == Timing::Simple
                            ? nullptr
                            : std::make_unique<TimingAdapter>(ep.servers, s.sms, s.activeOf(ep.of),
                                                              runOptions.sharing)),
          numbers(runOptions.seed * 0x9e37'79b9'7f4a'7c15ull + 1, s.smsOfPart())
    {
        if (timingAdapter != nullptr && runOptions.serverActivity) timingAdapter->model().watch();
    }
    RunState(const RunState&) = delete;
    RunState& operator=(const RunState&) = delete;

    const RunOptions& options;
    const ExecParams& ep;
    const ptx::Module& module;
    const Program& program;
    const Shape& shape;
    const RunParts* parts;
    WindowWatcher* windows{};    ///< nullptr: no watcher
    AccessObserver* accesses{};  ///< nullptr: no observer
    std::unique_ptr<SharedUnitResources> ownResources;
    SharedUnitResources& resources;
    ParallelPart* const part;  ///< nullptr: all SMs are executed here
    std::vector<ExecObserver*> observers;
    RunResult result;
    Progress progress;
    const std::unique_ptr<TimingAdapter> timingAdapter;  ///< nullptr: exec.timing=simple
    WorkCounter workCounter;                             ///< RunOptions::workCounter
    History history;                                     ///< for the cause of a hang
    Findings findings{result};
    EventQueue events;
    PortSide port;
    bool trapped{};     ///< something ended the launch: it issues nothing more
    bool stirred{};     ///< set when a warp may have done something that not only warps can see
    unsigned behind{};  ///< launches that wait for this one to signal or to end
    std::size_t
        pendingStores{};  ///< stores that LateMemory still holds: while there are any, nothing is a hang
    GridSide grids{port};

    [[nodiscard]] Cycle now() const noexcept { return progress.now(); }
    /// The next random number for the part of the unit with this SM.
    [[nodiscard]] std::uint64_t random(unsigned sm) { return numbers.next(sm); }
    /// The state of their sequence, as SmRandom::stateOf().
    [[nodiscard]] std::uint64_t& randomState(unsigned sm) { return numbers.stateOf(sm); }
    /// The context of an instruction of the group.
    [[nodiscard]] Ctx context(Warp& warp, Group& group) const noexcept
    {
        return context(warp, group, warp.regs.data(), warp.preds.data());
    }
    /// The same with other registers and predicates.
    [[nodiscard]] Ctx context(Warp& warp, Group& group, std::uint64_t* regs,
                              Lanes* preds) const noexcept
    {
        Ctx ctx;
        ctx.regs = regs + std::size_t{group.regBase} * 32;
        ctx.preds = preds + group.predBase;
        ctx.consts = program.consts.data();
        ctx.parts = parts;
        ctx.cta = warp.cta;
        ctx.warp = &warp;
        ctx.group = &group;
        return ctx;
    }

private:
    SmRandom numbers;
};

[[nodiscard]] inline WarpRef refOf(const Warp& warp) noexcept
{
    return {warp.cta->launch.sm, warp.cta->launch.cta, warp.index};
}

}  // namespace gsu::exec
