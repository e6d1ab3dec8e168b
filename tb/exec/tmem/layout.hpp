/// Places of the elements of matrix instructions in tensor memory: D and A by data-path layout, scale factors, metadata of sparse A. Places
/// are relative to the instruction's address.
#pragma once
#include "exec/tmem/tensor_memory.hpp"

namespace gsu::tmem {

/// The data-path layouts by the manual's names. C has no public order of rows.
enum class Layout : std::uint8_t { A, B, C, D, E, F, G };
[[nodiscard]] char nameOf(Layout layout) noexcept;

struct Place {
    unsigned cta{};  ///< 0: the even one of a pair, or the only one
    unsigned lane{}, column{};
    friend constexpr auto operator<=>(const Place&, const Place&) = default;
};

/// The layout of an instruction of M rows, in all CTAs of its group together. Refuses C.
[[nodiscard]] Judged<Layout> layoutOf(unsigned m, unsigned group, bool weightStationary,
                                      bool sparse);

/// The part of one CTA in a layout: its rows, and the distribution of its columns over the lanes.
struct DataPath {
    unsigned rows{};   ///< of M in this CTA
    unsigned banks{};  ///< parts of N side by side in lanes: 1, 2 or 4
    bool half{};       ///< 16 of 32 lanes are used

    /// Lane of a row of D in one bank.
    [[nodiscard]] constexpr unsigned lane(unsigned row, unsigned bank) const noexcept
    {
        return half ? row / 16 * 32 + row % 16 : row + bank * rows;
    }
    /// Number of lanes from the first used one to the last.
    [[nodiscard]] constexpr unsigned lanes() const noexcept
    {
        return half ? rows * 2 - 16 : rows * banks;
    }
};
/// The data path of a layout. Pre: not C.
[[nodiscard]] DataPath dataPathOf(Layout layout) noexcept;

/// Place of element (row, column) of D, N columns wide. Pre: not C, inside M and N.
[[nodiscard]] Place placeOfD(Layout layout, unsigned n, unsigned row, unsigned column) noexcept;
/// The bank whose copy of A computes this column of D.
[[nodiscard]] unsigned bankOf(Layout layout, unsigned n, unsigned column) noexcept;
/// The first of the eight cells that hold a row of A for one step of K, in the copy for one bank.
[[nodiscard]] Place placeOfA(Layout layout, unsigned row, unsigned bank) noexcept;
/// Checks the first lane of D, A and the metadata: 0, or 0 or 16 if half of the lanes is used.
[[nodiscard]] Verdict problemOfLane(Layout layout, unsigned lane);

/// A byte of a cell.
struct BytePlace {
    unsigned lane{}, column{}, byte{};
    friend constexpr auto operator<=>(const BytePlace&, const BytePlace&) = default;
};
/// Place of factor number `index` of row `line` of A, or of column `line` of B. `id` is the scale factor id. The other three quarters hold copies.
[[nodiscard]] constexpr BytePlace placeOfScale(unsigned line, unsigned index, unsigned id) noexcept
{
    return {line % 32, line / 32, id + index};
}

/// Four bits of a cell.
struct BitPlace {
    unsigned lane{}, column{}, bit{};
    friend constexpr auto operator<=>(const BitPlace&, const BitPlace&) = default;
};
/// Packing of metadata: two rows to a cell (types of 16 and 32 bits), or one row to a cell.
enum class MetadataFormat : std::uint8_t { Wide, Narrow };
/// Place of chunk `chunk` of the row whose D is `lane` lanes from the base. `selector`: for Wide, 0 or 1.
[[nodiscard]] constexpr BitPlace placeOfMetadata(MetadataFormat format, unsigned lane,
                                                 unsigned chunk, unsigned selector) noexcept
{
    if (format == MetadataFormat::Wide)
        return {lane % 8 + 16 * (lane / 16) + 8 * (chunk / 4), selector,
                16 * (lane / 8 % 2) + 4 * (chunk % 4)};
    return {lane, chunk / 8, 4 * (chunk % 8)};
}

}  // namespace gsu::tmem
