// Tensor memory in a timeline: operations in flight at the tensor core, loads and stores, allocated columns.
#include <map>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "observers/timeline.hpp"
#include "timeline_events.hpp"

using namespace gsu;
using nlohmann::json;

TEST_CASE("tracks of the tensor core, of loads and stores, and of columns", "[observers]")
{
    const testfiles::Folder folder;
    const std::string path = folder / "t.pftrace";
    Timeline t(path, 1, "tensor");
    Launch launch;
    launch.cta = 2;
    t.onLaunch(10, launch);
    const WarpRef at{0, 2, 1};
    t.onTensorOperation(at, true, 100, 180, "tcgen05.mma 128 x 64 x 16", 40);
    t.onTensorOperation(at, true, 140, 220, "tcgen05.mma 128 x 64 x 16", 41);  // beside the first
    t.onTensorOperation(at, false, 230, 250, "tcgen05.ld", 50);
    t.onColumns(at, 20, 300, 64, 128);
    t.onEnd(400);
    t.finish();
    std::map<int, std::string> tracks;
    std::map<std::string, std::map<std::string, int>> slices;  // by track and name
    const json events = timelines::eventsOf(testfiles::slurp(path));
    for (const json& e : events)
        if (e["name"] == "thread_name") tracks[e["tid"]] = e["args"]["name"];
    for (const json& e : events)
        if (e["ph"] == "X") ++slices[tracks[e["tid"]]][e["name"]];
    CHECK(slices["tensor core"]["tcgen05.mma 128 x 64 x 16"] == 2);
    CHECK(slices["tensor memory: ld, st"]["tcgen05.ld"] == 1);
    CHECK(slices["tensor memory from column 64"]["128 columns"] == 1);
}
