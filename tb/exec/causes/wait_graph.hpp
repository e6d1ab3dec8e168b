/// The graph of waits: an edge leads from a waiter to another one that would satisfy its wait, if the other's own wait returned.
#pragma once
#include "causes/wait_roots.hpp"
#include "exec/causes/hang_snapshot.hpp"

namespace gsu::exec {

struct Payment {
    std::size_t by{};  ///< node of the giver
    std::uint64_t amount{};
    std::uint32_t line{};
};

class WaitGraph {
public:
    explicit WaitGraph(const HangSnapshot& snapshot);
    [[nodiscard]] const std::vector<Payment>& payers(std::size_t node) const
    {
        return payers_[node];
    }
    /// Whether the arrivals of waiters would be enough for this node.
    [[nodiscard]] bool sufficient(std::size_t node) const { return sufficient_[node]; }
    [[nodiscard]] std::vector<WaitRoot> roots() const;
    [[nodiscard]] bool sameObject(std::size_t a, std::size_t b) const;

private:
    [[nodiscard]] Payment payment(const WaitNode& to, const WaitNode& by) const;
    [[nodiscard]] Payment comes(const WaitNode& to, const WaitNode& by) const;
    [[nodiscard]] std::uint64_t gives(const WaitNode& to, const WaitNode& by,
                                      const FutureStep& step) const;
    [[nodiscard]] std::uint64_t need(const WaitNode& node) const;
    const HangSnapshot& snapshot_;
    std::vector<std::vector<Payment>> payers_;
    std::vector<bool> sufficient_;
};

}  // namespace gsu::exec
