// Own declarations against the vendor's header, where it is installed: sizes, places and numbers at compile time; at run time the fields of the
// device's properties, each against the attribute that is documented to have the same value. Nothing of the header is in this project.
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

#include "cuda/device/types.hpp"

namespace own = gsu::cuda;

#define SIZE(mine, theirs) static_assert(sizeof(own::mine) == sizeof(theirs), #theirs)
#define PLACE(mine, field, theirs, member)                                                                               \
    static_assert(offsetof(own::mine, field) == offsetof(theirs, member) &&                                              \
                      sizeof(own::mine::field) == sizeof(theirs::member),                                                \
                  #theirs "::" #member)
#define NUMBER(mine, theirs) static_assert(static_cast<int>(own::mine) == static_cast<int>(theirs), #theirs)

SIZE(Dim3, dim3);
SIZE(LaunchAttribute, cudaLaunchAttribute);
SIZE(LaunchAttribute, CUlaunchAttribute);
PLACE(LaunchAttribute, id, cudaLaunchAttribute, id);
static_assert(offsetof(own::LaunchAttribute, number) == offsetof(cudaLaunchAttribute, val), "value of an attribute");
static_assert(offsetof(own::LaunchAttribute, number) == offsetof(CUlaunchAttribute, value), "value of an attribute");
SIZE(LaunchConfig, cudaLaunchConfig_t);
PLACE(LaunchConfig, grid, cudaLaunchConfig_t, gridDim);
PLACE(LaunchConfig, block, cudaLaunchConfig_t, blockDim);
PLACE(LaunchConfig, dynamicSmem, cudaLaunchConfig_t, dynamicSmemBytes);
PLACE(LaunchConfig, stream, cudaLaunchConfig_t, stream);
PLACE(LaunchConfig, attributes, cudaLaunchConfig_t, attrs);
PLACE(LaunchConfig, count, cudaLaunchConfig_t, numAttrs);
SIZE(FunctionAttributes, cudaFuncAttributes);
PLACE(FunctionAttributes, sharedBytes, cudaFuncAttributes, sharedSizeBytes);
PLACE(FunctionAttributes, constBytes, cudaFuncAttributes, constSizeBytes);
PLACE(FunctionAttributes, localBytes, cudaFuncAttributes, localSizeBytes);
PLACE(FunctionAttributes, maxThreads, cudaFuncAttributes, maxThreadsPerBlock);
PLACE(FunctionAttributes, registers, cudaFuncAttributes, numRegs);
PLACE(FunctionAttributes, ptxVersion, cudaFuncAttributes, ptxVersion);
PLACE(FunctionAttributes, binaryVersion, cudaFuncAttributes, binaryVersion);
PLACE(FunctionAttributes, cacheModeCa, cudaFuncAttributes, cacheModeCA);
PLACE(FunctionAttributes, maxDynamicShared, cudaFuncAttributes, maxDynamicSharedSizeBytes);
PLACE(FunctionAttributes, preferredCarveout, cudaFuncAttributes, preferredShmemCarveout);
PLACE(FunctionAttributes, clusterDimMustBeSet, cudaFuncAttributes, clusterDimMustBeSet);
PLACE(FunctionAttributes, clusterWidth, cudaFuncAttributes, requiredClusterWidth);
PLACE(FunctionAttributes, clusterHeight, cudaFuncAttributes, requiredClusterHeight);
PLACE(FunctionAttributes, clusterDepth, cudaFuncAttributes, requiredClusterDepth);
PLACE(FunctionAttributes, clusterPolicy, cudaFuncAttributes, clusterSchedulingPolicyPreference);
PLACE(FunctionAttributes, nonPortableCluster, cudaFuncAttributes, nonPortableClusterSizeAllowed);
SIZE(PointerAttributes, cudaPointerAttributes);
PLACE(PointerAttributes, type, cudaPointerAttributes, type);
PLACE(PointerAttributes, device, cudaPointerAttributes, device);
PLACE(PointerAttributes, devicePointer, cudaPointerAttributes, devicePointer);
PLACE(PointerAttributes, hostPointer, cudaPointerAttributes, hostPointer);
SIZE(Extent, cudaExtent);
SIZE(Position3, cudaPos);
SIZE(PitchedPointer, cudaPitchedPtr);
PLACE(PitchedPointer, pointer, cudaPitchedPtr, ptr);
PLACE(PitchedPointer, pitch, cudaPitchedPtr, pitch);
PLACE(PitchedPointer, ysize, cudaPitchedPtr, ysize);
SIZE(Copy3D, cudaMemcpy3DParms);
PLACE(Copy3D, sourcePosition, cudaMemcpy3DParms, srcPos);
PLACE(Copy3D, source, cudaMemcpy3DParms, srcPtr);
PLACE(Copy3D, targetArray, cudaMemcpy3DParms, dstArray);
PLACE(Copy3D, target, cudaMemcpy3DParms, dstPtr);
PLACE(Copy3D, extent, cudaMemcpy3DParms, extent);
PLACE(Copy3D, kind, cudaMemcpy3DParms, kind);
SIZE(DriverCopy3D, CUDA_MEMCPY3D);
static_assert(offsetof(own::DriverCopy3D, source.device) == offsetof(CUDA_MEMCPY3D, srcDevice), "srcDevice");
static_assert(offsetof(own::DriverCopy3D, source.pitch) == offsetof(CUDA_MEMCPY3D, srcPitch), "srcPitch");
static_assert(offsetof(own::DriverCopy3D, target.kind) == offsetof(CUDA_MEMCPY3D, dstMemoryType), "dstMemoryType");
static_assert(offsetof(own::DriverCopy3D, target.height) == offsetof(CUDA_MEMCPY3D, dstHeight), "dstHeight");
static_assert(offsetof(own::DriverCopy3D, width) == offsetof(CUDA_MEMCPY3D, WidthInBytes), "WidthInBytes");
SIZE(KernelNode, cudaKernelNodeParams);
PLACE(KernelNode, function, cudaKernelNodeParams, func);
PLACE(KernelNode, dynamicSmem, cudaKernelNodeParams, sharedMemBytes);
PLACE(KernelNode, arguments, cudaKernelNodeParams, kernelParams);
static_assert(offsetof(own::KernelNode, extra) == offsetof(CUDA_KERNEL_NODE_PARAMS, extra), "extra");
SIZE(FillNode, cudaMemsetParams);
PLACE(FillNode, value, cudaMemsetParams, value);
PLACE(FillNode, element, cudaMemsetParams, elementSize);
PLACE(FillNode, width, cudaMemsetParams, width);
static_assert(offsetof(own::FillNode, height) == offsetof(CUDA_MEMSET_NODE_PARAMS, height), "height");
SIZE(HostNode, cudaHostNodeParams);

NUMBER(HostToHost, cudaMemcpyHostToHost);
NUMBER(HostToDevice, cudaMemcpyHostToDevice);
NUMBER(DeviceToHost, cudaMemcpyDeviceToHost);
NUMBER(DeviceToDevice, cudaMemcpyDeviceToDevice);
NUMBER(AnyDirection, cudaMemcpyDefault);
NUMBER(AttributeIgnore, cudaLaunchAttributeIgnore);
NUMBER(AttributeAccessPolicy, cudaLaunchAttributeAccessPolicyWindow);
NUMBER(AttributeCooperative, cudaLaunchAttributeCooperative);
NUMBER(AttributeSyncPolicy, cudaLaunchAttributeSynchronizationPolicy);
NUMBER(AttributeClusterDimension, cudaLaunchAttributeClusterDimension);
NUMBER(AttributeClusterPreference, cudaLaunchAttributeClusterSchedulingPolicyPreference);
NUMBER(AttributeProgrammaticSerialisation, cudaLaunchAttributeProgrammaticStreamSerialization);
NUMBER(AttributeProgrammaticEvent, cudaLaunchAttributeProgrammaticEvent);
NUMBER(AttributePriority, cudaLaunchAttributePriority);
NUMBER(AttributeMemSyncDomainMap, cudaLaunchAttributeMemSyncDomainMap);
NUMBER(AttributeMemSyncDomain, cudaLaunchAttributeMemSyncDomain);
NUMBER(AttributePreferredCluster, cudaLaunchAttributePreferredClusterDimension);
NUMBER(AttributeCompletionEvent, cudaLaunchAttributeLaunchCompletionEvent);
NUMBER(AttributeUpdatableNode, cudaLaunchAttributeDeviceUpdatableKernelNode);
NUMBER(AttributePreferredShared, cudaLaunchAttributePreferredSharedMemoryCarveout);

namespace {

int checks = 0, wrong = 0;

void check(const char* what, long long field, cudaDeviceAttr attribute)
{
    int value = -1;
    const bool known = cudaDeviceGetAttribute(&value, attribute, 0) == cudaSuccess;
    ++checks;
    if (known && value == field) return;
    ++wrong;
    std::printf("%s is %lld, attribute %d is %d\n", what, field, static_cast<int>(attribute), value);
}

void check(int number, const char* runtime, const char* driver)
{
    const auto code = static_cast<cudaError_t>(number);
    const char* name = nullptr;
    // Looked up: nothing but the runtime is needed to link this.
    static const auto nameOf = reinterpret_cast<int (*)(int, const char**)>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuGetErrorName"));
    const bool driverKnows = nameOf(number, &name) == 0;
    ++checks;
    const bool right = (runtime[0] == 0 || std::strcmp(cudaGetErrorName(code), runtime) == 0) &&
                       (driver[0] == 0 || (driverKnows && std::strcmp(name, driver) == 0));
    if (right) return;
    ++wrong;
    std::printf("error %d is %s for the runtime, %s for the driver\n", number, cudaGetErrorName(code), driverKnows ? name : "nothing");
}

/// The text of each code that this library knows against that of the vendor's runtime.
void checkTexts(const char* library)
{
    void* vendors = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (vendors == nullptr) {
        ++wrong;
        std::printf("%s\n", dlerror());
        return;
    }
    const auto textOf = reinterpret_cast<const char* (*)(int)>(dlsym(vendors, "cudaGetErrorString"));
    for (int code = 0; code <= cudaErrorUnknown; ++code) {
        const char* mine = cudaGetErrorString(static_cast<cudaError_t>(code));
        if (std::strcmp(mine, "unrecognized error code") == 0) continue;
        ++checks;
        if (std::strcmp(mine, textOf(code)) == 0) continue;
        ++wrong;
        std::printf("error %d is '%s', not '%s'\n", code, textOf(code), mine);
    }
}

}  // namespace

// long: a table, one row for each property
int main(int argc, char** argv)
{
    if (argc > 1) checkTexts(argv[1]);
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess) return 1;
#define FIELD(member, attribute) check(#member, static_cast<long long>(p.member), cudaDevAttr##attribute)
    FIELD(sharedMemPerBlock, MaxSharedMemoryPerBlock);
    FIELD(regsPerBlock, MaxRegistersPerBlock);
    FIELD(warpSize, WarpSize);
    FIELD(memPitch, MaxPitch);
    FIELD(maxThreadsPerBlock, MaxThreadsPerBlock);
    FIELD(maxThreadsDim[0], MaxBlockDimX);
    FIELD(maxThreadsDim[1], MaxBlockDimY);
    FIELD(maxThreadsDim[2], MaxBlockDimZ);
    FIELD(maxGridSize[0], MaxGridDimX);
    FIELD(maxGridSize[1], MaxGridDimY);
    FIELD(maxGridSize[2], MaxGridDimZ);
    FIELD(totalConstMem, TotalConstantMemory);
    FIELD(major, ComputeCapabilityMajor);
    FIELD(minor, ComputeCapabilityMinor);
    FIELD(textureAlignment, TextureAlignment);
    FIELD(texturePitchAlignment, TexturePitchAlignment);
    FIELD(multiProcessorCount, MultiProcessorCount);
    FIELD(integrated, Integrated);
    FIELD(canMapHostMemory, CanMapHostMemory);
    FIELD(maxTexture1D, MaxTexture1DWidth);
    FIELD(maxSurface2D[1], MaxSurface2DHeight);
    FIELD(surfaceAlignment, SurfaceAlignment);
    FIELD(concurrentKernels, ConcurrentKernels);
    FIELD(ECCEnabled, EccEnabled);
    FIELD(pciBusID, PciBusId);
    FIELD(pciDeviceID, PciDeviceId);
    FIELD(pciDomainID, PciDomainId);
    FIELD(tccDriver, TccDriver);
    FIELD(asyncEngineCount, AsyncEngineCount);
    FIELD(unifiedAddressing, UnifiedAddressing);
    FIELD(memoryBusWidth, GlobalMemoryBusWidth);
    FIELD(l2CacheSize, L2CacheSize);
    FIELD(persistingL2CacheMaxSize, MaxPersistingL2CacheSize);
    FIELD(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor);
    FIELD(streamPrioritiesSupported, StreamPrioritiesSupported);
    FIELD(globalL1CacheSupported, GlobalL1CacheSupported);
    FIELD(localL1CacheSupported, LocalL1CacheSupported);
    FIELD(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor);
    FIELD(regsPerMultiprocessor, MaxRegistersPerMultiprocessor);
    FIELD(managedMemory, ManagedMemory);
    FIELD(isMultiGpuBoard, IsMultiGpuBoard);
    FIELD(multiGpuBoardGroupID, MultiGpuBoardGroupID);
    FIELD(hostNativeAtomicSupported, HostNativeAtomicSupported);
    FIELD(pageableMemoryAccess, PageableMemoryAccess);
    FIELD(concurrentManagedAccess, ConcurrentManagedAccess);
    FIELD(computePreemptionSupported, ComputePreemptionSupported);
    FIELD(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem);
    FIELD(cooperativeLaunch, CooperativeLaunch);
    FIELD(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin);
    FIELD(pageableMemoryAccessUsesHostPageTables, PageableMemoryAccessUsesHostPageTables);
    FIELD(directManagedMemAccessFromHost, DirectManagedMemAccessFromHost);
    FIELD(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor);
    FIELD(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize);
    FIELD(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock);
    FIELD(hostRegisterSupported, HostRegisterSupported);
    FIELD(sparseCudaArraySupported, SparseCudaArraySupported);
    FIELD(hostRegisterReadOnlySupported, HostRegisterReadOnlySupported);
    FIELD(timelineSemaphoreInteropSupported, TimelineSemaphoreInteropSupported);
    FIELD(memoryPoolsSupported, MemoryPoolsSupported);
    FIELD(gpuDirectRDMASupported, GPUDirectRDMASupported);
    FIELD(gpuDirectRDMAFlushWritesOptions, GPUDirectRDMAFlushWritesOptions);
    FIELD(gpuDirectRDMAWritesOrdering, GPUDirectRDMAWritesOrdering);
    FIELD(memoryPoolSupportedHandleTypes, MemoryPoolSupportedHandleTypes);
    FIELD(deferredMappingCudaArraySupported, DeferredMappingCudaArraySupported);
    FIELD(ipcEventSupported, IpcEventSupport);
    FIELD(clusterLaunch, ClusterLaunch);
    if (sizeof(p.luid) != 8 || std::strncmp(p.name, "GSU", 3) != 0 || p.totalGlobalMem == 0) ++wrong;
// Made by the test from the table of errors: RUNTIME(cudaErrorInvalidValue) and DRIVER(CUDA_ERROR_INVALID_VALUE) for each code that has the name.
#define RUNTIME(name) check(static_cast<int>(name), #name, "");
#define DRIVER(name) check(static_cast<int>(name), "", #name);
#include "errors.inc"
    std::printf("%s %d\n", wrong == 0 ? "ok" : "wrong", checks);
    return wrong == 0 ? 0 : 1;
}
