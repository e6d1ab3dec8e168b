#include "exec/machine/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exec/ctas/placement.hpp"
#include "exec/decode/decoder.hpp"
#include "exec/history/history.hpp"
#include "exec/storage/global_memory.hpp"
#include "exec/tmem/tensor_memory.hpp"

namespace gsu::exec {
namespace {

DeviceMemory& cleared(DeviceMemory& device)
{
    device.clearWorkspace();
    return device;
}

}  // namespace

Kernel::Kernel(const LaunchSpec& s, const ptx::Module& m, RunOptions o, DeviceMemory* given)
    : spec(s),
      module(m),
      options(std::move(o)),
      ownDevice(given != nullptr ? nullptr
                                 : std::make_unique<DeviceMemory>(s, m, options.memoryBytes)),
      device(cleared(given != nullptr ? *given : *ownDevice)),
      plan(planOf(spec, module, options.structure)),
      parameters(spec, module, device, given == nullptr),
      threadBytes(device)
{
    program.timed = options.params.timing != Timing::Simple;
    decodeProgram(program, module, plan, device, parameters.offsets());
    if (options.explains) numberNotes(program);
    checkPart();
    reserveThreads();
    if (!device.initialised) applyInitialisers(device, program, plan.sharedSymbols);
    device.initialised = true;
}

/// Refuses instructions that ask for CTAs that are not simulated.
void Kernel::checkPart() const
{
    const unsigned of = options.params.of;
    if (of == 0) return;
    if (of < shape.sms)
        spec.fail("/of",
                  fmt::format("{} SMs are simulated, which are no part of {}", shape.sms, of));
    if (of > shape.sms && shape.sms % shape.clusterCtas != 0)
        spec.fail("/sms",
                  fmt::format("{} SMs would do the work of {}: of a part of the chip (exec.of) "
                              "whole clusters are simulated, so give a multiple of {}",
                              shape.sms, (shape.sms / shape.clusterCtas + 1) * shape.clusterCtas,
                              shape.clusterCtas));
    if (spec.cooperative)
        spec.fail("/cooperative",
                  "a cooperative launch waits for all of its CTAs, and of a part of the chip "
                  "(exec.of) only some are simulated");
    for (const SyncInfo& info : program.syncs) {
        if (info.op == Op::ClcTryCancel)
            spec.fail("/of", "clusterlaunchcontrol.try_cancel takes CTAs that run elsewhere: of a "
                             "part of the chip (exec.of) they are not simulated");
    }
}

/// Registers and local memory of as many CTAs as are resident at once.
void Kernel::reserveThreads()
{
    const Code& code = program.codes[program.entry];
    const ptx::Position at = code.function->at;
    if (code.frameBytes > kMaxLocal) {
        throw device.errorAt(at, fmt::format("local memory: {} has {} bytes per thread, at most {}",
                                             code.name, code.frameBytes, kMaxLocal));
    }
    const std::uint64_t perWarp = 32 * (std::uint64_t{code.rows} * 8 + code.frameBytes);
    const std::uint64_t ctas = std::min(shape.ctas, residentClusters(shape) * shape.clusterCtas);
    threadBytes.reserve(ctas * shape.warps * perWarp, "registers and local memory of " + code.name,
                        at);
    if (!program.tcgen05s.empty())
        threadBytes.reserve(shape.sms * sizeof(std::uint32_t) * tmem::kLanes * tmem::kColumns,
                            "tensor memory of " + code.name, at);
}

std::vector<MemoryContents> Kernel::contents(bool withBytes)
{
    std::vector<MemoryContents> list = parameters.contents(withBytes);
    if (ownDevice == nullptr) return list;
    for (MemoryContents& m : device.contents(withBytes)) list.push_back(std::move(m));
    return list;
}

}  // namespace gsu::exec
