// Rows of several warps at barriers.
#pragma once
#include "ptx.cuh"

// W warps at a named barrier, 16 times.
__global__ void barSync(Out out, u32)
{
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        const u32 t0 = clk();
#pragma unroll
        for (int i = 0; i < 16; ++i) asm volatile("bar.sync 0;" ::: "memory");
        const u32 t1 = clk();
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
// All warps meet at an mbarrier, by one lane of each or by all, 16 times.
template <bool All>
__global__ void mbarSync(Out out, u32)
{
    __shared__ u64 word;
    const u32 bar = address(&word);
    if (threadIdx.x == 0) init(bar, All ? blockDim.x : blockDim.x / 32);
    u32 n = 0;
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        const u32 t0 = clk();
#pragma unroll 1
        for (int i = 0; i < 16; ++i) {
            if (All || threadIdx.x % 32 == 0) arrive(bar);
            wait(bar, n++ & 1);
        }
        const u32 t1 = clk();
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
// Pairs of warps, each pair at a barrier of its own; barrier 0 is __syncthreads'.
__global__ void barPairs(Out out, u32)
{
    const u32 pair = threadIdx.x / 64 + 1;
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        const u32 t0 = clk();
#pragma unroll
        for (int i = 0; i < 16; ++i) asm volatile("bar.sync %0, 64;" ::"r"(pair) : "memory");
        const u32 t1 = clk();
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
// Arrives of all warps, each at an mbarrier of its own, 16 each: what the unit takes a clock.
__global__ void mbarArriveWarps(Out out, u32)
{
    __shared__ u64 words[32];
    const u32 bar = address(words + threadIdx.x / 32);
    if (threadIdx.x % 32 == 0) init(bar, 1000000);
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        const u32 t0 = clk();
        if (threadIdx.x % 32 == 0) {
#pragma unroll
            for (int i = 0; i < 16; ++i) arrive(bar);
        }
        __syncthreads();
        const u32 t1 = clk();
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
// A warp waits, another one comes 2,000 clocks later: from before the arrival until the wait has returned.
__global__ void mbarWake(Out out, u32)
{
    __shared__ u64 word;
    __shared__ volatile u32 when;
    const u32 bar = address(&word);
    if (threadIdx.x == 0) init(bar, 1);
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        if (threadIdx.x == 0) {
            spin(2000);
            when = clk();
            arrive(bar);
        }
        if (threadIdx.x == 32) {
            wait(bar, s & 1);
            const u32 t1 = clk();
            out.clocks[s] = t1 - when;
        }
    }
}
__global__ void barWake(Out out, u32)
{
    __shared__ volatile u32 when;
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        if (threadIdx.x < 32) {
            spin(2000);
            when = clk();
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            const u32 t1 = clk();
            if (threadIdx.x == 32) out.clocks[s] = t1 - when;
        }
    }
}
// A warp waits, another one comes so many clocks later; nothing stands between the clock and the arrival.
template <bool Named>
__global__ void wakeAfter(Out out, u32 clocks)
{
    __shared__ u64 word;
    __shared__ u32 when;
    u32 bar = address(&word);
    if (threadIdx.x == 0) init(bar, 1);
    asm volatile("" : "+r"(bar)::"memory");  // the address stays in a register
    for (int s = 0; s < kSamples; ++s) {
        u32 t = 0;
        __syncthreads();
        if (threadIdx.x / 32 == 0) {
            spin(clocks);
            t = clk();
            if (Named)
                asm volatile("bar.arrive 1, 64;" ::: "memory");
            else if (threadIdx.x == 0)
                arrive(bar);
            when = t;
        } else {
            if (Named)
                asm volatile("bar.sync 1, 64;" ::: "memory");
            else if (threadIdx.x == 32)
                wait(bar, s & 1);
            t = clk();
        }
        __syncthreads();
        if (threadIdx.x == 32) out.clocks[s] = t - when;
    }
}
