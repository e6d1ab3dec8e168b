#include "exec/device/device_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/align.hpp"
#include "exec/launch/json_text.hpp"

namespace gsu::exec {
namespace {

constexpr std::uint64_t kMaxConst = 64 * 1024;
constexpr std::uint64_t kWorkspaceBytes = 1024;
constexpr std::uint64_t kAnywhere = ~0ull;

std::string globalPlace(const LaunchGlobal& g) { return "/globals" + pointerStep(g.name); }

const ptx::Variable* variableOf(const ptx::Module& module, const std::string& name)
{
    for (const ptx::Variable& v : module.variables) {
        const bool kept = v.space == ptx::Space::Global || v.space == ptx::Space::Const;
        if (kept && v.name == name) return &v;
    }
    return nullptr;
}

}  // namespace

DeviceMemory::DeviceMemory(const LaunchSpec& s, const ptx::Module& m, std::uint64_t bytes,
                           GlobalMemory* shared)
    : spec(s), module(m), global(shared != nullptr ? *shared : ownGlobal), total(bytes), left(bytes)
{
    layoutConstants();
    placeMemory();
    layoutGlobals();
    checkNames();
}

InputError DeviceMemory::errorAt(ptx::Position at, const std::string& why) const
{
    const auto [file, line] = module.placeOf(at.line);
    return {file, line, at.column, why};
}

void DeviceMemory::reserve(std::uint64_t bytes, const std::string& what, ptx::Position place)
{
    if (bytes > left) {
        throw errorAt(
            place,
            fmt::format("{} of {} bytes: only {} of the launch's {} bytes of memory are left", what,
                        bytes, left, total));
    }
    left -= bytes;
}

/// Places constant variables: those with an address first, the others between and after them in the order of the module.
void DeviceMemory::layoutConstants()
{
    std::map<std::uint64_t, std::uint64_t> taken;  // first byte, end
    const auto place = [&](const ptx::Variable& v, std::uint64_t at) {
        if (at + v.bytes > kMaxConst) {
            throw errorAt(v.at,
                          fmt::format("variable '{}' does not fit: constant memory has {} bytes",
                                      v.name, kMaxConst));
        }
        constSymbols[v.name] = at;
        if (v.bytes != 0) taken[at] = at + v.bytes;
        constBank.resize(std::max<std::size_t>(constBank.size(), at + v.bytes));
    };
    for (const LaunchGlobal& g : spec.globals) {
        const ptx::Variable* v = variableOf(module, g.name);
        if (!g.address || v == nullptr || v->space != ptx::Space::Const) continue;
        const std::string pointer = globalPlace(g) + "/address";
        const std::uint64_t at =
            *g.address >= kConstWindow ? *g.address - kConstWindow : *g.address;
        if (at >= kMaxConst) spec.fail(pointer, "constant memory has the addresses 0..65535");
        if (at % std::max<std::uint64_t>(v->align, 1) != 0)
            spec.fail(pointer, fmt::format("is not a multiple of {}", v->align));
        for (const auto& [from, to] : taken) {
            if (at < to && from < at + v->bytes) spec.fail(pointer, "overlaps another variable");
        }
        place(*v, at);
    }
    std::uint64_t next = 0;
    for (const ptx::Variable& v : module.variables) {
        if (v.space != ptx::Space::Const || constSymbols.contains(v.name)) continue;
        next = alignUp(next, v.align);
        for (const auto& [from, to] : taken) {
            if (next < to && from < next + v.bytes) next = alignUp(to, v.align);
        }
        place(v, next);
        next += v.bytes;
    }
}

/// The order of placing: items with an address first, ascending; all others after them.
std::vector<DeviceMemory::Item> DeviceMemory::placingOrder() const
{
    std::vector<Item> order;
    for (const LaunchMemory& m : spec.memory)
        order.push_back({m.address.value_or(kAnywhere), m.data.bytes.size(), &m, nullptr});
    for (const LaunchGlobal& g : spec.globals) {
        const ptx::Variable* v = variableOf(module, g.name);
        if (!g.address || (v != nullptr && v->space == ptx::Space::Const)) continue;
        const std::string pointer = globalPlace(g) + "/address";
        if (v == nullptr)
            spec.fail(pointer, module.path + " has no such variable in global or constant memory");
        if (*g.address < kGlobalBase || *g.address % 256 != 0)
            spec.fail(pointer, "is not a multiple of 256 in 0x7f4000000000..0x803fffffffff");
        order.push_back({*g.address, v->bytes, nullptr, &g});
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const Item& a, const Item& b) { return a.address < b.address; });
    return order;
}

void DeviceMemory::placeMemory()
{
    for (const Item& item : placingOrder()) {
        const std::string name = item.memory != nullptr ? "memory '" + item.memory->name + "'"
                                                        : "variable '" + item.global->name + "'";
        reserve(item.bytes, name, {});
        const bool placed = item.address != kAnywhere;
        const std::uint64_t base =
            global.allocate(item.bytes, name, false, placed ? item.address : 0);
        if (placed && base != item.address)
            spec.fail(item.memory != nullptr ? "/memory" + pointerStep(item.memory->name)
                                             : globalPlace(*item.global),
                      "address: overlaps what lies below it");
        if (item.memory == nullptr) {
            globalSymbols[item.global->name] = base;
            continue;
        }
        const auto& bytes = item.memory->data.bytes;
        if (!bytes.empty())
            std::memcpy(global.find(base, bytes.size()), bytes.data(), bytes.size());
        memoryAddress[item.memory->name] = base;
    }
    // The driver gives a cooperative launch zeroed words for its grid barrier; code built on them traps at a null pointer.
    if (!spec.cooperative) return;
    reserve(kWorkspaceBytes, "the workspace of a cooperative launch", {});
    gridWorkspace = global.allocate(kWorkspaceBytes, "the workspace of the grid");
}

void DeviceMemory::clearWorkspace()
{
    if (gridWorkspace != 0)
        std::memset(global.find(gridWorkspace, kWorkspaceBytes), 0, kWorkspaceBytes);
}

void DeviceMemory::layoutGlobals()
{
    const auto add = [&](const ptx::Variable& v, const std::string& name) {
        if (v.space != ptx::Space::Global || globalSymbols.contains(name)) return;
        reserve(v.bytes, "variable '" + v.name + "'", v.at);
        globalSymbols[name] = global.allocate(v.bytes, v.name);
    };
    for (const ptx::Variable& v : module.variables) add(v, v.name);
    for (const ptx::Function& f : module.functions) {
        for (const ptx::Variable& v : f.locals) add(v, f.name + '/' + v.name);
    }
}

void DeviceMemory::checkNames()
{
    for (const LaunchGlobal& g : spec.globals) {
        const ptx::Variable* v = variableOf(module, g.name);
        if (v == nullptr) spec.fail(globalPlace(g), module.path + " has no such variable");
        if (g.data.bytes.size() > v->bytes) {
            spec.fail(globalPlace(g),
                      fmt::format("{} bytes, the variable has {}", g.data.bytes.size(), v->bytes));
        }
    }
    for (std::size_t i = 0; i < spec.expect.size(); ++i) {
        const Expectation& e = spec.expect[i];
        if (!e.param && bytesOf(e.global).first == nullptr)
            spec.fail(fmt::format("/expect/{}", i),
                      module.path + " has no global variable '" + e.global + "'");
    }
}

std::optional<std::uint64_t> DeviceMemory::addressOf(const std::string& name) const
{
    for (const Multimem& m : multimem) {
        if (m.name == name) return m.base;
    }
    for (const auto* map : {&memoryAddress, &globalSymbols}) {
        if (const auto found = map->find(name); found != map->end()) return found->second;
    }
    return std::nullopt;
}

std::pair<std::uint8_t*, std::uint64_t> DeviceMemory::bytesOf(const std::string& name)
{
    if (const auto address = addressOf(name)) {
        const std::uint64_t bytes = global.sizeAt(*address);
        static std::uint8_t none = 0;  // a variable without bytes is there
        return {bytes != 0 ? global.find(*address, bytes) : &none, bytes};
    }
    const auto found = constSymbols.find(name);
    if (found == constSymbols.end()) return {};
    return {constBank.data() + found->second, variableOf(module, name)->bytes};
}

std::vector<MemoryContents> DeviceMemory::contents(bool withBytes)
{
    std::vector<MemoryContents> list;
    const auto add = [&](const char* kind, const std::string& name) {
        list.push_back({kind + name, {}});
        const auto [data, bytes] = bytesOf(name);
        if (withBytes) list.back().bytes.assign(data, data + bytes);
    };
    for (const auto& [name, base] : memoryAddress) add("memory.", name);
    for (const auto* symbols : {&globalSymbols, &constSymbols}) {
        for (const auto& [name, at] : *symbols) {
            if (name.find('/') == std::string::npos) add("global.", name);
        }
    }
    return list;
}

}  // namespace gsu::exec
