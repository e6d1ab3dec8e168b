// Addresses and tensor maps that a launch file asks for, put into its memory.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "exec/device/device_memory.hpp"
#include "exec/launch/json_text.hpp"

namespace gsu::exec {

std::optional<std::uint64_t> Patcher::addressOf(const MemoryRef& ref) const
{
    if (!ref.name.empty()) return device_.addressOf(ref.name);
    if (ref.param >= buffers_.size() || buffers_[ref.param] == 0) return std::nullopt;
    return buffers_[ref.param];
}

std::vector<std::uint8_t> Patcher::encoded(const TensorParam& tensor,
                                           const std::string& place) const
{
    const auto fail = [&](const std::string& why) { spec_.fail(place, "tensormap: " + why); };
    const auto base = addressOf(tensor.base);
    if (!base) {
        fail((tensor.base.name.empty() ? fmt::format("parameter {}", tensor.base.param)
                                       : "'" + tensor.base.name + "'") +
             " is not a buffer");
    }
    TensorMap map = tensor.map;
    const std::uint64_t have = device_.global.sizeAt(*base);
    if (tensor.offset > have || map.extent() > have - tensor.offset) {
        fail(fmt::format("the tensor is {} bytes long, the buffer has {}", map.extent(), have));
    }
    map.address = *base + tensor.offset;
    const auto bytes = map.encoded();
    return {bytes.begin(), bytes.end()};
}

void Patcher::apply(const std::vector<Patch>& patches, std::uint8_t* to, std::uint64_t base,
                    const std::string& place) const
{
    for (const Patch& patch : patches) {
        if (patch.tensor) {
            if ((base + patch.offset) % 64 != 0) {
                spec_.fail(place,
                           fmt::format("tensormap: offset {} is not aligned to 64", patch.offset));
            }
            const auto bytes = encoded(*patch.tensor, place);
            std::copy(bytes.begin(), bytes.end(), to + patch.offset);
            continue;
        }
        const auto address = addressOf(patch.base);
        if (!address) {
            spec_.fail(place,
                       "patch: " +
                           (patch.base.name.empty()
                                ? fmt::format("parameter {} is not a buffer", patch.base.param)
                                : "no memory or variable '" + patch.base.name + "'"));
        }
        const std::uint64_t value = *address + patch.add;
        std::memcpy(to + patch.offset, &value, sizeof value);
    }
}

void Patcher::memory() const
{
    for (const LaunchMemory& m : device_.spec.memory) {
        if (m.patches.empty()) continue;
        const auto [data, bytes] = device_.bytesOf(m.name);
        apply(m.patches, data, *device_.addressOf(m.name), "/memory" + pointerStep(m.name));
    }
}

}  // namespace gsu::exec
