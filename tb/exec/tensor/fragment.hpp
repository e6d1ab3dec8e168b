/// The element of each register of each lane (tb/exec/tensor.md), and functions that move elements between registers and matrices.
#pragma once
#include "exec/tensor/form.hpp"

namespace gsu::tensor {

using Cell = std::uint64_t;  ///< one lane's register; a register is 32 cells
inline constexpr unsigned kLanes = 32;

struct Position {
    unsigned row{}, column{};
};

/// Position in an operand whose registers are tiles of 8 rows (A: rows, B: columns) by four lanes; `index` counts the elements of a lane.
/// For B row and column are swapped: `row` is its column.
[[nodiscard]] Position packedPosition(unsigned rows, unsigned elementsOfRegister, unsigned lane,
                                      unsigned index) noexcept;
/// Position in an accumulator of m rows.
[[nodiscard]] Position accumulatorPosition(unsigned m, unsigned lane, unsigned index) noexcept;

/// Unpacks A (m x storedK, rows contiguous) or B (k x n, rows contiguous) of a form, as numbers.
void unpackA(const Form& form, const Cell* const* registers, float* out) noexcept;
void unpackA(const Form& form, const Cell* const* registers, std::int32_t* out) noexcept;
void unpackA(const Form& form, const Cell* const* registers, double* out) noexcept;
void unpackB(const Form& form, const Cell* const* registers, float* out) noexcept;
void unpackB(const Form& form, const Cell* const* registers, std::int32_t* out) noexcept;
void unpackB(const Form& form, const Cell* const* registers, double* out) noexcept;

/// Unpacks an accumulator of m x n (rows contiguous), of type f16 or f32 / s32 / f64.
void unpackC(Elem elem, unsigned m, unsigned n, const Cell* const* registers, float* out) noexcept;
void unpackC(unsigned m, unsigned n, const Cell* const* registers, std::int32_t* out) noexcept;
void unpackC(unsigned m, unsigned n, const Cell* const* registers, double* out) noexcept;
/// Packs a result. A null register is not written.
void packD(Elem elem, unsigned m, unsigned n, const float* in, Cell* const* registers) noexcept;
void packD(unsigned m, unsigned n, const std::int32_t* in, Cell* const* registers) noexcept;
void packD(unsigned m, unsigned n, const double* in, Cell* const* registers) noexcept;

/// Columns of A for its stored elements: m x k / 2, ascending chunks. `metadata`: the register of 32 lanes.
void sparseColumns(const Form& form, const Cell* metadata, unsigned selector,
                   std::uint16_t* out) noexcept;
/// For ordered metadata: a chunk of the live lanes whose two indices are not ascending.
[[nodiscard]] bool metadataOrdered(const Form& form, const Cell* metadata,
                                   unsigned selector) noexcept;

}  // namespace gsu::tensor
