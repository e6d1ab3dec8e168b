// The executor and the explorer of litmus tests state one model apart from each other: every outcome that the one can show the other
// shows when it is told when to perform what, and without being told it shows none that the explorer does not know.
#include <filesystem>
#include <set>

#include "base/read_file.hpp"
#include "catch.hpp"
#include "files.hpp"
#include "litmus/kernel.hpp"
#include "memory/launched.hpp"
#include "ptx/parser.hpp"

using namespace gsu;
using namespace gsu::litmus;
using namespace gsu::visibility::test;

namespace {

namespace fs = std::filesystem;
using gsu::visibility::Form;

constexpr std::pair<MemoryForm, Form> kForms[]{{MemoryForm::Weak, Form::Weak},
                                               {MemoryForm::Default, Form::Default},
                                               {MemoryForm::Immediate, Form::Immediate}};

std::vector<fs::path> shapes()
{
    return testfiles::filesOf(testfiles::testsFolder() + "/litmus/shapes");
}

/// The memory after a kernel; with `told` its stores are performed when the witness says.
Outcome outcomeOf(const Kernel& k, std::size_t shown, Form form, std::uint64_t seed, bool told,
                  const char* timing = "simple")
{
    const ptx::Module module = ptx::parseModule(k.ptx, "litmus.ptx");
    const LaunchSpec spec = parseLaunch(k.launch, "litmus.launch.json");
    RunOptions options;
    options.params = execParamsOf(Preset::Ideal);
    REQUIRE(setTiming(options.params, timing).empty());
    if (told)
        for (const Kernel::Late& l : k.late) options.storeTimes[l.line] = {l.cta, l.everyone};
    Ran ran = runOnce(spec, module, options, form, seed, 1);
    INFO(gsu::nameOf(ran.result.verdict)
         << " " << ran.result.trap
         << (ran.result.findings.empty() ? "" : ran.result.findings[0].message));
    for (const Finding& f : ran.result.findings) UNSCOPED_INFO(f.rule << ' ' << f.message);
    // A test that reads what a copy writes meets it there or not, by the times, and one without a proxy fence has none: the findings are right.
    const auto early = [told](const Finding& f) {
        return (f.rule == "MBW-019" && !told) || f.rule == "FENCE-024" ||
               f.severity != Severity::Error;
    };
    const bool met = ran.result.verdict == gsu::Verdict::Misuse &&
                     std::ranges::all_of(ran.result.findings, early);
    CHECK((met || ran.result.verdict == gsu::Verdict::Pass));
    ran.out.resize(shown);
    return ran.out;
}

}  // namespace

TEST_CASE("a witness, told when to perform what, shows its outcome on the executor", "[D-69]")
{
    unsigned replayed = 0, shown = 0, forbidden = 0;
    for (const fs::path& file : shapes()) {
        const Test test = parseTest(readFile(file, 1u << 16), file.filename().string());
        for (const auto& [form, memory] : kForms) {
            const Machine machine(test, form);
            const Exploration e = explore(machine, {});
            for (const Seen& seen : e.seen) {
                const Kernel k = kernelOf(test, form, seen.steps, {}, "litmus.ptx");
                if (!k.why.empty()) continue;
                INFO(test.name << " memory " << visibility::nameOf(memory));
                ++replayed;
                const Outcome got = outcomeOf(k, test.shown.size(), memory, 1, true);
                const bool same = got == seen.values;
                if (!same) UNSCOPED_INFO("differs");
                shown += same ? 1 : 0;
                const bool known = std::any_of(e.seen.begin(), e.seen.end(),
                                               [&](const Seen& s) { return s.values == got; });
                CHECK(known);
                if (!same)
                    std::cout << test.name << " " << visibility::nameOf(memory)
                              << " not repeated\n";
                forbidden += test.asks == Test::Asks::Never && seen.named ? 1 : 0;
            }
        }
    }
    std::cout << replayed << " witnesses, " << shown << " repeated\n";
    CHECK(forbidden == 0);
    CHECK(replayed > 900);
    CHECK(shown * 100 >= replayed * 95);
}

TEST_CASE("kernels without their fence fail under some of ten seeds, those with it under none",
          "[D-69][FENCE-004]")
{
    unsigned failing[3]{}, runs = 0;
    for (const fs::path& file : shapes()) {
        const Test test = parseTest(readFile(file, 1u << 16), file.filename().string());
        for (unsigned f = 0; f < 3; ++f) {
            const auto& [form, memory] = kForms[f];
            const Machine machine(test, form);
            const Exploration e = explore(machine, {});
            // Any witness will do for the program; one without branches is the whole program.
            bool branches = false, fails = false;
            for (const Thread& t : test.threads)
                for (const Instruction& i : t.code)
                    branches = branches || i.kind == litmus::Kind::Branch;
            if (branches || e.seen.empty()) continue;
            for (std::uint64_t seed = 1; seed <= 10; ++seed) {
                const Kernel k = kernelOf(test, form, e.seen[seed % e.seen.size()].steps,
                                          {8000, 1 + 30 * (seed % 4)}, "litmus.ptx");
                if (!k.why.empty()) break;
                INFO(test.name << " memory " << visibility::nameOf(memory) << ", seed " << seed);
                const Outcome got = outcomeOf(k, test.shown.size(), memory, seed, false);
                const auto found = std::find_if(e.seen.begin(), e.seen.end(),
                                                [&](const Seen& s) { return s.values == got; });
                CHECK(found != e.seen.end());
                fails = fails || (found != e.seen.end() && found->named);
                ++runs;
            }
            if (!fails) continue;
            CHECK(test.asks == Test::Asks::Exists);
            ++failing[f];
        }
    }
    std::cout << failing[0] << ", " << failing[1] << ", " << failing[2] << " tests of " << runs
              << " runs show it: weak, default, immediate\n";
    CHECK(failing[0] >= 20);
    CHECK(failing[1] >= 5);
    CHECK(failing[2] < failing[1]);
}

TEST_CASE("exec.timing=hopper moves times only: no outcome that the explorer does not know",
          "[D-69][timing]")
{
    constexpr std::uint64_t kSeeds = 4;
    unsigned runs = 0, named = 0;
    for (const fs::path& file : shapes()) {
        const Test test = parseTest(readFile(file, 1u << 16), file.filename().string());
        for (const auto& [form, memory] : kForms) {
            const Exploration e = explore(Machine(test, form), {});
            for (std::uint64_t seed = 1; seed <= kSeeds && !e.seen.empty(); ++seed) {
                const Kernel k = kernelOf(test, form, e.seen[seed % e.seen.size()].steps,
                                          {8000, 1 + 30 * seed}, "litmus.ptx");
                if (!k.why.empty()) break;
                INFO(test.name << " memory " << visibility::nameOf(memory) << ", seed " << seed);
                const Outcome got = outcomeOf(k, test.shown.size(), memory, seed, false, "hopper");
                const auto found = std::find_if(e.seen.begin(), e.seen.end(),
                                                [&](const Seen& s) { return s.values == got; });
                CHECK(found != e.seen.end());
                const bool shows = found != e.seen.end() && found->named;
                CHECK_FALSE((shows && test.asks == Test::Asks::Never));
                named += shows ? 1 : 0;
                ++runs;
            }
        }
    }
    std::cout << runs << " runs under hopper, " << named << " show what is asked for\n";
    CHECK(runs > 300);
    CHECK(named > 10);
}
