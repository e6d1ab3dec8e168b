// Malformed launch files: one clear InputError each, naming file, place and reason.
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "exec/harness.hpp"
#include "exec/launch/chips.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

struct Folder {
    Folder()
    {
        path = std::filesystem::temp_directory_path() /
               ("gsu_launch_" + std::to_string(std::uintptr_t(this)));
        std::filesystem::create_directories(path);
        write("k.ptx", Kernel{".param .u64 out, .param .u32 n", "ret;"}.text());
        write("eight.bin", "12345678");
    }
    ~Folder() { std::filesystem::remove_all(path); }
    void write(const std::string& name, const std::string& text) const
    {
        std::ofstream(path / name, std::ios::binary) << text;
    }
    std::filesystem::path path;
};

/// The error of loading and preparing; empty if there is none.
std::string complaint(const Folder& folder, const std::string& json)
{
    folder.write("x.launch.json", json);
    try {
        const LaunchSpec spec = loadLaunch(folder.path / "x.launch.json");
        const ptx::Module module = ptx::parseFile(spec.ptx);
        Executor executor(spec, module, {});
        return {};
    } catch (const InputError& e) {
        return e.what();
    }
}

const std::string kParams =
    R"("params": [{"buffer": {"type": "i32", "count": 2}}, {"scalar": {"type": "u32", "value": 7}}])";

}  // namespace

TEST_CASE("of 132 SMs as many clusters are side by side as an H100 and an H200 hold")
{
    CHECK(clustersSideBySide(132, 1) == 132);
    CHECK(clustersSideBySide(132, 2) == 66);
    CHECK(clustersSideBySide(132, 4) == 30);
    CHECK(clustersSideBySide(132, 8) == 15);
    CHECK(clustersSideBySide(132, 16) == 7);
    CHECK(clustersSideBySide(148, 4) == 37);  // not measured
    CHECK(clustersSideBySide(2, 4) == 1);
}

TEST_CASE("a good launch file is accepted, a bad one refused with its reason", "[launch]")
{
    const Folder folder;
    const auto with = [&](const std::string& extra) {
        return R"({"ptx": "k.ptx", )" + extra + "}";
    };
    REQUIRE(complaint(folder, with(kParams)).empty());
    REQUIRE(
        complaint(
            folder,
            with(
                R"("params": [{"buffer": {"type": "i32", "count": 2, "init": {"file": "eight.bin"}}}, {"scalar": {"type": "i32", "value": -1}}])"))
            .empty());
    struct Case {
        std::string json, says;
    };
    const std::vector<Case> cases{
        {"{\n \"ptx\": \n}", ":3:"},
        {"", "malformed JSON"},
        {"[]", "expected an object"},
        {with(kParams + R"(, "colour": 1)"), "unknown key 'colour'"},
        {R"({"grid": [1,1,1]})", "'ptx' is missing"},
        {R"({"ptx": "none.ptx"})", "none.ptx"},
        {with(R"("entry": "z", )" + kParams), "'z' is not an entry"},
        {with(R"("params": [])"), "params: 0 given, k takes 2"},
        {with(R"("params": [{"null": true}, {"null": true}])"),
         "params[1]: the value has 8 bytes, parameter 'n' takes 4"},
        {with(kParams + R"(, "block": [0,1,1])"), "block[0]: must be 1..1024, is 0"},
        {with(kParams + R"(, "block": [1025,1,1])"), "block[0]"},
        {with(kParams + R"(, "block": [64,64,1])"), "product is above 1024"},
        {with(kParams + R"(, "cluster": [16,2,1], "grid": [16,2,1])"),
         "cluster: the product is above 16"},
        {with(kParams + R"(, "cluster": [17,1,1], "grid": [17,1,1])"), "cluster[0]"},
        {with(kParams + R"(, "cluster": [2,1,1], "grid": [3,1,1])"),
         "not a multiple of the cluster"},
        {with(kParams + R"(, "grid": [1073741824,4,1])"), "the product is above 2147483648"},
        {with(kParams + R"(, "dynamic_smem": 10000000000)"), "dynamic_smem"},
        {with(kParams + R"(, "dynamic_smem": -1)"), "dynamic_smem"},
        {with(kParams + R"(, "dynamic_smem": 1.5)"), "whole number"},
        {with(kParams + R"(, "cooperative": "yes")"), "true or false"},
        {with(kParams + R"(, "cooperative": true, "grid": [1000,1,1])"), "do not fit at once"},
        {with(kParams + R"(, "sms": 149)"), "sms"},
        {with(kParams + R"(, "verdict": "maybe")"), "verdict"},
        {with(kParams + R"(, "findings": ["BAR-018"])"), "goes with verdict misuse or hang"},
        {with(kParams + R"(, "verdict": "trap", "findings": [])"), "misuse or hang"},
        {with(kParams + R"(, "verdict": "hang", "findings": {})"), "waiting, barrier or both"},
        {with(kParams + R"(, "verdict": "hang", "findings": ["BAR-018"])"), "since verdict is"},
        {with(kParams + R"(, "expect": [{"param": 1, "fill": 0}])"), "not a buffer"},
        {with(kParams + R"(, "expect": [{"param": 0, "values": [1,2,3]}])"), "3 elements"},
        {with(kParams + R"(, "expect": [{"param": 0, "fill": 0, "rtol": 0.1}])"), "floating-point"},
        {with(kParams + R"(, "expect": [{"global": "g", "type": "i32", "fill": 0}])"),
         "no global variable 'g'"},
        {with(kParams + R"(, "globals": {"g": {"type": "i32", "count": 1}})"), "no such variable"},
        {with(R"("params": [{"buffer": {"type": "i33", "count": 2}}, {"null": true}])"),
         "unknown type 'i33'"},
        {with(
             R"("params": [{"buffer": {"type": "i32", "count": 3, "init": {"file": "eight.bin"}}}, {"null": true}])"),
         "holds 8 bytes, expected exactly 12"},
        {with(
             R"("params": [{"buffer": {"type": "i32", "count": 1, "init": {"file": "eight.bin"}}}, {"null": true}])"),
         "holds 8 bytes, expected exactly 4"},
        {with(
             R"("params": [{"buffer": {"type": "u8", "count": 1, "init": {"fill": 256}}}, {"null": true}])"),
         "does not fit u8"},
        {with(R"("params": [{"buffer": {"type": "u8", "count": 99999999999}}, {"null": true}])"),
         "count"},
        {with(R"("params": [{"bytes": {"hex": "0g"}}, {"null": true}])"), "hexadecimal"},
        {with(R"("params": [{"buffer": {}, "null": true}, {"null": true}])"),
         "exactly one of buffer"},
        {std::string(100000, '['), "nested"},
    };
    for (const Case& c : cases) {
        const std::string said = complaint(folder, c.json);
        CAPTURE(c.json.substr(0, 200), said, c.says);
        CHECK(said.find(c.says) != std::string::npos);
        CHECK(said.find('\n') == std::string::npos);
    }
    folder.write("r.ptx", Kernel{"", "ret;", "", ".reqntid 32, 1, 1\n"}.text());
    REQUIRE(complaint(folder, R"({"ptx": "r.ptx", "block": [64,1,1]})").find(".reqntid") !=
            std::string::npos);
}

TEST_CASE("what is wrong with a launch file is said with line and column", "[launch]")
{
    const Folder folder;
    struct Case {
        std::string json, says;
    };
    const std::string two = "{\"ptx\": \"k.ptx\",\n ";
    const std::vector<Case> cases{
        {two + "\"block\": [1,\n   0]}", ":3:4: block[1]: must be 1..1024, is 0"},
        {two + " \"colour\": 1}", ":2:3: unknown key 'colour'"},
        {two + "\"params\": [{\"null\": true},\n  {\"buffer\": {\"type\": \"u8\", \"cuont\": 1}}]}",
         ":3:29: params[1].buffer: unknown key 'cuont'"},
        {two + "\"params\": [{\"null\": true},\n  {\"null\": true}]}",
         ":3:3: params[1]: the value has 8 bytes, parameter 'n' takes 4"},
        {two + "\"grid\": [3], \"cluster\": [2],\n" + kParams + "}",
         ":2:10: grid: [3, 1, 1] is not a multiple"},
        {two + "\"a\\\"/~b\": 5}", ":2:2: unknown key 'a\"/~b'"},
        {two + "\"x\": {\"] } ,\\\\\": 1}, \"grid\": true, \"x\": 2}",
         ":2:37: key 'x' is given twice"},
        {two + "\"memory\": {\"a.b\": {\"type\": \"u8\", \"count\": 1,\n\"init\": {\"values\": "
               "[256]}}}}",
         ":3:21: memory.a.b.init.values[0]: 256 does not fit u8"},
        {two + kParams + ",\n\"expect\": [{\"param\": 0,\n\"fill\": 1.5}]}",
         ":4:9: expect[0].fill: 1.5 does not fit"},
        {std::string(200, '['), ":1:65: is nested more than 64"},
        {"{\"ptx\": 1e999}", "malformed JSON"},
    };
    for (const Case& c : cases) {
        const std::string said = complaint(folder, c.json);
        CAPTURE(c.json.substr(0, 200), said, c.says);
        CHECK(said.find(".launch.json" + (c.says[0] == ':' ? c.says : "")) != std::string::npos);
        CHECK(said.find(c.says) != std::string::npos);
    }
}
