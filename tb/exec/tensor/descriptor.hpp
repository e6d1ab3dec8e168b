/// Matrix descriptors of wgmma: the place of each 16 bytes of an operand in shared memory.
#pragma once
#include <cstdint>
#include <string>

namespace gsu::tensor {

struct Descriptor {
    std::uint32_t start{};    ///< byte address, a multiple of 16, below 2^18
    std::uint32_t leading{};  ///< bytes
    std::uint32_t stride{};   ///< bytes
    unsigned base{};          ///< phase of the swizzle pattern, 0..7
    unsigned width{};         ///< bytes of a swizzled row: 0 (none), 32, 64, 128

    [[nodiscard]] static Descriptor of(std::uint64_t bits) noexcept;
    /// Byte address of 16-byte unit `unit` of line `line` for an operand whose lines (rows of A, columns of B) lie along K:
    /// K-major.
    [[nodiscard]] std::uint32_t kMajor(unsigned line, unsigned unit) const noexcept;
    /// The same for lines along M or N: `line` counts k, `unit` 16 bytes of M or N.
    [[nodiscard]] std::uint32_t mnMajor(unsigned line, unsigned unit) const noexcept;

private:
    [[nodiscard]] std::uint32_t swizzled(std::uint32_t address) const noexcept;
};

/// Set reserved bits, or empty.
[[nodiscard]] std::string problemOfDescriptor(std::uint64_t bits);

}  // namespace gsu::tensor
