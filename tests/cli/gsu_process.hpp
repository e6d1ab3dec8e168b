/// Runs the program gsu as a user does: arguments in, exit code, standard output and standard error out.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "catch.hpp"

namespace process {

namespace fs = std::filesystem;

/// A folder of its own, removed at the end.
class Folder {
public:
    Folder()
    {
        static int count = 0;
        path_ = fs::temp_directory_path() /
                ("gsu_cli_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
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

struct Outcome {
    int code{};
    std::string out, err;
};

/// `arguments` as for a shell; single quotes around what has blanks.
inline Outcome gsu(const std::string& arguments)
{
    const Folder folder;
    const std::string command = std::string("'") + GSU_BINARY + "' " + arguments + " >'" +
                                (folder / "out") + "' 2>'" + (folder / "err") + "'";
    const int status = std::system(command.c_str());
    REQUIRE(WIFEXITED(status));
    return {WEXITSTATUS(status), slurp(folder / "out"), slurp(folder / "err")};
}

inline std::string data(const std::string& name)
{
    return std::string(GSU_TEST_DATA) + "/cli/data/" + name;
}

}  // namespace process
