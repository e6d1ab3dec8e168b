// Memory: allocations, what a pointer is, variables of modules.
#include <fmt/format.h>

#include "cuda/api/api.hpp"
#include "cuda/device/types.hpp"
#include "cuda/platform/copies.hpp"
#include "cuda/platform/launching.hpp"

using namespace gsu::cuda;

namespace {

Status allocate(Platform& p, void** to, std::size_t bytes, Allocation::Kind kind, const char* name,
                const void* site, std::uint32_t flags = 0)
{
    if (to == nullptr) return Status::InvalidValue;
    *to = nullptr;
    if (bytes == 0) return Status::Success;
    const Allocation* a = p.heap.allocate(kind, bytes, std::string(name) + " at " + siteText(site));
    if (a == nullptr) return Status::OutOfMemory;
    const_cast<Allocation*>(a)->flags = flags;
    *to = reinterpret_cast<void*>(a->address);
    return Status::Success;
}

Status release(Platform& p, void* pointer, bool host)
{
    if (pointer == nullptr) return Status::Success;
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    const Allocation* a = p.heap.find(address);
    const bool fits = a != nullptr && a->address == address &&
                      (a->kind == Allocation::Kind::Host) == host &&
                      a->kind != Allocation::Kind::Registered;
    if (fits && p.heap.release(address)) return Status::Success;
    throw Refusal{Status::InvalidValue, fmt::format("{:#x} does not begin an allocation: {}",
                                                    address, p.heap.describe(address))};
}

}  // namespace

GSU_RUNTIME(cudaMalloc)(void** to, std::size_t bytes)
{
    const void* site = GSU_SITE;
    return runtimeCall("cudaMalloc", [&](Platform& p) {
        return allocate(p, to, bytes, Allocation::Kind::Device, "cudaMalloc", site);
    });
}

GSU_RUNTIME(cudaMallocAsync)(void** to, std::size_t bytes, Handle stream)
{
    const void* site = GSU_SITE;
    return runtimeCall("cudaMallocAsync", [&](Platform& p) {
        static_cast<void>(streamOf(p, stream));
        return allocate(p, to, bytes, Allocation::Kind::Device, "cudaMallocAsync", site);
    });
}

GSU_RUNTIME(cudaMallocManaged)(void** to, std::size_t bytes, unsigned flags)
{
    const void* site = GSU_SITE;
    return runtimeCall("cudaMallocManaged", [&](Platform& p) {
        if (flags != 1 && flags != 2) return Status::InvalidValue;
        return allocate(p, to, bytes, Allocation::Kind::Managed, "cudaMallocManaged", site, flags);
    });
}

GSU_RUNTIME(cudaMallocHost)(void** to, std::size_t bytes)
{
    const void* site = GSU_SITE;
    return runtimeCall("cudaMallocHost", [&](Platform& p) {
        return allocate(p, to, bytes, Allocation::Kind::Host, "cudaMallocHost", site);
    });
}

GSU_RUNTIME(cudaHostAlloc)(void** to, std::size_t bytes, unsigned flags)
{
    const void* site = GSU_SITE;
    return runtimeCall("cudaHostAlloc", [&](Platform& p) {
        return allocate(p, to, bytes, Allocation::Kind::Host, "cudaHostAlloc", site, flags);
    });
}

GSU_RUNTIME(cudaMallocPitch)(void** to, std::size_t* pitch, std::size_t width, std::size_t height)
{
    const void* site = GSU_SITE;
    return runtimeCall("cudaMallocPitch", [&](Platform& p) {
        const PitchedSize size = pitchedSize(width, height);
        out(pitch) = size.pitch;
        return allocate(p, to, size.bytes, Allocation::Kind::Device, "cudaMallocPitch", site);
    });
}

GSU_RUNTIME(cudaMalloc3D)(PitchedPointer* to, Extent extent)
{
    const void* site = GSU_SITE;
    return runtimeCall("cudaMalloc3D", [&](Platform& p) {
        const PitchedSize size = pitchedSize(extent.width, extent.height, extent.depth);
        out(to) = {nullptr, size.pitch, extent.width, extent.height};
        return allocate(p, &to->pointer, size.bytes, Allocation::Kind::Device, "cudaMalloc3D",
                        site);
    });
}

GSU_RUNTIME(cudaFree)(void* pointer)
{
    return runtimeCall("cudaFree", [&](Platform& p) {
        static_cast<void>(p.synchronize());
        return release(p, pointer, false);
    });
}

GSU_RUNTIME(cudaFreeAsync)(void* pointer, Handle stream)
{
    return runtimeCall("cudaFreeAsync", [&](Platform& p) {
        return p.streams.submit(streamOf(p, stream), {Work::Kind::Empty, [&p, pointer] {
                                                          return release(p, pointer, false);
                                                      }});
    });
}

GSU_RUNTIME(cudaFreeHost)(void* pointer)
{
    return runtimeCall("cudaFreeHost", [&](Platform& p) {
        static_cast<void>(p.synchronize());
        return release(p, pointer, true);
    });
}

GSU_RUNTIME(cudaHostRegister)(void* pointer, std::size_t bytes, unsigned flags)
{
    const void* site = GSU_SITE;
    return runtimeCall("cudaHostRegister", [&](Platform& p) {
        if (pointer == nullptr || bytes == 0) return Status::InvalidValue;
        const Allocation* a = p.heap.adopt(pointer, bytes, "cudaHostRegister at " + siteText(site));
        if (a == nullptr) return Status::AlreadyRegistered;
        const_cast<Allocation*>(a)->flags = flags;
        return Status::Success;
    });
}

GSU_RUNTIME(cudaHostUnregister)(void* pointer)
{
    return runtimeCall("cudaHostUnregister", [&](Platform& p) {
        const auto address = reinterpret_cast<std::uint64_t>(pointer);
        const Allocation* a = p.heap.find(address);
        if (a == nullptr || a->address != address || a->kind != Allocation::Kind::Registered)
            return Status::NotRegistered;
        static_cast<void>(p.synchronize());
        p.heap.release(address);
        return Status::Success;
    });
}

GSU_RUNTIME(cudaHostGetDevicePointer)(void** device, void* host, unsigned)
{
    return runtimeCall("cudaHostGetDevicePointer", [&](Platform& p) {
        const Allocation* a = p.heap.find(host);
        if (a == nullptr || !a->onHost()) return Status::InvalidValue;
        out(device) = host;  // one address for both sides
        return Status::Success;
    });
}

GSU_RUNTIME(cudaHostGetFlags)(unsigned* flags, void* host)
{
    return runtimeCall("cudaHostGetFlags", [&](Platform& p) {
        const Allocation* a = p.heap.find(host);
        if (a == nullptr || !a->onHost()) return Status::InvalidValue;
        out(flags) = a->flags | 2;  // mapped
        return Status::Success;
    });
}

GSU_RUNTIME(cudaMemGetInfo)(std::size_t* left, std::size_t* total)
{
    return runtimeCall("cudaMemGetInfo", [&](Platform& p) {
        out(left) = p.heap.capacity() - p.heap.used();
        out(total) = p.heap.capacity();
        return Status::Success;
    });
}

GSU_RUNTIME(cudaPointerGetAttributes)(PointerAttributes* to, const void* pointer)
{
    return runtimeCall("cudaPointerGetAttributes", [&](Platform& p) {
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
        const bool managed = a->kind == Allocation::Kind::Managed;
        to->type = a->onHost() ? 1 : managed ? 3 : 2;
        to->devicePointer = address;
        to->hostPointer = a->onHost() || managed ? address : nullptr;
        return Status::Success;
    });
}

GSU_RUNTIME(cudaGetSymbolAddress)(void** address, const void* symbol)
{
    return runtimeCall("cudaGetSymbolAddress", [&](Platform& p) {
        out(address) = reinterpret_cast<void*>(p.registry.variable(p, symbol).address);
        return Status::Success;
    });
}

GSU_RUNTIME(cudaGetSymbolSize)(std::size_t* bytes, const void* symbol)
{
    return runtimeCall("cudaGetSymbolSize", [&](Platform& p) {
        out(bytes) = p.registry.variable(p, symbol).bytes;
        return Status::Success;
    });
}

// Managed memory lies where both sides see it: hints have nothing to do.
GSU_RUNTIME(cudaMemAdvise)(const void*, std::size_t, int, int) { return 0; }
GSU_RUNTIME(cudaMemPrefetchAsync)(const void*, std::size_t, int, Handle) { return 0; }
GSU_RUNTIME(cudaStreamAttachMemAsync)(Handle, void*, std::size_t, unsigned) { return 0; }

GSU_PER_THREAD(cudaMallocAsync, _ptsz, (void** to, std::size_t bytes, Handle stream),
               (to, bytes, stream))
GSU_PER_THREAD(cudaFreeAsync, _ptsz, (void* pointer, Handle stream), (pointer, stream))
GSU_PER_THREAD(cudaMemPrefetchAsync, _ptsz, (const void* a, std::size_t b, int c, Handle d),
               (a, b, c, d))
