/// Queries of both APIs about kernels: attributes, occupancy.
#pragma once
#include "cuda/device/types.hpp"
#include "cuda/platform/platform.hpp"

namespace gsu::cuda {

/// Attributes of functions: cudaFuncAttribute and CUfunction_attribute share their numbers.
enum class FunctionAttribute : int {
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

[[nodiscard]] FunctionAttributes attributesOf(const Platform& platform, const Kernel& kernel);
/// Sets an attribute. Throws Refusal for more dynamic shared memory than there is.
[[nodiscard]] Status setAttribute(Kernel& kernel, int id, int value);
/// Most dynamic shared memory with which `blocks` fit on a multiprocessor.
[[nodiscard]] std::size_t dynamicFor(const Kernel& kernel, unsigned blocks);
/// Number of CTAs of the largest cluster with this block and shared memory.
[[nodiscard]] unsigned largestCluster(const LaunchCall& call, unsigned sms);
/// Number of clusters that the device holds at once.
[[nodiscard]] unsigned activeClusters(const LaunchCall& call, unsigned sms);
/// 86 for "sm_86", 90 for "sm_90a".
[[nodiscard]] int numberOf(const std::string& target);

}  // namespace gsu::cuda
