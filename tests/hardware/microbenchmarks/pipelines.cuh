// Rows of pipelines: rings of stages as kernels have them, with each way to give a stage back; warps that wait together; flags in global memory.
#pragma once
#include "ptx.cuh"

enum class Give { Cta, Cluster, NoScope, FenceGpu, AcquireToo };  // how a consumer gives a stage back; the last one is Cluster behind a wait with acquire.cluster

constexpr u32 kRingSteps = 64, kRingWarm = 16, kConsumers = 4;

template <Give G>
__device__ __forceinline__ void giveBack(u32 bar)
{
    const u32 far = mapa(bar, rank());
    if (G == Give::Cta) asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
    if (G == Give::Cluster || G == Give::AcquireToo) arriveRemote(far);
    if (G == Give::NoScope) asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(far) : "memory");
    if (G == Give::FenceGpu) asm volatile("fence.acq_rel.gpu;\nmbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}
// Four warps take what a fifth one copies into a ring of stages; nothing is computed. Clocks for each step. Without bytes the fifth one only arrives.
template <Give G, u32 Bytes, u32 Stages>
__global__ void ring(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 fullWords[Stages], emptyWords[Stages];
    const u32 full = address(fullWords), empty = address(emptyWords);
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < Stages; ++i) init(full + 8 * i, 1), init(empty + 8 * i, kConsumers);
        asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    const u64 from = reinterpret_cast<u64>(out.clocks + 4096) + u64(blockIdx.x) * 65536 + zero;
    constexpr u32 kSteps = kRingWarm + kSamples * kRingSteps;
    if (threadIdx.x == 32 * kConsumers) {
        for (u32 i = 0; i < kSteps; ++i) {
            const u32 slot = i % Stages, bar = full + 8 * slot;
            if (i >= Stages) wait(empty + 8 * slot, (i / Stages - 1) & 1);
            if constexpr (Bytes == 0) {
                arrive(bar);
            } else {
                arriveExpect(bar, Bytes);
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(stage) + slot * Bytes), "l"(from),
                             "n"(Bytes), "r"(bar)
                             : "memory");
            }
        }
    } else if (threadIdx.x < 32 * kConsumers) {
        u32 t0 = 0;
        for (u32 i = 0; i < kSteps; ++i) {
            const u32 slot = i % Stages, bar = full + 8 * slot;
            if (i >= kRingWarm && (i - kRingWarm) % kRingSteps == 0) {
                const u32 t1 = clk();
                if (i > kRingWarm && threadIdx.x == 0 && blockIdx.x == 0) out.clocks[(i - kRingWarm) / kRingSteps - 1] = t1 - t0;
                t0 = clk();
            }
            if (G == Give::AcquireToo)
                waitCluster(bar, (i / Stages) & 1);
            else
                wait(bar, (i / Stages) & 1);
            __syncwarp();
            if (threadIdx.x % 32 == 0) giveBack<G>(empty + 8 * slot);
        }
    }
    __syncthreads();
}
// All warps but the first wait, which comes 2,000 clocks later: from before its arrival until the last one has seen it.
template <bool Named>
__global__ void wakeAll(Out out, u32)
{
    __shared__ u64 word;
    __shared__ u32 when, last;
    const u32 bar = address(&word);
    if (threadIdx.x == 0) init(bar, 1);
    for (int s = 0; s < kSamples; ++s) {
        if (threadIdx.x == 0) last = 0;
        __syncthreads();
        if (threadIdx.x < 32) {
            spin(2000);
            const u32 t0 = clk();
            if (threadIdx.x == 0) {
                when = t0;
                if (!Named) arrive(bar);
            }
            if (Named) asm volatile("bar.arrive 1, %0;" ::"r"(blockDim.x) : "memory");
        } else {
            if (Named)
                asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x) : "memory");
            else
                wait(bar, s & 1);
            const u32 t1 = clk();
            if (threadIdx.x % 32 == 0) atomicMax(&last, t1 - *static_cast<volatile u32*>(&when));
        }
        __syncthreads();
        if (threadIdx.x == 0) out.clocks[s] = last;
    }
}
// Two warps answer each other by two named barriers, 16 times: clocks for both ways.
__global__ void barPing(Out out, u32)
{
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        const u32 t0 = clk();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            if (threadIdx.x < 32)
                asm volatile("bar.arrive 1, 64;\nbar.sync 2, 64;" ::: "memory");
            else
                asm volatile("bar.sync 1, 64;\nbar.arrive 2, 64;" ::: "memory");
        }
        const u32 t1 = clk();
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
// Two CTAs answer each other by a flag in global memory, 16 times: clocks for both ways.
template <bool Relaxed>
__global__ void flagPing(Out out, u32 zero)
{
    if (threadIdx.x != 0) return;
    u32* mine = out.clocks + 4096 + 1024 * blockIdx.x + zero;
    u32* other = out.clocks + 4096 + 1024 * (1 - blockIdx.x) + zero;
    u32 n = *static_cast<volatile u32*>(other);  // which nobody else writes
    for (int s = 0; s < kSamples; ++s) {
        const u32 t0 = clk();
#pragma unroll 1
        for (int i = 0; i < 16; ++i) {
            ++n;
            auto send = [&] {
                if (Relaxed)
                    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(other), "r"(n) : "memory");
                else
                    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(other), "r"(n) : "memory");
            };
            auto receive = [&] {
                u32 v = n - 1;
                while (v != n) {
                    if (Relaxed)
                        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(mine) : "memory");
                    else
                        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(mine) : "memory");
                }
            };
            if (blockIdx.x == 0) {
                send();
                receive();
            } else {
                receive();
                send();
            }
        }
        if (blockIdx.x == 0) out.clocks[s] = clk() - t0;
    }
}
// One thread of each CTA adds to the same word, each time with the answer of the time before.
__global__ void atomGlobalShared(Out out, u32 zero)
{
    u32 v = zero;
    for (int s = 0; s < kSamples; ++s) {
        const u32 t0 = clk();
#pragma unroll
        for (int i = 0; i < 16; ++i) asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;" : "=r"(v) : "l"(out.clocks + 4096 + (v & zero)), "r"(1) : "memory");
        const u32 t1 = clkAfter(v);
        if (blockIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
// A thread issues 16 copies of bytes that lie in L2, and waits for all of them at one mbarrier.
template <u32 Bytes>
__global__ void bulkSixteen(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 word;
    const u32 bar = address(&word);
    init(bar, 1);
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    for (int s = 0; s < kSamples; ++s) {
        const u64 from = reinterpret_cast<u64>(out.clocks + 4096) + zero;
        const u32 t0 = clk();
        arriveExpect(bar, 16 * Bytes);
#pragma unroll
        for (u32 i = 0; i < 16; ++i)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(stage) + i * Bytes), "l"(from + i * Bytes),
                         "n"(Bytes), "r"(bar)
                         : "memory");
        wait(bar, s & 1);
        out.clocks[s] = clk() - t0;
    }
}
// 128 threads copy 16 bytes each, four times, as older GEMMs do, and meet.
__global__ void cpAsyncTile(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    const unsigned char* from = reinterpret_cast<const unsigned char*>(out.clocks + 4096) + zero;
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        const u32 t0 = clk();
#pragma unroll
        for (u32 i = 0; i < 4; ++i) {
            const u32 at = (i * 128 + threadIdx.x) * 16;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(stage) + at), "l"(from + at) : "memory");
        }
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;" ::: "memory");
        const u32 t1 = clk();
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
// Sums of 4 KiB in global memory by one copy; until they are done.
__global__ void bulkReduce(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    for (u32 i = 0; i < 1024; ++i) reinterpret_cast<u32*>(stage)[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    for (int s = 0; s < kSamples; ++s) {
        const u32 t0 = clk();
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 4096;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(
                         out.clocks + 4096 + zero),
                     "r"(address(stage))
                     : "memory");
        out.clocks[s] = clk() - t0;
    }
}
