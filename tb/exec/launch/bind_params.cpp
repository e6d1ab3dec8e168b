// Arguments of a launch, and what is there afterwards.
#include <algorithm>

#include "exec/machine/machine.hpp"

namespace gsu::exec {
namespace {

std::uint64_t alignUp(std::uint64_t value, std::uint64_t align)
{
    return align == 0 ? value : (value + align - 1) / align * align;
}

}  // namespace

/// The bytes of a parameter before addresses are filled in; a buffer is allocated.
std::vector<std::uint8_t> Machine::argument(std::size_t index)
{
    const LaunchParam& given = spec.params[index];
    bufferAddress.push_back(0);
    if (given.kind != LaunchParam::Kind::Buffer) return given.data.bytes;
    const auto& data = given.data.bytes;
    device.reserve(data.size(), "the buffer of parameter " + std::to_string(index), {});
    const std::uint64_t address =
        global.allocate(data.size(), "parameter " + std::to_string(index));
    if (!data.empty()) std::memcpy(global.find(address, data.size()), data.data(), data.size());
    bufferAddress.back() = address;
    std::vector<std::uint8_t> bytes(8);
    std::memcpy(bytes.data(), &address, 8);
    return bytes;
}

void Machine::bindParams()
{
    const ptx::Function& entry = entryOf(spec, module);
    std::uint64_t end = 0, align = 1;
    for (const ptx::Variable& formal : entry.params) {
        paramOffset.push_back(alignUp(end, std::max<std::uint64_t>(formal.align, 1)));
        end = paramOffset.back() + formal.bytes;
        align = std::max(align, formal.align);
    }
    if (spec.paramBlock) {
        const std::uint64_t have = spec.paramBlock->data.bytes.size();
        if (have != end && have != alignUp(end, align)) {
            spec.fail("/params", std::to_string(have) + " bytes, the parameters of " + entry.name +
                                     " have " + std::to_string(end));
        }
        paramBank = spec.paramBlock->data.bytes;
        paramBank.resize(end);
    } else if (spec.params.size() != entry.params.size()) {
        spec.fail("/params", std::to_string(spec.params.size()) + " given, " + entry.name +
                                 " takes " + std::to_string(entry.params.size()));
    }
    paramBank.resize(end);
    for (std::size_t i = 0; i < spec.params.size(); ++i) {
        const ptx::Variable& formal = entry.params[i];
        const std::vector<std::uint8_t> bytes = argument(i);
        if (bytes.size() != formal.bytes) {
            const auto [file, line] = module.placeOf(formal.at.line);
            spec.fail("/params/" + std::to_string(i),
                      std::to_string(bytes.size()) + " bytes, parameter '" + formal.name +
                          "' has " + std::to_string(formal.bytes) + " (" + file + ":" +
                          std::to_string(line) + ")");
        }
        std::copy(bytes.begin(), bytes.end(),
                  paramBank.begin() + static_cast<std::ptrdiff_t>(paramOffset[i]));
    }
    if (ownDevice != nullptr) device.placeMultimem(bufferAddress);
    patchAll(entry);
}

void Machine::patchAll(const ptx::Function& entry)
{
    const Patcher patcher(spec, device, bufferAddress);
    if (spec.paramBlock) patcher.apply(spec.paramBlock->patches, paramBank.data(), 0, "/params");
    for (std::size_t i = 0; i < spec.params.size(); ++i) {
        const LaunchParam& given = spec.params[i];
        const std::string place = "/params/" + std::to_string(i);
        std::uint8_t* value = paramBank.data() + paramOffset[i];
        if (given.tensor) {
            if (entry.params[i].align % 64 != 0) {
                spec.fail(place, "tensormap: parameter '" + entry.params[i].name +
                                     "' is not aligned to 64");
            }
            const auto bytes = patcher.encoded(*given.tensor, place);
            std::copy(bytes.begin(), bytes.end(), value);
        }
        const bool buffer = given.kind == LaunchParam::Kind::Buffer;
        if (!given.patches.empty())
            patcher.apply(given.patches,
                          buffer ? global.find(bufferAddress[i], given.data.bytes.size()) : value,
                          buffer ? bufferAddress[i] : paramOffset[i], place);
    }
    if (ownDevice != nullptr) patcher.memory();
}

std::vector<MemoryContents> Machine::contents(bool withBytes)
{
    std::vector<MemoryContents> list;
    for (std::size_t i = 0; i < bufferAddress.size(); ++i) {
        if (bufferAddress[i] == 0) continue;
        const std::uint64_t bytes = global.sizeAt(bufferAddress[i]);
        const std::uint8_t* data = global.find(bufferAddress[i], bytes);
        list.push_back({"param" + std::to_string(i), {}});
        if (withBytes && bytes != 0) list.back().bytes.assign(data, data + bytes);
    }
    if (ownDevice == nullptr) return list;
    for (MemoryContents& m : device.contents(withBytes)) list.push_back(std::move(m));
    return list;
}

}  // namespace gsu::exec
