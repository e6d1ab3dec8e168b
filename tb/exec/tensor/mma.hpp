/// One matrix instruction of a warp, on its registers.
#pragma once
#include "exec/tensor/fragment.hpp"

namespace gsu::tensor {

/// A scale operand: the register with the factors, and the byte and lanes that give them.
struct Scales {
    const Cell* data{};
    unsigned byte{}, lane{};
};

/// Registers of a warp: 32 cells each, as many as Form::aRegisters() and so on return. Null registers of d are not written; d may share
/// registers with a, b and c.
struct Fragments {
    const Cell* const* a{};
    const Cell* const* b{};
    const Cell* const* c{};
    Cell* const* d{};
    const Cell* metadata{};  ///< of a sparse form
    unsigned selector{};     ///< below Form::selectors()
    Scales scaleA, scaleB;
};

/// d = a * b + c. Pre: problemOf(form) is empty.
void mma(const Form& form, const Fragments& fragments) noexcept;

/// Most elements of A or B.
inline constexpr unsigned kMaxOperand = 32 * 128;

namespace detail {
/// m8n8k4 of f16: four products of 8 lanes each (quad_pair.cpp).
void mmaQuadPairs(const Form& form, const Fragments& fragments) noexcept;
/// c (m x n) += a * b with the factors of the blocks (block_scale.cpp).
void multiplyScaled(const Form& form, const Fragments& fragments, const float* a, const float* b,
                    const std::uint16_t* columns, float* c) noexcept;
}  // namespace detail

}  // namespace gsu::tensor
