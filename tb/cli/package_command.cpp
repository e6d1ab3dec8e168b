#include "cli/package_command.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/error_message.hpp"
#include "run/options.hpp"

extern char** environ;

namespace gsu::cli {

using namespace run;

namespace {

constexpr std::array<std::string_view, 5> kCommands{"build", "sweep", "diff", "report", "timeline"};

/// Whether this Python has the package.
bool hasPackage(const char* python)
{
    std::string code = "import importlib.util as u, sys; sys.exit(u.find_spec('gsu') is None or "
                       "u.find_spec('gsu.__main__') is None)";
    std::string option = "-c", name = python;
    char* call[]{name.data(), option.data(), code.data(), nullptr};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    pid_t child{};
    const int failed = posix_spawnp(&child, python, &files, nullptr, call, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0) return false;
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool isPackageCommand(std::string_view name) noexcept
{
    return std::find(kCommands.begin(), kCommands.end(), name) != kCommands.end();
}

int runPackageCommand(int argc, char** argv, bool json)
{
    const char* named = std::getenv("GSU_PYTHON");
    const char* python = named != nullptr ? named : "python3";
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!hasPackage(python)) {
        std::string text = "gsu: '" + std::string(argv[1]) +
                           "' is a command of the Python package, which " + python +
                           " does not have: pip install . in the checkout of GSU";
        const std::filesystem::path built = self.parent_path() / "python";
        if (exists(built / "gsu/__main__.py", error))
            text += ", or PYTHONPATH=" + built.string() + " for the one of this build";
        return reportError(text, kUnusable, json);
    }
    if (!self.empty()) setenv("GSU_PROGRAM", self.c_str(), 0);
    std::string option = "-m", package = "gsu", name = python;
    std::vector<char*> call{name.data(), option.data(), package.data()};
    call.insert(call.end(), argv + 1, argv + argc);
    call.push_back(nullptr);
    execvp(python, call.data());
    return reportError(std::string("gsu: ") + python + " cannot be started", kUnusable, json);
}

}  // namespace gsu::cli
