#include "cuda/code/code_module.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/align.hpp"
#include "base/input_error.hpp"
#include "exec/device/device_memory.hpp"
#include "exec/device/parameters.hpp"
#include "exec/launch/device_runtime.hpp"
#include "exec/launch/shape.hpp"
#include "exec/program/builtin_names.hpp"
#include "ptx/link.hpp"
#include "ptx/parser.hpp"

namespace gsu::cuda {
namespace {

void refuseErrors(const ptx::Module& module)
{
    const ptx::Diagnostic* error = ptx::firstError(module);
    if (error == nullptr) return;
    const auto [file, line] = module.placeOf(error->at.line);
    throw InputError(file, line, error->at.column, error->message);
}

ptx::Module linked(const std::vector<std::string>& texts, const std::string& name)
{
    std::vector<ptx::Module> modules;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        modules.push_back(ptx::parseModule(
            texts[i], texts.size() == 1 ? name : fmt::format("{}#{}", name, i + 1)));
        refuseErrors(modules.back());
        // Reports show lines of the text.
        if (!modules.back().sources.empty())
            modules.back().sources[0].text = std::make_shared<const std::string>(texts[i]);
    }
    const bool runtime = callsDeviceRuntime(modules);
    if (runtime) modules.push_back(deviceRuntime());
    if (modules.size() == 1) return std::move(modules.front());
    std::vector<std::string_view> provided = exec::builtinNames();
    provided.push_back(kMultiGridScope);
    // Undefined functions are refused when they would execute, as in a program of one file.
    ptx::Module all = ptx::linkModules(std::move(modules), provided, true);
    refuseErrors(all);
    return all;
}

}  // namespace

void checkCode(const std::vector<std::string>& texts, const std::string& name)
{
    static_cast<void>(linked(texts, name));
}

CodeModule::CodeModule(const std::vector<std::string>& texts, std::string name,
                       const std::vector<std::string>& managed, std::uint64_t number, Heap& heap,
                       const RunOptions& options)
    : texts_(texts), module_(linked(texts, name)), number_(number), heap_(heap)
{
    common_.entry = std::move(name);
    common_.cooperative = true;  // memory for grid barriers, for launches that are cooperative
    device_ = std::make_unique<Device>(common_, module_, options, heap.global());
    share(managed);
    initialise(options);
    announceVariables();
}

CodeModule::~CodeModule()
{
    for (const std::uint64_t address : variables_) heap_.removeVariable(address);
    for (const std::uint64_t address : managed_) heap_.release(address);
}

/// Places managed variables where the host has access, too.
void CodeModule::share(const std::vector<std::string>& managed)
{
    exec::DeviceMemory& memory = device_->memory();
    for (const std::string& name : managed) {
        const auto at = memory.globalSymbols.find(name);
        if (at == memory.globalSymbols.end()) continue;
        const std::uint64_t bytes = memory.bytesOf(name).second;
        const Allocation* shared =
            heap_.allocate(Allocation::Kind::Managed, bytes, "managed variable '" + name + "'");
        if (shared == nullptr) throw std::bad_alloc();
        managed_.push_back(at->second = shared->address);
    }
}

void CodeModule::announceVariables()
{
    for (const ptx::Variable& v : module_.variables) {
        const auto place = variable(v.name);
        if (!place || place->bytes == 0 || heap_.find(place->address) != nullptr) continue;
        heap_.addVariable(place->address, place->bytes, place->data, "variable '" + v.name + "'");
        variables_.push_back(place->address);
    }
}

/// Gives variables their values before anything is launched, because the program may change them first.
void CodeModule::initialise(const RunOptions& options)
{
    exec::DeviceMemory& memory = device_->memory();
    const auto namesFunction = [&](const ptx::Variable& v) {
        return std::any_of(v.relocations.begin(), v.relocations.end(),
                           [&](const auto& r) { return module_.find(r.symbol) != nullptr; });
    };
    const bool functions =
        std::any_of(module_.variables.begin(), module_.variables.end(), namesFunction);
    if (!functions) {
        exec::applyInitialisers(memory, exec::Program{}, {});
        memory.initialised = true;
        return;
    }
    // Functions have addresses after a kernel is decoded.
    for (const ptx::Function* k : kernels()) {
        LaunchSpec probe;
        probe.entry = k->name;
        probe.block = k->reqntid.value_or(std::array<std::uint32_t, 3>{1, 1, 1});
        probe.grid = k->reqnctapercluster.value_or(std::array<std::uint32_t, 3>{1, 1, 1});
        probe.paramBlock.emplace();
        probe.paramBlock->data.bytes.resize(parametersOf(*k).bytes);
        device_->check(probe, options);
        return;
    }
}

const ptx::Function* CodeModule::kernel(const std::string& name) const noexcept
{
    const ptx::Function* f = module_.find(name);
    return f != nullptr && f->entry && f->defined ? f : nullptr;
}

std::vector<const ptx::Function*> CodeModule::kernels() const
{
    std::vector<const ptx::Function*> list;
    for (const ptx::Function& f : module_.functions) {
        if (f.entry && f.defined) list.push_back(&f);
    }
    return list;
}

std::optional<VariablePlace> CodeModule::variable(const std::string& name) const
{
    exec::DeviceMemory& memory = device_->memory();
    const auto [data, bytes] = memory.bytesOf(name);
    if (data == nullptr) return std::nullopt;
    if (const auto at = memory.addressOf(name)) return VariablePlace{*at, bytes, data};
    return VariablePlace{exec::kConstWindow + (number_ << 16) + memory.constSymbols.at(name), bytes,
                         data};
}

bool CodeModule::owns(std::uint64_t address) const noexcept
{
    return std::find(variables_.begin(), variables_.end(), address) != variables_.end() ||
           std::find(managed_.begin(), managed_.end(), address) != managed_.end();
}

ParameterLayout parametersOf(const ptx::Function& kernel)
{
    ParameterLayout layout;
    for (const ptx::Variable& p : kernel.params) {
        layout.offsets.push_back(alignUp(layout.bytes, p.align));
        layout.bytes = layout.offsets.back() + p.bytes;
    }
    return layout;
}

std::uint32_t staticShared(const CodeModule& module, const ptx::Function& kernel)
{
    LaunchSpec probe;
    probe.entry = kernel.name;
    probe.block = kernel.reqntid.value_or(probe.block);
    probe.grid = kernel.reqnctapercluster.value_or(probe.grid);
    return exec::planOf(probe, module.code()).shape.staticSmem;
}

std::uint64_t localBytes(const ptx::Function& kernel)
{
    std::uint64_t bytes = 0;
    for (const ptx::Variable& v : kernel.locals) {
        if (v.space == ptx::Space::Local) bytes = alignUp(bytes, v.align) + v.bytes;
    }
    return bytes;
}

}  // namespace gsu::cuda
