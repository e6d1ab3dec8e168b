// The program gsu: parses the call, runs one command, and turns exceptions into one line and an exit code.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <functional>
#include <new>
#include <string_view>

#include "base/input_error.hpp"
#include "base/interrupt.hpp"
#include "base/processor.hpp"
#include "cli/commands.hpp"
#include "cli/error_message.hpp"
#include "cli/exec.hpp"
#include "cli/fuzz.hpp"
#include "cli/gen.hpp"
#include "cli/help_groups.hpp"
#include "cli/litmus.hpp"
#include "cli/package_command.hpp"
#include "cli/suggest.hpp"
#include "golden/chip_layout.hpp"

namespace {

using namespace gsu;

constexpr const char* kRunFooter =
    "tb/exec/README.md says what a launch file may hold. Of a list of launches, each output file "
    "has the number of its launch: t.1.gsut.";

struct Call {
    cli::CommonOptions run, replay;
    LaunchCall launch;
    cli::InitOptions init;
    cli::RulesOptions rules;
    std::string checkPath, dialect{"text"}, preset{"hopper"}, mnemonic, with, timing;
    cli::DecodeOptions decode;
    cli::FuzzOptions fuzz;
    cli::LitmusOptions litmus;
    cli::GenOptions gen;
    cli::ExecCall exec;
    bool json{}, structure{};
    std::function<int()> command;
};

void describeDecode(CLI::App& app, Call& call)
{
    CLI::App* decode = app.add_subcommand(
        "decode", "Explain 64-bit mbarrier words: from the call, or from a dump of shared memory");
    decode->add_option("WORD", call.decode.words, "Words, hexadecimal with 0x or decimal");
    decode
        ->add_option("--dump", call.decode.dump,
                     "Shared memory of a CTA (gsu run --dump-smem): raw little-endian bytes, .npy, "
                     "or hexadecimal text (.hex, .txt); - reads standard input")
        ->type_name("FILE");
    decode
        ->add_option("--at", call.decode.at, "Addresses of mbarriers in the dump; may be repeated")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("ADDRESS[,ADDRESS...]");
    decode->add_option("--base", call.decode.base, "Byte of the dump that address 0 stands for")
        ->capture_default_str()
        ->type_name("OFFSET");
    decode->add_option("--profile", call.decode.profile, "sm_80: no transaction count; or sm_90")
        ->capture_default_str()
        ->type_name("NAME");
    decode
        ->add_option("--parity", call.decode.parity,
                     "Parity of the phase that is awaited, of all words or of each in turn")
        ->check(CLI::Range(0, 1))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("PARITY[,PARITY...]");
    decode->add_flag("--json", call.decode.json, "One JSON object on standard output");
    decode->callback([&] { call.command = [&] { return cli::decode(call.decode); }; });
}

/// Options of a launch without a launch file.
void describeLaunch(CLI::App& run, LaunchCall& launch)
{
    const char* group = "A PTX file instead of a launch file";
    const auto shape = [&](const char* name, std::vector<std::uint32_t>& to, const char* what,
                           unsigned most) {
        run.add_option(name, to, what)
            ->delimiter(',')
            ->expected(1, 3)
            ->allow_extra_args(false)
            ->check(CLI::Range(1u, most))
            ->type_name("X[,Y[,Z]]")
            ->group(group);
    };
    run.add_option("--entry", launch.entry, "Name of the .entry; default the only one")
        ->type_name("NAME")
        ->group(group);
    shape("--grid", launch.grid, "CTAs; default 1", 0x7fff'ffff);
    shape("--block", launch.block, "Threads of a CTA; default .reqntid, else 1", 1024);
    shape("--cluster", launch.cluster, "CTAs of a cluster; default .reqnctapercluster, else none",
          16);
    run.add_option("--smem", launch.smem, "Bytes of dynamic shared memory")
        ->check(CLI::Range(0u, 227u * 1024u))
        ->type_name("BYTES")
        ->group(group);
    run.add_option("--sms", launch.sms, "SMs; default as many as the largest cluster needs")
        ->check(CLI::Range(1u, gsu::kMaxChipSms))
        ->group(group);
    run.add_flag("--cooperative", launch.cooperative, "All CTAs are resident together")
        ->group(group);
    run.add_option("--arg", launch.args,
                   std::string("A parameter, in order; once for each: ") + kArgumentForms)
        ->allow_extra_args(false)
        ->type_name("ARG")
        ->group(group);
}

void describeKeepGoing(CLI::App& command, gsu::run::CommonOptions& options)
{
    command.add_flag("--keep-going", options.keepGoing,
                     "An access outside every allocation of global memory is a finding and the "
                     "kernel continues: loads give 0, stores do nothing (default: it traps)");
}

void describeHang(CLI::App& command, gsu::run::CommonOptions& options)
{
    command
        .add_option("--dot", options.dot,
                    "Where the launch hangs: write the graph of waits to FILE, for Graphviz")
        ->type_name("FILE");
}

void describeDumps(CLI::App& command, gsu::run::CommonOptions& options)
{
    command
        .add_option("--dump-smem", options.dumpSmem,
                    "Write the shared memory of a CTA to FILE: as it was when the CTA ended, or "
                    "as it is at the end or hang (see gsu decode --dump)")
        ->type_name("FILE");
    command
        .add_option("--dump-cta", options.dumpCta, "The CTA of --dump-smem, by its linear index")
        ->capture_default_str()
        ->check(cli::unsignedNumber)
        ->type_name("N");
    command
        .add_option("--dump-memory", options.dumpMemory,
                    "Write every buffer, as it is after the run, to a file in the folder DIR: "
                    "param2.bin, memory.NAME.bin, global.NAME.bin; of a list launch0.param2.bin")
        ->type_name("DIR");
}

void describeRun(CLI::App& app, Call& call)
{
    CLI::App* run = app.add_subcommand(
        "run", "Execute a kernel; every synchronization instruction goes through the unit");
    run->add_option(
           "LAUNCH", call.run.input,
           "Launch file (NAME.launch.json), or a PTX file (NAME.ptx) with --grid, --block, "
           "--arg and so on")
        ->required();
    call.run.addTo(*run);
    call.run.addStructureTo(*run);
    call.run.addTimingTo(*run);
    call.run.addRangeTo(*run);
    call.run.addChipTo(*run);
    call.run.addFindingsTo(*run);
    describeLaunch(*run, call.launch);
    run->add_option("--print", call.run.print,
                    "Show the first N elements of every buffer as they are after the run")
        ->check(CLI::Range(std::size_t{0}, std::size_t{1} << 20))
        ->type_name("N");
    describeHang(*run, call.run);
    describeKeepGoing(*run, call.run);
    run->add_option(
           "--tensor", call.run.tensorName,
           "Matrix instructions: compute, truncate (sums of floats are cut off as published "
           "for Hopper), or skip (sums are zero and memory is not "
           "compared; times and synchronization are the same where control flow does not "
           "depend on the sums)")
        ->capture_default_str()
        ->check(CLI::IsMember({"compute", "truncate", "skip"}));
    describeDumps(*run, call.run);
    cli::groupOptions(*run);
    run->footer(kRunFooter);
    run->callback([&] { call.command = [&] { return cli::run(call.run, call.launch); }; });
}

void describeExec(CLI::App& app, Call& call)
{
    cli::ExecSettings& s = call.exec.settings;
    CLI::App* exec = app.add_subcommand(
        "exec",
        "Run a CUDA program as it is, linked with nvcc -cudart shared or on the driver API: its "
        "kernels run on the unit. gsu exec [options] -- PROGRAM ARGS");
    s.common.addTo(*exec);
    s.common.addTimingTo(*exec);
    s.common.addFindingsTo(*exec);
    exec->add_option("--kernel", s.kernel,
                     "Look at the launches of this kernel, or at its N-th from 0: report, and "
                     "--fst, --record, --timeline; the others run with --others")
        ->type_name("NAME[:N]");
    exec->add_option("--others", s.others,
                     "What answers in launches that --kernel does not name (default: golden). "
                     "functional: golden without latencies, results without meaningful cycles")
        ->check(CLI::IsMember({"functional", "golden", "rtl", "lockstep"}));
    exec->add_option("--sm", s.sm, "Compute capability of the device")
        ->check(CLI::IsMember({80u, 90u, 100u, 120u}))
        ->capture_default_str();
    exec->add_option("--sms", s.sms, "Multiprocessors of the device")
        ->check(CLI::Range(1u, gsu::kMaxChipSms))
        ->capture_default_str();
    exec->add_option("--memory", s.memory, "Bytes of device memory (default: 4 GiB)")
        ->transform(CLI::AsSizeValue(false))
        ->type_name("BYTES");
    describeKeepGoing(*exec, s.common);
    exec->add_option(
            "--save", s.save,
            "Write every launch to the folder DIR as a launch file with its memory, and all "
            "of them as a list, which gsu run repeats without the program")
        ->type_name("DIR");
    exec->add_flag("--leaks", s.leaks, "Name what the program has not freed at its end");
    exec->add_flag("--check-uninit", s.checkUninit,
                   "A read of device memory that nobody has written is a finding (INIT-001)");
    exec->add_flag("--quiet", s.quiet, "No line for launches that pass");
    exec->add_option("PROGRAM", call.exec.command, "The program and its arguments, after --")
        ->required()
        ->type_name("");
    cli::groupOptions(*exec);
    exec->callback([&] { call.command = [&] { return cli::exec(call.exec); }; });
}

void describeInit(CLI::App& app, Call& call)
{
    CLI::App* init = app.add_subcommand(
        "init", "Write a launch file for a kernel, with buffers and values for its parameters");
    init->add_option("PTX", call.init.ptx, "PTX file")->required();
    init->add_option("ENTRY", call.init.entry, "Name of the .entry; default the only one");
    init->add_option("-o,--output", call.init.output, "Write FILE, not standard output")
        ->type_name("FILE");
    init->add_flag("--force", call.init.force, "Replace FILE if it exists");
    init->callback([&] { call.command = [&] { return cli::init(call.init); }; });
}

void describeCheck(CLI::App& app, Call& call)
{
    CLI::App* check = app.add_subcommand(
        "check", "Say whether a PTX module is legal; if not, with line, column and rule");
    check->add_option("PTX", call.checkPath, "PTX file")->required();
    check
        ->add_option("--dialect", call.dialect,
                     "text: what the PTX text says; ptxas: what the reference assembler takes")
        ->check(CLI::IsMember({"text", "ptxas"}))
        ->capture_default_str();
    check->add_flag("--json", call.json, "One JSON object on standard output");
    check->callback([&] {
        call.command = [&] { return cli::check(call.checkPath, call.dialect, call.json); };
    });
}

/// Commands for programs that GSU generates, and for what memory can do to small programs.
void describeExperiments(CLI::App& app, Call& call)
{
    CLI::App* fuzz = app.add_subcommand(
        "fuzz", "Run random programs whose right result is known, under random parameters");
    call.fuzz.addTo(*fuzz);
    fuzz->callback([&] { call.command = [&] { return cli::fuzz(call.fuzz); }; });

    cli::describeGen(app, call.gen, call.command);

    CLI::App* litmus = app.add_subcommand(
        "litmus", "Find all outcomes that litmus tests can have, with a witness of each");
    call.litmus.addTo(*litmus);
    litmus->callback([&] { call.command = [&] { return cli::litmus(call.litmus); }; });
}

void describeParams(CLI::App& app, Call& call)
{
    CLI::App* params = app.add_subcommand("params", "List the parameters that --set takes");
    params->add_option("--preset", call.preset, "Show the values of this preset")
        ->capture_default_str();
    params->add_flag("--json", call.json, "One JSON object on standard output");
    params->add_option("--with", call.with, "Ranges and values on this structure")
        ->type_name("NAME=VALUE,...");
    params
        ->add_option("--timing", call.timing,
                     "With the parameters of its servers, and without the latencies that they "
                     "replace: simple, hopper or blackwell")
        ->type_name("NAME");
    params->add_flag("--structure", call.structure, "List what gsu build and --with take instead");
    params->callback([&] {
        call.command = [&] {
            return call.structure ? cli::structureParams(call.with, call.json)
                                  : cli::params(call.preset, call.timing, call.with, call.json);
        };
    });
}

// long: a list of one call per command
void describe(CLI::App& app, Call& call)
{
    app.description("GSU, the GPU Sync Unit: a hardware model (RTL) of what makes the threads of a "
                    "GPU wait for "
                    "each other, driven by PTX kernels and checked against a golden model.");
    app.require_subcommand(1);
    app.footer("build, sweep, diff, report, timeline: commands of the Python package "
               "(scripts/python/README.md).\n"
               "Exit codes: 0 as expected, 1 not as expected, 2 unusable input or call, 3 an error "
               "of GSU itself.");
    app.set_version_flag("--version", cli::versionText());

    describeRun(app, call);
    describeExec(app, call);
    describeInit(app, call);

    CLI::App* replay = app.add_subcommand("replay", "Replay a recorded trace cycle by cycle");
    replay->add_option("TRACE", call.replay.input, "Trace (.gsut or .gsut.zst)")->required();
    call.replay.addTo(*replay);
    call.replay.addStructureTo(*replay);
    cli::groupOptions(*replay);
    replay->callback([&] { call.command = [&] { return cli::replay(call.replay); }; });

    describeCheck(app, call);
    describeDecode(app, call);

    describeExperiments(app, call);
    describeParams(app, call);
    CLI::App* rules = app.add_subcommand(
        "rules",
        "List the rules that findings name: kind, how a broken one is found, what it says");
    rules
        ->add_option("--kind", call.rules.kind,
                     "Rules of this kind: legality, semantics, ub, memory-model, timing/ordering, "
                     "race, or all; default: every rule that a run can report")
        ->type_name("KIND");
    rules->add_flag("--json", call.rules.json, "One JSON object on standard output");
    rules
        ->add_option("--examples", call.rules.folder,
                     "Write the examples of all rules to the folder DIR: RULE.bad.ptx, "
                     "RULE.good.ptx, and a launch file of each")
        ->type_name("DIR");
    rules->callback([&] { call.command = [&] { return cli::rules(call.rules); }; });

    CLI::App* help =
        app.add_subcommand("help", "Explain a synchronization instruction, for example: gsu help "
                                   "mbarrier.try_wait, a rule, or all findings");
    help->add_option(
        "WHAT", call.mnemonic,
        "Mnemonic or its beginning; id of a rule, BAR-002; findings: what the units report; "
        "refused: legal instructions that GSU does not execute; nvvm: the cluster operations of "
        "compilers; chapter, forms: forms of synchronization and of all other instructions as "
        "JSON, one a line; default: this list");
    help->callback([&] { call.command = [&] { return cli::help(call.mnemonic); }; });
}

int guarded(const Call& call, bool json)
{
    try {
        return call.command();
    } catch (const Interrupted&) {
        if (json) cli::print("{\"verdict\":\"interrupted\",\"as_expected\":false}\n");
        return cli::reportError("gsu: interrupted before the run began", cli::kNotAsExpected, json);
    } catch (const InputError& e) {
        return cli::reportError(e, cli::kUnusable, json);
    } catch (const std::bad_alloc&) {
        return cli::reportError("gsu: the input does not fit into memory", cli::kUnusable, json);
    } catch (const std::exception& e) {
        return cli::reportError(std::string("gsu: internal error: ") + e.what(), cli::kOwnError,
                                json);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    // Determined before the call is parsed, because a call with an error wants its answer in the same form.
    const bool json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
    if (const char* missing = missingInstruction())
        return cli::reportError(std::string("gsu: ") + missing, cli::kUnusable, json);
    if (argc > 1 && cli::isPackageCommand(argv[1])) return cli::runPackageCommand(argc, argv, json);
    Call call;
    CLI::App app;
    app.name("gsu");
    describe(app, call);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e);
        std::string reason = cli::explainUnknown(app, argc, argv);
        if (reason.empty()) reason = e.what();
        return cli::reportError("gsu: " + reason + " (see " + cli::helpCall(app, argc, argv) + ")",
                                cli::kUnusable, json);
    }
    return guarded(call, json);
}
