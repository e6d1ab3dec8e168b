/// Matrix descriptors of tcgen05: the places of an operand's bytes in shared memory.
#pragma once
#include "exec/tensor/descriptor.hpp"
#include "exec/tmem/instruction.hpp"

namespace gsu::tmem {

/// Bytes of a swizzled row, and of the units that trade places: 16, with one exception.
enum class Swizzle : std::uint8_t { None, Bytes32, Bytes64, Bytes128, Bytes128Atoms32 };

class SharedDescriptor {
public:
    [[nodiscard]] static Judged<SharedDescriptor> of(std::uint64_t bits);

    [[nodiscard]] Swizzle swizzle() const noexcept { return swizzle_; }
    [[nodiscard]] std::uint32_t start() const noexcept { return fields_.start; }
    /// Address for K-major: byte `byte` along K of a line (a row of A, a column of B, a row of tcgen05.cp).
    [[nodiscard]] std::uint32_t kMajor(unsigned line, unsigned byte) const noexcept
    {
        return fields_.kMajor(line, byte / 16) + byte % 16;
    }
    /// Address for transposed operands: byte `byte` along M or N of line k; 32-bit elements with atoms of 32 bytes, or 8 and 16 bits with others.
    [[nodiscard]] std::uint32_t mnMajor(unsigned k, unsigned byte) const noexcept;

    /// Checks whether it fits an operand of this type. `bytes`: bytes of one step along K.
    [[nodiscard]] Verdict problemFor(Elem elem, bool transposed, unsigned bytes) const;

private:
    tensor::Descriptor fields_;  ///< wgmma's addresses are the same except for atoms of 32 bytes
    Swizzle swizzle_{};
};

}  // namespace gsu::tmem
