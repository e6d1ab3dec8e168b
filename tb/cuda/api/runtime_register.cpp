// Functions that nvcc's start-up code calls, and launches by <<<>>>.
#include "cuda/api/api.hpp"
#include "cuda/device/types.hpp"
#include "cuda/platform/launching.hpp"

using namespace gsu::cuda;

namespace {

struct Configuration {
    Dim3 grid, block;
    std::size_t dynamicSmem;
    Handle stream;
};
thread_local std::vector<Configuration> pushed;

Registry::Binary* binaryOf(void** handle) { return reinterpret_cast<Registry::Binary*>(handle); }

/// `kernel`: a function of the host, or a handle. `site`: place of the program's call.
int launch(const char* name, const void* kernel, const Configuration& c, void** arguments,
           bool cooperative, const void* site)
{
    return runtimeCall(name, [&](Platform& p) {
        return submitLaunch(p, {.kernel = &kernelOf(p, kernel),
                                .function = kernel,
                                .grid = c.grid,
                                .block = c.block,
                                .dynamicSmem = c.dynamicSmem,
                                .stream = c.stream,
                                .arguments = arguments,
                                .cooperative = cooperative,
                                .site = site});
    });
}

}  // namespace

GSU_RUNTIME_AS(void**, __cudaRegisterFatBinary)(void* wrapper)
{
    void** handle = nullptr;
    static_cast<void>(guarded("__cudaRegisterFatBinary", [&](Platform& p) {
        handle = reinterpret_cast<void**>(
            p.registry.add(static_cast<const FatBinaryWrapper*>(wrapper), wrapper));
        return Status::Success;
    }));
    return handle;
}

GSU_RUNTIME(__cudaRegisterFatBinaryEnd)(void**) { return 0; }

GSU_RUNTIME(__cudaUnregisterFatBinary)(void** handle)
{
    // The output that kernels printed must not be lost at the end.
    return static_cast<int>(guarded("__cudaUnregisterFatBinary", [&](Platform& p) {
        static_cast<void>(p.synchronize());
        p.registry.remove(p, binaryOf(handle));
        return Status::Success;
    }));
}

GSU_RUNTIME(__cudaRegisterFunction)
(void** handle, const char* host, char*, const char* name, int, void*, void*, void*, void*, int*)
{
    return static_cast<int>(guarded("__cudaRegisterFunction", [&](Platform& p) {
        p.registry.addKernel(binaryOf(handle), host, name);
        return Status::Success;
    }));
}

GSU_RUNTIME(__cudaRegisterVar)
(void** handle, char* host, char*, const char* name, int, std::size_t, int, int)
{
    return static_cast<int>(guarded("__cudaRegisterVar", [&](Platform& p) {
        p.registry.addVariable(binaryOf(handle), host, name);
        return Status::Success;
    }));
}

GSU_RUNTIME(__cudaRegisterManagedVar)
(void** handle, void** host, char*, const char* name, int, std::size_t, int, int)
{
    return static_cast<int>(guarded("__cudaRegisterManagedVar", [&](Platform& p) {
        binaryOf(handle)->managed.push_back({name, host});
        p.registry.addVariable(binaryOf(handle), host, name);
        return Status::Success;
    }));
}

GSU_RUNTIME_AS(char, __cudaInitModule)(void** handle)
{
    const Status status = guarded("__cudaInitModule", [&](Platform& p) {
        Registry::Binary& binary = *binaryOf(handle);
        if (!binary.managed.empty()) p.registry.load(p, binary);
        return Status::Success;
    });
    return status == Status::Success ? 1 : 0;
}

GSU_RUNTIME(__cudaPushCallConfiguration)
(Dim3 grid, Dim3 block, std::size_t dynamicSmem, Handle stream)
{
    pushed.push_back({grid, block, dynamicSmem, stream});
    return 0;
}

GSU_RUNTIME(__cudaPopCallConfiguration)
(Dim3* grid, Dim3* block, std::size_t* dynamicSmem, void* stream)
{
    if (pushed.empty()) return static_cast<int>(Status::MissingConfiguration);
    const Configuration& c = pushed.back();
    *grid = c.grid;
    *block = c.block;
    *dynamicSmem = c.dynamicSmem;
    *static_cast<Handle*>(stream) = c.stream;
    pushed.pop_back();
    return 0;
}

GSU_RUNTIME(__cudaGetKernel)(Handle* kernel, const void* host)
{
    return runtimeCall("__cudaGetKernel", [&](Platform& p) {
        out(kernel) = &p.registry.kernel(p, host);
        return Status::Success;
    });
}

GSU_RUNTIME(cudaLaunchKernel)
(const void* host, Dim3 grid, Dim3 block, void** arguments, std::size_t dynamicSmem, Handle stream)
{
    return launch("cudaLaunchKernel", host, {grid, block, dynamicSmem, stream}, arguments, false,
                  GSU_SITE);
}

GSU_RUNTIME(__cudaLaunchKernel)
(Handle kernel, Dim3 grid, Dim3 block, void** arguments, std::size_t dynamicSmem, Handle stream)
{
    return launch("cudaLaunchKernel", kernel, {grid, block, dynamicSmem, stream}, arguments, false,
                  GSU_SITE);
}

GSU_RUNTIME(cudaLaunchCooperativeKernel)
(const void* host, Dim3 grid, Dim3 block, void** arguments, std::size_t dynamicSmem, Handle stream)
{
    return launch("cudaLaunchCooperativeKernel", host, {grid, block, dynamicSmem, stream},
                  arguments, true, GSU_SITE);
}

GSU_RUNTIME(cudaLaunchKernelExC)(const LaunchConfig* config, const void* host, void** arguments)
{
    const void* site = GSU_SITE;
    return runtimeCall("cudaLaunchKernelExC", [&](Platform& p) {
        if (config == nullptr) return Status::InvalidValue;
        LaunchRequest request{.kernel = &kernelOf(p, host),
                              .function = host,
                              .grid = config->grid,
                              .block = config->block,
                              .dynamicSmem = config->dynamicSmem,
                              .stream = config->stream,
                              .arguments = arguments,
                              .site = site};
        takeAttributes(request, config->attributes, config->count);
        return submitLaunch(p, request);
    });
}

GSU_PER_THREAD(cudaLaunchKernel, _ptsz,
               (const void* host, Dim3 grid, Dim3 block, void** arguments, std::size_t dynamicSmem,
                Handle stream),
               (host, grid, block, arguments, dynamicSmem, stream))
GSU_PER_THREAD(__cudaLaunchKernel, _ptsz,
               (Handle kernel, Dim3 grid, Dim3 block, void** arguments, std::size_t dynamicSmem,
                Handle stream),
               (kernel, grid, block, arguments, dynamicSmem, stream))
GSU_PER_THREAD(cudaLaunchCooperativeKernel, _ptsz,
               (const void* host, Dim3 grid, Dim3 block, void** arguments, std::size_t dynamicSmem,
                Handle stream),
               (host, grid, block, arguments, dynamicSmem, stream))
GSU_PER_THREAD(cudaLaunchKernelExC, _ptsz,
               (const LaunchConfig* config, const void* host, void** arguments),
               (config, host, arguments))
