// The driver itself, its device and its contexts.
#include <algorithm>
#include <cstring>

#include "cuda/api/driver.hpp"
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

template <class F> int deviceCall(const char* name, int device, F&& work)
{
    return driverCall(name,
                      [&](Platform& p) { return device == 0 ? work(p) : Status::InvalidDevice; });
}

int create(Handle* to, unsigned flags, int device)
{
    return deviceCall("cuCtxCreate", device, [&](Platform&) {
        static_cast<void>(out(to));
        DriverState& state = driverState();
        state.made.push_back(std::make_unique<Context>(Context{flags, false}));
        contextStack().push_back(state.made.back().get());
        *to = state.made.back().get();
        return Status::Success;
    });
}

}  // namespace
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

GSU_DRIVER(cuDeviceGetCount)(int* count)
{
    return driverCall("cuDeviceGetCount", [&](Platform&) {
        out(count) = 1;
        return Status::Success;
    });
}

GSU_DRIVER(cuDeviceGet)(int* device, int number)
{
    return deviceCall("cuDeviceGet", number, [&](Platform&) {
        out(device) = 0;
        return Status::Success;
    });
}

GSU_DRIVER(cuDeviceGetName)(char* to, int bytes, int device)
{
    return deviceCall("cuDeviceGetName", device, [&](Platform& p) {
        if (to == nullptr || bytes <= 0) return Status::InvalidValue;
        const std::string name = deviceName(p);
        const std::size_t length = std::min(name.size(), static_cast<std::size_t>(bytes) - 1);
        std::memcpy(to, name.data(), length);
        to[length] = 0;
        return Status::Success;
    });
}

GSU_DRIVER(cuDeviceGetUuid)(char* to, int device)
{
    return deviceCall("cuDeviceGetUuid", device, [&](Platform& p) {
        deviceUuid(p, &out(to));
        return Status::Success;
    });
}
GSU_DRIVER(cuDeviceGetUuid_v2)(char* to, int device) { return cuDeviceGetUuid(to, device); }

GSU_DRIVER(cuDeviceTotalMem_v2)(std::size_t* bytes, int device)
{
    return deviceCall("cuDeviceTotalMem", device, [&](Platform& p) {
        out(bytes) = p.heap.capacity();
        return Status::Success;
    });
}

GSU_DRIVER(cuDeviceGetAttribute)(int* value, int id, int device)
{
    return deviceCall("cuDeviceGetAttribute", device, [&](Platform& p) {
        const auto attribute = attributeOf(p, id);
        if (!attribute || value == nullptr) return Status::InvalidValue;
        *value = *attribute;
        return Status::Success;
    });
}

GSU_DRIVER(cuDeviceComputeCapability)(int* major, int* minor, int device)
{
    return deviceCall("cuDeviceComputeCapability", device, [&](Platform& p) {
        out(major) = static_cast<int>(p.settings.sm / 10);
        out(minor) = static_cast<int>(p.settings.sm % 10);
        return Status::Success;
    });
}

GSU_DRIVER(cuDeviceGetPCIBusId)(char* to, int bytes, int device)
{
    return deviceCall("cuDeviceGetPCIBusId", device, [&](Platform&) {
        constexpr char kId[] = "0000:00:00.0";
        if (to == nullptr || bytes < static_cast<int>(sizeof kId)) return Status::InvalidValue;
        std::memcpy(to, kId, sizeof kId);
        return Status::Success;
    });
}

GSU_DRIVER(cuDeviceCanAccessPeer)(int* can, int, int)
{
    return answer("cuDeviceCanAccessPeer", can, 0);
}

GSU_DRIVER(cuDevicePrimaryCtxRetain)(Handle* to, int device)
{
    return deviceCall("cuDevicePrimaryCtxRetain", device, [&](Platform&) {
        out(to) = &driverState().primary;
        ++driverState().primaryUsers;
        return Status::Success;
    });
}

GSU_DRIVER(cuDevicePrimaryCtxRelease_v2)(int device)
{
    return deviceCall("cuDevicePrimaryCtxRelease", device, [&](Platform&) {
        if (driverState().primaryUsers == 0) return Status::InvalidContext;
        --driverState().primaryUsers;
        return Status::Success;
    });
}

GSU_DRIVER(cuDevicePrimaryCtxReset_v2)(int device)
{
    return deviceCall("cuDevicePrimaryCtxReset", device, [&](Platform& p) {
        p.reset();
        return Status::Success;
    });
}

GSU_DRIVER(cuDevicePrimaryCtxGetState)(int device, unsigned* flags, int* active)
{
    return deviceCall("cuDevicePrimaryCtxGetState", device, [&](Platform&) {
        out(flags) = driverState().primary.flags;
        out(active) = driverState().primaryUsers != 0 ? 1 : 0;
        return Status::Success;
    });
}

GSU_DRIVER(cuDevicePrimaryCtxSetFlags_v2)(int device, unsigned flags)
{
    return deviceCall("cuDevicePrimaryCtxSetFlags", device, [&](Platform&) {
        driverState().primary.flags = flags;
        return Status::Success;
    });
}

GSU_DRIVER(cuCtxCreate_v2)(Handle* to, unsigned flags, int device)
{
    return create(to, flags, device);
}
GSU_DRIVER(cuCtxCreate_v3)(Handle* to, void*, int, unsigned flags, int device)
{
    return create(to, flags, device);
}
GSU_DRIVER(cuCtxCreate_v4)(Handle* to, void*, unsigned flags, int device)
{
    return create(to, flags, device);
}

GSU_DRIVER(cuCtxDestroy_v2)(Handle context)
{
    return driverCall("cuCtxDestroy", [&](Platform& p) {
        DriverState& state = driverState();
        if (!state.known(context) || context == &state.primary) return Status::InvalidContext;
        static_cast<void>(p.synchronize());
        std::erase(contextStack(), context);
        std::erase_if(state.made, [&](const auto& c) { return c.get() == context; });
        return Status::Success;
    });
}

GSU_DRIVER(cuCtxPushCurrent_v2)(Handle context)
{
    return driverCall("cuCtxPushCurrent", [&](Platform&) {
        if (!driverState().known(context)) return Status::InvalidContext;
        contextStack().push_back(static_cast<Context*>(context));
        return Status::Success;
    });
}

GSU_DRIVER(cuCtxPopCurrent_v2)(Handle* context)
{
    return driverCall("cuCtxPopCurrent", [&](Platform&) {
        if (contextStack().empty()) return Status::InvalidContext;
        if (context != nullptr) *context = contextStack().back();
        contextStack().pop_back();
        return Status::Success;
    });
}

GSU_DRIVER(cuCtxSetCurrent)(Handle context)
{
    return driverCall("cuCtxSetCurrent", [&](Platform&) {
        if (context != nullptr && !driverState().known(context)) return Status::InvalidContext;
        if (!contextStack().empty()) contextStack().pop_back();
        if (context != nullptr) contextStack().push_back(static_cast<Context*>(context));
        return Status::Success;
    });
}

GSU_DRIVER(cuCtxGetCurrent)(Handle* context)
{
    return driverCall("cuCtxGetCurrent", [&](Platform&) {
        out(context) = contextStack().empty() ? nullptr : contextStack().back();
        return Status::Success;
    });
}

GSU_DRIVER(cuCtxGetDevice)(int* device)
{
    return contextCall("cuCtxGetDevice", [&](Platform&) {
        out(device) = 0;
        return Status::Success;
    });
}

// Forms of 13.0, which name a context; none means the current one.
GSU_DRIVER(cuCtxGetDevice_v2)(int* device, Handle context)
{
    if (context == nullptr) return cuCtxGetDevice(device);
    return driverCall("cuCtxGetDevice", [&](Platform&) {
        if (!driverState().known(context)) return Status::InvalidContext;
        out(device) = 0;
        return Status::Success;
    });
}

GSU_DRIVER(cuCtxGetFlags)(unsigned* flags)
{
    return contextCall("cuCtxGetFlags", [&](Platform&) {
        out(flags) = contextStack().back()->flags;
        return Status::Success;
    });
}

GSU_DRIVER(cuCtxGetApiVersion)(Handle, unsigned* version)
{
    return answer("cuCtxGetApiVersion", version, 13000u);
}

GSU_DRIVER(cuCtxSynchronize)()
{
    return contextCall("cuCtxSynchronize", [](Platform& p) { return p.synchronize(); });
}

GSU_DRIVER(cuCtxSynchronize_v2)(Handle context)
{
    if (context == nullptr) return cuCtxSynchronize();
    return driverCall("cuCtxSynchronize", [&](Platform& p) {
        return driverState().known(context) ? p.synchronize() : Status::InvalidContext;
    });
}

GSU_DRIVER(cuCtxGetLimit)(std::size_t* value, int limit)
{
    return contextCall("cuCtxGetLimit", [&](Platform& p) { return p.getLimit(limit, out(value)); });
}

GSU_DRIVER(cuCtxSetLimit)(int limit, std::size_t value)
{
    return contextCall("cuCtxSetLimit", [&](Platform& p) { return p.setLimit(limit, value); });
}

GSU_DRIVER(cuCtxGetStreamPriorityRange)(int* least, int* greatest)
{
    return contextCall("cuCtxGetStreamPriorityRange", [&](Platform&) {
        if (least != nullptr) *least = 0;
        if (greatest != nullptr) *greatest = -5;
        return Status::Success;
    });
}

// Choices between caches and banks, which have no effect on results.
GSU_DRIVER(cuCtxSetCacheConfig)(int) { return 0; }
GSU_DRIVER(cuCtxSetSharedMemConfig)(int) { return 0; }
GSU_DRIVER(cuProfilerStart)() { return 0; }
GSU_DRIVER(cuProfilerStop)() { return 0; }
