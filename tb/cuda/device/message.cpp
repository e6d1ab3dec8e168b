#include "cuda/device/message.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cctype>
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

namespace {

/// The readable name "cutlass::device_kernel" of "_ZN7cutlass13device_kernelI..."; empty: the text is not the beginning of a mangled name.
/// The compiler's library cannot demangle names of templates with expressions among their arguments.
std::string beginningOf(const std::string& mangled)
{
    if (mangled.rfind("_Z", 0) != 0) return {};
    std::string name;
    for (std::size_t at = mangled[2] == 'N' ? 3 : 2; at < mangled.size();) {
        std::size_t length = 0;
        for (; at < mangled.size() && std::isdigit(static_cast<unsigned char>(mangled[at])) != 0;
             ++at)
            length = length * 10 + static_cast<std::size_t>(mangled[at] - '0');
        if (length == 0 || length > mangled.size() - at) break;
        name += (name.empty() ? "" : "::") + mangled.substr(at, length);
        at += length;
    }
    return name;
}

}  // namespace

std::string plainName(const std::string& readable)
{
    if (const std::string name = beginningOf(readable); !name.empty()) return name;
    // The name ends at the parameters or template arguments, and begins after the return type.
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
    // The call is the instruction before the return address.
    const auto offset = reinterpret_cast<std::uintptr_t>(returnAddress) - 1 -
                        reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    std::string text = fmt::format("{}+{:#x}", path.substr(path.rfind('/') + 1), offset);
    if (info.dli_sname != nullptr) text += fmt::format(" ({})", demangled(info.dli_sname));
    return text;
}

}  // namespace gsu::cuda
