// Launches of several modules, linked: data, functions, aliases and pointers across them; places in the right file.
#include "catch.hpp"
#include "exec/harness.hpp"
#include "exec/mbar_port.hpp"
#include "files.hpp"

using namespace gsu;
using gsu::test::MbarPort;

namespace {

const std::filesystem::path kCases = GSU_LINK_CASES;

RunResult runCase(const LaunchSpec& spec, const ptx::Module& module, std::uint64_t seed)
{
    RunOptions options;
    options.seed = seed;
    Executor executor(spec, module, options);
    MbarPort port(executor.sms(), executor.sharedMemory(), seed);
    return executor.run(port);
}

LaunchSpec parsed(const std::string& text) { return parseLaunch(text, kCases / "x.launch.json"); }

}  // namespace

TEST_CASE("linked modules run as their launch files say", "[link]")
{
    for (const char* name : {"names", "nvcc", "fault"}) {
        const LaunchSpec spec = loadLaunch(kCases / (std::string(name) + ".launch.json"));
        REQUIRE(spec.linked.size() == 2);
        const ptx::Module module = loadModule(spec);
        for (const std::uint64_t seed : {1, 2, 7}) {
            CAPTURE(name, seed);
            const RunResult r = runCase(spec, module, seed);
            INFO(r.trap);
            CHECK(r.asExpected);
            for (const Mismatch& m : r.mismatches) UNSCOPED_INFO(m.index << " is " << m.actual);
            CHECK(r.mismatches.empty());
        }
    }
}

TEST_CASE("a trap and a refusal name the file they are in", "[link]")
{
    const LaunchSpec spec = loadLaunch(kCases / "fault.launch.json");
    const ptx::Module module = loadModule(spec);
    const RunResult r = runCase(spec, module, 1);
    CHECK(r.trap.substr(0, 24) == "line 8 of fault_b.ptx: s");
    REQUIRE(r.findings.size() == 1);
    CHECK(module.placeOf(r.findings[0].line).first == (kCases / "fault_b.ptx").string());
    CHECK(module.placeOf(r.findings[0].line).second == 8);
    try {
        (void)loadModule(parsed(R"({"ptx": ["fault_a.ptx"]})"));
        FAIL("linked without the function it calls");
    } catch (const InputError& e) {
        CHECK(e.file == (kCases / "fault_a.ptx").string());
        CHECK(e.line == 7);
        CHECK(e.reason.substr(0, 33) == "'bad' is not defined in any modul");
    }
}

namespace {

/// A kernel that asks for a handle of `scope`, synchronizes, and stores the handle's and the call's result.
ptx::Module gridKernel(const std::string& scope, const std::string& flags = ".param .b32")
{
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 s);\n"
        ".extern .func (.param .b32 r) cudaCGSynchronizeGrid(.param .b64 h, " +
        flags +
        " f);\n.visible .entry k(.param .u64 out)\n{\n.reg .b64 %rd<4>; .reg .b32 %r<4>;\n"
        ".param .b32 s; .param .b64 h; .param .b32 f; .param .b32 e;\nld.param.u64 %rd1, [out];\n"
        "st.param.b32 [s], " +
        scope +
        ";\ncall (h), cudaCGGetIntrinsicHandle, (s);\nst.param.b32 [f], 0;\n"
        "call (e), cudaCGSynchronizeGrid, (h, f);\nld.param.b64 %rd2, [h];\n"
        "ld.param.b32 %r1, [e];\nst.global.u64 [%rd1], %rd2;\nst.global.u32 [%rd1+8], "
        "%r1;\nret;\n}\n";
    const testfiles::Folder folder;
    testfiles::spill(folder / "k.ptx", text);
    LaunchSpec spec;
    spec.ptx = folder / "k.ptx";
    return loadModule(spec);
}

test::Outcome runGrid(const ptx::Module& module, bool cooperative)
{
    LaunchSpec spec;
    spec.file = "x.launch.json";
    spec.grid = {2, 1, 1};
    spec.block = {8, 1, 1};
    spec.cooperative = cooperative;
    spec.params.push_back(test::buffer(std::vector<std::uint64_t>{7, 7}));
    Executor executor(spec, module, {});
    MbarPort port(executor.sms(), executor.sharedMemory(), 1);
    test::Outcome o;
    o.result = executor.run(port);
    o.buffers.push_back(executor.readBuffer(0));
    return o;
}

}  // namespace

TEST_CASE("grid entry points: an invalid handle is an error code, what cannot be is refused",
          "[link]")
{
    const ptx::Module grid = gridKernel("1");
    CHECK(grid.sources.size() == 2);
    const test::Outcome good = runGrid(grid, true), bad = runGrid(grid, false);
    REQUIRE(good.result.verdict == Verdict::Pass);
    CHECK(good.as<std::uint64_t>(0)[0] != 0);
    CHECK(good.as<std::uint32_t>(0)[2] == 0);
    REQUIRE(bad.result.verdict == Verdict::Pass);
    CHECK(bad.as<std::uint64_t>(0)[0] == 0);
    CHECK(bad.as<std::uint32_t>(0)[2] == 1);
    CHECK(runGrid(gridKernel("5"), true).as<std::uint32_t>(0)[2] == 1);
    CHECK_THROWS_WITH((void)runGrid(gridKernel("2"), true),
                      Catch::Matchers::Contains("cudaCGScopeMultiGrid"));
    CHECK_THROWS_WITH((void)gridKernel("1", ".param .b64"),
                      Catch::Matchers::Contains("the type of parameter 1 differs"));
}

TEST_CASE("the list of modules is checked", "[link]")
{
    CHECK_THROWS_WITH(parsed(R"({"ptx": []})"), Catch::Matchers::Contains("names no file"));
    CHECK_THROWS_WITH(parsed(R"({"ptx": ["a.ptx", ""]})"),
                      Catch::Matchers::Contains("must not be empty"));
    CHECK_THROWS_WITH(parsed(R"({"ptx": ["a.ptx", 1]})"),
                      Catch::Matchers::Contains("expected a string"));
    CHECK(parsed(R"({"ptx": "a.ptx"})").linked.empty());
}
