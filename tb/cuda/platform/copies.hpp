/// Copies and fills between host and device, with every byte checked before the first is moved.
#pragma once
#include <cstdint>

#include "cuda/device/types.hpp"
#include "cuda/platform/platform.hpp"
#include "cuda/streams/node_parameters.hpp"

namespace gsu::cuda {

/// Where this process finds `bytes` at `address`. `device`: it has to be memory of the device, or host memory known to it. Throws Refusal that
/// names what the address misses.
[[nodiscard]] std::uint8_t* bytesAt(Platform& platform, const void* address, std::uint64_t bytes,
                                    bool device, const char* what);

/// Checks both sides, then gives the work that copies. Throws Refusal.
[[nodiscard]] Work copyWork(Platform& platform, void* target, const void* source, const Box& box,
                            int kind);
[[nodiscard]] Work copyWork(Platform& platform, void* target, const void* source,
                            std::uint64_t bytes, int kind);
[[nodiscard]] Work copyWork(Platform& platform, const Copy3D& copy);
[[nodiscard]] Work copyWork(Platform& platform, const DriverCopy3D& copy);
/// `element`: 1, 2 or 4 bytes of value.
[[nodiscard]] Work fillWork(Platform& platform, void* target, std::uint32_t value, unsigned element,
                            std::uint64_t width, std::uint64_t rows, std::uint64_t pitch);

}  // namespace gsu::cuda
