// Streams whose work has no order, or one that something gives. Doubling and adding one do not commute: 3 and 4 tell which came first.
#include <chrono>
#include <thread>

#include "scenarios.hpp"

namespace {

constexpr int kN = 32;

/// Numbers on the device, all 1, and what is done with them.
struct Numbers {
    float* value = onDevice(std::vector<float>(kN, 1.0f));
    float* one = onDevice(std::vector<float>(kN, 1.0f));
    int n = kN;

    void twice(void* stream) { run(value, stream, cudaLaunchKernel); }
    void plusOne(void* stream) { run(one, stream, cudaLaunchKernel); }
    void plusOneOfThread() { run(one, nullptr, cudaLaunchKernel_ptsz); }
    void tell(const char* what = "result") const
    {
        OK(cudaDeviceSynchronize());
        const std::vector<float> all = fromDevice(value, kN);
        for (const float v : all) CHECK(v == all[0]);
        std::printf("%s %g\n", what, static_cast<double>(all[0]));
    }

private:
    template <class F> void run(float* other, void* stream, F&& launchKernel)
    {
        void* arguments[] = {&value, &other, &value, &n};
        OK(launchKernel(&host::add, {}, {kN}, arguments, 0, stream));
    }
};

void* newStream(unsigned flags = 0)
{
    void* stream = nullptr;
    OK(cudaStreamCreateWithFlags(&stream, flags));
    return stream;
}

void* newEvent()
{
    void* event = nullptr;
    OK(cudaEventCreate(&event));
    return event;
}

}  // namespace

void ordersOfStreams()
{
    Numbers x;
    void *first = newStream(), *second = newStream();
    OK(cudaDeviceSynchronize());
    x.twice(first);
    x.plusOne(second);
    x.tell();
}

/// A copy that has nothing to do with the launches.
void besideCopy()
{
    Numbers x;
    float *from = onDevice(std::vector<float>(kN, 5.0f)), *to = onDevice(std::vector<float>(kN));
    void *first = newStream(), *second = newStream();
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 3; ++i) x.twice(first);
    OK(cudaMemcpyAsync(to, from, kN * sizeof(float), 3, second));
    for (int i = 0; i < 3; ++i) x.twice(first);
    x.tell();
    CHECK(fromDevice(to, kN) == std::vector<float>(kN, 5.0f));
}

/// The intended order: double, then add. The event is recorded, and no stream waits for it.
void missingEvent()
{
    Numbers x;
    void *first = newStream(), *second = newStream(), *event = newEvent();
    x.twice(first);
    OK(cudaEventRecord(event, first));
    x.plusOne(second);
    x.tell();
}

void givenEvent()
{
    Numbers x;
    void *first = newStream(), *second = newStream(), *event = newEvent();
    x.twice(first);
    OK(cudaEventRecord(event, first));
    OK(cudaStreamWaitEvent(second, event, 0));
    x.plusOne(second);
    OK(cudaStreamDestroy(second));
    x.twice(nullptr);  // the legacy stream waits for work of a stream that is gone
    OK(cudaDeviceSynchronize());
    OK(cudaEventQuery(event));
    x.tell();
}

/// A stream that does not block has no order with the legacy one.
void besideLegacy()
{
    Numbers x;
    void* apart = newStream(1);
    OK(cudaDeviceSynchronize());
    x.twice(nullptr);
    x.plusOne(apart);
    x.tell();
}

void behindLegacy()
{
    Numbers x;
    void *first = newStream(), *second = newStream();
    x.twice(first);
    x.plusOne(nullptr);
    x.twice(second);
    x.tell();
}

/// The default streams of two threads have no order; the legacy one has one with both.
void perThread()
{
    Numbers x;
    OK(cudaDeviceSynchronize());
    std::thread([&] { x.plusOneOfThread(); }).join();
    void* arguments[] = {&x.value, &x.value, &x.value, &x.n};
    OK(cudaLaunchKernel_ptsz(&host::add, {}, {kN}, arguments, 0, nullptr));
    x.tell("threads");
    std::thread([&] { x.plusOneOfThread(); }).join();
    x.twice(nullptr);
    x.plusOneOfThread();
    x.tell("legacy");
}

/// Looks at managed memory without waiting for the kernel.
void unsynchronised()
{
    void* p = nullptr;
    OK(cudaMallocManaged(&p, 128, 1));
    static_cast<int*>(p)[9] = -1;
    OK(launch(&host::scaled, {}, {32}, static_cast<int*>(p)));
    std::printf("seen %d\n",
                *static_cast<volatile int*>(static_cast<void*>(static_cast<int*>(p) + 9)));
    OK(cudaDeviceSynchronize());
    CHECK(static_cast<int*>(p)[9] == 27);
}

/// Waits for kernels without a sync: in memory that both see, and by asking an event.
void polling()
{
    void *p = nullptr, *stream = newStream(), *event = newEvent();
    OK(cudaMallocHost(&p, 128));
    auto* seen = static_cast<volatile int*>(p);
    OK(launch(&host::scaled, {}, {32}, static_cast<int*>(p)));
    while (seen[9] != 27) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    seen[9] = 0;
    void* arguments[] = {&p};
    OK(cudaLaunchKernel(&host::scaled, {}, {32}, arguments, 0, stream));
    OK(cudaEventRecord(event, stream));
    int code = 0;
    while ((code = cudaEventQuery(event)) == 600) continue;
    CHECK(code == 0 && seen[9] == 27);
    while ((code = cudaStreamQuery(stream)) == 600) continue;
    OK(code);
}

/// A copy from ordinary memory has its bytes when the call returns; one into it is done then.
void copiesTaken()
{
    int* p = onDevice(zeros(32));
    void* stream = newStream();
    std::vector<int> mine(32, 5), back(32);
    OK(cudaMemcpyAsync(p, mine.data(), 128, 1, stream));
    mine.assign(32, 6);
    OK(cudaMemcpyAsync(back.data(), p, 128, 2, stream));
    CHECK(back == std::vector<int>(32, 5));
}

/// Two nodes of a graph without an order, launched twice.
void parallelGraph()
{
    Numbers x;
    void *main = newStream(), *side = newStream(), *fork = newEvent(), *join = newEvent(),
         *graph = nullptr, *exec = nullptr;
    OK(cudaStreamBeginCapture(main, 0));
    OK(cudaEventRecord(fork, main));
    OK(cudaStreamWaitEvent(side, fork, 0));
    x.twice(main);
    x.plusOne(side);
    OK(cudaEventRecord(join, side));
    OK(cudaStreamWaitEvent(main, join, 0));
    OK(cudaStreamEndCapture(main, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, main));
    x.tell();
    OK(cudaGraphLaunch(exec, main));
    OK(cudaGraphLaunch(exec, side));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    x.tell("later");
}

/// Functions of the program come in the order of their stream, and may not wait for the device.
void functionInOrder()
{
    static int at = 0, code = -1;
    void* stream = newStream();
    for (int i = 0; i < 8; ++i)
        OK(cudaLaunchHostFunc(
            stream, [](void*) { ++at; }, nullptr));
    OK(cudaLaunchHostFunc(
        stream, [](void*) { at *= 10; }, nullptr));
    OK(cudaStreamSynchronize(stream));
    CHECK(at == 80);
    OK(cudaLaunchHostFunc(
        stream, [](void* s) { code = cudaStreamSynchronize(s); }, stream));
    OK(cudaDeviceSynchronize());
    std::printf("code %d\n", code);
}
