// D = A * B^T in fp16 with f32 sums on Blackwell, by pairs of CTAs: each has 128 of the 256 rows of A and half of the 128 columns of B in its shared memory,
// and the sums of its rows in its tensor memory. One thread of the even CTA issues the products for both tensor cores (cta_group::2, 256 x 128). Both CTAs fill
// their ring of four stages by tensor copies that complete on the even CTA's full[s]: its address is the CTA's own one without bit 24. The commits after
// the products arrive at empty[s] and sums[i] of both (multicast). The four warps of each CTA that store the sums arrive at taken[i] of the even CTA.
// There are two accumulators. A pair has `tiles` tiles side by side. A and B are K-major. nvcc -ptx -std=c++17 -arch=sm_100a gemm_2sm_sm100.cu
#include "../blackwell.cuh"
#include "../whole_numbers.cuh"

constexpr int kRows = 256, kColumns = 128, kDepth = 64, kStages = 4;
constexpr int kBytesA = kRows / 2 * kDepth * 2, kBytesB = kColumns / 2 * kDepth * 2, kStageBytes = kBytesA + kBytesB;  // of one CTA
constexpr unsigned kProduct = 1u << 4 | kColumns / 8 << 17 | kRows / 16 << 24;  // f16 times f16, sums in f32

/// The address at the same place in the even CTA of the pair.
__device__ __forceinline__ u32 even(u32 at) { return at & 0xfeffffff; }
__device__ __forceinline__ void arrive(u32 bar) { asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar) : "memory"); }
__device__ __forceinline__ void loadPair(u32 to, const Map& map, int x, int y, u32 bar)
{
    asm volatile("cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(to), "l"(&map), "r"(x), "r"(y), "r"(bar) : "memory");
}
/// K-major, 128-byte swizzle: groups of eight rows are 1024 bytes apart.
__device__ __forceinline__ u64 descriptor(u32 at) { return u64{(at & 0x3ffff) >> 4} | u64{1024 >> 4} << 32 | u64{1} << 46 | u64{2} << 61; }
__device__ __forceinline__ void mma(u32 sums, u64 a, u64 b, u32 more)
{
    asm volatile("{.reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p;}"
                 ::"r"(sums), "l"(a), "l"(b), "r"(kProduct), "r"(more) : "memory");
}
/// Arrives in both CTAs.
__device__ __forceinline__ void commitPair(u32 bar)
{
    asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(bar), "h"(static_cast<short>(3)) : "memory");
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256) gemm(const __grid_constant__ Map mapA, const __grid_constant__ Map mapB, float* d, int n, int k, int tiles)
{
    extern __shared__ __align__(1024) char ring[];
    __shared__ alignas(8) u64 full[kStages], empty[kStages], sums[2], taken[2];
    __shared__ u32 place;
    const int warp = threadIdx.x / 32;
    const bool first = threadIdx.x % 32 == 0;
    const u32 rank = blockIdx.x % 2;
    const int row0 = blockIdx.y * kRows + rank * (kRows / 2), column0 = blockIdx.x / 2 * tiles * kColumns;
    const u32 base = (address(ring) + 1023) / 1024 * 1024;
    if (threadIdx.x == 0) {
        for (int s = 0; s < kStages; ++s) {
            init(address(&full[s]), 1);
            init(address(&empty[s]), 1);
        }
        for (int i = 0; i < 2; ++i) {
            init(address(&sums[i]), 1);
            init(address(&taken[i]), 8);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (warp == 2) {
        asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(address(&place)), "n"(2 * kColumns) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;");
    }
    before();
    __syncthreads();
    meetCluster();  // the other CTA's barriers are there
    after();
    const u32 memory = *static_cast<volatile u32*>(&place);
    const int depths = k / kDepth, steps = depths * tiles;
    if (warp == 0) {
        for (int step = 0; first && step < steps; ++step) {
            const int s = step % kStages;
            const u32 at = base + s * kStageBytes, bar = even(address(&full[s]));
            if (step >= kStages) waitCluster(address(&empty[s]), (step / kStages - 1) & 1);
            if (rank == 0) arriveExpect(bar, 2 * kStageBytes);
            loadPair(at, mapA, step % depths * kDepth, row0, bar);
            loadPair(at + kBytesA, mapB, step % depths * kDepth, column0 + step / depths * kColumns + rank * (kColumns / 2), bar);
        }
    } else if (warp == 1 && rank == 0) {
        for (int step = 0; first && step < steps; ++step) {
            const int s = step % kStages, tile = step / depths, which = tile % 2;
            const u32 at = base + s * kStageBytes;
            if (step % depths == 0 && tile >= 2) waitCluster(address(&taken[which]), (tile / 2 - 1) & 1);
            waitCluster(address(&full[s]), (step / kStages) & 1);
            after();
            for (int depth = 0; depth < kDepth; depth += 16)
                mma(memory + which * kColumns, descriptor(at + depth * 2), descriptor(at + kBytesA + depth * 2), step % depths + depth);
            commitPair(address(&empty[s]));
            if (step % depths == depths - 1) commitPair(address(&sums[which]));
        }
    } else if (warp >= 4) {
        const int row = row0 + warp % 4 * 32 + threadIdx.x % 32;
        for (int tile = 0; tile < tiles; ++tile) {
            const int which = tile % 2;
            waitCluster(address(&sums[which]), (tile / 2) & 1);
            after();
            float* out = d + static_cast<size_t>(row) * n + column0 + tile * kColumns;
            for (int part = 0; part < kColumns; part += 16) {
                float v[16];
                bring(v, memory + which * kColumns + part + (warp % 4 << 21));
                asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
                for (int i = 0; i < 16; ++i) out[part + i] = v[i];
            }
            before();
            __syncwarp();
            if (first) arrive(even(address(&taken[which])));
        }
    }
    __syncwarp();
    before();
    meetCluster();
    after();
    if (warp == 2) asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(memory), "n"(2 * kColumns));
}
