/// Turns the arguments of a launching call into work of a stream.
#pragma once
#include <optional>

#include "cuda/device/types.hpp"
#include "cuda/platform/platform.hpp"

namespace gsu::cuda {

struct LaunchRequest {
    Kernel* kernel{};
    /// host function that names the kernel; nullptr: the handle is `kernel`
    const void* function{};
    Dim3 grid{}, block{};
    std::size_t dynamicSmem{};
    Handle stream{};
    void** arguments{};                 ///< a pointer to each parameter, or
    const std::uint8_t* block_bytes{};  ///< all parameters as they are in the bank
    std::size_t blockSize{};
    bool cooperative{}, dependent{};
    std::optional<Dim> cluster{};
    const void* site{};
};

/// The kernel of a program's name for it: a function of the host, or a handle. Throws Refusal.
[[nodiscard]] Kernel& kernelOf(Platform& platform, const void* handle);
/// Reads the attributes of a launch. Throws Refusal for an attribute that is not supported.
void takeAttributes(LaunchRequest& request, const LaunchAttribute* attributes, unsigned count);
/// Reads parameters as one block: a list of markers and pointers, or nullptr. Throws Refusal.
void takeExtra(LaunchRequest& request, void** extra);
/// Checks a request and copies the arguments. `request.stream` is only named in reports. Throws Refusal.
[[nodiscard]] Work launchWork(Platform& platform, const LaunchRequest& request,
                              std::uint64_t stream = 0);
/// Checks a request and submits it. Throws Refusal.
[[nodiscard]] Status submitLaunch(Platform& platform, const LaunchRequest& request);
/// The stream of a handle. Throws Refusal for an invalid handle.
[[nodiscard]] Stream& streamOf(Platform& platform, Handle handle);

}  // namespace gsu::cuda
