#include "cuda/platform/copies.hpp"

#include <fmt/format.h>

#include <cstring>

namespace gsu::cuda {
namespace {

/// Bytes from the first byte of the rows and slices to the end of the last; there is at least one. They do not overlap.
std::uint64_t extent(std::uint64_t width, std::uint64_t rows, std::uint64_t pitch,
                     std::uint64_t slices, std::uint64_t slice)
{
    if (rows > 1 && width > pitch)
        throw Refusal{Status::InvalidPitch, fmt::format("rows of {} bytes every {}", width, pitch)};
    const Size one = Size(rows - 1) * pitch + width;
    if (slices > 1 && one.value() > slice)
        throw Refusal{Status::InvalidValue,
                      fmt::format("slices of {} bytes every {}", one.value(), slice)};
    return (Size(slices - 1) * slice + one).value();
}

std::uint64_t extent(const Box& b, std::uint64_t pitch, std::uint64_t slice)
{
    return extent(b.width, b.rows, pitch, b.slices, slice);
}

/// The address `offset` bytes after `base`.
void* beyond(const void* base, Size offset)
{
    const Size at = Size(reinterpret_cast<std::uint64_t>(base)) + offset;
    return reinterpret_cast<void*>(at.value());
}

struct Sides {
    bool target{}, source{};  ///< whether it is on the device
};

Sides sidesOf(int kind)
{
    switch (kind) {
        case HostToDevice: return {true, false};
        case DeviceToHost: return {false, true};
        case DeviceToDevice: return {true, true};
        default: return {false, false};
    }
}

void copy(std::uint8_t* to, const std::uint8_t* from, const Box& b)
{
    for (std::uint64_t z = 0; z < b.slices; ++z) {
        for (std::uint64_t y = 0; y < b.rows; ++y)
            std::memmove(to + z * b.targetSlice + y * b.targetPitch,
                         from + z * b.sourceSlice + y * b.sourcePitch, b.width);
    }
}

/// Records which bytes are written from now on.
void noteCopy(Heap& heap, std::uint64_t to, std::uint64_t from, const Box& b)
{
    if (!heap.watched()) return;
    for (std::uint64_t z = 0; z < b.slices; ++z) {
        for (std::uint64_t y = 0; y < b.rows; ++y)
            heap.copied(to + z * b.targetSlice + y * b.targetPitch,
                        from + z * b.sourceSlice + y * b.sourcePitch, b.width);
    }
}

/// Reads the bytes of the source now; returns the work that writes them.
template <class Find, class Note>
std::function<Status()> staged(const Find& find, const Note& note, const Box& box)
{
    const std::uint8_t* from = find().second;
    const std::vector<std::uint8_t> bytes(from,
                                          from + extent(box, box.sourcePitch, box.sourceSlice));
    return [find, note, box, bytes] {
        copy(find().first, bytes.data(), box);
        note();
        return Status::Success;
    };
}

[[noreturn]] void tooLarge()
{
    throw Refusal{Status::InvalidValue, "size and offset do not fit 64 bits"};
}

}  // namespace

Size operator+(Size a, Size b)
{
    std::uint64_t sum = 0;
    if (__builtin_add_overflow(a.value_, b.value_, &sum)) tooLarge();
    return sum;
}

Size operator*(Size a, Size b)
{
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(a.value_, b.value_, &product)) tooLarge();
    return product;
}

PitchedSize pitchedSize(std::uint64_t width, std::uint64_t rows, std::uint64_t slices)
{
    constexpr std::uint64_t kPitch = 512;
    try {
        const std::uint64_t pitch = (Size(width) + (kPitch - 1)).value() / kPitch * kPitch;
        return {pitch, (Size(pitch) * rows * slices).value()};
    } catch (const Refusal&) {
        throw Refusal{Status::OutOfMemory,
                      fmt::format("{} rows of {} bytes, {} times", rows, width, slices)};
    }
}

std::uint8_t* bytesAt(Platform& platform, const void* address, std::uint64_t bytes, bool device,
                      const char* what)
{
    const auto at = reinterpret_cast<std::uint64_t>(address);
    const Allocation* a = platform.heap.find(at);
    if (a != nullptr && bytes <= a->bytes - (at - a->address)) return a->data + (at - a->address);
    const bool ours =
        a != nullptr || platform.heap.reserved(at) || platform.heap.freed(at) != nullptr;
    if (!ours && !device && address != nullptr)
        return const_cast<std::uint8_t*>(static_cast<const std::uint8_t*>(address));
    throw Refusal{Status::InvalidValue,
                  fmt::format("{} of {} bytes at {:#x}: {}", what, bytes, at,
                              ours ? platform.heap.describe(at) : "not memory of the device")};
}

Work copyWork(Platform& platform, void* target, const void* source, const Box& box, int kind)
{
    if (kind < HostToHost || kind > AnyDirection)
        throw Refusal{Status::InvalidDirection, fmt::format("{} is no direction", kind)};
    if (box.width == 0 || box.rows == 0 || box.slices == 0)
        return {Work::Kind::Copy, [] { return Status::Success; }};
    const Sides sides = sidesOf(kind);
    // The addresses are looked up again when the copy runs: in a graph this may be much later.
    const auto find = [&platform, target, source, box, sides] {
        std::uint8_t* to = bytesAt(platform, target, extent(box, box.targetPitch, box.targetSlice),
                                   sides.target, "target");
        const std::uint8_t* from =
            bytesAt(platform, source, extent(box, box.sourcePitch, box.sourceSlice), sides.source,
                    "source");
        return std::pair(to, from);
    };
    static_cast<void>(find());
    const auto note = [&platform, target, source, box] {
        noteCopy(platform.heap, reinterpret_cast<std::uint64_t>(target),
                 reinterpret_cast<std::uint64_t>(source), box);
    };
    Work work{Work::Kind::Copy, [find, note, box] {
                  const auto [to, from] = find();
                  copy(to, from, box);
                  note();
                  return Status::Success;
              }};
    work.parameters =
        std::make_shared<NodeParameters>(NodeParameters{CopyParameters{target, source, box, kind}});
    // The call waits only for a copy to memory outside the heap; the device can write its heap at any time.
    work.waited = platform.heap.find(target) == nullptr;
    if (!work.waited && platform.heap.find(source) == nullptr) {
        work.stage = [find, note, box] { return staged(find, note, box); };
    }
    return work;
}

Work copyWork(Platform& platform, void* target, const void* source, std::uint64_t bytes, int kind)
{
    return copyWork(platform, target, source, Box{.width = bytes}, kind);
}

Work copyWork(Platform& platform, const Copy3D& c)
{
    if (c.sourceArray != nullptr || c.targetArray != nullptr)
        throw Refusal{Status::NotSupported, "copies of arrays (textures) are not supported"};
    const auto at = [](const PitchedPointer& q, const Position3& o) {
        return beyond(q.pointer, Size(o.z) * q.pitch * q.ysize + Size(o.y) * q.pitch + o.x);
    };
    const Box box{.width = c.extent.width,
                  .rows = c.extent.height,
                  .slices = c.extent.depth,
                  .targetPitch = c.target.pitch,
                  .sourcePitch = c.source.pitch,
                  .targetSlice = (Size(c.target.pitch) * c.target.ysize).value(),
                  .sourceSlice = (Size(c.source.pitch) * c.source.ysize).value()};
    return copyWork(platform, at(c.target, c.targetPosition), at(c.source, c.sourcePosition), box,
                    c.kind);
}

Work copyWork(Platform& platform, const DriverCopy3D& c)
{
    enum Kind : unsigned { Host = 1, Array = 3 };
    if (c.source.kind == Array || c.target.kind == Array)
        throw Refusal{Status::NotSupported, "copies of arrays (textures) are not supported"};
    const auto pitchOf = [&](const DriverSide& s) {
        return s.pitch != 0 ? s.pitch : (Size(s.x) + c.width).value();
    };
    const auto sliceOf = [&](const DriverSide& s) {
        return (Size(pitchOf(s)) * (s.height != 0 ? Size(s.height) : Size(s.y) + c.height)).value();
    };
    const auto at = [&](const DriverSide& s) {
        const void* base = s.kind == Host ? s.host : reinterpret_cast<void*>(s.device);
        return beyond(base, Size(s.z) * sliceOf(s) + Size(s.y) * pitchOf(s) + s.x);
    };
    const Box box{.width = c.width,
                  .rows = c.height,
                  .slices = c.depth,
                  .targetPitch = pitchOf(c.target),
                  .sourcePitch = pitchOf(c.source),
                  .targetSlice = sliceOf(c.target),
                  .sourceSlice = sliceOf(c.source)};
    return copyWork(platform, at(c.target), at(c.source), box, AnyDirection);
}

namespace {

void fill(Heap& heap, std::uint8_t* to, std::uint64_t address, std::uint32_t value,
          unsigned element, std::uint64_t bytes)
{
    heap.wrote(address, bytes);
    if (element == 1) {
        std::memset(to, static_cast<int>(value & 0xff), bytes);
        return;
    }
    for (std::uint64_t x = 0; x + element <= bytes; x += element)
        std::memcpy(to + x, &value, element);
}

}  // namespace

Work fillWork(Platform& platform, void* target, std::uint32_t value, unsigned element,
              const FillBox& box)
{
    if (element != 1 && element != 2 && element != 4)
        throw Refusal{Status::InvalidValue, fmt::format("elements of {} bytes", element)};
    if (box.width == 0 || box.rows == 0 || box.slices == 0)
        return {Work::Kind::Fill, [] { return Status::Success; }};
    const std::uint64_t bytes = extent(box.width, box.rows, box.pitch, box.slices, box.slice);
    const auto find = [=, &platform] { return bytesAt(platform, target, bytes, true, "target"); };
    static_cast<void>(find());
    Work work{Work::Kind::Fill, [=, &platform] {
                  std::uint8_t* to = find();
                  const auto address = reinterpret_cast<std::uint64_t>(target);
                  for (std::uint64_t z = 0; z < box.slices; ++z) {
                      for (std::uint64_t y = 0; y < box.rows; ++y) {
                          const std::uint64_t at = z * box.slice + y * box.pitch;
                          fill(platform.heap, to + at, address + at, value, element, box.width);
                      }
                  }
                  return Status::Success;
              }};
    const FillNode node{target, box.pitch, value, element, box.width / element, box.rows};
    if (box.slices == 1) work.parameters = std::make_shared<NodeParameters>(NodeParameters{node});
    return work;
}

}  // namespace gsu::cuda
