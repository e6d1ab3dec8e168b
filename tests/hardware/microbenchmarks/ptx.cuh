// What rows of microbenchmarks.cu are made of: PTX, the clock, repeated operations.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "../../kernels/copies.cuh"

#pragma nv_diag_suppress 550  // not every row reads all that its operation writes

#define CHECK(call)                                                                            \
    do {                                                                                       \
        const cudaError_t result_ = (call);                                                    \
        if (result_ != cudaSuccess) {                                                          \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(result_));              \
            std::exit(1);                                                                      \
        }                                                                                      \
    } while (0)

// ---- small PTX -----------------------------------------------------------------------------------------------------------------------------------

__device__ __forceinline__ u32 clk()
{
    u32 t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}
__device__ __forceinline__ u64 globaltimer()
{
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
}
__device__ __forceinline__ u32 rank()
{
    u32 r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ __forceinline__ u32 mapa(u32 address, u32 cta)
{
    u32 to;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(address), "r"(cta));
    return to;
}
__device__ __forceinline__ void arrive(u32 bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory"); }
__device__ __forceinline__ void arriveRemote(u32 bar)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar) : "memory");
}
__device__ __forceinline__ u32 tryWait(u32 bar, u32 parity)
{
    u32 ok;
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(ok) : "r"(bar), "r"(parity) : "memory");
    return ok;
}
__device__ __forceinline__ u32 tryWaitHint(u32 bar, u32 parity, u32 ns)
{
    u32 ok;
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, %3;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(ok)
                 : "r"(bar), "r"(parity), "r"(ns)
                 : "memory");
    return ok;
}
__device__ __forceinline__ u32 testWait(u32 bar, u32 parity)
{
    u32 ok;
    asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(ok) : "r"(bar), "r"(parity) : "memory");
    return ok;
}
__device__ __forceinline__ void spin(u32 clocks)
{
    const u32 begin = clk();
    while (clk() - begin < clocks) {
    }
}

// ---- rows --------------------------------------------------------------------------------------------------------------------------------------------

struct Out {
    u32* clocks;  // one sample each
};

constexpr int kSamples = 9;  // of most rows; the first one, which loads instructions, is thrown away

// The clock, read when `value` is there: an instruction that may trap stands between.
__device__ __forceinline__ u32 clkAfter(u32 value)
{
    u32 t;
    asm volatile("{\n.reg .pred p;\nsetp.eq.u32 p, %1, 0x7fedcba9;\n@p trap;\nmov.u32 %0, %%clock;\n}" : "=r"(t) : "r"(value) : "memory");
    return t;
}

#define ROW_KERNEL(NAME, SETUP, BODY)                                 \
    __global__ void NAME(Out out, u32 zero)                           \
    {                                                                 \
        __shared__ alignas(1024) u32 tile[8192];                      \
        const u32 at = address(tile), lane = threadIdx.x % 32;  \
        for (u32 i = threadIdx.x; i < 8192; i += blockDim.x) tile[i] = 0; \
        __syncthreads();                                              \
        (void)at, (void)lane;                                         \
        SETUP;                                                        \
        for (int s = 0; s < kSamples; ++s) {                          \
            __syncwarp();                                             \
            BODY;                                                     \
        }                                                             \
    }
// One warp (or one thread of it) runs OP n times and 2 n times; the difference is told, so that what does not grow with n is not in it. RESULT (of 32 bits)
// is what the chain leads to.
#define CHAIN_TO(NAME, N, RESULT, SETUP, OP)                               \
    ROW_KERNEL(NAME, SETUP, for (int i = 0; i < 1; ++i) { OP; } const u32 t0 = clkAfter(RESULT); \
               _Pragma("unroll") for (int i = 0; i < N; ++i) { OP; }       \
               const u32 t1 = clkAfter(RESULT);                            \
               _Pragma("unroll") for (int i = 0; i < 2 * N; ++i) { OP; }   \
               const u32 t2 = clkAfter(RESULT); if (threadIdx.x == 0) out.clocks[s] = (t2 - t1) - (t1 - t0))
#define CHAIN(NAME, N, SETUP, OP) CHAIN_TO(NAME, N, zero, SETUP, OP)
#define CHAIN_V(NAME, N, SETUP, OP) CHAIN_TO(NAME, N, static_cast<u32>(v), SETUP, OP)
#define CHAIN_F(NAME, N, SETUP, OP) CHAIN_TO(NAME, N, __float_as_uint(static_cast<float>(f)), SETUP, OP)
// OP once, all of it.
#define SHOT(NAME, SETUP, OP)                               \
    ROW_KERNEL(NAME, SETUP, const u32 t0 = clk(); { OP; }   \
               const u32 t1 = clk(); if (threadIdx.x == 0) out.clocks[s] = t1 - t0)

SHOT(clockOnly, , )
