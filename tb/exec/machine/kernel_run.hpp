/// One launch: its parts, and how they are put together. Private to tb/exec.
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

/// The parts are public for tests and for those who run several at once; each keeps its state to itself.
struct KernelRun final : private SyncSink, private SyncClient::Listener {
    /// Lays out memory and decodes. `device`: what it shares with other launches; nullptr: it has memory of its own. `resources`: what it shares with
    /// those that are under way on its unit; nullptr: none are. Throws InputError.
    KernelRun(const LaunchSpec& spec, const ptx::Module& module, RunOptions options,
              DeviceMemory* device, SharedUnitResources* resources = nullptr);
    /// The same of a kernel that outlives it; `part`: only some of its SMs are executed here, in `resources`.
    KernelRun(Kernel& kernel, SharedUnitResources* resources, ParallelPart* part);
    /// Of the kernel that `old` owns, which has run or not.
    [[nodiscard]] static std::unique_ptr<KernelRun> again(std::unique_ptr<KernelRun> old);
    ~KernelRun() override = default;
    KernelRun(const KernelRun&) = delete;
    KernelRun& operator=(const KernelRun&) = delete;

    RunResult run(SyncPort& port);
    /// The same in parts: begin, turns until one does not say Going, end.
    void begin(SyncPort& port);
    [[nodiscard]] Executor::Turn turn() { return advance(false); }
    [[nodiscard]] RunResult end();
    /// A turn in parts, for launches that share a unit: act() gives the port what is new in this cycle, false when the launch has ended; then the
    /// port is stepped or moved to the least nextTurn(). At kNever only others get the launch on, unless releaseHeld() does.
    [[nodiscard]] bool act();
    [[nodiscard]] Cycle nextTurn();
    [[nodiscard]] bool releaseHeld();
    /// After a step. Throws UnsupportedError when the port has no unit for what was asked for.
    void checkUnits() const;
    /// Of a run of some of the SMs, which have a port of their own: turns up to the cycle `until`, which is not evaluated.
    enum class Pause : std::uint8_t {
        Until,  ///< it has come there, or further where nothing happens between
        Freed,  ///< a CTA has given its place back, for which another may wait
        Over,   ///< all that came here has ended
        Left    ///< it cannot go on without the other SMs: ParallelPart::why()
    };
    /// `waiting`: clusters of the grid have no place yet.
    [[nodiscard]] Pause turnsUntil(Cycle until, bool waiting);
    /// The verdict of a run of all SMs that others have executed and counted.
    [[nodiscard]] RunResult judged(RunResult counted);
    /// Something else ends the launch, in these words.
    void stop(std::string why);
    /// Every CTA has ended, and what was to come of them.
    [[nodiscard]] bool over() const noexcept
    {
        return launcher.left() == 0 && state.events.empty();
    }
    /// Data of this launch and of this ChipLayout::packetName() are still to be delivered.
    [[nodiscard]] bool holdsPacket(std::uint32_t packet) const
    {
        return async.remoteOpen(packet) || atomics.open(packet);
    }
    /// Something outside the launch has changed memory.
    void wake() noexcept;
    /// The launches before this one are under way, or have ended.
    void setGridsBefore(bool underWay);
    // What is launched.
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

    // What runs it, each with what it needs of those before. Instructions find them through Ctx::parts.
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
    [[nodiscard]] bool limitReached();
    [[nodiscard]] Executor::Turn standStill();
    [[nodiscard]] Cycle nextOfOthers();
    [[nodiscard]] Cycle nextOfWarps() const noexcept
    {
        return std::max(schedulers.next(), state.now() + 1);
    }
    [[nodiscard]] bool stops();
    [[nodiscard]] bool issue();
    [[nodiscard]] std::optional<Cycle> stepOrNext();
    void finish();
    void judge();
    void explain();
    [[nodiscard]] bool nothingComes(Cycle next);

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

    Cycle begun_{};  ///< the port's clock then
    Cycle
        others_{};  ///< in which something else than warps has something to do, as stepOrNext() found
    std::uint64_t lookedAt_{
        ~0ull};  ///< Progress::instructions when waits were last looked ahead of
};

}  // namespace gsu::exec
