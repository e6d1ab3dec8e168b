#include "exec/timing/activity.hpp"

#include <algorithm>

namespace gsu::timing {

void Activity::add(Span span, Ticks busy)
{
    if (busy == 0 || span.end <= span.start) return;
    const std::uint64_t last = (span.end - 1) / kBin;
    if (last >= bins_.size()) bins_.resize(last + 1);
    const Ticks whole = span.end - span.start;
    Ticks given = 0;  // up to the end of a bin, so that the parts add up
    for (std::uint64_t bin = span.start / kBin; bin <= last; ++bin) {
        const Ticks passed = std::min(span.end, (bin + 1) * kBin) - span.start;
        const Ticks until = busy * passed / whole;
        bins_[bin] += until - given;
        given = until;
    }
}

}  // namespace gsu::timing
