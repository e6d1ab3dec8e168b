// Moments that a timeline and waves point out: those of a hang.
#include <fmt/format.h>

#include <algorithm>

#include "observers/timeline.hpp"

namespace gsu {
namespace {

/// Behind the grids.
constexpr unsigned kMarks = 2 + kMaxSms * kMaxCtas;
static_assert(kMarks < (1u << 10), "timeline_perfetto.cpp: ids of processes");
constexpr std::size_t kMarkers = 26;  ///< that a view has, A to Z

}  // namespace

void Timeline::mark(const std::vector<TimeMark>& marks)
{
    if (marks.empty()) return;
    file_.process(kMarks, "hang");
    file_.track({kMarks, 0}, "why it hangs");
    for (const TimeMark& m : marks)
        file_.instant({kMarks, 0}, m.at, "hang", m.what, {{"text", m.text}}, true);
}

std::string waveView(const std::string& fst, const std::vector<TimeMark>& marks)
{
    std::string times, names;
    for (std::size_t i = 0; i < kMarkers; ++i) {
        if (i >= marks.size()) {
            times += " -1";
            continue;
        }
        times += fmt::format(" {}", marks[i].at);
        names += fmt::format("[markername] {}{}: {}\n", static_cast<char>('A' + i), marks[i].what,
                             marks[i].text);
    }
    const std::string name = fst.substr(fst.find_last_of('/') + 1);
    return fmt::format(
        "[*] Markers of a hang: gtkwave {} THIS_FILE\n[timestart] {}\n*-8.0 {}{}\n{}", name,
        marks.empty() ? 0 : marks.front().at - std::min<Cycle>(marks.front().at, 200),
        marks.empty() ? 0 : marks.front().at, times, names);
}

}  // namespace gsu
