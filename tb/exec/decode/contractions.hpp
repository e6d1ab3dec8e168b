/// Contractions: multiplications that the assembler makes a part of the addition which alone takes their result. Seen with cuobjdump of ptxas 13.0.
#pragma once
#include <vector>

#include "ptx/ast.hpp"

namespace gsu::exec {

/// mul and add of f32 that name no rounding are one FFMA; mul.lo and add, mul.wide and a 64-bit add are one IMAD; shl and add one LEA. Both are in one basic
/// block.
class Contractions {
public:
    explicit Contractions(const ptx::Function& function);
    /// The machine code has nothing for the multiplication.
    [[nodiscard]] bool vanishes(std::size_t instruction) const
    {
        return roles_[instruction] == Role::Vanishes;
    }
    /// The addition is an IMAD.
    [[nodiscard]] bool multiplies(std::size_t instruction) const
    {
        return roles_[instruction] == Role::Multiplies;
    }

private:
    enum class Role : std::uint8_t { None, Vanishes, Multiplies };
    /// The types of what may be added to the result; empty: the instruction is no such multiplication.
    [[nodiscard]] static std::vector<std::string_view> sums(const ptx::Instruction& in);
    void contract(const ptx::Function& function, std::size_t multiplication);

    std::vector<Role> roles_;
    std::vector<std::uint32_t> named_;  ///< of each register: how often
    std::vector<bool> begins_;          ///< a basic block
};

}  // namespace gsu::exec
