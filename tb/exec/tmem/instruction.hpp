/// A tcgen05.mma: its modifiers, its instruction descriptor, and whether the two make an instruction that is modelled.
#pragma once
#include "exec/tensor/element.hpp"
#include "exec/tmem/layout.hpp"

namespace gsu::tmem {

using tensor::Elem;

enum class Kind : std::uint8_t { F16, Tf32, F8f6f4, I8, Mxf8f6f4, Mxf4, Mxf4nvf4 };
[[nodiscard]] const char* nameOf(Kind kind) noexcept;
[[nodiscard]] constexpr bool isScaled(Kind kind) noexcept { return kind >= Kind::Mxf8f6f4; }
/// Whether A and B have 4 bits, two to a byte: mxf4, mxf4nvf4.
[[nodiscard]] constexpr bool isPackedFp4(Kind kind) noexcept { return kind >= Kind::Mxf4; }

enum class Collector : std::uint8_t { Discard, Fill, Use, LastUse };

/// The qualifiers of the instruction, and which operands it has. block32 and block16 are the number of factors: 1 for mxf8f6f4, else 2; 4.
struct Modifiers {
    Kind kind{};
    unsigned group{1};  ///< .cta_group
    bool sparse{}, weightStationary{};
    unsigned scaleVector{};  ///< 0: no .block_scale; none written: 1 for mxf8f6f4, 2 for mxf4
    bool aInside{};          ///< [a-tmem]
    bool shiftA{};
    Collector collector{};
    unsigned disableWords{};  ///< words of disable-output-lane
    std::optional<unsigned> scaleInputD;
    bool zeroColumnMask{};
};

[[nodiscard]] Verdict problemOf(const Modifiers& modifiers);

/// A matrix instruction, checked: the contents of modifiers and descriptor, without contradiction.
struct Instruction {
    Modifiers modifiers;
    unsigned m{}, n{}, k{};
    Elem a{}, b{}, d{};
    bool negateA{}, negateB{};
    bool transposeA{}, transposeB{};
    bool saturate{};
    unsigned selector{};          ///< selector of metadata
    unsigned scaleA{}, scaleB{};  ///< scale factor ids
    Elem scale{Elem::None};
    unsigned maxShift{};  ///< largest shift of a zero-column mask
    Layout layout{};

    [[nodiscard]] unsigned storedK() const noexcept { return modifiers.sparse ? k / 2 : k; }
    /// Bytes of `elements` elements in shared memory, where types of 4 and 6 bits of the kinds f8f6f4 have padding.
    [[nodiscard]] unsigned bytes(unsigned elements) const noexcept;
    [[nodiscard]] MetadataFormat metadataFormat() const noexcept;
    /// Logical columns of A that share four bits of metadata: 2, 4 or 8.
    [[nodiscard]] unsigned chunk() const noexcept;
    [[nodiscard]] DataPath path() const noexcept { return dataPathOf(layout); }
};

/// Decodes the 32 bits of the descriptor for an instruction with these modifiers.
[[nodiscard]] Judged<Instruction> instructionOf(std::uint32_t descriptor,
                                                const Modifiers& modifiers);

namespace detail {
/// Checks M and N for the kind (shape.cpp).
[[nodiscard]] Verdict problemOfShape(const Instruction& instruction);
}  // namespace detail

}  // namespace gsu::tmem
