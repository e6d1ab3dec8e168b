// Error codes of the driver, entry points by name, and what this driver does not have.
#include <dlfcn.h>

#include <array>
#include <cstring>

#include "cuda/api/driver.hpp"

namespace gsu::cuda {
namespace {

/// The function that headers of `version` mean by a name: the newest form that is not newer, of those with per-thread default streams where that is
/// wanted and there is one.
void* entryOf(const std::string& name, int version, bool perThread)
{
    static void* const self = [] {
        Dl_info info{};
        return ::dladdr(reinterpret_cast<void*>(&entryOf), &info) != 0
                   ? ::dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)
                   : nullptr;
    }();
    if (self == nullptr) return nullptr;
    struct Form {
        const char* suffix;
        int since;
    };
    // Contexts are made with other arguments since 11.4 and 13.0; most others have had their second form since 3.2 and 4.0.
    constexpr std::array<Form, 4> kForms{{{"_v4", 13000}, {"_v3", 11040}, {"_v2", 3020}, {"", 0}}};
    for (const Form& form : kForms) {
        if (version < form.since) continue;
        for (const char* suffix : {"_ptsz", "_ptds"}) {
            if (!perThread) break;
            if (void* found = ::dlsym(self, (name + form.suffix + suffix).c_str())) return found;
        }
        if (void* found = ::dlsym(self, (name + form.suffix).c_str())) return found;
    }
    return nullptr;
}

}  // namespace

/// `result`: CUdriverProcAddressQueryResult, 0 found, 1 not found.
/// `flags`: cuda...Flags of the call, of which 2 wants per-thread default streams.
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

/// Of a code that the driver has; a null pointer, and InvalidValue, for any other.
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
