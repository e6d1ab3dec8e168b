/// The zero-column mask of tcgen05.mma.ws: the columns of B that count as zero, and the shift of columns.
#pragma once
#include "exec/tmem/instruction.hpp"

namespace gsu::tmem {

class ColumnMask {
public:
    /// The mask of a descriptor's bits; 0: every column is used.
    [[nodiscard]] static Judged<ColumnMask> of(std::uint64_t bits, const Instruction& instruction);

    /// Whether column `column` of N counts as zero.
    [[nodiscard]] bool isZero(unsigned column) const noexcept;
    /// The column of B from which column `column` of D is made.
    [[nodiscard]] unsigned source(unsigned column) const noexcept { return column + shift_; }
    [[nodiscard]] unsigned shift() const noexcept { return shift_; }

private:
    std::uint64_t bits_{};
    unsigned part_{256};  ///< columns that share one start count
    unsigned shift_{};
};

}  // namespace gsu::tmem
