// Attributes of functions, occupancy and launches of the driver.
#include <cstring>

#include "cuda/api/driver.hpp"
#include "cuda/platform/functions.hpp"
#include "cuda/platform/launching.hpp"

using namespace gsu::cuda;

namespace {

/// CUlaunchConfig.
struct DriverLaunchConfig {
    unsigned grid[3], block[3];
    unsigned dynamicSmem;
    Handle stream;
    LaunchAttribute* attributes;
    unsigned count;
};

/// CUfunction_attribute.
enum Attribute : int {
    MaxThreads = 0,
    SharedBytes = 1,
    ConstBytes = 2,
    LocalBytes = 3,
    Registers = 4,
    PtxVersion = 5,
    BinaryVersion = 6,
    CacheModeCa = 7,
    MaxDynamicShared = 8,
    Carveout = 9,
    ClusterMustBeSet = 10,
    ClusterWidth = 11,
    ClusterHeight = 12,
    ClusterDepth = 13,
    NonPortableCluster = 14,
    ClusterPolicy = 15
};

Kernel& functionOf(Platform& p, Handle handle)
{
    if (!p.isKernel(handle)) throw Refusal{Status::InvalidHandle, "this is not a function"};
    return *static_cast<Kernel*>(handle);
}

Status valueOf(const Platform& p, const Kernel& kernel, int id, int& value)
{
    const FunctionAttributes a = attributesOf(p, kernel);
    switch (id) {
        case MaxThreads: value = a.maxThreads; break;
        case SharedBytes: value = static_cast<int>(a.sharedBytes); break;
        case ConstBytes: value = static_cast<int>(a.constBytes); break;
        case LocalBytes: value = static_cast<int>(a.localBytes); break;
        case Registers: value = a.registers; break;
        case PtxVersion: value = a.ptxVersion; break;
        case BinaryVersion: value = a.binaryVersion; break;
        case CacheModeCa: value = a.cacheModeCa; break;
        case MaxDynamicShared: value = a.maxDynamicShared; break;
        case Carveout: value = a.preferredCarveout; break;
        case ClusterMustBeSet: value = a.clusterDimMustBeSet; break;
        case ClusterWidth: value = a.clusterWidth; break;
        case ClusterHeight: value = a.clusterHeight; break;
        case ClusterDepth: value = a.clusterDepth; break;
        case NonPortableCluster: value = a.nonPortableCluster; break;
        case ClusterPolicy: value = a.clusterPolicy; break;
        default: return Status::InvalidValue;
    }
    return Status::Success;
}

Status setAttribute(Kernel& kernel, int id, int value)
{
    switch (id) {
        case MaxDynamicShared: return setMaxDynamic(kernel, value);
        case NonPortableCluster: kernel.largeCluster = value != 0; return Status::Success;
        case Carveout:
        case ClusterPolicy: return Status::Success;
        default: return Status::InvalidValue;
    }
}

LaunchCall callOf(Platform& p, const DriverLaunchConfig& config, Handle function)
{
    LaunchRequest request{.kernel = &functionOf(p, function)};
    takeAttributes(request, config.attributes, config.count);
    LaunchCall call;
    call.kernel = request.kernel->shared_from_this();
    call.cluster = request.cluster;
    call.block = {config.block[0], config.block[1], config.block[2]};
    call.dynamicSmem = config.dynamicSmem;
    return call;
}

}  // namespace

GSU_DRIVER(cuFuncGetAttribute)(int* value, int id, Handle function)
{
    return contextCall("cuFuncGetAttribute", [&](Platform& p) {
        return valueOf(p, functionOf(p, function), id, out(value));
    });
}

GSU_DRIVER(cuFuncSetAttribute)(Handle function, int id, int value)
{
    return contextCall("cuFuncSetAttribute", [&](Platform& p) {
        return setAttribute(functionOf(p, function), id, value);
    });
}

GSU_DRIVER(cuKernelGetAttribute)(int* value, int id, Handle kernel, int)
{
    return driverCall("cuKernelGetAttribute", [&](Platform& p) {
        return valueOf(p, functionOf(p, kernel), id, out(value));
    });
}

GSU_DRIVER(cuKernelSetAttribute)(int id, int value, Handle kernel, int)
{
    return driverCall("cuKernelSetAttribute",
                      [&](Platform& p) { return setAttribute(functionOf(p, kernel), id, value); });
}

GSU_DRIVER(cuFuncSetCacheConfig)(Handle, int) { return 0; }
GSU_DRIVER(cuFuncSetSharedMemConfig)(Handle, int) { return 0; }

GSU_DRIVER(cuFuncGetModule)(Handle* module, Handle function)
{
    return contextCall("cuFuncGetModule", [&](Platform& p) {
        out(module) = functionOf(p, function).module.get();
        return Status::Success;
    });
}

GSU_DRIVER(cuFuncGetName)(const char** name, Handle function)
{
    return contextCall("cuFuncGetName", [&](Platform& p) {
        out(name) = functionOf(p, function).function->name.c_str();
        return Status::Success;
    });
}

GSU_DRIVER(cuKernelGetName)(const char** name, Handle kernel)
{
    return cuFuncGetName(name, kernel);
}

GSU_DRIVER(cuFuncGetParamInfo)
(Handle function, std::size_t index, std::size_t* offset, std::size_t* bytes)
{
    return contextCall("cuFuncGetParamInfo", [&](Platform& p) {
        const gsu::ptx::Function& f = *functionOf(p, function).function;
        if (index >= f.params.size()) return Status::InvalidValue;
        if (offset != nullptr) *offset = parametersOf(f).offsets[index];
        if (bytes != nullptr) *bytes = f.params[index].bytes;
        return Status::Success;
    });
}

GSU_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
(int* blocks, Handle function, int threads, std::size_t dynamicSmem, unsigned)
{
    return contextCall("cuOccupancyMaxActiveBlocksPerMultiprocessor", [&](Platform& p) {
        if (blocks == nullptr || threads <= 0) return Status::InvalidValue;
        *blocks = static_cast<int>(residentCtas(functionOf(p, function),
                                                static_cast<std::uint32_t>(threads), dynamicSmem));
        return Status::Success;
    });
}

GSU_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)
(int* blocks, Handle function, int threads, std::size_t dynamicSmem)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                dynamicSmem, 0);
}

GSU_DRIVER(cuOccupancyMaxPotentialBlockSizeWithFlags)
(int* grid, int* block, Handle function, std::size_t (*smemOf)(int), std::size_t dynamicSmem,
 int limit, unsigned)
{
    return contextCall("cuOccupancyMaxPotentialBlockSize", [&](Platform& p) {
        // The program's function may unload the module.
        const std::shared_ptr<Kernel> kernel = functionOf(p, function).shared_from_this();
        const int most = attributesOf(p, *kernel).maxThreads;
        const int bound = limit > 0 && limit < most ? limit : most;
        unsigned best = 0;
        for (int threads = bound / 32 * 32; threads > 0; threads -= 32) {
            const std::size_t smem =
                smemOf != nullptr ? runForProgram(p, [&] { return smemOf(threads); }) : dynamicSmem;
            const unsigned ctas = residentCtas(*kernel, static_cast<std::uint32_t>(threads), smem);
            if (ctas * static_cast<unsigned>(threads) <= best) continue;
            best = ctas * static_cast<unsigned>(threads);
            out(block) = threads;
            out(grid) = static_cast<int>(ctas * p.settings.sms);
        }
        return best == 0 ? Status::InvalidValue : Status::Success;
    });
}

GSU_DRIVER(cuOccupancyMaxPotentialBlockSize)
(int* grid, int* block, Handle function, std::size_t (*smemOf)(int), std::size_t dynamicSmem,
 int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, smemOf, dynamicSmem,
                                                     limit, 0);
}

GSU_DRIVER(cuOccupancyAvailableDynamicSMemPerBlock)
(std::size_t* bytes, Handle function, int blocks, int)
{
    return contextCall("cuOccupancyAvailableDynamicSMemPerBlock", [&](Platform& p) {
        if (blocks <= 0) return Status::InvalidValue;
        out(bytes) = dynamicFor(functionOf(p, function), static_cast<unsigned>(blocks));
        return Status::Success;
    });
}

GSU_DRIVER(cuOccupancyMaxPotentialClusterSize)
(int* size, Handle function, const DriverLaunchConfig* config)
{
    return contextCall("cuOccupancyMaxPotentialClusterSize", [&](Platform& p) {
        out(size) =
            static_cast<int>(largestCluster(callOf(p, in(config), function), p.settings.sms));
        return Status::Success;
    });
}

GSU_DRIVER(cuOccupancyMaxActiveClusters)
(int* clusters, Handle function, const DriverLaunchConfig* config)
{
    return contextCall("cuOccupancyMaxActiveClusters", [&](Platform& p) {
        out(clusters) =
            static_cast<int>(activeClusters(callOf(p, in(config), function), p.settings.sms));
        return Status::Success;
    });
}

GSU_DRIVER(cuLaunchKernel)
(Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
 unsigned dynamicSmem, Handle stream, void** arguments, void** extra)
{
    const void* site = GSU_SITE;
    return contextCall("cuLaunchKernel", [&](Platform& p) {
        LaunchRequest request{.kernel = &functionOf(p, function),
                              .grid = {gx, gy, gz},
                              .block = {bx, by, bz},
                              .dynamicSmem = dynamicSmem,
                              .stream = stream,
                              .arguments = arguments,
                              .site = site};
        takeExtra(request, extra);
        return submitLaunch(p, request);
    });
}

GSU_DRIVER(cuLaunchCooperativeKernel)
(Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
 unsigned dynamicSmem, Handle stream, void** arguments)
{
    const void* site = GSU_SITE;
    return contextCall("cuLaunchCooperativeKernel", [&](Platform& p) {
        return submitLaunch(p, {.kernel = &functionOf(p, function),
                                .grid = {gx, gy, gz},
                                .block = {bx, by, bz},
                                .dynamicSmem = dynamicSmem,
                                .stream = stream,
                                .arguments = arguments,
                                .cooperative = true,
                                .site = site});
    });
}

GSU_DRIVER(cuLaunchKernelEx)
(const DriverLaunchConfig* config, Handle function, void** arguments, void** extra)
{
    const void* site = GSU_SITE;
    return contextCall("cuLaunchKernelEx", [&](Platform& p) {
        if (config == nullptr) return Status::InvalidValue;
        LaunchRequest request{.kernel = &functionOf(p, function),
                              .grid = {config->grid[0], config->grid[1], config->grid[2]},
                              .block = {config->block[0], config->block[1], config->block[2]},
                              .dynamicSmem = config->dynamicSmem,
                              .stream = config->stream,
                              .arguments = arguments,
                              .site = site};
        takeExtra(request, extra);
        takeAttributes(request, config->attributes, config->count);
        return submitLaunch(p, request);
    });
}
