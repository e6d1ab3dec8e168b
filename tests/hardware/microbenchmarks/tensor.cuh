// Rows of tensor cores.
#pragma once
#include "ptx.cuh"

// Tensor cores. Zeros; the layout does not matter.
__device__ __forceinline__ u64 descriptor(u32 at) { return (u64(1) << 62) | (u64(64) << 32) | (u64(1) << 16) | ((at & 0x3ffff) >> 4); }
#define WGMMA(NAME, N, REGS, LIST, A, B)                                                                                                                       \
    template <int Count>                                                                                                                                       \
    __global__ void NAME(Out out, u32 zero)                                                                                                                    \
    {                                                                                                                                                          \
        extern __shared__ __align__(1024) unsigned char stage[];                                                                                               \
        for (int i = threadIdx.x; i < 12288; i += 128) reinterpret_cast<u32*>(stage)[i] = 0;                                                                   \
        asm volatile("fence.proxy.async;" ::: "memory");                                                                                                       \
        __syncthreads();                                                                                                                                       \
        const u64 a = descriptor(address(stage)), b = descriptor(address(stage) + 16384);                                                          \
        float d[REGS];                                                                                                                                         \
        for (int i = 0; i < REGS; ++i) d[i] = 0;                                                                                                               \
        for (int s = 0; s < kSamples; ++s) {                                                                                                                   \
            __syncthreads();                                                                                                                                   \
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                                                                            \
            const u32 t0 = clk();                                                                                                                              \
            _Pragma("unroll") for (int i = 0; i < Count; ++i) asm volatile(                                                                                    \
                "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {" LIST "}, %" #A ", %" #B ", 1, 1, 1, 0, 0;"                                        \
                : OUTPUTS_##REGS : "l"(a), "l"(b) : "memory");                                                                                                 \
            asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");                                                   \
            const u32 t1 = clk();                                                                                                                              \
            if (threadIdx.x == 0) out.clocks[s] = t1 - t0;                                                                                                     \
        }                                                                                                                                                      \
        float sum = 0;                                                                                                                                         \
        for (int i = 0; i < REGS; ++i) sum += d[i];                                                                                                            \
        if (sum != 0) out.clocks[100] = zero;                                                                                                                  \
    }
#define OUTPUTS_4 "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define O8(n) "+f"(d[n]), "+f"(d[n + 1]), "+f"(d[n + 2]), "+f"(d[n + 3]), "+f"(d[n + 4]), "+f"(d[n + 5]), "+f"(d[n + 6]), "+f"(d[n + 7])
#define OUTPUTS_32 O8(0), O8(8), O8(16), O8(24)
#define OUTPUTS_64 OUTPUTS_32, O8(32), O8(40), O8(48), O8(56)
#define OUTPUTS_128 OUTPUTS_64, O8(64), O8(72), O8(80), O8(88), O8(96), O8(104), O8(112), O8(120)
#define L8(a) "%" #a "0, %" #a "1, %" #a "2, %" #a "3, %" #a "4, %" #a "5, %" #a "6, %" #a "7, %" #a "8, %" #a "9"
#define LIST_4 "%0, %1, %2, %3"
#define LIST_30 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, " L8(1) ", " L8(2)
#define LIST_60 LIST_30 ", " L8(3) ", " L8(4) ", " L8(5)
#define LIST_120 LIST_60 ", " L8(6) ", " L8(7) ", " L8(8) ", " L8(9) ", " L8(10) ", " L8(11)
#define LIST_32 LIST_30 ", %30, %31"
#define LIST_64 LIST_60 ", %60, %61, %62, %63"
#define LIST_128 LIST_120 ", %120, %121, %122, %123, %124, %125, %126, %127"
WGMMA(wgmma8, 8, 4, LIST_4, 4, 5)
WGMMA(wgmma64, 64, 32, LIST_32, 32, 33)
WGMMA(wgmma128, 128, 64, LIST_64, 64, 65)
WGMMA(wgmma256, 256, 128, LIST_128, 128, 129)

#define MMA(d) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(zero))
CHAIN_TO(mmaChain, 16, __float_as_uint(d[0]), float d[4] = {}, MMA(d))
__global__ void mmaFour(Out out, u32 zero)  // four chains in each of as many warps as the block has
{
    float a[4] = {}, b[4] = {}, c[4] = {}, d[4] = {};
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        const u32 t0 = clk();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            MMA(a);
            MMA(b);
            MMA(c);
            MMA(d);
        }
        const u32 t1 = clk();
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
    if (a[0] + b[0] + c[0] + d[0] != 0) out.clocks[100] = zero;
}
