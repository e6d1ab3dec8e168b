// Benchmark: sixteen CTAs of one cluster, one thread each, pass a token round: wait on the own mbarrier, arrive on that of the next CTA.
// nvcc -ptx -std=c++17 -arch=sm_90 token_ring.cu
using u32 = unsigned;
constexpr u32 kRanks = 16;

extern "C" __global__ void token_ring(u32* out, int rounds)
{
    __shared__ alignas(8) unsigned long long token;
    const u32 bar = static_cast<u32>(__cvta_generic_to_shared(&token));
    u32 rank, next;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(next) : "r"(bar), "r"((rank + 1) % kRanks));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    u32 hops = 0;
    for (int r = 0; r < rounds; ++r) {
        if (r > 0 || rank > 0) {
            const u32 parity = (rank == 0 ? r + 1 : r) & 1;
            u32 done;
            do {
                asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                             : "=r"(done) : "r"(bar), "r"(parity) : "memory");
            } while (done == 0);
            ++hops;
        }
        if (threadIdx.x == 0) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(next) : "memory");
    }
    if (threadIdx.x == 0) out[rank] = hops;
    __syncwarp();
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
