// Graphs of the runtime: capture, nodes, instances, launches.
#include "cuda/api/api.hpp"
#include "cuda/api/node_calls.hpp"
#include "cuda/device/types.hpp"
#include "cuda/platform/copies.hpp"

using namespace gsu::cuda;

GSU_RUNTIME(cudaStreamBeginCapture)(Handle stream, int)
{
    return runtimeCall("cudaStreamBeginCapture",
                       [&](Platform& p) { return beginCapture(p, stream); });
}

GSU_RUNTIME(cudaStreamEndCapture)(Handle stream, Handle* graph)
{
    return runtimeCall("cudaStreamEndCapture",
                       [&](Platform& p) { return endCapture(p, stream, graph); });
}

GSU_RUNTIME(cudaStreamIsCapturing)(Handle stream, int* state)
{
    return runtimeCall("cudaStreamIsCapturing",
                       [&](Platform& p) { return captureState(p, stream, state); });
}

GSU_RUNTIME(cudaThreadExchangeStreamCaptureMode)(int*) { return 0; }

GSU_RUNTIME(cudaGraphCreate)(Handle* graph, unsigned)
{
    return runtimeCall("cudaGraphCreate", [&](Platform& p) { return makeGraph(p, graph); });
}

GSU_RUNTIME(cudaGraphDestroy)(Handle graph)
{
    return runtimeCall("cudaGraphDestroy", [&](Platform& p) { return destroyGraph(p, graph); });
}

GSU_RUNTIME(cudaGraphClone)(Handle* copy, Handle graph)
{
    return runtimeCall("cudaGraphClone", [&](Platform& p) { return cloneGraph(p, copy, graph); });
}

// Nodes: one call adds it, one gives it other work, one does so in an instance.
#define GSU_NODE(kind, type)                                                                       \
    GSU_RUNTIME(cudaGraphAdd##kind##Node)                                                          \
    (Handle * node, Handle graph, const Handle* before, std::size_t count, const type* what)       \
    {                                                                                              \
        const void* site = GSU_SITE;                                                               \
        return runtimeCall("cudaGraphAdd" #kind "Node", [&](Platform& p) {                         \
            if (what == nullptr) return Status::InvalidValue;                                      \
            return addNode(p, node, graph, {before, count}, workOf(p, *what, site));               \
        });                                                                                        \
    }                                                                                              \
    GSU_RUNTIME(cudaGraph##kind##NodeSetParams)(Handle node, const type* what)                     \
    {                                                                                              \
        const void* site = GSU_SITE;                                                               \
        return runtimeCall("cudaGraph" #kind "NodeSetParams", [&](Platform& p) {                   \
            if (what == nullptr) return Status::InvalidValue;                                      \
            return changeNode(p, node, workOf(p, *what, site));                                    \
        });                                                                                        \
    }                                                                                              \
    GSU_RUNTIME(cudaGraphExec##kind##NodeSetParams)                                                \
    (Handle instance, Handle node, const type* what)                                               \
    {                                                                                              \
        const void* site = GSU_SITE;                                                               \
        return runtimeCall("cudaGraphExec" #kind "NodeSetParams", [&](Platform& p) {               \
            if (what == nullptr) return Status::InvalidValue;                                      \
            return changeInstance(p, instance, node, workOf(p, *what, site));                      \
        });                                                                                        \
    }                                                                                              \
    GSU_RUNTIME(cudaGraph##kind##NodeGetParams)(Handle node, type * to)                            \
    {                                                                                              \
        return runtimeCall("cudaGraph" #kind "NodeGetParams",                                      \
                           [&](Platform& p) { return given(p, node, to); });                       \
    }

namespace {

Work workOf(Platform& p, const KernelNode& node, const void* site)
{
    return nodeWork(p, node, site);
}
Work workOf(Platform& p, const FillNode& node, const void*) { return nodeWork(p, node); }
Work workOf(Platform& p, const HostNode& node, const void*) { return nodeWork(p, node); }
Work workOf(Platform& p, const Copy3D& node, const void*) { return copyWork(p, node); }

}  // namespace

GSU_NODE(Kernel, KernelNode)
GSU_NODE(Memcpy, Copy3D)
GSU_NODE(Memset, FillNode)
GSU_NODE(Host, HostNode)

GSU_RUNTIME(cudaGraphAddMemcpyNode1D)
(Handle* node, Handle graph, const Handle* before, std::size_t count, void* to, const void* from,
 std::size_t bytes, int kind)
{
    return runtimeCall("cudaGraphAddMemcpyNode1D", [&](Platform& p) {
        return addNode(p, node, graph, {before, count}, copyWork(p, to, from, bytes, kind));
    });
}

GSU_RUNTIME(cudaGraphMemcpyNodeSetParams1D)
(Handle node, void* to, const void* from, std::size_t bytes, int kind)
{
    return runtimeCall("cudaGraphMemcpyNodeSetParams1D", [&](Platform& p) {
        return changeNode(p, node, copyWork(p, to, from, bytes, kind));
    });
}

GSU_RUNTIME(cudaGraphExecMemcpyNodeSetParams1D)
(Handle instance, Handle node, void* to, const void* from, std::size_t bytes, int kind)
{
    return runtimeCall("cudaGraphExecMemcpyNodeSetParams1D", [&](Platform& p) {
        return changeInstance(p, instance, node, copyWork(p, to, from, bytes, kind));
    });
}

GSU_RUNTIME(cudaGraphAddEmptyNode)
(Handle* node, Handle graph, const Handle* before, std::size_t count)
{
    return runtimeCall("cudaGraphAddEmptyNode", [&](Platform& p) {
        return addNode(p, node, graph, {before, count}, emptyWork());
    });
}

GSU_RUNTIME(cudaGraphAddChildGraphNode)
(Handle* node, Handle graph, const Handle* before, std::size_t count, Handle child)
{
    return runtimeCall("cudaGraphAddChildGraphNode", [&](Platform& p) {
        return addNode(p, node, graph, {before, count}, childWork(p, child));
    });
}

GSU_RUNTIME(cudaGraphAddEventRecordNode)
(Handle* node, Handle graph, const Handle* before, std::size_t count, Handle event)
{
    return runtimeCall("cudaGraphAddEventRecordNode", [&](Platform& p) {
        return addNode(p, node, graph, {before, count}, recordWork(p, event));
    });
}

GSU_RUNTIME(cudaGraphAddEventWaitNode)
(Handle* node, Handle graph, const Handle* before, std::size_t count, Handle event)
{
    return runtimeCall("cudaGraphAddEventWaitNode", [&](Platform& p) {
        return addNode(p, node, graph, {before, count}, waitWork(p, event));
    });
}

GSU_RUNTIME(cudaGraphDestroyNode)(Handle node)
{
    return runtimeCall("cudaGraphDestroyNode", [&](Platform& p) { return destroyNode(p, node); });
}

GSU_RUNTIME(cudaGraphNodeGetType)(Handle node, int* type)
{
    return runtimeCall("cudaGraphNodeGetType",
                       [&](Platform& p) { return nodeType(p, node, type); });
}

GSU_RUNTIME(cudaGraphGetNodes)(Handle graph, Handle* nodes, std::size_t* count)
{
    return runtimeCall("cudaGraphGetNodes",
                       [&](Platform& p) { return listNodes(p, graph, nodes, count); });
}

GSU_RUNTIME(cudaGraphGetRootNodes)(Handle graph, Handle* nodes, std::size_t* count)
{
    return runtimeCall("cudaGraphGetRootNodes",
                       [&](Platform& p) { return listRoots(p, graph, nodes, count); });
}

// Edges and neighbours: version 13 has data of each edge in the place in front of the count.
#define GSU_LISTED(name, first, plain, work)                                                       \
    GSU_RUNTIME_11(name)(first, plain std::size_t * count)                                         \
    {                                                                                              \
        return runtimeCall(#name, [&](Platform& p) { return work; });                              \
    }                                                                                              \
    GSU_RUNTIME_12(name)(first, plain std::size_t * count)                                         \
    {                                                                                              \
        return runtimeCall(#name, [&](Platform& p) { return work; });                              \
    }                                                                                              \
    GSU_RUNTIME_13(name)(first, plain void*, std::size_t* count)                                   \
    {                                                                                              \
        return runtimeCall(#name, [&](Platform& p) { return work; });                              \
    }
#define GSU_TWO Handle *from, Handle *to,
#define GSU_ONE Handle *nodes,
GSU_LISTED(cudaGraphGetEdges, Handle graph, GSU_TWO, listEdges(p, graph, from, to, count))
GSU_LISTED(cudaGraphNodeGetDependencies, Handle node, GSU_ONE, listBefore(p, node, nodes, count))
GSU_LISTED(cudaGraphNodeGetDependentNodes, Handle node, GSU_ONE, listBehind(p, node, nodes, count))

#define GSU_EDGES(name, work)                                                                      \
    GSU_RUNTIME_11(name)                                                                           \
    (Handle graph, const Handle* from, const Handle* to, std::size_t count)                        \
    {                                                                                              \
        return runtimeCall(#name, [&](Platform& p) { return work(p, graph, from, to, count); });   \
    }                                                                                              \
    GSU_RUNTIME_12(name)                                                                           \
    (Handle graph, const Handle* from, const Handle* to, std::size_t count)                        \
    {                                                                                              \
        return runtimeCall(#name, [&](Platform& p) { return work(p, graph, from, to, count); });   \
    }                                                                                              \
    GSU_RUNTIME_13(name)                                                                           \
    (Handle graph, const Handle* from, const Handle* to, const void*, std::size_t count)           \
    {                                                                                              \
        return runtimeCall(#name, [&](Platform& p) { return work(p, graph, from, to, count); });   \
    }
GSU_EDGES(cudaGraphAddDependencies, addEdges)
GSU_EDGES(cudaGraphRemoveDependencies, removeEdges)

GSU_RUNTIME(cudaGraphInstantiate)(Handle* instance, Handle graph)
{
    // What follows are flags or a log, by version: neither changes what is made.
    return runtimeCall("cudaGraphInstantiate",
                       [&](Platform& p) { return instantiate(p, instance, graph); });
}

GSU_RUNTIME(cudaGraphInstantiateWithFlags)(Handle* instance, Handle graph, unsigned long long)
{
    return gsu_cudaGraphInstantiate(instance, graph);
}

GSU_RUNTIME(cudaGraphExecUpdate)(Handle instance, Handle graph, int*)
{
    return runtimeCall("cudaGraphExecUpdate",
                       [&](Platform& p) { return updateInstance(p, instance, graph); });
}

GSU_RUNTIME(cudaGraphUpload)(Handle, Handle) { return 0; }

GSU_RUNTIME(cudaGraphLaunch)(Handle instance, Handle stream)
{
    return runtimeCall("cudaGraphLaunch",
                       [&](Platform& p) { return launchGraph(p, instance, stream); });
}

GSU_RUNTIME(cudaGraphExecDestroy)(Handle instance)
{
    return runtimeCall("cudaGraphExecDestroy",
                       [&](Platform& p) { return destroyInstance(p, instance); });
}

GSU_PER_THREAD(cudaStreamBeginCapture, _ptsz, (Handle stream, int mode), (stream, mode))
GSU_PER_THREAD(cudaStreamEndCapture, _ptsz, (Handle stream, Handle* graph), (stream, graph))
GSU_PER_THREAD(cudaStreamIsCapturing, _ptsz, (Handle stream, int* state), (stream, state))
GSU_PER_THREAD(cudaGraphLaunch, _ptsz, (Handle instance, Handle stream), (instance, stream))
