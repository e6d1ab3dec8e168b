// Graphs of the driver: those of the runtime under other names and with other structures.
#include "cuda/api/driver.hpp"
#include "cuda/api/node_calls.hpp"
#include "cuda/platform/copies.hpp"

using namespace gsu::cuda;

GSU_DRIVER(cuStreamBeginCapture_v2)(Handle stream, int)
{
    return contextCall("cuStreamBeginCapture",
                       [&](Platform& p) { return beginCapture(p, stream); });
}
GSU_DRIVER(cuStreamBeginCapture)(Handle stream) { return cuStreamBeginCapture_v2(stream, 0); }

GSU_DRIVER(cuStreamEndCapture)(Handle stream, Handle* graph)
{
    return contextCall("cuStreamEndCapture",
                       [&](Platform& p) { return endCapture(p, stream, graph); });
}

GSU_DRIVER(cuStreamIsCapturing)(Handle stream, int* state)
{
    return contextCall("cuStreamIsCapturing",
                       [&](Platform& p) { return captureState(p, stream, state); });
}

GSU_DRIVER(cuThreadExchangeStreamCaptureMode)(int*) { return 0; }

GSU_DRIVER(cuGraphCreate)(Handle* graph, unsigned)
{
    return contextCall("cuGraphCreate", [&](Platform& p) { return makeGraph(p, graph); });
}

GSU_DRIVER(cuGraphDestroy)(Handle graph)
{
    return driverCall("cuGraphDestroy", [&](Platform& p) { return destroyGraph(p, graph); });
}

GSU_DRIVER(cuGraphClone)(Handle* copy, Handle graph)
{
    return contextCall("cuGraphClone", [&](Platform& p) { return cloneGraph(p, copy, graph); });
}

namespace {

/// CUDA_KERNEL_NODE_PARAMS of versions 2 and 3.
struct KernelNode2 {
    KernelNode old;
    Handle kernel;
    Handle context;
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
Status given(Platform& p, Handle node, KernelNode2* to)
{
    if (to == nullptr) return Status::InvalidValue;
    to->kernel = to->context = nullptr;
    return given(p, node, &to->old);
}
Work workOf(Platform& p, const FillNode& node, const void*) { return nodeWork(p, node); }
Work workOf(Platform& p, const HostNode& node, const void*) { return nodeWork(p, node); }
Work workOf(Platform& p, const DriverCopy3D& node, const void*) { return copyWork(p, node); }

}  // namespace

// Nodes: one call adds it, one gives it other work, one does so in an instance. `context`: a parameter of some of them.
#define GSU_NODE(kind, version, type, context)                                                     \
    GSU_DRIVER(cuGraphAdd##kind##Node##version)                                                    \
    (Handle * node, Handle graph, const Handle* before, std::size_t count,                         \
     const type* what context)                                                                     \
    {                                                                                              \
        const void* site = GSU_SITE;                                                               \
        return contextCall("cuGraphAdd" #kind "Node", [&](Platform& p) {                           \
            if (what == nullptr) return Status::InvalidValue;                                      \
            return addNode(p, node, graph, {before, count}, workOf(p, *what, site));               \
        });                                                                                        \
    }                                                                                              \
    GSU_DRIVER(cuGraph##kind##NodeSetParams##version)(Handle node, const type* what)               \
    {                                                                                              \
        const void* site = GSU_SITE;                                                               \
        return contextCall("cuGraph" #kind "NodeSetParams", [&](Platform& p) {                     \
            if (what == nullptr) return Status::InvalidValue;                                      \
            return changeNode(p, node, workOf(p, *what, site));                                    \
        });                                                                                        \
    }                                                                                              \
    GSU_DRIVER(cuGraphExec##kind##NodeSetParams##version)                                          \
    (Handle instance, Handle node, const type* what context)                                       \
    {                                                                                              \
        const void* site = GSU_SITE;                                                               \
        return contextCall("cuGraphExec" #kind "NodeSetParams", [&](Platform& p) {                 \
            if (what == nullptr) return Status::InvalidValue;                                      \
            return changeInstance(p, instance, node, workOf(p, *what, site));                      \
        });                                                                                        \
    }                                                                                              \
    GSU_DRIVER(cuGraph##kind##NodeGetParams##version)(Handle node, type * to)                      \
    {                                                                                              \
        return contextCall("cuGraph" #kind "NodeGetParams",                                        \
                           [&](Platform& p) { return given(p, node, to); });                       \
    }
#define GSU_CONTEXT , Handle
#define GSU_NOTHING
GSU_NODE(Kernel, , KernelNode, GSU_NOTHING)
GSU_NODE(Kernel, _v2, KernelNode2, GSU_NOTHING)
GSU_NODE(Memcpy, , DriverCopy3D, GSU_CONTEXT)
GSU_NODE(Memset, , FillNode, GSU_CONTEXT)
GSU_NODE(Host, , HostNode, GSU_NOTHING)

GSU_DRIVER(cuGraphAddEmptyNode)
(Handle* node, Handle graph, const Handle* before, std::size_t count)
{
    return contextCall("cuGraphAddEmptyNode", [&](Platform& p) {
        return addNode(p, node, graph, {before, count}, emptyWork());
    });
}

GSU_DRIVER(cuGraphAddChildGraphNode)
(Handle* node, Handle graph, const Handle* before, std::size_t count, Handle child)
{
    return contextCall("cuGraphAddChildGraphNode", [&](Platform& p) {
        return addNode(p, node, graph, {before, count}, childWork(p, child));
    });
}

GSU_DRIVER(cuGraphAddEventRecordNode)
(Handle* node, Handle graph, const Handle* before, std::size_t count, Handle event)
{
    return contextCall("cuGraphAddEventRecordNode", [&](Platform& p) {
        return addNode(p, node, graph, {before, count}, recordWork(p, event));
    });
}

GSU_DRIVER(cuGraphAddEventWaitNode)
(Handle* node, Handle graph, const Handle* before, std::size_t count, Handle event)
{
    return contextCall("cuGraphAddEventWaitNode", [&](Platform& p) {
        return addNode(p, node, graph, {before, count}, waitWork(p, event));
    });
}

GSU_DRIVER(cuGraphDestroyNode)(Handle node)
{
    return contextCall("cuGraphDestroyNode", [&](Platform& p) { return destroyNode(p, node); });
}

GSU_DRIVER(cuGraphNodeGetType)(Handle node, int* type)
{
    return contextCall("cuGraphNodeGetType", [&](Platform& p) { return nodeType(p, node, type); });
}

GSU_DRIVER(cuGraphGetNodes)(Handle graph, Handle* nodes, std::size_t* count)
{
    return contextCall("cuGraphGetNodes",
                       [&](Platform& p) { return listNodes(p, graph, nodes, count); });
}

GSU_DRIVER(cuGraphGetRootNodes)(Handle graph, Handle* nodes, std::size_t* count)
{
    return contextCall("cuGraphGetRootNodes",
                       [&](Platform& p) { return listRoots(p, graph, nodes, count); });
}

// The second form of each has data of the edges, which are all of the plain kind.
GSU_DRIVER(cuGraphGetEdges)(Handle graph, Handle* from, Handle* to, std::size_t* count)
{
    return contextCall("cuGraphGetEdges",
                       [&](Platform& p) { return listEdges(p, graph, from, to, count); });
}
GSU_DRIVER(cuGraphGetEdges_v2)(Handle graph, Handle* from, Handle* to, void*, std::size_t* count)
{
    return cuGraphGetEdges(graph, from, to, count);
}

GSU_DRIVER(cuGraphNodeGetDependencies)(Handle node, Handle* nodes, std::size_t* count)
{
    return contextCall("cuGraphNodeGetDependencies",
                       [&](Platform& p) { return listBefore(p, node, nodes, count); });
}
GSU_DRIVER(cuGraphNodeGetDependencies_v2)(Handle node, Handle* nodes, void*, std::size_t* count)
{
    return cuGraphNodeGetDependencies(node, nodes, count);
}

GSU_DRIVER(cuGraphNodeGetDependentNodes)(Handle node, Handle* nodes, std::size_t* count)
{
    return contextCall("cuGraphNodeGetDependentNodes",
                       [&](Platform& p) { return listBehind(p, node, nodes, count); });
}
GSU_DRIVER(cuGraphNodeGetDependentNodes_v2)(Handle node, Handle* nodes, void*, std::size_t* count)
{
    return cuGraphNodeGetDependentNodes(node, nodes, count);
}

GSU_DRIVER(cuGraphAddDependencies)
(Handle graph, const Handle* from, const Handle* to, std::size_t count)
{
    return contextCall("cuGraphAddDependencies",
                       [&](Platform& p) { return addEdges(p, graph, from, to, count); });
}
GSU_DRIVER(cuGraphAddDependencies_v2)
(Handle graph, const Handle* from, const Handle* to, const void*, std::size_t count)
{
    return cuGraphAddDependencies(graph, from, to, count);
}

GSU_DRIVER(cuGraphRemoveDependencies)
(Handle graph, const Handle* from, const Handle* to, std::size_t count)
{
    return contextCall("cuGraphRemoveDependencies",
                       [&](Platform& p) { return removeEdges(p, graph, from, to, count); });
}
GSU_DRIVER(cuGraphRemoveDependencies_v2)
(Handle graph, const Handle* from, const Handle* to, const void*, std::size_t count)
{
    return cuGraphRemoveDependencies(graph, from, to, count);
}

// Flags, logs and the stream of an upload change nothing of what is made.
GSU_DRIVER(cuGraphInstantiateWithFlags)(Handle* instance, Handle graph, unsigned long long)
{
    return contextCall("cuGraphInstantiate",
                       [&](Platform& p) { return instantiate(p, instance, graph); });
}
GSU_DRIVER(cuGraphInstantiate)(Handle* instance, Handle graph, Handle*, char*, std::size_t)
{
    return cuGraphInstantiateWithFlags(instance, graph, 0);
}
GSU_DRIVER(cuGraphInstantiate_v2)(Handle* instance, Handle graph, Handle*, char*, std::size_t)
{
    return cuGraphInstantiateWithFlags(instance, graph, 0);
}

namespace {

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

}  // namespace

GSU_DRIVER(cuGraphInstantiateWithParams)
(Handle* instance, Handle graph, InstantiateParameters* parameters)
{
    const int status = cuGraphInstantiateWithFlags(instance, graph, 0);
    if (parameters != nullptr) parameters->result = status == 0 ? 0 : 1;
    return status;
}

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

GSU_DRIVER(cuGraphUpload)(Handle, Handle) { return 0; }

GSU_DRIVER(cuGraphLaunch)(Handle instance, Handle stream)
{
    return contextCall("cuGraphLaunch",
                       [&](Platform& p) { return launchGraph(p, instance, stream); });
}

GSU_DRIVER(cuGraphExecDestroy)(Handle instance)
{
    return driverCall("cuGraphExecDestroy",
                      [&](Platform& p) { return destroyInstance(p, instance); });
}
