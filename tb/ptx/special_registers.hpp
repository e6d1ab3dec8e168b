/// The predefined registers of PTX by name.
#pragma once
#include <string_view>

#include "ptx/ast.hpp"

namespace gsu::ptx {

/// Whether a register is a vector of x, y, z and w: "%tid", "%ctaid", ...
[[nodiscard]] bool hasComponents(std::string_view name) noexcept;
/// Whether a name is a special register, with its component if it has one: "%tid.x".
[[nodiscard]] bool isSpecialRegister(std::string_view name) noexcept;
/// Type of a special register: Pred, U32 or U64; B64 and U32 as the manual types them.
[[nodiscard]] Type specialType(std::string_view name) noexcept;

}  // namespace gsu::ptx
