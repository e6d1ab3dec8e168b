// Initial contents of module variables, with relocations, then the launch file's "globals".
#include <algorithm>
#include <cstring>

#include "exec/device/parameters.hpp"
#include "exec/program/micro_op.hpp"

namespace gsu::exec {

namespace {

std::uint64_t addressOfSymbol(const DeviceMemory& device, const Program& program,
                              const ptx::Relocation& r, const ptx::Variable& v,
                              const std::map<std::string, std::uint64_t>& sharedSymbols)
{
    if (const auto g = device.globalSymbols.find(r.symbol); g != device.globalSymbols.end())
        return g->second;
    if (const auto c = device.constSymbols.find(r.symbol); c != device.constSymbols.end())
        return c->second + (r.generic ? kConstWindow : 0);
    if (const auto s = sharedSymbols.find(r.symbol); s != sharedSymbols.end())
        return s->second + (r.generic ? kSharedWindow : 0);
    std::string_view function = r.symbol;
    for (const auto& [alias, target] : device.module.aliases)
        if (alias == r.symbol) function = target;
    for (const Code& code : program.codes) {
        if (code.name == function) return kCodeBase + std::uint64_t{16} * code.number;
    }
    throw device.errorAt(v.at, "initialiser of '" + v.name + "' names '" + r.symbol +
                                   "', which has no address");
}

}  // namespace

void applyInitialisers(DeviceMemory& device, const Program& program,
                       const std::map<std::string, std::uint64_t>& sharedSymbols)
{
    const auto apply = [&](const ptx::Variable& v, const std::string& name) {
        std::uint8_t* to = nullptr;
        if (v.bytes == 0) return;
        if (v.space == ptx::Space::Global || v.space == ptx::Space::Const)
            to = device.bytesOf(name).first;
        if (to == nullptr) return;
        if (!v.init.empty())
            std::memcpy(to, v.init.data(), std::min<std::size_t>(v.init.size(), v.bytes));
        for (const ptx::Relocation& r : v.relocations) {
            std::uint64_t value = addressOfSymbol(device, program, r, v, sharedSymbols) +
                                  static_cast<std::uint64_t>(r.addend);
            if (r.mask != ~std::uint64_t{0})
                value = (value & r.mask) >> __builtin_ctzll(r.mask | 1ull << 63);
            if (r.offset + r.size <= v.bytes)
                std::memcpy(to + r.offset, &value, std::min(r.size, 8u));
        }
    };
    for (const ptx::Variable& v : device.module.variables) apply(v, v.name);
    for (const ptx::Function& f : device.module.functions) {
        for (const ptx::Variable& v : f.locals) {
            if (v.space == ptx::Space::Global) apply(v, f.name + '/' + v.name);
        }
    }
    for (const LaunchGlobal& g : device.spec.globals) {
        const auto& bytes = g.data.bytes;
        if (!bytes.empty()) std::memcpy(device.bytesOf(g.name).first, bytes.data(), bytes.size());
    }
}

}  // namespace gsu::exec
