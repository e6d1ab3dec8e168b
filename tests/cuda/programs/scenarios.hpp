// Shared parts of the scenarios of the test program: the kernels as start-up code would register them, and checks that say where they failed.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cudart.hpp"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::printf("line %d of %s: %s\n", __LINE__, __FILE_NAME__, #condition);               \
            std::exit(10);                                                                         \
        }                                                                                          \
    } while (false)
// A call whose code is compared with what is expected of it.
#define EXPECT(code, call)                                                                         \
    do {                                                                                           \
        const int got = (call);                                                                    \
        if (got != (code)) {                                                                       \
            std::printf("line %d of %s: %s gives %s\n", __LINE__, __FILE_NAME__, #call,            \
                        cudaGetErrorName(got));                                                    \
            std::exit(10);                                                                         \
        }                                                                                          \
    } while (false)
#define OK(call) EXPECT(0, call)

/// Code that a program brings itself: *out = value + bias.
inline constexpr const char* kPutPtx = R"(
.version 8.0
.target sm_90
.address_size 64
.global .u32 bias = 7;
.visible .entry put(.param .u64 out, .param .u32 value)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [value];
    ld.global.u32 %r2, [bias];
    add.u32 %r1, %r1, %r2;
    st.global.u32 [%rd1], %r1;
    ret;
}
)";

// The functions and variables of the host that stand for those of the device.
namespace host {
extern char add, scaled, block_sum, cluster_ranks, grid_steps, speak, demand, wild, give_up, stuck;
extern char wait_for, set_flag, take_turns, count_until, primary, secondary;
extern char scale, counter;
extern int* shared_by_both;
}  // namespace host

std::string contentsOf(const char* path);
/// Registers the kernels with this fat binary.
void registerKernels(const char* file);
/// Registers a function for a kernel that the fat binary does not have.
void registerAbsent(const char* host);

template <class... T> int launch(const void* kernel, Grid grid, Grid block, T... arguments)
{
    void* list[] = {static_cast<void*>(&arguments)..., nullptr};
    return cudaLaunchKernel(kernel, grid, block, list, 0, nullptr);
}

/// Device memory with these elements.
template <class T> T* onDevice(const std::vector<T>& values)
{
    void* p = nullptr;
    OK(cudaMalloc(&p, values.size() * sizeof(T)));
    OK(cudaMemcpy(p, values.data(), values.size() * sizeof(T), 1));
    return static_cast<T*>(p);
}
template <class T> std::vector<T> fromDevice(const T* p, std::size_t count)
{
    std::vector<T> values(count);
    OK(cudaMemcpy(values.data(), p, count * sizeof(T), 2));
    return values;
}
inline std::vector<int> zeros(std::size_t count) { return std::vector<int>(count); }

void basics();
void errors();
void streams();
void graphs();
void timed();
void nodes();
void launches();
void libraries();
void symbols();
void memory();
void driver(const char* file);
void driverGraphs();
void unwrittenPixels();
void unwritten();
void written();
void changedBetween();

// Trouble around a program.
void killedHard();
void killedInLaunch();
void signals();
void forksLate();
/// Times of calls that do nothing, for scripts/bench.
void emptyCalls();

// Arguments at the edge of what a call may be given, and what hardly any program does.
void wrapping();
void pitches();
void recycled();
void noFunction();
void trapKinds();
void moduleShared();
void belowAllocation();
void keptByGraphs();
void hostThrows();
void occupancyWaits();
void lateCalls();
void linkerLibrary();
void nullPointers();
void linearAlgebra();

// Orders of streams: what comes out depends on the order that was drawn, and is printed.
void ordersOfStreams();
void missingEvent();
void besideCopy();
void givenEvent();
void besideLegacy();
void behindLegacy();
void perThread();
void unsynchronised();
void polling();
void copiesTaken();
void parallelGraph();
void functionInOrder();

// Launches that run at the same time.
void otherStream();
void counts();
void takeTurns();
void copyHelps();
void hostHelps();
void hostPolls();
void sameStream();
void behindBlocked();
void inGraph();
void dependents();
void silentBlock();
