// Atomics on distributed shared memory (tests/kernels/dsmem_*) on the RTL in lockstep: ten seeds, both policies of the mbarrier cache, hops of 0 to 400
// clocks; recorded and replayed.

#include "gsu_json.hpp"

using nlohmann::json;
using process::kernel;
using process::runGsu;

TEST_CASE("a histogram and a lock over the CTAs of a cluster are exact, whatever a hop takes",
          "[cli][ATOM-005][ATOM-034][RED-008][CLU-016]")
{
    static constexpr const char* kHops[] = {"0", "1", "40", "78", "400"};
    for (const char* name : {"dsmem_histogram", "dsmem_lock"}) {
        for (unsigned seed = 1; seed <= 10; ++seed) {
            for (unsigned policy = 0; policy < 2; ++policy) {
                const std::string line = "run --json --seed " + std::to_string(seed) +
                                         " --set mbar_policy=" + std::to_string(policy) +
                                         " --set dsm_hop=" + kHops[seed % 5] + ' ' + kernel(name);
                const json out = process::jsonOf(line);
                CAPTURE(line);
                CHECK(out["as_expected"] == true);
                CHECK(out["findings"].empty());
                CHECK(out["unit"] == "lockstep");
            }
        }
    }
}

TEST_CASE("atomics of distributed shared memory are recorded and replayed", "[cli][trace]")
{
    const testfiles::Folder folder;
    for (const char* unit : {"rtl", "golden"}) {
        const std::string trace = folder / "t.gsut";
        const auto done = runGsu("run --unit " + std::string(unit) + " --record " + trace + ' ' +
                                 kernel("dsmem_histogram"));
        CAPTURE(unit, done.out, done.err);
        REQUIRE(done.code == 0);
        const std::string text = testfiles::slurp(trace);
        CHECK(text.find(" atom.") != std::string::npos);
        CHECK(text.find(" red.") != std::string::npos);
        CHECK(text.find(" lanes=0x") != std::string::npos);
        const auto again = runGsu("replay " + trace);
        CAPTURE(again.out, again.err);
        CHECK(again.code == 0);
    }
}
