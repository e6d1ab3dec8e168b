/// Cover points as JSON: those of a run, and those of a campaign of random requests.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "observers/coverage.hpp"

namespace gsu::run {

/// The hits of each bin, by point and bin.
[[nodiscard]] nlohmann::ordered_json coverageJson(const Coverage& coverage);

}  // namespace gsu::run
