/// vprintf, malloc, free and __assertfail of the device runtime; private to tb/exec.
#pragma once
#include "exec/machine/machine.hpp"

namespace gsu::exec {

/// The function that a call names when the module does not define it.
[[nodiscard]] std::optional<Builtin::Kind> builtinOf(std::string_view name);
[[nodiscard]] std::vector<std::string_view> builtinNames();
/// `extra` indexes Program::builtins.
void builtinOp(Ctx& x, const MicroOp& o, Lanes lanes);

}  // namespace gsu::exec
