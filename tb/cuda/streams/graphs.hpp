/// Graphs that a program has built or captured, and those that are ready to be launched.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "cuda/streams/stream.hpp"

namespace gsu::cuda {

/// A graph as it was when it was instantiated.
struct ReadyGraph {
    std::shared_ptr<Graph> graph;         ///< a copy
    std::vector<const Node*> order;       ///< what waits stands behind what it waits for
    std::map<const Node*, Node*> copyOf;  ///< from nodes of the original
    TaskRef last{};                       ///< ends its last launch
};

class Graphs {
public:
    [[nodiscard]] Graph* make();
    [[nodiscard]] Graph* keep(std::shared_ptr<Graph> graph);
    bool destroy(const void* handle);
    /// A copy that remembers of which node each of its own was made.
    [[nodiscard]] Graph* clone(const Graph& graph);
    /// nullptr: this is not a clone, or none of a graph with this node.
    [[nodiscard]] const Node* inClone(const void* clone, const Node* node) const noexcept;
    /// nullptr: there is none of this handle.
    [[nodiscard]] Graph* of(const void* handle) const noexcept;
    [[nodiscard]] Node* nodeOf(const void* handle) const noexcept;
    [[nodiscard]] std::shared_ptr<ReadyGraph> readyOf(const void* handle) const noexcept;

    /// nullptr: nodes wait for each other in a circle.
    [[nodiscard]] ReadyGraph* instantiate(const Graph& graph);
    bool destroyReady(const void* handle);
    /// Takes over the work of a graph of the same shape. False: it has another one.
    [[nodiscard]] bool update(ReadyGraph& ready, const Graph& from) const;
    [[nodiscard]] static std::shared_ptr<Graph> copied(const Graph& graph,
                                                       std::map<const Node*, Node*>& copyOf);

private:
    std::map<const void*, std::shared_ptr<Graph>> graphs_;
    std::map<const void*, std::map<const Node*, Node*>> clones_;
    std::map<const void*, std::shared_ptr<ReadyGraph>> ready_;
};

/// The nodes in an order; nullopt: there is a circle.
[[nodiscard]] std::optional<std::vector<const Node*>> orderOf(const Graph& graph);
/// Does the work of all nodes.
[[nodiscard]] Status run(const std::vector<const Node*>& order);

}  // namespace gsu::cuda
