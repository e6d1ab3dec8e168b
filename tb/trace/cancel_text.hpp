/// The records of try_cancel as text and back: queries and their answers (README.md).
#pragma once
#include <string>

#include "trace/cursor.hpp"
#include "trace/record.hpp"

namespace gsu::trace {

void appendCanceled(std::string& out, const CancelRecord& record);
/// `dt`: clocks since the previous outcome.
void appendCancel(std::string& out, const CancelQuery& query, Cycle dt);
/// What follows the distance; throw InputError.
[[nodiscard]] CancelRecord parseCanceled(Cursor& cursor, Cycle dt);
[[nodiscard]] CancelQuery parseCancel(Cursor& cursor, Cycle cycle);

}  // namespace gsu::trace
