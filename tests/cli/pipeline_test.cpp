// The bundled cluster kernel with a bulk-copy mbarrier ring: its expected values, its report.
#include <nlohmann/json.hpp>

#include "gsu_process.hpp"

using nlohmann::json;
using process::Folder;
using process::runGsu;

namespace {

std::string kernel()
{
    return testfiles::testsFolder() + "/kernels/cluster_pipeline/cluster_pipeline.launch.json";
}

}  // namespace

TEST_CASE("cluster_pipeline: the expected values are what its source says", "[cli]")
{
    const json launch = json::parse(process::slurp(kernel()));
    constexpr std::uint32_t kRanks = 4, kTile = 128;
    const std::uint32_t tiles = launch["params"][3]["scalar"]["value"];
    const auto iota = [&](unsigned p) {
        const json range = launch["params"][p]["buffer"]["init"]["iota"];
        return [first = range[0].get<std::uint32_t>(),
                step = range[1].get<std::uint32_t>()](std::uint32_t i) { return first + step * i; };
    };
    const auto x = iota(0), y = iota(1);
    const json& expected = launch["expect"][0]["values"];
    REQUIRE(expected.size() == 2 * kTile);
    for (std::uint32_t i = 0; i < expected.size(); ++i) {
        const std::uint32_t cluster = i / kTile, column = i % kTile;
        std::uint32_t total = 0;
        for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
            std::uint32_t sum = rank;
            for (std::uint32_t t = 0; t < tiles; ++t) {
                sum = sum * 3 + x((cluster * tiles + t) * kTile + column) *
                                    y(((cluster * kRanks + rank) * tiles + t) * kTile + column);
            }
            total += sum;
        }
        CHECK(expected[i] == total);
    }
}

TEST_CASE("cluster_pipeline passes for every seed and cache policy, and its ring is recognised",
          "[cli][MBAR-033][MBAR-044]")
{
    const auto seed = GENERATE(range(1, 11));
    const auto policy = GENERATE(0, 1);
    CAPTURE(seed, policy);
    const auto r = runGsu("run --json --seed " + std::to_string(seed) +
                          " --set mbar_policy=" + std::to_string(policy) + ' ' + kernel());
    CAPTURE(r.err);
    REQUIRE(r.code == 0);
    const json out = json::parse(r.out);
    CHECK(out["verdict"] == "pass");
    CHECK(out["findings"].empty());
    REQUIRE(out["pipelines"].size() == 8);
    bool remote = false, copied = false, sent = false;
    for (const json& m : out["mbarriers"]) {
        for (const json& last : m["last_arrivers"]) {
            remote = remote || last["kind"] == "remote warp";
            copied = copied || last["kind"] == "bulk copy";
            sent = sent || last["kind"] == "st.async";
        }
    }
    CHECK(remote);
    CHECK(copied);
    CHECK(sent);
    for (const json& ring : out["pipelines"]) {
        CHECK(ring["stride"] == 8);
        CHECK(ring["producers"] == json::array({{{"cta", ring["cta"]}, {"warp", 4}}}));
        CHECK(ring["consumers"].size() == 4);
        REQUIRE(ring["stages"].size() == 4);
        for (const json& stage : ring["stages"]) {
            CHECK(stage["rounds"] == 3);
            CHECK(stage["empty"] == stage["full"].get<int>() + 32);
            CHECK(stage["bound_by"] != "unknown");
        }
    }
}

TEST_CASE("a replay tells the same of the mbarriers as the run", "[cli]")
{
    const Folder folder;
    const std::string trace = folder / "p.gsut";
    const json ran = json::parse(runGsu("run --json --record " + trace + ' ' + kernel()).out);
    const auto r = runGsu("replay --json " + trace);
    REQUIRE(r.code == 0);
    const json again = json::parse(r.out);
    REQUIRE(again["mbarriers"].size() == ran["mbarriers"].size());
    CHECK(again["mbarriers"].size() == 8 * 9);
    std::uint64_t phases[2]{}, bytes[2]{}, blocked[2]{};
    for (unsigned k = 0; k < 2; ++k) {
        for (const json& m : (k == 0 ? ran : again)["mbarriers"]) {
            phases[k] += m["phases"].get<std::uint64_t>();
            bytes[k] += m["tx_bytes"].get<std::uint64_t>();
            blocked[k] += m["blocked_clocks"].get<std::uint64_t>();
        }
    }
    CHECK(phases[0] == phases[1]);
    CHECK(bytes[0] == bytes[1]);
    CHECK(bytes[0] == 8 * (12 * 1024 + 3 * 128));
    CHECK(blocked[0] == blocked[1]);
}
