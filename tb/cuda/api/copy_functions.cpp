// Copies and fills of both APIs, immediate ones and those in streams.
#include <fmt/format.h>

#include "cuda/api/calls.hpp"
#include "cuda/api/stream_calls.hpp"
#include "cuda/platform/copies.hpp"
#include "cuda/platform/launching.hpp"

using namespace gsu::cuda;

namespace {

void* inVariable(Platform& p, const void* symbol, std::size_t bytes, std::size_t offset)
{
    const VariablePlace place = p.registry.variable(p, symbol);
    if (offset > place.bytes || bytes > place.bytes - offset)
        throw Refusal{Status::InvalidValue, fmt::format("{} bytes at {} of a variable of {}", bytes,
                                                        offset, place.bytes)};
    return pointerOf(place.address + offset);
}

/// Copies immediately. A copy within the device does not make the program wait.
Status copyNow(Platform& p, void* to, const void* from, std::size_t bytes, int kind)
{
    Work work = copyWork(p, to, from, bytes, kind);
    return kind == DeviceToDevice ? submit(p, nullptr, std::move(work))
                                  : submitAndWait(p, std::move(work));
}

Box rows(std::size_t targetPitch, std::size_t sourcePitch, std::size_t width, std::size_t height)
{
    return {.width = width, .rows = height, .targetPitch = targetPitch, .sourcePitch = sourcePitch};
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

Work copyWork(Platform& p, const Copy2D& c)
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

/// `width`: elements of `bits`, in `rows` rows.
Work fill(Platform& p, DevicePointer to, unsigned value, unsigned bits, std::size_t width,
          std::size_t rows = 1, std::size_t pitch = 0)
{
    const std::size_t bytes = (Size(width) * (bits / 8)).value();
    return fillWork(p, pointerOf(to), value, bits / 8,
                    {.width = bytes, .rows = rows, .pitch = pitch});
}
Work fillVolume(Platform& p, const PitchedPointer& to, unsigned value, const Extent& extent)
{
    return fillWork(p, to.pointer, value, 1,
                    {.width = extent.width,
                     .rows = extent.height,
                     .pitch = to.pitch,
                     .slices = extent.depth,
                     .slice = (Size(to.pitch) * to.ysize).value()});
}

}  // namespace

// Copies of the runtime.
GSU_RUNTIME_STREAM_CALL(cudaMemcpy, _ptds,
                        (void* to, const void* from, std::size_t bytes, int kind),
                        copyNow(p, to, from, bytes, kind))
GSU_RUNTIME_STREAM_CALL(cudaMemcpyAsync, _ptsz,
                        (void* to, const void* from, std::size_t bytes, int kind, Handle stream),
                        submit(p, stream, copyWork(p, to, from, bytes, kind)))
GSU_RUNTIME_STREAM_CALL(
    cudaMemcpy2D, _ptds,
    (void* to, std::size_t targetPitch, const void* from, std::size_t sourcePitch,
     std::size_t width, std::size_t height, int kind),
    submitAndWait(p, copyWork(p, to, from, rows(targetPitch, sourcePitch, width, height), kind)))
GSU_RUNTIME_STREAM_CALL(
    cudaMemcpy2DAsync, _ptsz,
    (void* to, std::size_t targetPitch, const void* from, std::size_t sourcePitch,
     std::size_t width, std::size_t height, int kind, Handle stream),
    submit(p, stream, copyWork(p, to, from, rows(targetPitch, sourcePitch, width, height), kind)))
GSU_RUNTIME_STREAM_CALL(cudaMemcpy3D, _ptds, (const Copy3D* copy),
                        submitAndWait(p, copyWork(p, in(copy))))
GSU_RUNTIME_STREAM_CALL(cudaMemcpy3DAsync, _ptsz, (const Copy3D* copy, Handle stream),
                        submit(p, stream, copyWork(p, in(copy))))
GSU_RUNTIME_STREAM_CALL(
    cudaMemcpyToSymbol, _ptds,
    (const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind),
    submitAndWait(p, copyWork(p, inVariable(p, symbol, bytes, offset), from, bytes, kind)))
GSU_RUNTIME_STREAM_CALL(
    cudaMemcpyFromSymbol, _ptds,
    (void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind),
    submitAndWait(p, copyWork(p, to, inVariable(p, symbol, bytes, offset), bytes, kind)))
GSU_RUNTIME_STREAM_CALL(
    cudaMemcpyToSymbolAsync, _ptsz,
    (const void* symbol, const void* from, std::size_t bytes, std::size_t offset, int kind,
     Handle stream),
    submit(p, stream, copyWork(p, inVariable(p, symbol, bytes, offset), from, bytes, kind)))
GSU_RUNTIME_STREAM_CALL(cudaMemcpyFromSymbolAsync, _ptsz,
                        (void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                         int kind, Handle stream),
                        submit(p, stream,
                               copyWork(p, to, inVariable(p, symbol, bytes, offset), bytes, kind)))
GSU_RUNTIME_CALL(cudaMemcpyPeer,
                 (void* to, int toDevice, const void* from, int fromDevice, std::size_t bytes),
                 toDevice != 0 || fromDevice != 0
                     ? Status::InvalidDevice
                     : submit(p, nullptr, copyWork(p, to, from, bytes, DeviceToDevice)))

// Copies of the driver: the direction is in the name.
GSU_DRIVER_STREAM_CALL(cuMemcpy, _ptds, (DevicePointer to, DevicePointer from, std::size_t bytes),
                       copyNow(p, pointerOf(to), pointerOf(from), bytes, AnyDirection))
GSU_DRIVER_STREAM_CALL(cuMemcpyAsync, _ptsz,
                       (DevicePointer to, DevicePointer from, std::size_t bytes, Handle stream),
                       submit(p, stream,
                              copyWork(p, pointerOf(to), pointerOf(from), bytes, AnyDirection)))
GSU_DRIVER_STREAM_CALL(cuMemcpyHtoD_v2, _ptds,
                       (DevicePointer to, const void* from, std::size_t bytes),
                       copyNow(p, pointerOf(to), from, bytes, HostToDevice))
GSU_DRIVER_STREAM_CALL(cuMemcpyHtoDAsync_v2, _ptsz,
                       (DevicePointer to, const void* from, std::size_t bytes, Handle stream),
                       submit(p, stream, copyWork(p, pointerOf(to), from, bytes, HostToDevice)))
GSU_DRIVER_STREAM_CALL(cuMemcpyDtoH_v2, _ptds, (void* to, DevicePointer from, std::size_t bytes),
                       copyNow(p, to, pointerOf(from), bytes, DeviceToHost))
GSU_DRIVER_STREAM_CALL(cuMemcpyDtoHAsync_v2, _ptsz,
                       (void* to, DevicePointer from, std::size_t bytes, Handle stream),
                       submit(p, stream, copyWork(p, to, pointerOf(from), bytes, DeviceToHost)))
GSU_DRIVER_STREAM_CALL(cuMemcpyDtoD_v2, _ptds,
                       (DevicePointer to, DevicePointer from, std::size_t bytes),
                       copyNow(p, pointerOf(to), pointerOf(from), bytes, DeviceToDevice))
GSU_DRIVER_STREAM_CALL(cuMemcpyDtoDAsync_v2, _ptsz,
                       (DevicePointer to, DevicePointer from, std::size_t bytes, Handle stream),
                       submit(p, stream,
                              copyWork(p, pointerOf(to), pointerOf(from), bytes, DeviceToDevice)))
GSU_DRIVER_STREAM_CALL(cuMemcpy2D_v2, _ptds, (const Copy2D* copy),
                       submitAndWait(p, copyWork(p, in(copy))))
GSU_DRIVER_STREAM_CALL(cuMemcpy2DUnaligned_v2, _ptds, (const Copy2D* copy),
                       submitAndWait(p, copyWork(p, in(copy))))
GSU_DRIVER_STREAM_CALL(cuMemcpy2DAsync_v2, _ptsz, (const Copy2D* copy, Handle stream),
                       submit(p, stream, copyWork(p, in(copy))))
GSU_DRIVER_STREAM_CALL(cuMemcpy3D_v2, _ptds, (const DriverCopy3D* copy),
                       submitAndWait(p, copyWork(p, in(copy))))
GSU_DRIVER_STREAM_CALL(cuMemcpy3DAsync_v2, _ptsz, (const DriverCopy3D* copy, Handle stream),
                       submit(p, stream, copyWork(p, in(copy))))

// Fills: of bytes in the runtime, of elements of 8, 16 and 32 bits in the driver.
GSU_RUNTIME_STREAM_CALL(cudaMemset, _ptds, (DevicePointer to, int value, std::size_t bytes),
                        submit(p, nullptr, fill(p, to, unsigned(value), 8, bytes)))
GSU_RUNTIME_STREAM_CALL(cudaMemsetAsync, _ptsz,
                        (DevicePointer to, int value, std::size_t bytes, Handle stream),
                        submit(p, stream, fill(p, to, unsigned(value), 8, bytes)))
GSU_RUNTIME_STREAM_CALL(cudaMemset2D, _ptds,
                        (DevicePointer to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height),
                        submit(p, nullptr, fill(p, to, unsigned(value), 8, width, height, pitch)))
GSU_RUNTIME_STREAM_CALL(cudaMemset2DAsync, _ptsz,
                        (DevicePointer to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height, Handle stream),
                        submit(p, stream, fill(p, to, unsigned(value), 8, width, height, pitch)))
GSU_RUNTIME_CALL(cudaMemset3D, (PitchedPointer to, int value, Extent extent),
                 submit(p, nullptr, fillVolume(p, to, unsigned(value), extent)))
#define GSU_FILL(bits, type)                                                                       \
    GSU_DRIVER_STREAM_CALL(cuMemsetD##bits##_v2, _ptds,                                            \
                           (DevicePointer to, type value, std::size_t count),                      \
                           submit(p, nullptr, fill(p, to, value, bits, count)))                    \
    GSU_DRIVER_STREAM_CALL(cuMemsetD##bits##Async, _ptsz,                                          \
                           (DevicePointer to, type value, std::size_t count, Handle stream),       \
                           submit(p, stream, fill(p, to, value, bits, count)))                     \
    GSU_DRIVER_STREAM_CALL(                                                                        \
        cuMemsetD2D##bits##_v2, _ptds,                                                             \
        (DevicePointer to, std::size_t pitch, type value, std::size_t width, std::size_t rows),    \
        submit(p, nullptr, fill(p, to, value, bits, width, rows, pitch)))                          \
    GSU_DRIVER_STREAM_CALL(cuMemsetD2D##bits##Async, _ptsz,                                        \
                           (DevicePointer to, std::size_t pitch, type value, std::size_t width,    \
                            std::size_t rows, Handle stream),                                      \
                           submit(p, stream, fill(p, to, value, bits, width, rows, pitch)))
GSU_FILL(8, unsigned char)
GSU_FILL(16, unsigned short)
GSU_FILL(32, unsigned)
