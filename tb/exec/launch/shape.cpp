// From launch file and module to the shape of a launch.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "base/align.hpp"
#include "base/counted.hpp"
#include "base/input_error.hpp"
#include "exec/launch/json_text.hpp"
#include "exec/launch/shape.hpp"
#include "exec/storage/global_memory.hpp"
#include "golden/chip_layout.hpp"

namespace gsu {

const ptx::Function& entryOf(const LaunchSpec& spec, const ptx::Module& module)
{
    const ptx::Function* only = nullptr;
    std::string names;
    unsigned count = 0;
    for (const ptx::Function& f : module.functions) {
        if (!f.entry || !f.defined) continue;
        if (f.name == spec.entry) return f;
        only = &f;
        ++count;
        if (count <= 8) names += (names.empty() ? "" : ", ") + f.name;
    }
    if (!spec.entry.empty()) {
        spec.fail("/entry", "'" + spec.entry + "' is not an entry of " + module.path +
                                (names.empty() ? "" : " (it has " + names + ")"));
    }
    if (count == 1) return *only;
    if (count == 0) spec.fail("/ptx", module.path + " has no .entry");
    spec.fail("/entry", "name one of " + names + ", " + module.path + " has several");
}

namespace exec {
namespace {

std::string text(const std::array<std::uint32_t, 3>& v)
{
    return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]);
}

/// Functions reachable by name from the entry, the entry first.
std::vector<const ptx::Function*> reachable(const ptx::Module& module, const ptx::Function& entry)
{
    std::map<std::string_view, const ptx::Function*> byName;
    for (const ptx::Function& f : module.functions) {
        if (f.defined) byName[f.name] = &f;
    }
    for (const auto& [alias, target] : module.aliases) {
        if (const auto found = byName.find(target); found != byName.end())
            byName.emplace(alias, found->second);
    }
    std::vector<const ptx::Function*> list{&entry};
    std::set<const ptx::Function*> seen{&entry};
    const std::function<void(const ptx::Operand&)> visit = [&](const ptx::Operand& o) {
        if (o.kind == ptx::Operand::Kind::Symbol) {
            const auto found = byName.find(o.name);
            if (found != byName.end() && seen.insert(found->second).second)
                list.push_back(found->second);
        }
        for (const ptx::Operand& e : o.elements) visit(e);
    };
    bool indirect = false;
    // Function pointers in initialisers.
    for (const ptx::Variable& v : module.variables) {
        for (const ptx::Relocation& r : v.relocations) {
            const auto found = byName.find(r.symbol);
            if (found != byName.end() && !found->second->entry && seen.insert(found->second).second)
                list.push_back(found->second);
        }
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        indirect = indirect || !list[i]->tables.empty();
        for (const ptx::Instruction& in : list[i]->body) {
            for (const ptx::Operand& o : in.operands) visit(o);
        }
    }
    // Function pointers may sit in aliases and locals' initialisers: with indirect calls every function may be meant.
    for (const ptx::Function& f : module.functions) {
        if (indirect && f.defined && !f.entry && seen.insert(&f).second) list.push_back(&f);
    }
    return list;
}

void checkCluster(Shape& shape, const LaunchSpec& spec, const ptx::Function& entry)
{
    if (entry.reqnctapercluster) {
        if (spec.cluster && *spec.cluster != *entry.reqnctapercluster) {
            spec.fail("/cluster", text(*spec.cluster) + " differs from .reqnctapercluster " +
                                      text(*entry.reqnctapercluster) + " of " + entry.name);
        }
        shape.cluster = *entry.reqnctapercluster;
        shape.clusterLaunch = true;
    } else if (spec.cluster) {
        shape.cluster = *spec.cluster;
        shape.clusterLaunch = true;
    }
    std::uint64_t ranks = 1;  // every factor is below 2^31
    for (const std::uint32_t n : shape.cluster)
        ranks = std::min<std::uint64_t>(ranks * n, kMaxRanks + 1);
    if (ranks == 0 || ranks > kMaxRanks)
        spec.fail("/cluster", text(shape.cluster) + " does not have 1 to 16 CTAs");
    shape.clusterCtas = static_cast<std::uint32_t>(ranks);
    if (entry.maxclusterrank && shape.clusterCtas > *entry.maxclusterrank) {
        spec.fail("/cluster", "larger than .maxclusterrank of " + entry.name);
    }
}

Shape checkedShape(const LaunchSpec& spec, const ptx::Function& entry)
{
    Shape shape;
    shape.grid = spec.grid;
    shape.block = spec.block;
    shape.threads = spec.block[0] * spec.block[1] * spec.block[2];
    shape.warps = (shape.threads + 31) / 32;
    if (entry.reqntid && *entry.reqntid != spec.block) {
        spec.fail("/block", text(spec.block) + " differs from .reqntid " + text(*entry.reqntid) +
                                " of " + entry.name);
    }
    if (entry.maxntid) {
        const auto& m = *entry.maxntid;
        if (shape.threads > std::uint64_t{m[0]} * m[1] * m[2]) {
            spec.fail("/block", fmt::format("{} threads are more than .maxntid of {}",
                                            shape.threads, entry.name));
        }
    }
    checkCluster(shape, spec, entry);
    for (unsigned d = 0; d < 3; ++d) {
        if (shape.grid[d] % shape.cluster[d] != 0) {
            spec.fail("/grid", text(shape.grid) + " is not a multiple of the cluster " +
                                   text(shape.cluster));
        }
    }
    shape.ctas = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
    if (shape.ctas > std::numeric_limits<std::uint32_t>::max()) {
        spec.fail("/grid", text(shape.grid) + " has more CTAs than a grid's count of 32 bits");
    }
    shape.sms = spec.sms.value_or(shape.clusterCtas);
    if (spec.registers != 0) {
        constexpr unsigned kRegisters = 65536, kUnit = 8;
        const unsigned each = (spec.registers + kUnit - 1) / kUnit * kUnit;
        shape.perSm = kRegisters / (each * 32 * shape.warps);
        if (shape.perSm == 0)
            spec.fail("/registers", fmt::format("{} threads with {} registers are more than an "
                                                "SM has ({})",
                                                shape.threads, spec.registers, kRegisters));
    }
    return shape;
}

/// All names in instructions of the functions or in initialisers.
std::set<std::string_view> namesIn(const ptx::Module& module,
                                   const std::vector<const ptx::Function*>& functions)
{
    std::set<std::string_view> names;
    const std::function<void(const ptx::Operand&)> visit = [&](const ptx::Operand& o) {
        if (o.kind == ptx::Operand::Kind::Symbol) names.insert(o.name);
        for (const ptx::Operand& e : o.elements) visit(e);
    };
    const auto initialiser = [&](const ptx::Variable& v) {
        for (const ptx::Relocation& r : v.relocations) names.insert(r.symbol);
    };
    for (const ptx::Variable& v : module.variables) initialiser(v);
    for (const ptx::Function* f : functions) {
        for (const ptx::Variable& v : f->locals) initialiser(v);
        for (const ptx::Instruction& in : f->body) {
            for (const ptx::Operand& o : in.operands) visit(o);
        }
    }
    return names;
}

[[noreturn]] void refuseShared(const ptx::Variable& v, std::uint64_t bytes,
                               const ptx::Module& module)
{
    const auto [file, line] = module.placeOf(v.at.line);
    throw InputError(file, line, v.at.column,
                     fmt::format("variable '{}': {} bytes of shared memory per CTA, at most {}",
                                 v.name, bytes, SharedBytes::kUsablePerSm));
}

/// Offsets of the shared variables in a CTA's window. Variables at module scope count if a function of the entry names them.
std::map<std::string, std::uint64_t>
layoutShared(Shape& shape, const LaunchSpec& spec, const ptx::Module& module,
             const std::vector<const ptx::Function*>& functions)
{
    std::map<std::string, std::uint64_t> symbols;
    const auto key = [&](const ptx::Variable& v) {
        return v.function == ptx::kNone ? v.name : module.functions[v.function].name + '/' + v.name;
    };
    std::uint64_t at = 0;
    std::vector<const ptx::Variable*> dynamic;
    const auto add = [&](const ptx::Variable& v) {
        if (v.space != ptx::Space::SharedCta) return;
        if (v.bytes == 0) {
            dynamic.push_back(&v);
            return;
        }
        at = alignUp(at, v.align);
        symbols[key(v)] = at;
        at += v.bytes;
        if (at > SharedBytes::kUsablePerSm) refuseShared(v, at, module);
    };
    const std::set<std::string_view> named = namesIn(module, functions);
    for (const ptx::Variable& v : module.variables) {
        if (named.contains(v.name)) add(v);
    }
    for (const ptx::Function* f : functions) {
        for (const ptx::Variable& v : f->locals) add(v);
    }
    std::uint64_t align = 16;
    for (const ptx::Variable* v : dynamic) align = std::max(align, v->align);
    shape.staticSmem = static_cast<std::uint32_t>(std::min<std::uint64_t>(at, ~0u));
    const std::uint64_t dynamicBase = alignUp(at, align);
    for (const ptx::Variable* v : dynamic) symbols[key(*v)] = dynamicBase;
    const std::uint64_t total = spec.dynamicSmem == 0 ? at : dynamicBase + spec.dynamicSmem;
    if (total > SharedBytes::kUsablePerSm) {
        spec.fail("/dynamic_smem", fmt::format("{} bytes of shared memory per CTA, at most {}",
                                               total, SharedBytes::kUsablePerSm));
    }
    shape.dynamicBase = static_cast<std::uint32_t>(dynamicBase);
    shape.totalSmem = static_cast<std::uint32_t>(total);
    shape.smem = static_cast<std::uint32_t>(alignUp(total, 256));
    return symbols;
}

}  // namespace

std::uint64_t residentClusters(const Shape& shape) noexcept
{
    const std::uint64_t byWarps = shape.has.warpSlots / shape.warps;
    const std::uint64_t bySmem =
        shape.smem == 0 ? kMaxCtas : SharedBytes::kUsablePerSm / shape.smem;
    const std::uint64_t perSm =
        std::min({byWarps, bySmem, std::uint64_t{shape.has.ctas}, std::uint64_t{shape.perSm}});
    return shape.chip().clustersHeld(perSm, shape.clusterCtas);
}

LaunchPlan planOf(const LaunchSpec& spec, const ptx::Module& module, const Structure& structure)
{
    LaunchPlan plan;
    plan.entry = &entryOf(spec, module);
    Shape& shape = plan.shape = checkedShape(spec, *plan.entry);
    shape.has = structure;
    if (shape.warps > structure.warpSlots)
        spec.fail("/block", fmt::format("a CTA of {}, and an SM has {} (WarpSlots)",
                                        counted(shape.warps, "warp"),
                                        counted(structure.warpSlots, "warp slot")));
    plan.functions = reachable(module, *plan.entry);
    plan.sharedSymbols = layoutShared(shape, spec, module, plan.functions);
    const std::uint64_t fit = residentClusters(shape);
    if (spec.cooperative && fit < shape.clusters()) {
        spec.fail("/cooperative", fmt::format("{} CTAs do not fit at once: {} do on {}", shape.ctas,
                                              fit * shape.clusterCtas, counted(shape.sms, "SM")));
    }
    if (fit == 0) {
        spec.fail("/cluster",
                  fmt::format("not even one cluster of {} fits on {}",
                              counted(shape.clusterCtas, "CTA"), counted(shape.sms, "SM")));
    }
    return plan;
}

}  // namespace exec
}  // namespace gsu
