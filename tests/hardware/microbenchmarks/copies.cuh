// Rows of copies by one thread, and of fences beside them.
#pragma once
#include "ptx.cuh"

// Copies: one thread, from the issue until the mbarrier lets it pass.
template <int Bytes, bool Hot>
__global__ void bulkIn(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 word;
    const u32 bar = address(&word), at = address(stage);
    init(bar, 1);
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    for (int s = 0; s < kSamples; ++s) {
        const u64 from = reinterpret_cast<u64>(out.clocks + 4096) + (Hot ? 0 : (u64(s + 1) << 21)) + zero;
        const u32 t0 = clk();
        arriveExpect(bar, Bytes);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at), "l"(from), "n"(Bytes), "r"(bar) : "memory");
        wait(bar, s & 1);
        out.clocks[s] = clk() - t0;
    }
}
template <int Copies>  // of 4 KiB each, one mbarrier for all: until all are there
__global__ void bulkMany(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 word;
    constexpr u32 kEach = 4096;
    const u32 bar = address(&word), at = address(stage);
    init(bar, 1);
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    for (int s = 0; s < kSamples; ++s) {
        const u64 from = reinterpret_cast<u64>(out.clocks + 4096) + zero;
        const u32 t0 = clk();
        arriveExpect(bar, Copies * kEach);
#pragma unroll
        for (u32 i = 0; i < Copies; ++i)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at + i * kEach), "l"(from + i * kEach),
                         "n"(kEach), "r"(bar)
                         : "memory");
        wait(bar, s & 1);
        out.clocks[s] = clk() - t0;
    }
}
// A fence of all warps at once while bytes are copied into the SM, or none are: until the first warp is through.
template <int Bytes>
__global__ void fenceCopies(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 word;
    const u32 bar = address(&word), at = address(stage);
    const u64 from = reinterpret_cast<u64>(out.clocks + 4096) + zero;
    if (threadIdx.x == 0) {
        init(bar, 1);
        asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    }
    for (int s = 0; s < kSamples; ++s) {
        spin(2000);  // what was stored before is performed
        __syncthreads();
        if constexpr (Bytes != 0) {
            if (threadIdx.x == 0) {
                arriveExpect(bar, Bytes);
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at), "l"(from), "n"(Bytes), "r"(bar) : "memory");
            }
        }
        __syncthreads();
        const u32 t0 = clk();
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        const u32 t1 = clk();
        if constexpr (Bytes != 0) wait(bar, s & 1);
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
template <int Bytes, bool Read>
__global__ void bulkOut(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    const u32 at = address(stage);
    const u64 to = reinterpret_cast<u64>(out.clocks + 4096) + zero;
    for (int i = 0; i < Bytes / 4; ++i) reinterpret_cast<u32*>(stage)[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    for (int s = 0; s < kSamples; ++s) {
        const u32 t0 = clk();
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(to), "r"(at), "n"(Bytes) : "memory");
        if (Read)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        else
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        out.clocks[s] = clk() - t0;
    }
}
template <int Bytes>
__global__ void bulkLocal(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 word;
    const u32 bar = address(&word), at = address(stage) + zero;
    init(bar, 1);
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    for (int s = 0; s < kSamples && rank() == 0; ++s) {  // without a cluster an H200 traps at this copy
        const u32 t0 = clk();
        arriveExpect(bar, Bytes);
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at), "r"(at + 32768), "n"(Bytes), "r"(bar)
                     : "memory");
        wait(bar, s & 1);
        out.clocks[s] = clk() - t0;
    }
}
template <int Rows>  // boxes of Rows x 64 f16, swizzled
__global__ void boxIn(const __grid_constant__ CUtensorMap map, Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 word;
    const u32 bar = address(&word), at = (address(stage) + 1023) & ~1023u;
    init(bar, 1);
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    for (int s = 0; s < kSamples; ++s) {
        const u32 t0 = clk();
        arriveExpect(bar, Rows * 128);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at), "l"(&map), "r"(zero),
                     "r"(zero), "r"(bar)
                     : "memory");
        wait(bar, s & 1);
        out.clocks[s] = clk() - t0;
    }
}
