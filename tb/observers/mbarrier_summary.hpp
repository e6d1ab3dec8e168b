/// mbarriers and their pipelines as text for a terminal: at most 100 columns, colour only when asked for.
#pragma once
#include <string>

#include "observers/mbarrier_statistics.hpp"
#include "observers/summary.hpp"

namespace gsu {

/// "warp 4", "CTA 2 warp 1", "bulk copy", "st.async of CTA 3", "cp.async"
[[nodiscard]] std::string describe(const MbarrierArriver& arriver);
/// A table with a row per mbarrier of a CTA, the most blocked first: phases, arrivals, bytes, waits, longest wait, last arriver.
[[nodiscard]] std::string mbarrierTable(const MbarrierStatistics& statistics, SummaryStyle style);
/// A table for each pipeline, those of equal addresses in different CTAs together: who waited for whom, stage by stage.
[[nodiscard]] std::string ringTable(const MbarrierStatistics& statistics, SummaryStyle style);

}  // namespace gsu
