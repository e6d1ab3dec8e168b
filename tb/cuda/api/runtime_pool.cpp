// Pools of memory, attributes of streams, and what else says how something is done and not what: accepted where it changes no result.
#include <algorithm>
#include <cstring>

#include "cuda/api/driver.hpp"
#include "cuda/device/types.hpp"
#include "cuda/platform/launching.hpp"

using namespace gsu::cuda;

namespace {

/// The pools of a device whose memory is one: what they are told is kept for whoever asks.
struct Pool {
    std::uint64_t attributes[16]{};
};
Pool defaultPool;
/// Never destroyed, as programs make calls from their own destructors.
std::vector<std::unique_ptr<Pool>>& pools()
{
    static auto* const all = new std::vector<std::unique_ptr<Pool>>();
    return *all;
}

bool known(Handle pool)
{
    return pool == &defaultPool || std::any_of(pools().begin(), pools().end(),
                                               [&](const auto& p) { return p.get() == pool; });
}

/// cudaMemPoolAttr: the first three are switches, those behind are 64 bits wide.
constexpr int kSwitches = 3, kAttributes = 8;
enum Usage : int { Reserved = 5, ReservedHigh = 6, Used = 7, UsedHigh = 8 };

}  // namespace

GSU_RUNTIME(cudaDeviceGetDefaultMemPool)(Handle* pool, int device)
{
    return runtimeCall("cudaDeviceGetDefaultMemPool", [&](Platform&) {
        if (device != 0) return Status::InvalidDevice;
        out(pool) = &defaultPool;
        return Status::Success;
    });
}

GSU_RUNTIME(cudaDeviceGetMemPool)(Handle* pool, int device)
{
    return gsu_cudaDeviceGetDefaultMemPool(pool, device);
}

GSU_RUNTIME(cudaDeviceSetMemPool)(int device, Handle pool)
{
    return runtimeCall("cudaDeviceSetMemPool", [&](Platform&) {
        return device == 0 && known(pool) ? Status::Success : Status::InvalidValue;
    });
}

GSU_RUNTIME(cudaMemPoolCreate)(Handle* pool, const void*)
{
    return runtimeCall("cudaMemPoolCreate", [&](Platform&) {
        static_cast<void>(out(pool));
        pools().push_back(std::make_unique<Pool>());
        *pool = pools().back().get();
        return Status::Success;
    });
}

GSU_RUNTIME(cudaMemPoolDestroy)(Handle pool)
{
    return runtimeCall("cudaMemPoolDestroy", [&](Platform&) {
        const auto gone = std::erase_if(pools(), [&](const auto& p) { return p.get() == pool; });
        return gone != 0 ? Status::Success : Status::InvalidValue;
    });
}

GSU_RUNTIME(cudaMemPoolSetAttribute)(Handle pool, int id, const void* value)
{
    return runtimeCall("cudaMemPoolSetAttribute", [&](Platform&) {
        if (!known(pool) || id < 1 || id > kAttributes) return Status::InvalidValue;
        std::memcpy(&static_cast<Pool*>(pool)->attributes[id], &in(static_cast<const char*>(value)),
                    id <= kSwitches ? 4 : 8);
        return Status::Success;
    });
}

GSU_RUNTIME(cudaMemPoolGetAttribute)(Handle pool, int id, void* value)
{
    return runtimeCall("cudaMemPoolGetAttribute", [&](Platform& p) {
        if (!known(pool) || id < 1 || id > kAttributes) return Status::InvalidValue;
        const bool usage = id >= Reserved && id <= UsedHigh;
        const std::uint64_t number =
            usage ? p.heap.used() : static_cast<Pool*>(pool)->attributes[id];
        std::memcpy(&out(static_cast<char*>(value)), &number, id <= kSwitches ? 4 : 8);
        return Status::Success;
    });
}

GSU_RUNTIME(cudaMemPoolTrimTo)(Handle pool, std::size_t)
{
    return runtimeCall("cudaMemPoolTrimTo", [&](Platform&) {
        return known(pool) ? Status::Success : Status::InvalidValue;
    });
}

GSU_RUNTIME(cudaMemPoolSetAccess)(Handle pool, const void*, std::size_t)
{
    return gsu_cudaMemPoolTrimTo(pool, 0);
}

namespace {

Status allocate(Platform& p, void** to, std::size_t bytes, Handle pool, Handle stream,
                const std::string& call)
{
    static_cast<void>(streamOf(p, stream));
    if (to == nullptr || !known(pool)) return Status::InvalidValue;
    const Allocation* a = p.heap.allocate(Allocation::Kind::Device, bytes, call);
    if (a == nullptr) return Status::OutOfMemory;
    *to = reinterpret_cast<void*>(a->address);
    return Status::Success;
}

}  // namespace

GSU_RUNTIME(cudaMallocFromPoolAsync)(void** to, std::size_t bytes, Handle pool, Handle stream)
{
    const void* site = GSU_SITE;
    return runtimeCall("cudaMallocFromPoolAsync", [&](Platform& p) {
        return allocate(p, to, bytes, pool, stream, "cudaMallocFromPoolAsync at " + siteText(site));
    });
}

// The same of the driver, whose attributes have the same numbers.
GSU_DRIVER(cuMemAllocFromPoolAsync)
(void** to, std::size_t bytes, Handle pool, Handle stream)
{
    const void* site = GSU_SITE;
    return contextCall("cuMemAllocFromPoolAsync", [&](Platform& p) {
        return allocate(p, to, bytes, pool, stream, "cuMemAllocFromPoolAsync at " + siteText(site));
    });
}
GSU_DRIVER(cuDeviceGetDefaultMemPool)(Handle* pool, int device)
{
    return gsu_cudaDeviceGetDefaultMemPool(pool, device);
}
GSU_DRIVER(cuDeviceGetMemPool)(Handle* pool, int device)
{
    return gsu_cudaDeviceGetDefaultMemPool(pool, device);
}
GSU_DRIVER(cuDeviceSetMemPool)(int device, Handle pool)
{
    return gsu_cudaDeviceSetMemPool(device, pool);
}
GSU_DRIVER(cuMemPoolCreate)(Handle* pool, const void* properties)
{
    return gsu_cudaMemPoolCreate(pool, properties);
}
GSU_DRIVER(cuMemPoolDestroy)(Handle pool) { return gsu_cudaMemPoolDestroy(pool); }
GSU_DRIVER(cuMemPoolSetAttribute)(Handle pool, int id, const void* value)
{
    return gsu_cudaMemPoolSetAttribute(pool, id, value);
}
GSU_DRIVER(cuMemPoolGetAttribute)(Handle pool, int id, void* value)
{
    return gsu_cudaMemPoolGetAttribute(pool, id, value);
}
GSU_DRIVER(cuMemPoolTrimTo)(Handle pool, std::size_t keep)
{
    return gsu_cudaMemPoolTrimTo(pool, keep);
}
GSU_DRIVER(cuMemPoolSetAccess)(Handle pool, const void* list, std::size_t count)
{
    return gsu_cudaMemPoolSetAccess(pool, list, count);
}

GSU_RUNTIME(cudaStreamSetAttribute)(Handle stream, int, const void*)
{
    return runtimeCall("cudaStreamSetAttribute", [&](Platform& p) {
        static_cast<void>(streamOf(p, stream));
        return Status::Success;
    });
}

GSU_RUNTIME(cudaStreamCopyAttributes)(Handle to, Handle from)
{
    return runtimeCall("cudaStreamCopyAttributes", [&](Platform& p) {
        streamOf(p, to).priority = streamOf(p, from).priority;
        return Status::Success;
    });
}
