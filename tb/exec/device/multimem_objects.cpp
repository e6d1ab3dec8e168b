// Multimem objects of a launch: the place of each, and its copies.
#include <fmt/format.h>

#include <algorithm>

#include "exec/device/device_memory.hpp"
#include "exec/launch/json_text.hpp"
#include "exec/launch/launch_spec.hpp"

namespace gsu::exec {

/// Gives each object addresses of its own, after a gap; only multimem instructions find memory there.
void DeviceMemory::placeMultimem(const std::vector<std::uint64_t>& buffers)
{
    std::uint64_t next = kMultimemBase;
    for (const LaunchMultimem& given : spec.multimem) {
        const auto fail = [&](const std::string& why) {
            spec.fail("/multimem" + pointerStep(given.name), why);
        };
        Multimem m{given.name, next, 0, {}};
        for (const MemoryRef& ref : given.copies) {
            const std::string name =
                ref.name.empty() ? fmt::format("parameter {}", ref.param) : "'" + ref.name + "'";
            std::optional<std::uint64_t> address = addressOf(ref.name);
            if (ref.name.empty() && ref.param < buffers.size() && buffers[ref.param] != 0)
                address = buffers[ref.param];
            if (!address || global.sizeAt(*address) == 0) fail(name + " is not a buffer");
            const std::uint64_t bytes = global.sizeAt(*address);
            if (m.bytes != 0 && m.bytes != bytes)
                fail(fmt::format("{} has {} bytes, the first copy {}", name, bytes, m.bytes));
            if (std::find(m.copies.begin(), m.copies.end(), *address) != m.copies.end())
                fail(name + " is given twice");
            m.bytes = bytes;
            m.copies.push_back(*address);
        }
        next += (m.bytes + 511) / 256 * 256;
        multimem.push_back(std::move(m));
    }
}

}  // namespace gsu::exec
