#include "cli/exec_process.hpp"

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/input_error.hpp"

namespace gsu::cli {
namespace {

volatile std::sig_atomic_t running = 0;

void pass(int signal)
{
    if (running > 0) ::kill(running, signal);
}

/// Signals of a terminal reach the program directly; a signal to this process alone is passed on.
void watchSignals()
{
    struct sigaction action {};
    action.sa_flags = SA_RESTART;
    action.sa_handler = SIG_IGN;
    for (const int s : {SIGINT, SIGQUIT}) ::sigaction(s, &action, nullptr);
    action.sa_handler = pass;
    for (const int s : {SIGTERM, SIGHUP}) ::sigaction(s, &action, nullptr);
}

[[noreturn]] void become(const std::filesystem::path& program, std::vector<char*>& arguments,
                         bool quietOutput, int complaint)
{
    // Every run gets the same addresses, and the range of device memory stays free.
    const int now = ::personality(0xffff'ffff);
    if (now != -1) ::personality(static_cast<unsigned>(now) | ADDR_NO_RANDOMIZE);
    if (quietOutput) ::dup2(2, 1);
    ::execv(program.c_str(), arguments.data());
    const int error = errno;
    static_cast<void>(!::write(complaint, &error, sizeof error));
    ::_exit(127);
}

}  // namespace

ProcessEnd runProcess(const std::filesystem::path& program,
                      const std::vector<std::string>& arguments,
                      const std::vector<std::pair<std::string, std::string>>& environment,
                      bool quietOutput)
{
    std::vector<char*> list;
    for (const std::string& a : arguments) list.push_back(const_cast<char*>(a.c_str()));
    list.push_back(nullptr);
    std::array<int, 2> complaint{};
    if (::pipe2(complaint.data(), O_CLOEXEC) != 0)
        throw InputError(program.string(), std::string("no pipe: ") + std::strerror(errno));
    const pid_t pid = ::fork();
    if (pid < 0)
        throw InputError(program.string(),
                         std::string("cannot be started: ") + std::strerror(errno));
    if (pid == 0) {
        for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
        become(program, list, quietOutput, complaint[1]);
    }
    running = pid;
    watchSignals();
    ::close(complaint[1]);
    int error = 0;
    const bool failed = ::read(complaint[0], &error, sizeof error) == sizeof error;
    ::close(complaint[0]);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    running = 0;
    if (failed)
        throw InputError(program.string(),
                         std::string("cannot be started: ") + std::strerror(error));
    if (WIFSIGNALED(status)) return {pid, 0, WTERMSIG(status)};
    return {pid, WEXITSTATUS(status), 0};
}

TemporaryFolder::TemporaryFolder()
{
    const char* tmp = std::getenv("TMPDIR");
    std::string name = std::string(tmp != nullptr && *tmp != 0 ? tmp : "/tmp") + "/gsu-exec-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
        throw InputError(name, std::string("cannot be made: ") + std::strerror(errno));
    path_ = name;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code error;
    std::filesystem::remove_all(path_, error);
}

}  // namespace gsu::cli
