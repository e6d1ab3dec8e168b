// Graphs of the runtime: capture, nodes, instances, launches.
#include <algorithm>
#include <cstring>

#include "cuda/api.hpp"
#include "cuda/copies.hpp"
#include "cuda/launching.hpp"
#include "cuda/stream_calls.hpp"
#include "cuda/types.hpp"

using namespace gsu::cuda;

namespace {

struct KernelNode {
    void* function;
    Dim3 grid, block;
    unsigned dynamicSmem;
    void** arguments;
    void** extra;
};

struct FillNode {
    void* target;
    std::size_t pitch;
    unsigned value, element;
    std::size_t width, height;
};

struct HostNode {
    HostFunction function;
    void* data;
};

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

ReadyGraph& readyOf(Platform& p, Handle handle)
{
    ReadyGraph* ready = p.graphs.readyOf(handle);
    if (ready == nullptr) throw Refusal{Status::InvalidValue, "this is not an instance of a graph"};
    return *ready;
}

std::vector<Node*> before(Platform& p, const Handle* nodes, std::size_t count)
{
    std::vector<Node*> list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(&nodeOf(p, nodes[i]));
    return list;
}

/// The work of a launch, without doing it.
Work kernelWork(Platform& p, const KernelNode& k, const void* site)
{
    return launchWork(p, {.kernel = &kernelOf(p, k.function),
                          .grid = k.grid,
                          .block = k.block,
                          .dynamicSmem = k.dynamicSmem,
                          .arguments = k.arguments,
                          .site = site});
}

Work fillWork(Platform& p, const FillNode& f)
{
    return fillWork(p, f.target, f.value, f.element, f.width * f.element, f.height, f.pitch);
}

/// Adds a node whose work `make` gives.
template <class F>
int add(const char* name, Handle* node, Handle graph, const Handle* dependencies, std::size_t count,
        F&& make)
{
    return runtimeCall(name, [&](Platform& p) {
        if (node == nullptr) return Status::InvalidValue;
        Graph& g = graphOf(p, graph);
        *node = g.add(make(p), before(p, dependencies, count));
        return Status::Success;
    });
}

/// Gives the copy of a node in an instance other work.
template <class F> int change(const char* name, Handle exec, Handle node, F&& make)
{
    return runtimeCall(name, [&](Platform& p) {
        ReadyGraph& ready = readyOf(p, exec);
        const auto found = ready.copyOf.find(static_cast<const Node*>(node));
        if (found == ready.copyOf.end()) return Status::InvalidValue;
        found->second->work = make(p);
        return Status::Success;
    });
}

int addDependencies(Handle graph, const Handle* from, const Handle* to, std::size_t count)
{
    return runtimeCall("cudaGraphAddDependencies", [&](Platform& p) {
        static_cast<void>(graphOf(p, graph));
        for (std::size_t i = 0; i < count; ++i)
            nodeOf(p, to[i]).before.push_back(&nodeOf(p, from[i]));
        return Status::Success;
    });
}

}  // namespace

GSU_RUNTIME(cudaStreamBeginCapture)(Handle stream, int)
{
    return runtimeCall("cudaStreamBeginCapture",
                       [&](Platform& p) { return p.streams.beginCapture(streamOf(p, stream)); });
}

GSU_RUNTIME(cudaStreamEndCapture)(Handle stream, Handle* graph)
{
    return runtimeCall("cudaStreamEndCapture", [&](Platform& p) {
        std::shared_ptr<Graph> captured;
        const Status status = p.streams.endCapture(streamOf(p, stream), captured);
        if (graph != nullptr) *graph = captured ? p.graphs.keep(std::move(captured)) : nullptr;
        return status;
    });
}

GSU_RUNTIME(cudaStreamIsCapturing)(Handle stream, int* state)
{
    return runtimeCall("cudaStreamIsCapturing", [&](Platform& p) {
        const Stream& s = streamOf(p, stream);
        *state = !s.capture ? 0 : s.capture->spoilt ? 2 : 1;
        return Status::Success;
    });
}

GSU_RUNTIME(cudaThreadExchangeStreamCaptureMode)(int*) { return 0; }

GSU_RUNTIME(cudaGraphCreate)(Handle* graph, unsigned)
{
    return runtimeCall("cudaGraphCreate", [&](Platform& p) {
        *graph = p.graphs.make();
        return Status::Success;
    });
}

GSU_RUNTIME(cudaGraphDestroy)(Handle graph)
{
    return runtimeCall("cudaGraphDestroy", [&](Platform& p) {
        return p.graphs.destroy(graph) ? Status::Success : Status::InvalidValue;
    });
}

GSU_RUNTIME(cudaGraphClone)(Handle* copy, Handle graph)
{
    return runtimeCall("cudaGraphClone", [&](Platform& p) {
        std::map<const Node*, Node*> unused;
        *copy = p.graphs.keep(Graphs::copied(graphOf(p, graph), unused));
        return Status::Success;
    });
}

GSU_RUNTIME(cudaGraphAddKernelNode)
(Handle* node, Handle graph, const Handle* dependencies, std::size_t count,
 const KernelNode* parameters)
{
    const void* site = GSU_SITE;
    return add("cudaGraphAddKernelNode", node, graph, dependencies, count,
               [&](Platform& p) { return kernelWork(p, *parameters, site); });
}

GSU_RUNTIME(cudaGraphAddMemcpyNode)
(Handle* node, Handle graph, const Handle* dependencies, std::size_t count, const Copy3D* copy)
{
    return add("cudaGraphAddMemcpyNode", node, graph, dependencies, count,
               [&](Platform& p) { return copyWork(p, *copy); });
}

GSU_RUNTIME(cudaGraphAddMemcpyNode1D)
(Handle* node, Handle graph, const Handle* dependencies, std::size_t count, void* to,
 const void* from, std::size_t bytes, int kind)
{
    return add("cudaGraphAddMemcpyNode1D", node, graph, dependencies, count,
               [&](Platform& p) { return copyWork(p, to, from, bytes, kind); });
}

GSU_RUNTIME(cudaGraphAddMemsetNode)
(Handle* node, Handle graph, const Handle* dependencies, std::size_t count, const FillNode* fill)
{
    return add("cudaGraphAddMemsetNode", node, graph, dependencies, count,
               [&](Platform& p) { return fillWork(p, *fill); });
}

GSU_RUNTIME(cudaGraphAddHostNode)
(Handle* node, Handle graph, const Handle* dependencies, std::size_t count, const HostNode* host)
{
    return add("cudaGraphAddHostNode", node, graph, dependencies, count,
               [&](Platform& p) { return hostWork(p, host->function, host->data); });
}

GSU_RUNTIME(cudaGraphAddEmptyNode)
(Handle* node, Handle graph, const Handle* dependencies, std::size_t count)
{
    return add("cudaGraphAddEmptyNode", node, graph, dependencies, count, [](Platform&) {
        return Work{Work::Kind::Empty, [] { return Status::Success; }};
    });
}

GSU_RUNTIME(cudaGraphAddChildGraphNode)
(Handle* node, Handle graph, const Handle* dependencies, std::size_t count, Handle child)
{
    return add("cudaGraphAddChildGraphNode", node, graph, dependencies, count, [&](Platform& p) {
        std::map<const Node*, Node*> unused;
        const std::shared_ptr<Graph> copy = Graphs::copied(graphOf(p, child), unused);
        const auto order = orderOf(*copy);
        if (!order) throw Refusal{Status::InvalidValue, "the child's nodes wait in a circle"};
        return Work{Work::Kind::Child, [copy, order = *order] { return run(order); }};
    });
}

GSU_RUNTIME(cudaGraphKernelNodeSetParams)(Handle node, const KernelNode* parameters)
{
    const void* site = GSU_SITE;
    return runtimeCall("cudaGraphKernelNodeSetParams", [&](Platform& p) {
        nodeOf(p, node).work = kernelWork(p, *parameters, site);
        return Status::Success;
    });
}

GSU_RUNTIME(cudaGraphExecKernelNodeSetParams)
(Handle exec, Handle node, const KernelNode* parameters)
{
    const void* site = GSU_SITE;
    return change("cudaGraphExecKernelNodeSetParams", exec, node,
                  [&](Platform& p) { return kernelWork(p, *parameters, site); });
}

GSU_RUNTIME(cudaGraphExecMemcpyNodeSetParams)(Handle exec, Handle node, const Copy3D* copy)
{
    return change("cudaGraphExecMemcpyNodeSetParams", exec, node,
                  [&](Platform& p) { return copyWork(p, *copy); });
}

GSU_RUNTIME(cudaGraphExecMemcpyNodeSetParams1D)
(Handle exec, Handle node, void* to, const void* from, std::size_t bytes, int kind)
{
    return change("cudaGraphExecMemcpyNodeSetParams1D", exec, node,
                  [&](Platform& p) { return copyWork(p, to, from, bytes, kind); });
}

GSU_RUNTIME(cudaGraphExecMemsetNodeSetParams)(Handle exec, Handle node, const FillNode* fill)
{
    return change("cudaGraphExecMemsetNodeSetParams", exec, node,
                  [&](Platform& p) { return fillWork(p, *fill); });
}

GSU_RUNTIME(cudaGraphExecHostNodeSetParams)(Handle exec, Handle node, const HostNode* host)
{
    return change("cudaGraphExecHostNodeSetParams", exec, node,
                  [&](Platform& p) { return hostWork(p, host->function, host->data); });
}

GSU_RUNTIME_11(cudaGraphAddDependencies)
(Handle graph, const Handle* from, const Handle* to, std::size_t count)
{
    return addDependencies(graph, from, to, count);
}
GSU_RUNTIME_12(cudaGraphAddDependencies)
(Handle graph, const Handle* from, const Handle* to, std::size_t count)
{
    return addDependencies(graph, from, to, count);
}
// Version 13 has data of each edge beside.
GSU_RUNTIME_13(cudaGraphAddDependencies)
(Handle graph, const Handle* from, const Handle* to, const void*, std::size_t count)
{
    return addDependencies(graph, from, to, count);
}

GSU_RUNTIME(cudaGraphGetNodes)(Handle graph, Handle* nodes, std::size_t* count)
{
    return runtimeCall("cudaGraphGetNodes", [&](Platform& p) {
        const Graph& g = graphOf(p, graph);
        if (nodes != nullptr) {
            for (std::size_t i = 0; i < std::min(*count, g.nodes.size()); ++i)
                nodes[i] = g.nodes[i].get();
        }
        *count = g.nodes.size();
        return Status::Success;
    });
}

GSU_RUNTIME(cudaGraphNodeGetType)(Handle node, int* type)
{
    return runtimeCall("cudaGraphNodeGetType", [&](Platform& p) {
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
    });
}

GSU_RUNTIME(cudaGraphInstantiate)(Handle* exec, Handle graph)
{
    // What follows are flags or a log, by version: neither changes what is made.
    return runtimeCall("cudaGraphInstantiate", [&](Platform& p) {
        if (exec == nullptr) return Status::InvalidValue;
        *exec = p.graphs.instantiate(graphOf(p, graph));
        return *exec == nullptr ? Status::InvalidValue : Status::Success;
    });
}

GSU_RUNTIME(cudaGraphInstantiateWithFlags)(Handle* exec, Handle graph, unsigned long long)
{
    return gsu_cudaGraphInstantiate(exec, graph);
}

GSU_RUNTIME(cudaGraphExecUpdate)(Handle exec, Handle graph, int*)
{
    return runtimeCall("cudaGraphExecUpdate", [&](Platform& p) {
        return p.graphs.update(readyOf(p, exec), graphOf(p, graph)) ? Status::Success
                                                                    : Status::GraphUpdate;
    });
}

GSU_RUNTIME(cudaGraphUpload)(Handle, Handle) { return 0; }

GSU_RUNTIME(cudaGraphLaunch)(Handle exec, Handle stream)
{
    return runtimeCall("cudaGraphLaunch", [&](Platform& p) {
        ReadyGraph& ready = readyOf(p, exec);
        return p.streams.submit(streamOf(p, stream), ready);
    });
}

GSU_RUNTIME(cudaGraphExecDestroy)(Handle exec)
{
    return runtimeCall("cudaGraphExecDestroy", [&](Platform& p) {
        return p.graphs.destroyReady(exec) ? Status::Success : Status::InvalidValue;
    });
}

GSU_PER_THREAD(cudaStreamBeginCapture, _ptsz, (Handle stream, int b), (stream, b))
GSU_PER_THREAD(cudaStreamEndCapture, _ptsz, (Handle stream, Handle* graph), (stream, graph))
GSU_PER_THREAD(cudaStreamIsCapturing, _ptsz, (Handle stream, int* state), (stream, state))
GSU_PER_THREAD(cudaGraphLaunch, _ptsz, (Handle exec, Handle stream), (exec, stream))
