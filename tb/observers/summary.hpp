/// Statistics as text for a terminal: at most 100 columns, colour only when asked for.
#pragma once
#include <string>

#include "observers/statistics.hpp"
#include "observers/text_table.hpp"

namespace gsu {

/// A table with a row per barrier: generations, requests, clocks blocked, longest wait, last arriver.
[[nodiscard]] std::string barrierTable(const Statistics& statistics, SummaryStyle style);
/// A table with a row per PTX line; `lineText` gives the source text of a line, or empty.
[[nodiscard]] std::string lineTable(const Statistics& statistics, SummaryStyle style,
                                    const std::vector<std::string>& lineText);

}  // namespace gsu
