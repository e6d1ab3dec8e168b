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

/// Needs of a launch.
struct LaunchNeeds {
    unsigned sms{};
    /// it has a griddepcontrol.launch_dependents: a later launch may begin before it has ended
    bool signals{};
};

/// Memory that several launches of a module share: the memory that `common` places, variables, the device heap.
class Device {
public:
    /// A device for one module. `common` and `module` must outlive it. Throws InputError.
    Device(const LaunchSpec& common, const ptx::Module& module, const RunOptions& options);
    /// A module among several on one device: `global` is the memory of all of them, and outlives the object.
    Device(const LaunchSpec& common, const ptx::Module& module, const RunOptions& options,
           exec::GlobalMemory& global);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    /// Checks a launch. Throws InputError if it does not fit the kernel or the machine; changes nothing.
    LaunchNeeds check(const LaunchSpec& launch, const RunOptions& options);
    /// Writes the "writes" of `launch`, or only checks them. Throws InputError if they do not fit.
    void write(const LaunchSpec& launch, bool onlyCheck = false);
    /// Compares memory with the "expect" of `common`.
    [[nodiscard]] std::vector<Mismatch> compare() const;
    /// Memory and module-scope variables, as they are now; without bytes only their names.
    [[nodiscard]] std::vector<MemoryContents> contents(bool withBytes = true) const;
    /// The device memory, with the places of variables, for code that loads modules (exec/device/device_memory.hpp).
    [[nodiscard]] exec::DeviceMemory& memory() const noexcept { return *memory_; }

private:
    friend class Executor;
    const ptx::Module& module_;
    std::unique_ptr<exec::DeviceMemory> memory_;
};

/// One launch, run once. The port may differ from run to run; observers must outlive the executor.
class Executor {
public:
    /// Lays out memory and decodes. `spec` and `module` must outlive the executor. Throws InputError if an instruction of the module,
    /// reachable or not, has no legal form (ptx::formErrors) or the launch does not fit the kernel or the machine.
    Executor(const LaunchSpec& spec, const ptx::Module& module, RunOptions options);
    /// An executor on memory that it shares with other launches; buffers of its parameters stay allocated there.
    Executor(const LaunchSpec& spec, Device& device, RunOptions options);
    /// For a launch that shares its unit with others. The SharedUnit (exec/shared_units/shared_unit.hpp) outlives the executor and calls
    /// begin() and turn().
    Executor(const LaunchSpec& spec, Device& device, RunOptions options,
             exec::SharedUnitResources& resources);
    ~Executor();
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    /// Number of SMs that the port must have.
    [[nodiscard]] unsigned sms() const noexcept;
    /// The memory for the port's memory port; valid as long as the executor.
    [[nodiscard]] SharedMemory& sharedMemory() noexcept;
    /// Address and size of each allocation of global memory.
    [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> allocations() const;
    /// Bytes of shared memory of a CTA.
    [[nodiscard]] std::uint32_t sharedWindow() const noexcept;
    void addObserver(ExecObserver& observer);
    /// Reports every access to memory to `observer`, which must outlive the executor. Pre: the run has not begun.
    void watchAccesses(AccessObserver& observer);
    /// Reports the events of tensor memory to `observer`, which must outlive the executor.
    void watchTensor(TensorObserver& observer);
    /// Takes a remark of the golden mbarrier unit as a finding; connect it to the `onNote` of the port's options.
    void note(const MbarNote& note);
    /// Resets everything except global memory; there are no observers afterwards, and sharedMemory() is another object. Pre: a unit of its own.
    void restart();
    /// Runs the launch. Pre: port.sms() >= sms(), its structure is that of the options. Throws UnsupportedError if a lane executes an
    /// unsupported instruction.
    [[nodiscard]] RunResult run(SyncPort& port);

    /// A run in parts, for callers that run several launches on one memory at the same time: begin(), turn() while it returns Going, end().
    enum class Turn : std::uint8_t {
        Going,
        Still,  ///< blocked: end() makes it a hang, wake() lets it continue
        Ended
    };
    /// Begins the run; otherwise as run().
    void begin(SyncPort& port);
    /// Executes one cycle, and skips the quiet ones after it. Throws as run().
    [[nodiscard]] Turn turn();
    [[nodiscard]] RunResult end();
    /// Call when others have changed memory.
    void wake() noexcept;
    /// The clock of the run.
    [[nodiscard]] Cycle now() const noexcept;
    /// Number of changes of memory and of barriers so far.
    [[nodiscard]] std::uint64_t changes() const noexcept;
    /// Work since the last change, as RunOptions::quietWork counts it.
    [[nodiscard]] std::uint64_t quietWork() const noexcept;
    /// True if every CTA has executed griddepcontrol.launch_dependents, or has ended (GDC-002).
    [[nodiscard]] bool signalled() const noexcept;
    /// Sets the number of launches that wait for this one to signal or to end, for the cause of a hang.
    void setBehind(unsigned launches) noexcept;
    /// Sets whether launches that griddepcontrol.wait waits for (GDC-005) are running. The default is no.
    void setGridsBefore(bool underWay);
    /// Bytes of the buffer of a kernel parameter, as they are now; empty if it is not a buffer.
    [[nodiscard]] std::vector<std::uint8_t> readBuffer(std::size_t param) const;
    /// All buffers, memory and module-scope variables, as they are now; on a shared device only the buffers of parameters. Without bytes
    /// only their names.
    [[nodiscard]] std::vector<MemoryContents> contents(bool withBytes = true) const;

private:
    friend class SharedUnit;
    friend class ParallelRun;
    std::unique_ptr<exec::KernelRun> machine_;
};

}  // namespace gsu
