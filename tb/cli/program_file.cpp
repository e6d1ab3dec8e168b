#include "cli/program_file.hpp"

#include <elf.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <set>
#include <vector>

#include "base/input_error.hpp"

namespace gsu::cli {
namespace {

namespace fs = std::filesystem;

/// The sections of a 64-bit ELF file. Every field is checked before use.
class Elf {
public:
    explicit Elf(const fs::path& path) : file_(path, std::ios::binary)
    {
        Elf64_Ehdr header{};
        if (!read(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
            header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr))
            return;
        sections_.resize(header.e_shnum);
        if (!read(header.e_shoff, sections_.data(), sections_.size() * sizeof(Elf64_Shdr)) ||
            header.e_shstrndx >= sections_.size()) {
            sections_.clear();
            return;
        }
        names_ = bytes(sections_[header.e_shstrndx]);
    }
    [[nodiscard]] bool has(const std::string& section)
    {
        for (const Elf64_Shdr& s : sections_) {
            if (textAt(names_, s.sh_name) == section) return true;
        }
        return false;
    }
    /// Libraries that the program asks the loader for.
    [[nodiscard]] std::set<std::string> needed()
    {
        std::set<std::string> names;
        for (const Elf64_Shdr& s : sections_) {
            if (s.sh_type != SHT_DYNAMIC || s.sh_link >= sections_.size()) continue;
            const std::string entries = bytes(s), strings = bytes(sections_[s.sh_link]);
            for (std::size_t at = 0; at + sizeof(Elf64_Dyn) <= entries.size();
                 at += sizeof(Elf64_Dyn)) {
                Elf64_Dyn entry{};
                std::memcpy(&entry, entries.data() + at, sizeof entry);
                if (entry.d_tag == DT_NEEDED) names.insert(textAt(strings, entry.d_un.d_val));
            }
        }
        return names;
    }

private:
    bool read(std::uint64_t at, void* to, std::size_t count)
    {
        file_.clear();
        file_.seekg(static_cast<std::streamoff>(at));
        return static_cast<bool>(
            file_.read(static_cast<char*>(to), static_cast<std::streamsize>(count)));
    }
    std::string bytes(const Elf64_Shdr& section)
    {
        constexpr std::uint64_t kMost = 64 << 20;
        if (section.sh_size > kMost || section.sh_type == SHT_NOBITS) return {};
        std::string data(section.sh_size, '\0');
        return read(section.sh_offset, data.data(), data.size()) ? data : std::string();
    }
    static std::string textAt(const std::string& strings, std::uint64_t at)
    {
        return at < strings.size() ? std::string(strings.c_str() + at) : std::string();
    }

    std::ifstream file_;
    std::vector<Elf64_Shdr> sections_;
    std::string names_;
};

bool executable(const fs::path& path)
{
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

fs::path findProgram(const std::string& name)
{
    if (name.find('/') != std::string::npos) {
        std::error_code error;
        if (!fs::exists(name, error)) throw InputError(name, "there is no such program");
        if (!executable(name)) throw InputError(name, "is not a program that can be executed");
        return name;
    }
    const char* path = std::getenv("PATH");
    const std::string all = path == nullptr ? "/usr/bin:/bin" : path;
    for (std::size_t at = 0; at <= all.size();) {
        const std::size_t end = std::min(all.find(':', at), all.size());
        const fs::path folder = end == at ? "." : all.substr(at, end - at);
        if (executable(folder / name)) return folder / name;
        at = end + 1;
    }
    throw InputError(name, "there is no such program along PATH");
}

std::string staticRuntime(const fs::path& program)
{
    Elf elf(program);
    if (!elf.has(".nvFatBinSegment")) return {};
    for (const std::string& library : elf.needed()) {
        if (library.starts_with("libcudart.so")) return {};
    }
    return "has the CUDA runtime linked into it, which talks to the vendor's driver only; link it "
           "again with: nvcc -cudart shared ... (CMake: set(CMAKE_CUDA_RUNTIME_LIBRARY Shared))";
}

}  // namespace gsu::cli
