// Waits that are nobody's consequence.
#include <algorithm>
#include <functional>

#include "causes/port_scene.hpp"

namespace gsu {

/// Strongly connected waiters (Tarjan).
void PortScene::circles(std::vector<PortRoot>& roots) const
{
    constexpr std::size_t kNone = ~std::size_t{0};
    std::vector<std::size_t> index(waits_.size(), kNone), low(waits_.size()), stack;
    std::vector<bool> on(waits_.size());
    std::size_t next = 0;
    const std::function<void(std::size_t)> visit = [&](std::size_t v) {
        index[v] = low[v] = next++;
        stack.push_back(v);
        on[v] = true;
        bool self = false;
        for (const PortDebt& d : debts_[v]) {
            self = self || d.by == v;
            if (!sufficient_[d.by]) continue;
            if (index[d.by] == kNone) {
                visit(d.by);
                low[v] = std::min(low[v], low[d.by]);
            } else if (on[d.by]) {
                low[v] = std::min(low[v], index[d.by]);
            }
        }
        if (low[v] != index[v]) return;
        PortRoot root{{}, true};
        for (bool more = true; more;) {
            root.waits.push_back(stack.back());
            on[stack.back()] = false;
            more = stack.back() != v;
            stack.pop_back();
        }
        std::sort(root.waits.begin(), root.waits.end());
        if (root.waits.size() > 1 || self) roots.push_back(std::move(root));
    };
    for (std::size_t v = 0; v < waits_.size(); ++v) {
        if (sufficient_[v] && index[v] == kNone) visit(v);
    }
}

std::vector<PortRoot> PortScene::roots() const
{
    std::vector<PortRoot> roots;
    for (std::size_t i = 0; i < waits_.size(); ++i) {
        if (sufficient_[i]) continue;
        const auto found = std::find_if(roots.begin(), roots.end(), [&](const PortRoot& r) {
            return sameObject(waits_[r.waits.front()], waits_[i]);
        });
        if (found == roots.end())
            roots.push_back({{i}, false});
        else
            found->waits.push_back(i);
    }
    circles(roots);
    return roots;
}

}  // namespace gsu
