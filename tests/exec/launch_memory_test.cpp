// Launch files whose kernels take structs with pointers and tensor maps: "patch", "memory", and what cannot be placed.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "exec/harness.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

/// Parameter: {u64 out; u32 n; u32 pad; u64 list}. Sums n nodes {u64 next; u64 value} of the list into out.
const Kernel kWalk{".param .align 8 .b8 s[24]", R"(
    ld.param.u64 %rd1, [s];
    ld.param.u32 %r1, [s+8];
    ld.param.u64 %rd2, [s+16];
    mov.u64 %rd3, 0;
L:  ld.global.u64 %rd4, [%rd2+8];
    add.u64 %rd3, %rd3, %rd4;
    ld.global.u64 %rd2, [%rd2];
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra L;
    st.global.u64 [%rd1], %rd3;
    ret;)"};

/// Copies the box at the origin of the map in a struct {u64 out; pad; map at 64} and stores its first element.
const Kernel kTensor{".param .align 64 .b8 s[192]", R"(
    .shared .align 128 .b8 box[64];
    .shared .align 8 .b64 bar;
    ld.param.u64 %rd1, [s];
    mov.b64 %rd2, s;
    cvta.param.u64 %rd2, %rd2;
    add.u64 %rd2, %rd2, 64;
    mov.u32 %r2, box;
    mov.u32 %r3, bar;
    mov.u32 %r4, 0;
    mbarrier.init.shared.b64 [%r3], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 64;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd2, {%r4, %r4}], [%r3];
W:  mbarrier.try_wait.parity.shared.b64 %p1, [%r3], 0;
    @!%p1 bra W;
    ld.shared.u32 %r5, [%r2+60];
    st.global.u32 [%rd1], %r5;
    ret;)"};

struct Folder {
    Folder()
    {
        path = std::filesystem::temp_directory_path() /
               ("gsu_memory_" + std::to_string(std::uintptr_t(this)));
        std::filesystem::create_directories(path);
        std::ofstream(path / "walk.ptx")
            << Kernel{kWalk.params, kWalk.body, ".visible .global .align 8 .b64 head[2];"}.text();
        std::ofstream(path / "tensor.ptx") << kTensor.text();
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
};

/// The verdict, or why the launch file cannot be used.
std::string outcome(const Folder& folder, const std::string& json)
{
    try {
        const LaunchSpec spec = parseLaunch(json, folder.path / "x.launch.json");
        const ptx::Module module = ptx::parseFile(spec.ptx);
        Executor executor(spec, module, {});
        GoldenPort port(executor.sms());
        const RunResult result = executor.run(port);
        return nameOf(result.verdict);
    } catch (const InputError& e) {
        return e.what();
    }
}

std::string walk(const std::string& params, const std::string& memory)
{
    return R"({"ptx": "walk.ptx", "params": [)" + params + R"(], "memory": {)" + memory +
           R"(}, "expect": [{"memory": "sum", "values": [111]}]})";
}

const std::string kStruct =
    R"({"bytes": {"hex": "000000000000000003000000000000000000000000000000", "patch": [{"offset": 0, "buffer": "sum"}, {"offset": 16, "buffer": "nodes", "add": 32}]}})";
const std::string kSum = R"("sum": {"type": "u64", "count": 1})";
const std::string kNodes =
    R"("nodes": {"type": "u64", "count": 6, "init": {"values": [0, 1, 0, 10, 0, 100]},
        "patch": [{"offset": 32, "buffer": "nodes", "add": 16}, {"offset": 16, "buffer": "nodes"}]})";

}  // namespace

TEST_CASE("addresses in structs and in memory come from the launch file", "[launch]")
{
    const Folder folder;
    CHECK(outcome(folder, walk(kStruct, kSum + ", " + kNodes)) == "pass");
    const std::string at = R"("address": "0x7f4000010000", )";
    const std::string fixed = R"("nodes": {)" + at + kNodes.substr(kNodes.find('{') + 1);
    CHECK(outcome(folder, walk(kStruct, kSum + ", " + fixed)) == "pass");
    // The same list by absolute addresses.
    CHECK(
        outcome(
            folder,
            walk(
                R"({"bytes": {"hex": "00000200407f0000030000000000000020000100407f0000"}})",
                R"("sum": {"type": "u64", "count": 1, "address": "0x7f4000020000"}, "nodes": {"type": "u64", "count": 6, "address": 139912854700032,
             "init": {"values": [0, 1, 139912854700032, 10, 139912854700048, 100]}})")) == "pass");
    CHECK(
        outcome(
            folder,
            R"({"ptx": "walk.ptx", "params": [{"bytes": {"hex": "000000000000000001000000000000000000000000000000",
                      "patch": [{"offset": 0, "buffer": "head", "add": 8}, {"offset": 16, "buffer": "head"}]}}],
                      "globals": {"head": {"type": "u64", "count": 2, "init": {"values": [0, 5]}}},
                      "expect": [{"global": "head", "values": [0, 5]}]})") == "pass");
    CHECK(
        outcome(
            folder,
            R"({"ptx": "walk.ptx", "params": [{"bytes": {"hex": "00000200407f0000010000000000000000000000407f0000"}}],
                      "globals": {"head": {"type": "u64", "count": 2, "init": {"values": [0, 111]}, "address": "0x7f4000000000"}},
                      "memory": {"sum": {"type": "u64", "count": 1, "address": "0x7f4000020000"}},
                      "expect": [{"memory": "sum", "values": [111]}]})") == "pass");
}

TEST_CASE("a tensor map inside a struct", "[launch]")
{
    const Folder folder;
    const auto with = [](const std::string& offset, const std::string& rest) {
        return R"({"ptx": "tensor.ptx", "params": [{"bytes": {"size": 192, "patch": [{"offset": 0, "buffer": "out"}, {"offset": )" +
               offset + R"(, "tensormap": {"base": "in", "type": "i32", "box": [4, 4], )" + rest +
               R"(}}]}}], "memory": {"out": {"type": "i32", "count": 1}, "in": {"type": "i32", "count": 64, "init": {"iota": [0, 1]}}},
               "expect": [{"memory": "out", "values": [27]}]})";
    };
    CHECK(outcome(folder, with("64", R"("sizes": [8, 8], "strides": [32])")) == "pass");
    CHECK_THAT(outcome(folder, with("32", R"("sizes": [8, 8], "strides": [32])")),
               Catch::Contains("not aligned to 64"));
    CHECK_THAT(outcome(folder, with("64", R"("sizes": [8, 9], "strides": [32])")),
               Catch::Contains("the tensor is 288 bytes long, the buffer has 256"));
    CHECK_THAT(outcome(folder, with("128", R"("sizes": [8, 8], "strides": [32])")),
               Catch::Contains("128 bytes at 128 do not fit into 192"));
}

TEST_CASE("patches and memory that cannot be used are refused", "[launch]")
{
    const Folder folder;
    const auto patched = [&](const std::string& patch) {
        return outcome(folder, walk(R"({"bytes": {"size": 24, "patch": [)" + patch + "]}}", kSum));
    };
    CHECK_THAT(patched(R"({"offset": 17, "buffer": "sum"})"),
               Catch::Contains("8 bytes at 17 do not fit into 24"));
    CHECK_THAT(patched(R"({"offset": 0, "buffer": "none"})"),
               Catch::Contains("no memory or variable 'none'"));
    CHECK_THAT(patched(R"({"offset": 0, "buffer": 0})"),
               Catch::Contains("parameter 0 is not a buffer"));
    CHECK_THAT(patched(R"({"offset": 0})"), Catch::Contains("exactly one of buffer, tensormap"));
    const auto placed = [&](const std::string& rest) {
        return outcome(folder, walk(kStruct, kSum + R"(, "nodes": {"type": "u64", "count": 6, )" +
                                                 rest + "}"));
    };
    CHECK_THAT(placed(R"("address": "0x7f4000000010")"), Catch::Contains("multiple of 256"));
    CHECK_THAT(placed(R"("address": "0x1000")"), Catch::Contains("is not in"));
    CHECK_THAT(placed(R"("address": "7f4")"), Catch::Contains("not a hexadecimal address"));
    CHECK_THAT(
        outcome(folder,
                walk(kStruct,
                     kSum + R"(, "nodes": {"type": "u64", "count": 6, "address": "0x7f4000000100"},
                       "a": {"type": "u8", "count": 600, "address": "0x7f4000000000"})")),
        Catch::Contains("memory.nodes: address: overlaps"));
    CHECK_THAT(
        outcome(folder, R"({"ptx": "walk.ptx", "expect": [{"memory": "sum", "values": [1]}]})"),
        Catch::Contains("'sum' is not among"));
}

TEST_CASE("a cooperative launch finds zeroed words for its grid barrier", "[launch]")
{
    // As device code does it: the workspace is where %envreg1 and %envreg2 point; a null pointer is a trap.
    const Kernel k{".param .u64 data, .param .u64 out", R"(
        mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd1, {%r2, %r1};
        setp.ne.s64 %p1, %rd1, 0; @%p1 bra G; trap;
    G:  ld.param.u64 %rd2, [data]; ld.param.u64 %rd3, [out];
        mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x; mul.wide.u32 %rd4, %r3, 4; add.u64 %rd5, %rd2, %rd4;
        add.u32 %r5, %r3, 10; st.global.u32 [%rd5], %r5;
        fence.acq_rel.gpu; atom.global.add.u32 %r6, [%rd1+4], 1;
    S:  ld.acquire.gpu.global.u32 %r6, [%rd1+4]; setp.lt.u32 %p2, %r6, %r4; @%p2 bra S;
        mov.u32 %r7, 0; mov.u32 %r8, 0;
    L:  mul.wide.u32 %rd6, %r8, 4; add.u64 %rd6, %rd6, %rd2; ld.global.u32 %r9, [%rd6]; add.u32 %r7, %r7, %r9;
        add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, %r4; @%p3 bra L;
        add.u64 %rd7, %rd3, %rd4; st.global.u32 [%rd7], %r7; ret;)"};
    LaunchSpec spec;
    spec.file = "test.launch.json";
    spec.grid = {6, 1, 1};
    spec.sms = 2;
    spec.params = {buffer(std::vector<std::uint32_t>(6)), buffer(std::vector<std::uint32_t>(6))};
    CHECK(run(k.text(), spec).result.verdict == Verdict::Trap);
    spec.cooperative = true;
    const Outcome o = run(k.text(), spec);
    REQUIRE(o.result.verdict == Verdict::Pass);
    CHECK(o.as<std::uint32_t>(1) == std::vector<std::uint32_t>(6, 10 + 11 + 12 + 13 + 14 + 15));
}

TEST_CASE("a kernel whose arguments are one struct, with a list in memory and a grid barrier",
          "[launch]")
{
    const auto file = std::filesystem::path(GSU_KERNELS) / "grid_scale/grid_scale.launch.json";
    const LaunchSpec spec = loadLaunch(file);
    const ptx::Module module = ptx::parseFile(spec.ptx);
    Executor executor(spec, module, {});
    GoldenPort port(executor.sms());
    const RunResult result = executor.run(port);
    CHECK(result.verdict == Verdict::Pass);
    CHECK(result.mismatches.empty());
    CHECK(result.syncRequests > 0);
    std::vector<std::string> names;
    for (const MemoryContents& m : executor.contents()) names.push_back(m.name);
    CHECK(std::find(names.begin(), names.end(), "memory.share") != names.end());
}

TEST_CASE("a CTA has those shared variables of the module that its entry's functions name")
{
    const char* const variables = R"(
.shared .align 4 .b8 big[200000];
.shared .align 16 .b8 far[64];
.shared .align 16 .b8 near[32];
.extern .shared .align 16 .b8 dyn[];
.global .align 4 .u32 place = far;
.visible .entry other() { .reg .b32 %r1; mov.u32 %r1, big; st.shared.u32 [%r1], 1; ret; }
.func helper () { .reg .b32 %r1; mov.u32 %r1, near; st.shared.u32 [%r1+28], 7; ret; }
)";
    // 64 bytes that an initialiser names, 32 that a called function does, 200000 dynamic ones.
    const Kernel k{".param .u64 out", R"(
        ld.param.u64 %rd1, [out]; call helper; mov.u32 %r1, dyn; st.shared.u32 [%r1+199996], 5;
        mov.u32 %r2, %total_smem_size; ld.shared.u32 %r3, [%r1-4]; st.global.v2.u32 [%rd1], {%r2, %r3}; ret;)",
                   variables};
    LaunchSpec spec;
    spec.file = "test.launch.json";
    spec.entry = "k";
    spec.dynamicSmem = 200000;
    spec.params = {buffer(std::vector<std::uint32_t>(2))};
    const Outcome o = run(k.text(), spec);
    INFO(o.result.trap);
    REQUIRE(o.result.verdict == Verdict::Pass);
    CHECK(o.as<std::uint32_t>(0) == std::vector<std::uint32_t>{64 + 32 + 200000, 7});
    spec.entry = "other";
    spec.params.clear();
    CHECK_THROWS_AS(run(k.text(), spec), InputError);
    spec.dynamicSmem = 0;
    CHECK(run(k.text(), spec).result.verdict == Verdict::Pass);
}
