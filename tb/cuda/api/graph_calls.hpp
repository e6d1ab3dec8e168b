/// Functions on graphs for both APIs. An invalid handle is a Refusal; null pointers are Status::InvalidValue.
#pragma once
#include "cuda/device/types.hpp"
#include "cuda/platform/platform.hpp"

namespace gsu::cuda {

/// Nodes that a new node waits for.
struct Dependencies {
    const Handle* nodes;
    std::size_t count;
};

[[nodiscard]] Graph& graphOf(Platform& platform, Handle handle);
[[nodiscard]] Node& nodeOf(Platform& platform, Handle handle);
[[nodiscard]] std::shared_ptr<ReadyGraph> readyOf(Platform& platform, Handle handle);

// Work of nodes. Throws Refusal.
[[nodiscard]] Work nodeWork(Platform& platform, const KernelNode& node, const void* site);
[[nodiscard]] Work nodeWork(Platform& platform, const FillNode& node);
[[nodiscard]] Work nodeWork(Platform& platform, const HostNode& node);
[[nodiscard]] Work emptyWork();
[[nodiscard]] Work childWork(Platform& platform, Handle graph);
/// Work that reaches an event (below: waits for it). The event must exist when the graph runs.
[[nodiscard]] Work recordWork(Platform& platform, Handle event);
[[nodiscard]] Work waitWork(Platform& platform, Handle event);

[[nodiscard]] Status addNode(Platform& platform, Handle* node, Handle graph,
                             const Dependencies& dependencies, Work work);
[[nodiscard]] Status destroyNode(Platform& platform, Handle node);
/// Changes the work of a node, or of its copy in an instance, to other work of the same kind.
[[nodiscard]] Status changeNode(Platform& platform, Handle node, Work work);
[[nodiscard]] Status changeInstance(Platform& platform, Handle instance, Handle node, Work work);
[[nodiscard]] Status nodeType(Platform& platform, Handle node, int* type);
[[nodiscard]] Status addEdges(Platform& platform, Handle graph, const Handle* from,
                              const Handle* to, std::size_t count);
[[nodiscard]] Status removeEdges(Platform& platform, Handle graph, const Handle* from,
                                 const Handle* to, std::size_t count);

// Lists. At most `count` elements are written; `count` becomes the number of all.
[[nodiscard]] Status listNodes(Platform& platform, Handle graph, Handle* nodes, std::size_t* count);
[[nodiscard]] Status listRoots(Platform& platform, Handle graph, Handle* nodes, std::size_t* count);
[[nodiscard]] Status listEdges(Platform& platform, Handle graph, Handle* from, Handle* to,
                               std::size_t* count);
[[nodiscard]] Status listBefore(Platform& platform, Handle node, Handle* nodes, std::size_t* count);
[[nodiscard]] Status listBehind(Platform& platform, Handle node, Handle* nodes, std::size_t* count);

[[nodiscard]] Status makeGraph(Platform& platform, Handle* graph);
[[nodiscard]] Status cloneGraph(Platform& platform, Handle* copy, Handle graph);
[[nodiscard]] Status destroyGraph(Platform& platform, Handle graph);
[[nodiscard]] Status instantiate(Platform& platform, Handle* instance, Handle graph);
[[nodiscard]] Status updateInstance(Platform& platform, Handle instance, Handle graph);
[[nodiscard]] Status launchGraph(Platform& platform, Handle instance, Handle stream);
[[nodiscard]] Status destroyInstance(Platform& platform, Handle instance);

[[nodiscard]] Status beginCapture(Platform& platform, Handle stream);
[[nodiscard]] Status endCapture(Platform& platform, Handle stream, Handle* graph);
/// State of the capture of a stream: 0 none, 1 active, 2 invalidated.
[[nodiscard]] Status captureState(Platform& platform, Handle stream, int* state);

}  // namespace gsu::cuda
