// The program gsu: parses the call, runs one command, turns exceptions into one line and an exit code.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>

#include "base/input_error.hpp"
#include "base/processor.hpp"
#include "cli/commands.hpp"

namespace {

using namespace gsu;

/// Keeps an error to one line of readable length whatever a file name or message holds: the place is at its beginning, the
/// reason at its end.
int complain(std::string text, int code)
{
    constexpr std::size_t kBegin = 400, kEnd = 300;
    if (text.size() > kBegin + kEnd + 5)
        text = text.substr(0, kBegin) + " ... " + text.substr(text.size() - kEnd);
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
    text += '\n';
    std::fwrite(text.data(), 1, text.size(), stderr);
    return code;
}

struct Call {
    cli::CommonOptions run, replay;
    std::string checkPath, dialect{"text"}, preset{"hopper"}, mnemonic;
    cli::DecodeOptions decode;
    bool json{};
    std::function<int()> command;
};

void describeDecode(CLI::App& app, Call& call)
{
    CLI::App* decode = app.add_subcommand(
        "decode", "Explain 64-bit mbarrier words: given ones, or those in a dump of shared memory");
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
    decode->add_flag("--json", call.decode.json, "One JSON object on standard output");
    decode->callback([&] { call.command = [&] { return cli::decode(call.decode); }; });
}

void describe(CLI::App& app, Call& call)
{
    app.description(
        "GSU, the GPU Sync Unit: real RTL driven by real PTX, checked against a golden model.");
    app.require_subcommand(1);
    app.footer("Exit codes: 0 as expected, 1 not as expected, 2 unusable input or call, 3 an error "
               "of GSU itself.");
    app.set_version_flag("--version", "gsu 0.1.0");

    CLI::App* run = app.add_subcommand(
        "run", "Execute a kernel; every synchronization instruction goes through the unit");
    run->add_option("LAUNCH", call.run.input, "Launch file (NAME.launch.json)")->required();
    call.run.addTo(*run);
    run->add_option("--dump-smem", call.run.dumpSmem,
                    "Write the shared memory of a CTA to FILE: as it was when the CTA ended, or "
                    "as it is at the end or hang (see gsu decode --dump)")
        ->type_name("FILE");
    run->add_option("--dump-cta", call.run.dumpCta, "The CTA of --dump-smem, by its linear index")
        ->capture_default_str()
        ->type_name("N");
    run->add_option("--dump-memory", call.run.dumpMemory,
                    "Write every buffer, as it is after the run, to a file in the folder DIR: "
                    "param2.bin, memory.NAME.bin, global.NAME.bin")
        ->type_name("DIR");
    run->footer("Beside parameters, a launch file may hold:\n"
                "  \"patch\" in \"bytes\", \"buffer\" or memory: [{\"offset\": n, \"buffer\": R, "
                "\"add\": k}, "
                "{\"offset\": n, \"tensormap\": {\"base\": R, ...}}]\n"
                "    puts the address R + k (8 bytes) or a tensor map (128 bytes) at byte n. R: "
                "number of a "
                "parameter that is a buffer, or the name\n"
                "    of something under \"memory\", or of a module-scope variable.\n"
                "  \"memory\": {\"NAME\": {\"type\", \"count\", \"init\", \"patch\", "
                "\"address\"}}: global memory that "
                "no parameter points to; \"address\"\n"
                "    (optional, also in \"globals\") puts it there. \"expect\" takes {\"memory\": "
                "\"NAME\", ...}.");
    run->callback([&] { call.command = [&] { return cli::run(call.run); }; });

    CLI::App* replay = app.add_subcommand("replay", "Replay a recorded trace cycle by cycle");
    replay->add_option("TRACE", call.replay.input, "Trace (.gsut or .gsut.zst)")->required();
    call.replay.addTo(*replay);
    replay->callback([&] { call.command = [&] { return cli::replay(call.replay); }; });

    CLI::App* check = app.add_subcommand("check", "Judge the legality of a PTX module");
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

    describeDecode(app, call);

    CLI::App* params = app.add_subcommand("params", "List the parameters that --set takes");
    params->add_option("--preset", call.preset, "Show the values of this preset")
        ->capture_default_str();
    params->add_flag("--json", call.json, "One JSON object on standard output");
    params->callback([&] { call.command = [&] { return cli::params(call.preset, call.json); }; });

    CLI::App* help =
        app.add_subcommand("help", "Explain a synchronization instruction, for example: gsu help "
                                   "mbarrier.try_wait, a rule, or all findings");
    help->add_option(
            "WHAT", call.mnemonic,
            "Mnemonic or its beginning; id of a rule, BAR-002; findings: what the units report")
        ->required();
    help->callback([&] { call.command = [&] { return cli::help(call.mnemonic); }; });
}

int guarded(const Call& call)
{
    try {
        return call.command();
    } catch (const InputError& e) {
        return complain(e.what(), cli::kUnusable);
    } catch (const std::bad_alloc&) {
        return complain("gsu: the input does not fit into memory", cli::kUnusable);
    } catch (const std::exception& e) {
        return complain(std::string("gsu: internal error: ") + e.what(), cli::kOwnError);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    if (const char* missing = missingInstruction())
        return complain(std::string("gsu: ") + missing, cli::kUnusable);
    Call call;
    CLI::App app;
    app.name("gsu");
    describe(app, call);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e);
        return complain(std::string("gsu: ") + e.what() + " (see gsu --help)", cli::kUnusable);
    }
    return guarded(call);
}
