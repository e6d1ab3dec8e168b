/// Files of tests: a folder of its own per use, whole files in and out.
#pragma once
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace testfiles {

namespace fs = std::filesystem;

/// The folder tests/ of the project: the one place that knows is tests/main.cpp.
std::string testsFolder();

/// The files of a folder, in the order of their names.
inline std::vector<fs::path> filesOf(const std::string& folder)
{
    std::vector<fs::path> files(fs::directory_iterator(folder), fs::directory_iterator{});
    std::sort(files.begin(), files.end());
    return files;
}

/// A folder of its own, removed at the end.
class Folder {
public:
    Folder()
    {
        static int count = 0;
        path_ = fs::temp_directory_path() /
                ("gsu_test_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
        fs::create_directory(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::string operator/(const std::string& name) const
    {
        return (path_ / name).string();
    }
    [[nodiscard]] std::size_t files() const
    {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
    }

private:
    fs::path path_;
};

inline std::string slurp(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
inline void spill(const std::string& path, const std::string& text)
{
    std::ofstream out(path, std::ios::binary);
    out << text;
}

}  // namespace testfiles
