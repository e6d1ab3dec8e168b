// Modules, libraries, kernels and the linker of the driver.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "cuda/api/driver.hpp"
#include "cuda/code/loaded_code.hpp"

using namespace gsu::cuda;

namespace {

CodeModule& moduleOf(Platform& p, Handle handle)
{
    CodeModule* module = p.moduleOf(handle);
    if (module == nullptr) throw Refusal{Status::InvalidHandle, "this is not a module"};
    return *module;
}

/// `maxRegisters`: of a thread; 0: as the image has it.
Status load(Platform& p, Handle* to, const void* image, unsigned maxRegisters = 0)
{
    if (to == nullptr || image == nullptr) return Status::InvalidValue;
    const LoadedCode code = codeOfImage(image, p.settings.sm);
    CodeModule& module = p.load(code.texts, "module");
    module.limitRegisters(maxRegisters != 0 ? maxRegisters : code.maxRegisters);
    *to = &module;
    return Status::Success;
}

Status function(Platform& p, Handle* to, Handle module, const char* name)
{
    if (to == nullptr || name == nullptr) return Status::InvalidValue;
    CodeModule& code = moduleOf(p, module);
    if (code.kernel(name) == nullptr) return Status::NotFound;
    *to = &p.kernelOf(code, name);
    return Status::Success;
}

Status global(Platform& p, DevicePointer* address, std::size_t* bytes, Handle module,
              const char* name)
{
    const auto place = moduleOf(p, module).variable(&in(name));
    if (!place) return Status::NotFound;
    if (address != nullptr) *address = place->address;
    if (bytes != nullptr) *bytes = place->bytes;
    return Status::Success;
}

std::string contentsOf(const char* path)
{
    std::ifstream file(&in(path), std::ios::binary);
    if (!file) throw Refusal{Status::FileNotFound, std::string(path) + " cannot be read"};
    return {std::istreambuf_iterator<char>(file), {}};
}

LinkJob& jobOf(Handle handle)
{
    LinkJob* job = linkJob(handle);
    if (job == nullptr) throw Refusal{Status::InvalidHandle, "this is not a linker"};
    return *job;
}

}  // namespace

GSU_DRIVER(cuModuleLoadData)(Handle* to, const void* image)
{
    return contextCall("cuModuleLoadData", [&](Platform& p) { return load(p, to, image); });
}

GSU_DRIVER(cuModuleLoadDataEx)
(Handle* to, const void* image, unsigned count, int* options, void** values)
{
    const int status = contextCall("cuModuleLoadData", [&](Platform& p) {
        return load(p, to, image, maxRegistersIn(count, options, values));
    });
    endLogs(count, options, values);
    return status;
}

GSU_DRIVER(cuModuleLoadFatBinary)(Handle* to, const void* image)
{
    return contextCall("cuModuleLoadFatBinary", [&](Platform& p) { return load(p, to, image); });
}

GSU_DRIVER(cuModuleLoad)(Handle* to, const char* path)
{
    return contextCall("cuModuleLoad", [&](Platform& p) {
        const std::string bytes = contentsOf(path);
        return load(p, to, bytes.c_str());
    });
}

GSU_DRIVER(cuModuleUnload)(Handle module)
{
    return driverCall("cuModuleUnload", [&](Platform& p) {
        p.unload(moduleOf(p, module));
        return Status::Success;
    });
}

GSU_DRIVER(cuModuleGetFunction)(Handle* to, Handle module, const char* name)
{
    return contextCall("cuModuleGetFunction",
                       [&](Platform& p) { return function(p, to, module, name); });
}

GSU_DRIVER(cuModuleGetFunctionCount)(unsigned* count, Handle module)
{
    return contextCall("cuModuleGetFunctionCount", [&](Platform& p) {
        out(count) = static_cast<unsigned>(moduleOf(p, module).kernels().size());
        return Status::Success;
    });
}

GSU_DRIVER(cuModuleEnumerateFunctions)(Handle* functions, unsigned count, Handle module)
{
    return contextCall("cuModuleEnumerateFunctions", [&](Platform& p) {
        CodeModule& code = moduleOf(p, module);
        for (const gsu::ptx::Function* f : code.kernels()) {
            if (count-- == 0) break;
            out(functions++) = &p.kernelOf(code, f->name);
        }
        return Status::Success;
    });
}

GSU_DRIVER(cuModuleGetGlobal_v2)
(DevicePointer* address, std::size_t* bytes, Handle module, const char* name)
{
    return contextCall("cuModuleGetGlobal",
                       [&](Platform& p) { return global(p, address, bytes, module, name); });
}

GSU_DRIVER(cuModuleGetLoadingMode)(int* mode)
{
    return answer("cuModuleGetLoadingMode", mode, 2);  // what is needed, when it is needed
}

// A library is a module that belongs to no context, and a kernel of it one of that module.
GSU_DRIVER(cuLibraryLoadData)
(Handle* to, const void* image, int* options, void** values, unsigned count, void*, void**,
 unsigned)
{
    return driverCall("cuLibraryLoadData", [&](Platform& p) {
        return load(p, to, image, maxRegistersIn(count, options, values));
    });
}

GSU_DRIVER(cuLibraryLoadFromFile)
(Handle* to, const char* path, int* options, void** values, unsigned count, void*, void**, unsigned)
{
    return driverCall("cuLibraryLoadFromFile", [&](Platform& p) {
        const std::string bytes = contentsOf(path);
        return load(p, to, bytes.c_str(), maxRegistersIn(count, options, values));
    });
}

GSU_DRIVER(cuLibraryUnload)(Handle library)
{
    return driverCall("cuLibraryUnload", [&](Platform& p) {
        p.unload(moduleOf(p, library));
        return Status::Success;
    });
}

GSU_DRIVER(cuLibraryGetKernel)(Handle* to, Handle library, const char* name)
{
    return driverCall("cuLibraryGetKernel",
                      [&](Platform& p) { return function(p, to, library, name); });
}

GSU_DRIVER(cuLibraryGetModule)(Handle* module, Handle library)
{
    return contextCall("cuLibraryGetModule", [&](Platform& p) {
        out(module) = &moduleOf(p, library);
        return Status::Success;
    });
}

GSU_DRIVER(cuLibraryGetGlobal)
(DevicePointer* address, std::size_t* bytes, Handle library, const char* name)
{
    return contextCall("cuLibraryGetGlobal",
                       [&](Platform& p) { return global(p, address, bytes, library, name); });
}

GSU_DRIVER(cuLibraryGetKernelCount)(unsigned* count, Handle library)
{
    return driverCall("cuLibraryGetKernelCount", [&](Platform& p) {
        out(count) = static_cast<unsigned>(moduleOf(p, library).kernels().size());
        return Status::Success;
    });
}

GSU_DRIVER(cuKernelGetFunction)(Handle* function, Handle kernel)
{
    return contextCall("cuKernelGetFunction", [&](Platform& p) {
        if (!p.isKernel(kernel)) return Status::InvalidHandle;
        out(function) = kernel;
        return Status::Success;
    });
}

GSU_DRIVER(cuLinkCreate_v2)(unsigned count, int* options, void** values, Handle* to)
{
    return contextCall("cuLinkCreate", [&](Platform&) {
        static_cast<void>(out(to));
        if (count != 0) static_cast<void>(in(options)), static_cast<void>(in(values));
        *to = newLinkJob(count, options, values);
        return Status::Success;
    });
}

GSU_DRIVER(cuLinkAddData_v2)
(Handle job, int type, void* data, std::size_t bytes, const char* name, unsigned, int*, void**)
{
    return contextCall("cuLinkAddData", [&](Platform& p) {
        jobOf(job).add(type, std::string(&in(static_cast<const char*>(data)), bytes),
                       name == nullptr ? "" : name, p.settings.sm);
        return Status::Success;
    });
}

GSU_DRIVER(cuLinkAddFile_v2)(Handle job, int type, const char* path, unsigned, int*, void**)
{
    return contextCall("cuLinkAddFile", [&](Platform& p) {
        jobOf(job).add(type, contentsOf(path), path, p.settings.sm);
        return Status::Success;
    });
}

GSU_DRIVER(cuLinkComplete)(Handle job, void** image, std::size_t* bytes)
{
    const int status = contextCall("cuLinkComplete", [&](Platform&) {
        const std::string& linked = jobOf(job).complete();
        out(image) = const_cast<char*>(linked.data());
        if (bytes != nullptr) *bytes = linked.size();
        return Status::Success;
    });
    if (LinkJob* known = linkJob(job)) known->endLogs();
    return status;
}

GSU_DRIVER(cuLinkDestroy)(Handle job)
{
    return contextCall("cuLinkDestroy", [&](Platform&) {
        return destroyLinkJob(job) ? Status::Success : Status::InvalidHandle;
    });
}
