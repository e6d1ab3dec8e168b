/// One launch: its parts and their assembly. Private to tb/exec.
#pragma once
#include <memory>
#include <optional>

#include "exec/async/async_engines.hpp"
#include "exec/async/matrix_engine.hpp"
#include "exec/async/remote_atomics.hpp"
#include "exec/client/sync_client.hpp"
#include "exec/ctas/launcher.hpp"
#include "exec/hangs/hang_watch.hpp"
#include "exec/issue/sync_issue.hpp"
#include "exec/lanes/shuffle.hpp"
#include "exec/machine/executor.hpp"
#include "exec/machine/kernel.hpp"
#include "exec/machine/warp_engine.hpp"
#include "exec/memory/memory.hpp"
#include "exec/state/run_parts.hpp"
#include "exec/tcgen05/tensor_cores.hpp"

namespace gsu::exec {

/// The parts of a running launch. They are public for tests and for callers that run several launches at once; each part keeps its state private.
struct KernelRun final : private SyncSink, private SyncClient::Listener {
    /// Lays out memory and decodes. `device`: memory that it shares with other launches; nullptr: it has memory of its own. `resources`:
    /// shared with the launches that run on its unit; nullptr: none. Throws InputError.
    KernelRun(const LaunchSpec& spec, const ptx::Module& module, RunOptions options,
              DeviceMemory* device, SharedUnitResources* resources = nullptr);
    /// The same for a kernel that outlives it; `part`: only these SMs are executed here, in `resources`.
    KernelRun(Kernel& kernel, SharedUnitResources* resources, ParallelPart* part);
    /// Makes a new run of the kernel that `old` owns, whether `old` has run or not.
    [[nodiscard]] static std::unique_ptr<KernelRun> again(std::unique_ptr<KernelRun> old);
    ~KernelRun() override = default;
    KernelRun(const KernelRun&) = delete;
    KernelRun& operator=(const KernelRun&) = delete;

    RunResult run(SyncPort& port);
    /// The same in parts: begin, turns while they return Going, end.
    void begin(SyncPort& port);
    [[nodiscard]] Executor::Turn turn() { return advance(false); }
    [[nodiscard]] RunResult end();
    /// A turn in parts, for launches that share a unit. act() gives the port the inputs of this cycle, and returns false if the launch has
    /// ended; then the port is stepped or moved to the least nextTurn(). At kNever only others can unblock the launch, unless releaseHeld()
    /// does.
    [[nodiscard]] bool act();
    [[nodiscard]] Cycle nextTurn();
    [[nodiscard]] bool releaseHeld();
    /// Call after a step. Throws UnsupportedError if the port has no unit for a request.
    void checkUnits() const;
    /// Reason why turnsUntil() returns, for a run of some SMs, which have a port of their own.
    enum class Pause : std::uint8_t {
        Until,  ///< it has reached that cycle, or a later one if nothing happens between
        Freed,  ///< a CTA has freed its place, for which another may wait
        Over,   ///< all CTAs that were placed here have ended
        Left    ///< it cannot continue without the other SMs: ParallelPart::why()
    };
    /// Runs turns up to the cycle `until`, which is not executed. `waiting`: clusters of the grid have no place yet.
    [[nodiscard]] Pause turnsUntil(Cycle until, bool waiting);
    /// The verdict of a run of all SMs whose parts others have executed and counted.
    [[nodiscard]] RunResult judged(RunResult counted);
    /// Ends the launch for another reason, with this text.
    void stop(std::string why);
    /// True if every CTA has ended, and all their late effects have happened.
    [[nodiscard]] bool over() const noexcept
    {
        return launcher.left() == 0 && state.events.empty();
    }
    /// True if data of this launch and of this ChipLayout::packetName() are still to be delivered.
    [[nodiscard]] bool holdsPacket(std::uint32_t packet) const
    {
        return async.remoteOpen(packet) || atomics.open(packet);
    }
    /// Call when something outside the launch has changed memory.
    void wake() noexcept;
    /// Sets whether earlier launches are running, or have ended.
    void setGridsBefore(bool underWay);
    // inputs of the launch
private:
    [[nodiscard]] Executor::Turn advance(bool alone);
    std::unique_ptr<Kernel> ownKernel_;

public:
    Kernel& kernel;
    const LaunchSpec& spec{kernel.spec};
    const ptx::Module& module{kernel.module};
    const RunOptions& options{kernel.options};
    DeviceMemory& device{kernel.device};
    const LaunchPlan& plan{kernel.plan};
    const Shape& shape{kernel.shape};
    const Program& program{kernel.program};

    // The parts that run it, each with the earlier parts that it needs. Instructions find them through Ctx::parts.
    RunParts parts;
    RunState state;
    Residents residents;
    SharedBytes& shared;
    Memory memory;
    Schedulers schedulers;
    SyncClient client;
    LoopWatcher loops;
    Reconvergence lanes;
    Launcher launcher;
    AsyncEngines async;
    RemoteAtomics atomics;
    MatrixEngine matrix;
    TensorCores tensorCores;
    Shuffles shuffles;
    SyncIssue sync;
    WarpEngine warps;
    HangWatch hang;

private:
    KernelRun(std::unique_ptr<Kernel> kernel, SharedUnitResources* resources);
    void reportTiming();
    /// "; CTA 0 warp 3 is at line 8", of the first warp that executes; empty if all wait.
    [[nodiscard]] std::string placeOfOne() const;
    [[nodiscard]] bool limitReached();
    [[nodiscard]] Executor::Turn standStill();
    [[nodiscard]] Cycle nextOfOthers();
    [[nodiscard]] Cycle nextOfWarps() const noexcept
    {
        return std::max(schedulers.next(), state.now() + 1);
    }
    [[nodiscard]] bool stops();
    [[nodiscard]] bool issue();
    [[nodiscard]] bool computeOn();
    [[nodiscard]] std::optional<Cycle> stepOrNext();
    void finish();
    void judge();
    void explain();
    [[nodiscard]] bool nothingComes();

    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;
    void onDelivered(const Delivered& delivered) override;
    void onCtaFree(const CtaFree& free) override;
    void onGrid(const GridEvent& event) override;
    void onCancel(const CancelQuery& query) override;

    void onAnswered(Warp& warp, const SyncRequest& request) override;
    void onPacketRefused(std::uint32_t packet, Lanes lanes) override;
    [[nodiscard]] std::uint32_t lineOf(const Commit& commit) const override;
    [[nodiscard]] bool packetOpen(std::uint32_t packet) const override;
    void onSuspended(Warp& warp) override;
    void onPresent(const SyncRequest& request) override;
    void onWaited(const SyncRequest& request, Lanes who) override
    {
        tensorCores.waited(request, who);
    }
    void watchCopies();

    Cycle begun_{};   ///< port's clock at the begin
    Cycle others_{};  ///< next cycle in which a part other than warps has work, from stepOrNext()
    std::uint64_t lookedAt_{
        ~0ull};  ///< Progress::instructions when waits were last looked ahead of
};

}  // namespace gsu::exec
