// Unusable input: exit code 2, one line on standard error that names the file, nothing on standard output, no files left.
#include <nlohmann/json.hpp>
#include <random>

#include "gsu_process.hpp"

using process::data;
using process::Folder;
using process::refused;
using process::runGsu;
using process::spill;

namespace {

/// A launch of `ptx` in the folder, otherwise fine.
std::string launchOf(const Folder& folder, const std::string& ptx)
{
    const std::string path = folder / "x.launch.json";
    spill(path, R"({"ptx": ")" + ptx + R"(", "grid": [1,1,1], "block": [32,1,1], "params": []})");
    return path;
}

const std::string kOutputs[] = {"--record ", "--timeline "};

}  // namespace

TEST_CASE("bad calls", "[cli]")
{
    refused("", "gsu");
    refused("fly", "gsu");
    refused("run", "gsu");
    refused("run --nonsense x", "gsu");
    const std::string good = data("count.launch.json");
    refused("run --unit quantum " + good, "--unit");
    refused("run --unit golden --preset volta " + good, "--preset");
    refused("run --unit golden --set bar_interval " + good, "--set");
    refused("run --unit golden --set bar_interval=0 " + good, "--set");
    refused("run --unit golden --set bar_interval=99999999999 " + good, "--set");
    refused("run --unit golden --set no_such_key=1 " + good, "no_such_key");
    refused("run --unit golden --set exec.no_such_key=1 " + good, "no_such_key");
    refused("run --unit golden --seed -1 " + good, "gsu");
    refused("run --unit golden --fst a.fst " + good, "--fst");
    refused("run --unit lockstep --fst-window 1:2 " + good, "--fst");
    refused("run --unit lockstep --fst a --fst-window 5 " + good, "--fst-window");
    refused("run --unit lockstep --fst a --fst-window 5:4 " + good, "--fst-window");
    refused("run --unit golden --record same --timeline same " + good, "same");
    refused("run --unit golden --timeline t.json " + good, "gsu timeline T.pftrace T.json");
}

TEST_CASE("numbers below 0, and a bound of no cycles", "[cli]")
{
    for (const char* call :
         {"fuzz --programs -1", "fuzz --programs 1 --from -1", "fuzz --programs 1 --seed -1",
          "fuzz --programs 1 --seconds -1", "fuzz --requests -5", "litmus --runs -1 x.litmus",
          "litmus --states -1 x.litmus", "litmus --seed -1 x.litmus",
          "litmus --kernel-runs -1 x.litmus", "run --seed -1 x.launch.json"})
        refused(call, "' is below 0 (see gsu ");
    refused("run --max-cycles 0 x.launch.json", "gsu: --max-cycles: must be 1 or more");
    refused("fuzz --max-cycles 0 --programs 1", "gsu: --max-cycles: must be 1 or more");
}

TEST_CASE("a message names the range, the place, the nearest word", "[cli]")
{
    const std::string good = data("count.launch.json");
    refused("run --unit golden --set bar_release_lat=-1 " + good,
            "'bar_release_lat': '-1' is not a number of 0..65535 clocks");
    refused("run --unit rtl --fst a --fst-window 9:2 " + good,
            "gsu: --fst-window: '9:2': TO, 2, is before FROM, 9");
    const std::string ptx = "run --unit golden " + data("count.ptx") + " --entry count --arg zero ";
    refused(ptx + "--grid 3 --cluster 2", "gsu: --grid: [3, 1, 1] is not a multiple");
    refused(ptx + "--block 1024,2", "gsu: --block: the product is above 1024");
    refused("gen ring --out /x", "gsu: unknown option '--out' (did you mean --output?)");
    refused("gen ring --stage 2", "did you mean --stages?) (see gsu gen ring --help)");
    refused("gen ring --stages 0", "gsu: --stages: '0' is not a number of 1..16");
    refused("fuzz --traffic foo --requests 5", "gsu: --traffic: 'foo' is none of");
    refused("decode 0xzz", "gsu decode: '0xzz' is not a 64-bit number");
    refused("decode", "gsu decode: needs a WORD");
    refused("", "rules, help, build, sweep, diff, report, timeline)");
    refused("swep", "did you mean sweep?");
}

TEST_CASE("a Python package that cannot be imported is told from one that is not there", "[cli]")
{
    const Folder folder;
    std::filesystem::create_directory(folder / "gsu");
    spill(folder / "gsu/__init__.py", "import none_such_module\n");
    spill(folder / "gsu/__main__.py", "");
    const std::string found = folder / "";  // the folder that holds the package
    ::setenv("PYTHONPATH", found.c_str(), 1);
    refused("diff a b", "has but cannot import: No module named 'none_such_module' (pip install");
    ::unsetenv("PYTHONPATH");
}

TEST_CASE("with --json a failure is an object on standard output", "[cli]")
{
    const Folder folder;
    const auto failure = [](const std::string& arguments) {
        const auto r = runGsu(arguments);
        CAPTURE(arguments, r.out, r.err);
        CHECK(r.code == 2);
        CHECK(r.err.find('\n') == r.err.size() - 1);
        const auto error = nlohmann::json::parse(r.out)["error"];
        CHECK(error["exit_code"] == 2);
        CHECK(r.err.find(error["message"].get<std::string>()) != std::string::npos);
        return error;
    };
    spill(folder / "x.launch.json", "{\"ptx\": \"a\",\n \"grid\": [0]}");
    const auto place = failure("run --json --unit golden " + (folder / "x.launch.json"));
    CHECK(place["file"] == folder / "x.launch.json");
    CHECK(place["line"] == 2);
    CHECK(place["column"] == 11);
    spill(folder / "k.ptx",
          ".version 8.6\n.target sm_90\n.address_size 64\n.entry k() {\n nonsense;\n}\n");
    const auto ptx = failure("run --json --unit golden " + launchOf(folder, "k.ptx"));
    CHECK(ptx["line"] == 5);
    failure("run --json --nonsense");
    failure("run --json none.launch.json");
    failure("fly --json");
}

TEST_CASE("launch files that are missing or malformed", "[cli]")
{
    const Folder folder;
    const std::string path = folder / "x.launch.json";
    refused("run --unit golden " + path, "x.launch.json");
    refused("run --unit golden " + (folder / "."), "");
    for (const char* text :
         {"", "{", "[]", "null", "{\"ptx\": 5}", "{\"ptx\":\"a\",\"grid\":[0,1,1]}",
          "{\"ptx\":\"a\",\"grid\":[4294967296,1,1],\"block\":[1,1,1]}",
          "{\"ptx\":\"a\",\"grid\":[1,1,1],\"block\":[1025,1,1]}",
          "{\"ptx\":\"a\",\"grid\":[1,1,1],\"block\":[-1,1,1]}", "{\"unknown\": 1}",
          "{\"ptx\":\"a\",\"grid\":[1,1,1],\"block\":[1,1,1],\"params\":[{\"buffer\":{\"type\":"
          "\"i32\",\"count\":1000000000000000000}}]}",
          "\x01\x02\xff\xfe"}) {
        spill(path, text);
        CAPTURE(text);
        refused("run --unit golden " + path, "x.launch.json");
    }
    CHECK(folder.files() == 1);
}

TEST_CASE("PTX that is missing, cut off or no PTX at all", "[cli]")
{
    const Folder folder;
    refused("run --unit golden " + launchOf(folder, "none.ptx"), "none.ptx");
    const std::string text = process::slurp(data("count.ptx"));
    for (std::size_t n = 1; n + 2 < text.size(); n += 29) {
        spill(folder / "cut.ptx", text.substr(0, n));
        CAPTURE(n);
        const auto r = runGsu("run --unit golden --record " + (folder / "a.gsut") + ' ' +
                              launchOf(folder, "cut.ptx"));
        REQUIRE(r.code == 2);
        CHECK(r.err.find('\n') == r.err.size() - 1);
    }
    std::mt19937 random(5);
    std::string garbage(5000, ' ');
    for (char& c : garbage) c = static_cast<char>(random());
    spill(folder / "garbage.ptx", garbage);
    refused("run --unit golden " + launchOf(folder, "garbage.ptx"), "garbage.ptx");
    refused("check " + (folder / "garbage.ptx"), "garbage.ptx");
    refused("check " + (folder / "none.ptx"), "none.ptx");
    CHECK(folder.files() == 3);
}

TEST_CASE("traces that are missing, cut off or no traces at all", "[cli]")
{
    const Folder folder;
    const std::string path = folder / "a.gsut";
    refused("replay --unit golden " + path, "a.gsut");
    REQUIRE(runGsu("run --unit golden --record " + path + ' ' + data("count.launch.json")).code ==
            0);
    const std::string text = process::slurp(path);
    for (std::size_t n = 0; n < text.size(); n += 97) {
        spill(path, text.substr(0, n));
        CAPTURE(n);
        refused("replay --unit golden " + path, "a.gsut");
    }
    spill(path, std::string(1000, '\0'));
    refused("replay --unit golden " + path, "a.gsut:1: not a trace: its first line does not end");
    CHECK(folder.files() == 1);
}

TEST_CASE("outputs that cannot be written are refused and nothing is left", "[cli]")
{
    const Folder folder;
    for (const std::string& option : kOutputs) {
        refused("run --unit golden " + option + (folder / "no/such/file") + ' ' +
                    data("count.launch.json"),
                "no/such/file");
        refused("run --unit golden " + option + (folder / "x") + " missing.launch.json",
                "missing.launch.json");
    }
    CHECK(folder.files() == 0);
}
