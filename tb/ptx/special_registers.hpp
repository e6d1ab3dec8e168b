/// The predefined registers of PTX by name.
#pragma once
#include <string_view>

#include "ptx/ast.hpp"

namespace gsu::ptx {

/// "%tid", "%ctaid", ...: registers that are vectors of x, y, z and w.
[[nodiscard]] bool hasComponents(std::string_view name) noexcept;
/// With component where there is one: "%tid.x".
[[nodiscard]] bool isSpecialRegister(std::string_view name) noexcept;
/// Pred, U32 or U64; B64 and U32 as the manual types them.
[[nodiscard]] Type specialType(std::string_view name) noexcept;

}  // namespace gsu::ptx
