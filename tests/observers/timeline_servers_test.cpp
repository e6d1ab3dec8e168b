// Servers of a timing model in a timeline: a counter for each.
#include <map>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "observers/timeline.hpp"
#include "timeline_events.hpp"

using namespace gsu;
using nlohmann::json;

TEST_CASE("a counter for each server, with a value where it changes", "[observers]")
{
    const testfiles::Folder folder;
    const std::string path = folder / "t.pftrace";
    Timeline t(path, 2, "servers");
    t.onServer("tensor pipe", 0, 256, {0, 50, 50, 100});
    t.onServer("copy engine", 0, 256, {10});
    t.onServer("tensor pipe", 1, 256, {});
    t.onServer("HBM", {}, 256, {7, 0});
    t.onEnd(1024);
    t.finish();
    std::map<std::pair<int, int>, std::string> tracks;
    std::map<int, std::string> processes;
    using Values = std::vector<std::pair<int, int>>;  // clock, percent
    std::map<std::string, Values> values;
    const json events = timelines::eventsOf(testfiles::slurp(path));
    for (const json& e : events) {
        if (e["name"] == "process_name") processes[e["pid"]] = e["args"]["name"];
        if (e["name"] == "thread_name") tracks[{e["pid"], e["tid"]}] = e["args"]["name"];
    }
    for (const json& e : events) {
        if (e["ph"] != "C") continue;
        const int pid = e["pid"];
        values[processes[pid] + ": " + tracks[{pid, e["tid"]}]].emplace_back(
            static_cast<int>(e["ts"].get<double>() * 1000 + 0.5), e["args"]["value"]);
    }
    CHECK(values.size() == 3);
    CHECK(values["SM 0 servers: tensor pipe"] == Values{{0, 0}, {256, 50}, {768, 100}, {1024, 0}});
    CHECK(values["SM 0 servers: copy engine"] == Values{{0, 10}, {256, 0}});
    CHECK(values["chip servers: HBM"] == Values{{0, 7}, {256, 0}});
}
