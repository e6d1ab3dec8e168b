// Arguments at the edge of what a call may be given, and programs that do what hardly any program does.
#include <dlfcn.h>

#include <cstring>
#include <stdexcept>
#include <thread>

#include "scenarios.hpp"

namespace {

constexpr std::size_t kHuge =
    (std::size_t{1} << 56) + 1;  // rows of 256 bytes are 256 bytes more than 2^64

const char* const kWrong = R"(
.version 8.0
.target sm_90
.address_size 64
.global .align 8 .b8 place[64];
.shared .align 4 .b8 big[150000];
.visible .entry unused() { ret; }
.visible .entry uses() { .reg .b32 %r1; mov.u32 %r1, big; st.shared.u32 [%r1], 1; ret; }
.visible .entry misaligned() { .reg .b32 %r1; ld.global.u32 %r1, [place+2]; ret; }
.visible .entry wild() { .reg .b32 %r1; .reg .b64 %rd1; mov.u64 %rd1, 8; ld.global.u32 %r1, [%rd1]; ret; }
.visible .entry local_atomic()
{
    .reg .b32 %r1; .reg .b64 %rd1; .local .align 8 .b8 l[8];
    mov.u64 %rd1, l; cvta.local.u64 %rd1, %rd1; atom.add.u32 %r1, [%rd1], 1; ret;
}
.visible .entry jump() { .reg .b32 %r1; mov.u32 %r1, 7; brx.idx %r1, T; A: ret; B: ret; T: .branchtargets A, B; }
.func deep () { .local .align 8 .b8 l[64]; .reg .b64 %d1; mov.u64 %d1, l; call deep; ret; }
.visible .entry overflow() { call deep; ret; }
)";

void* moduleOf(const char* text)
{
    void* module = nullptr;
    OK(cudaFree(nullptr));  // the primary context
    OK(cuModuleLoadData(&module, text));
    return module;
}

void* functionOf(void* module, const char* name)
{
    void* function = nullptr;
    OK(cuModuleGetFunction(&function, module, name));
    return function;
}

int launchOf(void* function, void** arguments = nullptr)
{
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
}

}  // namespace

/// Rows, slices and places whose sums do not fit in 64 bits. The memory after the allocation must not change.
void wrapping()
{
    int *p = onDevice(zeros(1024)), *behind = onDevice(zeros(1024));
    std::vector<char> host(4096);
    const PitchedPointer box{p, 256, 256, kHuge};
    const std::size_t to = std::uintptr_t(p);
    Copy3DParams copy{};
    copy.source = {host.data(), 256, 256, 16};
    copy.target = {p, 256, 256, 16};
    copy.width = 256, copy.height = 16, copy.depth = 1, copy.kind = 1;
    OK(cudaMemcpy3D(&copy));
    copy.height = kHuge;
    EXPECT(1, cudaMemcpy3D(&copy));
    copy.height = 16, copy.targetAt[2] = std::size_t{1} << 53;  // of 4096 bytes each: 2^65
    EXPECT(1, cudaMemcpy3D(&copy));
    copy.targetAt[2] = 0, copy.targetAt[0] = ~std::size_t{0};
    EXPECT(1, cudaMemcpy3D(&copy));
    copy.targetAt[0] = 0, copy.depth = kHuge, copy.target.height = copy.source.height = 0;
    EXPECT(1, cudaMemcpy3D(&copy));  // slices that lie on each other
    EXPECT(1, cudaMemset2D(p, 256, 1, 256, kHuge));
    EXPECT(1, cudaMemset3D(box, 1, {256, 1, 1 << 20}));
    EXPECT(1, cudaMemset3D({p, 256, 256, 0}, 1, {256, 1, kHuge}));
    EXPECT(1, cudaMemcpy2D(p, 256, host.data(), 256, 256, kHuge, 1));
    EXPECT(1, cudaMemcpy2D(host.data(), 256, p, 256, 256, kHuge, 2));
    EXPECT(1, cuMemsetD32_v2(to, 1, (std::size_t{1} << 62) + 1));
    EXPECT(1, cuMemsetD2D32_v2(to, 256, 1, 64, kHuge));
    EXPECT(1, cuMemsetD2D32_v2(to, 256, 1, (std::size_t{1} << 62) + 1, 1));
    // CUDA_MEMCPY2D: x, y, kind, host, device, array, pitch of the source, then of the target, then width and height.
    std::size_t plane[16] = {0,   0,   1, std::uintptr_t(host.data()), 0, 0, 256, 0, 0, 2, 0, to, 0,
                             256, 256, 16};
    OK(cuMemcpy2D_v2(plane));
    plane[15] = kHuge;
    EXPECT(1, cuMemcpy2D_v2(plane));
    plane[15] = 16, plane[8] = kHuge;  // rows in front
    EXPECT(1, cuMemcpy2D_v2(plane));
    void *graph = nullptr, *node = nullptr;
    OK(cudaGraphCreate(&graph, 0));
    FillNodeParams fill{p, 256, 1, 4, (std::size_t{1} << 62) + 1, 1};
    EXPECT(1, cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));
    fill = {p, 256, 1, 1, 256, kHuge};
    EXPECT(1, cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));
    fill = {p, 256, 1, 8, 1, 1};
    EXPECT(1, cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));
    CHECK(fromDevice(p, 1024) == zeros(1024) && fromDevice(behind, 1024) == zeros(1024));
}

/// Pitched memory of more bytes than there are.
void pitches()
{
    OK(cudaFree(nullptr));
    constexpr std::size_t kRows = (std::size_t{1} << 55) + 1;
    std::uint64_t address = 0;
    std::size_t pitch = 0;
    void* p = nullptr;
    PitchedPointer box{};
    EXPECT(2, cuMemAllocPitch_v2(&address, &pitch, 512, kRows, 4));
    EXPECT(2, cuMemAllocPitch_v2(&address, &pitch, ~std::size_t{0}, 1, 4));
    EXPECT(1, cuMemAllocPitch_v2(&address, nullptr, 512, 2, 4));
    EXPECT(1, cuMemAllocPitch_v2(nullptr, &pitch, 512, 2, 4));
    EXPECT(2, cudaMallocPitch(&p, &pitch, 512, kRows));
    EXPECT(2, cudaMalloc3D(&box, {512, 1 << 28, std::size_t{1} << 28}));
    OK(cuMemAllocPitch_v2(&address, &pitch, 500, 2, 4));
    CHECK(pitch == 512);
    OK(cuMemsetD32_v2(address, 7, 256));
}

/// More addresses than there are, one allocation after the other.
void recycled()
{
    int* kept = onDevice(std::vector<int>(64, 5));
    for (int i = 0; i < 600; ++i) {
        void* p = nullptr;
        OK(cudaMalloc(&p, std::size_t{1} << 30));
        CHECK(p != kept);
        OK(cudaMemset(p, 1, 4096));
        OK(cudaFree(p));
    }
    CHECK(fromDevice(kept, 64) == std::vector<int>(64, 5));
}

/// A kernel that is registered and not in the PTX, and none at all.
void noFunction()
{
    static char stranger;
    EXPECT(98, cudaLaunchKernel(nullptr, {}, {32}, nullptr, 0, nullptr));
    EXPECT(98, launch(&stranger, {}, {32}));
    registerAbsent(&stranger);
    EXPECT(209,
           launch(&stranger, {}, {32}));  // once it left something behind that looked like a kernel
    const char* text = nullptr;
    EXPECT(400, launchOf(nullptr));
    EXPECT(400, cuFuncGetName(&text, nullptr));
    EXPECT(98, cudaLaunchKernel(nullptr, {}, {32}, nullptr, 0, nullptr));
    EXPECT(209, launch(&stranger, {}, {32}));
    EXPECT(1, cudaLaunchHostFunc(nullptr, nullptr, nullptr));
}

/// Each way in which a kernel ends as a trap has an error of its own.
void trapKinds()
{
    const std::pair<const char*, int> kinds[] = {{"misaligned", 716},
                                                 {"wild", 700},
                                                 {"local_atomic", 717},
                                                 {"jump", 718},
                                                 {"overflow", 714}};
    for (const auto& [name, code] : kinds) {
        void* module = moduleOf(kWrong);
        OK(launchOf(functionOf(module, name)));
        EXPECT(code, cudaDeviceSynchronize());
        OK(cudaDeviceReset());
        OK(cuModuleUnload(module));
    }
}

/// Shared memory of the module that a kernel does not name is not its own.
void moduleShared()
{
    void* module = moduleOf(kWrong);
    void *unused = functionOf(module, "unused"), *uses = functionOf(module, "uses");
    int bytes = -1;
    OK(cuFuncGetAttribute(&bytes, 1, unused));
    CHECK(bytes == 0);
    OK(cuFuncGetAttribute(&bytes, 1, uses));
    CHECK(bytes == 150000);
    OK(cuFuncSetAttribute(unused, 8, 227 * 1024));
    EXPECT(1, cuFuncSetAttribute(uses, 8, 227 * 1024));
    OK(cuLaunchKernel(unused, 1, 1, 1, 1, 1, 1, 227 * 1024, nullptr, nullptr, nullptr));
    OK(cudaDeviceSynchronize());
}

void belowAllocation()
{
    static_cast<void>(onDevice(zeros(4)));
    int* p = onDevice(zeros(4));
    OK(launch(&host::wild, {}, {}, p, -1));
    EXPECT(700, cudaDeviceSynchronize());
}

/// Nodes of graphs outlive what they were made of.
void keptByGraphs()
{
    void *stream = nullptr, *inner = nullptr, *outer = nullptr, *innerExec = nullptr,
         *exec = nullptr, *node = nullptr;
    OK(cudaStreamCreate(&stream));
    float* a = onDevice(std::vector<float>(32, 1.0f));
    int n = 32;
    void* arguments[] = {&a, &a, &a, &n};
    OK(cudaGraphCreate(&inner, 0));
    const KernelNodeParams twice{&host::add, {1}, {32}, 0, arguments, nullptr};
    OK(cudaGraphAddKernelNode(&node, inner, nullptr, 0, &twice));
    OK(cudaGraphInstantiate(&innerExec, inner, 0));
    OK(cudaStreamBeginCapture(stream, 0));
    OK(cudaGraphLaunch(innerExec, stream));
    OK(cudaStreamEndCapture(stream, &outer));
    OK(cudaGraphExecDestroy(innerExec));
    OK(cudaGraphDestroy(inner));
    OK(cudaGraphInstantiate(&exec, outer, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(fromDevice(a, 32)[31] == 2.0f);

    void* module = moduleOf(kWrong);
    void *graph = nullptr, *ready = nullptr;
    const KernelNodeParams none{functionOf(module, "unused"), {1}, {32}, 0, nullptr, nullptr};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &none));
    OK(cudaGraphInstantiate(&ready, graph, 0));
    OK(cuModuleUnload(module));
    OK(cudaGraphLaunch(ready, stream));
    OK(cudaStreamSynchronize(stream));
    EXPECT(400, launchOf(const_cast<void*>(none.function)));
}

/// A host function that throws: a separate error code; later calls work, those of other threads too.
void hostThrows()
{
    int* p = onDevice(zeros(32));
    EXPECT(999, cudaLaunchHostFunc(
                    nullptr, [](void*) { throw std::runtime_error("on purpose"); }, nullptr));
    EXPECT(999, cudaLaunchHostFunc(
                    nullptr, [](void*) { throw 7; }, nullptr));
    int of = -1;
    std::thread([&] { of = cudaMemset(p, 1, 128); }).join();
    CHECK(of == 0);
    OK(launch(&host::scaled, {}, {32}, p));
    CHECK(fromDevice(p, 32)[7] == 21);
}

namespace {

int* counted = nullptr;

/// Waits for the device, and for a thread that makes calls.
std::size_t bytesFor(int)
{
    OK(launch(&host::scaled, {}, {32}, counted));
    OK(cudaDeviceSynchronize());
    std::thread([] { OK(cudaMemset(counted, 0, 128)); }).join();
    return 0;
}

}  // namespace

/// A function that a call for the occupancy runs makes calls, waits, and waits for threads that make calls.
void occupancyWaits()
{
    counted = onDevice(zeros(32));
    void* function = functionOf(moduleOf(kWrong), "unused");
    int grid = 0, block = 0;
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, bytesFor, 0, 64));
    CHECK(block == 64 && grid > 0);
}

namespace {

void* latePool = nullptr;

/// Behind all destructors of objects, the library's too.
__attribute__((destructor)) void endOfProgram()
{
    if (latePool == nullptr) return;
    // Memory that is freed by now has other contents.
    std::vector<std::vector<char>> taken;
    for (std::size_t bytes = 16; bytes <= 256; bytes += 8)
        taken.insert(taken.end(), 8, std::vector<char>(bytes, -1));
    void* another = nullptr;
    const bool right = cudaMemPoolTrimTo(latePool, 0) == 0 &&
                       cudaMemPoolCreate(&another, nullptr) == 0 &&
                       cudaMemPoolTrimTo(another, 0) == 0;
    std::printf("late %d\n", right ? 1 : 0);
    std::fflush(stdout);
}

}  // namespace

void lateCalls()
{
    for (int i = 0; i < 5; ++i) OK(cudaMemPoolCreate(&latePool, nullptr));
}

namespace {

/// A function of the linker's library by its name.
template <class... T> int linker(const char* name, T... arguments)
{
    static void* const library = ::dlopen("libnvJitLink.so.13", RTLD_NOW);
    CHECK(library != nullptr);
    void* symbol = ::dlsym(library, name);
    if (symbol == nullptr) std::printf("%s is not there\n", name);
    CHECK(symbol != nullptr);
    return reinterpret_cast<int (*)(T...)>(symbol)(arguments...);
}

const char* const kCaller = R"(
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) half(.param .b32 x);
.visible .entry call(.param .u64 out)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>; .param .b32 a; .param .b32 b;
    ld.param.u64 %rd1, [out]; mov.u32 %r1, 84; st.param.b32 [a], %r1; call (b), half, (a); ld.param.b32 %r2, [b];
    st.global.u32 [%rd1], %r2; ret;
}
)";
const char* const kCallee = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .func (.param .b32 r) half(.param .b32 x)
{
    .reg .b32 %r<4>; ld.param.b32 %r1, [x]; shr.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret;
}
)";

}  // namespace

/// The linker's library: PTX stays PTX, what is none is refused with a line and a log.
void linkerLibrary()
{
    constexpr int kPtx = 2, kLtoir = 3, kAny = 10;
    unsigned major = 0, minor = 0;
    OK(linker("nvJitLinkVersion", &major, &minor));
    CHECK(major == 12 && minor == 2);  // without link-time optimisation
    void* link = nullptr;
    const char* options[] = {"-arch=sm_90", "-maxrregcount=40", "-O3", "-lineinfo"};
    EXPECT(2, linker("nvJitLinkCreate", &link, 1u, &options[1]));
    const char* unknown[] = {"-arch=sm_90", "-strange"};
    EXPECT(1, linker("nvJitLinkCreate", &link, 2u, &unknown[0]));
    OK(linker("__nvJitLinkCreate_13_0", &link, 4u, &options[0]));
    EXPECT(3, linker("nvJitLinkComplete", link));
    const std::string caller = kCaller, callee = kCallee;
    OK(linker("__nvJitLinkAddData_12_0", link, kPtx, caller.c_str(), caller.size() + 1, "caller"));
    std::size_t bytes = 0;
    EXPECT(3, linker("nvJitLinkGetLinkedCubinSize", link, &bytes));
    EXPECT(3, linker("nvJitLinkAddData", link, kLtoir, caller.c_str(), caller.size(), "ltoir"));
    EXPECT(10, linker("nvJitLinkAddData", link, kPtx, static_cast<const char*>(nullptr),
                      std::size_t{4}, "none"));
    OK(linker("nvJitLinkGetErrorLogSize", link, &bytes));
    std::vector<char> log(bytes);
    OK(linker("nvJitLinkGetErrorLog", link, log.data()));
    CHECK(std::strstr(log.data(), "'ltoir' is machine code, an object or LTO-IR") != nullptr);
    OK(linker("nvJitLinkAddData", link, kAny, callee.c_str(), callee.size(), "callee"));
    OK(linker("__nvJitLinkComplete_13_5", link));
    OK(linker("nvJitLinkGetLinkedCubinSize", link, &bytes));
    std::vector<char> image(bytes);
    OK(linker("nvJitLinkGetLinkedCubin", link, image.data()));
    OK(linker("nvJitLinkDestroy", &link));
    CHECK(link == nullptr);
    EXPECT(3, linker("nvJitLinkDestroy", &link));
    void* function = functionOf(moduleOf(image.data()), "call");
    int *out = onDevice(zeros(1)), registers = 0;
    void* arguments[] = {&out};
    OK(cuFuncGetAttribute(&registers, 4, function));
    CHECK(registers == 40);
    OK(launchOf(function, arguments));
    CHECK(fromDevice(out, 1)[0] == 42);
    const char* wrong = ".version 8.0\n.target sm_90\nnonsense";
    OK(linker("nvJitLinkCreate", &link, 1u, &options[0]));
    OK(linker("nvJitLinkAddData", link, kPtx, wrong, std::strlen(wrong), "wrong"));
    EXPECT(4, linker("nvJitLinkComplete", link));
}
