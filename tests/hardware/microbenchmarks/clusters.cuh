// Rows of two and more CTAs of a cluster.
#pragma once
#include "ptx.cuh"

// Clusters. One warp each, 16 barriers.
template <bool Relaxed>
__global__ void clusterBarrier(Out out, u32)
{
    for (int s = 0; s < kSamples; ++s) {
        meetCluster();
        const u32 t0 = clk();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            if (Relaxed)
                asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
            else
                meetCluster();
        }
        const u32 t1 = clk();
        if (threadIdx.x == 0 && blockIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
enum class Way { Arrive, ArriveRelaxed, StAsync, RedAsync, Bulk, Store };
// Two CTAs of a cluster, the first and the last, answer each other 16 times: clocks for both ways together.
template <Way W>
__global__ void pingPong(Out out, u32 zero)
{
    __shared__ alignas(128) u32 tile[64];
    __shared__ u64 word;
    const u32 bar = address(&word), at = address(tile);
    const u32 last = gridDim.x - 1, me = rank();
    if (threadIdx.x == 0) {
        init(bar, 1);
        tile[0] = 0;
        asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    }
    meetCluster();
    if (threadIdx.x == 0 && (me == 0 || me == last)) {
        const u32 farBar = mapa(bar, last - me), farTile = mapa(at, last - me);
        u32 n = 0;
        for (int s = 0; s < kSamples; ++s) {
            const u32 t0 = clk();
#pragma unroll 1
            for (int i = 0; i < 16; ++i, ++n) {
                auto send = [&] {
                    if (W == Way::Arrive) arriveRemote(farBar);
                    if (W == Way::ArriveRelaxed) asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(farBar) : "memory");
                    if (W == Way::StAsync)
                        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(farTile), "r"(n), "r"(farBar) : "memory");
                    if (W == Way::RedAsync)
                        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(farTile), "r"(n), "r"(farBar)
                                     : "memory");
                    if (W == Way::Bulk)
                        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(farTile), "r"(at + 128), "r"(farBar)
                                     : "memory");
                    if (W == Way::Store) asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], %1;" ::"r"(farTile), "r"(n + 1) : "memory");
                };
                auto receive = [&] {
                    if (W == Way::Store) {
                        u32 v = 0;
                        while (v != n + 1) asm volatile("ld.relaxed.cluster.shared::cta.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
                        return;
                    }
                    if (W == Way::StAsync || W == Way::RedAsync) arriveExpect(bar, 4);
                    if (W == Way::Bulk) arriveExpect(bar, 16);
                    waitCluster(bar, n & 1);
                };
                if (me == 0) {
                    send();
                    receive();
                } else {
                    receive();
                    send();
                }
            }
            if (me == 0) out.clocks[s] = clk() - t0;
        }
    }
    meetCluster();
    (void)zero;
}
enum class Far { Load, Atom, Cas, Store, Red };
template <Far F>  // the first CTA at the last one's memory, dependent where there is an answer
__global__ void dsmem(Out out, u32 zero)
{
    __shared__ u32 tile[64];
    tile[threadIdx.x] = 0;
    meetCluster();
    if (threadIdx.x == 0 && rank() == 0) {
        const u32 far = mapa(address(tile), gridDim.x - 1);
        u32 v = zero;
        for (int s = 0; s < kSamples; ++s) {
            const u32 t0 = clk();
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                if (F == Far::Load) asm volatile("ld.relaxed.cluster.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(far + v) : "memory");
                if (F == Far::Atom) asm volatile("atom.relaxed.cluster.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(v) : "r"(far + v), "r"(zero) : "memory");
                if (F == Far::Cas) asm volatile("atom.relaxed.cluster.shared::cluster.cas.b32 %0, [%1], %2, %2;" : "=r"(v) : "r"(far + v), "r"(zero) : "memory");
                if (F == Far::Store) asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], %1;" ::"r"(far), "r"(zero) : "memory");
                if (F == Far::Red) asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(far), "r"(zero) : "memory");
            }
            out.clocks[s] = clk() - t0 + v;
        }
    }
    meetCluster();
}
// A remote arrival with release behind a store to the other CTA.
__global__ void storeArrive(Out out, u32 zero)
{
    __shared__ u32 tile[64];
    __shared__ u64 word;
    if (threadIdx.x == 0) init(address(&word), 1000000);
    meetCluster();
    if (threadIdx.x == 0 && rank() == 0) {
        const u32 far = mapa(address(tile), 1), bar = mapa(address(&word), 1);
        for (int s = 0; s < kSamples; ++s) {
            const u32 t0 = clk();
            asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(far), "r"(zero) : "memory");
            arriveRemote(bar);
            out.clocks[s] = clk() - t0;
        }
    }
    meetCluster();
}
template <bool Multicast>  // 4 KiB to both CTAs of a pair, by one copy or by one each
__global__ void bulkCast(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 word;
    const u32 bar = address(&word), at = address(stage);
    if (threadIdx.x == 0) {
        init(bar, 1);
        asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    }
    for (int s = 0; s < kSamples; ++s) {
        if (threadIdx.x == 0) arriveExpect(bar, 4096);
        meetCluster();
        const u64 from = reinterpret_cast<u64>(out.clocks + 4096) + zero;
        const u32 t0 = clk();
        if (threadIdx.x == 0) {
            if (!Multicast)
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(at), "l"(from), "r"(bar) : "memory");
            else if (rank() == 0)
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 4096, [%2], %3;" ::"r"(at), "l"(from),
                             "r"(bar), "h"(static_cast<unsigned short>(3))
                             : "memory");
            wait(bar, s & 1);
            if (rank() == 0) out.clocks[s] = clk() - t0;
        }
    }
    meetCluster();
}
