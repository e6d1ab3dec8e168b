// Arguments and memory of a launch: placement, addresses that patches fill in, what is there afterwards.
#include <algorithm>

#include "exec/launch/json_text.hpp"
#include "exec/machine/machine.hpp"

namespace gsu::exec {
namespace {

constexpr std::uint64_t kWorkspaceBytes = 1024;

std::uint64_t alignUp(std::uint64_t value, std::uint64_t align)
{
    return align == 0 ? value : (value + align - 1) / align * align;
}

}  // namespace

/// What has an address first, ascending; everything else lies behind it.
void Machine::placeMemory()
{
    struct Item {
        std::uint64_t address, bytes;
        const LaunchMemory* memory;  ///< or
        const LaunchGlobal* global;
    };
    std::vector<Item> order;
    for (const LaunchMemory& m : spec.memory)
        order.push_back({m.address.value_or(~0ull), m.data.bytes.size(), &m, nullptr});
    for (const LaunchGlobal& g : spec.globals) {
        if (!g.address) continue;
        const auto variable = std::find_if(
            module.variables.begin(), module.variables.end(), [&](const ptx::Variable& v) {
                return v.name == g.name && v.space == ptx::Space::Global;
            });
        if (variable == module.variables.end()) {
            spec.fail("/globals" + pointerStep(g.name) + "/address",
                      module.path + " has no such variable in global memory");
        }
        order.push_back({*g.address, variable->bytes, nullptr, &g});
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const Item& a, const Item& b) { return a.address < b.address; });
    for (const Item& item : order) {
        const std::string name = item.memory != nullptr ? "memory '" + item.memory->name + "'"
                                                        : "variable '" + item.global->name + "'";
        reserve(item.bytes, name, {});
        const bool placed = item.address != ~0ull;
        const std::uint64_t base =
            global.allocate(item.bytes, name, false, placed ? item.address : 0);
        if (placed && base != item.address)
            spec.fail(item.memory != nullptr ? "/memory" + pointerStep(item.memory->name)
                                             : "/globals" + pointerStep(item.global->name),
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
    if (spec.cooperative) {
        reserve(kWorkspaceBytes, "the workspace of a cooperative launch", {});
        gridWorkspace = global.allocate(kWorkspaceBytes, "the workspace of the grid");
    }
}

std::optional<std::uint64_t> Machine::addressOfMemory(const MemoryRef& ref) const
{
    if (ref.name.empty()) {
        if (ref.param >= bufferAddress.size() || bufferAddress[ref.param] == 0) return std::nullopt;
        return bufferAddress[ref.param];
    }
    for (const Multimem& m : multimem)
        if (m.name == ref.name) return m.base;
    for (const auto* map : {&memoryAddress, &globalSymbols}) {
        if (const auto found = map->find(ref.name); found != map->end()) return found->second;
    }
    return std::nullopt;
}

std::vector<std::uint8_t> Machine::encoded(const TensorParam& tensor, const std::string& place)
{
    const auto fail = [&](const std::string& why) { spec.fail(place, "tensormap: " + why); };
    const auto base = addressOfMemory(tensor.base);
    if (!base) {
        fail((tensor.base.name.empty() ? "parameter " + std::to_string(tensor.base.param)
                                       : "'" + tensor.base.name + "'") +
             " is not a buffer");
    }
    TensorMap map = tensor.map;
    const std::uint64_t have = global.sizeAt(*base);
    if (tensor.offset > have || map.extent() > have - tensor.offset) {
        fail("the tensor is " + std::to_string(map.extent()) + " bytes long, the buffer has " +
             std::to_string(have));
    }
    map.address = *base + tensor.offset;
    const auto bytes = map.encoded();
    return {bytes.begin(), bytes.end()};
}

/// `base`: what the offset of a patch counts from, for the alignment of a tensor map.
void Machine::apply(const std::vector<Patch>& patches, std::uint8_t* to, std::uint64_t base,
                    const std::string& place)
{
    for (const Patch& patch : patches) {
        if (patch.tensor) {
            if ((base + patch.offset) % 64 != 0) {
                spec.fail(place, "tensormap: offset " + std::to_string(patch.offset) +
                                     " is not aligned to 64");
            }
            const auto bytes = encoded(*patch.tensor, place);
            std::copy(bytes.begin(), bytes.end(), to + patch.offset);
            continue;
        }
        const auto address = addressOfMemory(patch.base);
        if (!address) {
            spec.fail(place, "patch: " + (patch.base.name.empty()
                                              ? "parameter " + std::to_string(patch.base.param) +
                                                    " is not a buffer"
                                              : "no memory or variable '" + patch.base.name + "'"));
        }
        const std::uint64_t value = *address + patch.add;
        std::memcpy(to + patch.offset, &value, sizeof value);
    }
}

void Machine::bindParams()
{
    const ptx::Function& entry = entryOf(spec, module);
    if (spec.params.size() != entry.params.size()) {
        spec.fail("/params", std::to_string(spec.params.size()) + " given, " + entry.name +
                                 " takes " + std::to_string(entry.params.size()));
    }
    for (std::size_t i = 0; i < spec.params.size(); ++i) {
        const LaunchParam& given = spec.params[i];
        const ptx::Variable& formal = entry.params[i];
        std::vector<std::uint8_t> bytes = given.data.bytes;
        std::uint64_t address = 0;
        if (given.kind == LaunchParam::Kind::Buffer) {
            reserve(given.data.bytes.size(), "the buffer of parameter " + std::to_string(i), {});
            address = global.allocate(given.data.bytes.size(), "parameter " + std::to_string(i));
            if (!given.data.bytes.empty()) {
                std::memcpy(global.find(address, given.data.bytes.size()), given.data.bytes.data(),
                            given.data.bytes.size());
            }
            bytes.resize(8);
            std::memcpy(bytes.data(), &address, 8);
        }
        bufferAddress.push_back(address);
        if (bytes.size() != formal.bytes) {
            spec.fail("/params/" + std::to_string(i), std::to_string(bytes.size()) +
                                                          " bytes, parameter '" + formal.name +
                                                          "' has " + std::to_string(formal.bytes));
        }
        const std::uint64_t at =
            alignUp(paramBank.size(), std::max<std::uint64_t>(formal.align, 1));
        paramOffset.push_back(at);
        paramBank.resize(at);
        paramBank.insert(paramBank.end(), bytes.begin(), bytes.end());
    }
    placeMultimem();
    patchAll(entry);
}

void Machine::patchAll(const ptx::Function& entry)
{
    for (std::size_t i = 0; i < spec.params.size(); ++i) {
        const LaunchParam& given = spec.params[i];
        const std::string place = "/params/" + std::to_string(i);
        std::uint8_t* value = paramBank.data() + paramOffset[i];
        if (given.tensor) {
            if (entry.params[i].align % 64 != 0) {
                spec.fail(place, "tensormap: parameter '" + entry.params[i].name +
                                     "' is not aligned to 64");
            }
            const auto bytes = encoded(*given.tensor, place);
            std::copy(bytes.begin(), bytes.end(), value);
        }
        const bool buffer = given.kind == LaunchParam::Kind::Buffer;
        if (!given.patches.empty())
            apply(given.patches,
                  buffer ? global.find(bufferAddress[i], given.data.bytes.size()) : value,
                  buffer ? bufferAddress[i] : paramOffset[i], place);
    }
    for (const LaunchMemory& m : spec.memory) {
        const std::uint64_t base = memoryAddress.at(m.name);
        if (!m.patches.empty())
            apply(m.patches, global.find(base, m.data.bytes.size()), base,
                  "/memory" + pointerStep(m.name));
    }
}

std::vector<MemoryContents> Machine::contents(bool withBytes)
{
    std::vector<MemoryContents> list;
    const auto add = [&](const std::string& name, std::uint64_t base) {
        const std::uint64_t bytes = withBytes ? global.sizeAt(base) : 0;
        const std::uint8_t* data = global.find(base, bytes);
        list.push_back({name, data == nullptr || bytes == 0
                                  ? std::vector<std::uint8_t>{}
                                  : std::vector<std::uint8_t>(data, data + bytes)});
    };
    for (std::size_t i = 0; i < bufferAddress.size(); ++i) {
        if (bufferAddress[i] != 0) add("param" + std::to_string(i), bufferAddress[i]);
    }
    for (const auto& [name, base] : memoryAddress) add("memory." + name, base);
    for (const auto& [name, base] : globalSymbols) {
        if (name.find('/') == std::string::npos) add("global." + name, base);
    }
    return list;
}

}  // namespace gsu::exec
