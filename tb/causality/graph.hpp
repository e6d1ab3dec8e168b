/// The graph of the events of a run. One event is before another if there is a path.
#pragma once
#include <cstdint>
#include <vector>

namespace gsu::causality {

using Node = std::uint32_t;
inline constexpr Node kNone = ~Node{0};

/// Kind of an edge.
enum class Edge : std::uint8_t {
    Orders,   ///< the first event is before the second
    Relaxed,  ///< from an arrival that does not release, or not as far as the waiter: only inits that a fence has published are before it
    Seen  ///< the second event shows that the first one has happened; it orders nothing (Need::Any)
};
/// Requirement on a path.
enum class Need : std::uint8_t {
    Order,
    ProxyShared,  ///< with a proxy fence for shared memory on it
    ProxyGlobal,  ///< for global memory
    Init,         ///< of an mbarrier's init
    Any           ///< also through edges that order nothing: the event was seen
};
inline constexpr std::uint8_t kShowsShared = 1, kShowsGlobal = 2, kShowsInits = 4;

class Graph {
public:
    /// Adds an event. `shows`: kShows..., of fences.
    Node add(std::uint8_t shows = 0)
    {
        nodes_.push_back({shows, {}});
        return static_cast<Node>(nodes_.size() - 1);
    }
    /// Adds an edge; nothing for kNone, and nothing beyond kMostEdges.
    void edge(Node from, Node to, Edge kind = Edge::Orders)
    {
        if (from == kNone || to == kNone || ++edges_ > kMostEdges) return;
        nodes_[from].out.push_back({to, kind});
    }
    static constexpr std::uint64_t kMostEdges = 50'000'000;  ///< some 800 MB
    /// True if edges are missing.
    [[nodiscard]] bool cut() const noexcept { return edges_ > kMostEdges; }
    [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
    /// Number of edges that all searches have looked at.
    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
    /// Finds which of these are after `from`, itself included; reached() returns the result. Near events are searched first, and no more than needed.
    void search(Node from, Need need, const std::vector<Node>& targets);
    [[nodiscard]] bool reached(Node node) const noexcept
    {
        return node != kNone && (marks_[node] & wanted_) != 0 && epochs_[node] == epoch_;
    }

private:
    struct Out {
        Node to{};
        Edge kind{};
    };
    struct At {
        std::uint8_t shows{};
        std::vector<Out> out;
    };
    void mark(Node node, bool fenced, std::uint8_t shows);

    std::vector<At> nodes_;
    std::vector<std::uint8_t> marks_;  ///< bit 0: reached, bit 1: by way of a fence
    std::vector<std::uint32_t> epochs_;
    std::vector<std::pair<Node, bool>> open_;
    std::vector<std::uint32_t> targets_;  ///< epochs in which the targets must be found
    std::size_t left_{};                  ///< number of targets not yet found
    std::uint64_t edges_{}, steps_{};
    std::uint32_t epoch_{};
    std::uint8_t wanted_{};
};

}  // namespace gsu::causality
