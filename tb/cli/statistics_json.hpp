/// Barrier statistics and coverage as JSON.
#pragma once
#include <nlohmann/json.hpp>

#include "observers/coverage.hpp"
#include "observers/statistics.hpp"

namespace gsu::cli {

[[nodiscard]] nlohmann::ordered_json barriersJson(const Statistics& statistics);
/// By cover point: bin and hits.
[[nodiscard]] nlohmann::ordered_json coverageJson(const Coverage& coverage);

}  // namespace gsu::cli
