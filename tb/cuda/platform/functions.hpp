/// What both APIs tell about kernels: attributes, occupancy.
#pragma once
#include "cuda/device/types.hpp"
#include "cuda/platform/platform.hpp"

namespace gsu::cuda {

/// cudaFuncAttribute and CUfunction_attribute: they share their numbers.
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
/// Throws Refusal for more dynamic shared memory than there is.
[[nodiscard]] Status setAttribute(Kernel& kernel, int id, int value);
/// Dynamic shared memory with which `blocks` fit on a multiprocessor.
[[nodiscard]] std::size_t dynamicFor(const Kernel& kernel, unsigned blocks);
/// CTAs of the largest cluster with this block and shared memory.
[[nodiscard]] unsigned largestCluster(const LaunchCall& call, unsigned sms);
/// Clusters that the device holds at once.
[[nodiscard]] unsigned activeClusters(const LaunchCall& call, unsigned sms);
/// 86 for "sm_86", "sm_90a".
[[nodiscard]] int numberOf(const std::string& target);

}  // namespace gsu::cuda
