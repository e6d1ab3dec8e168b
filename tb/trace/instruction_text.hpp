/// A request as a PTX instruction with resolved operands, and back, without loss. Properties that PTX does not spell (predicates, per-lane
/// operands, flags) follow as operands or attributes; README.md has the forms.
#pragma once
#include <string>

#include "golden/types.hpp"
#include "trace/cursor.hpp"

namespace gsu::trace {

/// Appends "barrier.cta.sync.aligned 1, 64;" and attributes. Lane, tag and source fields are not part of it.
void appendInstruction(std::string& out, const SyncRequest& request);
/// Reads what appendInstruction wrote into a request whose `lanes` are set. Lane arrays of other lanes stay as they are.
void parseInstruction(Cursor& cursor, SyncRequest& request);
/// "barrier.cta.sync": the spelling without modifiers and operands.
[[nodiscard]] const char* spellingOf(Op op) noexcept;
/// rank:offset of a cluster shared address.
[[nodiscard]] std::string addressText(std::uint32_t address);
[[nodiscard]] std::uint32_t parseAddress(Cursor& cursor);

}  // namespace gsu::trace
