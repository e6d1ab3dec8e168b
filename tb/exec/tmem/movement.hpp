/// tcgen05.ld and st: the cell of each register of each thread; tcgen05.cp: the cells of bytes of shared memory.
#pragma once
#include <array>

#include "exec/tmem/shared_descriptor.hpp"
#include "exec/tmem/tensor_memory.hpp"

namespace gsu::tmem {

enum class Shape : std::uint8_t { L16x64b, L16x128b, L16x256b, L32x32b, L16x32bx2 };

/// A load or store of a warp.
struct Transfer {
    Shape shape{};
    unsigned repeat{1};  ///< N of .xN
    bool packed{};     ///< .pack::16b, .unpack::16b: a register holds the low halves of two columns
    unsigned split{};  ///< immHalfSplitoff of .16x32bx2: columns

    [[nodiscard]] unsigned registers() const noexcept;
    /// Number of lanes and columns that it touches.
    [[nodiscard]] unsigned lanes() const noexcept { return shape == Shape::L32x32b ? 32 : 16; }
    [[nodiscard]] unsigned columns() const noexcept;
    /// Cell of register `index` of thread `thread`, from the first lane and column on; the lower one of two.
    [[nodiscard]] Place place(unsigned thread, unsigned index) const noexcept;
};

/// Checks the begin of a transfer: `lane` of the address as firstLane() returns it. Empty if it can be done.
[[nodiscard]] Verdict problemOf(const Transfer& transfer, unsigned lane, unsigned column);

/// Registers of a warp, each 32 values.
using WarpRegisters = std::span<std::array<std::uint32_t, 32>>;
using ConstWarpRegisters = std::span<const std::array<std::uint32_t, 32>>;
/// Pre: problemOf() is empty, as many registers as the transfer has.
void load(const Transfer& transfer, const TensorMemory& memory, unsigned lane, unsigned column,
          WarpRegisters out) noexcept;
/// The upper halves of cells that .unpack::16b writes become zero.
void store(const Transfer& transfer, TensorMemory& memory, unsigned lane, unsigned column,
           ConstWarpRegisters in) noexcept;

enum class CopyShape : std::uint8_t { L128x256b, L128x128b, L64x128b, L32x128b, L4x256b };
enum class Multicast : std::uint8_t {
    None,
    Pairs02and13,
    Pairs01and23,
    All
};                                                    ///< .warpx2::02_13, ::01_23, .warpx4
enum class Unpack : std::uint8_t { None, Fp6, Fp4 };  ///< .b8x16.b6x16_p32, .b4x16_p64

struct Copy {
    CopyShape shape{};
    Multicast multicast{};
    Unpack unpack{};

    [[nodiscard]] unsigned rows() const noexcept;
    [[nodiscard]] unsigned bytes() const noexcept;  ///< of a row
    [[nodiscard]] unsigned columns() const noexcept { return bytes() / 4; }
    /// Lanes that source row `row` goes to, from the address's lane on; `copies()` of them.
    [[nodiscard]] unsigned copies() const noexcept;
    [[nodiscard]] unsigned lane(unsigned row, unsigned copy) const noexcept;
};

[[nodiscard]] Verdict problemOf(const Copy& copy, const SharedDescriptor& source, Address to);

/// `shared`: the CTA's shared memory. Empty when done; else nothing is written.
[[nodiscard]] Verdict copyIn(const Copy& copy, const SharedDescriptor& source,
                             std::span<const std::uint8_t> shared, TensorMemory& memory,
                             Address to);

/// Which lanes tcgen05.shift moves. Sources differ: the text says the matrix of a warp, another source all four quarters.
enum class ShiftReach : std::uint8_t { Refused, Warp, All };

/// tcgen05.shift: in each quarter that it moves, and in eight columns, lane r has what lane r + 1 had; the last lane keeps its own.
struct Shift {
    static constexpr unsigned kColumnsMoved = 8;
    Address at;
    unsigned lanes{kLanes};  ///< from at.lane on, whole quarters
};

/// The shift of an instruction with this address.
[[nodiscard]] Judged<Shift> shiftOf(ShiftReach reach, Address at);
/// The effect of .ashift on A after the product, in all quarters.
void shiftDown(TensorMemory& memory, const Shift& shift) noexcept;

}  // namespace gsu::tmem
