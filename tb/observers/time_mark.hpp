/// A moment of a run that waves and timeline point out.
#pragma once
#include <string>
#include <vector>

#include "golden/port_types.hpp"

namespace gsu {

struct TimeMark {
    Cycle at{};
    std::string what;  ///< "culprit", "last good phase", "first lost wait"
    std::string text;  ///< "missing-bytes, line 44"
};

/// A saved view for GTKWave of the dump `fst`: a named marker for each, from A on. They open with the dump: `gtkwave FST VIEW`.
[[nodiscard]] std::string waveView(const std::string& fst, const std::vector<TimeMark>& marks);

}  // namespace gsu
