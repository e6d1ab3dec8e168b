// Options that select launches of a program: units for the chosen launches and the others, memory that was never written, launches saved as lists.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "program.hpp"

using namespace process;
using Json = nlohmann::json;
using program::exec;
using program::has;

TEST_CASE("graphs of the driver, boxes and maps of pixels")
{
    for (const char* options : {"", "--unit golden --seed 4"}) {
        const Outcome o = exec("driver_graphs", options);
        INFO(o.out + o.err);
        CHECK(o.code == 0);
        CHECK(has(o.out, "ok\n"));
    }
}

TEST_CASE(
    "--others: each of four ways runs the launches that are not looked at, with the same results")
{
    for (const std::string way : {"functional", "golden", "rtl", "lockstep"}) {
        const Outcome o = exec("launches", "--kernel cluster_ranks --json --others " + way);
        INFO(way << o.out + o.err);
        CHECK(o.code == 0);
        const Json json = Json::parse(o.out);
        REQUIRE(json["launches"].size() == 4);
        CHECK(json["launches"][0]["unit"] == way);
        CHECK(json["launches"][2]["unit"] == "lockstep");
    }
    const auto cycles = [](const std::string& way) {
        const Json json = Json::parse(exec("launches", "--kernel none --json --others " + way).out);
        return json["cycles"].get<std::uint64_t>();
    };
    CHECK(cycles("functional") < cycles("golden") / 2);
    CHECK(cycles("rtl") == cycles("lockstep"));
    CHECK(exec("launches", "--kernel none --others fast").code == 2);
}

TEST_CASE("--check-uninit names the allocation, its call and the launch")
{
    const Outcome o = exec("unwritten", "--unit golden --check-uninit --json");
    INFO(o.out + o.err);
    CHECK(o.code == 1);
    const Json json = Json::parse(o.out);
    REQUIRE(json["findings"].size() == 1);
    const Json& f = json["findings"][0];
    CHECK(f["rule"] == "INIT-001");
    CHECK(f["count"] == 60);
    CHECK(f["launch"] == 0);
    const std::string text = f["message"];
    CHECK(has(text, "load of 4 bytes"));
    CHECK(has(text, "cudaMalloc at cuda_program+0x"));
    CHECK(has(text, "nobody has written it"));
    CHECK(has(o.err, "launched at cuda_program+0x"));
    const Outcome copy = exec("unwritten_pixels", "--unit golden --check-uninit");
    INFO(copy.err);
    CHECK(copy.code == 1);
    CHECK(has(copy.err, "error INIT-001: asynchronous copy"));
    CHECK(has(copy.err, "cuMemAlloc at cuda_program+0x"));
}

TEST_CASE(
    "--check-uninit says nothing of memory that was written in any way, nor without the option")
{
    for (const char* scenario : {"written", "basics", "launches", "symbols", "memory", "graphs"}) {
        const Outcome o = exec(scenario, "--unit golden --check-uninit");
        INFO(scenario << o.out + o.err);
        CHECK(o.code == 0);
    }
    CHECK(exec("unwritten").code == 0);
    CHECK(exec("unwritten_pixels").code == 0);
}

namespace {

std::vector<fs::path> lists(const std::string& folder)
{
    std::vector<fs::path> all;
    for (const fs::path& path : testfiles::filesOf(folder)) {
        if (has(path.filename().string(), "list_")) all.push_back(path);
    }
    return all;
}

}  // namespace

TEST_CASE("--save: one list repeats all launches with what the program wrote between them, cycle "
          "by cycle")
{
    const Folder folder;
    for (const char* scenario :
         {"launches", "symbols", "changed_between", "many", "hang", "printing"}) {
        const std::string to = folder / scenario;
        const Outcome o = exec(scenario, "--unit golden --json --save '" + to + "'");
        INFO(scenario << o.err);
        CHECK(has(o.err, "ok\n"));
        const Json program = Json::parse(o.out);
        const auto files = lists(to);
        REQUIRE(files.size() == 1);
        const Outcome again = runGsu("run --json --unit golden '" + files[0].string() + "'");
        INFO(again.out.substr(0, 2000) << again.err);
        CHECK(again.code == 0);
        const Json run = Json::parse(again.out);
        REQUIRE(run["launches"].size() == program["launches"].size());
        for (std::size_t i = 0; i < run["launches"].size(); ++i) {
            CHECK(run["launches"][i]["cycles"] == program["launches"][i]["cycles"]);
            CHECK(run["launches"][i]["instructions"] == program["launches"][i]["instructions"]);
        }
        const Json list = Json::parse(slurp(files[0].string()));
        const bool writes = has(list.dump(), "\"writes\"");
        CHECK(writes ==
              (std::string(scenario) == "changed_between" || std::string(scenario) == "symbols" ||
               std::string(scenario) == "launches"));
    }
}

TEST_CASE("a list with another value written between the launches does not give the same results")
{
    const Folder folder;
    CHECK(has(exec("changed_between", "--unit golden --save '" + (folder / "s") + "'").out, "ok"));
    const fs::path file = lists(folder / "s").at(0);
    Json list = Json::parse(slurp(file.string()));
    unsigned broken = 0;
    for (Json& launch : list["launches"]) broken += launch.erase("writes") != 0 ? 1 : 0;
    CHECK(broken == 2);
    spill(file.string(), list.dump());
    const Outcome o = runGsu("run --unit golden '" + file.string() + "'");
    INFO(o.out + o.err);
    CHECK(o.code == 1);
    list["launches"][0]["writes"] = Json::parse(R"([{"memory": "none", "fill": 1}])");
    spill(file.string(), list.dump());
    CHECK(has(runGsu("run --unit golden '" + file.string() + "'").err, "'none' is not among"));
    list["launches"][0]["writes"] =
        Json::parse(R"([{"global": "scale", "values": [1, 2], "rtol": 1}])");
    spill(file.string(), list.dump());
    CHECK(runGsu("run --unit golden '" + file.string() + "'").code == 2);
    list["launches"][0]["writes"] =
        Json::parse(R"([{"global": "scale", "values": [1, 2, 3, 4, 5]}])");
    spill(file.string(), list.dump());
    const Outcome wide = runGsu("run --unit golden '" + file.string() + "'");
    CHECK(wide.code == 2);
    CHECK(has(wide.err, "'scale' holds"));
}

TEST_CASE("launches of another module begin another list")
{
    const Folder folder;
    const Outcome o = exec("driver", "--unit golden --save '" + (folder / "s") + "'");
    INFO(o.out + o.err);
    CHECK(o.code == 0);
    const auto files = lists(folder / "s");
    CHECK(files.size() == 2);
    for (const fs::path& file : files) {
        const Outcome again = runGsu("run --unit golden '" + file.string() + "'");
        INFO(again.out + again.err);
        CHECK(again.code == 0);
    }
}
