#include <filesystem>

#include "base/atomic_file.hpp"
#include "base/input_error.hpp"
#include "base/output_path.hpp"
#include "cli/commands.hpp"
#include "exec/launch/arguments.hpp"
#include "ptx/parser.hpp"

namespace gsu::cli {

int init(const InitOptions& options)
{
    namespace fs = std::filesystem;
    checkOutputFile("--output", options.output);
    const ptx::Module module = ptx::parseFile(options.ptx);
    if (const ptx::Diagnostic* error = ptx::firstError(module))
        throw InputError(options.ptx, error->at.line, error->at.column, error->message);
    LaunchSpec named;
    named.file = options.ptx;
    named.entry = options.entry;
    const ptx::Function& entry = entryOf(named, module);
    if (options.output.empty()) {
        print(launchTemplate(entry, options.ptx));
        return kAsExpected;
    }
    const fs::path output = options.output;
    std::error_code error;
    if (fs::exists(output, error)) {
        if (!options.force) throw InputError(options.output, "exists; --force replaces it");
        if (fs::equivalent(output, options.ptx, error))
            throw InputError(options.output, "cannot be written: it is the PTX file");
    }
    // Paths of PTX in a launch file are relative to that file.
    const fs::path folder = fs::absolute(output).parent_path();
    const fs::path ptx = fs::absolute(options.ptx).lexically_relative(folder);
    AtomicFile file(options.output);
    file.write(
        launchTemplate(entry, ptx.empty() ? fs::absolute(options.ptx).string() : ptx.string()));
    file.commit();
    return kAsExpected;
}

}  // namespace gsu::cli
