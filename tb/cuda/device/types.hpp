/// Types of the APIs as their documentation describes them; only types that a program and the library exchange.
#pragma once
#include <cstddef>
#include <cstdint>

namespace gsu::cuda {

using Handle = void*;

struct Dim3 {
    unsigned x{1}, y{1}, z{1};
};

enum CopyKind : int {
    HostToHost = 0,
    HostToDevice = 1,
    DeviceToHost = 2,
    DeviceToDevice = 3,
    AnyDirection = 4
};

/// An attribute of cudaLaunchKernelExC and cuLaunchKernelEx: its number, and 64 bytes.
struct LaunchAttribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        int number;
        struct {
            unsigned x, y, z;
        } dim;
    };
};
enum AttributeId : int {
    AttributeIgnore = 0,
    AttributeAccessPolicy = 1,
    AttributeCooperative = 2,
    AttributeSyncPolicy = 3,
    AttributeClusterDimension = 4,
    AttributeClusterPreference = 5,
    AttributeProgrammaticSerialisation = 6,
    AttributeProgrammaticEvent = 7,
    AttributePriority = 8,
    AttributeMemSyncDomainMap = 9,
    AttributeMemSyncDomain = 10,
    AttributePreferredCluster = 11,
    AttributeCompletionEvent = 12,
    AttributeUpdatableNode = 13,
    AttributePreferredShared = 14
};

/// cudaLaunchConfig_t.
struct LaunchConfig {
    Dim3 grid, block;
    std::size_t dynamicSmem;
    Handle stream;
    LaunchAttribute* attributes;
    unsigned count;
};

/// cudaFuncAttributes.
struct FunctionAttributes {
    std::size_t sharedBytes, constBytes, localBytes;
    int maxThreads, registers, ptxVersion, binaryVersion, cacheModeCa, maxDynamicShared,
        preferredCarveout;
    int clusterDimMustBeSet, clusterWidth, clusterHeight, clusterDepth, clusterPolicy,
        nonPortableCluster;
    int reserved[16];
};

/// cudaPointerAttributes.
struct PointerAttributes {
    int type;  ///< 0 unknown to the device, 1 host, 2 device, 3 managed
    int device;
    void* devicePointer;
    void* hostPointer;
    long reserved[8];  ///< from version 13 on
};

struct Extent {
    std::size_t width, height, depth;
};
struct Position3 {
    std::size_t x, y, z;
};
struct PitchedPointer {
    void* pointer;
    std::size_t pitch, xsize, ysize;
};
/// cudaMemcpy3DParms.
struct Copy3D {
    Handle sourceArray;
    Position3 sourcePosition;
    PitchedPointer source;
    Handle targetArray;
    Position3 targetPosition;
    PitchedPointer target;
    Extent extent;
    int kind;
};

/// One side of CUDA_MEMCPY3D. Kinds of memory are 1 host, 2 device, 3 array, 4 either.
struct DriverSide {
    std::size_t x, y, z, level;
    unsigned kind;
    void* host;
    std::uint64_t device;
    Handle array, reserved;
    std::size_t pitch, height;
};
/// CUDA_MEMCPY3D.
struct DriverCopy3D {
    DriverSide source, target;
    std::size_t width, height, depth;
};

/// cudaKernelNodeParams, and the first 56 bytes of all CUDA_KERNEL_NODE_PARAMS.
struct KernelNode {
    void* function;
    Dim3 grid, block;
    unsigned dynamicSmem;
    void** arguments;
    void** extra;
};
/// cudaMemsetParams, and the first 40 bytes of all CUDA_MEMSET_NODE_PARAMS.
struct FillNode {
    void* target;
    std::size_t pitch;
    unsigned value, element;
    std::size_t width, height;
};
/// cudaHostNodeParams and CUDA_HOST_NODE_PARAMS.
struct HostNode {
    void (*function)(void*);
    void* data;
};

}  // namespace gsu::cuda
