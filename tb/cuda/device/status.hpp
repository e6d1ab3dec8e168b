/// Error codes of both APIs: they share their numbers.
#pragma once
#include <string>

namespace gsu::cuda {

enum class Status : int {
    Success = 0,
    InvalidValue = 1,
    OutOfMemory = 2,
    NotInitialised = 3,
    ProfilerDisabled = 5,
    InvalidConfiguration = 9,
    InvalidPitch = 12,
    InvalidSymbol = 13,
    InvalidDevicePointer = 17,
    InvalidDirection = 21,
    MissingConfiguration = 52,
    InvalidDeviceFunction = 98,
    NoDevice = 100,
    InvalidDevice = 101,
    InvalidImage = 200,
    InvalidContext = 201,
    NoKernelImage = 209,
    UnsupportedLimit = 215,
    PeerUnsupported = 217,
    InvalidPtx = 218,
    FileNotFound = 301,
    OperatingSystem = 304,
    InvalidHandle = 400,
    IllegalState = 401,
    NotFound = 500,
    NotReady = 600,
    IllegalAddress = 700,
    OutOfResources = 701,
    LaunchTimeout = 702,
    PeerNotEnabled = 705,
    ActiveProcess = 708,
    ContextDestroyed = 709,
    Assert = 710,
    AlreadyRegistered = 712,
    NotRegistered = 713,
    HardwareStack = 714,
    MisalignedAddress = 716,
    InvalidAddressSpace = 717,
    InvalidPc = 718,
    LaunchFailure = 719,
    CooperativeTooLarge = 720,
    NotPermitted = 800,
    NotSupported = 801,
    CaptureUnsupported = 900,
    CaptureInvalidated = 901,
    CaptureUnmatched = 903,
    CaptureUnjoined = 904,
    CaptureImplicit = 906,
    CapturedEvent = 907,
    GraphUpdate = 910,
    InvalidCluster = 912,
    Unknown = 999
};

struct StatusText {
    int number;
    const char* runtime;  ///< "cudaErrorInvalidValue"; empty: the runtime has no such code
    const char* driver;   ///< "CUDA_ERROR_INVALID_VALUE"
    const char* text;
};
/// The texts of a code; nullptr: no such code.
[[nodiscard]] const StatusText* find(int number) noexcept;
/// Whether an error stays: after it no call works in this process until the device is reset.
[[nodiscard]] bool sticky(Status status) noexcept;

/// The answer of a call, thrown deep inside. `message`: line on standard error; empty: none.
struct Refusal {
    Status status;
    std::string message{};
};

}  // namespace gsu::cuda
