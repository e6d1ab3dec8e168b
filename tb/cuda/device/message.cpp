#include "cuda/device/message.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace gsu::cuda {

std::string demangled(const std::string& name)
{
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string readable = status == 0 && text != nullptr ? text : name;
    std::free(text);
    return readable;
}

std::string plainName(const std::string& readable)
{
    // Up to the parameters or template arguments; in front of that, behind the type that is returned.
    std::string name = readable.substr(0, readable.find_first_of("(<"));
    const auto space = name.rfind(' ');
    return space == std::string::npos ? name : name.substr(space + 1);
}

void say(const std::string& text)
{
    const std::string line = "gsu: " + text + '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string siteText(const void* returnAddress)
{
    Dl_info info{};
    if (returnAddress == nullptr || ::dladdr(returnAddress, &info) == 0 ||
        info.dli_fname == nullptr)
        return fmt::format("{}", returnAddress);
    const std::string path = info.dli_fname;
    // The call is in front of where it returns to.
    const auto offset = reinterpret_cast<std::uintptr_t>(returnAddress) - 1 -
                        reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    std::string text = fmt::format("{}+{:#x}", path.substr(path.rfind('/') + 1), offset);
    if (info.dli_sname != nullptr) text += fmt::format(" ({})", demangled(info.dli_sname));
    return text;
}

}  // namespace gsu::cuda
