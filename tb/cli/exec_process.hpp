/// Starts the program of `gsu exec` and waits for it.
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace gsu::cli {

struct ProcessEnd {
    int pid{};
    int code{};    ///< exit code
    int signal{};  ///< signal that ended it; 0: none
};

/// Runs a program. `environment`: added to that of this process. `quietOutput`: its standard output goes to standard error. SIGINT,
/// SIGQUIT, SIGTERM and SIGHUP are left to the program meanwhile. Throws InputError if it cannot be started.
[[nodiscard]] ProcessEnd
runProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments,
           const std::vector<std::pair<std::string, std::string>>& environment, bool quietOutput);

/// A folder that is removed with all its contents.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace gsu::cli
