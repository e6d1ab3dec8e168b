// Memory of the driver: allocations, copies, fills, what a pointer is.
#include <fmt/format.h>

#include "cuda/api/driver.hpp"
#include "cuda/api/stream_calls.hpp"
#include "cuda/platform/copies.hpp"
#include "cuda/platform/launching.hpp"

using namespace gsu::cuda;

namespace {

Status allocate(Platform& p, DevicePointer* to, std::size_t bytes, Allocation::Kind kind,
                const char* name, const void* site)
{
    if (to == nullptr || bytes == 0) return Status::InvalidValue;
    const Allocation* a = p.heap.allocate(kind, bytes, std::string(name) + " at " + siteText(site));
    if (a == nullptr) return Status::OutOfMemory;
    *to = a->address;
    return Status::Success;
}

Status releaseNow(Platform& p, DevicePointer address)
{
    if (address == 0) return Status::Success;
    if (p.heap.release(address)) return Status::Success;
    throw Refusal{Status::InvalidValue, fmt::format("{:#x} does not begin an allocation: {}",
                                                    address, p.heap.describe(address))};
}

/// No work may use it any more.
Status release(Platform& p, DevicePointer address)
{
    static_cast<void>(p.synchronize());
    return releaseNow(p, address);
}

/// CUDA_MEMCPY2D: kinds of memory are 1 host, 2 device, 3 array, 4 either.
struct Copy2D {
    std::size_t sourceX, sourceY;
    unsigned sourceKind;
    void* sourceHost;
    DevicePointer sourceDevice;
    Handle sourceArray;
    std::size_t sourcePitch;
    std::size_t targetX, targetY;
    unsigned targetKind;
    void* targetHost;
    DevicePointer targetDevice;
    Handle targetArray;
    std::size_t targetPitch;
    std::size_t width, height;
};

Work work2D(Platform& p, const Copy2D& c)
{
    const auto side = [](std::size_t x, std::size_t y, unsigned kind, void* host,
                         DevicePointer device, std::size_t pitch) {
        DriverSide s{};
        s.x = x;
        s.y = y;
        s.kind = kind;
        s.host = host;
        s.device = device;
        s.pitch = pitch;
        return s;
    };
    return copyWork(p, DriverCopy3D{side(c.sourceX, c.sourceY, c.sourceKind, c.sourceHost,
                                         c.sourceDevice, c.sourcePitch),
                                    side(c.targetX, c.targetY, c.targetKind, c.targetHost,
                                         c.targetDevice, c.targetPitch),
                                    c.width, c.height, 1});
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
    const bool managed = a != nullptr && a->kind == Allocation::Kind::Managed;
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

}  // namespace

GSU_DRIVER(cuMemGetInfo_v2)(std::size_t* left, std::size_t* total)
{
    return contextCall("cuMemGetInfo", [&](Platform& p) {
        out(left) = p.heap.capacity() - p.heap.used();
        out(total) = p.heap.capacity();
        return Status::Success;
    });
}

GSU_DRIVER(cuMemAlloc_v2)(DevicePointer* to, std::size_t bytes)
{
    const void* site = GSU_SITE;
    return contextCall("cuMemAlloc", [&](Platform& p) {
        return allocate(p, to, bytes, Allocation::Kind::Device, "cuMemAlloc", site);
    });
}

GSU_DRIVER(cuMemAllocAsync)(DevicePointer* to, std::size_t bytes, Handle stream)
{
    const void* site = GSU_SITE;
    return contextCall("cuMemAllocAsync", [&](Platform& p) {
        static_cast<void>(streamOf(p, stream));
        return allocate(p, to, bytes, Allocation::Kind::Device, "cuMemAllocAsync", site);
    });
}

GSU_DRIVER(cuMemAllocManaged)(DevicePointer* to, std::size_t bytes, unsigned)
{
    const void* site = GSU_SITE;
    return contextCall("cuMemAllocManaged", [&](Platform& p) {
        return allocate(p, to, bytes, Allocation::Kind::Managed, "cuMemAllocManaged", site);
    });
}

GSU_DRIVER(cuMemAllocPitch_v2)
(DevicePointer* to, std::size_t* pitch, std::size_t width, std::size_t height, unsigned)
{
    const void* site = GSU_SITE;
    return contextCall("cuMemAllocPitch", [&](Platform& p) {
        const PitchedSize size = pitchedSize(width, height);
        out(pitch) = size.pitch;
        return allocate(p, to, size.bytes, Allocation::Kind::Device, "cuMemAllocPitch", site);
    });
}

GSU_DRIVER(cuMemHostAlloc)(void** to, std::size_t bytes, unsigned)
{
    const void* site = GSU_SITE;
    return contextCall("cuMemHostAlloc", [&](Platform& p) {
        return allocate(p, reinterpret_cast<DevicePointer*>(to), bytes, Allocation::Kind::Host,
                        "cuMemHostAlloc", site);
    });
}

GSU_DRIVER(cuMemAllocHost_v2)(void** to, std::size_t bytes) { return cuMemHostAlloc(to, bytes, 0); }

GSU_DRIVER(cuMemFree_v2)(DevicePointer address)
{
    return driverCall("cuMemFree", [&](Platform& p) { return release(p, address); });
}

GSU_DRIVER(cuMemFreeHost)(void* pointer)
{
    return driverCall("cuMemFreeHost", [&](Platform& p) {
        return release(p, reinterpret_cast<DevicePointer>(pointer));
    });
}

GSU_DRIVER(cuMemFreeAsync)(DevicePointer address, Handle stream)
{
    return contextCall("cuMemFreeAsync", [&](Platform& p) {
        return submit(p, stream,
                      {Work::Kind::Empty, [&p, address] { return releaseNow(p, address); }});
    });
}

GSU_DRIVER(cuMemHostRegister_v2)(void* pointer, std::size_t bytes, unsigned)
{
    const void* site = GSU_SITE;
    return contextCall("cuMemHostRegister", [&](Platform& p) {
        if (pointer == nullptr || bytes == 0) return Status::InvalidValue;
        return p.heap.adopt(pointer, bytes, "cuMemHostRegister at " + siteText(site)) == nullptr
                   ? Status::AlreadyRegistered
                   : Status::Success;
    });
}

GSU_DRIVER(cuMemHostUnregister)(void* pointer)
{
    return contextCall("cuMemHostUnregister", [&](Platform& p) {
        const auto address = reinterpret_cast<std::uint64_t>(pointer);
        const Allocation* a = p.heap.find(address);
        if (a == nullptr || a->kind != Allocation::Kind::Registered) return Status::NotRegistered;
        static_cast<void>(p.synchronize());
        return p.heap.release(address) ? Status::Success : Status::NotRegistered;
    });
}

GSU_DRIVER(cuMemHostGetDevicePointer_v2)(DevicePointer* device, void* host, unsigned)
{
    return contextCall("cuMemHostGetDevicePointer", [&](Platform& p) {
        const Allocation* a = p.heap.find(host);
        if (a == nullptr || !a->onHost()) return Status::InvalidValue;
        out(device) = reinterpret_cast<DevicePointer>(host);
        return Status::Success;
    });
}

GSU_DRIVER(cuMemHostGetFlags)(unsigned* flags, void* host)
{
    return contextCall("cuMemHostGetFlags", [&](Platform& p) {
        const Allocation* a = p.heap.find(host);
        if (a == nullptr || !a->onHost()) return Status::InvalidValue;
        out(flags) = a->flags | 2;  // mapped
        return Status::Success;
    });
}

GSU_DRIVER(cuMemGetAddressRange_v2)(DevicePointer* base, std::size_t* bytes, DevicePointer address)
{
    return contextCall("cuMemGetAddressRange", [&](Platform& p) {
        const Allocation* a = p.heap.find(address);
        if (a == nullptr) return Status::NotFound;
        if (base != nullptr) *base = a->address;
        if (bytes != nullptr) *bytes = a->bytes;
        return Status::Success;
    });
}

GSU_DRIVER(cuPointerGetAttribute)(void* to, int id, DevicePointer pointer)
{
    return contextCall("cuPointerGetAttribute", [&](Platform& p) {
        if (to == nullptr) return Status::InvalidValue;
        if (p.heap.find(pointer) == nullptr) return Status::InvalidValue;
        return attribute(p, to, id, pointer) ? Status::Success : Status::NotSupported;
    });
}

GSU_DRIVER(cuPointerGetAttributes)(unsigned count, int* ids, void** to, DevicePointer pointer)
{
    return contextCall("cuPointerGetAttributes", [&](Platform& p) {
        if (count == 0) return Status::InvalidValue;
        static_cast<void>(in(ids)), static_cast<void>(in(to));
        for (unsigned i = 0; i < count; ++i)
            static_cast<void>(attribute(p, &out(static_cast<char*>(to[i])), ids[i], pointer));
        return Status::Success;
    });
}

// Copies: at once, and in a stream.
#define GSU_COPY(name, first, second, to, from, kind)                                              \
    GSU_DRIVER(name##_v2)(first, second, std::size_t bytes)                                        \
    {                                                                                              \
        return contextCall(#name, [&](Platform& p) {                                               \
            return kind == DeviceToDevice ? submit(p, nullptr, copyWork(p, to, from, bytes, kind)) \
                                          : submitAndWait(p, copyWork(p, to, from, bytes, kind));  \
        });                                                                                        \
    }
#define GSU_COPY_ASYNC(name, first, second, to, from, kind)                                        \
    GSU_DRIVER(name)(first, second, std::size_t bytes, Handle stream)                              \
    {                                                                                              \
        return contextCall(#name, [&](Platform& p) {                                               \
            return submit(p, stream, copyWork(p, to, from, bytes, kind));                          \
        });                                                                                        \
    }

GSU_COPY(cuMemcpyHtoD, DevicePointer to, const void* from, pointerOf(to), from, HostToDevice)
GSU_COPY(cuMemcpyDtoH, void* to, DevicePointer from, to, pointerOf(from), DeviceToHost)
GSU_COPY(cuMemcpyDtoD, DevicePointer to, DevicePointer from, pointerOf(to), pointerOf(from),
         DeviceToDevice)
GSU_COPY_ASYNC(cuMemcpyHtoDAsync_v2, DevicePointer to, const void* from, pointerOf(to), from,
               HostToDevice)
GSU_COPY_ASYNC(cuMemcpyDtoHAsync_v2, void* to, DevicePointer from, to, pointerOf(from),
               DeviceToHost)
GSU_COPY_ASYNC(cuMemcpyDtoDAsync_v2, DevicePointer to, DevicePointer from, pointerOf(to),
               pointerOf(from), DeviceToDevice)
GSU_COPY_ASYNC(cuMemcpyAsync, DevicePointer to, DevicePointer from, pointerOf(to), pointerOf(from),
               AnyDirection)

GSU_DRIVER(cuMemcpy)(DevicePointer to, DevicePointer from, std::size_t bytes)
{
    return contextCall("cuMemcpy", [&](Platform& p) {
        return submitAndWait(p, copyWork(p, pointerOf(to), pointerOf(from), bytes, AnyDirection));
    });
}

GSU_DRIVER(cuMemcpy2D_v2)(const Copy2D* copy)
{
    return contextCall("cuMemcpy2D",
                       [&](Platform& p) { return submitAndWait(p, work2D(p, in(copy))); });
}

GSU_DRIVER(cuMemcpy2DUnaligned_v2)(const Copy2D* copy) { return cuMemcpy2D_v2(copy); }

GSU_DRIVER(cuMemcpy2DAsync_v2)(const Copy2D* copy, Handle stream)
{
    return contextCall("cuMemcpy2DAsync",
                       [&](Platform& p) { return submit(p, stream, work2D(p, in(copy))); });
}

GSU_DRIVER(cuMemcpy3D_v2)(const DriverCopy3D* copy)
{
    return contextCall("cuMemcpy3D", [&](Platform& p) {
        return copy == nullptr ? Status::InvalidValue : submitAndWait(p, copyWork(p, *copy));
    });
}

GSU_DRIVER(cuMemcpy3DAsync_v2)(const DriverCopy3D* copy, Handle stream)
{
    return contextCall("cuMemcpy3DAsync", [&](Platform& p) {
        return copy == nullptr ? Status::InvalidValue : submit(p, stream, copyWork(p, *copy));
    });
}

// Fills of elements of 8, 16 and 32 bits.
#define GSU_FILL(bits, type)                                                                       \
    GSU_DRIVER(cuMemsetD##bits##Async)                                                             \
    (DevicePointer to, type value, std::size_t count, Handle stream)                               \
    {                                                                                              \
        return contextCall("cuMemsetD" #bits, [&](Platform& p) {                                   \
            const std::size_t bytes = (Size(count) * (bits / 8)).value();                          \
            return submit(p, stream,                                                               \
                          fillWork(p, pointerOf(to), value, bits / 8, {.width = bytes}));          \
        });                                                                                        \
    }                                                                                              \
    GSU_DRIVER(cuMemsetD##bits##_v2)(DevicePointer to, type value, std::size_t count)              \
    {                                                                                              \
        return cuMemsetD##bits##Async(to, value, count, nullptr);                                  \
    }                                                                                              \
    GSU_DRIVER(cuMemsetD2D##bits##Async)                                                           \
    (DevicePointer to, std::size_t pitch, type value, std::size_t width, std::size_t height,       \
     Handle stream)                                                                                \
    {                                                                                              \
        return contextCall("cuMemsetD2D" #bits, [&](Platform& p) {                                 \
            const std::size_t bytes = (Size(width) * (bits / 8)).value();                          \
            return submit(p, stream,                                                               \
                          fillWork(p, pointerOf(to), value, bits / 8,                              \
                                   {.width = bytes, .rows = height, .pitch = pitch}));             \
        });                                                                                        \
    }                                                                                              \
    GSU_DRIVER(cuMemsetD2D##bits##_v2)                                                             \
    (DevicePointer to, std::size_t pitch, type value, std::size_t width, std::size_t height)       \
    {                                                                                              \
        return cuMemsetD2D##bits##Async(to, pitch, value, width, height, nullptr);                 \
    }

GSU_FILL(8, unsigned char)
GSU_FILL(16, unsigned short)
GSU_FILL(32, unsigned)

// Managed memory lies where both sides see it: hints have nothing to do.
GSU_DRIVER(cuMemAdvise)(DevicePointer, std::size_t, int, int) { return 0; }
GSU_DRIVER(cuMemPrefetchAsync)(DevicePointer, std::size_t, int, Handle) { return 0; }
struct Location {
    int kind, id;
};
GSU_DRIVER(cuMemAdvise_v2)(DevicePointer, std::size_t, int, Location) { return 0; }
GSU_DRIVER(cuMemPrefetchAsync_v2)(DevicePointer, std::size_t, Location, unsigned, Handle)
{
    return 0;
}
GSU_DRIVER(cuStreamAttachMemAsync)(Handle, DevicePointer, std::size_t, unsigned) { return 0; }
