// Small modules that compilers and people write and that front end or executor once got wrong: each is accepted, and ends as its
// launch file says under ten seeds.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "catch.hpp"
#include "exec/harness.hpp"
#include "exec/mbar_port.hpp"
#include "ptx/check.hpp"

using namespace gsu;
using gsu::test::MbarPort;

namespace {

std::string textOf(const RunResult& r)
{
    std::string text = std::string(nameOf(r.verdict)) + ' ' + r.trap;
    for (const Finding& f : r.findings)
        text += "\n  " + f.rule + " line " + std::to_string(f.line) + ": " + f.message;
    for (const Mismatch& m : r.mismatches)
        text +=
            "\n  [" + std::to_string(m.index) + "] expected " + m.expected + " actual " + m.actual;
    return text;
}

}  // namespace

TEST_CASE("small modules that were once read or executed wrongly", "[frontend]")
{
    unsigned accepted = 0, ran = 0;
    for (const auto& entry : std::filesystem::directory_iterator(GSU_FRONT_CASES)) {
        const std::filesystem::path& file = entry.path();
        const bool launch = file.string().ends_with(".launch.json");
        if (!launch && file.extension() != ".ptx") continue;
        CAPTURE(file.string());
        if (!launch) {
            const ptx::CheckResult result = ptx::checkModule(ptx::parseFile(file));
            for (const ptx::Diagnostic& d : result.diagnostics)
                UNSCOPED_INFO(d.at.line << ": " << d.message);
            CHECK(result.accepted);
            ++accepted;
            continue;
        }
        const LaunchSpec spec = loadLaunch(file);
        const ptx::Module module = loadModule(spec);
        REQUIRE(module.ok());
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            CAPTURE(seed);
            RunOptions options;
            options.seed = seed;
            options.maxCycles = 5'000'000;
            Executor executor(spec, module, options);
            MbarPort port(executor.sms(), executor.sharedMemory(), seed);
            const RunResult r = executor.run(port);
            INFO(textOf(r));
            CHECK(r.asExpected);
            ++ran;
        }
    }
    std::cout << "front end cases: " << accepted << " modules, " << ran << " runs\n";
    REQUIRE(accepted >= 12);
    REQUIRE(ran >= 120);
}
