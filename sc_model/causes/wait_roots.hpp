/// The roots in a graph of waits: waits that are no consequence of other waits.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

namespace gsu {

/// Waits on one object whose debtors will not release them, or a circle of waits.
struct WaitRoot {
    std::vector<std::size_t> waits;
    bool circle{};
};

/// A graph of waits, by their indices.
struct WaitDebts {
    std::vector<bool> sufficient;  ///< the arrivals of other waiters would be enough for this wait
    std::vector<std::vector<std::size_t>> from;  ///< waiters that would give this wait something
    std::function<bool(std::size_t, std::size_t)> sameObject;
};
[[nodiscard]] std::vector<WaitRoot> rootsOf(const WaitDebts& debts);

/// For each wait, the waits of the givers. `debts` are those of each waiter; `by` is the giver.
template <class Debt>
[[nodiscard]] std::vector<std::vector<std::size_t>>
giversOf(const std::vector<std::vector<Debt>>& debts)
{
    std::vector<std::vector<std::size_t>> from(debts.size());
    for (std::size_t i = 0; i < debts.size(); ++i)
        for (const Debt& d : debts[i]) from[i].push_back(d.by);
    return from;
}

}  // namespace gsu
