/// PTX text from the parsed form. print(parse(print(m))) == print(m), and the parsed forms are equal except for positions: scopes are
/// flattened (names are already unique), arrays lose their inner dimensions, comments and debug sections are gone.
#pragma once
#include <string>

#include "ptx/ast.hpp"

namespace gsu::ptx {

/// An instruction, "@!%p1 mbarrier.init.shared.b64 [%r1+8], 1;", without line end.
[[nodiscard]] std::string print(const Instruction& instruction, const Function& function);
[[nodiscard]] std::string print(const Operand& operand, const Function& function);
/// A variable, ".global .align 8 .b64 x[4] = {...}", without the semicolon.
[[nodiscard]] std::string print(const Variable& variable);
[[nodiscard]] std::string print(const Function& function);
/// A whole module that parses again.
[[nodiscard]] std::string print(const Module& module);

}  // namespace gsu::ptx
