/// Values of the active lanes as text: one value if all are equal, else "{v, v*n, v+s*n}" in ascending lane order.
#pragma once
#include <string>

#include "golden/types.hpp"
#include "trace/cursor.hpp"

namespace gsu::trace {

[[nodiscard]] bool anyAddress(const SyncRequest& request) noexcept;
[[nodiscard]] bool anyData(const SyncRequest& request) noexcept;
[[nodiscard]] bool anyLimit(const SyncRequest& request) noexcept;
void appendAddresses(std::string& out, const SyncRequest& request);
void appendData(std::string& out, const SyncRequest& request);
void appendLimits(std::string& out, const SyncRequest& request);
void parseAddresses(Cursor& cursor, SyncRequest& request);
void parseData(Cursor& cursor, SyncRequest& request);
void parseLimits(Cursor& cursor, SyncRequest& request);

}  // namespace gsu::trace
