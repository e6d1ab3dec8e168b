#include "cuda/streams/graphs.hpp"

#include <algorithm>
#include <set>

namespace gsu::cuda {

std::optional<std::vector<const Node*>> orderOf(const Graph& graph)
{
    std::vector<const Node*> order;
    std::set<const Node*> done;
    for (bool moved = true; moved;) {
        moved = false;
        for (const auto& node : graph.nodes) {
            if (done.contains(node.get())) continue;
            const bool ready = std::all_of(node->before.begin(), node->before.end(),
                                           [&](const Node* b) { return done.contains(b); });
            if (!ready) continue;
            order.push_back(node.get());
            done.insert(node.get());
            moved = true;
        }
    }
    if (order.size() != graph.nodes.size()) return std::nullopt;
    return order;
}

Status run(const std::vector<const Node*>& order)
{
    for (const Node* node : order) {
        if (node->off) continue;
        const Status status = node->work.run();
        if (status != Status::Success) return status;
    }
    return Status::Success;
}

Graph* Graphs::make() { return keep(std::make_shared<Graph>()); }

Graph* Graphs::keep(std::shared_ptr<Graph> graph)
{
    Graph* kept = graph.get();
    graphs_[kept] = std::move(graph);
    return kept;
}

Graph* Graphs::clone(const Graph& graph)
{
    std::map<const Node*, Node*> copyOf;
    Graph* copy = keep(copied(graph, copyOf));
    clones_[copy] = std::move(copyOf);
    return copy;
}

const Node* Graphs::inClone(const void* clone, const Node* node) const noexcept
{
    const auto found = clones_.find(clone);
    if (found == clones_.end()) return nullptr;
    const auto copy = found->second.find(node);
    return copy == found->second.end() ? nullptr : copy->second;
}

bool Graphs::destroy(const void* handle)
{
    clones_.erase(handle);
    return graphs_.erase(handle) != 0;
}

Graph* Graphs::of(const void* handle) const noexcept
{
    const auto found = graphs_.find(handle);
    return found == graphs_.end() ? nullptr : found->second.get();
}

Node* Graphs::nodeOf(const void* handle) const noexcept
{
    for (const auto& [key, graph] : graphs_) {
        for (const auto& node : graph->nodes) {
            if (node.get() == handle) return node.get();
        }
    }
    return nullptr;
}

std::shared_ptr<ReadyGraph> Graphs::readyOf(const void* handle) const noexcept
{
    const auto found = ready_.find(handle);
    return found == ready_.end() ? nullptr : found->second;
}

std::shared_ptr<Graph> Graphs::copied(const Graph& graph, std::map<const Node*, Node*>& copyOf)
{
    auto copy = std::make_shared<Graph>();
    for (const auto& node : graph.nodes) copyOf[node.get()] = copy->add(node->work, {});
    for (const auto& node : graph.nodes) {
        for (const Node* before : node->before)
            copyOf[node.get()]->before.push_back(copyOf.at(before));
    }
    return copy;
}

ReadyGraph* Graphs::instantiate(const Graph& graph)
{
    auto ready = std::make_shared<ReadyGraph>();
    ready->graph = copied(graph, ready->copyOf);
    const auto order = orderOf(*ready->graph);
    if (!order) return nullptr;
    ready->order = *order;
    ReadyGraph* made = ready.get();
    ready_[made] = std::move(ready);
    return made;
}

bool Graphs::destroyReady(const void* handle) { return ready_.erase(handle) != 0; }

bool Graphs::update(ReadyGraph& ready, const Graph& from) const
{
    const auto& mine = ready.graph->nodes;
    if (mine.size() != from.nodes.size()) return false;
    for (std::size_t i = 0; i < mine.size(); ++i) {
        const Node &a = *mine[i], &b = *from.nodes[i];
        if (a.work.kind != b.work.kind || a.before.size() != b.before.size()) return false;
        for (std::size_t k = 0; k < a.before.size(); ++k) {
            if (a.before[k]->number != b.before[k]->number) return false;
        }
    }
    ready.copyOf.clear();
    for (std::size_t i = 0; i < mine.size(); ++i) {
        mine[i]->work = from.nodes[i]->work;
        ready.copyOf[from.nodes[i].get()] = mine[i].get();
    }
    return true;
}

}  // namespace gsu::cuda
