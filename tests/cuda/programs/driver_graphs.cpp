// Graphs of the driver, copies of boxes, tensor maps of pixels.
#include <cstring>

#include "scenarios.hpp"

namespace {

const char* const kPtx = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry add(.param .u64 at, .param .u32 value)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [at];
    ld.param.u32 %r1, [value];
    ld.global.u32 %r2, [%rd1];
    add.u32 %r1, %r1, %r2;
    st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry pixels(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 w, .param .u32 h)
{
    .shared .align 128 .b8 tile[192];
    .shared .align 8 .b64 bar;
    .reg .b16 %h<3>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    .reg .pred %p<3>;
    mbarrier.init.shared.b64 [bar], 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [bar], 192;
    mov.b64 %rd1, map;
    cvta.param.u64 %rd1, %rd1;
    ld.param.u32 %r1, [w];
    ld.param.u32 %r2, [h];
    cvt.u16.u32 %h1, %r1;
    cvt.u16.u32 %h2, %r2;
    mov.u32 %r3, 0;
    mov.u32 %r4, -1;
    cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes
        [tile], [%rd1, {%r3, %r4, %r4, %r3}], [bar], {%h1, %h2};
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
    @!%p1 bra WAIT;
    ld.param.u64 %rd2, [out];
    mov.u64 %rd3, tile;
    mov.u32 %r5, 0;
NEXT:
    ld.shared.u32 %r6, [%rd3];
    st.global.u32 [%rd2], %r6;
    add.u64 %rd2, %rd2, 4;
    add.u64 %rd3, %rd3, 4;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p2, %r5, 48;
    @%p2 bra NEXT;
    ret;
}
)";

struct KernelNode {
    void* function;
    unsigned grid[3], block[3];
    unsigned smem;
    void** arguments;
    void** extra;
    void *kernel, *context;
};
struct FillNode {
    std::uint64_t target;
    std::size_t pitch;
    unsigned value, element;
    std::size_t width, height;
};
struct Side {
    std::size_t x, y, z, level;
    unsigned kind;
    const void* host;
    std::uint64_t device;
    void *array, *reserved;
    std::size_t pitch, height;
};
struct Copy {
    Side source, target;
    std::size_t width, height, depth;
};
static_assert(sizeof(KernelNode) == 72 && sizeof(FillNode) == 40 && sizeof(Copy) == 200);
struct HostNode {
    void (*function)(void*);
    void* data;
};

unsigned read(std::uint64_t from)
{
    unsigned value = 0;
    OK(cuMemcpyDtoH_v2(&value, from, 4));
    return value;
}

struct Device {
    void *context = nullptr, *module = nullptr, *add = nullptr, *pixels = nullptr;
    std::uint64_t memory = 0;
    Device()
    {
        OK(cuInit(0));
        OK(cuCtxCreate_v2(&context, 0, 0));
        OK(cuModuleLoadData(&module, kPtx));
        OK(cuModuleGetFunction(&add, module, "add"));
        OK(cuModuleGetFunction(&pixels, module, "pixels"));
        OK(cuMemAlloc_v2(&memory, 4096));
    }
};

void captured(Device& d)
{
    void *main = nullptr, *side = nullptr, *fork = nullptr, *join = nullptr, *graph = nullptr,
         *exec = nullptr;
    OK(cuStreamCreate(&main, 0));
    OK(cuStreamCreate(&side, 0));
    OK(cuEventCreate(&fork, 0));
    OK(cuEventCreate(&join, 0));
    OK(cuMemsetD32_v2(d.memory, 0, 2));
    std::uint64_t other = d.memory + 4;
    unsigned one = 1, ten = 10;
    void *first[] = {&d.memory, &one}, *second[] = {&other, &ten};
    OK(cuStreamBeginCapture_v2(main, 0));
    OK(cuEventRecord(fork, main));
    OK(cuStreamWaitEvent(side, fork, 0));
    OK(cuLaunchKernel(d.add, 1, 1, 1, 1, 1, 1, 0, main, first, nullptr));
    OK(cuLaunchKernel(d.add, 1, 1, 1, 1, 1, 1, 0, side, second, nullptr));
    OK(cuEventRecord(join, side));
    OK(cuStreamWaitEvent(main, join, 0));
    int state = -1;
    OK(cuStreamIsCapturing(side, &state));
    CHECK(state == 1);
    OK(cuStreamEndCapture(main, &graph));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(read(d.memory) == 0);
    for (int i = 0; i < 3; ++i) OK(cuGraphLaunch(exec, main));
    OK(cuStreamSynchronize(main));
    CHECK(read(d.memory) == 3 && read(other) == 30);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    EXPECT(1, cuGraphLaunch(exec, main));
    EXPECT(900, cuStreamBeginCapture_v2(nullptr, 0));
}

struct Built {
    void *graph = nullptr, *fill = nullptr, *add = nullptr, *copy = nullptr, *host = nullptr,
         *reached = nullptr;
};

/// Fill, kernel, copy to the host, function, event, one after the other.
Built built(Device& d, unsigned& value, unsigned& seen, int& told, void* event)
{
    Built b;
    OK(cuGraphCreate(&b.graph, 0));
    const FillNode fill{d.memory, 0, 5, 4, 1, 1};
    OK(cuGraphAddMemsetNode(&b.fill, b.graph, nullptr, 0, &fill, d.context));
    void* arguments[] = {&d.memory, &value};
    const KernelNode kernel{d.add, {1, 1, 1}, {1, 1, 1}, 0, arguments, nullptr, nullptr, nullptr};
    OK(cuGraphAddKernelNode_v2(&b.add, b.graph, &b.fill, 1, &kernel));
    KernelNode givenKernel{};
    OK(cuGraphKernelNodeGetParams_v2(b.add, &givenKernel));
    std::uint64_t at = 0;
    std::memcpy(&at, givenKernel.arguments[0], sizeof at);
    CHECK(givenKernel.function == d.add && at == d.memory);
    FillNode givenFill{};
    OK(cuGraphMemsetNodeGetParams(b.fill, &givenFill));
    CHECK(givenFill.value == 5 && givenFill.element == 4);
    Copy copy{};
    copy.source.kind = 2;
    copy.source.device = d.memory;
    copy.target.kind = 1;
    copy.target.host = &seen;
    copy.width = 4;
    copy.height = copy.depth = 1;
    OK(cuGraphAddMemcpyNode(&b.copy, b.graph, &b.add, 1, &copy, d.context));
    const HostNode host{[](void* p) { ++*static_cast<int*>(p); }, &told};
    OK(cuGraphAddHostNode(&b.host, b.graph, nullptr, 0, &host));
    OK(cuGraphAddDependencies_v2(b.graph, &b.copy, &b.host, nullptr, 1));
    OK(cuGraphAddEventRecordNode(&b.reached, b.graph, &b.host, 1, event));
    return b;
}

void lists(const Built& b)
{
    void *nodes[8] = {}, *from[8] = {}, *to[8] = {};
    std::size_t count = 8;
    OK(cuGraphGetNodes(b.graph, nodes, &count));
    CHECK(count == 5 && nodes[0] == b.fill && nodes[5] == nullptr);
    OK(cuGraphGetRootNodes(b.graph, nodes, &(count = 8)));
    CHECK(count == 1 && nodes[0] == b.fill);
    OK(cuGraphGetEdges(b.graph, from, to, &(count = 8)));
    CHECK(count == 4 && from[0] == b.fill && to[0] == b.add);
    OK(cuGraphNodeGetDependencies(b.copy, nodes, &(count = 1)));
    CHECK(count == 1 && nodes[0] == b.add);
    OK(cuGraphNodeGetDependentNodes_v2(b.copy, nodes, nullptr, &(count = 1)));
    CHECK(count == 1 && nodes[0] == b.host);
    const std::pair<void*, int> types[] = {
        {b.add, 0}, {b.copy, 1}, {b.fill, 2}, {b.host, 3}, {b.reached, 7}};
    for (const auto& [node, type] : types) {
        int seenBack = -1;
        OK(cuGraphNodeGetType(node, &seenBack));
        CHECK(seenBack == type);
    }
}

void explicitly(Device& d)
{
    unsigned value = 37, seen = 0;
    int told = 0;
    void *event = nullptr, *exec = nullptr, *copy = nullptr, *outer = nullptr, *node = nullptr;
    OK(cuEventCreate(&event, 0));
    const Built b = built(d, value, seen, told, event);
    lists(b);
    OK(cuGraphInstantiateWithFlags(&exec, b.graph, 0));
    OK(cuGraphLaunch(exec, nullptr));
    OK(cuCtxSynchronize());
    CHECK(seen == 42 && told == 1);
    OK(cuEventQuery(event));
    // Parameters of an instance are its own; an update copies those of another graph of the same shape.
    const FillNode fill{d.memory, 0, 100, 4, 1, 1};
    OK(cuGraphExecMemsetNodeSetParams(exec, b.fill, &fill, d.context));
    EXPECT(1, cuGraphExecMemsetNodeSetParams(exec, b.add, &fill, d.context));
    OK(cuGraphLaunch(exec, nullptr));
    OK(cuCtxSynchronize());
    CHECK(seen == 137);
    OK(cuGraphClone(&copy, b.graph));
    struct {
        int result;
        void *node, *from;
    } result{-1, nullptr, nullptr};
    OK(cuGraphExecUpdate_v2(exec, copy, &result));
    CHECK(result.result == 0);
    OK(cuGraphLaunch(exec, nullptr));
    OK(cuCtxSynchronize());
    CHECK(seen == 42);
    // A graph as a node of another, after a wait for the event.
    OK(cuGraphCreate(&outer, 0));
    OK(cuGraphAddEventWaitNode(&node, outer, nullptr, 0, event));
    void *child = nullptr, *end = nullptr;
    OK(cuGraphAddChildGraphNode(&child, outer, &node, 1, copy));
    OK(cuGraphAddEmptyNode(&end, outer, &child, 1));
    EXPECT(910, cuGraphExecUpdate_v2(exec, outer, &result));
    CHECK(result.result == 2);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphInstantiateWithFlags(&exec, outer, 0));
    OK(cuGraphLaunch(exec, nullptr));
    OK(cuCtxSynchronize());
    CHECK(told == 4);
    OK(cuGraphDestroyNode(end));
    EXPECT(1, cuGraphDestroyNode(end));
    OK(cuGraphRemoveDependencies(outer, &node, &child, 1));
    EXPECT(1, cuGraphRemoveDependencies(outer, &node, &child, 1));
}

void boxes(Device& d)
{
    std::vector<unsigned char> host(4 * 3 * 2), back(host.size());
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i + 1);
    Copy copy{};
    copy.source.kind = 1;
    copy.source.host = host.data();
    copy.source.pitch = 4;
    copy.source.height = 3;
    copy.target.kind = 2;
    copy.target.device = d.memory;
    copy.target.pitch = 16;
    copy.target.height = 5;
    copy.target.x = 3;
    copy.width = 4;
    copy.height = 3;
    copy.depth = 2;
    OK(cuMemsetD32_v2(d.memory, 0, 1024));
    OK(cuMemcpy3D_v2(&copy));
    std::vector<unsigned char> all(16 * 5 * 2);
    OK(cuMemcpyDtoH_v2(all.data(), d.memory, all.size()));
    CHECK(all[2] == 0 && all[3] == 1 && all[16 + 6] == 8 && all[80 + 3] == 13);
    std::swap(copy.source, copy.target);
    copy.target.host = back.data();
    OK(cuMemcpy3D_v2(&copy));
    CHECK(back == host);
    copy.source.kind = 3;
    EXPECT(801, cuMemcpy3D_v2(&copy));
}

/// An image of 4 x 3 pixels with 4 channels, the border of a filter of 3 x 3 around it.
void pixels(Device& d)
{
    const std::uint64_t image = d.memory, out = d.memory + 1024;
    std::vector<unsigned> values(48), seenBack(48);
    for (unsigned i = 0; i < 48; ++i) values[i] = i + 1;
    OK(cuMemcpyHtoD_v2(image, values.data(), 192));
    alignas(64) unsigned char map[128] = {};
    const std::uint64_t sizes[] = {4, 4, 3, 1}, strides[] = {16, 64, 192};
    const int lower[] = {-1, -1}, upper[] = {-1, -1}, far[] = {-200, -1};
    const std::uint32_t steps[] = {1, 1, 1, 1};
    void* address = reinterpret_cast<void*>(image);
    OK(cuTensorMapEncodeIm2col(map, 2, 4, address, sizes, strides, lower, upper, 4, 12, steps, 0, 0,
                               0, 0));
    for (int h = 0; h < 3; ++h) {
        for (int w = 0; w < 3; ++w) {
            std::uint64_t to = out;
            void* arguments[] = {map, &to, &w, &h};
            OK(cuLaunchKernel(d.pixels, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
            OK(cuMemcpyDtoH_v2(seenBack.data(), out, 192));
            for (int i = 0; i < 48; ++i) {
                const int x = i / 4 % 4 - 1 + w, y = i / 16 - 1 + h;
                const bool inside = x >= 0 && x < 4 && y >= 0 && y < 3;
                const int want = inside ? (y * 4 + x) * 4 + i % 4 + 1 : 0;
                CHECK(seenBack[static_cast<std::size_t>(i)] == static_cast<unsigned>(want));
            }
        }
    }
    EXPECT(1, cuTensorMapEncodeIm2col(map, 2, 4, address, sizes, strides, far, upper, 4, 12, steps,
                                      0, 0, 0, 0));
    EXPECT(1, cuTensorMapEncodeIm2col(map, 2, 4, address, sizes, strides, lower, upper, 300, 12,
                                      steps, 0, 0, 0, 0));
    EXPECT(1, cuTensorMapEncodeIm2col(map, 2, 4, address, sizes, strides, lower, upper, 4, 2000,
                                      steps, 0, 0, 0, 0));
    EXPECT(1, cuTensorMapEncodeIm2col(map, 2, 2, address, sizes, strides, lower, upper, 4, 12,
                                      steps, 0, 0, 0, 0));
    const std::uint64_t wideSizes[] = {16, 4, 3, 1}, wideStrides[] = {64, 256, 768};
    OK(cuTensorMapEncodeIm2colWide(map, 2, 4, address, wideSizes, wideStrides, -1, -1, 16, 12,
                                   steps, 0, 0, 2, 0, 0));
    EXPECT(1, cuTensorMapEncodeIm2colWide(map, 2, 4, address, wideSizes, wideStrides, -1, -1, 16,
                                          12, steps, 0, 7, 2, 0, 0));
}

}  // namespace

void driverGraphs()
{
    Device d;
    captured(d);
    explicitly(d);
    boxes(d);
    pixels(d);
}

/// A copy of pixels reads an image that was never written.
void unwrittenPixels()
{
    Device d;
    alignas(64) unsigned char map[128] = {};
    const std::uint64_t sizes[] = {4, 4, 3, 1}, strides[] = {16, 64, 192};
    const int lower[] = {-1, -1}, upper[] = {-1, -1};
    const std::uint32_t steps[] = {1, 1, 1, 1};
    OK(cuTensorMapEncodeIm2col(map, 2, 4, reinterpret_cast<void*>(d.memory), sizes, strides, lower,
                               upper, 4, 12, steps, 0, 0, 0, 0));
    unsigned w = 1, h = 1;
    std::uint64_t out = d.memory + 1024;
    void* arguments[] = {map, &out, &w, &h};
    OK(cuLaunchKernel(d.pixels, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuCtxSynchronize());
}
