/// Builds typed arrays from numbers; private to the loader of launch files and the comparison of results.
#pragma once
#include "exec/launch/launch_spec.hpp"

namespace gsu {

/// Appends `n` converted to the array's type; false if it does not fit (fraction or range).
[[nodiscard]] bool appendNumber(DataArray& array, const Number& n);

}  // namespace gsu
