// The PTX of a launch: one file, or several that are linked.
#include "exec/launch/device_runtime.hpp"
#include "exec/launch/json_view.hpp"
#include "exec/launch/launch_spec.hpp"
#include "exec/program/builtin_names.hpp"
#include "ptx/link.hpp"
#include "ptx/parser.hpp"

namespace gsu {
namespace {

constexpr std::size_t kMaxModules = 256;

void refuseErrors(const ptx::Module& module)
{
    const ptx::Diagnostic* error = ptx::firstError(module);
    if (error == nullptr) return;
    const auto [file, line] = module.placeOf(error->at.line);
    throw InputError(file, line, error->at.column, error->message);
}

}  // namespace

void modulesOf(LaunchSpec& spec, const JsonView& json)
{
    const auto one = [&](const JsonView& name) {
        if (name.text().empty()) name.fail("must not be empty");
        return spec.file.parent_path() / name.text();
    };
    if (!json.json().is_array()) {
        spec.ptx = one(json);
        return;
    }
    if (json.size() == 0) json.fail("names no file");
    if (json.size() > kMaxModules) json.fail("more than 256 files");
    for (std::size_t i = 0; i < json.size(); ++i) spec.linked.push_back(one(json.at(i)));
    spec.ptx = spec.linked.front();
}

ptx::Module loadModule(const LaunchSpec& spec)
{
    std::vector<std::filesystem::path> files = spec.linked;
    if (files.empty()) files.push_back(spec.ptx);
    std::vector<ptx::Module> modules;
    for (const std::filesystem::path& path : files) {
        modules.push_back(ptx::parseFile(path));
        refuseErrors(modules.back());
    }
    const bool runtime = callsDeviceRuntime(modules);
    if (runtime) modules.push_back(deviceRuntime());
    if (spec.linked.empty() && !runtime) return std::move(modules.front());
    // One file that is not a list runs as far as it can: missing functions are refused when they would execute.
    std::vector<std::string_view> provided = exec::builtinNames();
    provided.push_back(kMultiGridScope);
    ptx::Module linked = ptx::linkModules(std::move(modules), provided, spec.linked.empty());
    refuseErrors(linked);
    return linked;
}

}  // namespace gsu
