// The linker library that programs load besides the driver (libnvJitLink). PTX stays PTX in it: instead of machine code it returns an image
// that this driver takes. Programs ask for its functions by plain names, through dlsym, and by names with a version, which its header
// substitutes.
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/input_error.hpp"
#include "base/read_file.hpp"
#include "cuda/code/code_module.hpp"
#include "cuda/code/loaded_code.hpp"
#include "cuda/platform/functions.hpp"
#include "cuda/platform/platform.hpp"

namespace gsu::cuda {
namespace {

/// nvJitLinkResult.
enum class LinkResult : int {
    Success = 0,
    UnknownOption = 1,
    MissingArch = 2,
    InvalidInput = 3,
    PtxCompile = 4,
    Internal = 6,
    UnknownInput = 8,
    NullInput = 10
};
/// nvJitLinkInputType.
enum LinkInput : int {
    Cubin = 1,
    Ptx = 2,
    Ltoir = 3,
    FatBinary = 4,
    Object = 5,
    Library = 6,
    Index = 7,
    Any = 10
};

struct Failure {
    LinkResult result;
    std::string message;
};

struct JitLink {
    explicit JitLink(unsigned maxRegisters) : job(maxRegisters) {}
    LinkJob job;
    unsigned sm{};
    std::string image{};   ///< the image, when it is complete
    std::string errors{};  ///< the log
};

/// Never destroyed, as programs link from their own destructors.
struct JitLinks {
    std::mutex mutex;
    std::map<const void*, std::unique_ptr<JitLink>> all;
};
JitLinks& links()
{
    static auto* const made = new JitLinks();
    return *made;
}

/// The value of an option, as in "-arch=sm_90"; empty: the option has another name.
std::string_view valueOf(std::string_view option, std::string_view name)
{
    return option.substr(0, name.size()) == name ? option.substr(name.size()) : "";
}

/// Options that choose how machine code is made; here there is no machine code.
bool changesNothing(std::string_view option)
{
    constexpr std::string_view kNames[] = {"-time",
                                           "-verbose",
                                           "-lto",
                                           "-ptx",
                                           "-g",
                                           "-lineinfo",
                                           "-O",
                                           "-opt",
                                           "-ftz=",
                                           "-prec-div=",
                                           "-prec-sqrt=",
                                           "-fma=",
                                           "-kernels-used=",
                                           "-variables-used=",
                                           "-optimize-unused-variables",
                                           "-Xptxas=",
                                           "-Xnvvm=",
                                           "-split-compile",
                                           "-no-cache",
                                           "-jump-table-density=",
                                           "-device-stack-protector="};
    for (const std::string_view name : kNames) {
        if (option.substr(0, name.size()) == name) return true;
    }
    return false;
}

std::unique_ptr<JitLink> linkOf(unsigned count, const char* const* options)
{
    if (count != 0 && options == nullptr) throw Failure{LinkResult::NullInput, "options: no list"};
    unsigned registers = 0;
    int sm = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == nullptr) throw Failure{LinkResult::NullInput, "an option is no text"};
        const std::string option = options[i];
        if (const auto arch = valueOf(option, "-arch="); !arch.empty())
            sm = numberOf(std::string(arch));
        else if (const auto most = valueOf(option, "-maxrregcount="); !most.empty())
            registers = static_cast<unsigned>(std::max(0, numberOf(std::string(most))));
        else if (!changesNothing(option))
            throw Failure{LinkResult::UnknownOption, "option '" + option + "' is not known"};
    }
    if (sm <= 0) throw Failure{LinkResult::MissingArch, "no option -arch=sm_NN"};
    auto link = std::make_unique<JitLink>(registers);
    link->sm = static_cast<unsigned>(sm);
    return link;
}

/// The type of bytes that are given without one; Object: they cannot be linked.
LinkInput typeOf(const std::string& bytes)
{
    if (bytes.starts_with("!<arch>\n")) return Library;
    if (bytes.starts_with("\x50\xed\x55\xba")) return FatBinary;
    return bytes.find(".version") != std::string::npos && bytes.find('\x7f') != 0 ? Ptx : Object;
}

void addTo(JitLink& link, int type, const std::string& bytes, const std::string& name)
{
    if (!link.image.empty()) throw Failure{LinkResult::InvalidInput, "linked already"};
    switch (type == Any ? typeOf(bytes) : type) {
        case Ptx: link.job.add(LinkJob::Input::Ptx, bytes, name, link.sm); break;
        case FatBinary: link.job.add(LinkJob::Input::FatBinary, bytes, name, link.sm); break;
        case Library: link.job.add(LinkJob::Input::Library, bytes, name, link.sm); break;
        case Cubin:
        case Ltoir:
        case Object:
        case Index:
            throw Failure{LinkResult::InvalidInput,
                          fmt::format("'{}' is machine code, an object or LTO-IR, which is not "
                                      "linked here: PTX, fat binaries with PTX and "
                                      "libcudadevrt.a are",
                                      name)};
        default: throw Failure{LinkResult::UnknownInput, fmt::format("inputs of type {}", type)};
    }
}

void complete(JitLink& link)
{
    if (link.job.texts().empty()) throw Failure{LinkResult::InvalidInput, "nothing to link"};
    try {
        checkCode(link.job.texts(), "linked");
    } catch (const InputError& error) {
        throw Failure{LinkResult::PtxCompile, error.what()};
    }
    link.image = link.job.complete();
}

const std::string& imageOf(const JitLink& link)
{
    if (link.image.empty()) throw Failure{LinkResult::InvalidInput, "it is not linked yet"};
    return link.image;
}

const std::string& ptxOf(const JitLink& link)
{
    static_cast<void>(imageOf(link));
    if (link.job.texts().size() != 1)
        throw Failure{LinkResult::InvalidInput,
                      "PTX of several inputs: they stay apart until they are loaded"};
    return link.job.texts().front();
}

template <class T> T& place(T* to)
{
    if (to == nullptr) throw Failure{LinkResult::NullInput, "a pointer is null"};
    return *to;
}

/// Does the work. Exceptions become results and lines, which the log of `link` has, too.
template <class F> int guardedLink(const char* name, JitLink* link, F&& work) noexcept
{
    const auto failed = [&](LinkResult result, const std::string& message) {
        say(std::string(name) + ": " + message);
        if (link != nullptr) link->errors += message + '\n';
        return static_cast<int>(result);
    };
    try {
        work();
        return 0;
    } catch (const Failure& failure) {
        return failed(failure.result, failure.message);
    } catch (const Refusal& refusal) {
        return failed(LinkResult::InvalidInput, refusal.message);
    } catch (const InputError& error) {
        return failed(LinkResult::InvalidInput, error.what());
    } catch (const std::exception& error) {
        return failed(LinkResult::Internal, error.what());
    }
}

template <class F> int withLink(const char* name, Handle handle, F&& work) noexcept
{
    const std::lock_guard lock(links().mutex);
    const auto found = links().all.find(handle);
    JitLink* link = found == links().all.end() ? nullptr : found->second.get();
    return guardedLink(name, link, [&] {
        if (link == nullptr) throw Failure{LinkResult::InvalidInput, "this is not a linker"};
        work(*link);
    });
}

/// Bytes of a text with its terminator; 0: the text is empty.
std::size_t sizeOf(const std::string& text) { return text.empty() ? 0 : text.size() + 1; }

int giveSize(const char* name, Handle handle, std::size_t* to,
             std::size_t (*sizeIn)(const JitLink&)) noexcept
{
    return withLink(name, handle, [&](JitLink& link) { place(to) = sizeIn(link); });
}

int giveText(const char* name, Handle handle, char* to,
             std::string (*textIn)(const JitLink&)) noexcept
{
    return withLink(name, handle, [&](JitLink& link) {
        const std::string text = textIn(link);
        if (!text.empty()) std::memcpy(&place(to), text.c_str(), text.size() + 1);
    });
}

}  // namespace
}  // namespace gsu::cuda

using namespace gsu::cuda;

// One function under all names of a major version of the library: the name in its header, that of each minor version, and the plain one.
#define GSU_LINK_MINOR(name, major, minor, at)                                                     \
    ".symver gsu_nvJitLink" #name ",__nvJitLink" #name "_" #major "_" #minor at                    \
    "libnvJitLink.so." #major "\n"
#define GSU_LINK_MAJOR(name, major, at)                                                            \
    ".symver gsu_nvJitLink" #name ",nvJitLink" #name at "libnvJitLink.so." #major                  \
    "\n" GSU_LINK_MINOR(name, major, 0, "@@") GSU_LINK_MINOR(name, major, 1, "@@")                 \
        GSU_LINK_MINOR(name, major, 2, "@@") GSU_LINK_MINOR(name, major, 3, "@@")                  \
            GSU_LINK_MINOR(name, major, 4, "@@") GSU_LINK_MINOR(name, major, 5, "@@")              \
                GSU_LINK_MINOR(name, major, 6, "@@") GSU_LINK_MINOR(name, major, 7, "@@")          \
                    GSU_LINK_MINOR(name, major, 8, "@@") GSU_LINK_MINOR(name, major, 9, "@@")
#define GSU_LINK(name)                                                                             \
    __asm__(GSU_LINK_MAJOR(name, 12, "@") GSU_LINK_MAJOR(name, 13, "@@"));                         \
    extern "C" __attribute__((visibility("default"))) int gsu_nvJitLink##name

// Programs take 12.3 and newer for linkers of LTO-IR and then pass LTO-IR instead of PTX.
GSU_LINK(Version)(unsigned* major, unsigned* minor)
{
    return guardedLink("nvJitLinkVersion", nullptr, [&] {
        place(major) = 12;
        place(minor) = 2;
    });
}

GSU_LINK(Create)(Handle* handle, std::uint32_t count, const char** options)
{
    return guardedLink("nvJitLinkCreate", nullptr, [&] {
        place(handle) = nullptr;
        std::unique_ptr<JitLink> made = linkOf(count, options);
        const std::lock_guard lock(links().mutex);
        *handle = made.get();
        links().all[made.get()] = std::move(made);
    });
}

GSU_LINK(Destroy)(Handle* handle)
{
    return guardedLink("nvJitLinkDestroy", nullptr, [&] {
        const std::lock_guard lock(links().mutex);
        if (links().all.erase(place(handle)) == 0)
            throw Failure{LinkResult::InvalidInput, "this is not a linker"};
        *handle = nullptr;
    });
}

GSU_LINK(AddData)
(Handle handle, int type, const void* data, std::size_t bytes, const char* name)
{
    return withLink("nvJitLinkAddData", handle, [&](JitLink& link) {
        addTo(link, type, std::string(&place(static_cast<const char*>(data)), bytes),
              name == nullptr ? "" : name);
    });
}

GSU_LINK(AddFile)(Handle handle, int type, const char* path)
{
    constexpr std::uint64_t kLargest = 1ull << 30;
    return withLink("nvJitLinkAddFile", handle, [&](JitLink& link) {
        addTo(link, type, gsu::readFile(&place(path), kLargest), path);
    });
}

GSU_LINK(Complete)(Handle handle)
{
    return withLink("nvJitLinkComplete", handle, [](JitLink& link) { complete(link); });
}

GSU_LINK(GetLinkedCubinSize)(Handle handle, std::size_t* bytes)
{
    return giveSize("nvJitLinkGetLinkedCubinSize", handle, bytes,
                    [](const JitLink& link) { return imageOf(link).size(); });
}

GSU_LINK(GetLinkedCubin)(Handle handle, void* to)
{
    return withLink("nvJitLinkGetLinkedCubin", handle, [&](JitLink& link) {
        const std::string& image = imageOf(link);
        std::memcpy(&place(static_cast<char*>(to)), image.data(), image.size());
    });
}

GSU_LINK(GetLinkedPtxSize)(Handle handle, std::size_t* bytes)
{
    return giveSize("nvJitLinkGetLinkedPtxSize", handle, bytes,
                    [](const JitLink& link) { return sizeOf(ptxOf(link)); });
}

GSU_LINK(GetLinkedPtx)(Handle handle, char* to)
{
    return giveText("nvJitLinkGetLinkedPtx", handle, to,
                    [](const JitLink& link) { return ptxOf(link); });
}

GSU_LINK(GetErrorLogSize)(Handle handle, std::size_t* bytes)
{
    return giveSize("nvJitLinkGetErrorLogSize", handle, bytes,
                    [](const JitLink& link) { return sizeOf(link.errors); });
}

GSU_LINK(GetErrorLog)(Handle handle, char* to)
{
    return giveText("nvJitLinkGetErrorLog", handle, to,
                    [](const JitLink& link) { return link.errors; });
}

// The log of information is always empty.
GSU_LINK(GetInfoLogSize)(Handle handle, std::size_t* bytes)
{
    return giveSize("nvJitLinkGetInfoLogSize", handle, bytes,
                    [](const JitLink&) { return std::size_t{0}; });
}

GSU_LINK(GetInfoLog)(Handle handle, char* to)
{
    return giveText("nvJitLinkGetInfoLog", handle, to,
                    [](const JitLink&) { return std::string(); });
}

namespace {

[[noreturn]] void noLtoir()
{
    throw Failure{LinkResult::InvalidInput, "LTO-IR is not made here: PTX stays PTX"};
}

}  // namespace

GSU_LINK(GetLinkedLTOIRSize)(Handle handle, std::size_t*)
{
    return withLink("nvJitLinkGetLinkedLTOIRSize", handle, [](JitLink&) { noLtoir(); });
}

GSU_LINK(GetLinkedLTOIR)(Handle handle, void*)
{
    return withLink("nvJitLinkGetLinkedLTOIR", handle, [](JitLink&) { noLtoir(); });
}
