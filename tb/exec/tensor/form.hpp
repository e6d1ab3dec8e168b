/// The form of one mma, mma.sp or wmma.mma, and the list of the legal forms.
#pragma once
#include <string>

#include "exec/tensor/element.hpp"

namespace gsu::tensor {

enum class Rounding : std::uint8_t { Rn, Rz, Rm, Rp };
enum class BitOp : std::uint8_t { Xor, And };
/// .kind:: of sm_120: the layout of narrow floats in registers, and whether blocks are scaled.
enum class BlockKind : std::uint8_t { None, F8f6f4, Mxf8f6f4, Mxf4, Mxf4nvf4 };

struct Form {
    unsigned m{}, n{}, k{};
    Elem a{}, b{}, c{}, d{};
    bool wmma{};
    bool sparse{};  ///< A has half of its columns; metadata select them
    bool ordered{};
    bool aColumn{},
        bRow{};  ///< m8n8k4 of f16: layouts of the fragments; wmma: not used, because GSU chooses the layout of its fragments
    bool satfinite{};
    Rounding rounding{};  ///< rounding of f64
    BitOp bitOp{};
    BlockKind kind{};
    unsigned scaleVec{};  ///< scales of a row: 1, 2, 4; 0: not scaled
    Elem scale{};
    bool truncated{};  ///< sums of floats as hopperTruncation(), except for block scales

    /// Bits of an element of A or B in a register.
    [[nodiscard]] unsigned slot(Elem elem) const noexcept
    {
        return kind == BlockKind::F8f6f4 || kind == BlockKind::Mxf8f6f4 ? 8 : bitsOf(elem);
    }
    [[nodiscard]] bool quadPairs() const noexcept { return m == 8 && k == 4 && a == Elem::F16; }
    [[nodiscard]] unsigned storedK() const noexcept { return sparse ? k / 2 : k; }
    /// Number of registers of a fragment in the instruction; those of f64 are 64 bits wide.
    [[nodiscard]] unsigned aRegisters() const noexcept;
    [[nodiscard]] unsigned bRegisters() const noexcept;
    [[nodiscard]] unsigned accumulatorRegisters(Elem elem) const noexcept;
    /// Number of sparsity selectors: 0 .. this - 1.
    [[nodiscard]] unsigned selectors() const noexcept;
};

/// Empty if the instruction exists, else the contradiction.
[[nodiscard]] std::string problemOf(const Form& form);

}  // namespace gsu::tensor
