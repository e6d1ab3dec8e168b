// Attributes of functions, occupancy and launches of the driver.
#include <cstring>

#include "cuda/api/calls.hpp"
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

Kernel& functionOf(Platform& p, Handle handle)
{
    if (!p.isKernel(handle)) throw Refusal{Status::InvalidHandle, "this is not a function"};
    return *static_cast<Kernel*>(handle);
}

Status valueOf(const Platform& p, const Kernel& kernel, int id, int& value)
{
    const FunctionAttributes a = attributesOf(p, kernel);
    switch (static_cast<FunctionAttribute>(id)) {
        case FunctionAttribute::MaxThreads: value = a.maxThreads; break;
        case FunctionAttribute::SharedBytes: value = static_cast<int>(a.sharedBytes); break;
        case FunctionAttribute::ConstBytes: value = static_cast<int>(a.constBytes); break;
        case FunctionAttribute::LocalBytes: value = static_cast<int>(a.localBytes); break;
        case FunctionAttribute::Registers: value = a.registers; break;
        case FunctionAttribute::PtxVersion: value = a.ptxVersion; break;
        case FunctionAttribute::BinaryVersion: value = a.binaryVersion; break;
        case FunctionAttribute::CacheModeCa: value = a.cacheModeCa; break;
        case FunctionAttribute::MaxDynamicShared: value = a.maxDynamicShared; break;
        case FunctionAttribute::Carveout: value = a.preferredCarveout; break;
        case FunctionAttribute::ClusterMustBeSet: value = a.clusterDimMustBeSet; break;
        case FunctionAttribute::ClusterWidth: value = a.clusterWidth; break;
        case FunctionAttribute::ClusterHeight: value = a.clusterHeight; break;
        case FunctionAttribute::ClusterDepth: value = a.clusterDepth; break;
        case FunctionAttribute::NonPortableCluster: value = a.nonPortableCluster; break;
        case FunctionAttribute::ClusterPolicy: value = a.clusterPolicy; break;
        default: return Status::InvalidValue;
    }
    return Status::Success;
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

Status parameter(const gsu::ptx::Function& f, std::size_t index, std::size_t* offset,
                 std::size_t* bytes)
{
    if (index >= f.params.size()) return Status::InvalidValue;
    if (offset != nullptr) *offset = parametersOf(f).offsets[index];
    if (bytes != nullptr) *bytes = f.params[index].bytes;
    return Status::Success;
}

Status activeBlocks(Platform& p, int* blocks, Handle function, int threads, std::size_t smem)
{
    if (blocks == nullptr || threads <= 0) return Status::InvalidValue;
    return give(blocks, static_cast<int>(residentCtas(functionOf(p, function),
                                                      static_cast<std::uint32_t>(threads), smem)));
}

using SmemOf = std::size_t (*)(int threads);

Status largestBlock(Platform& p, int* grid, int* block, Handle function, SmemOf smemOf,
                    std::size_t dynamicSmem, int limit)
{
    // The kernel is kept alive, because a function of the program may unload the module.
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
}

/// `cooperative`: all CTAs of the grid run at once.
Status launch(Platform& p, Handle function, const Dim3& grid, const Dim3& block,
              unsigned dynamicSmem, Handle stream, void** arguments, void** extra, bool cooperative,
              const void* site)
{
    LaunchRequest request{.kernel = &functionOf(p, function),
                          .grid = {grid.x, grid.y, grid.z},
                          .block = {block.x, block.y, block.z},
                          .dynamicSmem = dynamicSmem,
                          .stream = stream,
                          .arguments = arguments,
                          .cooperative = cooperative,
                          .site = site};
    takeExtra(request, extra);
    return submitLaunch(p, request);
}

Status launch(Platform& p, const DriverLaunchConfig& config, Handle function, void** arguments,
              void** extra, const void* site)
{
    LaunchRequest request{.kernel = &functionOf(p, function),
                          .grid = {config.grid[0], config.grid[1], config.grid[2]},
                          .block = {config.block[0], config.block[1], config.block[2]},
                          .dynamicSmem = config.dynamicSmem,
                          .stream = config.stream,
                          .arguments = arguments,
                          .site = site};
    takeExtra(request, extra);
    takeAttributes(request, config.attributes, config.count);
    return submitLaunch(p, request);
}

}  // namespace

GSU_DRIVER_CALL(cuFuncGetAttribute, (int* value, int id, Handle function),
                valueOf(p, functionOf(p, function), id, out(value)))
GSU_DRIVER_CALL(cuFuncSetAttribute, (Handle function, int id, int value),
                setAttribute(functionOf(p, function), id, value))
GSU_DRIVER_FREE_CALL(cuKernelGetAttribute, (int* value, int id, Handle kernel, int),
                     valueOf(p, functionOf(p, kernel), id, out(value)))
GSU_DRIVER_FREE_CALL(cuKernelSetAttribute, (int id, int value, Handle kernel, int),
                     setAttribute(functionOf(p, kernel), id, value))
GSU_RUNTIME_CALL(cudaKernelSetAttributeForDevice, (Handle kernel, int id, int value, int),
                 setAttribute(functionOf(p, kernel), id, value))
GSU_DRIVER(cuFuncSetCacheConfig)(Handle, int) { return 0; }
GSU_DRIVER(cuFuncSetSharedMemConfig)(Handle, int) { return 0; }
GSU_DRIVER_CALL(cuFuncGetModule, (Handle * module, Handle function),
                give(module, functionOf(p, function).module.get()))
GSU_DRIVER_CALL(cuFuncGetName, (const char** name, Handle function),
                give(name, functionOf(p, function).function->name.c_str()))
GSU_DRIVER_CALL(cuKernelGetName, (const char** name, Handle kernel),
                give(name, functionOf(p, kernel).function->name.c_str()))
GSU_DRIVER_CALL(cuFuncGetParamInfo,
                (Handle function, std::size_t index, std::size_t* offset, std::size_t* bytes),
                parameter(*functionOf(p, function).function, index, offset, bytes))

GSU_DRIVER_CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor,
                (int* blocks, Handle function, int threads, std::size_t smem),
                activeBlocks(p, blocks, function, threads, smem))
GSU_DRIVER_CALL(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                (int* blocks, Handle function, int threads, std::size_t smem, unsigned),
                activeBlocks(p, blocks, function, threads, smem))
GSU_DRIVER_CALL(cuOccupancyMaxPotentialBlockSize,
                (int* grid, int* block, Handle function, SmemOf smemOf, std::size_t smem,
                 int limit),
                largestBlock(p, grid, block, function, smemOf, smem, limit))
GSU_DRIVER_CALL(cuOccupancyMaxPotentialBlockSizeWithFlags,
                (int* grid, int* block, Handle function, SmemOf smemOf, std::size_t smem, int limit,
                 unsigned),
                largestBlock(p, grid, block, function, smemOf, smem, limit))
GSU_DRIVER_CALL(cuOccupancyAvailableDynamicSMemPerBlock,
                (std::size_t * bytes, Handle function, int blocks, int),
                blocks <= 0 ? Status::InvalidValue
                            : give(bytes, dynamicFor(functionOf(p, function), unsigned(blocks))))
GSU_DRIVER_CALL(cuOccupancyMaxPotentialClusterSize,
                (int* size, Handle function, const DriverLaunchConfig* config),
                give(size, int(largestCluster(callOf(p, in(config), function), p.settings.sms))))
GSU_DRIVER_CALL(cuOccupancyMaxActiveClusters,
                (int* clusters, Handle function, const DriverLaunchConfig* config),
                give(clusters,
                     int(activeClusters(callOf(p, in(config), function), p.settings.sms))))

GSU_DRIVER_STREAM_CALL(cuLaunchKernel, _ptsz,
                       (Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned dynamicSmem, Handle stream,
                        void** arguments, void** extra),
                       launch(p, function, {gx, gy, gz}, {bx, by, bz}, dynamicSmem, stream,
                              arguments, extra, false, site))
GSU_DRIVER_STREAM_CALL(cuLaunchCooperativeKernel, _ptsz,
                       (Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned dynamicSmem, Handle stream,
                        void** arguments),
                       launch(p, function, {gx, gy, gz}, {bx, by, bz}, dynamicSmem, stream,
                              arguments, nullptr, true, site))
GSU_DRIVER_STREAM_CALL(cuLaunchKernelEx, _ptsz,
                       (const DriverLaunchConfig* config, Handle function, void** arguments,
                        void** extra),
                       launch(p, in(config), function, arguments, extra, site))
