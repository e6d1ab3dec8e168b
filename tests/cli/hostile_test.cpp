// A hostile user at the program: every launch file, option and output below is refused with exit code 2 and one line that
// names file, place and reason; nothing is written, no device or pipe is read or replaced.
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "gsu_process.hpp"

using process::data;
using process::Folder;
using process::refused;
using process::runGsu;
using process::slurp;
using process::spill;
using Json = nlohmann::json;

namespace {

struct Case {
    const char* patch;  ///< merged into a good launch file (RFC 7396)
    const char* says;
};

const Case kLaunches[]{
    {R"({"grid": [2147483648, 1, 1]})", "grid[0]: must be 1..2147483647"},
    {R"({"grid": [262144, 65535, 65535]})", "grid: the product"},
    {R"({"grid": [1, 1, 1, 1]})", "grid: expected [x, y, z]"},
    {R"({"grid": "1"})", "grid: expected an array"},
    {R"({"grid": [1.5, 1, 1]})", "grid[0]: expected a whole number"},
    {R"({"grid": [true]})", "grid[0]: expected a whole number"},
    {R"({"block": [1024, 1024, 64]})", "block: the product is above 1024"},
    {R"({"block": [1, 1, 65]})", "block[2]"},
    {R"({"cluster": [4, 4, 2]})", "cluster: the product is above 16"},
    {R"({"cluster": [0, 1, 1]})", "cluster[0]: must be 1..16, is 0"},
    {R"({"cluster": []})", "cluster: expected"},
    {R"({"dynamic_smem": 1000000000})", "dynamic_smem: must be 0..232448"},
    {R"({"dynamic_smem": -1})", "dynamic_smem: must be 0..232448, is -1"},
    {R"({"dynamic_smem": 18446744073709551616})", "dynamic_smem: expected a whole number"},
    {R"({"sms": 149})", "sms: must be 1..148"},
    {R"({"cooperative": "yes"})", "cooperative: expected true or false"},
    {R"({"cooperative": true, "grid": [100000, 1, 1]})", "do not fit at once"},
    {R"({"params": [{"buffer": {"type": "u32", "count": 4611686018427387904}}]})",
     "params[0].buffer.count"},
    {R"({"params": [{"buffer": {"type": "u8", "count": 2147483648}}, {"buffer": {"type": "u8", "count": 1}}]})",
     "params[1].buffer: 1 bytes: all buffers together are too large"},
    {R"({"params": [{"buffer": {"type": "u32", "count": -1}}]})", "count: must be"},
    {R"({"params": [{"buffer": {"type": "u31", "count": 1}}]})", "unknown type 'u31'"},
    {R"({"params": [{"buffer": {"type": "i64", "count": 3, "init": {"iota": [9223372036854775807, 1]}}}]})",
     "iota: element 1 does not fit i64"},
    {R"({"params": [{"buffer": {"type": "u8", "count": 3, "init": {"fill": 256}}}]})",
     "256 does not fit u8"},
    {R"({"params": [{"buffer": {"type": "u8", "count": 3, "init": {"values": [1]}}}]})",
     "has 1 element, count is 3"},
    {R"({"params": [{"buffer": {"type": "u8", "count": 3, "init": {"file": "."}}}]})",
     "init.file: "},
    {R"({"params": [{"buffer": {"type": "u8", "count": 3, "init": {"file": ""}}}]})",
     "init.file: must not be empty"},
    {R"({"params": [{"buffer": {"type": "u8", "count": 3, "init": {"file": "/dev/zero"}}}]})",
     "'/dev/zero' is not a regular file"},
    {R"({"params": [{"buffer": {"type": "u8", "count": 3, "init": {"file": "pipe"}}}]})",
     "is not a regular file"},
    {R"({"params": [{"buffer": {"type": "u8", "count": 3, "init": {"file": "a\u0000b"}}}]})",
     "holds a NUL character"},
    {R"({"params": [{"bytes": {"size": 1000000000}}]})", "bytes.size: must be 0..32764"},
    {R"({"params": [{"bytes": {"hex": "abc"}}]})", "odd number of digits"},
    {R"({"params": [{"null": false}]})", "null: must be true"},
    {R"({"params": {}})", "params: expected an array"},
    {R"({"expect": [{"param": 99, "fill": 0}]})", "parameter 99 is not a buffer"},
    {R"({"expect": [{"param": -1, "fill": 0}]})", "expect[0].param: must be"},
    {R"({"expect": [{"param": 0, "fill": 0, "first": 1000000}]})",
     "first: is 1000000, the buffer has 96 elements"},
    {R"({"expect": [{"param": 0, "file": "pipe"}]})", "expect[0].file"},
    {R"({"expect": [{"global": "nope", "type": "u32", "fill": 0}]})", "no global variable 'nope'"},
    {R"({"expect": [{"param": 0, "fill": 0, "rtol": 1}]})", "rtol and atol"},
    {R"({"globals": {"nope": {"type": "u32", "count": 1}}})", "globals.nope"},
    {R"({"verdict": "perhaps"})", "verdict: must be"},
    {R"({"verdict": "misuse", "findings": {}})", "findings: expected an array"},
    {R"({"verdict": "hang", "findings": {"barrier": {"kind": "x"}}})", "barrier.kind"},
    {R"({"ptx": ""})", "ptx: must not be empty"},
    {R"({"ptx": "."})", "is a directory"},
    {R"({"ptx": "pipe"})", "is not a regular file"},
    {R"({"ptx": "/dev/zero"})", "is not a regular file"},
    {R"({"entry": 3})", "entry: expected a string"},
};

Json goodLaunch()
{
    Json launch = Json::parse(slurp(data("count.launch.json")));
    launch["ptx"] = data("count.ptx");
    return launch;
}

}  // namespace

TEST_CASE("hostile launch files", "[cli]")
{
    const Folder folder;
    const std::string path = folder / "x.launch.json";
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    spill(path, goodLaunch().dump());
    REQUIRE(runGsu("run --unit golden " + path).code == 0);
    for (const Case& c : kLaunches) {
        Json launch = goodLaunch();
        launch.merge_patch(Json::parse(c.patch));
        spill(path, launch.dump());
        CAPTURE(c.patch);
        refused("run --unit golden " + path, c.says);
    }
    CHECK(folder.files() == 2);
}

TEST_CASE("hostile bytes in launch files", "[cli]")
{
    const Folder folder;
    const std::string path = folder / "x.launch.json";
    const auto bad = [&](const std::string& text, const std::string& says) {
        spill(path, text);
        CAPTURE(text.substr(0, 60));
        refused("run --unit golden " + path, says);
    };
    const std::string good = goodLaunch().dump();
    bad(R"({"ptx": "a", "ptx": "b"})", "key 'ptx' is given twice");
    bad(R"({"params": [{"scalar": {"type": "u8", "type": "u8"}}]})", "'type' is given twice");
    bad(std::string(100'000, '['), "nested more than 64 levels");
    bad("{\"ptx\": \"\xff\xfe\"}", "x.launch.json:1:10");
    bad(good.substr(0, 20) + '\0' + good.substr(20), "x.launch.json:1:");
    bad(good + "}", "expected end of input");
    bad("{\"" + std::string(1'000'000, 'x') + "\": 1}", "unknown key");
    bad(R"({"dynamic_smem": 1)" + std::string(400, '0') + "}", "number overflow");
    bad("// comment\n{}", "x.launch.json:1:1");
    bad("\xff\xfe{\0}\0", "x.launch.json:1:1");
    spill(path, "\xef\xbb\xbf" + goodLaunch().dump(1));
    CHECK(runGsu("run --unit golden " + path).code == 0);  // what editors write is fine
}

TEST_CASE("hostile options", "[cli]")
{
    const std::string good = " " + data("count.launch.json");
    for (const char* value :
         {"abc", "-5", "1e9", "0x10", "1.5", "''", "' 5'", "18446744073709551616"}) {
        refused(std::string("run --unit golden --max-cycles ") + value + good, "--max-cycles");
        refused(std::string("run --unit golden --seed ") + value + good, "--seed");
        refused(std::string("run --fst w --fst-around ") + value + good, "--fst-around");
    }
    for (const char* value : {"''", "=", "exec.alu_lat", "exec.alu_lat=", "exec.alu_lat=-1",
                              "exec.alu_lat=4294967296", "bar_interval=+1", "exec.=4"})
        refused(std::string("run --unit golden --set ") + value + good, "--set");
    refused("run --unit golden --set " + std::string(50'000, 'x') + "=1" + good, "--set");
    for (const char* option : {"--preset", "--record", "--timeline", "--fst", "--unit"})
        refused(std::string("run ") + option + " ''" + good, option);
    refused("decode 0x10000000000000000", "is not a 64-bit number");
    refused("run " + std::string(50'000, 'x'), "xxx");
}

TEST_CASE("outputs replace neither inputs nor what is no regular file", "[cli]")
{
    const Folder folder;
    const std::string launch = folder / "x.launch.json", ptx = folder / "count.ptx";
    spill(ptx, slurp(data("count.ptx")));
    spill(launch, slurp(data("count.launch.json")));
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    const std::string before = slurp(ptx);
    for (const std::string option : {"--unit golden --record ", "--unit golden --timeline ",
                                     "--unit golden --dump-smem ", "--unit rtl --fst "}) {
        const std::string call = "run " + option;
        refused(call + ptx + ' ' + launch, "it is an input of this run");
        refused(call + (folder / "./x.launch.json") + ' ' + launch, "it is an input of this run");
        refused(call + (folder / "pipe") + ' ' + launch, "not a regular file");
        refused(call + (folder / ".") + ' ' + launch, "not a regular file");
        for (const std::string& to : {ptx + "/x", folder / std::string(300, 'a')}) {
            // The file is written at the end. The kernel has no shared memory, which is reported first: the report is not lost.
            if (option.find("smem") != std::string::npos) {
                const auto r = runGsu(call + to + ' ' + launch);
                CHECK(r.code == 2);
                CHECK(r.err.find("smem") != std::string::npos);
            } else {
                refused(call + to + ' ' + launch, "cannot be written");
            }
        }
    }
    const std::string dump = "run --unit golden --dump-memory ";
    for (const std::string& to : {ptx, folder / "pipe", ptx + "/x", folder / std::string(300, 'a')})
        refused(dump + to + ' ' + launch, "is not a folder");
    CHECK(slurp(ptx) == before);
    CHECK(slurp(launch) == slurp(data("count.launch.json")));
    CHECK(folder.files() == 3);
}

TEST_CASE("hostile PTX files", "[cli]")
{
    const Folder folder;
    const std::string launch = folder / "x.launch.json", ptx = folder / "k.ptx";
    spill(launch, R"({"ptx": "k.ptx"})");
    const std::string head = ".version 8.6\n.target sm_90a\n.address_size 64\n";
    const auto bad = [&](const std::string& text, const std::string& says) {
        spill(ptx, text);
        CAPTURE(text.substr(0, 120));
        refused("run --unit golden " + launch, says);
    };
    bad("", "k.ptx:1:1");
    bad(".version 8.6\0", "k.ptx:1:");
    bad("\x7f"
        "ELF",
        "k.ptx:1:1");
    bad(head + "/*" + std::string(100'000, 'x'), "k.ptx:4:1: comment is not closed");
    bad(head + ".entry " + std::string(1'000'000, 'k') + "() {ret;", "the file ends inside");
    bad(head + ".global .b8 x[1099511627776];\n.entry k() {ret;}", "k.ptx:4:13: variable 'x'");
    bad(head + ".global .b8 x[4294967296];\n.global .b8 y[4294967296];\n.entry k() {ret;}",
        "k.ptx:5:13: variable 'y'");
    bad(head + ".const .b8 x[100000];\n.entry k() {ret;}", "constant memory has 65536 bytes");
    bad(head + ".entry k() {.local .b8 x[1000000]; ret;}", "bytes per thread, at most 524288");
    bad(head + ".entry k() {.shared .b8 x[1000000]; ret;}",
        "k.ptx:4:25: variable 'x': 1000000 bytes of shared memory per CTA, at most 232448");
    bad(head + ".entry k() .reqnctapercluster 65536,65536,1 {ret;}", "does not have 1 to 16 CTAs");
    bad(head + ".func f() {ret;}", "has no .entry");
    ::truncate(ptx.c_str(), off_t{2} << 30);  // two sparse gigabytes
    refused("run --unit golden " + launch, "k.ptx: is larger than");
    refused("check " + ptx, "k.ptx: is larger than");
    refused("replay --unit golden " + ptx, "k.ptx:");
    refused("check /dev/zero", "is not a regular file");
    refused("replay --unit golden /dev/zero", "is not a regular file");
}
