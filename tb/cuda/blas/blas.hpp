/// How functions of the linear algebra library are written down, and what all of them do around their work.
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

/// cublasStatus_t.
enum class BlasStatus : int {
    Success = 0,
    NotInitialised = 1,
    AllocFailed = 3,
    InvalidValue = 7,
    ExecutionFailed = 13,
    NotSupported = 15
};

/// What a program calls cublasHandle_t.
struct BlasContext {
    Handle stream{};
    int math{}, pointers{}, atomics{};  ///< cublasMath_t, cublasPointerMode_t, cublasAtomicsMode_t
};

[[nodiscard]] BlasStatus blasStatus(Status status) noexcept;
/// Throws Refusal for a handle that is none. The device is locked.
[[nodiscard]] BlasContext& contextOf(Handle handle);
/// nullptr becomes a handle of its own.
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

/// One that sets or reads a value of the handle.
template <class F> int blasCall(const char* name, Handle handle, F&& work) noexcept
{
    return blasCall(name, [&](Platform&) {
        work(contextOf(handle));
        return Status::Success;
    });
}

}  // namespace gsu::cuda::blas
