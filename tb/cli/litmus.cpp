// gsu litmus: explores tests, reports what they show, and replays a witness of each outcome on the unit.
#include "cli/litmus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/atomic_file.hpp"
#include "base/input_error.hpp"
#include "base/output_path.hpp"
#include "base/read_file.hpp"
#include "cli/commands.hpp"
#include "cli/litmus_replay.hpp"
#include "cli/litmus_text.hpp"
#include "litmus/explore.hpp"
#include "litmus/kernel.hpp"

namespace gsu::cli {

namespace {

constexpr const char* kFooter =
    "A test is text as the published suites have it:\n"
    "  PTX MP\n"
    "  \"any remark\"\n"
    "  { x = 0; flag = 0; P1:r0 = 0; }\n"
    "   P0@cta 0,gpu 0          | P1@cta 1,gpu 0            ;\n"
    "   st.weak x, 1            | ld.acquire.gpu r0, flag   ;\n"
    "   st.release.gpu flag, 1  | ld.weak r1, x             ;\n"
    "  ~exists (P1:r0 == 1 /\\ P1:r1 == 0)\n"
    "In { }: NAME = N global memory; NAME @ shared P0 = N in the shared memory of P0's CTA; NAME @ "
    "mbarrier P0 = N an mbarrier of\n"
    "  N arrivals there; NAME @ generic|surface|texture|constant aliases OTHER; P0:r0 = N. "
    "Threads: P0@cta N[,cluster N][,gpu N].\n"
    "Instructions: ld st atom red with weak, or relaxed acquire release acq_rel and a scope (cta "
    "cluster gpu sys); suld sust suatom\n"
    "  sured tld cold (other proxies); fence.SEM.SCOPE membar.LEVEL "
    "fence.proxy.alias|surface|texture|constant|async fence.mbarrier_init;\n"
    "  bar.sync ID[, N] bar.arrive ID, N bar.cta.sync INSTANCE[, ID[, N]]; "
    "barrier.cluster.arrive[.relaxed] barrier.cluster.wait;\n"
    "  mbarrier.arrive[.SEM][.SCOPE] B, mbarrier.arrive.expect_tx B, BYTES, mbarrier.expect_tx B, "
    "BYTES, mbarrier.wait B, PARITY;\n"
    "  cp.async.bulk TO, FROM, B and st.async TO, VALUE, B (each completes 4 bytes on B); mov add "
    "sub mul div and or xor; beq bne blt\n"
    "  ble bgt bge goto LABEL. Conditions: exists, ~exists (must not be), forall; == != < <= > >= "
    "~ /\\ \\/ over P0:r0, locations, numbers.\n"
    "A kernel of your own: KERNEL NAME { launch = \"FILE.launch.json\"; } and a condition over "
    "NAME[i], "
    "4-byte elements of param1, memory.NAME,\n"
    "  global.NAME; it runs under seeds.\n"
    "An outcome that ~exists names, or forall does not, is forbidden: exit code 1 where one is "
    "seen. 'incomplete': the bound of states,\n"
    "  of memory, or of 64 versions of a location was reached without one; what random runs have "
    "seen is listed then. A test has at most\n"
    "  16 threads, 256 instructions each, and 256 locations.";

constexpr std::uint64_t kLargest = 1u << 20;  ///< bytes of a test

/// Writes the test as a kernel for a GPU, with notes for people who run it there.
void writeKernel(const LitmusReport& report, const std::string& folder)
{
    const litmus::Test& test = *report.test;
    litmus::ManyKernel kernel = litmus::manyKernelOf(test);
    if (report.exploration.hung != 0) kernel.why = "a run may hang";
    nlohmann::ordered_json json = jsonOf(report);
    json["kernel"] = {{"why", kernel.why},         {"ctas", kernel.ctas},
                      {"cluster", kernel.cluster}, {"threads", kernel.threads},
                      {"words", kernel.words},     {"shown", nlohmann::ordered_json::array()}};
    for (const litmus::Condition::Term& term : test.shown)
        json["kernel"]["shown"].push_back(nameOf(test, term));
    const std::string path = (std::filesystem::path(folder) / test.name).string();
    AtomicFile description(path + ".json"), ptx(path + ".ptx");
    description.write(json.dump(1) + "\n");
    ptx.write(kernel.ptx);
    description.commit();
    if (kernel.why.empty()) ptx.commit();
}

/// A location that only the instructions name may be a misspelled one: says so, if the initial state names others.
void noteUnstated(const litmus::Test& test)
{
    const auto stated = [](const litmus::Location& l) { return l.stated; };
    if (std::none_of(test.locations.begin(), test.locations.end(), stated)) return;
    for (const litmus::Location& l : test.locations) {
        if (!l.stated)
            fmt::print(stderr, "{}:{}: location {} is not in {{ }}: it begins as 0\n", test.file,
                       l.line, l.name);
    }
}

/// Explores one test completely.
LitmusReport explored(const std::string& file, const LitmusOptions& o)
{
    const std::string text = readFile(file, kLargest);
    if (litmus::isKernelTest(text)) return runKernel(litmus::parseKernelTest(text, file), o);
    LitmusReport report;
    report.test = std::make_shared<litmus::Test>(litmus::parseTest(text, file));
    noteUnstated(*report.test);
    report.memory = o.memory;
    const litmus::Machine machine(*report.test, formOf(o.memory));
    litmus::ExploreOptions options;
    options.form = formOf(o.memory);
    options.states = o.states;
    options.bytes = o.maxMemory << 20;
    options.runs = o.runs;
    options.seed = o.seed;
    report.exploration = litmus::explore(machine, options);
    for (const litmus::Seen& seen : report.exploration.seen)
        report.witnesses.push_back(litmus::witness(machine, seen.steps));
    report.hang = litmus::witness(machine, report.exploration.firstHang);
    report.unit = o.unit;
    for (const litmus::Seen& seen : report.exploration.seen) {
        if (o.noReplay || !o.kernels.empty()) break;
        report.replays.push_back(replayed(*report.test, report.exploration, seen, o));
        report.replays.back().tried = true;
    }
    if (!o.kernels.empty()) writeKernel(report, o.kernels);
    return report;
}

}  // namespace

void LitmusOptions::addTo(CLI::App& app)
{
    app.add_option("FILE", files, "Litmus tests")->required()->type_name("FILE");
    app.add_option("--memory", memory, "What takes time, as --set exec.memory of gsu run")
        ->check(CLI::IsMember({"immediate", "default", "weak"}))
        ->capture_default_str();
    app.add_option("--states", states, "Explore all states up to so many; 0: random runs only")
        ->check(unsignedNumber)
        ->capture_default_str();
    app.add_option("--max-memory", maxMemory,
                   "MiB that the exploration of a test may take; 50 to 100 bytes a state")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20))
        ->type_name("MIB")
        ->capture_default_str();
    app.add_option("--runs", runs, "Random runs of a test that has more states")
        ->check(unsignedNumber)
        ->capture_default_str();
    app.add_option("--seed", seed, "Seed of random runs and replays")
        ->check(unsignedNumber)
        ->capture_default_str();
    app.add_option("--kernel-runs", kernelRuns, "Runs of each KERNEL test")
        ->check(unsignedNumber)
        ->capture_default_str();
    app.add_option("--unit", unit, "Unit on which witnesses are repeated and KERNEL tests run")
        ->check(CLI::IsMember({"rtl", "golden", "lockstep"}))
        ->capture_default_str();
    app.add_option("--kernels", kernels,
                   "Explore, and write each test to DIR as a kernel that a GPU runs many times "
                   "(tests/hardware/litmus.py)")
        ->type_name("DIR");
    app.add_flag("--no-replay", noReplay, "Explore only");
    app.add_flag("--json", json, "One JSON object on standard output");
    app.footer(kFooter);
}

int litmus(const LitmusOptions& options)
{
    makeOutputFolder("--kernels", options.kernels);
    bool forbidden = false;
    nlohmann::ordered_json tests = nlohmann::ordered_json::array();
    for (const std::string& file : options.files) {
        const LitmusReport report = explored(file, options);
        forbidden = forbidden || report.exploration.verdict == litmus::Verdict::Forbidden;
        if (options.json)
            tests.push_back(jsonOf(report));
        else
            print(textOf(report));
    }
    if (options.json)
        print(
            nlohmann::ordered_json{{"forbidden_seen", forbidden}, {"tests", std::move(tests)}}.dump(
                2) +
            "\n");
    return forbidden ? kNotAsExpected : kAsExpected;
}

}  // namespace gsu::cli
