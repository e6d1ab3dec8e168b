/// Whole input files into memory, for everything that names files: PTX, launch files and their data.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace gsu {

/// Throws InputError naming the file: it does not exist, is no regular file (a directory, pipe or device), has more than
/// `limit` bytes, cannot be read.
[[nodiscard]] std::string readFile(const std::filesystem::path& path, std::uint64_t limit);

}  // namespace gsu
