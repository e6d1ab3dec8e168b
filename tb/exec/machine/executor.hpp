/// Runs one launch: threads, registers and memory here, every synchronization instruction through a SyncPort. Deterministic for
/// a seed. Implements the lane grouping of BAR-010/D-12, BAR-031, CLU-015 (aligned forms), D-18..D-21, D-62 (hangs).
#pragma once
#include <memory>
#include <vector>

#include "exec/launch/launch_spec.hpp"
#include "exec/program/errors.hpp"
#include "exec/result/accesses.hpp"
#include "exec/result/observer.hpp"
#include "exec/result/result.hpp"
#include "exec/result/tensor_observer.hpp"
#include "exec/settings/run_options.hpp"
#include "golden/mbarrier_unit.hpp"
#include "golden/port.hpp"

namespace gsu {

namespace exec {
struct KernelRun;
struct DeviceMemory;
class GlobalMemory;
class SharedUnitResources;
}  // namespace exec

/// What a launch asks for.
struct LaunchNeeds {
    unsigned sms{};
    bool
        signals{};  ///< it has a griddepcontrol.launch_dependents: a launch behind it may begin before it has ended
};

/// Memory that several launches of a module share: what `common` places, variables, the device heap.
class Device {
public:
    /// Both must outlive it. Throws InputError.
    Device(const LaunchSpec& common, const ptx::Module& module, const RunOptions& options);
    /// A module among several on one device: `global` is the memory of all of them, and outlives it.
    Device(const LaunchSpec& common, const ptx::Module& module, const RunOptions& options,
           exec::GlobalMemory& global);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    /// Throws InputError when `launch` does not fit the kernel or the machine; leaves nothing behind.
    LaunchNeeds check(const LaunchSpec& launch, const RunOptions& options);
    /// What `launch` has under "writes" is written, or only checked. Throws InputError when it does not fit.
    void write(const LaunchSpec& launch, bool onlyCheck = false);
    /// What memory must hold at the end, as `common` has it.
    [[nodiscard]] std::vector<Mismatch> compare() const;
    /// Memory and module-scope variables, as they are now; without bytes their names alone.
    [[nodiscard]] std::vector<MemoryContents> contents(bool withBytes = true) const;
    /// Where its variables are, for who loads modules (exec/device/device_memory.hpp).
    [[nodiscard]] exec::DeviceMemory& memory() const noexcept { return *memory_; }

private:
    friend class Executor;
    const ptx::Module& module_;
    std::unique_ptr<exec::DeviceMemory> memory_;
};

/// One launch, run once. The port may differ from run to run; observers must outlive the executor.
class Executor {
public:
    /// `spec` and `module` must outlive the executor. Lays out memory and decodes. Throws InputError
    /// when an instruction of the module, reachable or not, has no legal form (ptx::formErrors) and when the launch does not fit the kernel or the machine.
    Executor(const LaunchSpec& spec, const ptx::Module& module, RunOptions options);
    /// On memory that it shares with other launches; buffers of its parameters stay allocated there.
    Executor(const LaunchSpec& spec, Device& device, RunOptions options);
    /// Beside others on one unit, which outlives it (exec/shared_units/shared_unit.hpp): that begins it and takes its turns.
    Executor(const LaunchSpec& spec, Device& device, RunOptions options,
             exec::SharedUnitResources& resources);
    ~Executor();
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    /// SMs the port must have.
    [[nodiscard]] unsigned sms() const noexcept;
    /// The bytes behind the port's memory port; valid as long as the executor.
    [[nodiscard]] SharedMemory& sharedMemory() noexcept;
    /// Bytes of shared memory of a CTA.
    [[nodiscard]] std::uint32_t sharedWindow() const noexcept;
    void addObserver(ExecObserver& observer);
    /// Tells it of every access to memory; it must outlive the executor. Pre: the run has not begun.
    void watchAccesses(AccessObserver& observer);
    /// Tells it what happens in tensor memory; likewise.
    void watchTensor(TensorObserver& observer);
    /// What the golden mbarrier unit tells beside a commit becomes a finding; connect it to the `onNote` of the port's options.
    void note(const MbarNote& note);
    /// Everything but global memory as before the run; observers are none, and sharedMemory() is another. Pre: a unit of its own.
    void restart();
    /// Pre: port.sms() >= sms(), its structure is that of the options. Throws UnsupportedError when a lane executes an unsupported instruction.
    [[nodiscard]] RunResult run(SyncPort& port);

    /// A run in parts, for who runs several launches on one memory at the same time: begin(), turn() while it says Going, end().
    enum class Turn : std::uint8_t {
        Going,
        Still,  ///< nothing in the launch gets it on: end() makes it a hang, wake() lets it go on
        Ended
    };
    /// As run().
    void begin(SyncPort& port);
    /// One evaluated cycle, and the quiet ones behind it. Throws as run().
    [[nodiscard]] Turn turn();
    [[nodiscard]] RunResult end();
    /// Memory was changed by others.
    void wake() noexcept;
    /// The clock of the run.
    [[nodiscard]] Cycle now() const noexcept;
    /// Changes of memory and of barriers so far.
    [[nodiscard]] std::uint64_t changes() const noexcept;
    /// Work since the last one, as RunOptions::quietWork counts it.
    [[nodiscard]] std::uint64_t quietWork() const noexcept;
    /// Every CTA has executed griddepcontrol.launch_dependents, or has ended (GDC-002).
    [[nodiscard]] bool signalled() const noexcept;
    /// So many launches wait for this one to signal or to end, for the cause of a hang.
    void setBehind(unsigned launches) noexcept;
    /// Launches that griddepcontrol.wait waits for (GDC-005) are under way: not when none is said.
    void setGridsBefore(bool underWay);
    /// Bytes of the buffer of a kernel parameter, as they are now; empty when it is not a buffer.
    [[nodiscard]] std::vector<std::uint8_t> readBuffer(std::size_t param) const;
    /// All buffers, memory and module-scope variables, as they are now; on a shared device only the buffers of
    /// parameters. Without bytes their names alone.
    [[nodiscard]] std::vector<MemoryContents> contents(bool withBytes = true) const;

private:
    friend class SharedUnit;
    friend class ParallelRun;
    std::unique_ptr<exec::KernelRun> machine_;
};

}  // namespace gsu
