/// The product of a tcgen05.mma: D = A * B, or D = A * B + D.
#pragma once
#include "exec/tmem/movement.hpp"
#include "exec/tmem/operands.hpp"

namespace gsu::tmem {

/// Reads all operands, then writes D. `sides`: as many as .cta_group, the even CTA first. A refusal changes nothing. `strict`: refuses
/// operations that work on hardware and that the text forbids (TC5-060, TC5-063).
[[nodiscard]] Verdict multiply(const Instruction& instruction, const Operands& operands,
                               std::span<const Side> sides, Scratch& scratch, bool strict = false);

namespace detail {
/// One bank of D: rows of cells, each `n` wide.
struct Bank {
    unsigned index{}, n{};
    std::uint32_t* const* rows{};
};
/// Computes a product of mxf4, mxf4nvf4 (product_fp4.cpp).
void multiplyFp4(const Instruction& i, const Operands& o, const Scratch::OfSide& side,
                 const Bank& bank, Scratch& scratch);
}  // namespace detail

}  // namespace gsu::tmem
