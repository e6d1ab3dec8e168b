// A hang in GTKWave: markers, and the signals of the unit on which warps wait.
#include <fmt/format.h>

#include <algorithm>

#include "observers/time_mark.hpp"
#include "observers/wave_views.hpp"

namespace gsu {
namespace {

constexpr std::size_t kMarkers = 26;          ///< markers of a view, A to Z
constexpr Cycle kUnits = 1000;                ///< time units of a dump per cycle
constexpr const char* kScope = "sm0.gsu_sm";  ///< the views show SM 0

/// The view with the unit on which a warp waits. Flags in memory have no view: the waiter's barriers are shown.
const char* viewFor(WaitKind on)
{
    switch (on) {
        case WaitKind::Mbarrier: return "mbarrier";
        case WaitKind::Cluster: return "cluster";
        case WaitKind::Warp: return "warp";
        case WaitKind::Grid: return "grid";
        default: return "barriers";
    }
}

/// The signals of a view, for another SM. The view of clusters shows two SMs and the network, and does not change.
std::string signalsOf(WaitKind on, unsigned sm)
{
    // end of the header, which has the maker and the start time
    constexpr std::string_view kBegin = "[timestart] 0\n";
    const std::string_view view = savedView(viewFor(on));
    std::string text(view.substr(view.find(kBegin) + kBegin.size()));
    const std::string other = fmt::format("sm{}.gsu_sm", sm), here = kScope;
    if (on == WaitKind::Cluster || sm == 0) return text;
    for (std::size_t at = text.find(here); at != std::string::npos;
         at = text.find(here, at + other.size()))
        text.replace(at, here.size(), other);
    return text;
}

}  // namespace

std::string waveView(const std::string& fst, const RunMarks& marks)
{
    std::string times, names;
    for (std::size_t i = 0; i < kMarkers; ++i) {
        if (i >= marks.times.size()) {
            times += " -1";
            continue;
        }
        const TimeMark& m = marks.times[i];
        times += fmt::format(" {}", m.at * kUnits);
        names += fmt::format("[markername] {}{}: {}\n", static_cast<char>('A' + i), m.what, m.text);
    }
    const std::string name = fst.substr(fst.find_last_of('/') + 1);
    const Cycle culprit = marks.times.empty() ? 0 : marks.times.front().at,
                from = culprit - std::min<Cycle>(culprit, 200);
    return fmt::format("[*] A hang: gtkwave {} THIS_FILE\n[timestart] {}\n*-16.0 {}{}\n{}{}", name,
                       from * kUnits, culprit * kUnits, times, names,
                       signalsOf(marks.on, marks.sm));
}

}  // namespace gsu
