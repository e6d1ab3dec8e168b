// "multimem" of a launch file: one address for several copies of the same memory.
#include <algorithm>

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

}  // namespace gsu
