/// Reads whole input files into memory: PTX, launch files and their data.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace gsu {

/// Reads a file of at most `limit` bytes. Throws InputError with its name if it does not exist, is no regular file (a directory, pipe or
/// device), is larger, or cannot be read.
[[nodiscard]] std::string readFile(const std::filesystem::path& path, std::uint64_t limit);

}  // namespace gsu
