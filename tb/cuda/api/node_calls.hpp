/// Queries and updates of graph nodes for both APIs (graph_calls.hpp makes the nodes).
#pragma once
#include "cuda/api/graph_calls.hpp"
#include "cuda/streams/node_parameters.hpp"

namespace gsu::cuda {

// The parameters of a node. The argument pointers of a kernel belong to the node: they are valid until it is destroyed or its parameters change.
// InvalidValue: a node of another kind, or a null pointer.
[[nodiscard]] Status parametersOfNode(Platform& platform, Handle node, KernelNode* to);
[[nodiscard]] Status parametersOfNode(Platform& platform, Handle node, FillNode* to);
[[nodiscard]] Status parametersOfNode(Platform& platform, Handle node, HostNode* to);
[[nodiscard]] Status parametersOfNode(Platform& platform, Handle node, Copy3D* to);
[[nodiscard]] Status parametersOfNode(Platform& platform, Handle node, DriverCopy3D* to);
[[nodiscard]] Status eventOfNode(Platform& platform, Handle node, Handle* event, bool records);
/// The child graph of a node, which owns it: a change of the graph changes the node.
[[nodiscard]] Status childOfNode(Platform& platform, Handle node, Handle* graph);

/// Work of the node's kind for another event. Throws Refusal.
[[nodiscard]] Status setEvent(Platform& platform, Handle instance, Handle node, Handle event,
                              bool records);
/// Finds the node of a clone that was made from this one.
[[nodiscard]] Status findInClone(Platform& platform, Handle* found, Handle node, Handle clone);
/// Enables or disables a node of an instance: kernels, copies and fills. A disabled node does nothing.
[[nodiscard]] Status setEnabled(Platform& platform, Handle instance, Handle node, unsigned enabled);
[[nodiscard]] Status getEnabled(Platform& platform, Handle instance, Handle node,
                                unsigned* enabled);

}  // namespace gsu::cuda
