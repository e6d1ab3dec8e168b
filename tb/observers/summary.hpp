/// Statistics as text for a terminal: at most 100 columns, colour only when asked for.
#pragma once
#include <string>

#include "observers/statistics.hpp"

namespace gsu {

struct SummaryStyle {
    bool colour{};
    std::size_t rows{12};  ///< of each table; the rest is counted
};

/// Per barrier: generations, requests, clocks blocked, longest wait, last arriver.
[[nodiscard]] std::string barrierTable(const Statistics& statistics, SummaryStyle style);
/// Per PTX line; `lineText` gives the source text of a line, or empty.
[[nodiscard]] std::string lineTable(const Statistics& statistics, SummaryStyle style,
                                    const std::vector<std::string>& lineText);

}  // namespace gsu
