// Error codes of the driver, entry points by name, and functions that this driver lacks.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "cuda/api/driver.hpp"

namespace gsu::cuda {
namespace {

/// A function whose later forms have other parameters, and the version since which headers mean each form.
struct Form {
    const char* name;
    const char* suffix;
    int since;
};
constexpr Form kForms[] = {{"cuCtxCreate", "_v4", 12050},
                           {"cuCtxCreate", "_v3", 11040},
                           {"cuCtxGetDevice", "_v2", 13000},
                           {"cuCtxSynchronize", "_v2", 13000},
                           {"cuDeviceGetUuid", "_v2", 11040},
                           {"cuEventElapsedTime", "_v2", 12080},
                           {"cuGetProcAddress", "_v2", 12000},
                           {"cuGraphAddDependencies", "_v2", 12030},
                           {"cuGraphAddKernelNode", "_v2", 12000},
                           {"cuGraphAddNode", "_v2", 12030},
                           {"cuGraphExecKernelNodeSetParams", "_v2", 12000},
                           {"cuGraphExecUpdate", "_v2", 12000},
                           {"cuGraphGetEdges", "_v2", 12030},
                           {"cuGraphInstantiate", "_v2", 11000},
                           {"cuGraphKernelNodeGetParams", "_v2", 12000},
                           {"cuGraphKernelNodeSetParams", "_v2", 12000},
                           {"cuGraphNodeGetDependencies", "_v2", 12030},
                           {"cuGraphNodeGetDependentNodes", "_v2", 12030},
                           {"cuGraphRemoveDependencies", "_v2", 12030},
                           {"cuMemAdvise", "_v2", 12020},
                           {"cuMemPrefetchAsync", "_v2", 12020},
                           {"cuMemcpy3DBatchAsync", "_v2", 13000},
                           {"cuMemcpyBatchAsync", "_v2", 13000},
                           {"cuStreamBeginCapture", "_v2", 10010},
                           {"cuStreamGetCaptureInfo", "_v3", 12030},
                           {"cuStreamGetCaptureInfo", "_v2", 11030},
                           {"cuStreamGetCtx", "_v2", 12050},
                           {"cuStreamUpdateCaptureDependencies", "_v2", 12030}};

/// The version of a form. Most second forms are those of 3.2 and 4.0, with wider parameters.
int sinceOf(const std::string& name, std::string_view suffix)
{
    const auto found = std::find_if(std::begin(kForms), std::end(kForms), [&](const Form& f) {
        return f.name == name && f.suffix == suffix;
    });
    return found != std::end(kForms) ? found->since : suffix == "_v2" ? 3020 : 0;
}

/// The function that headers of `version` mean by a name: the newest form that is not newer than `version`. With `perThread`, the form with
/// per-thread default streams, if there is one.
void* entryOf(const std::string& name, int version, bool perThread)
{
    static void* const self = [] {
        Dl_info info{};
        return ::dladdr(reinterpret_cast<void*>(&entryOf), &info) != 0
                   ? ::dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)
                   : nullptr;
    }();
    if (self == nullptr) return nullptr;
    for (const char* form : {"_v4", "_v3", "_v2", ""}) {
        if (version < sinceOf(name, form)) continue;
        for (const char* suffix : {"_ptsz", "_ptds"}) {
            if (!perThread) break;
            if (void* found = ::dlsym(self, (name + form + suffix).c_str())) return found;
        }
        if (void* found = ::dlsym(self, (name + form).c_str())) return found;
    }
    return nullptr;
}

}  // namespace

/// `result`: CUdriverProcAddressQueryResult, 0 found, 1 not found. `flags`: cuda...Flags of the call; 2 asks for per-thread default streams.
Status entryPoint(const char* name, void** to, int version, int* result, std::uint64_t flags)
{
    constexpr std::uint64_t kPerThread = 2;
    if (name == nullptr || to == nullptr) return Status::InvalidValue;
    const bool driver = std::strncmp(name, "cu", 2) == 0;
    *to = driver ? entryOf(name, version, (flags & kPerThread) != 0) : nullptr;
    if (result != nullptr) *result = *to != nullptr ? 0 : 1;
    return *to != nullptr ? Status::Success : Status::NotFound;
}

}  // namespace gsu::cuda

using namespace gsu::cuda;

namespace {

/// Text of a code that the driver has; for any other code a null pointer and InvalidValue.
int tell(int number, const char** to, const char* StatusText::*what) noexcept
{
    if (to == nullptr) return static_cast<int>(Status::InvalidValue);
    const StatusText* text = find(number);
    const bool known = text != nullptr && *text->driver != 0;
    *to = known ? text->*what : nullptr;
    return static_cast<int>(known ? Status::Success : Status::InvalidValue);
}

}  // namespace

GSU_DRIVER(cuGetErrorName)(int number, const char** to)
{
    return tell(number, to, &StatusText::driver);
}

GSU_DRIVER(cuGetErrorString)(int number, const char** to)
{
    return tell(number, to, &StatusText::text);
}

GSU_DRIVER(cuGetProcAddress)(const char* name, void** to, int version, std::uint64_t flags)
{
    return static_cast<int>(entryPoint(name, to, version, nullptr, flags));
}

GSU_DRIVER(cuGetProcAddress_v2)
(const char* name, void** to, int version, std::uint64_t flags, int* result)
{
    return static_cast<int>(entryPoint(name, to, version, result, flags));
}

GSU_RUNTIME_11(cudaGetDriverEntryPoint)(const char* name, void** to, unsigned long long flags)
{
    return static_cast<int>(entryPoint(name, to, 11080, nullptr, flags));
}
GSU_RUNTIME_12(cudaGetDriverEntryPoint)
(const char* name, void** to, unsigned long long flags, int* result)
{
    const Status status = entryPoint(name, to, 12090, result, flags);
    return static_cast<int>(status == Status::NotFound ? Status::Success : status);
}
GSU_RUNTIME(cudaGetDriverEntryPointByVersion)
(const char* name, void** to, unsigned version, unsigned long long flags, int* result)
{
    const Status status = entryPoint(name, to, static_cast<int>(version), result, flags);
    return static_cast<int>(status == Status::NotFound ? Status::Success : status);
}

GSU_DRIVER(cuGetExportTable)(const void**, const void*)
{
    return static_cast<int>(guarded("cuGetExportTable", [](Platform&) -> Status {
        throw Refusal{Status::NotSupported,
                      "the vendor's own runtime asks for the vendor's driver: it is linked into "
                      "the program or one of its libraries; link with nvcc -cudart shared"};
    }));
}
