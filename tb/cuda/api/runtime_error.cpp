// Errors of the runtime: the last one, names, texts; calls that this device does not have.
#include <set>
#include <string_view>

#include "cuda/api/api.hpp"

namespace gsu::cuda {

thread_local Status lastError{};

std::string plainName(const char* symbol)
{
    const std::string_view name(symbol);
    const std::size_t version = name.rfind("_v");
    const bool ends = version != name.npos && version + 3 == name.size();
    return std::string(ends ? name.substr(0, version) : name);
}

Status unsupported(const char* name)
{
    static std::set<std::string> said;
    return guarded(name, [&](Platform&) {
        if (said.insert(name).second)
            say(std::string(name) + " is not supported (cudaErrorNotSupported)");
        return Status::NotSupported;
    });
}

}  // namespace gsu::cuda

using namespace gsu::cuda;

GSU_RUNTIME(cudaPeekAtLastError)()
{
    const Status status = guarded("cudaPeekAtLastError", [](Platform& p) { return p.error(); });
    return static_cast<int>(status != Status::Success ? status : lastError);
}

GSU_RUNTIME(cudaGetLastError)()
{
    const int status = gsu_cudaPeekAtLastError();
    lastError = Status::Success;
    return status;
}

GSU_RUNTIME_AS(const char*, cudaGetErrorName)(int number)
{
    const StatusText* text = find(number);
    return text == nullptr || *text->runtime == 0 ? "unrecognized error code" : text->runtime;
}

GSU_RUNTIME_AS(const char*, cudaGetErrorString)(int number)
{
    const StatusText* text = find(number);
    return text == nullptr ? "unrecognized error code" : text->text;
}
