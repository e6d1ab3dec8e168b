// Moments that a timeline marks: those of a hang.
#include "observers/timeline.hpp"

namespace gsu {
namespace {

/// Track of the marks, after those of the grids.
constexpr unsigned kMarks = 2 + kMaxSms * kMaxCtas;
static_assert(kMarks < (1u << 10), "timeline_perfetto.cpp: ids of processes");

}  // namespace

void Timeline::mark(const std::vector<TimeMark>& marks)
{
    if (marks.empty()) return;
    file_.process(kMarks, "hang");
    file_.track({kMarks, 0}, "why it hangs");
    for (const TimeMark& m : marks)
        file_.instant({kMarks, 0}, m.at, "hang", m.what, {{"text", m.text}}, true);
}

}  // namespace gsu
