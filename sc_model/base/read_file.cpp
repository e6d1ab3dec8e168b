#include "base/read_file.hpp"

#include <array>
#include <fstream>

#include "base/input_error.hpp"

namespace gsu {

std::string readFile(const std::filesystem::path& path, std::uint64_t limit)
{
    const auto fail = [&](const std::string& reason) { throw InputError(path.string(), reason); };
    const auto large = [&] { fail("is larger than " + std::to_string(limit) + " bytes"); };
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
        const bool missing = !error || error == std::errc::no_such_file_or_directory;
        fail(missing ? "no such file" : error.message());
    }
    if (std::filesystem::is_directory(status)) fail("is a directory, not a file");
    if (!std::filesystem::is_regular_file(status)) fail("is not a regular file");
    if (const auto size = std::filesystem::file_size(path, error); !error && size > limit) large();
    std::ifstream in(path, std::ios::binary);
    if (!in) fail("cannot be opened");
    std::string text;
    std::array<char, 65536> chunk;
    while (in.read(chunk.data(), chunk.size()), in.gcount() > 0) {
        text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > limit) large();
    }
    if (in.bad()) fail("cannot be read");
    return text;
}

}  // namespace gsu
