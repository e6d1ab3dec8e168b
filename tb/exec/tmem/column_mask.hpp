/// The zero-column mask of tcgen05.mma.ws: which columns of B count as zero, and by how much columns are shifted.
#pragma once
#include "exec/tmem/instruction.hpp"

namespace gsu::tmem {

class ColumnMask {
public:
    /// 0: every column is used.
    [[nodiscard]] static Judged<ColumnMask> of(std::uint64_t bits, const Instruction& instruction);

    /// Column `column` of N counts as zero.
    [[nodiscard]] bool isZero(unsigned column) const noexcept;
    /// The column of B that column `column` of D is made from.
    [[nodiscard]] unsigned source(unsigned column) const noexcept { return column + shift_; }
    [[nodiscard]] unsigned shift() const noexcept { return shift_; }

private:
    std::uint64_t bits_{};
    unsigned part_{256};  ///< columns with one start count
    unsigned shift_{};
};

}  // namespace gsu::tmem
