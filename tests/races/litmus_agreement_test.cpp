// The detector and the axioms agree: for every execution of the litmus shapes in immediate memory the detector finds a race exactly where
// gsu litmus, written apart from it, decides that there is one.
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "base/read_file.hpp"
#include "catch.hpp"
#include "exec/settings/params.hpp"
#include "files.hpp"
#include "litmus/explore.hpp"
#include "litmus/kernel.hpp"
#include "litmus/races.hpp"
#include "watched_run.hpp"

using namespace gsu;
using namespace racetests;

namespace {

namespace fs = std::filesystem;

/// Lines of the instructions of the test, not of what prepares and reports.
std::vector<bool> programLines(const std::string& ptx)
{
    std::vector<bool> lines{false};
    std::istringstream in(ptx);
    for (std::string line; std::getline(in, line);) {
        const bool accesses =
            line.find("[%rd3]") != std::string::npos || line.find("[%rd4]") != std::string::npos;
        lines.push_back(accesses && line.find("[%rd2") == std::string::npos);
    }
    return lines;
}

struct Agreement {
    unsigned executions{}, racing{}, detected{}, differing{}, notRepeated{};
    std::string why;
};

bool detected(const litmus::Kernel& kernel, const RunResult& result)
{
    const std::vector<bool> inside = programLines(kernel.ptx);
    for (const Finding& f : racesOf(result)) {
        if (f.rule == "race-lifetime") continue;  // the tests begin and end their CTAs as they like
        if (std::all_of(f.race->lines.begin(), f.race->lines.end(),
                        [&](std::uint32_t l) { return l < inside.size() && inside[l]; }))
            return true;
    }
    return false;
}

Agreement compared(const fs::path& file)
{
    Agreement a;
    const litmus::Test test = litmus::parseTest(readFile(file, 1u << 16), file.filename().string());
    // GSU runs one GPU: the scope .gpu of another one is not that of this one.
    if (std::any_of(test.ctas.begin(), test.ctas.end(),
                    [&](const litmus::Cta& c) { return c.gpu != test.ctas.front().gpu; })) {
        a.why = "its threads are on several GPUs";
        return a;
    }
    const litmus::Machine machine(test, litmus::MemoryForm::Immediate);
    litmus::ExploreOptions options;
    options.form = litmus::MemoryForm::Immediate;
    const litmus::Exploration explored = explore(machine, options);
    for (const litmus::Seen& seen : explored.seen) {
        const litmus::Kernel kernel = kernelOf(test, options.form, seen.steps, {}, "litmus.ptx");
        if (!kernel.why.empty()) {
            a.why = kernel.why;
            continue;
        }
        const ptx::Module module = ptx::parseModule(kernel.ptx, "litmus.ptx");
        RunOptions run;
        REQUIRE(setExecParameter(run.params, "exec.memory=immediate").empty());
        std::vector<std::uint8_t> out;
        const RunResult result =
            watchedRun(parseLaunch(kernel.launch, "l.launch.json"), module, run, &out);
        litmus::Outcome got(out.size() / 4);
        if (!got.empty()) std::memcpy(got.data(), out.data(), got.size() * 4);
        got.resize(seen.values.size());
        if (got != seen.values) {
            ++a.notRepeated;
            continue;
        }
        const bool axioms = !litmus::racesOf(test, seen.steps).empty();
        const bool found = detected(kernel, result);
        ++a.executions;
        a.racing += axioms;
        a.detected += found;
        if (axioms == found) continue;
        ++a.differing;
        std::cout << file.filename().string() << ": axioms " << axioms << ", detector " << found
                  << '\n'
                  << textOf(racesOf(result));
    }
    return a;
}

}  // namespace

TEST_CASE("races of the litmus shapes: the detector and the axioms agree", "[races]")
{
    // One line a shape, as kept beside this file: GSU_WRITE_AGREEMENT names where to write it anew.
    std::string table = "shape\texecutions\trace by the axioms\trace by the detector\n";
    unsigned shapes = 0, executions = 0, racing = 0, differing = 0, without = 0, notRepeated = 0;
    for (const fs::path& file : testfiles::filesOf(testfiles::testsFolder() + "/litmus/shapes")) {
        INFO(file.filename().string());
        const Agreement a = compared(file);
        CHECK(a.differing == 0);
        ++shapes;
        table +=
            file.stem().string() + '\t' +
            (a.executions == 0 ? a.why
                               : std::to_string(a.executions) + '\t' + std::to_string(a.racing) +
                                     '\t' + std::to_string(a.detected)) +
            '\n';
        executions += a.executions;
        racing += a.racing;
        differing += a.differing;
        notRepeated += a.notRepeated;
        if (a.executions == 0) {
            ++without;
            std::cout << "no kernel for " << file.filename().string() << ": " << a.why << '\n';
        }
    }
    std::cout << "shapes " << shapes << ", executions " << executions << ", with a race " << racing
              << ", differing " << differing << ", not repeated " << notRepeated
              << ", shapes without a kernel " << without << '\n';
    if (const char* to = std::getenv("GSU_WRITE_AGREEMENT")) testfiles::spill(to, table);
    CHECK(table == testfiles::slurp(testfiles::testsFolder() + "/races/litmus_agreement.tsv"));
    CHECK(shapes >= 212);
    CHECK(executions > 350);
    CHECK(racing > 50);
}

// A published suite, which is not part of this project: GSU_LITMUS names its folder, whose files may lie in folders of their own.
// Only when asked for: test_races "[suite]".
TEST_CASE("races of a published litmus suite: the detector and the axioms agree",
          "[.][races][suite]")
{
    const char* suite = std::getenv("GSU_LITMUS");
    INFO("GSU_LITMUS names the folder of the litmus tests");
    REQUIRE(suite != nullptr);
    Agreement all;
    unsigned tests = 0, refused = 0, without = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(suite)) {
        if (entry.path().extension() != ".litmus") continue;
        INFO(entry.path().string());
        Agreement a;
        try {
            a = compared(entry.path());
        } catch (const std::exception& e) {
            ++refused;
            std::cout << "refused: " << e.what() << '\n';
            continue;
        }
        CHECK(a.differing == 0);
        ++tests;
        without += a.executions == 0;
        all.executions += a.executions;
        all.racing += a.racing;
        all.differing += a.differing;
        all.notRepeated += a.notRepeated;
    }
    std::cout << "tests " << tests << ", executions " << all.executions << ", with a race "
              << all.racing << ", differing " << all.differing << ", not repeated "
              << all.notRepeated << ", without a kernel " << without << ", refused " << refused
              << '\n';
    CHECK(tests > 0);
}
