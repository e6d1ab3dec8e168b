/// Waits that are nobody's consequence, in a graph of who waits for whom.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

namespace gsu {

/// Waits on one object whose debtors will not pay, or a circle of waits.
struct WaitRoot {
    std::vector<std::size_t> waits;
    bool circle{};
};

/// A graph of waits, by their numbers.
struct WaitDebts {
    std::vector<bool> sufficient;                ///< what waiters would give is enough for this one
    std::vector<std::vector<std::size_t>> from;  ///< the waiters that would give this one something
    std::function<bool(std::size_t, std::size_t)> sameObject;
};
[[nodiscard]] std::vector<WaitRoot> rootsOf(const WaitDebts& debts);

/// `debts`: of each waiter; `by` is who would give.
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
