#include "causes/wait_roots.hpp"

#include <algorithm>

namespace gsu {
namespace {

/// Strongly connected waiters (Tarjan).
void addCircles(const WaitDebts& debts, std::vector<WaitRoot>& roots)
{
    constexpr std::size_t kNone = ~std::size_t{0};
    const std::size_t n = debts.from.size();
    std::vector<std::size_t> index(n, kNone), low(n), stack;
    std::vector<bool> on(n);
    std::size_t next = 0;
    const std::function<void(std::size_t)> visit = [&](std::size_t v) {
        index[v] = low[v] = next++;
        stack.push_back(v);
        on[v] = true;
        bool self = false;
        for (const std::size_t by : debts.from[v]) {
            self = self || by == v;
            if (!debts.sufficient[by]) continue;
            if (index[by] == kNone) {
                visit(by);
                low[v] = std::min(low[v], low[by]);
            } else if (on[by]) {
                low[v] = std::min(low[v], index[by]);
            }
        }
        if (low[v] != index[v]) return;
        WaitRoot root{{}, true};
        for (bool more = true; more;) {
            root.waits.push_back(stack.back());
            on[stack.back()] = false;
            more = stack.back() != v;
            stack.pop_back();
        }
        std::sort(root.waits.begin(), root.waits.end());
        if (root.waits.size() > 1 || self) roots.push_back(std::move(root));
    };
    for (std::size_t v = 0; v < n; ++v) {
        if (debts.sufficient[v] && index[v] == kNone) visit(v);
    }
}

}  // namespace

std::vector<WaitRoot> rootsOf(const WaitDebts& debts)
{
    std::vector<WaitRoot> roots;
    for (std::size_t i = 0; i < debts.from.size(); ++i) {
        if (debts.sufficient[i]) continue;
        const auto found = std::find_if(roots.begin(), roots.end(), [&](const WaitRoot& r) {
            return debts.sameObject(r.waits.front(), i);
        });
        if (found == roots.end())
            roots.push_back({{i}, false});
        else
            found->waits.push_back(i);
    }
    addCircles(debts, roots);
    return roots;
}

}  // namespace gsu
