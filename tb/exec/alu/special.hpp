/// The values of special registers (%tid, %clock, ...).
#pragma once
#include <string_view>

#include "exec/program/micro_op.hpp"

namespace gsu::exec {

/// d = special register `extra`.
void specialOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// Index of a special register and its width in bytes, or -1.
[[nodiscard]] int specialIndex(std::string_view name) noexcept;
[[nodiscard]] bool specialIsTime(int index) noexcept;

}  // namespace gsu::exec
