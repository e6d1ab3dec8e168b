/// Tensor memory of one SM, 128 lanes of 512 columns of 32 bits, and its addresses.
#pragma once
#include <cstdint>

#include "exec/tmem/aligned_vector.hpp"
#include "exec/tmem/rule.hpp"

namespace gsu::tmem {

inline constexpr unsigned kLanes = 128, kColumns = 512;
inline constexpr unsigned kQuarter = 32;  ///< lanes that a warp reaches
/// Content of unwritten cells: a NaN in f32, f16 and bf16, like accumulators in flight.
inline constexpr std::uint32_t kPoison = 0x7fff'7fff;

/// An address: bits 31:16 the lane, 15:0 the column.
struct Address {
    unsigned lane{}, column{};

    [[nodiscard]] static constexpr Address of(std::uint32_t bits) noexcept
    {
        return {bits >> 16, bits & 0xffffu};
    }
    [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return lane << 16 | column; }
    /// [register + immediate]: an addition of 32 bits, in which a carry out of the columns goes to the next lane.
    [[nodiscard]] constexpr Address plus(std::int32_t offset) const noexcept
    {
        return of(bits() + static_cast<std::uint32_t>(offset));
    }
    friend constexpr bool operator==(const Address&, const Address&) = default;
};

/// Lanes by columns from an address on.
struct Window {
    Address at;
    unsigned lanes{}, columns{};

    [[nodiscard]] bool inside() const noexcept
    {
        return at.lane + lanes <= kLanes && at.column + columns <= kColumns;
    }
};

/// Names the part of a window that is outside tensor memory.
[[nodiscard]] Verdict problemOf(const Window& window);

class TensorMemory {
public:
    TensorMemory() : cells_(std::size_t{kLanes} * kColumns, kPoison) {}

    /// A cell. Pre: inside.
    [[nodiscard]] std::uint32_t& at(unsigned lane, unsigned column) noexcept
    {
        return cells_[std::size_t{lane} * kColumns + column];
    }
    [[nodiscard]] std::uint32_t at(unsigned lane, unsigned column) const noexcept
    {
        return cells_[std::size_t{lane} * kColumns + column];
    }
    /// Cells of one lane, in the order of columns.
    [[nodiscard]] std::uint32_t* lane(unsigned lane) noexcept { return &at(lane, 0); }
    [[nodiscard]] const std::uint32_t* lane(unsigned lane) const noexcept
    {
        return cells_.data() + std::size_t{lane} * kColumns;
    }
    /// Fills newly allocated columns with a value that cannot be relied on.
    void poison(unsigned column, unsigned columns) noexcept;

private:
    AlignedVector<std::uint32_t> cells_;
};

/// The lane of tensor memory of lane 0 of a load or store: bits 4:0 of the address's lane, in the quarter of the warp. Real hardware
/// ignores all other bits; the text wants them to name the quarter, and so does `strict`.
[[nodiscard]] Judged<unsigned> firstLane(unsigned warpOfCta, unsigned laneField, bool strict);

}  // namespace gsu::tmem
