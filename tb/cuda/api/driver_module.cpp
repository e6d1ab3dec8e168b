// Modules, libraries, kernels and the linker of the driver.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "cuda/api/calls.hpp"
#include "cuda/code/loaded_code.hpp"

using namespace gsu::cuda;

namespace {

CodeModule& moduleOf(Platform& p, Handle handle)
{
    CodeModule* module = p.moduleOf(handle);
    if (module == nullptr) throw Refusal{Status::InvalidHandle, "this is not a module"};
    return *module;
}

/// `maxRegisters`: registers of a thread; 0: the number that the image has.
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

Status loadFile(Platform& p, Handle* to, const char* path, unsigned maxRegisters = 0)
{
    const std::string bytes = contentsOf(path);
    return load(p, to, bytes.c_str(), maxRegisters);
}

Status unload(Platform& p, Handle module)
{
    p.unload(moduleOf(p, module));
    return Status::Success;
}

Status count(Platform& p, unsigned* to, Handle module)
{
    return give(to, static_cast<unsigned>(moduleOf(p, module).kernels().size()));
}

Status functions(Platform& p, Handle* to, unsigned count, Handle module)
{
    CodeModule& code = moduleOf(p, module);
    for (const gsu::ptx::Function* f : code.kernels()) {
        if (count-- == 0) break;
        out(to++) = &p.kernelOf(code, f->name);
    }
    return Status::Success;
}

Status newLinker(unsigned count, int* options, void** values, Handle* to)
{
    static_cast<void>(out(to));
    if (count != 0) static_cast<void>(in(options)), static_cast<void>(in(values));
    return give(to, newLinkJob(count, options, values));
}

Status link(Handle job, int type, const std::string& bytes, const char* name, unsigned sm)
{
    jobOf(job).add(type, bytes, name == nullptr ? "" : name, sm);
    return Status::Success;
}

}  // namespace

GSU_DRIVER_CALL(cuModuleLoadData, (Handle * to, const void* image), load(p, to, image))
GSU_DRIVER_CALL(cuModuleLoadFatBinary, (Handle * to, const void* image), load(p, to, image))
GSU_DRIVER_CALL(cuModuleLoad, (Handle * to, const char* path), loadFile(p, to, path))
GSU_DRIVER(cuModuleLoadDataEx)
(Handle* to, const void* image, unsigned count, int* options, void** values)
{
    const int status = contextCall("cuModuleLoadData", [&](Platform& p) {
        return load(p, to, image, maxRegistersIn(count, options, values));
    });
    endLogs(count, options, values);
    return status;
}
GSU_DRIVER_FREE_CALL(cuModuleUnload, (Handle module), unload(p, module))
GSU_DRIVER_CALL(cuModuleGetFunction, (Handle * to, Handle module, const char* name),
                function(p, to, module, name))
GSU_DRIVER_CALL(cuModuleGetFunctionCount, (unsigned* to, Handle module), count(p, to, module))
GSU_DRIVER_CALL(cuModuleEnumerateFunctions, (Handle * to, unsigned count, Handle module),
                functions(p, to, count, module))
GSU_DRIVER_CALL(cuModuleGetGlobal_v2,
                (DevicePointer * address, std::size_t* bytes, Handle module, const char* name),
                global(p, address, bytes, module, name))

GSU_DRIVER(cuModuleGetLoadingMode)(int* mode)
{
    return answer("cuModuleGetLoadingMode", mode, 2);  // lazy: code is loaded when it is needed
}

// A library is a module that belongs to no context; a kernel of the library is a kernel of that module. The runtime has the same objects.
GSU_RELEASE(cudaLibraryLoadData, cuLibraryLoadData,
            (Handle * to, const void* image, int* options, void** values, unsigned count, void*,
             void**, unsigned),
            load(p, to, image, maxRegistersIn(count, options, values)))
GSU_RELEASE(cudaLibraryLoadFromFile, cuLibraryLoadFromFile,
            (Handle * to, const char* path, int* options, void** values, unsigned count, void*,
             void**, unsigned),
            loadFile(p, to, path, maxRegistersIn(count, options, values)))
GSU_RELEASE(cudaLibraryUnload, cuLibraryUnload, (Handle library), unload(p, library))
GSU_RELEASE(cudaLibraryGetKernel, cuLibraryGetKernel,
            (Handle * to, Handle library, const char* name), function(p, to, library, name))
GSU_RELEASE(cudaLibraryGetKernelCount, cuLibraryGetKernelCount, (unsigned* to, Handle library),
            count(p, to, library))
GSU_DRIVER_CALL(cuLibraryGetModule, (Handle * module, Handle library),
                give(module, &moduleOf(p, library)))
GSU_CALL(cudaLibraryGetGlobal, cuLibraryGetGlobal,
         (DevicePointer * address, std::size_t* bytes, Handle library, const char* name),
         global(p, address, bytes, library, name))
GSU_DRIVER_CALL(cuKernelGetFunction, (Handle * to, Handle kernel),
                p.isKernel(kernel) ? give(to, kernel) : Status::InvalidHandle)

GSU_DRIVER_CALL(cuLinkCreate_v2, (unsigned count, int* options, void** values, Handle* to),
                newLinker(count, options, values, to))
GSU_DRIVER_CALL(cuLinkAddData_v2,
                (Handle job, int type, const char* data, std::size_t bytes, const char* name,
                 unsigned, int*, void**),
                link(job, type, std::string(&in(data), bytes), name, p.settings.sm))
GSU_DRIVER_CALL(cuLinkAddFile_v2, (Handle job, int type, const char* path, unsigned, int*, void**),
                link(job, type, contentsOf(path), path, p.settings.sm))
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
GSU_DRIVER_CALL(cuLinkDestroy, (Handle job),
                destroyLinkJob(job) ? Status::Success : Status::InvalidHandle)
