/// Moments of a run that waves and timeline point out.
#pragma once
#include <string>
#include <vector>

#include "golden/wait_text.hpp"

namespace gsu {

struct TimeMark {
    Cycle at{};
    std::string what;  ///< "culprit", "last good phase", "first lost wait"
    std::string text;  ///< "missing-bytes, line 44"
};

/// Those of a hang, and where to look for them.
struct RunMarks {
    std::vector<TimeMark> times;  ///< none: nothing hangs
    WaitKind on{};                ///< what the root wait is on
    unsigned sm{};                ///< where its object is
};

/// A saved view for GTKWave of the dump `fst`: signals of the unit, and a named marker for each moment, from A on. They open with the dump:
/// `gtkwave FST VIEW`.
[[nodiscard]] std::string waveView(const std::string& fst, const RunMarks& marks);

}  // namespace gsu
