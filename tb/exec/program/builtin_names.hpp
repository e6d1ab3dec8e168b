/// Functions of the device runtime that a module may call without defining them: vprintf, malloc, free, __assertfail.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "exec/program/micro_op.hpp"

namespace gsu::exec {

/// The function of a call if the module does not define it.
[[nodiscard]] std::optional<Builtin::Kind> builtinOf(std::string_view name);
[[nodiscard]] std::vector<std::string_view> builtinNames();

}  // namespace gsu::exec
