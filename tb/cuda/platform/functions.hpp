/// What both APIs tell about kernels: attributes, occupancy.
#pragma once
#include "cuda/device/types.hpp"
#include "cuda/platform/platform.hpp"

namespace gsu::cuda {

[[nodiscard]] FunctionAttributes attributesOf(const Platform& platform, const Kernel& kernel);
/// Dynamic shared memory that launches may have from now on. Throws Refusal for more than there is.
[[nodiscard]] Status setMaxDynamic(Kernel& kernel, int bytes);
/// Dynamic shared memory with which `blocks` fit on a multiprocessor.
[[nodiscard]] std::size_t dynamicFor(const Kernel& kernel, unsigned blocks);
/// CTAs of the largest cluster with this block and shared memory.
[[nodiscard]] unsigned largestCluster(const LaunchCall& call, unsigned sms);
/// Clusters that the device holds at once.
[[nodiscard]] unsigned activeClusters(const LaunchCall& call, unsigned sms);
/// 86 for "sm_86", "sm_90a".
[[nodiscard]] int numberOf(const std::string& target);

}  // namespace gsu::cuda
