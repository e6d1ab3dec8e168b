/// Helpers of the PTX tests: small modules around a snippet, files, comparison of parsed forms without positions.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "files.hpp"
#include "ptx/parser.hpp"

namespace ptxtest {

/// A module with one entry `k`, registers of every width, and `body` from line 9 on.
inline std::string around(const std::string& body, const std::string& target = "sm_90",
                          const std::string& version = "8.6")
{
    return ".version " + version + "\n.target " + target +
           "\n.address_size 64\n.global .align 128 .b8 gbl[256];\n.entry k()\n{\n"
           ".reg .pred %p<8>; .reg .b32 %r<24>; .reg .f32 %f<16>; .reg .b16 %h<20>; .reg .b64 "
           "%rd<16>; .reg .b128 %q<4>;\n"
           ".shared .align 128 .b8 smem[1024]; .shared .align 8 .b64 mb;\n" +
           body + "\nret;\n}\n";
}

inline gsu::ptx::Module parse(const std::string& text)
{
    return gsu::ptx::parseModule(text, "test.ptx");
}

/// "line:col message" of every diagnostic.
inline std::vector<std::string> messages(const std::vector<gsu::ptx::Diagnostic>& list)
{
    std::vector<std::string> out;
    for (const auto& d : list) {
        out.push_back(std::to_string(d.at.line) + ':' + std::to_string(d.at.column) + ' ' + d.rule +
                      (d.rule.empty() ? "" : " ") + d.message);
    }
    return out;
}

inline std::string readText(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    REQUIRE(file.good());
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::filesystem::path> ptxUnder(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> list;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() == ".ptx") list.push_back(entry.path());
    }
    return list;
}

inline std::vector<std::filesystem::path> fixtures()
{
    return ptxUnder(std::filesystem::path(testfiles::testsFolder()) / "ptx" / "data");
}

/// Folder of the shared material; nothing, and a loud line, when GSU_SHARED does not name one.
inline std::optional<std::filesystem::path> shared(const char* test)
{
    const char* value = std::getenv("GSU_SHARED");
    if (value != nullptr && std::filesystem::is_directory(value))
        return std::filesystem::path(value);
    std::cout << "SKIP: " << test << " needs GSU_SHARED to name the shared folder\n";
    return std::nullopt;
}

}  // namespace ptxtest
