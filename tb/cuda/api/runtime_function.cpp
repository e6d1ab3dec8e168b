// Attributes of kernels, and how many of their blocks fit.
#include <algorithm>
#include <cstring>

#include "cuda/api/api.hpp"
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
        // Version 11 ends in front of the fields on clusters.
        std::memcpy(to, &all,
                    clusters ? sizeof all : offsetof(FunctionAttributes, clusterDimMustBeSet));
        return Status::Success;
    });
}

/// cudaFuncAttribute.
enum FunctionAttribute : int {
    MaxDynamicShared = 8,
    PreferredCarveout = 9,
    RequiredClusterWidth = 11,
    RequiredClusterHeight = 12,
    RequiredClusterDepth = 13,
    NonPortableCluster = 14,
    ClusterPolicy = 15
};

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

GSU_RUNTIME(cudaFuncSetAttribute)(const void* host, int attribute, int value)
{
    return runtimeCall("cudaFuncSetAttribute", [&](Platform& p) {
        Kernel& kernel = kernelOf(p, host);
        switch (attribute) {
            case MaxDynamicShared: return setMaxDynamic(kernel, value);
            case NonPortableCluster: kernel.largeCluster = value != 0; return Status::Success;
            case PreferredCarveout:
            case ClusterPolicy: return Status::Success;
            // The kernel says itself what it requires.
            case RequiredClusterWidth:
            case RequiredClusterHeight:
            case RequiredClusterDepth: return Status::NotPermitted;
            default: return Status::InvalidValue;
        }
    });
}

GSU_RUNTIME(cudaFuncSetCacheConfig)(const void*, int) { return 0; }
GSU_RUNTIME(cudaFuncSetSharedMemConfig)(const void*, int) { return 0; }

GSU_RUNTIME(cudaFuncGetName)(const char** name, const void* host)
{
    return runtimeCall("cudaFuncGetName", [&](Platform& p) {
        out(name) = kernelOf(p, host).function->name.c_str();
        return Status::Success;
    });
}

GSU_RUNTIME(cudaGetFuncBySymbol)(Handle* function, const void* host)
{
    return runtimeCall("cudaGetFuncBySymbol", [&](Platform& p) {
        out(function) = &kernelOf(p, host);
        return Status::Success;
    });
}

GSU_RUNTIME(cudaGetKernel)(Handle* function, const void* host)
{
    return gsu_cudaGetFuncBySymbol(function, host);
}

GSU_RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
(int* blocks, const void* host, int threads, std::size_t dynamicSmem, unsigned)
{
    return runtimeCall("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&](Platform& p) {
        if (blocks == nullptr || threads <= 0) return Status::InvalidValue;
        *blocks = static_cast<int>(
            residentCtas(kernelOf(p, host), static_cast<std::uint32_t>(threads), dynamicSmem));
        return Status::Success;
    });
}

GSU_RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
(int* blocks, const void* host, int threads, std::size_t dynamicSmem)
{
    return gsu_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, threads,
                                                                      dynamicSmem, 0);
}

GSU_RUNTIME(cudaOccupancyAvailableDynamicSMemPerBlock)
(std::size_t* bytes, const void* host, int blocks, int)
{
    return runtimeCall("cudaOccupancyAvailableDynamicSMemPerBlock", [&](Platform& p) {
        if (bytes == nullptr || blocks <= 0) return Status::InvalidValue;
        *bytes = dynamicFor(kernelOf(p, host), static_cast<unsigned>(blocks));
        return Status::Success;
    });
}

GSU_RUNTIME(cudaOccupancyMaxPotentialClusterSize)
(int* size, const void* host, const LaunchConfig* config)
{
    return runtimeCall("cudaOccupancyMaxPotentialClusterSize", [&](Platform& p) {
        if (size == nullptr || config == nullptr) return Status::InvalidValue;
        const LaunchCall call = callOf(p, *config, host);
        *size = static_cast<int>(largestCluster(call, p.settings.sms));
        return Status::Success;
    });
}

GSU_RUNTIME(cudaOccupancyMaxActiveClusters)
(int* clusters, const void* host, const LaunchConfig* config)
{
    return runtimeCall("cudaOccupancyMaxActiveClusters", [&](Platform& p) {
        if (clusters == nullptr || config == nullptr) return Status::InvalidValue;
        *clusters = static_cast<int>(activeClusters(callOf(p, *config, host), p.settings.sms));
        return Status::Success;
    });
}
