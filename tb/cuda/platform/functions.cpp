#include "cuda/platform/functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "exec/storage/global_memory.hpp"
#include "golden/chip_layout.hpp"

namespace gsu::cuda {
namespace {

unsigned ctasOf(const LaunchCall& call)
{
    const Dim c =
        call.kernel->function->reqnctapercluster.value_or(call.cluster.value_or(Dim{1, 1, 1}));
    return c[0] * c[1] * c[2];
}

unsigned threadsOf(const LaunchCall& call) { return call.block[0] * call.block[1] * call.block[2]; }

/// Registers that a compiler would assign. The real number is unknown from PTX; this is a bound.
constexpr std::uint32_t kRegisters = 64;

int registersOf(const ptx::Function& f, const CodeModule& module)
{
    const std::uint32_t loaded = module.maxRegisters() == 0 ? kRegisters : module.maxRegisters();
    return static_cast<int>(std::min({f.maxnreg.value_or(kRegisters), loaded, kRegisters}));
}

}  // namespace

int numberOf(const std::string& target)
{
    const auto digit = target.find_first_of("0123456789");
    return digit == std::string::npos ? 0 : std::atoi(target.c_str() + digit);
}

FunctionAttributes attributesOf(const Platform& platform, const Kernel& kernel)
{
    const ptx::Function& f = *kernel.function;
    const ptx::Module& code = kernel.module->code();
    FunctionAttributes a{};
    a.sharedBytes = kernel.staticSmem;
    for (const ptx::Variable& v : code.variables) {
        if (v.space == ptx::Space::Const) a.constBytes += v.bytes;
    }
    a.localBytes = localBytes(f);
    const auto bound = f.reqntid ? f.reqntid : f.maxntid;
    a.maxThreads = bound ? static_cast<int>((*bound)[0] * (*bound)[1] * (*bound)[2]) : 1024;
    a.registers = registersOf(f, *kernel.module);
    a.ptxVersion = numberOf(code.target);
    a.binaryVersion = static_cast<int>(platform.settings.sm);
    a.maxDynamicShared = static_cast<int>(kernel.maxDynamic);
    a.preferredCarveout = -1;
    a.clusterDimMustBeSet = f.explicitcluster && !f.reqnctapercluster ? 1 : 0;
    if (f.reqnctapercluster) {
        const auto& c = *f.reqnctapercluster;
        a.clusterWidth = static_cast<int>(c[0]);
        a.clusterHeight = static_cast<int>(c[1]);
        a.clusterDepth = static_cast<int>(c[2]);
    }
    a.nonPortableCluster = kernel.largeCluster ? 1 : 0;
    return a;
}

namespace {

/// Sets the dynamic shared memory that launches may have from now on.
Status setMaxDynamic(Kernel& kernel, int bytes)
{
    const std::int64_t most = std::int64_t{exec::SharedBytes::kUsablePerSm} - kernel.staticSmem;
    if (bytes < 0 || bytes > most)
        throw Refusal{Status::InvalidValue,
                      fmt::format("{} bytes of dynamic shared memory for {}, which declares {}: at "
                                  "most {} beside them",
                                  bytes, kernel.readable, kernel.staticSmem, most)};
    kernel.maxDynamic = static_cast<std::uint32_t>(bytes);
    return Status::Success;
}

}  // namespace

Status setAttribute(Kernel& kernel, int id, int value)
{
    switch (static_cast<FunctionAttribute>(id)) {
        case FunctionAttribute::MaxDynamicShared: return setMaxDynamic(kernel, value);
        case FunctionAttribute::NonPortableCluster:
            kernel.largeCluster = value != 0;
            return Status::Success;
        case FunctionAttribute::Carveout:
        case FunctionAttribute::ClusterPolicy: return Status::Success;
        // The kernel itself determines what it requires.
        case FunctionAttribute::ClusterWidth:
        case FunctionAttribute::ClusterHeight:
        case FunctionAttribute::ClusterDepth: return Status::NotPermitted;
        default: return Status::InvalidValue;
    }
}

std::size_t dynamicFor(const Kernel& kernel, unsigned blocks)
{
    const std::uint32_t each = exec::SharedBytes::kUsablePerSm / blocks / 256 * 256;
    return each > kernel.staticSmem ? each - kernel.staticSmem : 0;
}

unsigned activeClusters(const LaunchCall& call, unsigned sms)
{
    const unsigned perSm = residentCtas(*call.kernel, threadsOf(call), call.dynamicSmem);
    return static_cast<unsigned>(ChipLayout(sms).clustersHeld(perSm, std::max(ctasOf(call), 1u)));
}

unsigned largestCluster(const LaunchCall& call, unsigned sms)
{
    const unsigned perSm = residentCtas(*call.kernel, threadsOf(call), call.dynamicSmem);
    const unsigned most = call.kernel->largeCluster ? 16 : 8;
    unsigned size = 0;
    for (unsigned ctas = 1; ctas <= most; ctas *= 2) {
        if (perSm * ChipLayout(sms).largest() >= ctas) size = ctas;
    }
    return size;
}

}  // namespace gsu::cuda
