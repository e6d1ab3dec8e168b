/// The properties of the device: those of one of four compute capabilities, with the unit's numbers where the unit decides
/// (multiprocessors, blocks and threads on each, shared memory), and documented numbers elsewhere.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "cuda/platform/platform.hpp"

namespace gsu::cuda {

/// An attribute of cudaDeviceGetAttribute and cuDeviceGetAttribute, which share their numbers. nullopt: no such attribute.
[[nodiscard]] std::optional<int> attributeOf(const Platform& platform, int id) noexcept;
[[nodiscard]] std::string deviceName(const Platform& platform);
/// Writes the 16 bytes that name the device.
void deviceUuid(const Platform& platform, char* to) noexcept;
/// Writes the cudaDeviceProp of a version of the runtime: 11, 12 or 13.
void writeProperties(const Platform& platform, void* to, int version);

}  // namespace gsu::cuda
