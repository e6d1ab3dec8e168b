// Copies and fills of the runtime, at once and in streams.
#include <fmt/format.h>

#include "cuda/api/api.hpp"
#include "cuda/api/stream_calls.hpp"
#include "cuda/device/types.hpp"
#include "cuda/platform/copies.hpp"

using namespace gsu::cuda;

namespace {

void* inVariable(Platform& p, const void* symbol, std::size_t bytes, std::size_t offset)
{
    const VariablePlace place = p.registry.variable(p, symbol);
    if (offset > place.bytes || bytes > place.bytes - offset)
        throw Refusal{Status::InvalidValue, fmt::format("{} bytes at {} of a variable of {}", bytes,
                                                        offset, place.bytes)};
    return reinterpret_cast<void*>(place.address + offset);
}

/// Copies within the device do not make the program wait.
Status copyNow(Platform& p, Work work, int kind)
{
    return kind == DeviceToDevice ? submit(p, nullptr, std::move(work))
                                  : submitAndWait(p, std::move(work));
}

Box rows(std::size_t targetPitch, std::size_t sourcePitch, std::size_t width, std::size_t height)
{
    return {.width = width, .rows = height, .targetPitch = targetPitch, .sourcePitch = sourcePitch};
}

}  // namespace

GSU_RUNTIME(cudaMemcpy)(void* to, const void* from, std::size_t bytes, int kind)
{
    return runtimeCall("cudaMemcpy", [&](Platform& p) {
        return copyNow(p, copyWork(p, to, from, bytes, kind), kind);
    });
}

GSU_RUNTIME(cudaMemcpyAsync)(void* to, const void* from, std::size_t bytes, int kind, Handle stream)
{
    return runtimeCall("cudaMemcpyAsync", [&](Platform& p) {
        return submit(p, stream, copyWork(p, to, from, bytes, kind));
    });
}

GSU_RUNTIME(cudaMemcpy2D)
(void* to, std::size_t targetPitch, const void* from, std::size_t sourcePitch, std::size_t width,
 std::size_t height, int kind)
{
    return runtimeCall("cudaMemcpy2D", [&](Platform& p) {
        return submitAndWait(
            p, copyWork(p, to, from, rows(targetPitch, sourcePitch, width, height), kind));
    });
}

GSU_RUNTIME(cudaMemcpy2DAsync)
(void* to, std::size_t targetPitch, const void* from, std::size_t sourcePitch, std::size_t width,
 std::size_t height, int kind, Handle stream)
{
    return runtimeCall("cudaMemcpy2DAsync", [&](Platform& p) {
        return submit(p, stream,
                      copyWork(p, to, from, rows(targetPitch, sourcePitch, width, height), kind));
    });
}

GSU_RUNTIME(cudaMemcpy3D)(const Copy3D* copy)
{
    return runtimeCall("cudaMemcpy3D", [&](Platform& p) {
        return copy == nullptr ? Status::InvalidValue : submitAndWait(p, copyWork(p, *copy));
    });
}

GSU_RUNTIME(cudaMemcpy3DAsync)(const Copy3D* copy, Handle stream)
{
    return runtimeCall("cudaMemcpy3DAsync", [&](Platform& p) {
        return copy == nullptr ? Status::InvalidValue : submit(p, stream, copyWork(p, *copy));
    });
}

GSU_RUNTIME(cudaMemcpyToSymbol)
(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind)
{
    return runtimeCall("cudaMemcpyToSymbol", [&](Platform& p) {
        return submitAndWait(p,
                             copyWork(p, inVariable(p, symbol, bytes, offset), from, bytes, kind));
    });
}

GSU_RUNTIME(cudaMemcpyFromSymbol)
(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind)
{
    return runtimeCall("cudaMemcpyFromSymbol", [&](Platform& p) {
        return submitAndWait(p, copyWork(p, to, inVariable(p, symbol, bytes, offset), bytes, kind));
    });
}

GSU_RUNTIME(cudaMemcpyToSymbolAsync)
(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind,
 Handle stream)
{
    return runtimeCall("cudaMemcpyToSymbolAsync", [&](Platform& p) {
        return submit(p, stream,
                      copyWork(p, inVariable(p, symbol, bytes, offset), from, bytes, kind));
    });
}

GSU_RUNTIME(cudaMemcpyFromSymbolAsync)
(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind, Handle stream)
{
    return runtimeCall("cudaMemcpyFromSymbolAsync", [&](Platform& p) {
        return submit(p, stream,
                      copyWork(p, to, inVariable(p, symbol, bytes, offset), bytes, kind));
    });
}

GSU_RUNTIME(cudaMemcpyPeer)
(void* to, int toDevice, const void* from, int fromDevice, std::size_t bytes)
{
    return runtimeCall("cudaMemcpyPeer", [&](Platform& p) {
        if (toDevice != 0 || fromDevice != 0) return Status::InvalidDevice;
        return submit(p, nullptr, copyWork(p, to, from, bytes, DeviceToDevice));
    });
}

GSU_RUNTIME(cudaMemset)(void* to, int value, std::size_t bytes)
{
    return runtimeCall("cudaMemset", [&](Platform& p) {
        return submit(p, nullptr,
                      fillWork(p, to, static_cast<std::uint32_t>(value), 1, {.width = bytes}));
    });
}

GSU_RUNTIME(cudaMemsetAsync)(void* to, int value, std::size_t bytes, Handle stream)
{
    return runtimeCall("cudaMemsetAsync", [&](Platform& p) {
        return submit(p, stream,
                      fillWork(p, to, static_cast<std::uint32_t>(value), 1, {.width = bytes}));
    });
}

GSU_RUNTIME(cudaMemset2D)
(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height)
{
    return runtimeCall("cudaMemset2D", [&](Platform& p) {
        return submit(p, nullptr,
                      fillWork(p, to, static_cast<std::uint32_t>(value), 1,
                               {.width = width, .rows = height, .pitch = pitch}));
    });
}

GSU_RUNTIME(cudaMemset2DAsync)
(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, Handle stream)
{
    return runtimeCall("cudaMemset2DAsync", [&](Platform& p) {
        return submit(p, stream,
                      fillWork(p, to, static_cast<std::uint32_t>(value), 1,
                               {.width = width, .rows = height, .pitch = pitch}));
    });
}

GSU_RUNTIME(cudaMemset3D)(PitchedPointer to, int value, Extent extent)
{
    return runtimeCall("cudaMemset3D", [&](Platform& p) {
        const FillBox box{.width = extent.width,
                          .rows = extent.height,
                          .pitch = to.pitch,
                          .slices = extent.depth,
                          .slice = (Size(to.pitch) * to.ysize).value()};
        return submit(p, nullptr,
                      fillWork(p, to.pointer, static_cast<std::uint32_t>(value), 1, box));
    });
}

GSU_PER_THREAD(cudaMemcpy, _ptds, (void* to, const void* from, std::size_t bytes, int kind),
               (to, from, bytes, kind))
GSU_PER_THREAD(cudaMemcpyAsync, _ptsz,
               (void* to, const void* from, std::size_t bytes, int kind, Handle stream),
               (to, from, bytes, kind, stream))
GSU_PER_THREAD(cudaMemcpy2D, _ptds,
               (void* to, std::size_t targetPitch, const void* from, std::size_t sourcePitch,
                std::size_t width, std::size_t height, int kind),
               (to, targetPitch, from, sourcePitch, width, height, kind))
GSU_PER_THREAD(cudaMemcpy2DAsync, _ptsz,
               (void* to, std::size_t targetPitch, const void* from, std::size_t sourcePitch,
                std::size_t width, std::size_t height, int kind, Handle stream),
               (to, targetPitch, from, sourcePitch, width, height, kind, stream))
GSU_PER_THREAD(cudaMemcpy3D, _ptds, (const Copy3D* copy), (copy))
GSU_PER_THREAD(cudaMemcpy3DAsync, _ptsz, (const Copy3D* copy, Handle stream), (copy, stream))
GSU_PER_THREAD(cudaMemcpyToSymbol, _ptds,
               (const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                int kind),
               (symbol, from, bytes, offset, kind))
GSU_PER_THREAD(cudaMemcpyFromSymbol, _ptds,
               (void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind),
               (to, symbol, bytes, offset, kind))
GSU_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz,
               (const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                int kind, Handle stream),
               (symbol, from, bytes, offset, kind, stream))
GSU_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz,
               (void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind,
                Handle stream),
               (to, symbol, bytes, offset, kind, stream))
GSU_PER_THREAD(cudaMemset, _ptds, (void* to, int value, std::size_t bytes), (to, value, bytes))
GSU_PER_THREAD(cudaMemsetAsync, _ptsz, (void* to, int value, std::size_t bytes, Handle stream),
               (to, value, bytes, stream))
GSU_PER_THREAD(cudaMemset2D, _ptds,
               (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height),
               (to, pitch, value, width, height))
GSU_PER_THREAD(cudaMemset2DAsync, _ptsz,
               (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                Handle stream),
               (to, pitch, value, width, height, stream))
