/// Records about grids (griddepcontrol) as text; private to record_text.cpp.
#pragma once
#include <string>

#include "trace/cursor.hpp"
#include "trace/record.hpp"

namespace gsu::trace {

void appendGrid(std::string& out, const GridRecord& record);
[[nodiscard]] GridRecord parseGrid(Cursor& cursor, Cycle dt);
[[nodiscard]] GridEvent parseGridEvent(Cursor& cursor, Cycle cycle);

}  // namespace gsu::trace
