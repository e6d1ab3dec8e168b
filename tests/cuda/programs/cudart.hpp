// Declarations of runtime and driver that the test programs need, from public documentation, so that they build without an installed CUDA.
#pragma once
#include <cstddef>
#include <cstdint>

struct Grid {
    unsigned x{1}, y{1}, z{1};
};
struct Attribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        int number;
        Grid grid;
    };
    Attribute() : id(0), pad{}, bytes{} {}
};
struct Config {
    Grid grid, block;
    std::size_t smem{};
    void* stream{};
    Attribute* attributes{};
    unsigned count{};
};
struct FunctionAttributes {
    std::size_t shared, constants, local;
    int maxThreads, registers, ptx, binary, cacheMode, maxDynamic, carveout;
    int rest[22];
};
struct PointerAttributes {
    int type, device;
    void *onDevice, *onHost;
    long reserved[8];
};

struct KernelNodeParams {
    const void* function{};
    Grid grid, block;
    unsigned smem{};
    void** arguments{};
    void** extra{};
};
struct FillNodeParams {
    void* target;
    std::size_t pitch;
    unsigned value, element;
    std::size_t width, height;
};
struct HostNodeParams {
    void (*function)(void*);
    void* data;
};
struct PitchedPointer {
    void* pointer;
    std::size_t pitch, width, height;
};
struct Extent {
    std::size_t width, height, depth;
};
struct Copy3DParams {
    void* sourceArray;
    std::size_t sourceAt[3];
    PitchedPointer source;
    void* targetArray;
    std::size_t targetAt[3];
    PitchedPointer target;
    std::size_t width, height, depth;
    int kind;
};

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*,
                            void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);
char __cudaInitModule(void**);
int cudaMalloc(void**, std::size_t);
int cudaMallocManaged(void**, std::size_t, unsigned);
int cudaMallocHost(void**, std::size_t);
int cudaMallocPitch(void**, std::size_t*, std::size_t, std::size_t);
int cudaMallocAsync(void**, std::size_t, void*);
int cudaFreeAsync(void*, void*);
int cudaMalloc3D(PitchedPointer*, Extent);
int cudaFree(void*);
int cudaFreeHost(void*);
int cudaHostRegister(void*, std::size_t, unsigned);
int cudaHostUnregister(void*);
int cudaMemGetInfo(std::size_t*, std::size_t*);
int cudaMemcpy(void*, const void*, std::size_t, int);
int cudaMemcpyAsync(void*, const void*, std::size_t, int, void*);
int cudaMemcpy3D(const Copy3DParams*);
int cudaMemset3D(PitchedPointer, int, Extent);
int cudaMemcpy2D(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, int);
int cudaMemset(void*, int, std::size_t);
int cudaMemset2D(void*, std::size_t, int, std::size_t, std::size_t);
int cudaMemcpyToSymbol(const void*, const void*, std::size_t, std::size_t, int);
int cudaMemcpyFromSymbol(void*, const void*, std::size_t, std::size_t, int);
int cudaGetSymbolAddress(void**, const void*);
int cudaGetSymbolSize(std::size_t*, const void*);
int cudaPointerGetAttributes(PointerAttributes*, const void*);
int cudaLaunchKernel(const void*, Grid, Grid, void**, std::size_t, void*);
int cudaLaunchKernel_ptsz(const void*, Grid, Grid, void**, std::size_t, void*);
int cudaLaunchCooperativeKernel(const void*, Grid, Grid, void**, std::size_t, void*);
int cudaLaunchKernelExC(const Config*, const void*, void**);
int cudaLibraryLoadData(void**, const void*, int*, void**, unsigned, int*, void**, unsigned);
int cudaLibraryLoadFromFile(void**, const char*, int*, void**, unsigned, int*, void**, unsigned);
int cudaLibraryGetKernel(void**, void*, const char*);
int cudaLibraryGetKernelCount(unsigned*, void*);
int cudaLibraryGetGlobal(void**, std::size_t*, void*, const char*);
int cudaLibraryUnload(void*);
int cudaKernelSetAttributeForDevice(void*, int, int, int);
int cudaDeviceSynchronize();
int cudaDeviceReset();
int cudaGetDeviceCount(int*);
int cudaSetDevice(int);
int cudaGetDeviceProperties(void*, int);
int cudaDeviceGetAttribute(int*, int, int);
int cudaGetLastError();
int cudaPeekAtLastError();
const char* cudaGetErrorName(int);
const char* cudaGetErrorString(int);
int cudaFuncGetAttributes(FunctionAttributes*, const void*);
int cudaFuncSetAttribute(const void*, int, int);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, std::size_t);
int cudaOccupancyMaxActiveClusters(int*, const void*, const Config*);
int cudaStreamCreate(void**);
int cudaStreamCreateWithFlags(void**, unsigned);
int cudaStreamQuery(void*);
int cudaStreamDestroy(void*);
int cudaStreamSynchronize(void*);
int cudaStreamWaitEvent(void*, void*, unsigned);
int cudaLaunchHostFunc(void*, void (*)(void*), void*);
int cudaEventCreate(void**);
int cudaEventRecord(void*, void*);
int cudaEventElapsedTime(float*, void*, void*);
int cudaEventQuery(void*);
int cudaStreamBeginCapture(void*, int);
int cudaStreamEndCapture(void*, void**);
int cudaGraphCreate(void**, unsigned);
int cudaGraphClone(void**, void*);
int cudaGraphAddKernelNode(void**, void*, void* const*, std::size_t, const KernelNodeParams*);
int cudaGraphAddMemsetNode(void**, void*, void* const*, std::size_t, const FillNodeParams*);
int cudaGraphAddMemcpyNode1D(void**, void*, void* const*, std::size_t, void*, const void*,
                             std::size_t, int);
int cudaGraphAddHostNode(void**, void*, void* const*, std::size_t, const HostNodeParams*);
int cudaGraphAddEventRecordNode(void**, void*, void* const*, std::size_t, void*);
int cudaGraphAddChildGraphNode(void**, void*, void* const*, std::size_t, void*);
int cudaGraphKernelNodeGetParams(void*, KernelNodeParams*);
int cudaGraphKernelNodeSetParams(void*, const KernelNodeParams*);
int cudaGraphMemsetNodeGetParams(void*, FillNodeParams*);
int cudaGraphMemsetNodeSetParams(void*, const FillNodeParams*);
int cudaGraphMemcpyNodeGetParams(void*, Copy3DParams*);
int cudaGraphMemcpyNodeSetParams(void*, const Copy3DParams*);
int cudaGraphHostNodeGetParams(void*, HostNodeParams*);
int cudaGraphEventRecordNodeGetEvent(void*, void**);
int cudaGraphEventRecordNodeSetEvent(void*, void*);
int cudaGraphEventWaitNodeGetEvent(void*, void**);
int cudaGraphChildGraphNodeGetGraph(void*, void**);
int cudaGraphNodeFindInClone(void**, void*, void*);
int cudaGraphNodeSetEnabled(void*, void*, unsigned);
int cudaGraphNodeGetEnabled(void*, void*, unsigned*);
int cudaGraphExecKernelNodeSetParams(void*, void*, const KernelNodeParams*);
int cuGraphKernelNodeGetParams_v2(void*, void*);
int cuGraphMemsetNodeGetParams(void*, void*);
int cuGraphMemcpyNodeGetParams(void*, void*);
int cuGraphEventRecordNodeGetEvent(void*, void**);
int cudaGraphInstantiate(void**, void*, unsigned long long);
int cudaGraphLaunch(void*, void*);
int cudaGraphGetNodes(void*, void**, std::size_t*);
int cudaGraphDestroy(void*);
int cudaGraphExecDestroy(void*);
int cudaGetDriverEntryPointByVersion(const char*, void**, unsigned, unsigned long long, int*);

int cuInit(unsigned);
int cuDeviceGet(int*, int);
int cuDeviceGetName(char*, int, int);
int cuCtxCreate_v2(void**, unsigned, int);
int cuCtxDestroy_v2(void*);
int cuModuleLoadData(void**, const void*);
int cuModuleUnload(void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuModuleGetGlobal_v2(std::uint64_t*, std::size_t*, void*, const char*);
int cuDeviceGetDefaultMemPool(void**, int);
int cuMemPoolGetAttribute(void*, int, void*);
int cuMemAllocFromPoolAsync(std::uint64_t*, std::size_t, void*, void*);
int cuMemAlloc_v2(std::uint64_t*, std::size_t);
int cuMemFree_v2(std::uint64_t);
int cuMemAllocPitch_v2(std::uint64_t*, std::size_t*, std::size_t, std::size_t, unsigned);
int cuMemsetD2D32_v2(std::uint64_t, std::size_t, unsigned, std::size_t, std::size_t);
int cuMemcpy2D_v2(const void*);
int cuFuncGetName(const char**, void*);
int cuFuncSetAttribute(void*, int, int);
int cuOccupancyMaxPotentialBlockSize(int*, int*, void*, std::size_t (*)(int), std::size_t, int);
int cuMemcpyHtoD_v2(std::uint64_t, const void*, std::size_t);
int cuMemcpyDtoH_v2(void*, std::uint64_t, std::size_t);
int cuMemsetD32_v2(std::uint64_t, unsigned, std::size_t);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void*, void**, void**);
int cuCtxSynchronize();
int cuGetErrorName(int, const char**);
int cuGetErrorString(int, const char**);
int cudaMemPoolCreate(void**, const void*);
int cudaMemPoolTrimTo(void*, std::size_t);
int cuGetProcAddress_v2(const char*, void**, int, std::uint64_t, int*);
int cuFuncGetAttribute(int*, int, void*);
int cuLinkCreate_v2(unsigned, int*, void**, void**);
int cuLinkAddData_v2(void*, int, void*, std::size_t, const char*, unsigned, int*, void**);
int cuLinkComplete(void*, void**, std::size_t*);
int cuLinkDestroy(void*);
int cuStreamCreate(void**, unsigned);
int cuStreamSynchronize(void*);
int cuEventCreate(void**, unsigned);
int cuEventRecord(void*, void*);
int cuEventQuery(void*);
int cuStreamWaitEvent(void*, void*, unsigned);
int cuStreamBeginCapture_v2(void*, int);
int cuStreamEndCapture(void*, void**);
int cuStreamIsCapturing(void*, int*);
int cuGraphCreate(void**, unsigned);
int cuGraphDestroy(void*);
int cuGraphClone(void**, void*);
int cuGraphAddKernelNode_v2(void**, void*, void* const*, std::size_t, const void*);
int cuGraphAddMemsetNode(void**, void*, void* const*, std::size_t, const void*, void*);
int cuGraphAddMemcpyNode(void**, void*, void* const*, std::size_t, const void*, void*);
int cuGraphAddHostNode(void**, void*, void* const*, std::size_t, const void*);
int cuGraphAddEmptyNode(void**, void*, void* const*, std::size_t);
int cuGraphAddChildGraphNode(void**, void*, void* const*, std::size_t, void*);
int cuGraphAddEventRecordNode(void**, void*, void* const*, std::size_t, void*);
int cuGraphAddEventWaitNode(void**, void*, void* const*, std::size_t, void*);
int cuGraphAddDependencies_v2(void*, void* const*, void* const*, const void*, std::size_t);
int cuGraphRemoveDependencies(void*, void* const*, void* const*, std::size_t);
int cuGraphDestroyNode(void*);
int cuGraphNodeGetType(void*, int*);
int cuGraphGetNodes(void*, void**, std::size_t*);
int cuGraphGetRootNodes(void*, void**, std::size_t*);
int cuGraphGetEdges(void*, void**, void**, std::size_t*);
int cuGraphNodeGetDependencies(void*, void**, std::size_t*);
int cuGraphNodeGetDependentNodes_v2(void*, void**, void*, std::size_t*);
int cuGraphInstantiateWithFlags(void**, void*, unsigned long long);
int cuGraphExecKernelNodeSetParams_v2(void*, void*, const void*);
int cuGraphExecMemsetNodeSetParams(void*, void*, const void*, void*);
int cuGraphExecUpdate_v2(void*, void*, void*);
int cuGraphLaunch(void*, void*);
int cuGraphExecDestroy(void*);
int cuMemcpy3D_v2(const void*);
int cuTensorMapEncodeIm2col(void*, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*,
                            const int*, const int*, std::uint32_t, std::uint32_t,
                            const std::uint32_t*, int, int, int, int);
int cuTensorMapEncodeIm2colWide(void*, int, unsigned, void*, const std::uint64_t*,
                                const std::uint64_t*, int, int, std::uint32_t, std::uint32_t,
                                const std::uint32_t*, int, int, int, int, int);
int cuTensorMapEncodeTiled(void*, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*,
                           const std::uint32_t*, const std::uint32_t*, int, int, int, int);
}
