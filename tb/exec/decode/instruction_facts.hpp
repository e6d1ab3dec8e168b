/// What several rules of the assembler ask of an instruction; private to tb/exec/decode.
#pragma once
#include <string_view>

#include "ptx/ast.hpp"

namespace gsu::exec {

[[nodiscard]] bool hasModifier(const ptx::Instruction& in, std::string_view modifier);
/// Whether nothing is moved across it: a branch, barrier, fence, or asynchronous operation.
[[nodiscard]] bool endsBlock(const ptx::Instruction& in);

}  // namespace gsu::exec
