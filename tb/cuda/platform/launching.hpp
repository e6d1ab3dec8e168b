/// From the arguments of a launching call to work in a stream.
#pragma once
#include <optional>

#include "cuda/device/types.hpp"
#include "cuda/platform/platform.hpp"

namespace gsu::cuda {

struct LaunchRequest {
    Kernel* kernel{};
    const void* function{};  ///< how the program names it; nullptr: by the handle that is `kernel`
    Dim3 grid{}, block{};
    std::size_t dynamicSmem{};
    Handle stream{};
    void** arguments{};                 ///< a pointer to each parameter, or
    const std::uint8_t* block_bytes{};  ///< all of them as they lie in the bank
    std::size_t blockSize{};
    bool cooperative{}, dependent{};
    std::optional<Dim> cluster{};
    const void* site{};
};

/// Of what the program names a kernel with: a function of the host, or a handle that it was given. Throws Refusal.
[[nodiscard]] Kernel& kernelOf(Platform& platform, const void* handle);
/// Throws Refusal for an attribute that is not supported.
void takeAttributes(LaunchRequest& request, const LaunchAttribute* attributes, unsigned count);
/// Parameters as one block: a list of markers and pointers, or nullptr. Throws Refusal.
void takeExtra(LaunchRequest& request, void** extra);
/// Checks it and copies the arguments. `request.stream` is only named in reports. Throws Refusal.
[[nodiscard]] Work launchWork(Platform& platform, const LaunchRequest& request,
                              std::uint64_t stream = 0);
/// The same, and submits it. Throws Refusal.
[[nodiscard]] Status submitLaunch(Platform& platform, const LaunchRequest& request);
/// Throws Refusal for a handle that is none.
[[nodiscard]] Stream& streamOf(Platform& platform, Handle handle);

}  // namespace gsu::cuda
