/// Macros for functions of the linear algebra library, and the frame of each call.
#pragma once
#include "cuda/api/api.hpp"
#include "cuda/device/types.hpp"

// A function of the library. Programs of CUDA 11, 12 and 13 ask for the same name under three versions.
#define GSU_BLAS_AS(type, name)                                                                    \
    __asm__(".symver gsu_" #name "," #name "@libcublas.so.11\n"                                    \
            ".symver gsu_" #name "," #name "@libcublas.so.12\n"                                    \
            ".symver gsu_" #name "," #name "@@libcublas.so.13\n");                                 \
    extern "C" __attribute__((visibility("default"))) type gsu_##name
#define GSU_BLAS(name) GSU_BLAS_AS(int, name)

namespace gsu::cuda::blas {

/// Status codes: cublasStatus_t.
enum class BlasStatus : int {
    Success = 0,
    NotInitialised = 1,
    AllocFailed = 3,
    InvalidValue = 7,
    ExecutionFailed = 13,
    NotSupported = 15
};

/// The object behind a cublasHandle_t.
struct BlasContext {
    Handle stream{};
    int math{}, pointers{}, atomics{};  ///< cublasMath_t, cublasPointerMode_t, cublasAtomicsMode_t
};

[[nodiscard]] BlasStatus blasStatus(Status status) noexcept;
/// The object of a handle. Throws Refusal for an invalid handle. The device is locked.
[[nodiscard]] BlasContext& contextOf(Handle handle);
/// Makes a handle.
[[nodiscard]] Handle makeContext();
void dropContext(Handle handle);

/// A call that uses the device.
template <class F> int blasCall(const char* name, F&& work) noexcept
{
    const Status status = guarded(name, [&](Platform& platform) {
        useRuntime();
        if (platform.error() != Status::Success) return platform.error();
        return work(platform);
    });
    return static_cast<int>(blasStatus(status));
}

/// A call that sets or reads a value of the handle.
template <class F> int blasCall(const char* name, Handle handle, F&& work) noexcept
{
    return blasCall(name, [&](Platform&) {
        work(contextOf(handle));
        return Status::Success;
    });
}

}  // namespace gsu::cuda::blas
