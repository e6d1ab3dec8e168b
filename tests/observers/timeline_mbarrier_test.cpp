// mbarriers in a timeline: phases as slices, outstanding bytes inside them, arrows from what completes a phase to the waits it releases.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "mbarrier_events.hpp"
#include "observers/timeline.hpp"
#include "timeline_events.hpp"

using namespace gsu;
using nlohmann::json;

namespace {

json ringTimeline()
{
    const testfiles::Folder folder;
    const std::string path = folder / "t.pftrace";
    Timeline t(path, 1, "ring");
    events::ring(t);
    t.onEnd(9000);
    t.finish();
    return timelines::eventsOf(testfiles::slurp(path));
}

/// In clocks: sums of microseconds would not compare exactly.
long clocks(const json& microseconds) { return std::lround(microseconds.get<double>() * 1000); }
long endOf(const json& slice) { return clocks(slice["ts"]) + clocks(slice["dur"]); }

}  // namespace

TEST_CASE("an mbarrier's track shows its phases and the bytes outstanding in them",
          "[observers][MBAR-010]")
{
    std::map<int, std::string> tracks;
    std::map<std::string, int> slices;
    std::map<int, std::vector<json>> onTrack;
    const json events = ringTimeline();
    for (const json& e : events) {
        if (e["name"] == "thread_name") tracks[e["tid"]] = e["args"]["name"];
        if (e["ph"] != "X" || e["tid"] < 1000) continue;
        ++slices[e["name"]];
        onTrack[e["tid"]].push_back(e);
    }
    CHECK(tracks[1000 + 0x100 / 8] == "mbarrier +0x100");
    CHECK(tracks[1000 + 0x118 / 8] == "mbarrier +0x118");
    CHECK(slices ==
          std::map<std::string, int>{{"phase 0", 4}, {"phase 1", 4}, {"512 bytes pending", 4}});
    for (const auto& [tid, list] : onTrack) {  // slices of a track nest or lie apart
        for (const json& a : list) {
            for (const json& b : list) {
                const bool apart = endOf(a) <= clocks(b["ts"]) || endOf(b) <= clocks(a["ts"]);
                const bool nests = (clocks(a["ts"]) <= clocks(b["ts"]) && endOf(b) <= endOf(a)) ||
                                   (clocks(b["ts"]) <= clocks(a["ts"]) && endOf(a) <= endOf(b));
                CHECK((apart || nests));
            }
        }
    }
}

TEST_CASE("arrows lead from what completes a phase to the waits that it releases",
          "[observers][MBW-005]")
{
    std::map<int, std::pair<json, json>> flows;
    const json events = ringTimeline();
    int parked = 0;
    for (const json& e : events) {
        if (e["ph"] == "s") flows[e["id"]].first = e;
        if (e["ph"] == "f") flows[e["id"]].second = e;
        if (e["ph"] == "X" && e["name"].get<std::string>().rfind("parked on", 0) == 0) ++parked;
    }
    CHECK(parked == 4 * 2 + 2);
    CHECK(flows.size() == 4 * 2 + 2);
    for (const auto& [id, flow] : flows) {
        REQUIRE(flow.first.is_object());
        REQUIRE(flow.second.is_object());
        for (const json& end : {flow.first, flow.second}) {
            bool inside = false;
            for (const json& x : events) {
                inside = inside ||
                         (x["ph"] == "X" && x["tid"] == end["tid"] &&
                          clocks(x["ts"]) <= clocks(end["ts"]) && clocks(end["ts"]) <= endOf(x));
            }
            CHECK(inside);
        }
    }
}
