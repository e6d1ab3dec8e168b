/// Fat binaries of nvcc 11 to 13: a container of images, each PTX or machine code for one architecture, plain or compressed with LZ4 or
/// zstd. README.md of this folder describes the format.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gsu::cuda {

struct Image {
    bool ptx{};          ///< otherwise machine code, which is not executed here
    unsigned arch{};     ///< 90 for sm_90 and compute_90
    std::string text{};  ///< PTX, without text after its end
};

/// The images in order. Throws InputError that names the wrong byte; nothing is read outside `bytes`.
[[nodiscard]] std::vector<Image> imagesOf(std::span<const std::uint8_t> bytes);
/// Bytes of the container that begins there, from its first bytes; nullopt: no container.
[[nodiscard]] std::optional<std::uint64_t> containerBytes(std::span<const std::uint8_t> start);
inline constexpr std::size_t kContainerHeader = 16;

/// The PTX that a device of capability `sm` runs: the newest one for `sm` or less. nullptr: there is none.
[[nodiscard]] const Image* ptxFor(const std::vector<Image>& images, unsigned sm) noexcept;

/// Copies memory of this process that may be unmapped. nullopt: part of it cannot be read.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> readOwn(const void* from,
                                                               std::uint64_t bytes);
/// Copies a text that ends with a zero. nullopt: it cannot be read, or has more than `limit` bytes.
[[nodiscard]] std::optional<std::string> textOwn(const void* from, std::uint64_t limit);

}  // namespace gsu::cuda
