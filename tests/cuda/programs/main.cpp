// A program for `gsu exec`: NAME.fatbin SCENARIO. Every scenario checks its results itself; 10: one is wrong.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <map>
#include <thread>

#include "scenarios.hpp"

namespace host {
char add, scaled, block_sum, cluster_ranks, grid_steps, speak, demand, wild, give_up, stuck;
char wait_for, set_flag, take_turns, count_until, primary, secondary;
char scale, counter;
int* shared_by_both;
}  // namespace host

namespace {

struct Wrapper {
    int magic, version;
    const void* container;
    void* parts;
};
Wrapper wrapper{0x466243b1, 1, nullptr, nullptr};
std::string image;
void** handle;

void kernel(const char* host, const char* name)
{
    std::string copy(name);
    __cudaRegisterFunction(handle, host, copy.data(), name, -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
}

/// An error that stays: every call gives it from now on, until the device is reset.
void stays(int code)
{
    EXPECT(code, cudaDeviceSynchronize());
    void* p = nullptr;
    EXPECT(code, cudaMalloc(&p, 4));
    EXPECT(code, cudaGetLastError());
    EXPECT(code, cudaPeekAtLastError());
    OK(cudaDeviceReset());
    OK(cudaMalloc(&p, 4));
}

/// The last thing that it does wrong is the device's error from then on.
void wildStore()
{
    int* p = onDevice(zeros(4));
    OK(launch(&host::wild, {}, {}, p, 5));  // just behind the end
    EXPECT(700, cudaDeviceSynchronize());
    EXPECT(700, cudaGetLastError());
    void* more = nullptr;
    EXPECT(700, cudaMalloc(&more, 4));
    OK(cudaDeviceReset());
    OK(cudaMalloc(&more, 4));
}

void freedStore()
{
    int* p = onDevice(zeros(4));
    OK(cudaFree(p));
    EXPECT(1, cudaFree(p));
    OK(launch(&host::wild, {}, {}, p, 1));
    EXPECT(700, cudaDeviceSynchronize());
}

void hang()
{
    int* p = onDevice(zeros(32));
    OK(launch(&host::stuck, {}, {32}, p));
    stays(702);
}

void assertion()
{
    OK(launch(&host::demand, {}, {32}, 7));
    OK(cudaDeviceSynchronize());
    OK(launch(&host::demand, {}, {32}, 8));
    stays(710);
}

void trap()
{
    OK(launch(&host::give_up, {}, {32}));
    stays(719);
}

void printing()
{
    std::printf("before\n");
    std::fflush(stdout);
    OK(launch(&host::speak, {2}, {32}, 42));
    OK(cudaDeviceSynchronize());
    std::printf("after\n");
}

void leak() { static_cast<void>(onDevice(zeros(25))); }

void many()
{
    int* p = onDevice(zeros(32));
    for (int i = 0; i < 1000; ++i) OK(launch(&host::scaled, {}, {32}, p));
    CHECK(fromDevice(p, 32)[5] == 15);
}

/// Launches of some length, for scripts/bench.
void longLaunches()
{
    int *p = onDevice(zeros(16)), steps = 300;
    void* arguments[] = {&p, &steps};
    for (int i = 0; i < 4; ++i)
        OK(cudaLaunchCooperativeKernel(&host::grid_steps, {16}, {256}, arguments, 0, nullptr));
    CHECK(fromDevice(p, 16)[0] == 4 * 300);
}

void threads()
{
    std::atomic<int> wrong{};
    std::vector<std::thread> all;
    for (int t = 0; t < 4; ++t) {
        all.emplace_back([&, t] {
            for (int i = 0; i < 5; ++i) {
                float* a = onDevice(std::vector<float>(64, static_cast<float>(t)));
                if (launch(&host::add, {2}, {32}, a, a, a, 64) != 0) ++wrong;
                if (fromDevice(a, 64)[63] != static_cast<float>(2 * t)) ++wrong;
                if (cudaFree(a) != 0) ++wrong;
            }
        });
    }
    for (std::thread& t : all) t.join();
    CHECK(wrong == 0);
}

void forks()
{
    OK(cudaDeviceSynchronize());
    const pid_t child = fork();
    if (child == 0) {
        void* p = nullptr;
        _exit(cudaMalloc(&p, 4) == 3 ? 5 : 6);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    void* p = nullptr;
    OK(cudaMalloc(&p, 4));
}

void killed()
{
    int* p = onDevice(zeros(32));
    OK(launch(&host::scaled, {}, {32}, p));
    OK(cudaDeviceSynchronize());
    std::abort();
}

/// A damaged fat binary gives an error code, from the first launch on.
void damaged()
{
    int* p = onDevice(zeros(32));
    const int code = launch(&host::scaled, {}, {32}, p);
    CHECK(code == 0 || code == 200 || code == 209 || code == 218);
    std::printf("%s\n", cudaGetErrorName(code));
}

}  // namespace

std::string contentsOf(const char* path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void registerKernels(const char* file)
{
    image = contentsOf(file);
    image.resize(image.size() + 16);
    wrapper.container = image.data();
    handle = __cudaRegisterFatBinary(&wrapper);
    const std::map<const char*, const char*> names{{&host::add, "add"},
                                                   {&host::scaled, "scaled"},
                                                   {&host::block_sum, "block_sum"},
                                                   {&host::cluster_ranks, "cluster_ranks"},
                                                   {&host::grid_steps, "grid_steps"},
                                                   {&host::speak, "speak"},
                                                   {&host::demand, "demand"},
                                                   {&host::wild, "wild"},
                                                   {&host::give_up, "give_up"},
                                                   {&host::stuck, "stuck"},
                                                   {&host::wait_for, "wait_for"},
                                                   {&host::set_flag, "set_flag"},
                                                   {&host::take_turns, "take_turns"},
                                                   {&host::count_until, "count_until"},
                                                   {&host::primary, "primary"},
                                                   {&host::secondary, "secondary"}};
    for (const auto& [host, name] : names) kernel(host, name);
    __cudaRegisterVar(handle, &host::scale, nullptr, "scale", 0, 4, 1, 0);
    __cudaRegisterVar(handle, &host::counter, nullptr, "counter", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, reinterpret_cast<void**>(&host::shared_by_both), nullptr,
                             "shared_by_both", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

void registerAbsent(const char* host) { kernel(host, "absent"); }

// long: the table of scenarios
int main(int argc, char** argv)
{
    if (argc != 3) return 11;
    const std::string scenario = argv[2];
    if (scenario == "driver") {
        driver(argv[1]);
        std::puts("ok");
        return 0;
    }
    const std::map<std::string, void (*)()> ofDriver{{"driver_graphs", driverGraphs},
                                                     {"unwritten_pixels", unwrittenPixels}};
    if (const auto found = ofDriver.find(scenario); found != ofDriver.end()) {
        found->second();
        std::puts("ok");
        return 0;
    }
    registerKernels(argv[1]);
    const std::map<std::string, void (*)()> all{{"basics", basics},
                                                {"errors", errors},
                                                {"streams", streams},
                                                {"graphs", graphs},
                                                {"nodes", nodes},
                                                {"launches", launches},
                                                {"libraries", libraries},
                                                {"timed", timed},
                                                {"symbols", symbols},
                                                {"memory", memory},
                                                {"wild", wildStore},
                                                {"freed", freedStore},
                                                {"hang", hang},
                                                {"assertion", assertion},
                                                {"trap", trap},
                                                {"printing", printing},
                                                {"leak", leak},
                                                {"many", many},
                                                {"threads", threads},
                                                {"forks", forks},
                                                {"killed", killed},
                                                {"damaged", damaged},
                                                {"orders", ordersOfStreams},
                                                {"missing_event", missingEvent},
                                                {"beside_copy", besideCopy},
                                                {"given_event", givenEvent},
                                                {"beside_legacy", besideLegacy},
                                                {"behind_legacy", behindLegacy},
                                                {"per_thread", perThread},
                                                {"unsynchronised", unsynchronised},
                                                {"polling", polling},
                                                {"copies_taken", copiesTaken},
                                                {"parallel_graph", parallelGraph},
                                                {"function_in_order", functionInOrder},
                                                {"other_stream", otherStream},
                                                {"counts", counts},
                                                {"take_turns", takeTurns},
                                                {"copy_helps", copyHelps},
                                                {"host_helps", hostHelps},
                                                {"host_polls", hostPolls},
                                                {"same_stream", sameStream},
                                                {"behind_blocked", behindBlocked},
                                                {"in_graph", inGraph},
                                                {"dependents", dependents},
                                                {"silent_block", silentBlock},
                                                {"unwritten", unwritten},
                                                {"written", written},
                                                {"changed_between", changedBetween},
                                                {"killed_hard", killedHard},
                                                {"killed_in_launch", killedInLaunch},
                                                {"signals", signals},
                                                {"forks_late", forksLate},
                                                {"wrapping", wrapping},
                                                {"pitches", pitches},
                                                {"recycled", recycled},
                                                {"no_function", noFunction},
                                                {"trap_kinds", trapKinds},
                                                {"module_shared", moduleShared},
                                                {"below_allocation", belowAllocation},
                                                {"kept_by_graphs", keptByGraphs},
                                                {"host_throws", hostThrows},
                                                {"occupancy_waits", occupancyWaits},
                                                {"late_calls", lateCalls},
                                                {"linker_library", linkerLibrary},
                                                {"null_pointers", nullPointers},
                                                {"linear_algebra", linearAlgebra},
                                                {"empty_calls", emptyCalls},
                                                {"long_launches", longLaunches}};
    const auto found = all.find(scenario);
    if (found == all.end()) return 11;
    found->second();
    std::puts("ok");
    __cudaUnregisterFatBinary(handle);
    return 0;
}
