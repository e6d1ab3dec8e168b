// Every call with a null pointer where its result goes, or what it reads: an error code, never a crash.
#include <dlfcn.h>

#include <vector>

#include "scenarios.hpp"

namespace {

using Word = std::uintptr_t;

struct Call {
    const char* name;
    std::vector<Word> arguments;  ///< those that are missing are 0
};

int made(const Call& call)
{
    using Function = int (*)(Word, Word, Word, Word, Word, Word, Word, Word);
    void* symbol = ::dlsym(RTLD_DEFAULT, call.name);
    if (symbol == nullptr) std::printf("%s is not there\n", call.name);
    CHECK(symbol != nullptr);
    Word a[8] = {};
    for (std::size_t i = 0; i < call.arguments.size(); ++i) a[i] = call.arguments[i];
    return reinterpret_cast<Function>(symbol)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
}

template <class T> Word word(T* pointer) { return reinterpret_cast<Word>(pointer); }

/// Calls whose only pointers are null when all their arguments are.
const char* const kAllNull[] = {"cuDriverGetVersion",
                                "cuDeviceGetCount",
                                "cuDeviceGet",
                                "cuDeviceGetName",
                                "cuDeviceGetUuid",
                                "cuDeviceTotalMem_v2",
                                "cuDeviceGetAttribute",
                                "cuDeviceComputeCapability",
                                "cuDeviceGetPCIBusId",
                                "cuDeviceCanAccessPeer",
                                "cuDevicePrimaryCtxRetain",
                                "cuDevicePrimaryCtxGetState",
                                "cuCtxCreate_v2",
                                "cuCtxGetCurrent",
                                "cuCtxGetDevice",
                                "cuCtxGetFlags",
                                "cuCtxGetApiVersion",
                                "cuCtxGetLimit",
                                "cuGetErrorName",
                                "cuGetErrorString",
                                "cuGetProcAddress_v2",
                                "cuMemGetInfo_v2",
                                "cuMemAlloc_v2",
                                "cuMemHostAlloc",
                                "cuMemcpy2D_v2",
                                "cuMemcpy2DAsync_v2",
                                "cuMemcpy3D_v2",
                                "cuModuleLoadData",
                                "cuModuleLoad",
                                "cuModuleGetLoadingMode",
                                "cuLinkCreate_v2",
                                "cuStreamCreate",
                                "cuStreamGetFlags",
                                "cuStreamGetPriority",
                                "cuStreamGetCtx",
                                "cuStreamIsCapturing",
                                "cuLaunchHostFunc",
                                "cuStreamAddCallback",
                                "cuEventCreate",
                                "cuTensorMapReplaceAddress",
                                "cuDeviceGetDefaultMemPool",
                                "cuMemPoolCreate",
                                "cuGraphCreate",
                                "cudaGetDeviceCount",
                                "cudaGetDevice",
                                "cudaGetDeviceFlags",
                                "cudaGetDeviceProperties",
                                "cudaDeviceGetAttribute",
                                "cudaChooseDevice",
                                "cudaDeviceGetLimit",
                                "cudaDeviceCanAccessPeer",
                                "cudaDriverGetVersion",
                                "cudaRuntimeGetVersion",
                                "cudaDeviceGetCacheConfig",
                                "cudaDeviceGetSharedMemConfig",
                                "cudaMemGetInfo",
                                "cudaMalloc",
                                "cudaMallocHost",
                                "cudaDeviceGetDefaultMemPool",
                                "cudaMemPoolCreate",
                                "cudaStreamCreate",
                                "cudaStreamGetPriority",
                                "cudaStreamGetFlags",
                                "cudaStreamGetId",
                                "cudaEventCreate",
                                "cudaMemcpy3D",
                                "cudaGraphCreate"};

}  // namespace

// long: a table of calls
void nullPointers()
{
    static const char kPtx[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry "
                               "k(.param .u64 p) { ret; }\n";
    void *module = nullptr, *function = nullptr, *pinned = nullptr, *graph = nullptr,
         *pool = nullptr, *other = nullptr;
    OK(cudaFree(nullptr));
    OK(cuModuleLoadData(&module, kPtx));
    OK(cuModuleGetFunction(&function, module, "k"));
    OK(cudaMallocHost(&pinned, 64));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaMemPoolCreate(&pool, nullptr));
    const Word f = word(function), m = word(module), device = word(onDevice(zeros(4))),
               host = word(&host::add);
    std::vector<Call> calls;
    for (const char* name : kAllNull) calls.push_back({name, {}});
    const std::vector<Call> more{{"cuFuncGetAttribute", {0, 0, f}},
                                 {"cuKernelGetAttribute", {0, 0, f}},
                                 {"cuFuncGetModule", {0, f}},
                                 {"cuFuncGetName", {0, f}},
                                 {"cuOccupancyMaxPotentialBlockSize", {0, 0, f}},
                                 {"cuOccupancyAvailableDynamicSMemPerBlock", {0, f, 1}},
                                 {"cuOccupancyMaxActiveBlocksPerMultiprocessor", {0, f, 32}},
                                 {"cuOccupancyMaxPotentialClusterSize", {0, f}},
                                 {"cuOccupancyMaxActiveClusters", {0, f}},
                                 {"cuLaunchKernel", {f, 1, 1, 1, 1, 1, 1}},
                                 {"cuMemAllocPitch_v2", {0, 0, 1, 1}},
                                 {"cuMemHostGetDevicePointer_v2", {0, word(pinned)}},
                                 {"cuMemHostGetFlags", {0, word(pinned)}},
                                 {"cuPointerGetAttribute", {0, 2, device}},
                                 {"cuPointerGetAttributes", {1, 0, 0, device}},
                                 {"cuModuleGetGlobal_v2", {0, 0, m}},
                                 {"cuModuleGetFunction", {0, m, word("k")}},
                                 {"cuModuleGetFunctionCount", {0, m}},
                                 {"cuModuleEnumerateFunctions", {0, 1, m}},
                                 {"cuModuleLoadDataEx", {word(&other), word(kPtx), 1}},
                                 {"cuLibraryGetModule", {0, m}},
                                 {"cuLibraryGetKernelCount", {0, m}},
                                 {"cuLibraryLoadData", {word(&other), word(kPtx), 0, 0, 1}},
                                 {"cuKernelGetFunction", {0, f}},
                                 {"cuLinkCreate_v2", {1, 0, 0, word(&other)}},
                                 {"cuMemPoolGetAttribute", {word(pool), 1}},
                                 {"cuMemPoolSetAttribute", {word(pool), 1}},
                                 {"cuGraphAddEmptyNode", {word(&other), word(graph), 0, 1}},
                                 {"cuGraphAddDependencies", {word(graph), 0, 0, 1}},
                                 {"cudaGraphAddEmptyNode", {0, word(graph)}},
                                 {"cudaFuncGetName", {0, host}},
                                 {"cudaFuncGetAttributes", {0, host}},
                                 {"cudaGetFuncBySymbol", {0, host}},
                                 {"cudaGetKernel", {0, host}},
                                 {"cudaHostGetDevicePointer", {0, word(pinned)}},
                                 {"cudaHostGetFlags", {0, word(pinned)}},
                                 {"cudaGetSymbolAddress", {0, word(&host::scale)}},
                                 {"cudaGetSymbolSize", {0, word(&host::scale)}},
                                 {"cudaMemPoolGetAttribute", {word(pool), 1}},
                                 {"cudaMemPoolSetAttribute", {word(pool), 1}}};
    calls.insert(calls.end(), more.begin(), more.end());
    for (const Call& call : calls) {
        const int code = made(call);
        if (code != 1) std::printf("%s gives %s\n", call.name, cudaGetErrorName(code));
        CHECK(code == 1);
    }
    std::printf("%zu calls\n", calls.size());
}
