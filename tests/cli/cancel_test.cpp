// Work stealing by clusterlaunchcontrol (gsu gen steal) on the RTL in lockstep: ten seeds, all presets, clusters of one to eight CTAs with multicast; recorded and
// replayed, on other parameters too.

#include "gsu_json.hpp"

using nlohmann::json;
using process::runGsu;

namespace {

std::string generated(const process::Folder& folder, const std::string& options)
{
    const auto made = runGsu("gen steal " + options + " --output '" + (folder / "") + "'");
    CAPTURE(options, made.err);
    REQUIRE(made.code == 0);
    return folder / "steal.launch.json";
}

unsigned count(const std::string& text, const std::string& words)
{
    unsigned n = 0;
    for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++n;
    return n;
}

}  // namespace

TEST_CASE("tiles are done once each, whoever cancels whose cluster, under every preset and seed",
          "[cli][CLC-003][CLC-004][CLC-006][CLC-009][CLC-014][CLC-028][EX-CLC-01]")
{
    static constexpr const char* kPresets[] = {"hopper", "blackwell",
                                               "ideal"};  // of sm_80 it is not
    for (const char* options : {"--tiles 70 --threads 64", "--tiles 80 --threads 64 --ctas 2",
                                "--tiles 96 --threads 32 --ctas 8"}) {
        const process::Folder folder;
        const std::string launch = generated(folder, options);
        for (unsigned seed = 1; seed <= 10; ++seed) {
            const std::string line = "run --json --seed " + std::to_string(seed) + " --preset " +
                                     kPresets[seed % 3] + " '" + launch + "'";
            CAPTURE(options, line);
            const json out = process::jsonOf(line);
            CHECK(out["as_expected"] == true);
            CHECK(out["findings"].empty());
            CHECK(out["unit"] == "lockstep");
        }
    }
}

TEST_CASE("a run with try_cancel replays in its cycles, and on other parameters, without a queue",
          "[cli][trace][CLC-003]")
{
    const process::Folder folder;
    const std::string launch = generated(folder, "--tiles 80 --threads 64 --ctas 2");
    for (const char* unit : {"rtl", "golden", "lockstep"}) {
        const std::string trace = folder / "t.gsut";
        const auto done =
            runGsu("run --unit " + std::string(unit) + " --record " + trace + " '" + launch + "'");
        CAPTURE(unit, done.out, done.err);
        REQUIRE(done.code == 0);
        const std::string text = testfiles::slurp(trace);
        CHECK(text.starts_with("gsut 4\n"));
        const unsigned asked = count(text, "\ncancel +");
        CHECK(asked > 0);
        CHECK(count(text, "\ncanceled +") == asked);
        CHECK(count(text, " none\n") > 0);
        CHECK(count(text, " first=") > 0);
        CHECK(count(text, "clusterlaunchcontrol.try_cancel") > 0);
        const auto again = runGsu("replay " + trace);
        CAPTURE(again.out, again.err);
        CHECK(again.code == 0);
        CHECK(again.out.find(" answers as recorded, unit lockstep\n") != std::string::npos);
        const auto other = runGsu("replay " + trace + " --set dsm_hop=300 --unit lockstep");
        CAPTURE(other.out, other.err);
        CHECK(other.code == 0);
    }
}
