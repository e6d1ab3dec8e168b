// A cluster of four CTAs works through tiles of two streams, x and y, in a ring of four stages. The tile of x is for all: rank 0 copies it into
// every CTA (bulk copy with multicast); each CTA copies its own tile of y. full[s] of a CTA counts the bytes of both copies. The consumer warps of all four
// CTAs arrive at empty[s] of rank 0 (remote arrivals), at empty[s] of another rank only its own. In the end every CTA adds up one quarter of the four partial
// vectors, which the others send with st.async into its shared memory, counted in bytes by an mbarrier as well. nvcc -ptx -std=c++17 -arch=sm_90
// cluster_pipeline.cu
constexpr int kRanks = 4, kStages = 4, kWarps = 4, kTile = 32 * kWarps, kSegment = kTile / kRanks;
constexpr int kTileBytes = kTile * 4;

using u32 = unsigned;

__device__ __forceinline__ u32 address(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ u32 inRank(u32 local, u32 rank)
{
    u32 mapped;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(local), "r"(rank));
    return mapped;
}
__device__ __forceinline__ void init(u32 bar, u32 count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory"); }
__device__ __forceinline__ void arrive(u32 bar) { asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory"); }
__device__ __forceinline__ void arriveRemote(u32 bar)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void arriveExpect(u32 bar, u32 bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ __forceinline__ void wait(u32 bar, u32 parity)
{
    u32 done;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done) : "r"(bar), "r"(parity) : "memory");
    } while (done == 0);
}
__device__ __forceinline__ void copy(u32 to, const void* from, u32 bytes, u32 bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(to), "l"(from), "r"(bytes), "r"(bar) : "memory");
}
__device__ __forceinline__ void copyToAll(u32 to, const void* from, u32 bytes, u32 bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
                 ::"r"(to), "l"(from), "r"(bytes), "r"(bar), "h"(static_cast<unsigned short>((1 << kRanks) - 1)) : "memory");
}
__device__ __forceinline__ void clusterSync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// x: [cluster][tile][kTile], y: [cluster][rank][tile][kTile], out: [cluster][kTile]
extern "C" __global__ void __cluster_dims__(kRanks, 1, 1) cluster_pipeline(const u32* x, const u32* y, u32* out, int tiles)
{
    __shared__ alignas(128) u32 tileX[kStages][kTile], tileY[kStages][kTile];
    __shared__ u32 parts[kRanks][kSegment];
    __shared__ alignas(8) unsigned long long full[kStages], empty[kStages], result;
    u32 rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32, cluster = blockIdx.x / kRanks;
    if (tid == 0) {
        for (int s = 0; s < kStages; ++s) {
            init(address(&full[s]), 1);
            init(address(&empty[s]), rank == 0 ? kRanks * kWarps : kWarps);
        }
        init(address(&result), 1);
        arriveExpect(address(&result), (kRanks - 1) * kSegment * 4);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    clusterSync();

    if (warp == kWarps) {
        const u32* fromX = x + cluster * tiles * kTile;
        const u32* fromY = y + (cluster * kRanks + rank) * tiles * kTile;
        for (int t = 0; t < tiles; ++t) {
            const int s = t % kStages, round = t / kStages;
            const u32 bar = address(&full[s]);
            if (round > 0) wait(address(&empty[s]), (round - 1) & 1);
            if (lane == 0) {
                arriveExpect(bar, 2 * kTileBytes);
                if (rank == 0) copyToAll(address(tileX[s]), fromX + t * kTile, kTileBytes, bar);
                copy(address(tileY[s]), fromY + t * kTile, kTileBytes, bar);
            }
        }
    } else {
        u32 sum = rank;
        for (int t = 0; t < tiles; ++t) {
            const int s = t % kStages, round = t / kStages;
            wait(address(&full[s]), round & 1);
            sum = sum * 3 + tileX[s][tid] * tileY[s][tid];
            __syncwarp();
            if (lane == 0) {
                if (rank != 0) arrive(address(&empty[s]));
                arriveRemote(inRank(address(&empty[s]), 0));
            }
        }
        // Warp w holds segment w of this CTA's vector: it belongs to rank w.
        if (warp == static_cast<int>(rank)) {
            parts[rank][lane] = sum;
        } else {
            asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                         ::"r"(inRank(address(&parts[rank][lane]), warp)), "r"(sum), "r"(inRank(address(&result), warp)) : "memory");
        }
        if (warp == static_cast<int>(rank)) {
            wait(address(&result), 0);
            u32 total = 0;
            for (int r = 0; r < kRanks; ++r) total += parts[r][lane];
            out[cluster * kTile + rank * kSegment + lane] = total;
        }
    }
    __syncwarp();
    clusterSync();  // nobody leaves while others still send to it
}
