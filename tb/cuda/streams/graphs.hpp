/// Graphs that a program has built or captured, and instances of graphs.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "cuda/streams/stream.hpp"

namespace gsu::cuda {

/// A graph at the time of its instantiation.
struct ReadyGraph {
    std::shared_ptr<Graph> graph;         ///< a copy
    std::vector<const Node*> order;       ///< nodes come after those that they wait for
    std::map<const Node*, Node*> copyOf;  ///< copies, by nodes of the original
    TaskRef last{};                       ///< task that ends its last launch
};

class Graphs {
public:
    [[nodiscard]] Graph* make();
    [[nodiscard]] Graph* keep(std::shared_ptr<Graph> graph);
    bool destroy(const void* handle);
    /// A copy of a graph, which knows the original of each of its nodes.
    [[nodiscard]] Graph* clone(const Graph& graph);
    /// The copy of a node in a clone; nullptr: no clone, or no clone of a graph with this node.
    [[nodiscard]] const Node* inClone(const void* clone, const Node* node) const noexcept;
    /// The graph of a handle, or nullptr.
    [[nodiscard]] Graph* of(const void* handle) const noexcept;
    [[nodiscard]] Node* nodeOf(const void* handle) const noexcept;
    [[nodiscard]] std::shared_ptr<ReadyGraph> readyOf(const void* handle) const noexcept;

    /// Makes an instance; nullptr: nodes wait for each other in a circle.
    [[nodiscard]] ReadyGraph* instantiate(const Graph& graph);
    bool destroyReady(const void* handle);
    /// Takes over the work of a graph of the same shape. False: the shape differs.
    [[nodiscard]] bool update(ReadyGraph& ready, const Graph& from) const;
    [[nodiscard]] static std::shared_ptr<Graph> copied(const Graph& graph,
                                                       std::map<const Node*, Node*>& copyOf);

private:
    std::map<const void*, std::shared_ptr<Graph>> graphs_;
    std::map<const void*, std::map<const Node*, Node*>> clones_;
    std::map<const void*, std::shared_ptr<ReadyGraph>> ready_;
};

/// The nodes in topological order; nullopt: there is a circle.
[[nodiscard]] std::optional<std::vector<const Node*>> orderOf(const Graph& graph);
/// Does the work of all nodes.
[[nodiscard]] Status run(const std::vector<const Node*>& order);

}  // namespace gsu::cuda
