// The device, its properties, limits and error codes.
#include "cuda/api/calls.hpp"
#include "cuda/device/types.hpp"
#include "cuda/platform/device_model.hpp"

using namespace gsu::cuda;

namespace {

/// Runs a call that works even after a sticky error.
template <class F> int always(const char* name, F&& work)
{
    const Status status = guarded(name, work);
    if (status != Status::Success) lastError = status;
    return static_cast<int>(status);
}

int properties(void* to, int device, int version)
{
    return always("cudaGetDeviceProperties", [&](Platform& p) {
        if (to == nullptr) return Status::InvalidValue;
        if (device != 0) return Status::InvalidDevice;
        writeProperties(p, to, version);
        return Status::Success;
    });
}

Status onlyDevice(int device) { return device == 0 ? Status::Success : Status::InvalidDevice; }

Status synchronize(Platform& p)
{
    return p.streams.capturing() ? Status::CaptureUnsupported : p.synchronize();
}

Status reset(Platform& p)
{
    p.reset();
    lastError = Status::Success;
    return Status::Success;
}

}  // namespace

GSU_RUNTIME(cudaGetDeviceCount)(int* count)
{
    return runtimeAnswer("cudaGetDeviceCount", count, 1);
}

GSU_RUNTIME(cudaGetDevice)(int* device) { return runtimeAnswer("cudaGetDevice", device, 0); }

// Calls that work even after a sticky error.
#define GSU_ALWAYS(name, parameters, ...)                                                          \
    GSU_RUNTIME(name) parameters GSU_RUN(always, name, __VA_ARGS__)

GSU_ALWAYS(cudaSetDevice, (int device), onlyDevice(device))
GSU_ALWAYS(cudaInitDevice, (int device, unsigned, unsigned), onlyDevice(device))
GSU_RUNTIME(cudaSetValidDevices)(int*, int) { return 0; }
GSU_RUNTIME(cudaSetDeviceFlags)(unsigned) { return 0; }

GSU_RUNTIME(cudaGetDeviceFlags)(unsigned* flags)
{
    return runtimeAnswer("cudaGetDeviceFlags", flags, 8u);  // 8: host memory can be mapped
}

GSU_RUNTIME_11(cudaGetDeviceProperties)(void* to, int device) { return properties(to, device, 11); }
GSU_RUNTIME_12(cudaGetDeviceProperties)(void* to, int device) { return properties(to, device, 11); }
GSU_RUNTIME_13(cudaGetDeviceProperties)(void* to, int device) { return properties(to, device, 13); }
// The name of the larger structure's function in headers of version 12.
GSU_RUNTIME_12(cudaGetDeviceProperties_v2)(void* to, int device)
{
    return properties(to, device, 12);
}

GSU_ALWAYS(cudaDeviceGetAttribute, (int* value, int id, int device),
           device != 0 ? Status::InvalidDevice : attributeValue(p, value, id))

GSU_RUNTIME(cudaChooseDevice)(int* device, const void*)
{
    return runtimeAnswer("cudaChooseDevice", device, 0);
}

GSU_RUNTIME_CALL(cudaDeviceSynchronize, (), synchronize(p))
GSU_RUNTIME_CALL(cudaThreadSynchronize, (), synchronize(p))
GSU_ALWAYS(cudaDeviceReset, (), reset(p))
GSU_ALWAYS(cudaThreadExit, (), reset(p))
GSU_ALWAYS(cudaDeviceGetLimit, (std::size_t * value, int limit), p.getLimit(limit, out(value)))
GSU_ALWAYS(cudaDeviceSetLimit, (int limit, std::size_t value), p.setLimit(limit, value))
GSU_ALWAYS(cudaDeviceGetStreamPriorityRange, (int* least, int* greatest),
           priorities(least, greatest))
GSU_ALWAYS(cudaDeviceEnablePeerAccess, (int, unsigned), Status::PeerUnsupported)
GSU_ALWAYS(cudaDeviceDisablePeerAccess, (int), Status::PeerNotEnabled)

GSU_RUNTIME(cudaDeviceCanAccessPeer)(int* can, int, int)
{
    return runtimeAnswer("cudaDeviceCanAccessPeer", can, 0);
}

GSU_RUNTIME(cudaDeviceGetPCIBusId)(char* to, int bytes, int)
{
    constexpr char kId[] = "0000:00:00.0";
    if (to == nullptr || bytes < static_cast<int>(sizeof kId))
        return static_cast<int>(Status::InvalidValue);
    for (std::size_t i = 0; i < sizeof kId; ++i) to[i] = kId[i];
    return 0;
}

GSU_RUNTIME(cudaDriverGetVersion)(int* version)
{
    return runtimeAnswer("cudaDriverGetVersion", version, 13000);
}

GSU_RUNTIME_11(cudaRuntimeGetVersion)(int* version)
{
    return runtimeAnswer("cudaRuntimeGetVersion", version, 11080);
}
GSU_RUNTIME_12(cudaRuntimeGetVersion)(int* version)
{
    return runtimeAnswer("cudaRuntimeGetVersion", version, 12090);
}
GSU_RUNTIME_13(cudaRuntimeGetVersion)(int* version)
{
    return runtimeAnswer("cudaRuntimeGetVersion", version, 13000);
}

// Choices between caches and banks, which have no effect on results.
GSU_RUNTIME(cudaDeviceSetCacheConfig)(int) { return 0; }
GSU_RUNTIME(cudaDeviceSetSharedMemConfig)(int) { return 0; }
GSU_RUNTIME(cudaCtxResetPersistingL2Cache)() { return 0; }

GSU_RUNTIME(cudaDeviceGetCacheConfig)(int* config)
{
    return runtimeAnswer("cudaDeviceGetCacheConfig", config, 0);
}

GSU_RUNTIME(cudaDeviceGetSharedMemConfig)(int* config)
{
    return runtimeAnswer("cudaDeviceGetSharedMemConfig", config, 1);
}

// There is no profiler: starting and stopping it does nothing.
GSU_RUNTIME(cudaProfilerStart)() { return 0; }
GSU_RUNTIME(cudaProfilerStop)() { return 0; }
