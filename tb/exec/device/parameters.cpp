#include "exec/device/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/align.hpp"

namespace gsu::exec {

/// The bytes of a parameter before addresses are filled in; a buffer is allocated.
std::vector<std::uint8_t> Parameters::argument(std::size_t index)
{
    const LaunchParam& given = spec_.params[index];
    buffers_.push_back(0);
    if (given.kind != LaunchParam::Kind::Buffer) return given.data.bytes;
    const auto& data = given.data.bytes;
    device_.reserve(data.size(), fmt::format("the buffer of parameter {}", index), {});
    const std::uint64_t address =
        device_.global.allocate(data.size(), fmt::format("parameter {}", index));
    if (!data.empty())
        std::memcpy(device_.global.find(address, data.size()), data.data(), data.size());
    buffers_.back() = address;
    std::vector<std::uint8_t> bytes(8);
    std::memcpy(bytes.data(), &address, 8);
    return bytes;
}

Parameters::Parameters(const LaunchSpec& spec, const ptx::Module& module, DeviceMemory& device,
                       bool owned)
    : spec_(spec), device_(device)
{
    const ptx::Function& entry = entryOf(spec, module);
    layout(entry);
    for (std::size_t i = 0; i < spec.params.size(); ++i) {
        const ptx::Variable& formal = entry.params[i];
        const std::vector<std::uint8_t> bytes = argument(i);
        if (bytes.size() != formal.bytes) {
            const auto [file, line] = module.placeOf(formal.at.line);
            spec.fail(fmt::format("/params/{}", i),
                      fmt::format("the value has {} bytes, parameter '{}' takes {} ({}:{})",
                                  bytes.size(), formal.name, formal.bytes, file, line));
        }
        std::copy(bytes.begin(), bytes.end(),
                  bank_.begin() + static_cast<std::ptrdiff_t>(offsets_[i]));
    }
    if (owned) device.placeMultimem(buffers_);
    patch(entry, owned);
}

/// Places of the parameters in the bank, which holds the block of bytes where the launch gives one.
void Parameters::layout(const ptx::Function& entry)
{
    std::uint64_t end = 0, align = 1;
    for (const ptx::Variable& formal : entry.params) {
        offsets_.push_back(alignUp(end, std::max<std::uint64_t>(formal.align, 1)));
        end = offsets_.back() + formal.bytes;
        align = std::max(align, formal.align);
    }
    if (spec_.paramBlock) {
        const std::uint64_t have = spec_.paramBlock->data.bytes.size();
        if (have != end && have != alignUp(end, align)) {
            spec_.fail("/params", fmt::format("{} bytes, the parameters of {} have {}", have,
                                              entry.name, end));
        }
        bank_ = spec_.paramBlock->data.bytes;
    } else if (spec_.params.size() != entry.params.size()) {
        spec_.fail("/params", fmt::format("{} given, {} takes {}", spec_.params.size(), entry.name,
                                          entry.params.size()));
    }
    bank_.resize(end);
}

void Parameters::patch(const ptx::Function& entry, bool owned)
{
    const Patcher patcher(spec_, device_, buffers_);
    if (spec_.paramBlock) patcher.apply(spec_.paramBlock->patches, bank_.data(), 0, "/params");
    for (std::size_t i = 0; i < spec_.params.size(); ++i) {
        const LaunchParam& given = spec_.params[i];
        const std::string place = fmt::format("/params/{}", i);
        std::uint8_t* value = bank_.data() + offsets_[i];
        if (given.tensor) {
            if (entry.params[i].align % 64 != 0) {
                spec_.fail(place, "tensormap: parameter '" + entry.params[i].name +
                                      "' is not aligned to 64");
            }
            const auto bytes = patcher.encoded(*given.tensor, place);
            std::copy(bytes.begin(), bytes.end(), value);
        }
        const bool buffer = given.kind == LaunchParam::Kind::Buffer;
        if (!given.patches.empty())
            patcher.apply(given.patches,
                          buffer ? device_.global.find(buffers_[i], given.data.bytes.size())
                                 : value,
                          buffer ? buffers_[i] : offsets_[i], place);
    }
    if (owned) patcher.memory();
}

std::vector<MemoryContents> Parameters::contents(bool withBytes) const
{
    std::vector<MemoryContents> list;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        if (buffers_[i] == 0) continue;
        const std::uint64_t bytes = device_.global.sizeAt(buffers_[i]);
        const std::uint8_t* data = device_.global.find(buffers_[i], bytes);
        list.push_back({fmt::format("param{}", i), {}});
        if (withBytes && bytes != 0) list.back().bytes.assign(data, data + bytes);
    }
    return list;
}

}  // namespace gsu::exec
