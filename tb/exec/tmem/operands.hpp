/// The operands of a matrix instruction, copied from shared and tensor memory into contiguous arrays, once for each instruction.
#pragma once
#include "exec/tmem/column_mask.hpp"
#include "exec/tmem/shared_descriptor.hpp"

namespace gsu::tmem {

/// The memories of one CTA of the group.
struct Side {
    TensorMemory* memory{};
    std::span<const std::uint8_t> shared;  ///< shared memory of the CTA, from its first byte on
};

/// Operands of a tcgen05.mma besides its instruction descriptor. Addresses of tensor memory and descriptors are valid in both CTAs of a pair.
struct Operands {
    std::uint32_t d{};
    std::uint32_t aInside{};  ///< address of A in tensor memory
    std::uint64_t a{}, b{};   ///< descriptors
    std::uint32_t metadata{}, scaleA{}, scaleB{};
    bool accumulate{};  ///< enable-input-d
    std::array<std::uint32_t, 8> disabled{};
    std::uint64_t zeroColumns{};
};

/// Values of one operand: for kinds of floats `floats` and `exponents`, for i8 `integers`.
struct Values {
    AlignedVector<float> floats;
    AlignedVector<std::int16_t> exponents;
    std::vector<std::int32_t> integers;
};

/// Memory that successive instructions reuse; its contents mean nothing between them.
struct Scratch {
    std::vector<std::uint8_t> raw;
    Values lines, b;
    struct OfSide {
        std::vector<Values> a;  ///< m x k, a copy for each bank; one copy if they are the same
        std::vector<std::vector<std::uint16_t>> columns;  ///< columns of sparse A, for each bank
        std::vector<std::int16_t> scalesA, scalesB;       ///< exponents of mxf8f6f4
        std::vector<float> factorsA, factorsB;  ///< factors of mxf4, mxf4nvf4: rows by vector
    };
    std::array<OfSide, 2> sides;
    std::vector<std::uint32_t> cells;
    std::vector<std::uint16_t> halves;
    std::array<std::vector<float>, 4> groups;  ///< sums of sixteen products of 4-bit floats
    std::vector<std::int32_t> wholes;
};

/// Reads B of the whole group, k x n, with the columns of the mask, into scratch.b.
[[nodiscard]] Verdict readB(const Instruction& i, const Operands& o, std::span<const Side> sides,
                            Scratch& scratch);
/// Reads A, metadata and scale factors of one CTA into scratch.sides[cta]. `strict`: copies that should be equal have to be, and codes of
/// metadata must be listed.
[[nodiscard]] Verdict readSide(const Instruction& i, const Operands& o, const Side& side,
                               bool strict, Scratch& scratch, Scratch::OfSide& to);

namespace detail {
[[nodiscard]] Verdict readColumns(const Instruction& i, const Operands& o, const Side& side,
                                  bool strict, Scratch::OfSide& to);
[[nodiscard]] Verdict readScales(const Instruction& i, const Operands& o, const Side& side,
                                 bool strict, Scratch::OfSide& to);
}  // namespace detail

}  // namespace gsu::tmem
