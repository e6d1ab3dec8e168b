// gsu run --timing: the range from window 16 to 1, and the servers in a timeline.
#include <cmath>
#include <map>

#include "files.hpp"
#include "gsu_json.hpp"
#include "timeline_events.hpp"

using nlohmann::json;
using process::kernel;
using process::runGsu;

namespace {

json run(const std::string& options)
{
    return process::jsonOf("run --json --unit golden --timing hopper " + options);
}

}  // namespace

TEST_CASE("--range gives what the run and one with window 1 give, of a launch and of a list",
          "[cli][timing]")
{
    const std::string ring = kernel("cluster_pipeline");
    json both = run("--range " + ring)["time"];
    json inOrder = both["in_order"];
    both.erase("in_order");
    CHECK(both == run(ring)["time"]);
    json other = run("--set timing.window=1 " + ring)["time"];
    CHECK(inOrder["cycles"] != both["cycles"]);
    for (const auto& [key, value] : inOrder.items()) CHECK(other[key] == value);
    CHECK(inOrder["window"] == 1);

    const std::string list = kernel("gemm_sm90");
    const json ranged = run("--range " + list), one = run("--set timing.window=1 " + list);
    REQUIRE(ranged["launches"].size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const json& time = ranged["launches"][i]["time"];
        CHECK(time["in_order"]["cycles"] == one["launches"][i]["time"]["cycles"]);
        CHECK(time["in_order"]["busy"] == one["launches"][i]["time"]["busy"]);
    }
    CHECK(ranged["cycles"] == run(list)["cycles"]);
    const auto text = runGsu("run --unit golden --timing hopper --range " + ring);
    CHECK(text.out.find("time (hopper, window 16 | 1): ") != std::string::npos);
}

TEST_CASE("--timing target is what the PTX is for", "[cli][timing]")
{
    const auto timing = [](const std::string& options) {
        const json result =
            process::jsonOf("run --json --unit golden --tensor skip --timing target " + options);
        const json& one = result.contains("launches") ? result["launches"][0] : result;
        return one.contains("time") ? one["time"]["timing"].get<std::string>() : "simple";
    };
    const std::string hopper = kernel("cluster_pipeline"), old = kernel("gemm_sm80");
    CHECK(timing(hopper) == "hopper");
    CHECK(timing(kernel("gemm_sm100")) == "blackwell");
    CHECK(timing(old) == "simple");
    CHECK(timing("--preset blackwell " + hopper) == "blackwell");
    CHECK(timing("--preset ampere " + hopper) == "simple");
    CHECK(timing("--preset ideal --range " + hopper) == "simple");  // and has no range
    CHECK(timing("--set exec.timing=blackwell " + hopper) == "blackwell");
    // Without it, run is simple.
    CHECK_FALSE(process::jsonOf("run --json --unit golden " + hopper).contains("time"));
}

TEST_CASE("a latency that a timing does not use is refused, and the timing that does is named",
          "[cli][timing]")
{
    const std::string ring = kernel("cluster_pipeline");
    const auto refused =
        runGsu("run --unit golden --timing target --set exec.global_lat=50 " + ring);
    CHECK(refused.code == 2);
    CHECK(refused.err.find("exec.timing=hopper does not use exec.global_lat") != std::string::npos);
    CHECK(refused.err.find("--timing simple") != std::string::npos);
    CHECK(runGsu("run --unit golden --timing simple --set exec.global_lat=50 " + ring).code == 0);
}

TEST_CASE("fences beyond the CTA amid copies: a warning, in the report and in JSON",
          "[cli][timing]")
{
    const std::string pipeline = kernel("cluster_pipeline"), softmax = kernel("cluster_softmax");
    const json warned = run(pipeline)["time"];
    REQUIRE(warned.contains("warning"));
    const auto text = warned["warning"].get<std::string>();
    CHECK(text.find(" fences beyond the CTA began while copies were in flight") !=
          std::string::npos);
    const auto report = runGsu("run --unit golden --timing hopper " + pipeline);
    CHECK(report.out.find("  warning: " + text + "\n") != std::string::npos);
    CHECK_FALSE(run(softmax)["time"].contains("warning"));  // it has no copies
}

TEST_CASE("overlap and interval of fences follow the unit's fence, unless they are set",
          "[cli][timing]")
{
    const auto cycles = [](const std::string& more) {
        return process::jsonOf("run --json --unit rtl --timing hopper --set fence_gpu_lat=1000 " +
                               more + kernel("cluster_pipeline"))["time"]["cycles"]
            .get<int>();
    };
    CHECK(cycles("") == cycles("--set timing.fence_overlap=870 --set timing.fence_interval=681 "));
    CHECK(cycles("") < cycles("--set timing.fence_overlap=270 "));
}

TEST_CASE("--range gives both ends of a launch with findings", "[cli][timing]")
{
    const testfiles::Folder folder;
    testfiles::spill(
        folder / "k.ptx",
        ".version 8.6\n.target sm_90\n.address_size 64\n"
        ".visible .entry k()\n{\n  bar.arrive 1, 96;\n  bar.arrive 1, 96;\n  ret;\n}\n");
    const auto done =
        runGsu("run --json --unit golden --timing hopper --range --block 32 " + (folder / "k.ptx"));
    const json ranged = json::parse(done.out);
    CHECK(ranged["verdict"] == "misuse");
    CHECK(ranged["time"].contains("in_order"));
}

TEST_CASE("--range is refused where there is none", "[cli][timing]")
{
    const std::string ring = kernel("cluster_pipeline");
    const auto simple = runGsu("run --range " + ring);
    CHECK(simple.code == 2);
    CHECK(simple.err == "gsu: --range: goes with --timing hopper or blackwell\n");
    const auto narrow = runGsu("run --range --timing hopper --set timing.window=1 " + ring);
    CHECK(narrow.code == 2);
    CHECK(narrow.err.find("the other end of the range") != std::string::npos);
}

TEST_CASE("a timeline has a counter for each server, which agrees with the report", "[cli][timing]")
{
    const testfiles::Folder folder;
    const std::string path = folder / "t.pftrace";
    const json out = run("--timeline " + path + " " + kernel("cluster_pipeline"));
    const json events = timelines::eventsOf(testfiles::slurp(path));
    std::map<std::pair<int, int>, std::string> tracks;
    for (const json& e : events)
        if (e["name"] == "thread_name") tracks[{e["pid"], e["tid"]}] = e["args"]["name"];
    struct Counter {
        double at{}, value{}, sum{};
    };
    std::map<std::pair<int, int>, Counter> counters;
    for (const json& e : events) {
        if (e["ph"] != "C") continue;
        Counter& c = counters[{e["pid"], e["tid"]}];
        const double at = e["ts"].get<double>() * 1000;
        c.sum += c.value * (at - c.at);
        c.at = at;
        c.value = e["args"]["value"];
    }
    std::map<std::string, double> busy;
    for (const auto& [track, c] : counters) busy[tracks[track]] += c.sum / 100;
    const double time = out["time"]["cycles"].get<double>();
    for (const auto& [name, sms] : std::map<std::string, double>{
             {"shared memory port", 8}, {"copy engine", 8}, {"L2", 1}, {"HBM", 1}}) {
        CAPTURE(name);
        const double share = out["time"]["busy"][name];
        CHECK(share > 0);
        CHECK(std::abs(busy[name] / time / sms - share) < 0.011);  // percents are cut off
    }
    const auto simple =
        runGsu("run --unit golden --timeline " + path + " " + kernel("cluster_pipeline"));
    CHECK(simple.code == 0);
    for (const json& e : timelines::eventsOf(testfiles::slurp(path))) CHECK(e["ph"] != "C");
}
