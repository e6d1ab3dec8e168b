/// Statistics and coverage as JSON, the same in `gsu run` and `gsu replay`.
#pragma once
#include <nlohmann/json.hpp>

#include "observers/coverage.hpp"
#include "observers/mbarrier_statistics.hpp"
#include "observers/statistics.hpp"
#include "run/options.hpp"

namespace gsu::run {

[[nodiscard]] nlohmann::ordered_json barriersJson(const Statistics& statistics);
[[nodiscard]] nlohmann::ordered_json mbarriersJson(const MbarrierStatistics& statistics);
/// Rings of mbarriers (observers/mbarrier_rings.hpp), one per CTA.
[[nodiscard]] nlohmann::ordered_json pipelinesJson(const MbarrierStatistics& statistics);
/// "with": the structure, where it is not the default.
void addStructure(nlohmann::ordered_json& out, const CommonOptions& options);
[[nodiscard]] nlohmann::ordered_json coverageJson(const Coverage& coverage);

}  // namespace gsu::run
