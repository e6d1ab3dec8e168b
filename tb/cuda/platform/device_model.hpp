/// What the device says of itself: one of four compute capabilities with the unit's numbers where the unit decides (multiprocessors, blocks and threads on
/// each, shared memory), and those that are documented for its capability elsewhere.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "cuda/platform/platform.hpp"

namespace gsu::cuda {

/// Of cudaDeviceGetAttribute and cuDeviceGetAttribute, which share their numbers. nullopt: no such attribute.
[[nodiscard]] std::optional<int> attributeOf(const Platform& platform, int id) noexcept;
[[nodiscard]] std::string deviceName(const Platform& platform);
/// 16 bytes that name the device.
void deviceUuid(const Platform& platform, char* to) noexcept;
/// cudaDeviceProp of a version of the runtime: 11, 12 or 13.
void writeProperties(const Platform& platform, void* to, int version);

}  // namespace gsu::cuda
