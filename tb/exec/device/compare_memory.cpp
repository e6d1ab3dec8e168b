// Memory after a run against what the launch expects.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "exec/device/device_memory.hpp"

namespace gsu::exec {
namespace {

constexpr std::size_t kMaxMismatches = 100;

bool equalNumbers(const Expectation& e, const std::uint8_t* want, const std::uint8_t* have)
{
    const unsigned size = sizeOf(e.data.type);
    if (std::memcmp(want, have, size) == 0) return true;
    if (!e.tolerant) return false;
    const double w = elementOf(e.data.type, want).real, h = elementOf(e.data.type, have).real;
    if (std::isnan(w) || std::isnan(h)) return std::isnan(w) && std::isnan(h);
    if (std::isinf(w) || std::isinf(h)) return w == h;
    return std::fabs(w - h) <= e.atol + e.rtol * std::fabs(w);
}

}  // namespace

void compareMemory(DeviceMemory& device, const std::vector<Expectation>& expect,
                   const std::vector<std::uint64_t>& buffers, std::vector<Mismatch>& mismatches)
{
    for (const Expectation& e : expect) {
        std::pair<std::uint8_t*, std::uint64_t> memory;
        if (e.param) {
            const std::uint64_t bytes = device.global.sizeAt(buffers[*e.param]);
            memory = {device.global.find(buffers[*e.param], bytes), bytes};
        } else {
            memory = device.bytesOf(e.global);
        }
        const unsigned size = sizeOf(e.data.type);
        std::size_t count = e.fill ? memory.second / size : e.data.count();
        if (e.first) count = std::min(count, *e.first);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint8_t* want = e.data.bytes.data() + (e.fill ? 0 : i * size);
            const std::uint8_t* have =
                (i + 1) * size <= memory.second ? memory.first + i * size : nullptr;
            if (have != nullptr && equalNumbers(e, want, have)) continue;
            if (mismatches.size() >= kMaxMismatches) return;
            mismatches.push_back({e.param, e.global, i, textOf(e.data.type, want),
                                  have != nullptr ? textOf(e.data.type, have) : "nothing"});
        }
    }
}

}  // namespace gsu::exec
