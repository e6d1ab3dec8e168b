/// KnownBits: what the assembler can know of the low bits of a function's integer registers, and with them of the alignment of addresses.
#pragma once
#include <vector>

#include "ptx/ast.hpp"

namespace gsu::exec {

/// Low bits of an integer: which are known, and their values.
struct LowBits {
    static constexpr unsigned kBits = 4;  ///< no access of a lane is wider than 16 bytes
    static constexpr std::uint8_t kAll = (1u << kBits) - 1;
    std::uint8_t known{}, bits{};

    [[nodiscard]] static LowBits of(std::uint64_t value) noexcept
    {
        return {kAll, static_cast<std::uint8_t>(value & kAll)};
    }
    /// So many bits from the lowest one on are known.
    [[nodiscard]] unsigned aligned() const noexcept;
    bool operator==(const LowBits&) const = default;
};
[[nodiscard]] LowBits operator+(LowBits a, LowBits b) noexcept;
[[nodiscard]] LowBits operator-(LowBits a, LowBits b) noexcept;
[[nodiscard]] LowBits operator*(LowBits a, LowBits b) noexcept;
[[nodiscard]] LowBits operator&(LowBits a, LowBits b) noexcept;
[[nodiscard]] LowBits operator|(LowBits a, LowBits b) noexcept;
[[nodiscard]] LowBits operator^(LowBits a, LowBits b) noexcept;
/// Of a value that is one of both.
[[nodiscard]] LowBits either(LowBits a, LowBits b) noexcept;

class KnownBits {
public:
    explicit KnownBits(const ptx::Function& function);
    /// Of a register, a number or a variable. The assembler places variables as their accesses need it, so their addresses are taken as aligned.
    [[nodiscard]] LowBits of(const ptx::Operand& operand) const;

private:
    struct Value {
        bool written{};
        LowBits low;
    };
    [[nodiscard]] bool readsUnwritten(const ptx::Instruction& in) const;
    [[nodiscard]] LowBits result(const ptx::Instruction& in) const;
    [[nodiscard]] static LowBits factor(const ptx::Operand& shift);
    /// Whether that changes what is known of a register.
    bool write(const ptx::Operand& to, LowBits value);

    std::vector<Value> values_;  ///< of the registers: of all that is written to them anywhere
};

}  // namespace gsu::exec
