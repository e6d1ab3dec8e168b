// Handles of the linear algebra library and their settings.
#include <map>
#include <memory>

#include "cuda/blas/blas.hpp"
#include "cuda/platform/launching.hpp"

namespace gsu::cuda::blas {
namespace {

constexpr int kVersion[] = {13, 0, 0};

/// Never destroyed, as programs destroy handles in their own destructors.
std::map<Handle, std::unique_ptr<BlasContext>>& contexts()
{
    static auto* const all = new std::map<Handle, std::unique_ptr<BlasContext>>();
    return *all;
}

}  // namespace

BlasStatus blasStatus(Status status) noexcept
{
    switch (status) {
        case Status::Success: return BlasStatus::Success;
        case Status::NotInitialised:
        case Status::InvalidContext: return BlasStatus::NotInitialised;
        case Status::OutOfMemory: return BlasStatus::AllocFailed;
        case Status::InvalidValue:
        case Status::InvalidHandle: return BlasStatus::InvalidValue;
        case Status::NotSupported: return BlasStatus::NotSupported;
        default: return BlasStatus::ExecutionFailed;
    }
}

BlasContext& contextOf(Handle handle)
{
    const auto at = contexts().find(handle);
    if (at == contexts().end())
        throw Refusal{Status::InvalidContext, "this is not a handle of cublasCreate"};
    return *at->second;
}

Handle makeContext()
{
    auto made = std::make_unique<BlasContext>();
    BlasContext* const handle = made.get();
    contexts().emplace(handle, std::move(made));
    return handle;
}

void dropContext(Handle handle)
{
    static_cast<void>(contextOf(handle));
    contexts().erase(handle);
}

}  // namespace gsu::cuda::blas

using namespace gsu::cuda;
using namespace gsu::cuda::blas;

GSU_BLAS(cublasCreate_v2)(Handle* to)
{
    return blasCall("cublasCreate", [&](Platform&) {
        out(to) = makeContext();
        return Status::Success;
    });
}

GSU_BLAS(cublasDestroy_v2)(Handle handle)
{
    return blasCall("cublasDestroy", [&](Platform& p) {
        dropContext(handle);
        return p.synchronize();
    });
}

GSU_BLAS(cublasSetStream_v2)(Handle handle, Handle stream)
{
    return blasCall("cublasSetStream", [&](Platform& p) {
        static_cast<void>(streamOf(p, stream));
        contextOf(handle).stream = stream;
        return Status::Success;
    });
}

GSU_BLAS(cublasGetStream_v2)(Handle handle, Handle* stream)
{
    return blasCall("cublasGetStream", handle, [&](BlasContext& c) { out(stream) = c.stream; });
}

// Results do not depend on the library's workspace.
GSU_BLAS(cublasSetWorkspace_v2)(Handle handle, void*, std::size_t)
{
    return blasCall("cublasSetWorkspace", handle, [](BlasContext&) {});
}

// All modes give the sums of the default one.
GSU_BLAS(cublasSetMathMode)(Handle handle, int mode)
{
    return blasCall("cublasSetMathMode", handle, [&](BlasContext& c) {
        if ((mode & 0xf) > 3)
            throw Refusal{Status::NotSupported, "modes of emulated numbers are not supported"};
        c.math = mode;
    });
}

GSU_BLAS(cublasGetMathMode)(Handle handle, int* mode)
{
    return blasCall("cublasGetMathMode", handle, [&](BlasContext& c) { out(mode) = c.math; });
}

GSU_BLAS(cublasSetPointerMode_v2)(Handle handle, int mode)
{
    return blasCall("cublasSetPointerMode", handle, [&](BlasContext& c) {
        if (mode < 0 || mode > 1) throw Refusal{Status::InvalidValue, "this is no pointer mode"};
        c.pointers = mode;
    });
}

GSU_BLAS(cublasGetPointerMode_v2)(Handle handle, int* mode)
{
    return blasCall("cublasGetPointerMode", handle,
                    [&](BlasContext& c) { out(mode) = c.pointers; });
}

GSU_BLAS(cublasSetAtomicsMode)(Handle handle, int mode)
{
    return blasCall("cublasSetAtomicsMode", handle, [&](BlasContext& c) { c.atomics = mode; });
}

GSU_BLAS(cublasGetAtomicsMode)(Handle handle, int* mode)
{
    return blasCall("cublasGetAtomicsMode", handle, [&](BlasContext& c) { out(mode) = c.atomics; });
}

GSU_BLAS(cublasGetVersion_v2)(Handle, int* version)
{
    return static_cast<int>(blasStatus(static_cast<Status>(answer(
        "cublasGetVersion", version, kVersion[0] * 10000 + kVersion[1] * 100 + kVersion[2]))));
}

GSU_BLAS(cublasGetProperty)(int type, int* value)
{
    return blasCall("cublasGetProperty", [&](Platform&) {
        if (type < 0 || type > 2) throw Refusal{Status::InvalidValue, "this is no property"};
        out(value) = kVersion[type];
        return Status::Success;
    });
}

GSU_BLAS_AS(const char*, cublasGetStatusName)(int status)
{
    switch (status) {
        case 0: return "CUBLAS_STATUS_SUCCESS";
        case 1: return "CUBLAS_STATUS_NOT_INITIALIZED";
        case 3: return "CUBLAS_STATUS_ALLOC_FAILED";
        case 7: return "CUBLAS_STATUS_INVALID_VALUE";
        case 8: return "CUBLAS_STATUS_ARCH_MISMATCH";
        case 11: return "CUBLAS_STATUS_MAPPING_ERROR";
        case 13: return "CUBLAS_STATUS_EXECUTION_FAILED";
        case 14: return "CUBLAS_STATUS_INTERNAL_ERROR";
        case 15: return "CUBLAS_STATUS_NOT_SUPPORTED";
        case 16: return "CUBLAS_STATUS_LICENSE_ERROR";
        default: return "unknown status";
    }
}

GSU_BLAS_AS(const char*, cublasGetStatusString)(int status)
{
    return gsu_cublasGetStatusName(status);
}
