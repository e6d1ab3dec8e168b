#include "gen/patterns.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/atomic_file.hpp"
#include "base/input_error.hpp"
#include "base/output_path.hpp"
#include "cli/commands.hpp"
#include "cli/gen.hpp"

namespace gsu::cli {

namespace {

/// Writes both files or none.
void writePair(const GenOptions& options, const std::string& name, const gen::Program& program)
{
    namespace fs = std::filesystem;
    const fs::path folder = options.folder;
    makeOutputFolder("--output", options.folder);
    const fs::path ptx = folder / (name + ".ptx");
    const fs::path launch = folder / (name + ".launch.json");
    for (const fs::path& path : {ptx, launch}) {
        if (!options.force && fs::exists(path))
            throw InputError(path.string(), "exists; --force replaces it");
        checkOutputFile("--output", path.string());
    }
    AtomicFile first(ptx.string());
    AtomicFile second(launch.string());
    first.write(program.ptx);
    second.write(program.launch);
    first.seal();
    second.seal();
    first.commit();
    second.commit();
    print("gsu run " + launch.string() + '\n');
}

std::string lowerings()
{
    std::string text =
        "scope           sm_80, sm_89                                        sm_90 and later\n";
    for (const char* scope : {"CTA", "Cluster", "ClusterAligned"}) {
        std::string line = scope;
        for (const unsigned sm : {80u, 90u}) {
            line.resize(sm == 80 ? 16 : 68, ' ');
            std::string ops;
            for (const std::string& op : gen::plainBarrier(scope, sm))
                ops += (ops.empty() ? "" : ", ") + op.substr(5);
            line += ops;
        }
        text += line + '\n';
    }
    return text + "Cluster operations need sm_90: below it these sequences are no PTX (HS-007, "
                  "A-21). For ClusterAligned below sm_90 the document's table has no\n"
                  "barrier, its code has one (HS-006, A-20): the code is followed. Names without "
                  "\"nvvm.\"; `gsu help nvvm` has their PTX.\n";
}

}  // namespace

void describeGen(CLI::App& app, GenOptions& options, std::function<int()>& command)
{
    CLI::App* generate = app.add_subcommand(
        "gen", "Write a program of a common synchronization pattern: PTX and launch file");
    generate->require_subcommand(1);
    generate->footer("The written launch file says what must come out: `gsu run NAME.launch.json`, "
                     "under any --seed.");
    generate
        ->add_subcommand("lowering",
                         "Show what compilers lower a cluster's barrier to, by scope and target")
        ->callback([&command] {
            command = [] {
                print(lowerings());
                return kAsExpected;
            };
        });
    for (const gen::Pattern& pattern : gen::patterns()) {
        CLI::App* sub = generate->add_subcommand(pattern.name, pattern.what);
        for (const gen::Option& o : pattern.options) {
            const std::string range =
                o.words.empty() ? fmt::format("{}..{}", o.least, o.most) : o.words;
            const std::string preset =
                o.words.empty() ? std::to_string(o.preset) : o.words.substr(0, o.words.find('|'));
            sub->add_option_function<std::string>(
                   "--" + o.name,
                   [&options, name = o.name](const std::string& text) {
                       options.values.emplace_back(name, text);
                   },
                   o.what + "; default " + preset)
                ->type_name(range);
        }
        sub->add_option("-o,--output", options.folder, "Folder of the files")
            ->capture_default_str()
            ->type_name("DIR");
        sub->add_option("--name", options.name, "Name of the files; default that of the pattern")
            ->type_name("NAME");
        sub->add_flag("--force", options.force, "Replace files that exist");
        sub->callback(
            [&options, &command, &pattern] { command = [&] { return gen(options, pattern); }; });
    }
}

int gen(const GenOptions& options, const gen::Pattern& pattern)
{
    gen::Values values(pattern.options);
    for (const auto& [name, text] : options.values) values.set(name, text);
    gen::Program program = pattern.make(values);
    const std::string name = options.name.empty() ? pattern.name : options.name;
    if (name.find('/') != std::string::npos || name.find('"') != std::string::npos ||
        name.empty() || name[0] == '.')
        throw InputError("--name", "'" + name + "' is no name of a file");
    const std::string written = "{\"ptx\": \"" + pattern.name + ".ptx\"";
    program.launch.replace(program.launch.find(written), written.size(),
                           "{\"ptx\": \"" + name + ".ptx\"");
    for (const std::string& note : program.notes) print("note: " + note + '\n');
    writePair(options, name, program);
    return kAsExpected;
}

}  // namespace gsu::cli
