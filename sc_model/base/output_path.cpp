#include "base/output_path.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/input_error.hpp"

namespace gsu {

namespace fs = std::filesystem;

void checkOutputFile(const std::string& option, const std::string& path)
{
    if (path.empty()) return;
    const auto refuse = [&](const std::string& why) {
        throw InputError(option, "'" + path + "' cannot be written: " + why);
    };
    const std::string parent = fs::path(path).parent_path().string();
    const std::string folder = parent.empty() ? "." : parent;
    std::error_code error;
    if (!fs::is_directory(folder, error)) refuse("there is no folder '" + folder + "'");
    if (::access(folder.c_str(), W_OK) != 0)
        refuse("folder '" + folder + "': " + std::strerror(errno));
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::none) refuse(error.message());
    if (fs::exists(status) && !fs::is_regular_file(status))
        refuse("it exists and is not a regular file");
}

void makeOutputFolder(const std::string& option, const std::string& path)
{
    if (path.empty()) return;
    std::error_code error;
    fs::create_directories(path, error);
    if (std::error_code none; !fs::is_directory(path, none))
        throw InputError(
            option, "'" + path + "' is not a folder, and cannot be made one: " + error.message());
    if (::access(path.c_str(), W_OK) != 0)
        throw InputError(option, "folder '" + path + "': " + std::strerror(errno));
}

}  // namespace gsu
