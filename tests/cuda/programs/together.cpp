// Launches that need each other, or the host, while they run; and programmatic dependent launches.
#include <chrono>
#include <thread>

#include "scenarios.hpp"

namespace {

/// A stream that the legacy one does not wait for.
void* apart()
{
    void* stream = nullptr;
    OK(cudaStreamCreateWithFlags(&stream, 1));
    return stream;
}

template <class... T>
void launchIn(void* stream, const void* kernel, Grid grid, Grid block, T... arguments)
{
    void* list[] = {static_cast<void*>(&arguments)..., nullptr};
    OK(cudaLaunchKernel(kernel, grid, block, list, 0, stream));
}

template <class... T>
void launchDependent(void* stream, const void* kernel, Grid grid, Grid block, T... arguments)
{
    void* list[] = {static_cast<void*>(&arguments)..., nullptr};
    Attribute programmatic;
    programmatic.id = 6;
    programmatic.number = 1;
    Config config;
    config.grid = grid;
    config.block = block;
    config.stream = stream;
    config.attributes = &programmatic;
    config.count = 1;
    OK(cudaLaunchKernelExC(&config, kernel, list));
}

/// A flag and a result, both 0.
struct Pair {
    int* flag = onDevice(zeros(1));
    int* out = onDevice(zeros(1));
    void check() const { CHECK(fromDevice(out, 1)[0] == 42); }
};

}  // namespace

void otherStream()
{
    const Pair p;
    void *waits = apart(), *helps = apart();
    OK(cudaDeviceSynchronize());
    launchIn(waits, &host::wait_for, {}, {}, p.flag, p.out);
    launchIn(helps, &host::set_flag, {}, {}, p.flag);
    OK(cudaStreamSynchronize(waits));
    p.check();
    OK(cudaDeviceSynchronize());
}

/// The same with a loop whose state never comes back.
void counts()
{
    const Pair p;
    void *waits = apart(), *helps = apart();
    OK(cudaDeviceSynchronize());
    launchIn(waits, &host::count_until, {}, {}, p.flag, p.out);
    launchIn(helps, &host::set_flag, {}, {}, p.flag);
    OK(cudaDeviceSynchronize());
    p.check();
}

void takeTurns()
{
    constexpr int kRounds = 20;
    int* turn = onDevice(zeros(1));
    OK(cudaDeviceSynchronize());
    for (const int mine : {1, 0}) launchIn(apart(), &host::take_turns, {}, {}, turn, mine, kRounds);
    OK(cudaDeviceSynchronize());
    CHECK(fromDevice(turn, 1)[0] == 2 * kRounds);
}

void copyHelps()
{
    const Pair p;
    void *waits = apart(), *helps = apart();
    OK(cudaDeviceSynchronize());
    launchIn(waits, &host::wait_for, {}, {}, p.flag, p.out);
    const int value = 41;
    OK(cudaMemcpyAsync(p.flag, &value, sizeof value, 1, helps));
    OK(cudaDeviceSynchronize());
    p.check();
}

void hostHelps()
{
    void *flag = nullptr, *out = nullptr;
    OK(cudaMallocHost(&flag, 4));
    OK(cudaMallocHost(&out, 4));
    *static_cast<volatile int*>(flag) = 0;
    launchIn(nullptr, &host::wait_for, {}, {}, flag, out);
    *static_cast<volatile int*>(flag) = 41;
    OK(cudaDeviceSynchronize());
    CHECK(*static_cast<volatile int*>(out) == 42);
}

/// Nobody calls while the kernel and the host talk.
void hostPolls()
{
    void *flag = nullptr, *out = nullptr;
    OK(cudaMallocHost(&flag, 4));
    OK(cudaMallocHost(&out, 4));
    for (void* p : {flag, out}) *static_cast<volatile int*>(p) = 0;
    launchIn(nullptr, &host::wait_for, {}, {}, flag, out);
    *static_cast<volatile int*>(flag) = 41;
    while (*static_cast<volatile int*>(out) == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(*static_cast<volatile int*>(out) == 42);
    OK(cudaDeviceSynchronize());
}

/// The work that would release it comes after it: it hangs.
void sameStream()
{
    const Pair p;
    void* only = apart();
    launchIn(only, &host::wait_for, {}, {}, p.flag, p.out);
    launchIn(only, &host::set_flag, {}, {}, p.flag);
    EXPECT(702, cudaDeviceSynchronize());
}

/// The legacy stream waits for those that block.
void behindBlocked()
{
    const Pair p;
    void* blocks = nullptr;
    OK(cudaStreamCreate(&blocks));
    launchIn(blocks, &host::wait_for, {}, {}, p.flag, p.out);
    launchIn(nullptr, &host::set_flag, {}, {}, p.flag);
    EXPECT(702, cudaDeviceSynchronize());
}

/// Branches of a graph.
void inGraph()
{
    const Pair p;
    void *first = apart(), *second = apart(), *fork = nullptr, *join = nullptr, *graph = nullptr,
         *exec = nullptr;
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(first, 0));
    OK(cudaEventRecord(fork, first));
    OK(cudaStreamWaitEvent(second, fork, 0));
    launchIn(first, &host::wait_for, {}, {}, p.flag, p.out);
    launchIn(second, &host::set_flag, {}, {}, p.flag);
    OK(cudaEventRecord(join, second));
    OK(cudaStreamWaitEvent(first, join, 0));
    OK(cudaStreamEndCapture(first, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, first));
    OK(cudaStreamSynchronize(first));
    p.check();
}

namespace {

constexpr unsigned kBlocks = 2, kThreads = 64, kAll = kBlocks * kThreads;

/// Launches a primary, a dependent and one more after both; returns the values that the dependent saw at its beginning.
std::vector<int> pairOfLaunches(int silent)
{
    int *data = onDevice(zeros(kAll)), *early = onDevice(zeros(kAll)),
        *late = onDevice(zeros(kAll)), *last = onDevice(zeros(kAll));
    void* stream = apart();
    OK(cudaDeviceSynchronize());
    launchIn(stream, &host::primary, {kBlocks}, {kThreads}, data, silent);
    launchDependent(stream, &host::secondary, {kBlocks}, {kThreads}, data, early, late);
    launchIn(stream, &host::secondary, {kBlocks}, {kThreads}, late, last, last);
    OK(cudaDeviceSynchronize());
    CHECK(fromDevice(late, kAll) == std::vector<int>(kAll, 7));
    CHECK(fromDevice(last, kAll) == std::vector<int>(kAll, 7));
    return fromDevice(early, kAll);
}

}  // namespace

void dependents()
{
    const std::vector<int> early = pairOfLaunches(kBlocks);
    std::puts(early == std::vector<int>(kAll, 7) ? "behind" : "beside");
}

/// A CTA that does not signal holds the dependent back until it has ended.
void silentBlock()
{
    const std::vector<int> early = pairOfLaunches(kBlocks - 1);
    for (unsigned i = kAll - kThreads; i < kAll; ++i) CHECK(early[i] == 7);
}
