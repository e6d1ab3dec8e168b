/// Fat binaries as nvcc 11 to 13 write them: a container of images, each PTX or machine code for one architecture, plain or compressed with LZ4
/// or zstd. What was found out about the format stands in README.md of this folder.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gsu::cuda {

struct Image {
    bool ptx{};          ///< otherwise machine code, which nothing here executes
    unsigned arch{};     ///< 90 for sm_90 and compute_90
    std::string text{};  ///< PTX, without what follows its end
};

/// The images in order. Throws InputError that names the byte which is wrong; nothing is read outside `bytes`.
[[nodiscard]] std::vector<Image> imagesOf(std::span<const std::uint8_t> bytes);
/// Bytes of the container that begins there, from its first bytes; nullopt: none begins there.
[[nodiscard]] std::optional<std::uint64_t> containerBytes(std::span<const std::uint8_t> start);
inline constexpr std::size_t kContainerHeader = 16;

/// The PTX that a device of capability `sm` runs: of those for `sm` or less the newest. nullptr: there is none.
[[nodiscard]] const Image* ptxFor(const std::vector<Image>& images, unsigned sm) noexcept;

/// Copies memory of this process that may not be there. nullopt: part of it cannot be read.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> readOwn(const void* from,
                                                               std::uint64_t bytes);
/// A text that ends with a zero. nullopt: it cannot be read, or has more than `limit` bytes.
[[nodiscard]] std::optional<std::string> textOwn(const void* from, std::uint64_t limit);

}  // namespace gsu::cuda
