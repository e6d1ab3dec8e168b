#include "cuda/api/graph_calls.hpp"

#include <algorithm>

#include "cuda/api/api.hpp"
#include "cuda/api/stream_calls.hpp"
#include "cuda/platform/copies.hpp"
#include "cuda/platform/launching.hpp"
#include "cuda/streams/node_parameters.hpp"

namespace gsu::cuda {
namespace {

Status give(const std::vector<Node*>& list, Handle* nodes, std::size_t* count)
{
    if (count == nullptr) return Status::InvalidValue;
    if (nodes != nullptr) {
        for (std::size_t i = 0; i < *count; ++i) nodes[i] = i < list.size() ? list[i] : nullptr;
    }
    *count = list.size();
    return Status::Success;
}

}  // namespace

Graph& graphOf(Platform& p, Handle handle)
{
    Graph* graph = p.graphs.of(handle);
    if (graph == nullptr) throw Refusal{Status::InvalidValue, "this is not a graph"};
    return *graph;
}

Node& nodeOf(Platform& p, Handle handle)
{
    Node* node = p.graphs.nodeOf(handle);
    if (node == nullptr) throw Refusal{Status::InvalidValue, "this is not a node"};
    return *node;
}

std::shared_ptr<ReadyGraph> readyOf(Platform& p, Handle handle)
{
    std::shared_ptr<ReadyGraph> ready = p.graphs.readyOf(handle);
    if (ready == nullptr) throw Refusal{Status::InvalidValue, "this is not an instance of a graph"};
    return ready;
}

Work nodeWork(Platform& p, const KernelNode& k, const void* site)
{
    LaunchRequest request{.kernel = &kernelOf(p, k.function),
                          .function = k.function,
                          .grid = k.grid,
                          .block = k.block,
                          .dynamicSmem = k.dynamicSmem,
                          .arguments = k.arguments,
                          .site = site};
    takeExtra(request, k.extra);
    return launchWork(p, request);
}

Work nodeWork(Platform& p, const FillNode& f)
{
    const std::uint64_t width = (Size(f.width) * f.element).value();
    return fillWork(p, f.target, f.value, f.element,
                    {.width = width, .rows = f.height, .pitch = f.pitch});
}

Work nodeWork(Platform& p, const HostNode& h) { return hostWork(p, h.function, h.data); }

Work emptyWork()
{
    return {Work::Kind::Empty, [] { return Status::Success; }};
}

Work childWork(Platform& p, Handle graph)
{
    std::map<const Node*, Node*> unused;
    const std::shared_ptr<Graph> copy = Graphs::copied(graphOf(p, graph), unused);
    if (!orderOf(*copy)) throw Refusal{Status::InvalidValue, "the child's nodes wait in a circle"};
    Work work{Work::Kind::Child, [copy] {
                  const auto order = orderOf(*copy);  // a copy, because the program may change it
                  return order ? run(*order) : Status::InvalidValue;
              }};
    work.parameters = std::make_shared<NodeParameters>(NodeParameters{ChildParameters{copy}});
    return work;
}

Work recordWork(Platform& p, Handle event)
{
    static_cast<void>(eventOf(p, event));
    Work work{Work::Kind::Record, [&p, event] {
                  p.streams.reach(eventOf(p, event));
                  return Status::Success;
              }};
    work.parameters = std::make_shared<NodeParameters>(NodeParameters{EventParameters{event}});
    return work;
}

Work waitWork(Platform& p, Handle event)
{
    static_cast<void>(eventOf(p, event));
    Work work{Work::Kind::Wait, [&p, event] { return p.streams.finish(eventOf(p, event)); }};
    work.parameters = std::make_shared<NodeParameters>(NodeParameters{EventParameters{event}});
    return work;
}

Status addNode(Platform& p, Handle* node, Handle graph, const Dependencies& dependencies, Work work)
{
    if (node == nullptr) return Status::InvalidValue;
    if (dependencies.count != 0) static_cast<void>(in(dependencies.nodes));
    std::vector<Node*> before;
    for (std::size_t i = 0; i < dependencies.count; ++i)
        before.push_back(&nodeOf(p, dependencies.nodes[i]));
    *node = graphOf(p, graph).add(std::move(work), std::move(before));
    return Status::Success;
}

Status destroyNode(Platform& p, Handle handle)
{
    Node& node = nodeOf(p, handle);
    Graph& graph = *node.graph;
    for (const auto& n : graph.nodes) std::erase(n->before, &node);
    std::erase_if(graph.nodes, [&](const auto& n) { return n.get() == &node; });
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) graph.nodes[i]->number = i;
    return Status::Success;
}

Status changeNode(Platform& p, Handle node, Work work)
{
    Node& n = nodeOf(p, node);
    if (n.work.kind != work.kind) return Status::InvalidValue;
    n.work = std::move(work);
    return Status::Success;
}

Status changeInstance(Platform& p, Handle instance, Handle node, Work work)
{
    const std::shared_ptr<ReadyGraph> ready = readyOf(p, instance);
    const auto found = ready->copyOf.find(static_cast<const Node*>(node));
    if (found == ready->copyOf.end() || found->second->work.kind != work.kind)
        return Status::InvalidValue;
    found->second->work = std::move(work);
    return Status::Success;
}

Status nodeType(Platform& p, Handle node, int* type)
{
    if (type == nullptr) return Status::InvalidValue;
    switch (nodeOf(p, node).work.kind) {
        case Work::Kind::Kernel: *type = 0; break;
        case Work::Kind::Copy: *type = 1; break;
        case Work::Kind::Fill: *type = 2; break;
        case Work::Kind::Host: *type = 3; break;
        case Work::Kind::Child: *type = 4; break;
        case Work::Kind::Empty: *type = 5; break;
        case Work::Kind::Wait: *type = 6; break;
        case Work::Kind::Record: *type = 7; break;
    }
    return Status::Success;
}

Status addEdges(Platform& p, Handle graph, const Handle* from, const Handle* to, std::size_t count)
{
    static_cast<void>(graphOf(p, graph));
    if (count != 0) static_cast<void>(in(from)), static_cast<void>(in(to));
    for (std::size_t i = 0; i < count; ++i) nodeOf(p, to[i]).before.push_back(&nodeOf(p, from[i]));
    return Status::Success;
}

Status removeEdges(Platform& p, Handle graph, const Handle* from, const Handle* to,
                   std::size_t count)
{
    static_cast<void>(graphOf(p, graph));
    if (count != 0) static_cast<void>(in(from)), static_cast<void>(in(to));
    for (std::size_t i = 0; i < count; ++i) {
        if (std::erase(nodeOf(p, to[i]).before, &nodeOf(p, from[i])) == 0)
            return Status::InvalidValue;
    }
    return Status::Success;
}

Status listNodes(Platform& p, Handle graph, Handle* nodes, std::size_t* count)
{
    std::vector<Node*> list;
    for (const auto& n : graphOf(p, graph).nodes) list.push_back(n.get());
    return give(list, nodes, count);
}

Status listRoots(Platform& p, Handle graph, Handle* nodes, std::size_t* count)
{
    std::vector<Node*> list;
    for (const auto& n : graphOf(p, graph).nodes) {
        if (n->before.empty()) list.push_back(n.get());
    }
    return give(list, nodes, count);
}

Status listEdges(Platform& p, Handle graph, Handle* from, Handle* to, std::size_t* count)
{
    std::vector<Node*> starts, ends;
    for (const auto& n : graphOf(p, graph).nodes) {
        for (Node* before : n->before) {
            starts.push_back(before);
            ends.push_back(n.get());
        }
    }
    if (count == nullptr) return Status::InvalidValue;
    std::size_t room = *count;
    static_cast<void>(give(starts, from, &room));
    return give(ends, to, count);
}

Status listBefore(Platform& p, Handle node, Handle* nodes, std::size_t* count)
{
    return give(nodeOf(p, node).before, nodes, count);
}

Status listBehind(Platform& p, Handle node, Handle* nodes, std::size_t* count)
{
    Node& from = nodeOf(p, node);
    std::vector<Node*> list;
    for (const auto& n : from.graph->nodes) {
        if (std::find(n->before.begin(), n->before.end(), &from) != n->before.end())
            list.push_back(n.get());
    }
    return give(list, nodes, count);
}

Status makeGraph(Platform& p, Handle* graph)
{
    if (graph == nullptr) return Status::InvalidValue;
    *graph = p.graphs.make();
    return Status::Success;
}

Status cloneGraph(Platform& p, Handle* copy, Handle graph)
{
    if (copy == nullptr) return Status::InvalidValue;
    *copy = p.graphs.clone(graphOf(p, graph));
    return Status::Success;
}

Status destroyGraph(Platform& p, Handle graph)
{
    return p.graphs.destroy(graph) ? Status::Success : Status::InvalidValue;
}

Status instantiate(Platform& p, Handle* instance, Handle graph)
{
    if (instance == nullptr) return Status::InvalidValue;
    *instance = p.graphs.instantiate(graphOf(p, graph));
    return *instance == nullptr ? Status::InvalidValue : Status::Success;
}

Status updateInstance(Platform& p, Handle instance, Handle graph)
{
    return p.graphs.update(*readyOf(p, instance), graphOf(p, graph)) ? Status::Success
                                                                     : Status::GraphUpdate;
}

Status launchGraph(Platform& p, Handle instance, Handle stream)
{
    return p.streams.submit(streamOf(p, stream), readyOf(p, instance));
}

Status destroyInstance(Platform& p, Handle instance)
{
    return p.graphs.destroyReady(instance) ? Status::Success : Status::InvalidValue;
}

Status beginCapture(Platform& p, Handle stream)
{
    return p.streams.beginCapture(streamOf(p, stream));
}

Status endCapture(Platform& p, Handle stream, Handle* graph)
{
    std::shared_ptr<Graph> captured;
    const Status status = p.streams.endCapture(streamOf(p, stream), captured);
    if (graph != nullptr) *graph = captured ? p.graphs.keep(std::move(captured)) : nullptr;
    return status;
}

Status captureState(Platform& p, Handle stream, int* state)
{
    if (state == nullptr) return Status::InvalidValue;
    const Stream& s = streamOf(p, stream);
    *state = !s.capture ? 0 : s.capture->spoilt ? 2 : 1;
    return Status::Success;
}

}  // namespace gsu::cuda
