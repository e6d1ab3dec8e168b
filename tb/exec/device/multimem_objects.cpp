// "multimem" of a launch file: one address for several copies of the same memory.
#include <fmt/format.h>

#include <algorithm>

#include "exec/device/device_memory.hpp"
#include "exec/launch/json_view.hpp"
#include "exec/launch/launch_spec.hpp"

namespace gsu {

void multimemOf(LaunchSpec& spec, const JsonView& root)
{
    if (!root.has("multimem")) return;
    const JsonView all = root["multimem"];
    if (!all.json().is_object()) all.fail("expected an object");
    for (const auto& item : all.json().items()) {
        const JsonView copies = all[item.key()];
        if (item.key().empty()) copies.fail("a name must not be empty");
        const auto taken = [&](const LaunchMemory& m) { return m.name == item.key(); };
        if (std::any_of(spec.memory.begin(), spec.memory.end(), taken))
            copies.fail("\"memory\" has this name, too");
        copies.array();
        if (copies.size() == 0 || copies.size() > 64) copies.fail("1 to 64 copies");
        LaunchMultimem m{item.key(), {}};
        for (std::size_t i = 0; i < copies.size(); ++i) m.copies.push_back(memoryRef(copies.at(i)));
        spec.multimem.push_back(std::move(m));
    }
}

namespace exec {

/// Each gets addresses of its own, behind a gap; nothing but multimem instructions finds memory there.
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

}  // namespace exec
}  // namespace gsu
