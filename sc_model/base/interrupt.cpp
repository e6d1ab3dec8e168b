#include "base/interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <ctime>

#include "base/atomic_file.hpp"

namespace gsu {

namespace {

std::atomic<bool> flag{false};
std::atomic<long> firstAt{0};  ///< seconds, then nanoseconds of the first signal
std::atomic<long> firstNanos{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<long>::is_always_lock_free);

/// Calls only what POSIX allows here: clock_gettime, unlink, _exit.
extern "C" void onInterrupt(int signal)
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    if (!flag.load()) {
        firstAt.store(now.tv_sec);
        firstNanos.store(now.tv_nsec);
        flag.store(true);
        return;
    }
    const long seconds = now.tv_sec - firstAt.load();
    if (seconds < 1 || (seconds == 1 && now.tv_nsec < firstNanos.load())) return;
    removePartials();
    ::_exit(128 + signal);
}

}  // namespace

const std::atomic<bool>& interruptFlag() noexcept { return flag; }

void catchInterrupts()
{
    struct sigaction action = {};
    action.sa_handler = onInterrupt;
    action.sa_flags = SA_RESTART;  // no write fails because of it
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    for (const int signal : {SIGINT, SIGTERM}) {
        struct sigaction before = {};
        if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
        ::sigaction(signal, &action, nullptr);
    }
    std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace gsu
