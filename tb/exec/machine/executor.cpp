// The public functions of the executor.
#include "exec/machine/executor.hpp"

#include <fmt/format.h>

#include "exec/machine/kernel_run.hpp"
#include "ptx/check.hpp"

namespace gsu {

namespace {

/// Nothing illegal is executed, not even decoded: the text is that of `gsu check`.
const ptx::Module& requireForms(const ptx::Module& module)
{
    const std::vector<ptx::Diagnostic> errors = ptx::formErrors(module);
    if (errors.empty()) return module;
    const ptx::Diagnostic& e = errors.front();
    const auto [file, line] = module.placeOf(e.at.line);
    std::string text = e.message + (e.rule.empty() ? "" : " [" + e.rule + "]");
    if (errors.size() > 1) text += fmt::format(" ({} more: gsu check {})", errors.size() - 1, file);
    throw InputError(file, line, e.at.column, std::move(text));
}

}  // namespace

Device::Device(const LaunchSpec& common, const ptx::Module& module, const RunOptions& options)
    : module_(requireForms(module)),
      memory_(std::make_unique<exec::DeviceMemory>(common, module, options.memoryBytes))
{
    memory_->placeMultimem({});
    exec::Patcher(common, *memory_, {}).memory();
}
Device::Device(const LaunchSpec& common, const ptx::Module& module, const RunOptions& options,
               exec::GlobalMemory& global)
    : module_(requireForms(module)),
      memory_(std::make_unique<exec::DeviceMemory>(common, module, options.memoryBytes, &global))
{
}
Device::~Device() = default;

LaunchNeeds Device::check(const LaunchSpec& launch, const RunOptions& options)
{
    const std::size_t blocks = memory_->global.blocks().size();
    const std::uint64_t left = memory_->left;
    const exec::KernelRun probe(launch, module_, options, memory_.get());
    memory_->global.keepFirst(blocks);
    memory_->left = left - probe.kernel.threadBytes.bytes();  // the machine gives these bytes back
    return {probe.shape.sms, probe.program.signals};
}

void Device::write(const LaunchSpec& launch, bool onlyCheck)
{
    for (std::size_t i = 0; i < launch.writes.size(); ++i) {
        const Expectation& w = launch.writes[i];
        const auto [to, bytes] = memory_->bytesOf(w.global);
        const std::vector<std::uint8_t>& from = w.data.bytes;
        if (to == nullptr || from.size() > bytes || (w.fill && bytes % from.size() != 0))
            launch.fail(fmt::format("/writes/{}", i),
                        "more than '" + w.global + "' holds, or nothing of that name");
        if (onlyCheck) continue;
        for (std::size_t at = 0; at < (w.fill ? bytes : from.size()); at += from.size())
            std::copy(from.begin(), from.end(), to + at);
    }
}

std::vector<Mismatch> Device::compare() const
{
    std::vector<Mismatch> mismatches;
    exec::compareMemory(*memory_, memory_->spec.expect, {}, mismatches);
    return mismatches;
}

std::vector<MemoryContents> Device::contents(bool withBytes) const
{
    return memory_->contents(withBytes);
}

Executor::Executor(const LaunchSpec& spec, const ptx::Module& module, RunOptions options)
    : machine_(std::make_unique<exec::KernelRun>(spec, requireForms(module), options, nullptr))
{
}
Executor::Executor(const LaunchSpec& spec, Device& device, RunOptions options)
    : machine_(
          std::make_unique<exec::KernelRun>(spec, device.module_, options, device.memory_.get()))
{
}
Executor::Executor(const LaunchSpec& spec, Device& device, RunOptions options,
                   exec::SharedUnitResources& resources)
    : machine_(std::make_unique<exec::KernelRun>(spec, device.module_, options,
                                                 device.memory_.get(), &resources))
{
}
Executor::~Executor() = default;
void Executor::restart()
{
    const unsigned behind = machine_->state.behind;
    machine_ = exec::KernelRun::again(std::move(machine_));
    machine_->state.behind = behind;
}
unsigned Executor::sms() const noexcept { return machine_->shape.sms; }
SharedMemory& Executor::sharedMemory() noexcept { return machine_->shared; }
std::uint32_t Executor::sharedWindow() const noexcept { return machine_->shape.smem; }
void Executor::addObserver(ExecObserver& observer)
{
    machine_->state.observers.push_back(&observer);
}
void Executor::watchAccesses(AccessObserver& observer) { machine_->state.accesses = &observer; }
void Executor::watchTensor(TensorObserver& observer) { machine_->tensorCores.watch(observer); }
void Executor::note(const MbarNote& note) { machine_->state.findings.note(note); }
RunResult Executor::run(SyncPort& port) { return machine_->run(port); }
void Executor::begin(SyncPort& port) { machine_->begin(port); }
Executor::Turn Executor::turn() { return machine_->turn(); }
RunResult Executor::end() { return machine_->end(); }
void Executor::wake() noexcept { machine_->wake(); }
Cycle Executor::now() const noexcept { return machine_->state.now(); }
std::uint64_t Executor::changes() const noexcept { return machine_->state.progress.changes(); }
std::uint64_t Executor::quietWork() const noexcept { return machine_->state.progress.quietWork(); }
bool Executor::signalled() const noexcept
{
    return machine_->state.grids.signalled(machine_->launcher.left());
}
void Executor::setBehind(unsigned launches) noexcept { machine_->state.behind = launches; }
void Executor::setGridsBefore(bool underWay) { machine_->setGridsBefore(underWay); }

std::vector<MemoryContents> Executor::contents(bool withBytes) const
{
    return machine_->kernel.contents(withBytes);
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> Executor::allocations() const
{
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    for (const auto& b : machine_->kernel.device.global.blocks()) all.emplace_back(b.base, b.bytes);
    return all;
}

std::vector<std::uint8_t> Executor::readBuffer(std::size_t param) const
{
    const std::vector<std::uint64_t>& buffers = machine_->kernel.parameters.buffers();
    if (param >= buffers.size() || buffers[param] == 0) return {};
    for (const auto& b : machine_->device.global.blocks()) {
        if (b.base == buffers[param]) return {b.data.get(), b.data.get() + b.bytes};
    }
    return {};
}

}  // namespace gsu
