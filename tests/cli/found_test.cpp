// Kernels on which a run once ended wrongly (tests/kernels/found): each ends as its launch file says, under ten seeds.

#include "gsu_json.hpp"

using nlohmann::json;
using process::runGsu;

namespace {

struct Run {
    const char* launch;
    const char* options;
    std::uint64_t cycles;  ///< more than enough
};

/// The promise of the launch file under every seed; the JSON of the last one.
json check(const Run& r)
{
    json out;
    for (unsigned seed = 1; seed <= 10; ++seed) {
        const std::string line = "run --json --max-cycles " + std::to_string(r.cycles) +
                                 " --seed " + std::to_string(seed) + ' ' + r.options + ' ' +
                                 testfiles::testsFolder() + "/kernels/found/" + r.launch +
                                 ".launch.json";
        CAPTURE(line);
        out = process::jsonOf(line);
        CHECK(out["as_expected"] == true);
    }
    return out;
}

}  // namespace

TEST_CASE("parts of a warp with different ids or counts in an aligned barrier are reported",
          "[found][BAR-031][D-12][D-13]")
{
    const std::string folder = "aligned_bar_lane_ids_endless/";
    for (const char* name : {"k", "c", "i", "cl", "u"}) {
        const json out = check({(folder + name).c_str(), "", 100'000});
        CHECK(out["sync_requests"] >= 2);
    }
}

TEST_CASE("how long one lane is on its way to an aligned barrier does not matter",
          "[found][BAR-031][CLU-015]")
{
    for (const char* name : {"aligned_false_alarm_long_loop/k", "aligned_false_alarm_long_loop/cl"})
        CHECK(check({name, "", 10'000'000})["instructions"] > 1'000'000);
}

TEST_CASE("it is no hang while a packet is on its way", "[found][D-62]")
{
    for (const char* options : {"--set dsm_hop=20000 --set trywait_slots=0",
                                "--set mbar_remote_lat=20000 --set trywait_slots=0",
                                "--set dsm_hop=400 --set trywait_slots=0 --set exec.quiet=100",
                                "--unit golden --set trywait_slots=0 --set exec.quiet=100"})
        check({"false_hang_packet_in_flight/k", options, 200'000});
}

TEST_CASE("lanes that poll leave the others of their warp their turn", "[found][D-70]")
{
    for (const char* options :
         {"--unit golden --preset ideal", "--unit golden --set exec.alu_lat=1",
          "--unit golden --preset ideal --set exec.slice=1000000"})
        check({"golden_spin_livelock/k", options, 100'000});
}

TEST_CASE("a wait may be suspended for longer than the lockstep bound", "[found][D-01][D-70]")
{
    CHECK(check({"lockstep_response_missing/m2", "", 1'000'000})["cycles"] > 100'000);
    CHECK(check({"lockstep_response_missing/m", "--set trywait_lat=200", 1'000'000})["cycles"] >
          100'000);
}

TEST_CASE("a hand-over of a lock costs what its instructions cost", "[found][D-70]")
{
    // 256 of them; the critical section alone is four memory accesses, about 120 + 29 + 29 + 120 clocks.
    check({"lock_handoff_slow/k", "--unit golden", 256 * 600});
    check({"lock_weak_loads/k", "--unit golden", 256 * 600});
}
