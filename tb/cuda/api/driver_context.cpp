// The driver itself, its device and its contexts.
#include <algorithm>
#include <cstring>

#include "cuda/api/calls.hpp"
#include "cuda/platform/device_model.hpp"

namespace gsu::cuda {

DriverState& driverState()
{
    static auto* const state = new DriverState();
    return *state;
}

std::vector<Context*>& contextStack()
{
    thread_local std::vector<Context*> stack;
    return stack;
}

void useRuntime()
{
    driverState().initialised = true;
    if (contextStack().empty()) contextStack().push_back(&driverState().primary);
}

Status ofDriver(Status status) noexcept
{
    if (status == Status::InvalidDeviceFunction) return Status::InvalidHandle;
    const StatusText* text = find(static_cast<int>(status));
    return text != nullptr && *text->driver == 0 ? Status::InvalidValue : status;
}

bool DriverState::known(const void* context) const noexcept
{
    return context == &primary ||
           std::any_of(made.begin(), made.end(), [&](const auto& c) { return c.get() == context; });
}

namespace {

constexpr char kBusId[] = "0000:00:00.0";

Context* current() noexcept { return contextStack().empty() ? nullptr : contextStack().back(); }

Status create(Handle* to, unsigned flags)
{
    static_cast<void>(out(to));
    DriverState& state = driverState();
    state.made.push_back(std::make_unique<Context>(Context{flags, false}));
    contextStack().push_back(state.made.back().get());
    return give(to, state.made.back().get());
}

Status destroy(Platform& p, Handle context)
{
    DriverState& state = driverState();
    if (!state.known(context) || context == &state.primary) return Status::InvalidContext;
    static_cast<void>(p.synchronize());
    std::erase(contextStack(), context);
    std::erase_if(state.made, [&](const auto& c) { return c.get() == context; });
    return Status::Success;
}

Status push(Handle context)
{
    if (!driverState().known(context)) return Status::InvalidContext;
    contextStack().push_back(static_cast<Context*>(context));
    return Status::Success;
}

Status pop(Handle* context)
{
    if (contextStack().empty()) return Status::InvalidContext;
    if (context != nullptr) *context = contextStack().back();
    contextStack().pop_back();
    return Status::Success;
}

/// Sets the current context; a null handle is allowed.
Status setCurrent(Handle context)
{
    if (context != nullptr && !driverState().known(context)) return Status::InvalidContext;
    if (!contextStack().empty()) contextStack().pop_back();
    if (context != nullptr) contextStack().push_back(static_cast<Context*>(context));
    return Status::Success;
}

Status retain(Handle* to)
{
    out(to) = &driverState().primary;
    ++driverState().primaryUsers;
    return Status::Success;
}

Status release()
{
    if (driverState().primaryUsers == 0) return Status::InvalidContext;
    --driverState().primaryUsers;
    return Status::Success;
}

Status state(unsigned* flags, int* active)
{
    out(flags) = driverState().primary.flags;
    return give(active, driverState().primaryUsers != 0 ? 1 : 0);
}

Status name(const Platform& p, char* to, int bytes)
{
    if (to == nullptr || bytes <= 0) return Status::InvalidValue;
    const std::string name = deviceName(p);
    const std::size_t length = std::min(name.size(), static_cast<std::size_t>(bytes) - 1);
    std::memcpy(to, name.data(), length);
    to[length] = 0;
    return Status::Success;
}

Status uuid(const Platform& p, char* to)
{
    deviceUuid(p, &out(to));
    return Status::Success;
}

Status capability(const Platform& p, int* major, int* minor)
{
    out(major) = static_cast<int>(p.settings.sm / 10);
    return give(minor, static_cast<int>(p.settings.sm % 10));
}

Status busId(char* to, int bytes)
{
    if (to == nullptr || bytes < static_cast<int>(sizeof kBusId)) return Status::InvalidValue;
    std::memcpy(to, kBusId, sizeof kBusId);
    return Status::Success;
}

/// Whether a call may use this context; a null handle means the current one.
bool usable(Handle context)
{
    return context == nullptr ? current() != nullptr : driverState().known(context);
}

}  // namespace

Status attributeValue(const Platform& p, int* value, int id)
{
    const auto attribute = attributeOf(p, id);
    return attribute && value != nullptr ? give(value, *attribute) : Status::InvalidValue;
}

Status priorities(int* least, int* greatest)
{
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return Status::Success;
}

}  // namespace gsu::cuda

using namespace gsu::cuda;

GSU_DRIVER(cuInit)(unsigned flags)
{
    return static_cast<int>(guarded("cuInit", [&](Platform&) {
        if (flags != 0) return Status::InvalidValue;
        driverState().initialised = true;
        return Status::Success;
    }));
}

GSU_DRIVER(cuDriverGetVersion)(int* version)
{
    return answer("cuDriverGetVersion", version, 13000);
}

// Calls with a parameter `device`; there is one device.
#define GSU_DEVICE_CALL(name, parameters, ...)                                                     \
    GSU_DRIVER_FREE_CALL(name, parameters, device != 0 ? Status::InvalidDevice : __VA_ARGS__)

GSU_DRIVER_FREE_CALL(cuDeviceGetCount, (int* count), give(count, 1))
GSU_DEVICE_CALL(cuDeviceGet, (int* to, int device), give(to, 0))
GSU_DEVICE_CALL(cuDeviceGetName, (char* to, int bytes, int device), name(p, to, bytes))
GSU_DEVICE_CALL(cuDeviceGetUuid, (char* to, int device), uuid(p, to))
GSU_DEVICE_CALL(cuDeviceGetUuid_v2, (char* to, int device), uuid(p, to))
GSU_DEVICE_CALL(cuDeviceTotalMem_v2, (std::size_t * bytes, int device),
                give(bytes, p.heap.capacity()))
GSU_DEVICE_CALL(cuDeviceGetAttribute, (int* value, int id, int device),
                attributeValue(p, value, id))
GSU_DEVICE_CALL(cuDeviceComputeCapability, (int* major, int* minor, int device),
                capability(p, major, minor))
GSU_DEVICE_CALL(cuDeviceGetPCIBusId, (char* to, int bytes, int device), busId(to, bytes))
GSU_DRIVER(cuDeviceCanAccessPeer)(int* can, int, int)
{
    return answer("cuDeviceCanAccessPeer", can, 0);
}

GSU_DEVICE_CALL(cuDevicePrimaryCtxRetain, (Handle * to, int device), retain(to))
GSU_DEVICE_CALL(cuDevicePrimaryCtxRelease_v2, (int device), release())
GSU_DEVICE_CALL(cuDevicePrimaryCtxReset_v2, (int device), (p.reset(), Status::Success))
GSU_DEVICE_CALL(cuDevicePrimaryCtxGetState, (int device, unsigned* flags, int* active),
                state(flags, active))
GSU_DEVICE_CALL(cuDevicePrimaryCtxSetFlags_v2, (int device, unsigned flags),
                give(&driverState().primary.flags, flags))

GSU_DEVICE_CALL(cuCtxCreate_v2, (Handle * to, unsigned flags, int device), create(to, flags))
GSU_DEVICE_CALL(cuCtxCreate_v3, (Handle * to, void*, int, unsigned flags, int device),
                create(to, flags))
GSU_DEVICE_CALL(cuCtxCreate_v4, (Handle * to, void*, unsigned flags, int device), create(to, flags))
GSU_DRIVER_FREE_CALL(cuCtxDestroy_v2, (Handle context), destroy(p, context))
GSU_DRIVER_FREE_CALL(cuCtxPushCurrent_v2, (Handle context), push(context))
GSU_DRIVER_FREE_CALL(cuCtxPopCurrent_v2, (Handle * context), pop(context))
GSU_DRIVER_FREE_CALL(cuCtxSetCurrent, (Handle context), setCurrent(context))
GSU_DRIVER_FREE_CALL(cuCtxGetCurrent, (Handle * context), give(context, current()))
GSU_DRIVER_CALL(cuCtxGetDevice, (int* device), give(device, 0))
GSU_DRIVER_CALL(cuCtxGetFlags, (unsigned* flags), give(flags, current()->flags))
GSU_DRIVER(cuCtxGetApiVersion)(Handle, unsigned* version)
{
    return answer("cuCtxGetApiVersion", version, 13000u);
}
GSU_DRIVER_CALL(cuCtxSynchronize, (), p.synchronize())
// Forms of 13.0 with a context as parameter.
GSU_DRIVER_FREE_CALL(cuCtxGetDevice_v2, (int* device, Handle context),
                     usable(context) ? give(device, 0) : Status::InvalidContext)
GSU_DRIVER_FREE_CALL(cuCtxSynchronize_v2, (Handle context),
                     usable(context) ? p.synchronize() : Status::InvalidContext)
GSU_DRIVER_CALL(cuCtxGetLimit, (std::size_t * value, int limit), p.getLimit(limit, out(value)))
GSU_DRIVER_CALL(cuCtxSetLimit, (int limit, std::size_t value), p.setLimit(limit, value))
GSU_DRIVER_CALL(cuCtxGetStreamPriorityRange, (int* least, int* greatest),
                priorities(least, greatest))

// Choices between caches and banks, which have no effect on results.
GSU_DRIVER(cuCtxSetCacheConfig)(int) { return 0; }
GSU_DRIVER(cuCtxSetSharedMemConfig)(int) { return 0; }
GSU_DRIVER(cuProfilerStart)() { return 0; }
GSU_DRIVER(cuProfilerStop)() { return 0; }
