#include "cuda/code/registry.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/input_error.hpp"
#include "cuda/code/fat_binary.hpp"

namespace gsu::cuda {
namespace {

constexpr std::size_t kMaxParts = 4096;

std::string fileOf(const void* address)
{
    Dl_info info{};
    if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "program";
    const std::string path = info.dli_fname;
    return path.substr(path.rfind('/') + 1);
}

}  // namespace

std::string textOf(const void* container, unsigned sm, std::string& machineCode)
{
    const auto start = readOwn(container, kContainerHeader);
    const auto bytes = start ? containerBytes(*start) : std::nullopt;
    if (!bytes) throw Refusal{Status::InvalidImage, "what is registered is no fat binary"};
    const auto all = readOwn(container, *bytes);
    if (!all)
        throw Refusal{Status::InvalidImage,
                      fmt::format("fat binary: {} bytes, not all of them can be read", *bytes)};
    try {
        const std::vector<Image> images = imagesOf(*all);
        for (const Image& image : images) {
            const std::string name =
                fmt::format("{}{}", image.ptx ? "compute_" : "sm_", image.arch);
            if (machineCode.find(name) == std::string::npos)
                machineCode += (machineCode.empty() ? "" : ", ") + name;
        }
        const Image* best = ptxFor(images, sm);
        return best == nullptr ? std::string() : best->text;
    } catch (const InputError& error) {
        throw Refusal{Status::InvalidImage, error.what()};
    }
}

std::vector<std::string> textsOf(const FatBinaryWrapper& wrapper, unsigned sm,
                                 const std::string& file)
{
    if (wrapper.magic != kWrapper || (wrapper.version != 1 && wrapper.version != 2))
        throw Refusal{Status::InvalidImage, file + ": what is registered is no fat binary"};
    std::vector<const void*> containers{wrapper.container};
    if (wrapper.version == 2) {
        containers.clear();
        for (std::size_t i = 0; wrapper.parts[i] != nullptr && i < kMaxParts; ++i) {
            // A part is a separate wrapper, or its container.
            const auto* part = static_cast<const FatBinaryWrapper*>(wrapper.parts[i]);
            const auto bytes = readOwn(part, sizeof *part);
            if (!bytes) throw Refusal{Status::InvalidImage, file + ": a part cannot be read"};
            containers.push_back(part->magic == kWrapper ? part->container : part);
        }
    }
    std::vector<std::string> texts;
    std::string have;
    for (const void* container : containers) {
        std::string text = textOf(container, sm, have);
        if (!text.empty()) texts.push_back(std::move(text));
    }
    if (texts.empty())
        throw Refusal{Status::NoKernelImage,
                      fmt::format("{} has no PTX for sm_{} ({}): compile with -gencode "
                                  "arch=compute_{},code=compute_{}",
                                  file, sm, have.empty() ? "it has no device code" : "only " + have,
                                  sm, sm)};
    return texts;
}

Registry::Binary* Registry::add(const FatBinaryWrapper* wrapper, const void* site)
{
    auto binary = std::make_unique<Binary>();
    binary->wrapper = wrapper;
    binary->file = fileOf(site);
    binaries_.push_back(std::move(binary));
    return binaries_.back().get();
}

void Registry::remove(CodeLoader& loader, Binary* binary)
{
    std::erase_if(kernels_, [&](const auto& k) { return k.second.binary == binary; });
    std::erase_if(variables_, [&](const auto& v) { return v.second.binary == binary; });
    const auto found = std::find_if(binaries_.begin(), binaries_.end(),
                                    [&](const auto& b) { return b.get() == binary; });
    if (found == binaries_.end()) return;
    if (binary->module != nullptr) loader.unload(*binary->module);
    binaries_.erase(found);
}

void Registry::addKernel(Binary* binary, const void* host, std::string name)
{
    kernels_[host] = {binary, std::move(name)};
    ++binary->kernels;
}

void Registry::addVariable(Binary* binary, const void* host, std::string name)
{
    variables_[host] = {binary, std::move(name)};
}

CodeModule& Registry::load(CodeLoader& loader, Binary& binary)
{
    if (binary.module != nullptr) return *binary.module;
    if (binary.status != Status::Success) throw Refusal{binary.status, binary.failure};
    try {
        std::vector<std::string> managed;
        for (const Binary::Managed& m : binary.managed) managed.push_back(m.name);
        binary.module = &loader.load(textsOf(*binary.wrapper, loader.target(), binary.file),
                                     binary.file, managed);
    } catch (const Refusal& refusal) {
        binary.status = refusal.status;
        binary.failure = refusal.message;
        throw;
    }
    for (const Binary::Managed& m : binary.managed) {
        if (const auto place = binary.module->variable(m.name))
            *m.host = reinterpret_cast<void*>(place->address);
    }
    return *binary.module;
}

Kernel& Registry::kernel(CodeLoader& loader, const void* host)
{
    const auto found = kernels_.find(host);
    if (found == kernels_.end())
        throw Refusal{Status::InvalidDeviceFunction, "no kernel belongs to this function"};
    const Entry& entry = found->second;
    try {
        CodeModule& module = load(loader, *entry.binary);
        return loader.kernelOf(module, entry.name);
    } catch (const Refusal& refusal) {
        const Status status =
            refusal.status == Status::NotFound ? Status::NoKernelImage : refusal.status;
        throw Refusal{status, "kernel '" + entry.name + "': " + refusal.message};
    }
}

VariablePlace Registry::variable(CodeLoader& loader, const void* host)
{
    const auto found = variables_.find(host);
    if (found == variables_.end())
        throw Refusal{Status::InvalidSymbol, "no variable has this symbol"};
    const Entry& entry = found->second;
    const auto place = load(loader, *entry.binary).variable(entry.name);
    if (!place) throw Refusal{Status::InvalidSymbol, "'" + entry.name + "' is not in the PTX"};
    return *place;
}

}  // namespace gsu::cuda
