// Memory of both APIs: allocations and pools, attributes of pointers, variables of modules.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cuda/api/calls.hpp"
#include "cuda/api/stream_calls.hpp"
#include "cuda/platform/copies.hpp"
#include "cuda/platform/launching.hpp"

using namespace gsu::cuda;

namespace {

using Kind = Allocation::Kind;

std::uint64_t addressOf(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// `T`: void* in the runtime, DevicePointer in the driver. `call`: name of the function, for reports.
template <class T>
Status allocate(Platform& p, T* to, std::size_t bytes, Kind kind, const char* call,
                const void* site, std::uint32_t flags = 0)
{
    const Allocation* a = p.heap.allocate(kind, bytes, std::string(call) + " at " + siteText(site));
    if (a == nullptr) return Status::OutOfMemory;
    const_cast<Allocation*>(a)->flags = flags;
    *to = (T)a->address;
    return Status::Success;
}

/// Allocates. A size of 0 is valid in the runtime and an error in the driver.
Status make(Platform& p, void** to, std::size_t bytes, Kind kind, const char* call,
            const void* site, std::uint32_t flags = 0)
{
    out(to) = nullptr;
    return bytes == 0 ? Status::Success : allocate(p, to, bytes, kind, call, site, flags);
}
Status make(Platform& p, DevicePointer* to, std::size_t bytes, Kind kind, const char* call,
            const void* site)
{
    if (to == nullptr || bytes == 0) return Status::InvalidValue;
    return allocate(p, to, bytes, kind, call, site);
}

template <class T>
Status makePitched(Platform& p, T* to, std::size_t* pitch, const PitchedSize& size,
                   const char* call, const void* site)
{
    out(pitch) = size.pitch;
    return make(p, to, size.bytes, Kind::Device, call, site);
}

[[noreturn]] void refuseRelease(Platform& p, std::uint64_t address)
{
    throw Refusal{Status::InvalidValue, fmt::format("{:#x} does not begin an allocation: {}",
                                                    address, p.heap.describe(address))};
}

/// `host`: page-locked memory; the runtime has another call for memory of the device.
Status release(Platform& p, void* pointer, bool host)
{
    if (pointer == nullptr) return Status::Success;
    const std::uint64_t address = addressOf(pointer);
    const Allocation* a = p.heap.find(address);
    const bool fits = a != nullptr && a->address == address && (a->kind == Kind::Host) == host &&
                      a->kind != Kind::Registered;
    if (!fits || !p.heap.release(address)) refuseRelease(p, address);
    return Status::Success;
}
Status release(Platform& p, DevicePointer address)
{
    if (address != 0 && !p.heap.release(address)) refuseRelease(p, address);
    return Status::Success;
}

/// Frees memory; no work may use it afterwards.
template <class... A> Status releaseNow(Platform& p, A... what)
{
    static_cast<void>(p.synchronize());
    return release(p, what...);
}
template <class... A> Status releaseIn(Platform& p, Handle stream, A... what)
{
    return submit(p, stream, {Work::Kind::Empty, [&p, what...] { return release(p, what...); }});
}

Status adopt(Platform& p, void* pointer, std::size_t bytes, unsigned flags, const char* call,
             const void* site)
{
    if (pointer == nullptr || bytes == 0) return Status::InvalidValue;
    const Allocation* a = p.heap.adopt(pointer, bytes, std::string(call) + " at " + siteText(site));
    if (a == nullptr) return Status::AlreadyRegistered;
    const_cast<Allocation*>(a)->flags = flags;
    return Status::Success;
}

Status forget(Platform& p, void* pointer)
{
    const Allocation* a = p.heap.find(pointer);
    if (a == nullptr || a->address != addressOf(pointer) || a->kind != Kind::Registered)
        return Status::NotRegistered;
    static_cast<void>(p.synchronize());
    p.heap.release(addressOf(pointer));
    return Status::Success;
}

const Allocation& hostMemory(Platform& p, const void* host)
{
    const Allocation* a = p.heap.find(host);
    if (a == nullptr || !a->onHost()) throw Refusal{Status::InvalidValue};
    return *a;
}
/// The device address, which equals the host address.
template <class T> Status deviceAddress(Platform& p, T* device, void* host)
{
    static_cast<void>(hostMemory(p, host));
    return give(device, (T)addressOf(host));
}
/// Flags of host memory, which is always mapped.
unsigned hostFlags(Platform& p, void* host) { return hostMemory(p, host).flags | 2; }

Status memoryLeft(Platform& p, std::size_t* left, std::size_t* total)
{
    out(left) = p.heap.capacity() - p.heap.used();
    return give(total, p.heap.capacity());
}

Status attributes(Platform& p, PointerAttributes* to, const void* pointer)
{
    if (to == nullptr) return Status::InvalidValue;
    const Allocation* a = p.heap.find(pointer);
    auto* address = const_cast<void*>(pointer);
    to->device = a == nullptr ? -2 : 0;
    if (a == nullptr) {
        to->type = 0;
        to->devicePointer = nullptr;
        to->hostPointer = address;
        return Status::Success;
    }
    const bool managed = a->kind == Kind::Managed;
    to->type = a->onHost() ? 1 : managed ? 3 : 2;
    to->devicePointer = address;
    to->hostPointer = a->onHost() || managed ? address : nullptr;
    return Status::Success;
}

/// CUpointer_attribute.
enum PointerAttribute : int {
    OfContext = 1,
    OfMemoryType = 2,
    OfDevicePointer = 3,
    OfHostPointer = 4,
    OfSyncMemops = 6,
    OfBufferId = 7,
    OfManaged = 8,
    OfDeviceOrdinal = 9,
    OfRangeStart = 11,
    OfRangeSize = 12,
    OfMapped = 13
};

/// False: the attribute is unknown.
bool attribute(Platform& p, void* to, int id, DevicePointer pointer)
{
    const Allocation* a = p.heap.find(pointer);
    const bool managed = a != nullptr && a->kind == Kind::Managed;
    const bool host = a != nullptr && (a->onHost() || managed);
    switch (id) {
        case OfContext: *static_cast<Handle*>(to) = a ? &driverState().primary : nullptr; break;
        case OfMemoryType:
            *static_cast<unsigned*>(to) = a == nullptr ? 0 : a->onHost() ? 1 : 2;
            break;
        case OfDevicePointer: *static_cast<DevicePointer*>(to) = a ? pointer : 0; break;
        case OfHostPointer: *static_cast<void**>(to) = host ? pointerOf(pointer) : nullptr; break;
        case OfSyncMemops: *static_cast<int*>(to) = 1; break;
        case OfBufferId: *static_cast<std::uint64_t*>(to) = a ? a->number : 0; break;
        case OfManaged: *static_cast<int*>(to) = managed ? 1 : 0; break;
        case OfDeviceOrdinal: *static_cast<int*>(to) = a ? 0 : -2; break;
        case OfRangeStart: *static_cast<DevicePointer*>(to) = a ? a->address : 0; break;
        case OfRangeSize: *static_cast<std::size_t*>(to) = a ? a->bytes : 0; break;
        case OfMapped: *static_cast<int*>(to) = a ? 1 : 0; break;
        default: return false;
    }
    return true;
}

Status attribute(Platform& p, void* to, DevicePointer pointer, int id)
{
    if (to == nullptr || p.heap.find(pointer) == nullptr) return Status::InvalidValue;
    return attribute(p, to, id, pointer) ? Status::Success : Status::NotSupported;
}

Status attributes(Platform& p, unsigned count, int* ids, void** to, DevicePointer pointer)
{
    if (count == 0) return Status::InvalidValue;
    static_cast<void>(in(ids)), static_cast<void>(in(to));
    for (unsigned i = 0; i < count; ++i)
        static_cast<void>(attribute(p, &out(static_cast<char*>(to[i])), ids[i], pointer));
    return Status::Success;
}

Status range(Platform& p, DevicePointer* base, std::size_t* bytes, DevicePointer address)
{
    const Allocation* a = p.heap.find(address);
    if (a == nullptr) return Status::NotFound;
    if (base != nullptr) *base = a->address;
    if (bytes != nullptr) *bytes = a->bytes;
    return Status::Success;
}

/// A pool of a device that has only one kind of memory: attributes are stored and have no effect.
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
Status knownOnly(bool is) { return is ? Status::Success : Status::InvalidValue; }

/// cudaMemPoolAttr, with the same numbers as the driver: the first three are switches, the rest are 64 bits wide.
constexpr int kSwitches = 3, kAttributes = 8;
enum Usage : int { Reserved = 5, ReservedHigh = 6, Used = 7, UsedHigh = 8 };

Status givePool(Handle* pool, int device)
{
    return device == 0 ? give(pool, &defaultPool) : Status::InvalidDevice;
}

Status makePool(Handle* pool)
{
    static_cast<void>(out(pool));
    pools().push_back(std::make_unique<Pool>());
    return give(pool, pools().back().get());
}

Status setAttribute(Handle pool, int id, const void* value)
{
    if (!known(pool) || id < 1 || id > kAttributes) return Status::InvalidValue;
    std::memcpy(&static_cast<Pool*>(pool)->attributes[id], &in(static_cast<const char*>(value)),
                id <= kSwitches ? 4 : 8);
    return Status::Success;
}

Status getAttribute(Platform& p, Handle pool, int id, void* value)
{
    if (!known(pool) || id < 1 || id > kAttributes) return Status::InvalidValue;
    const bool usage = id >= Reserved && id <= UsedHigh;
    const std::uint64_t number = usage ? p.heap.used() : static_cast<Pool*>(pool)->attributes[id];
    std::memcpy(&out(static_cast<char*>(value)), &number, id <= kSwitches ? 4 : 8);
    return Status::Success;
}

Status makeInPool(Platform& p, void** to, std::size_t bytes, Handle pool, Handle stream,
                  const char* call, const void* site)
{
    static_cast<void>(streamOf(p, stream));
    if (to == nullptr || !known(pool)) return Status::InvalidValue;
    return allocate(p, to, bytes, Kind::Device, call, site);
}

}  // namespace

// Allocations.
GSU_RUNTIME_CALL(cudaMalloc, (void** to, std::size_t bytes),
                 make(p, to, bytes, Kind::Device, "cudaMalloc", site))
GSU_DRIVER_CALL(cuMemAlloc_v2, (DevicePointer * to, std::size_t bytes),
                make(p, to, bytes, Kind::Device, "cuMemAlloc", site))
GSU_RUNTIME_STREAM_CALL(cudaMallocAsync, _ptsz, (void** to, std::size_t bytes, Handle stream),
                        (void(streamOf(p, stream)),
                         make(p, to, bytes, Kind::Device, "cudaMallocAsync", site)))
GSU_DRIVER_STREAM_CALL(cuMemAllocAsync, _ptsz,
                       (DevicePointer * to, std::size_t bytes, Handle stream),
                       (void(streamOf(p, stream)),
                        make(p, to, bytes, Kind::Device, "cuMemAllocAsync", site)))
GSU_RUNTIME_CALL(cudaMallocManaged, (void** to, std::size_t bytes, unsigned flags),
                 flags != 1 && flags != 2
                     ? Status::InvalidValue
                     : make(p, to, bytes, Kind::Managed, "cudaMallocManaged", site, flags))
GSU_DRIVER_CALL(cuMemAllocManaged, (DevicePointer * to, std::size_t bytes, unsigned),
                make(p, to, bytes, Kind::Managed, "cuMemAllocManaged", site))
GSU_RUNTIME_CALL(cudaMallocPitch,
                 (void** to, std::size_t* pitch, std::size_t width, std::size_t height),
                 makePitched(p, to, pitch, pitchedSize(width, height), "cudaMallocPitch", site))
GSU_DRIVER_CALL(cuMemAllocPitch_v2,
                (DevicePointer * to, std::size_t* pitch, std::size_t width, std::size_t height,
                 unsigned),
                makePitched(p, to, pitch, pitchedSize(width, height), "cuMemAllocPitch", site))
GSU_RUNTIME(cudaMalloc3D)(PitchedPointer* to, Extent extent)
{
    const void* site = GSU_SITE;
    return runtimeCall("cudaMalloc3D", [&](Platform& p) {
        const PitchedSize size = pitchedSize(extent.width, extent.height, extent.depth);
        out(to) = {nullptr, size.pitch, extent.width, extent.height};
        return make(p, &to->pointer, size.bytes, Kind::Device, "cudaMalloc3D", site);
    });
}
GSU_RUNTIME_CALL(cudaMallocHost, (void** to, std::size_t bytes),
                 make(p, to, bytes, Kind::Host, "cudaMallocHost", site))
GSU_RUNTIME_CALL(cudaHostAlloc, (void** to, std::size_t bytes, unsigned flags),
                 make(p, to, bytes, Kind::Host, "cudaHostAlloc", site, flags))
GSU_DRIVER_CALL(cuMemHostAlloc, (DevicePointer * to, std::size_t bytes, unsigned),
                make(p, to, bytes, Kind::Host, "cuMemHostAlloc", site))
GSU_DRIVER_CALL(cuMemAllocHost_v2, (DevicePointer * to, std::size_t bytes),
                make(p, to, bytes, Kind::Host, "cuMemAllocHost", site))

GSU_RUNTIME_CALL(cudaFree, (void* pointer), releaseNow(p, pointer, false))
GSU_RUNTIME_CALL(cudaFreeHost, (void* pointer), releaseNow(p, pointer, true))
GSU_RUNTIME_STREAM_CALL(cudaFreeAsync, _ptsz, (void* pointer, Handle stream),
                        releaseIn(p, stream, pointer, false))
GSU_DRIVER_FREE_CALL(cuMemFree_v2, (DevicePointer address), releaseNow(p, address))
GSU_DRIVER_FREE_CALL(cuMemFreeHost, (DevicePointer address), releaseNow(p, address))
GSU_DRIVER_STREAM_CALL(cuMemFreeAsync, _ptsz, (DevicePointer address, Handle stream),
                       releaseIn(p, stream, address))

GSU_RUNTIME_CALL(cudaHostRegister, (void* pointer, std::size_t bytes, unsigned flags),
                 adopt(p, pointer, bytes, flags, "cudaHostRegister", site))
GSU_DRIVER_CALL(cuMemHostRegister_v2, (void* pointer, std::size_t bytes, unsigned),
                adopt(p, pointer, bytes, 0, "cuMemHostRegister", site))
GSU_CALL(cudaHostUnregister, cuMemHostUnregister, (void* pointer), forget(p, pointer))
GSU_RUNTIME_CALL(cudaHostGetDevicePointer, (void** device, void* host, unsigned),
                 deviceAddress(p, device, host))
GSU_DRIVER_CALL(cuMemHostGetDevicePointer_v2, (DevicePointer * device, void* host, unsigned),
                deviceAddress(p, device, host))
GSU_CALL(cudaHostGetFlags, cuMemHostGetFlags, (unsigned* flags, void* host),
         give(flags, hostFlags(p, host)))
GSU_CALL(cudaMemGetInfo, cuMemGetInfo_v2, (std::size_t * left, std::size_t* total),
         memoryLeft(p, left, total))

// Attributes of pointers, and addresses of variables.
GSU_RUNTIME_CALL(cudaPointerGetAttributes, (PointerAttributes * to, const void* pointer),
                 attributes(p, to, pointer))
GSU_DRIVER_CALL(cuPointerGetAttribute, (void* to, int id, DevicePointer pointer),
                attribute(p, to, pointer, id))
GSU_DRIVER_CALL(cuPointerGetAttributes,
                (unsigned count, int* ids, void** to, DevicePointer pointer),
                attributes(p, count, ids, to, pointer))
GSU_DRIVER_CALL(cuMemGetAddressRange_v2,
                (DevicePointer * base, std::size_t* bytes, DevicePointer address),
                range(p, base, bytes, address))
GSU_RUNTIME_CALL(cudaGetSymbolAddress, (void** address, const void* symbol),
                 give(address, pointerOf(p.registry.variable(p, symbol).address)))
GSU_RUNTIME_CALL(cudaGetSymbolSize, (std::size_t * bytes, const void* symbol),
                 give(bytes, p.registry.variable(p, symbol).bytes))

// Pools.
GSU_CALL(cudaDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, (Handle * pool, int device),
         givePool(pool, device))
GSU_CALL(cudaDeviceGetMemPool, cuDeviceGetMemPool, (Handle * pool, int device),
         givePool(pool, device))
GSU_CALL(cudaDeviceSetMemPool, cuDeviceSetMemPool, (int device, Handle pool),
         knownOnly(device == 0 && known(pool)))
GSU_CALL(cudaMemPoolCreate, cuMemPoolCreate, (Handle * pool, const void*), makePool(pool))
GSU_CALL(cudaMemPoolDestroy, cuMemPoolDestroy, (Handle pool),
         knownOnly(std::erase_if(pools(), [&](const auto& o) { return o.get() == pool; }) != 0))
GSU_CALL(cudaMemPoolSetAttribute, cuMemPoolSetAttribute, (Handle pool, int id, const void* value),
         setAttribute(pool, id, value))
GSU_CALL(cudaMemPoolGetAttribute, cuMemPoolGetAttribute, (Handle pool, int id, void* value),
         getAttribute(p, pool, id, value))
GSU_CALL(cudaMemPoolTrimTo, cuMemPoolTrimTo, (Handle pool, std::size_t), knownOnly(known(pool)))
GSU_CALL(cudaMemPoolSetAccess, cuMemPoolSetAccess, (Handle pool, const void*, std::size_t),
         knownOnly(known(pool)))
GSU_RUNTIME_CALL(cudaMallocFromPoolAsync,
                 (void** to, std::size_t bytes, Handle pool, Handle stream),
                 makeInPool(p, to, bytes, pool, stream, "cudaMallocFromPoolAsync", site))
GSU_DRIVER_CALL(cuMemAllocFromPoolAsync, (void** to, std::size_t bytes, Handle pool, Handle stream),
                makeInPool(p, to, bytes, pool, stream, "cuMemAllocFromPoolAsync", site))

// Managed memory is always visible to both sides, so hints have no effect.
namespace {
struct Location {
    int kind, id;
};
}  // namespace
GSU_NOTHING_TO_DO(cudaMemAdvise, cuMemAdvise, (DevicePointer, std::size_t, int, int))
GSU_NOTHING_TO_DO(cudaMemPrefetchAsync, cuMemPrefetchAsync,
                  (DevicePointer, std::size_t, int, Handle))
GSU_RUNTIME(cudaMemPrefetchAsync_ptsz)(DevicePointer, std::size_t, int, Handle) { return 0; }
GSU_DRIVER(cuMemAdvise_v2)(DevicePointer, std::size_t, int, Location) { return 0; }
GSU_DRIVER(cuMemPrefetchAsync_v2)(DevicePointer, std::size_t, Location, unsigned, Handle)
{
    return 0;
}
GSU_NOTHING_TO_DO(cudaStreamAttachMemAsync, cuStreamAttachMemAsync,
                  (Handle, DevicePointer, std::size_t, unsigned))
