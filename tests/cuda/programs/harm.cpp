// Trouble around a program, and the cost of calls that do nothing.
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "scenarios.hpp"

void killedHard()
{
    int* p = onDevice(zeros(32));
    for (int i = 0; i < 5; ++i) OK(launch(&host::scaled, {}, {32}, p));
    OK(cudaDeviceSynchronize());
    ::kill(::getpid(), SIGKILL);
}

/// A thread ends the process while the long launch runs.
void killedInLaunch()
{
    int *p = onDevice(zeros(16)), steps = 1 << 20;
    void* arguments[] = {&p, &steps};
    std::thread([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1000));
        ::kill(::getpid(), SIGKILL);
    }).detach();
    static_cast<void>(
        cudaLaunchCooperativeKernel(&host::grid_steps, {16}, {64}, arguments, 0, nullptr));
    OK(cudaDeviceSynchronize());
}

namespace {
std::atomic<int> ticks{0};
}

/// A timer that interrupts the library's work all the time.
void signals()
{
    struct sigaction action {};
    action.sa_handler = [](int) { ++ticks; };
    ::sigaction(SIGALRM, &action, nullptr);
    constexpr int kMicroseconds = 500;
    const itimerval every{{0, kMicroseconds}, {0, kMicroseconds}}, never{};
    ::setitimer(ITIMER_REAL, &every, nullptr);
    int* p = onDevice(zeros(32));
    while (ticks < 20) OK(launch(&host::scaled, {}, {32}, p));
    CHECK(fromDevice(p, 32)[7] == 21);
    ::setitimer(ITIMER_REAL, &never, nullptr);
}

/// Children of a process with pending work: one ends by exit(), one becomes another program.
void forksLate()
{
    int* p = onDevice(zeros(32));
    OK(launch(&host::scaled, {}, {32}, p));
    for (const bool becomes : {false, true}) {
        const pid_t child = ::fork();
        if (child == 0) {
            if (becomes) ::execl("/bin/true", "true", nullptr);
            std::exit(cudaDeviceSynchronize() == 3 ? 5 : 6);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == (becomes ? 0 : 5));
    }
    OK(launch(&host::scaled, {}, {32}, p));
    CHECK(fromDevice(p, 32)[7] == 21);
}

void emptyCalls()
{
    constexpr int kCalls = 200'000;
    void *stream = nullptr, *event = nullptr;
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&event));
    const auto time = [](const char* name, auto&& call) {
        const auto from = std::chrono::steady_clock::now();
        for (int i = 0; i < kCalls; ++i) OK(call());
        const std::chrono::duration<double, std::micro> all =
            std::chrono::steady_clock::now() - from;
        std::printf("%s %.3f us\n", name, all.count() / kCalls);
    };
    time("cudaGetLastError", [] { return cudaGetLastError(); });
    time("cudaStreamQuery", [&] { return cudaStreamQuery(stream); });
    time("cudaEventRecord", [&] { return cudaEventRecord(event, stream); });
    time("cudaStreamSynchronize", [&] { return cudaStreamSynchronize(stream); });
    time("cudaDeviceSynchronize", [] { return cudaDeviceSynchronize(); });
}
