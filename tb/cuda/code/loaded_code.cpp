#include "cuda/code/loaded_code.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "cuda/code/fat_binary.hpp"
#include "cuda/code/registry.hpp"

namespace gsu::cuda {
namespace {

/// The beginning of an image that LinkJob makes: magic, bound of registers, number of texts, then each text with its length.
constexpr char kLinked[] = "GSULINK1";
constexpr std::size_t kMagic = 8;
constexpr std::uint64_t kMaxText = 256ull << 20;
constexpr std::uint32_t kElf = 0x464c'457f;
/// CUjit_option: sizes of the logs; on return they hold the length of each log.
enum JitOption : int {
    MaxRegisters = 0,
    InfoLog = 3,
    InfoLogBytes = 4,
    ErrorLog = 5,
    ErrorLogBytes = 6
};

std::map<const void*, std::unique_ptr<LinkJob>>& jobs()
{
    static auto* const all = new std::map<const void*, std::unique_ptr<LinkJob>>();
    return *all;
}

[[noreturn]] void refuse(const std::string& why) { throw Refusal{Status::InvalidImage, why}; }

LoadedCode linkedCode(const char* image)
{
    const auto header = readOwn(image + kMagic, 16);
    if (!header) refuse("a linked image is cut short");
    std::uint64_t registers = 0, count = 0;
    std::memcpy(&registers, header->data(), 8);
    std::memcpy(&count, header->data() + 8, 8);
    LoadedCode code{{}, static_cast<unsigned>(registers)};
    const char* at = image + kMagic + 16;
    constexpr std::uint64_t kMost = 4096;
    for (std::uint64_t i = 0; i < std::min(count, kMost); ++i) {
        const auto size = readOwn(at, 8);
        std::uint64_t bytes = 0;
        if (size) std::memcpy(&bytes, size->data(), 8);
        const auto text = size && bytes <= kMaxText ? readOwn(at + 8, bytes) : std::nullopt;
        if (!text) refuse("a linked image is cut short");
        code.texts.emplace_back(text->begin(), text->end());
        at += 8 + bytes;
    }
    return code;
}

/// Whether the archive holds nothing but the vendor's device runtime (libcudadevrt.a). The executor has its own functions of grids in its
/// place; other functions stay undefined, and the linker names them.
bool isDeviceRuntime(const std::string& bytes)
{
    constexpr std::size_t kStart = 8, kHeader = 60, kName = 16, kSizeAt = 48;
    if (bytes.compare(0, kStart, "!<arch>\n") != 0) return false;
    std::string longNames;
    bool found = false;
    for (std::size_t at = kStart; at + kHeader <= bytes.size();) {
        const auto number = [&](std::size_t from) -> std::size_t {
            return std::strtoull(bytes.substr(at + from, 10).c_str(), nullptr, 10);
        };
        const std::size_t size = number(kSizeAt);
        if (size > bytes.size() - at - kHeader) return false;
        std::string name = bytes.substr(at, kName);
        if (name.compare(0, 2, "//") == 0) {
            longNames = bytes.substr(at + kHeader, size);
        } else if (name.compare(0, 2, "/ ") != 0) {  // "/ " is the table of symbols
            if (name[0] == '/') name = longNames.substr(std::min(number(1), longNames.size()));
            if (name.substr(0, name.find('/')) != "cuda_device_runtime.o") return false;
            found = true;
        }
        at += kHeader + size + size % 2;
    }
    return found;
}

LoadedCode fromContainer(const void* container, unsigned sm)
{
    std::string have;
    std::string text = textOf(container, sm, have);
    if (text.empty())
        throw Refusal{Status::NoKernelImage,
                      fmt::format("the fat binary has no PTX for sm_{} (only {})", sm,
                                  have.empty() ? "nothing" : have)};
    return {{std::move(text)}};
}

}  // namespace

LoadedCode codeOfImage(const void* image, unsigned sm)
{
    const auto start = readOwn(image, 4);
    if (!start) refuse("the image cannot be read");
    std::uint32_t magic = 0;
    std::memcpy(&magic, start->data(), 4);
    if (magic == kElf)
        throw Refusal{
            Status::NoKernelImage,
            "the image is machine code (a cubin), which nothing here executes: hand over PTX"};
    if (magic == kWrapper) {
        const auto wrapper = readOwn(image, sizeof(FatBinaryWrapper));
        if (!wrapper) refuse("the image cannot be read");
        return {textsOf(*static_cast<const FatBinaryWrapper*>(image), sm, "module")};
    }
    const auto head = readOwn(image, kContainerHeader);
    if (head && containerBytes(*head)) return fromContainer(image, sm);
    if (head && std::memcmp(head->data(), kLinked, kMagic) == 0)
        return linkedCode(static_cast<const char*>(image));
    auto text = textOwn(image, kMaxText);
    if (!text) refuse("the image is neither a fat binary nor a text that ends");
    if (text->find(".version") == std::string::npos)
        refuse("the image is neither a fat binary nor PTX");
    return {{std::move(*text)}};
}

unsigned maxRegistersIn(unsigned count, const int* options, void* const* values)
{
    if (count != 0 && (options == nullptr || values == nullptr))
        throw Refusal{Status::InvalidValue, "options without a list"};
    // The value is the low half of the pointer itself.
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == MaxRegisters)
            return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values[i]));
    }
    return 0;
}

void endLogs(unsigned count, const int* options, void** values)
{
    if (options == nullptr || values == nullptr) return;
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == InfoLogBytes || options[i] == ErrorLogBytes) values[i] = nullptr;
        const bool log = options[i] == InfoLog || options[i] == ErrorLog;
        if (log && values[i] != nullptr) *static_cast<char*>(values[i]) = 0;
    }
}

LinkJob::LinkJob(unsigned count, const int* options, void** values)
    : options_(options, options + count),
      values_(values),
      maxRegisters_(maxRegistersIn(count, options, values))
{
}

void LinkJob::add(int type, const std::string& bytes, const std::string& name, unsigned sm)
{
    if (type == Ptx) {
        texts_.push_back(bytes.substr(0, std::min(bytes.find('\0'), bytes.size())));
        return;
    }
    if (type == Library && isDeviceRuntime(bytes)) return;
    if (type != FatBinary)
        throw Refusal{Status::NotSupported,
                      fmt::format("{}: input of kind {} (machine code, objects, libraries, NVVM) "
                                  "cannot be linked; PTX, fat binaries and libcudadevrt.a can",
                                  name, type)};
    for (std::string& text : codeOfImage(bytes.data(), sm).texts) texts_.push_back(std::move(text));
}

const std::string& LinkJob::complete()
{
    const auto number = [&](std::uint64_t value) {
        image_.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    image_.assign(kLinked, kMagic);
    number(maxRegisters_);
    number(texts_.size());
    for (const std::string& text : texts_) {
        number(text.size());
        image_ += text;
    }
    return image_;
}

void LinkJob::endLogs()
{
    cuda::endLogs(static_cast<unsigned>(options_.size()), options_.data(), values_);
}

void* newLinkJob(unsigned count, const int* options, void** values)
{
    auto job = std::make_unique<LinkJob>(count, options, values);
    LinkJob* made = job.get();
    jobs()[made] = std::move(job);
    return made;
}

LinkJob* linkJob(const void* handle) noexcept
{
    const auto found = jobs().find(handle);
    return found == jobs().end() ? nullptr : found->second.get();
}

bool destroyLinkJob(const void* handle) { return jobs().erase(handle) != 0; }

}  // namespace gsu::cuda
