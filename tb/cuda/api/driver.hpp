/// Shared functions of the driver API: initialisation, the thread's contexts.
#pragma once
#include <atomic>

#include "cuda/api/api.hpp"
#include "cuda/device/types.hpp"

namespace gsu::cuda {

/// A context. All contexts show the same device with the same memory.
struct Context {
    unsigned flags{};
    bool primary{};
};

struct DriverState {
    std::atomic<bool> initialised{};
    Context primary{.flags = 0, .primary = true};
    unsigned primaryUsers{};
    std::vector<std::unique_ptr<Context>> made;

    [[nodiscard]] bool known(const void* context) const noexcept;
};
DriverState& driverState();
/// The context stack of the calling thread; its last element is current.
std::vector<Context*>& contextStack();

/// The driver's code for a status: where the runtime has a code of its own, the driver has a more general one.
[[nodiscard]] Status ofDriver(Status status) noexcept;

/// A call that needs no context. Calls that free something are of this kind: they find the object by its handle.
template <class F> int driverCall(const char* name, F&& work) noexcept
{
    return static_cast<int>(ofDriver(guarded(name, [&](Platform& platform) {
        if (!driverState().initialised) return Status::NotInitialised;
        return work(platform);
    })));
}

/// A call that needs a context. It fails while the device has a sticky error.
template <class F> int contextCall(const char* name, F&& work) noexcept
{
    return driverCall(name, [&](Platform& platform) {
        if (contextStack().empty() || contextStack().back() == nullptr)
            return Status::InvalidContext;
        if (platform.error() != Status::Success) return platform.error();
        return work(platform);
    });
}

using DevicePointer = std::uint64_t;
[[nodiscard]] inline void* pointerOf(DevicePointer address) noexcept
{
    return reinterpret_cast<void*>(address);
}

}  // namespace gsu::cuda
