/// Moments of a run that waves and timeline mark.
#pragma once
#include <string>
#include <vector>

#include "golden/types.hpp"
#include "golden/wait_text.hpp"

namespace gsu {

struct TimeMark {
    Cycle at{};
    std::string what;  ///< "culprit", "last good phase", "first lost wait"
    std::string text;  ///< "missing-bytes, line 44"
};

/// The moments of a hang, and the place of its object.
struct RunMarks {
    std::vector<TimeMark> times;  ///< moments; none: nothing hangs
    WaitKind on{};                ///< kind of the root wait
    unsigned sm{};                ///< SM of its object
};

/// A saved view for GTKWave of the dump `fst`: signals of the unit, and a named marker for each moment, from A on. Both open with `gtkwave FST VIEW`.
[[nodiscard]] std::string waveView(const std::string& fst, const RunMarks& marks);

}  // namespace gsu
