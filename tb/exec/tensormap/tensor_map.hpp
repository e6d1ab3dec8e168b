/// A tensor map: the layout of a box of a tensor in shared memory, and the map's 128 bytes in memory. The bytes are this model's own
/// (little endian): 0 magic "GSUTMAP1", 8 address, 16 type, 17 rank, 18 swizzle, 19 fill, 20 interleave, 21 swizzle atomicity, 22 mode, 24
/// sizes - 1 (5 x u32), 44 box (5 x u16), 54 element steps (5 x u8), 64 strides in bytes (4 x u64), 96 lower and 102 upper corner of the
/// pixels (3 x i16 each), 120 FNV-1a 64 of bytes 0..119. Type, swizzle, its atomicity, fill and interleave are numbered as the values of
/// tensormap.replace, which also takes 128 zero bytes: an empty map.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ast.hpp"

namespace gsu {

/// Order of a copy: boxes, or pixels of images (C, W, H, D, N; of lower ranks without D, then without H) inside a bounding box.
enum class MapMode : std::uint8_t { Tile, Im2col, Im2colW, Im2colW128 };
[[nodiscard]] const char* nameOf(MapMode mode) noexcept;

/// Elements that are stored together, and their bytes in global and in shared memory.
struct Packing {
    unsigned elements, global, shared;
};

struct TensorMap {
    static constexpr unsigned kBytes = 128, kMaxRank = 5;
    std::uint64_t address{};
    std::uint8_t type{};  ///< index into the element types, see elementType()
    std::uint8_t rank{1};
    std::uint8_t swizzle{};  ///< 0 none, 1 32 bytes, 2 64 bytes, 3 128 bytes
    std::uint8_t fill{};     ///< value of elements outside the tensor: 0 zero, 1 NaN
    /// For swizzle 3: the units that trade places, 0 16 bytes, 1 32 bytes, 2 32 bytes with 8 flipped in odd rows, 3 64 bytes.
    std::uint8_t atomicity{};
    std::uint8_t interleave{};                                ///< 0 none; nothing else is modelled
    std::array<std::uint64_t, kMaxRank> size{1, 1, 1, 1, 1};  ///< elements, 1..2^32
    std::array<std::uint64_t, 4> stride{};                    ///< bytes, of dimension i + 1
    std::array<std::uint16_t, kMaxRank> box{
        1, 1, 1, 1, 1};  ///< 1..256; of pixels: [0] channels 1..256, [1] pixels 1..1024
    std::array<std::uint8_t, kMaxRank> step{1, 1, 1, 1,
                                            1};  ///< 1..8; that of dimension 0 is ignored
    MapMode mode{};
    /// For pixels: first and last base pixel along W, H, D count from lower and from the tensor's last element plus upper.
    std::array<std::int16_t, 3> lower{}, upper{};

    [[nodiscard]] ptx::Type element() const noexcept;  ///< None: not a type this model copies
    /// Pre: packing().elements is 1.
    [[nodiscard]] unsigned elementBytes() const noexcept { return ptx::sizeOf(element()); }
    [[nodiscard]] Packing packing() const noexcept;
    /// Whether elements of 4 or 6 bits have gaps between them in shared memory, so that they can only be copied there.
    [[nodiscard]] bool padded() const noexcept { return packing().shared != packing().global; }
    /// Bytes of a row of the box, without gaps.
    [[nodiscard]] std::uint32_t rowBytes() const noexcept;
    /// Bytes of a box in shared memory, with gaps.
    [[nodiscard]] std::uint64_t sharedBytes() const noexcept;
    /// Number of elements of the box along a dimension.
    [[nodiscard]] std::uint32_t count(unsigned dimension) const noexcept;
    /// Bytes of a box without gaps: the number that completes on the mbarrier.
    [[nodiscard]] std::uint64_t boxBytes() const noexcept;
    /// Bytes from `address` to the last element's end.
    [[nodiscard]] std::uint64_t extent() const noexcept;
    [[nodiscard]] std::array<std::uint8_t, kBytes> encoded() const noexcept;
    /// Decodes a map. nullopt if the bytes are not a tensor map of this model; only magic and sum are checked.
    [[nodiscard]] static std::optional<TensorMap> decoded(const std::uint8_t* given) noexcept;
    /// The broken demand of the hardware on a map; empty if there is none.
    [[nodiscard]] std::string problem() const;
    /// The broken demand on the first coordinate of a box.
    [[nodiscard]] std::string problemOfColumn(std::int32_t column) const;
    bool operator==(const TensorMap&) const = default;

private:
    [[nodiscard]] std::string problemOfLayout() const;
    [[nodiscard]] std::string problemOfPacking() const;
    [[nodiscard]] std::string problemOfPixels() const;
};

/// Index of an element type by its name in launch files ("f16"), or -1.
[[nodiscard]] int tensorElement(std::string_view name) noexcept;

/// Place of 16 bytes of the box (8 with atomicity 2) in shared memory; `at` is an offset in the CTA's window.
[[nodiscard]] std::uint32_t swizzled(std::uint32_t at, unsigned swizzle,
                                     unsigned atomicity = 0) noexcept;

/// Part of a box: up to 16 bytes that are next to each other on both sides.
struct TileRun {
    std::uint32_t at{};      ///< in the box, without gaps, before swizzling
    std::uint32_t shared{};  ///< offset in the window
    std::uint64_t global{};  ///< 0: outside the tensor
    std::uint8_t bytes{};
};

/// The runs of a box at `origin`, ascending `at`. `rows`: tile::gather4 and scatter4, origin is a column and four rows.
[[nodiscard]] std::vector<TileRun> tileRuns(const TensorMap& map,
                                            const std::array<std::int32_t, 5>& origin,
                                            std::uint32_t shared, bool rows);

/// Operands of a copy of pixels besides its coordinates.
struct PixelInfo {
    std::array<std::uint16_t, 3> offset{};  ///< im2col: added to W, H, D of each pixel
    std::uint16_t halo{};  ///< im2col::w: pixels after the last one; im2col::w::128: after every 32
    std::uint16_t wOffset{};  ///< im2col::w and im2col::w::128: moves the bounding box and W
    /// Empty, or the value that is out of range for a map of this rank and mode.
    [[nodiscard]] std::string problem(const TensorMap& map) const;
};

/// Number of pixels of such a copy. Pre: map.mode is not Tile.
[[nodiscard]] std::uint32_t pixelCount(const TensorMap& map, const PixelInfo& info) noexcept;
/// The runs of these pixels, ascending `at`; `origin` is a channel, a base pixel, an image.
[[nodiscard]] std::vector<TileRun> pixelRuns(const TensorMap& map,
                                             const std::array<std::int32_t, 5>& origin,
                                             std::uint32_t shared, const PixelInfo& info);

}  // namespace gsu
