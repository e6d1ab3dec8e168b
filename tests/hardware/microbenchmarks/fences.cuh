// Rows of fences of several warps of an SM.
#pragma once
#include "ptx.cuh"

// A fence of all warps at once: until the last one is through.
__global__ void fenceLast(Out out, u32)
{
    __shared__ u32 last;
    for (int s = 0; s < kSamples; ++s) {
        if (threadIdx.x == 0) last = 0;
        spin(2000);
        __syncthreads();
        const u32 t0 = clk();
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        const u32 t1 = clk();
        if (threadIdx.x % 32 == 0) atomicMax(&last, t1 - t0);
        __syncthreads();
        if (threadIdx.x == 0) out.clocks[s] = last;
    }
}
// The last warp's fence, begun `delay` clocks after that of the first one. Five warps: the last has the scheduler of the first; two: another one.
__global__ void fenceBehind(Out out, u32 delay)
{
    const u32 last = blockDim.x / 32 - 1, warp = threadIdx.x / 32;
    for (int s = 0; s < kSamples; ++s) {
        spin(2000);
        __syncthreads();
        if (warp == last) {
            spin(delay);
            const u32 t0 = clk();
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
            const u32 t1 = clk();
            if (threadIdx.x % 32 == 0) out.clocks[s] = t1 - t0;
        } else if (warp == 0) {
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
        }
        __syncthreads();
    }
}
// Each of the warps fences 16 times, with `pause` clocks between two fences that grow with the warp's number, so that they do not begin together: clocks of
// one fence and pause of the first warp.
__global__ void fenceLoops(Out out, u32 pause)
{
    const u32 mine = pause + 40 * (threadIdx.x / 32);
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        const u32 t0 = clk();
#pragma unroll 1
        for (int i = 0; i < 16; ++i) {
            spin(mine);
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
        }
        const u32 t1 = clk();
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
// A fence of the first warp behind `Lines` stores, each to a line of its own, which are still under way: stores of the same warp, or of the next one.
template <u32 Lines, bool Other>
__global__ void fenceStores(Out out, u32 zero)
{
    const u32 storer = Other ? 1 : 0, warp = threadIdx.x / 32;
    for (int s = 0; s < kSamples; ++s) {
        spin(3000);
        __syncthreads();
        const u32 t0 = clk();
        if (warp == storer) {
#pragma unroll
            for (u32 i = 0; i < Lines; ++i)
                asm volatile("st.global.u32 [%0], %1;" ::"l"(out.clocks + 8192 + i * 1024 + threadIdx.x), "r"(zero) : "memory");
        }
        if (Other && warp == 0) spin(20);
        if (warp == 0) asm volatile("fence.acq_rel.gpu;" ::: "memory");
        const u32 t1 = clk();
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
// Eight warps' fences, each begun `apart` clocks after the one of the warp before: until that of warp `Which` is through.
template <u32 Which>
__global__ void fenceStagger(Out out, u32 apart)
{
    const u32 warp = threadIdx.x / 32;
    for (int s = 0; s < kSamples; ++s) {
        spin(3000);
        __syncthreads();
        spin(100 + warp * apart);
        const u32 t0 = clk();
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        const u32 t1 = clk();
        if (threadIdx.x == 32 * Which) out.clocks[s] = t1 - t0;
        __syncthreads();
    }
}
// Two CTAs of a cluster, on neighbouring SMs: the fence of the second one, begun `delay` clocks after the barrier at which the first one's began.
__global__ void fenceNeighbour(Out out, u32 delay)
{
    for (int s = 0; s < kSamples; ++s) {
        spin(3000);
        meetCluster();
        asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
        if (rank() == 1) spin(delay);
        const u32 t0 = clk();
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        const u32 t1 = clk();
        if (rank() == 1 && threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
    meetCluster();
}
// A fence behind `Copies` copies of 32 KiB each, which one after the other take far longer than a fence: of the copying warp, or of another one.
template <u32 Copies, bool Other>
__global__ void fenceManyCopies(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 word;
    const u32 bar = address(&word), warp = threadIdx.x / 32;
    const u64 from = reinterpret_cast<u64>(out.clocks + 16384) + zero;
    if (threadIdx.x == 0) {
        init(bar, 1);
        asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    }
    for (int s = 0; s < kSamples; ++s) {
        spin(3000);
        __syncthreads();
        if (threadIdx.x == 0) {
            arriveExpect(bar, Copies * 32768);
            for (u32 i = 0; i < Copies; ++i)
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 32768, [%2];" ::"r"(address(stage) + i * 32768),
                             "l"(from + i * 32768), "r"(bar)
                             : "memory");
        }
        __syncthreads();
        if (warp == (Other ? 1 : 0)) {
            const u32 t0 = clk();
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
            const u32 t1 = clk();
            if (threadIdx.x % 32 == 0) out.clocks[s] = t1 - t0;
        }
        wait(bar, s & 1);
        __syncthreads();
    }
}
// Copies of 32 KiB behind each other, without a fence: clocks until all are there.
template <u32 Copies>
__global__ void manyCopies(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 word;
    const u32 bar = address(&word);
    const u64 from = reinterpret_cast<u64>(out.clocks + 16384) + zero;
    init(bar, 1);
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    for (int s = 0; s < kSamples; ++s) {
        spin(3000);
        const u32 t0 = clk();
        arriveExpect(bar, Copies * 32768);
        for (u32 i = 0; i < Copies; ++i)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 32768, [%2];" ::"r"(address(stage) + i * 32768),
                         "l"(from + i * 32768), "r"(bar)
                         : "memory");
        wait(bar, s & 1);
        out.clocks[s] = clk() - t0;
    }
}
