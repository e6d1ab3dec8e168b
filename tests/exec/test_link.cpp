// Launches of several modules, linked: data, functions, aliases and pointers across them; places in the right file.
#include "catch.hpp"
#include "exec/harness.hpp"
#include "exec/mbar_port.hpp"

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

TEST_CASE("the list of modules is checked", "[link]")
{
    CHECK_THROWS_WITH(parsed(R"({"ptx": []})"), Catch::Matchers::Contains("names no file"));
    CHECK_THROWS_WITH(parsed(R"({"ptx": ["a.ptx", ""]})"),
                      Catch::Matchers::Contains("must not be empty"));
    CHECK_THROWS_WITH(parsed(R"({"ptx": ["a.ptx", 1]})"),
                      Catch::Matchers::Contains("expected a string"));
    CHECK(parsed(R"({"ptx": "a.ptx"})").linked.empty());
}
