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

/// What that Python knows of the package.
struct Package {
    bool there{};         ///< and can be imported, if `problem` is empty
    std::string problem;  ///< why not: "No module named 'pyarrow'"
};

Package packageOf(const char* python)
{
    std::string code = "import importlib.util as u, sys\n"
                       "if u.find_spec('gsu') is None: sys.exit(1)\n"
                       "try: sys.exit(u.find_spec('gsu.__main__') is None)\n"
                       "except ImportError as e: print(' '.join(str(e).split())); sys.exit(2)";
    std::string option = "-c", name = python;
    char* call[]{name.data(), option.data(), code.data(), nullptr};
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ends[1], 1);
    pid_t child{};
    const int failed = posix_spawnp(&child, python, &files, nullptr, call, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    Package package;
    std::array<char, 512> text{};
    for (ssize_t n = 0; failed == 0 && (n = read(ends[0], text.data(), text.size())) > 0;)
        package.problem.append(text.data(), static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    if (failed != 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return {};
    while (!package.problem.empty() && package.problem.back() == '\n') package.problem.pop_back();
    package.there = WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2;
    if (WEXITSTATUS(status) != 2) package.problem.clear();
    return package;
}

}  // namespace

std::span<const std::string_view> packageCommands() noexcept { return kCommands; }

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
    const Package found = packageOf(python);
    if (!found.problem.empty())
        return reportError(
            "gsu: '" + std::string(argv[1]) + "' is a command of the Python package, which " +
                python + " has but cannot import: " + found.problem +
                " (pip install '.[all]' in the checkout of GSU installs what it needs)",
            kUnusable, json);
    if (!found.there) {
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
