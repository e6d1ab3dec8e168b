// Traces with accesses: a replay finds the races of the run, and none where there is none; what is without the option stays as it was.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gsu_process.hpp"

using process::Folder;
using process::kernel;
using process::runGsu;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Races, as texts that can be compared. The names of variables are those of the module, which a trace does not have.
void add(std::vector<std::string>& all, const json& findings)
{
    for (json f : findings) {
        if (!f.contains("lines")) continue;
        for (const char* named : {"memory", "param", "offset", "file", "source"}) f.erase(named);
        const std::string message = f["message"];
        f["message"] = message.substr(0, message.find("; "));
        all.push_back(f.dump());
    }
}

/// Races of a launch, or of all launches of a list.
std::vector<std::string> racesOf(const json& run)
{
    std::vector<std::string> all;
    if (run.contains("launches"))
        for (const json& launch : run["launches"]) add(all, launch["findings"]);
    else
        add(all, run["findings"]);
    std::sort(all.begin(), all.end());
    return all;
}

/// Runs it with accesses recorded, replays that: the same races. How many these are.
std::size_t sameRaces(const std::string& launch, const std::string& unit)
{
    const Folder folder;
    CAPTURE(launch);
    const auto run = runGsu("run " + launch + " --json --check race --max-cycles 3000000 --unit " +
                            unit + " --record " + (folder / "t.gsut.zst") + " --record-accesses");
    REQUIRE(run.code < 2);
    const std::vector<std::string> wanted = racesOf(json::parse(run.out));
    std::vector<std::string> told;
    for (const auto& trace : fs::directory_iterator(folder / "")) {
        const auto replay =
            runGsu("replay " + trace.path().string() + " --json --check race --unit " + unit);
        CAPTURE(replay.err);
        REQUIRE(replay.code < 2);
        const json out = json::parse(replay.out);
        CHECK(out["verdict"] == "agree");
        CHECK(replay.code == (out["races"].empty() ? 0 : 1));
        add(told, out["races"]);
    }
    std::sort(told.begin(), told.end());
    CHECK(told == wanted);
    return wanted.size();
}

/// The lines between header and footer.
std::vector<std::string> recordsOf(const std::string& text, bool memory)
{
    std::vector<std::string> all;
    std::istringstream in(text.substr(text.find("begin\n") + 6));
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("end ") && line.starts_with("memory ") == memory) all.push_back(line);
    }
    return all;
}

}  // namespace

TEST_CASE("a replay finds the races of the recorded run, example by example", "[cli][races]")
{
    const Folder folder;
    REQUIRE(runGsu("rules --examples " + (folder / "")).code == 0);
    unsigned kernels = 0, races = 0;
    for (const auto& file : fs::directory_iterator(folder / "")) {
        const std::string name = file.path().filename().string();
        const bool race = name.starts_with("race-") || name.starts_with("HS-013") ||
                          name.starts_with("FENCE-") || name.starts_with("ATOM-030");
        if (!race || !name.ends_with(".launch.json")) continue;
        if (process::slurp(file.path().string()).find("\"launches\"") != std::string::npos)
            continue;
        ++kernels;
        const std::size_t found = sameRaces(file.path().string(), "golden");
        CAPTURE(name);
        if (name.starts_with("race-")) CHECK((found != 0) == (name.find(".bad.") != name.npos));
        races += found != 0;
    }
    CHECK(kernels >= 10);
    CHECK(races >= 4);
}

TEST_CASE("a replay of a kernel that is right finds no race", "[cli][races]")
{
    for (const char* name : {"cluster_pipeline", "cluster_softmax", "dsmem_histogram", "dsmem_lock",
                             "attention_sm100", "gemm_2sm_sm100", "gemm_sm80", "gemm_sm90"})
        CHECK(sameRaces(kernel(name), "golden") == 0);
    // Launches beside each other are one trace; the dependent one reads before it waits.
    CHECK(sameRaces(kernel("dependent_chain"), "golden") != 0);
#ifdef GSU_HAS_RTL
    CHECK(sameRaces(kernel("cluster_pipeline"), "lockstep") == 0);
#endif
}

TEST_CASE("accesses are lines of their own: a trace without them is what it was", "[cli][races]")
{
    const Folder folder;
    const std::string plain = folder / "a.gsut", more = folder / "b.gsut",
                      run = "run " + kernel("cluster_pipeline") + " --unit golden --record ";
    REQUIRE(runGsu(run + plain).code == 0);
    REQUIRE(runGsu(run + more + " --record-accesses").code == 0);
    const std::string a = process::slurp(plain), b = process::slurp(more);
    CHECK(a.starts_with("gsut 4\n"));
    CHECK(b.starts_with("gsut 5\n"));
    CHECK(a.substr(7, a.find("begin\n") - 7) == b.substr(7, b.find("begin\n") - 7));
    CHECK(recordsOf(a, true).empty());
    CHECK(!recordsOf(b, true).empty());
    CHECK(recordsOf(a, false) == recordsOf(b, false));
    // Whoever does not ask for races replays both.
    CHECK(runGsu("replay --unit golden " + plain).out ==
          runGsu("replay --unit golden " + more).out);
    // A file of version 4 has no such lines.
    testfiles::spill(folder / "c.gsut", "gsut 4" + b.substr(6));
    const auto older = runGsu("replay " + (folder / "c.gsut"));
    CHECK(older.code == 2);
    CHECK(older.err.find("version 4 has no accesses to memory") != std::string::npos);
}

TEST_CASE("races need accesses, and the recorded run once more", "[cli][races]")
{
    const Folder folder;
    const std::string plain = folder / "a.gsut", more = folder / "b.gsut",
                      run = "run " + kernel("cluster_pipeline") + " --unit golden --record ";
    REQUIRE(runGsu(run + plain).code == 0);
    REQUIRE(runGsu(run + more + " --record-accesses").code == 0);
    const auto refused = [&](const std::string& call, const std::string& why) {
        const auto r = runGsu(call);
        CAPTURE(call, r.err);
        CHECK(r.code == 2);
        CHECK(r.out.empty());
        CHECK(r.err.find(why) != std::string::npos);
        CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    };
    const std::string check = " --check race --unit golden";
    refused("replay " + plain + check,
            "the trace holds no accesses to memory: record it with gsu run --record FILE "
            "--record-accesses");
#ifdef GSU_HAS_RTL
    const std::string why = "replay it with its own parameters and --unit ",
                      rtl = folder / "r.gsut";
    refused("replay " + more + " --check race", why + "golden");
    REQUIRE(runGsu("run " + kernel("cluster_pipeline") + " --unit rtl --record " + rtl +
                   " --record-accesses")
                .code == 0);
    CHECK(runGsu("replay " + rtl + " --unit rtl --check race").code == 0);
    refused("replay " + rtl + " --unit rtl --check race --set bar_interval=9", why + "rtl");
#endif
    refused("run " + kernel("cluster_pipeline") + " --record-accesses", "--record");
    CHECK(runGsu("replay " + more + " --record-accesses").code == 2);
    // What a line says is read when it is looked for, and refused where it is.
    std::string text = process::slurp(more);
    const std::size_t at = text.find(" weak ");
    REQUIRE(at != std::string::npos);
    text.replace(at, 6, " wick ");
    std::uint64_t hash = 0xcbf29ce484222325ull;
    const std::size_t end = text.rfind("end ");
    for (const char c : text.substr(0, end))
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    char footer[32];
    std::snprintf(footer, sizeof footer, "0x%016llx\n", static_cast<unsigned long long>(hash));
    text = text.substr(0, text.rfind(' ') + 1) + footer;
    testfiles::spill(folder / "d.gsut", text);
    CHECK(runGsu("replay --unit golden " + (folder / "d.gsut")).code == 0);
    refused("replay " + (folder / "d.gsut") + check, "weak, or SEMANTICS.SCOPE expected");
}

TEST_CASE("the picture of a race is the one of its trace", "[cli][races]")
{
    const Folder folder;
    const std::string tests = testfiles::testsFolder(), trace = folder / "t.gsut",
                      svg = folder / "race.svg";
    REQUIRE(runGsu("run " + tests + "/races/reused_stage/reused_stage.launch.json --unit golden " +
                   "--check race --record " + trace + " --record-accesses")
                .code == 1);
    const std::string draw =
        "python3 " + tests + "/../scripts/race_picture " + trace + " " + svg + " --gsu " GSU_BINARY;
    REQUIRE(std::system(draw.c_str()) == 0);
    CHECK(process::slurp(svg) == process::slurp(tests + "/../waveforms/race.svg"));
}
