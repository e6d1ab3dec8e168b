// The tracks of the servers of a timing model in a timeline: how busy each server was.
#include <fmt/format.h>

#include "observers/timeline.hpp"
#include "observers/timeline_text.hpp"

namespace gsu {
namespace {

/// processes, numbered after CTA slots and grids
constexpr unsigned kChipServers = 640, kSmServers = 641;
static_assert(kChipServers > kMaxSms * kMaxCtas + 1);

}  // namespace

void Timeline::onServer(const std::string& server, std::optional<unsigned> sm, Cycle clocks,
                        const std::vector<unsigned>& percent)
{
    const unsigned pid = sm ? kSmServers + *sm : kChipServers;
    unsigned& tracks = serverTracks_[pid];
    if (tracks == 0) file_.process(pid, sm ? fmt::format("SM {} servers", *sm) : "chip servers");
    const timeline::Track track{pid, ++tracks};
    file_.track(track, server);
    // A value holds until the next one.
    std::optional<unsigned> last;
    for (std::size_t i = 0; i < percent.size(); ++i) {
        if (last != percent[i]) file_.counter(track, i * clocks, percent[i], "%");
        last = percent[i];
    }
    if (last.value_or(0) != 0) file_.counter(track, percent.size() * clocks, 0, "%");
}

}  // namespace gsu
