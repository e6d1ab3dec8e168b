// Attributes of kernels, and the number of their blocks that fit.
#include <algorithm>
#include <cstring>

#include "cuda/api/calls.hpp"
#include "cuda/device/types.hpp"
#include "cuda/platform/functions.hpp"
#include "cuda/platform/launching.hpp"

using namespace gsu::cuda;

namespace {

int attributes(void* to, const void* host, bool clusters)
{
    return runtimeCall("cudaFuncGetAttributes", [&](Platform& p) {
        if (to == nullptr) return Status::InvalidValue;
        const FunctionAttributes all = attributesOf(p, kernelOf(p, host));
        // The structure of version 11 ends before the fields about clusters.
        std::memcpy(to, &all,
                    clusters ? sizeof all : offsetof(FunctionAttributes, clusterDimMustBeSet));
        return Status::Success;
    });
}

LaunchCall callOf(Platform& p, const LaunchConfig& config, const void* host)
{
    LaunchRequest request{.kernel = &kernelOf(p, host)};
    takeAttributes(request, config.attributes, config.count);
    LaunchCall call;
    call.kernel = request.kernel->shared_from_this();
    call.cluster = request.cluster;
    call.block = {config.block.x, config.block.y, config.block.z};
    call.dynamicSmem = static_cast<std::uint32_t>(config.dynamicSmem);
    return call;
}

Status activeBlocks(Platform& p, int* blocks, const void* host, int threads, std::size_t smem)
{
    if (blocks == nullptr || threads <= 0) return Status::InvalidValue;
    return give(blocks, static_cast<int>(residentCtas(kernelOf(p, host),
                                                      static_cast<std::uint32_t>(threads), smem)));
}

}  // namespace

GSU_RUNTIME_11(cudaFuncGetAttributes)(void* to, const void* host)
{
    return attributes(to, host, false);
}
GSU_RUNTIME_12(cudaFuncGetAttributes)(void* to, const void* host)
{
    return attributes(to, host, true);
}
GSU_RUNTIME_13(cudaFuncGetAttributes)(void* to, const void* host)
{
    return attributes(to, host, true);
}

GSU_RUNTIME_CALL(cudaFuncSetAttribute, (const void* host, int attribute, int value),
                 setAttribute(kernelOf(p, host), attribute, value))
GSU_RUNTIME(cudaFuncSetCacheConfig)(const void*, int) { return 0; }
GSU_RUNTIME(cudaFuncSetSharedMemConfig)(const void*, int) { return 0; }
GSU_RUNTIME_CALL(cudaFuncGetName, (const char** name, const void* host),
                 give(name, kernelOf(p, host).function->name.c_str()))
GSU_RUNTIME_CALL(cudaGetFuncBySymbol, (Handle * function, const void* host),
                 give(function, &kernelOf(p, host)))
GSU_RUNTIME_CALL(cudaGetKernel, (Handle * function, const void* host),
                 give(function, &kernelOf(p, host)))

GSU_RUNTIME_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
                 (int* blocks, const void* host, int threads, std::size_t smem),
                 activeBlocks(p, blocks, host, threads, smem))
GSU_RUNTIME_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                 (int* blocks, const void* host, int threads, std::size_t smem, unsigned),
                 activeBlocks(p, blocks, host, threads, smem))
GSU_RUNTIME_CALL(cudaOccupancyAvailableDynamicSMemPerBlock,
                 (std::size_t * bytes, const void* host, int blocks, int),
                 blocks <= 0 ? Status::InvalidValue
                             : give(bytes, dynamicFor(kernelOf(p, host), unsigned(blocks))))
GSU_RUNTIME_CALL(cudaOccupancyMaxPotentialClusterSize,
                 (int* size, const void* host, const LaunchConfig* config),
                 give(size, int(largestCluster(callOf(p, in(config), host), p.settings.sms))))
GSU_RUNTIME_CALL(cudaOccupancyMaxActiveClusters,
                 (int* clusters, const void* host, const LaunchConfig* config),
                 give(clusters, int(activeClusters(callOf(p, in(config), host), p.settings.sms))))
