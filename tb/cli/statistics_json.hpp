/// Barrier statistics as JSON.
#pragma once
#include <nlohmann/json.hpp>

#include "observers/statistics.hpp"

namespace gsu::cli {

[[nodiscard]] nlohmann::ordered_json barriersJson(const Statistics& statistics);

}  // namespace gsu::cli
