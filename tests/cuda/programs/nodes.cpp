// Parameters of graph nodes, read back and changed: of nodes that were added and of nodes that were captured.
#include <cstring>

#include "scenarios.hpp"

namespace {

constexpr int kN = 32;

struct Parts {
    float* a = onDevice(std::vector<float>(kN, 1.0f));
    float* b = onDevice(std::vector<float>(kN, 2.0f));
    float* c = onDevice(std::vector<float>(kN, 0.0f));
    int n = kN;
    void* graph = nullptr;
};

void* kernelNode(Parts& x, void* behind = nullptr)
{
    void* arguments[] = {&x.a, &x.b, &x.c, &x.n};
    const KernelNodeParams params{&host::add, {1}, {kN}, 0, arguments, nullptr};
    void* node = nullptr;
    OK(cudaGraphAddKernelNode(&node, x.graph, &behind, behind == nullptr ? 0 : 1, &params));
    return node;
}

float* pointerAt(const KernelNodeParams& params, int i)
{
    float* p = nullptr;
    std::memcpy(&p, params.arguments[i], sizeof p);
    return p;
}

/// c = a + b becomes c = c + b by the node's own parameters, one of them replaced.
void kernels()
{
    Parts x;
    OK(cudaGraphCreate(&x.graph, 0));
    void* node = kernelNode(x);
    KernelNodeParams told;
    OK(cudaGraphKernelNodeGetParams(node, &told));
    CHECK(told.function == &host::add && told.block.x == kN && told.extra == nullptr);
    CHECK(pointerAt(told, 0) == x.a && pointerAt(told, 2) == x.c);
    void *exec = nullptr,
         *changed[] = {told.arguments[2], told.arguments[1], told.arguments[2], told.arguments[3]};
    told.arguments = changed;
    OK(cudaGraphKernelNodeSetParams(node, &told));
    OK(cudaGraphKernelNodeGetParams(node, &told));
    CHECK(pointerAt(told, 0) == x.c);
    EXPECT(1, cudaGraphMemsetNodeGetParams(node, nullptr));
    OK(cudaGraphInstantiate(&exec, x.graph, 0));
    for (int i = 0; i < 2; ++i) OK(cudaGraphLaunch(exec, nullptr));
    CHECK(fromDevice(x.c, kN) == std::vector<float>(kN, 4.0f));

    // Switched off in the instance, and on again.
    unsigned on = 9;
    OK(cudaGraphNodeGetEnabled(exec, node, &on));
    CHECK(on == 1);
    OK(cudaGraphNodeSetEnabled(exec, node, 0));
    OK(cudaGraphLaunch(exec, nullptr));
    CHECK(fromDevice(x.c, kN) == std::vector<float>(kN, 4.0f));
    OK(cudaGraphNodeSetEnabled(exec, node, 1));
    OK(cudaGraphLaunch(exec, nullptr));
    CHECK(fromDevice(x.c, kN) == std::vector<float>(kN, 6.0f));
    void *clone = nullptr, *there = nullptr;
    OK(cudaGraphClone(&clone, x.graph));
    OK(cudaGraphNodeFindInClone(&there, node, clone));
    CHECK(there != nullptr && there != node);
    EXPECT(1, cudaGraphNodeFindInClone(&there, node, x.graph));
}

void copiesAndFills()
{
    Parts x;
    OK(cudaGraphCreate(&x.graph, 0));
    void *fill = nullptr, *copy = nullptr, *exec = nullptr;
    const FillNodeParams filled{x.c, 0, 7, 4, kN, 1};
    OK(cudaGraphAddMemsetNode(&fill, x.graph, nullptr, 0, &filled));
    OK(cudaGraphAddMemcpyNode1D(&copy, x.graph, &fill, 1, x.a, x.c, kN * 4, 3));
    FillNodeParams gotFill{};
    OK(cudaGraphMemsetNodeGetParams(fill, &gotFill));
    CHECK(gotFill.target == x.c && gotFill.value == 7 && gotFill.element == 4);
    CHECK(gotFill.width == kN && gotFill.height == 1);
    Copy3DParams gotCopy{};
    OK(cudaGraphMemcpyNodeGetParams(copy, &gotCopy));
    CHECK(gotCopy.source.pointer == x.c && gotCopy.target.pointer == x.a);
    CHECK(gotCopy.width == kN * 4 && gotCopy.height == 1 && gotCopy.depth == 1);
    // The same values again do the same.
    gotFill.value = 9;
    OK(cudaGraphMemsetNodeSetParams(fill, &gotFill));
    OK(cudaGraphMemcpyNodeSetParams(copy, &gotCopy));
    OK(cudaGraphInstantiate(&exec, x.graph, 0));
    OK(cudaGraphLaunch(exec, nullptr));
    std::vector<int> bits(kN);
    OK(cudaMemcpy(bits.data(), x.a, kN * 4, 2));
    CHECK(bits == std::vector<int>(kN, 9));
}

int counted = 0;

void hostsEventsChildren()
{
    Parts x;
    OK(cudaGraphCreate(&x.graph, 0));
    void *node = nullptr, *event = nullptr, *other = nullptr, *exec = nullptr, *told = nullptr,
         *child = nullptr, *outer = nullptr;
    OK(cudaEventCreate(&event));
    OK(cudaEventCreate(&other));
    const HostNodeParams plusOne{[](void* by) { counted += *static_cast<int*>(by); }, &x.n};
    OK(cudaGraphAddHostNode(&node, x.graph, nullptr, 0, &plusOne));
    HostNodeParams gotHost{};
    OK(cudaGraphHostNodeGetParams(node, &gotHost));
    CHECK(gotHost.function == plusOne.function && gotHost.data == &x.n);
    OK(cudaGraphAddEventRecordNode(&node, x.graph, nullptr, 0, event));
    OK(cudaGraphEventRecordNodeGetEvent(node, &told));
    CHECK(told == event);
    OK(cudaGraphEventRecordNodeSetEvent(node, other));
    OK(cudaGraphEventRecordNodeGetEvent(node, &told));
    CHECK(told == other);
    EXPECT(1, cudaGraphEventWaitNodeGetEvent(node, &told));

    OK(cudaGraphCreate(&outer, 0));
    OK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, x.graph));
    OK(cudaGraphChildGraphNodeGetGraph(child, &told));
    std::size_t nodes = 0;
    OK(cudaGraphGetNodes(told, nullptr, &nodes));
    CHECK(nodes == 2 && told != x.graph);
    OK(cudaGraphInstantiate(&exec, outer, 0));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaDeviceSynchronize());
    CHECK(counted == kN);
    OK(cudaEventQuery(other));
}

/// Captured nodes have parameters, too.
void captured()
{
    Parts x;
    void *stream = nullptr, *nodes[2] = {}, *exec = nullptr;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, 0));
    void* arguments[] = {&x.a, &x.b, &x.c, &x.n};
    OK(cudaLaunchKernel(&host::add, {1}, {kN}, arguments, 0, stream));
    OK(cudaStreamEndCapture(stream, &x.graph));
    std::size_t count = 2;
    OK(cudaGraphGetNodes(x.graph, nodes, &count));
    CHECK(count == 1);
    KernelNodeParams told;
    OK(cudaGraphKernelNodeGetParams(nodes[0], &told));
    CHECK(told.function == &host::add && pointerAt(told, 1) == x.b);
    OK(cudaGraphInstantiate(&exec, x.graph, 0));
    void* others[] = {&x.b, &x.b, &x.c, &x.n};
    told.arguments = others;
    OK(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &told));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(fromDevice(x.c, kN) == std::vector<float>(kN, 4.0f));
}

}  // namespace

void nodes()
{
    kernels();
    copiesAndFills();
    hostsEventsChildren();
    captured();
}
