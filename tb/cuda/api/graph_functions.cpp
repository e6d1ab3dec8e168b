// Graphs of both APIs: capture, nodes, edges, instances, launches.
#include "cuda/api/calls.hpp"
#include "cuda/api/node_calls.hpp"
#include "cuda/platform/copies.hpp"

using namespace gsu::cuda;

namespace {

/// CUDA_KERNEL_NODE_PARAMS of versions 2 and 3.
struct KernelNode2 {
    KernelNode old;
    Handle kernel;
    Handle context;
};

/// CUDA_GRAPH_INSTANTIATE_PARAMS. `result`: 0 success, 1 error.
struct InstantiateParameters {
    unsigned long long flags;
    Handle uploadStream, errorNode;
    int result;
};

/// CUgraphExecUpdateResultInfo. `result`: 0 success, 2 another shape.
struct UpdateResult {
    int result;
    Handle errorNode, errorFrom;
};

Work workOf(Platform& p, const KernelNode& node, const void* site)
{
    return nodeWork(p, node, site);
}
Work workOf(Platform& p, const KernelNode2& node, const void* site)
{
    KernelNode one = node.old;
    if (one.function == nullptr) one.function = node.kernel;
    return nodeWork(p, one, site);
}
Work workOf(Platform& p, const FillNode& node, const void*) { return nodeWork(p, node); }
Work workOf(Platform& p, const HostNode& node, const void*) { return nodeWork(p, node); }
Work workOf(Platform& p, const Copy3D& node, const void*) { return copyWork(p, node); }
Work workOf(Platform& p, const DriverCopy3D& node, const void*) { return copyWork(p, node); }

Status parametersOfNode(Platform& p, Handle node, KernelNode2* to)
{
    if (to == nullptr) return Status::InvalidValue;
    to->kernel = to->context = nullptr;
    return gsu::cuda::parametersOfNode(p, node, &to->old);
}

}  // namespace

GSU_STREAM_CALL(cudaStreamBeginCapture, cuStreamBeginCapture_v2, (Handle stream, int),
                beginCapture(p, stream))
GSU_DRIVER_CALL(cuStreamBeginCapture, (Handle stream), beginCapture(p, stream))
GSU_STREAM_CALL(cudaStreamEndCapture, cuStreamEndCapture, (Handle stream, Handle* graph),
                endCapture(p, stream, graph))
GSU_STREAM_CALL(cudaStreamIsCapturing, cuStreamIsCapturing, (Handle stream, int* state),
                captureState(p, stream, state))
GSU_NOTHING_TO_DO(cudaThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, (int*))

GSU_CALL(cudaGraphCreate, cuGraphCreate, (Handle * graph, unsigned), makeGraph(p, graph))
GSU_RELEASE(cudaGraphDestroy, cuGraphDestroy, (Handle graph), destroyGraph(p, graph))
GSU_CALL(cudaGraphClone, cuGraphClone, (Handle * copy, Handle graph), cloneGraph(p, copy, graph))

// Graph nodes. For each kind of node there are four calls: add it, change it, change it in an instance, read it back.
#define GSU_NODE(GSU_ONE, prefix, kind, version, type, context)                                    \
    GSU_ONE(prefix##GraphAdd##kind##Node##version,                                                 \
            (Handle * node, Handle graph, const Handle* before, std::size_t count,                 \
             const type* what context),                                                            \
            addNode(p, node, graph, {before, count}, workOf(p, in(what), site)))                   \
    GSU_ONE(prefix##Graph##kind##NodeSetParams##version, (Handle node, const type* what),          \
            changeNode(p, node, workOf(p, in(what), site)))                                        \
    GSU_ONE(prefix##GraphExec##kind##NodeSetParams##version,                                       \
            (Handle instance, Handle node, const type* what context),                              \
            changeInstance(p, instance, node, workOf(p, in(what), site)))                          \
    GSU_ONE(prefix##Graph##kind##NodeGetParams##version, (Handle node, type * to),                 \
            parametersOfNode(p, node, to))
#define GSU_CONTEXT , Handle
#define GSU_NO_CONTEXT
GSU_NODE(GSU_RUNTIME_CALL, cuda, Kernel, , KernelNode, GSU_NO_CONTEXT)
GSU_NODE(GSU_RUNTIME_CALL, cuda, Memcpy, , Copy3D, GSU_NO_CONTEXT)
GSU_NODE(GSU_RUNTIME_CALL, cuda, Memset, , FillNode, GSU_NO_CONTEXT)
GSU_NODE(GSU_RUNTIME_CALL, cuda, Host, , HostNode, GSU_NO_CONTEXT)
GSU_NODE(GSU_DRIVER_CALL, cu, Kernel, , KernelNode, GSU_NO_CONTEXT)
GSU_NODE(GSU_DRIVER_CALL, cu, Kernel, _v2, KernelNode2, GSU_NO_CONTEXT)
GSU_NODE(GSU_DRIVER_CALL, cu, Memcpy, , DriverCopy3D, GSU_CONTEXT)
GSU_NODE(GSU_DRIVER_CALL, cu, Memset, , FillNode, GSU_CONTEXT)
GSU_NODE(GSU_DRIVER_CALL, cu, Host, , HostNode, GSU_NO_CONTEXT)

GSU_RUNTIME_CALL(cudaGraphAddMemcpyNode1D,
                 (Handle * node, Handle graph, const Handle* before, std::size_t count, void* to,
                  const void* from, std::size_t bytes, int kind),
                 addNode(p, node, graph, {before, count}, copyWork(p, to, from, bytes, kind)))
GSU_RUNTIME_CALL(cudaGraphMemcpyNodeSetParams1D,
                 (Handle node, void* to, const void* from, std::size_t bytes, int kind),
                 changeNode(p, node, copyWork(p, to, from, bytes, kind)))
GSU_RUNTIME_CALL(cudaGraphExecMemcpyNodeSetParams1D,
                 (Handle instance, Handle node, void* to, const void* from, std::size_t bytes,
                  int kind),
                 changeInstance(p, instance, node, copyWork(p, to, from, bytes, kind)))
GSU_CALL(cudaGraphAddEmptyNode, cuGraphAddEmptyNode,
         (Handle * node, Handle graph, const Handle* before, std::size_t count),
         addNode(p, node, graph, {before, count}, emptyWork()))
GSU_CALL(cudaGraphAddChildGraphNode, cuGraphAddChildGraphNode,
         (Handle * node, Handle graph, const Handle* before, std::size_t count, Handle child),
         addNode(p, node, graph, {before, count}, childWork(p, child)))
GSU_CALL(cudaGraphAddEventRecordNode, cuGraphAddEventRecordNode,
         (Handle * node, Handle graph, const Handle* before, std::size_t count, Handle event),
         addNode(p, node, graph, {before, count}, recordWork(p, event)))
GSU_CALL(cudaGraphAddEventWaitNode, cuGraphAddEventWaitNode,
         (Handle * node, Handle graph, const Handle* before, std::size_t count, Handle event),
         addNode(p, node, graph, {before, count}, waitWork(p, event)))
GSU_CALL(cudaGraphDestroyNode, cuGraphDestroyNode, (Handle node), destroyNode(p, node))
GSU_CALL(cudaGraphNodeGetType, cuGraphNodeGetType, (Handle node, int* type),
         nodeType(p, node, type))
GSU_CALL(cudaGraphEventRecordNodeGetEvent, cuGraphEventRecordNodeGetEvent,
         (Handle node, Handle* event), eventOfNode(p, node, event, true))
GSU_CALL(cudaGraphEventWaitNodeGetEvent, cuGraphEventWaitNodeGetEvent, (Handle node, Handle* event),
         eventOfNode(p, node, event, false))
GSU_CALL(cudaGraphEventRecordNodeSetEvent, cuGraphEventRecordNodeSetEvent,
         (Handle node, Handle event), setEvent(p, nullptr, node, event, true))
GSU_CALL(cudaGraphEventWaitNodeSetEvent, cuGraphEventWaitNodeSetEvent, (Handle node, Handle event),
         setEvent(p, nullptr, node, event, false))
GSU_CALL(cudaGraphExecEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent,
         (Handle instance, Handle node, Handle event), setEvent(p, instance, node, event, true))
GSU_CALL(cudaGraphExecEventWaitNodeSetEvent, cuGraphExecEventWaitNodeSetEvent,
         (Handle instance, Handle node, Handle event), setEvent(p, instance, node, event, false))
GSU_CALL(cudaGraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph,
         (Handle node, Handle* graph), childOfNode(p, node, graph))
GSU_CALL(cudaGraphExecChildGraphNodeSetParams, cuGraphExecChildGraphNodeSetParams,
         (Handle instance, Handle node, Handle child),
         changeInstance(p, instance, node, childWork(p, child)))
GSU_CALL(cudaGraphNodeFindInClone, cuGraphNodeFindInClone,
         (Handle * found, Handle node, Handle clone), findInClone(p, found, node, clone))
GSU_CALL(cudaGraphNodeSetEnabled, cuGraphNodeSetEnabled,
         (Handle instance, Handle node, unsigned enabled), setEnabled(p, instance, node, enabled))
GSU_CALL(cudaGraphNodeGetEnabled, cuGraphNodeGetEnabled,
         (Handle instance, Handle node, unsigned* enabled), getEnabled(p, instance, node, enabled))

GSU_CALL(cudaGraphGetNodes, cuGraphGetNodes, (Handle graph, Handle* nodes, std::size_t* count),
         listNodes(p, graph, nodes, count))
GSU_CALL(cudaGraphGetRootNodes, cuGraphGetRootNodes,
         (Handle graph, Handle* nodes, std::size_t* count), listRoots(p, graph, nodes, count))

// Edges and neighbours. The second form (in the runtime that of version 13) has a parameter for the data of each edge in front of the
// count. All edges are of the plain kind.
#define GSU_EDGE_CALL(name, first, ...)                                                            \
    GSU_RUNTIME_11(cudaGraph##name)                                                                \
    (GSU_PLAIN first) GSU_RUN(runtimeCall, cudaGraph##name, __VA_ARGS__)                           \
        GSU_RUNTIME_12(cudaGraph##name)(GSU_PLAIN first)                                           \
            GSU_RUN(runtimeCall, cudaGraph##name, __VA_ARGS__)                                     \
                GSU_RUNTIME_13(cudaGraph##name)(GSU_WITH first)                                    \
                    GSU_RUN(runtimeCall, cudaGraph##name, __VA_ARGS__)                             \
                        GSU_DRIVER_CALL(cuGraph##name, (GSU_PLAIN first), __VA_ARGS__)             \
                            GSU_DRIVER_CALL(cuGraph##name##_v2, (GSU_WITH first), __VA_ARGS__)
// The parameters up to the count: without the data, and with the data.
#define GSU_PLAIN(count, ...) __VA_ARGS__, count
#define GSU_WITH(count, ...) __VA_ARGS__, const void*, count
GSU_EDGE_CALL(GetEdges, (std::size_t * count, Handle graph, Handle* from, Handle* to),
              listEdges(p, graph, from, to, count))
GSU_EDGE_CALL(NodeGetDependencies, (std::size_t * count, Handle node, Handle* nodes),
              listBefore(p, node, nodes, count))
GSU_EDGE_CALL(NodeGetDependentNodes, (std::size_t * count, Handle node, Handle* nodes),
              listBehind(p, node, nodes, count))
GSU_EDGE_CALL(AddDependencies,
              (std::size_t count, Handle graph, const Handle* from, const Handle* to),
              addEdges(p, graph, from, to, count))
GSU_EDGE_CALL(RemoveDependencies,
              (std::size_t count, Handle graph, const Handle* from, const Handle* to),
              removeEdges(p, graph, from, to, count))

// Flags, logs and the stream of an upload do not change the instance. The parameters after the graph are flags or a log, depending on the version.
GSU_RUNTIME_CALL(cudaGraphInstantiate, (Handle * instance, Handle graph),
                 instantiate(p, instance, graph))
GSU_CALL(cudaGraphInstantiateWithFlags, cuGraphInstantiateWithFlags,
         (Handle * instance, Handle graph, unsigned long long), instantiate(p, instance, graph))
GSU_DRIVER_CALL(cuGraphInstantiate, (Handle * instance, Handle graph, Handle*, char*, std::size_t),
                instantiate(p, instance, graph))
GSU_DRIVER_CALL(cuGraphInstantiate_v2,
                (Handle * instance, Handle graph, Handle*, char*, std::size_t),
                instantiate(p, instance, graph))
GSU_DRIVER(cuGraphInstantiateWithParams)
(Handle* instance, Handle graph, InstantiateParameters* parameters)
{
    const int status = cuGraphInstantiateWithFlags(instance, graph, 0);
    if (parameters != nullptr) parameters->result = status == 0 ? 0 : 1;
    return status;
}

GSU_RUNTIME_CALL(cudaGraphExecUpdate, (Handle instance, Handle graph, int*),
                 updateInstance(p, instance, graph))
GSU_DRIVER(cuGraphExecUpdate_v2)(Handle instance, Handle graph, UpdateResult* result)
{
    const int status = contextCall("cuGraphExecUpdate",
                                   [&](Platform& p) { return updateInstance(p, instance, graph); });
    if (result != nullptr) *result = {status == 0 ? 0 : 2, nullptr, nullptr};
    return status;
}
GSU_DRIVER(cuGraphExecUpdate)(Handle instance, Handle graph, Handle* errorNode, int* result)
{
    UpdateResult info{};
    const int status = cuGraphExecUpdate_v2(instance, graph, &info);
    if (errorNode != nullptr) *errorNode = nullptr;
    if (result != nullptr) *result = info.result;
    return status;
}

GSU_RUNTIME(cudaGraphUpload)(Handle, Handle) { return 0; }
GSU_DRIVER(cuGraphUpload)(Handle, Handle) { return 0; }
GSU_DRIVER(cuGraphUpload_ptsz)(Handle, Handle) { return 0; }
GSU_STREAM_CALL(cudaGraphLaunch, cuGraphLaunch, (Handle instance, Handle stream),
                launchGraph(p, instance, stream))
GSU_RELEASE(cudaGraphExecDestroy, cuGraphExecDestroy, (Handle instance),
            destroyInstance(p, instance))
