/// The operands of a matrix instruction, copied from shared and tensor memory into contiguous arrays, once for each instruction.
#pragma once
#include "exec/tmem/column_mask.hpp"
#include "exec/tmem/shared_descriptor.hpp"

namespace gsu::tmem {

/// What one CTA of the group has.
struct Side {
    TensorMemory* memory{};
    std::span<const std::uint8_t> shared;  ///< of the CTA, from its first byte on
};

/// What a tcgen05.mma is given beside its instruction descriptor. Addresses of tensor memory and descriptors hold in both CTAs of a pair.
struct Operands {
    std::uint32_t d{};
    std::uint32_t aInside{};  ///< address of A in tensor memory
    std::uint64_t a{}, b{};   ///< descriptors
    std::uint32_t metadata{}, scaleA{}, scaleB{};
    bool accumulate{};  ///< enable-input-d
    std::array<std::uint32_t, 8> disabled{};
    std::uint64_t zeroColumns{};
};

/// Values of one operand; of the kinds of floats `floats` and `exponents`, of i8 `integers`.
struct Values {
    AlignedVector<float> floats;
    AlignedVector<std::int16_t> exponents;
    std::vector<std::int32_t> integers;
};

/// Memory that instructions use one after the other; its contents mean nothing.
struct Scratch {
    std::vector<std::uint8_t> raw;
    Values lines, b;
    struct OfSide {
        std::vector<Values> a;  ///< m x k, for each bank its copy; one where they are the same
        std::vector<std::vector<std::uint16_t>> columns;  ///< of sparse A, for each bank
        std::vector<std::int16_t> scalesA, scalesB;       ///< exponents of mxf8f6f4
        std::vector<float> factorsA, factorsB;            ///< of mxf4, mxf4nvf4: rows by vector
    };
    std::array<OfSide, 2> sides;
    std::vector<std::uint32_t> cells;
    std::vector<std::uint16_t> halves;
    std::array<std::vector<float>, 4> groups;  ///< sums of sixteen products of 4-bit floats
    std::vector<std::int32_t> wholes;
};

/// B of the whole group, k x n, with the columns of the mask: to scratch.b.
[[nodiscard]] Verdict readB(const Instruction& i, const Operands& o, std::span<const Side> sides,
                            Scratch& scratch);
/// A, metadata and scale factors of one CTA: to scratch.sides[cta]. `strict`: copies that should be equal have to be, and codes of metadata listed.
[[nodiscard]] Verdict readSide(const Instruction& i, const Operands& o, const Side& side,
                               bool strict, Scratch& scratch, Scratch::OfSide& to);

namespace detail {
[[nodiscard]] Verdict readColumns(const Instruction& i, const Operands& o, const Side& side,
                                  bool strict, Scratch::OfSide& to);
[[nodiscard]] Verdict readScales(const Instruction& i, const Operands& o, const Side& side,
                                 bool strict, Scratch::OfSide& to);
}  // namespace detail

}  // namespace gsu::tmem
