/// Copies and fills between host and device, with every byte checked before the first is moved.
#pragma once
#include <cstdint>

#include "cuda/device/types.hpp"
#include "cuda/platform/platform.hpp"
#include "cuda/streams/node_parameters.hpp"

namespace gsu::cuda {

/// The `bytes` at `address` in this process. `device`: it has to be memory of the device, or host memory known to it. Throws Refusal that
/// names what the address misses.
[[nodiscard]] std::uint8_t* bytesAt(Platform& platform, const void* address, std::uint64_t bytes,
                                    bool device, const char* what);

/// A number of bytes or an address computed from a program's values. Sums and products that 64 bits do not hold are a Refusal.
class Size {
public:
    constexpr Size(std::uint64_t value) noexcept : value_(value) {}
    [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }
    friend Size operator+(Size a, Size b);
    friend Size operator*(Size a, Size b);

private:
    std::uint64_t value_;
};

/// Memory of rows that begin at multiples of 512 bytes.
struct PitchedSize {
    std::uint64_t pitch, bytes;
};
/// The size of pitched memory. Throws Refusal with Status::OutOfMemory if no address space holds it.
[[nodiscard]] PitchedSize pitchedSize(std::uint64_t width, std::uint64_t rows,
                                      std::uint64_t slices = 1);

/// Checks both sides and returns the work that copies. Throws Refusal.
[[nodiscard]] Work copyWork(Platform& platform, void* target, const void* source, const Box& box,
                            int kind);
[[nodiscard]] Work copyWork(Platform& platform, void* target, const void* source,
                            std::uint64_t bytes, int kind);
[[nodiscard]] Work copyWork(Platform& platform, const Copy3D& copy);
[[nodiscard]] Work copyWork(Platform& platform, const DriverCopy3D& copy);
/// The filled area: rows, and slices of them.
struct FillBox {
    std::uint64_t width{};  ///< bytes of a row
    std::uint64_t rows{1}, pitch{}, slices{1}, slice{};
};
/// The work that fills. `element`: 1, 2 or 4 bytes of value. Throws Refusal.
[[nodiscard]] Work fillWork(Platform& platform, void* target, std::uint32_t value, unsigned element,
                            const FillBox& box);

}  // namespace gsu::cuda
