// D = A * B^T in fp16 with f32 sums on Blackwell, by pairs of CTAs: each has 128 of the 256 rows of A and half of the 128 columns of B in its shared memory,
// and the sums of its rows in its tensor memory. One thread of the even CTA gives the tensor cores of both the products (cta_group::2, 256 x 128). Both CTAs
// fill their ring of four stages by tensor copies that complete on the even CTA's full[s]: its address is the own one without bit 24. The commits behind the
// products arrive at empty[s] and sums[i] of both (multicast); taken[i] of the even CTA hears the four warps of either that bring the sums out. There are two
// accumulators. A pair has `tiles` tiles side by side. A and B are K-major.
// nvcc -ptx -std=c++17 -arch=sm_100a gemm_2sm_sm100.cu
#include <cuda_fp16.h>

constexpr int kRows = 256, kColumns = 128, kDepth = 64, kStages = 4;
constexpr int kBytesA = kRows / 2 * kDepth * 2, kBytesB = kColumns / 2 * kDepth * 2, kStageBytes = kBytesA + kBytesB;  // of one CTA
constexpr unsigned kProduct = 1u << 4 | kColumns / 8 << 17 | kRows / 16 << 24;  // f16 times f16, sums in f32

using u32 = unsigned;
using u64 = unsigned long long;

struct alignas(64) Map {
    char opaque[128];
};

__device__ __forceinline__ u32 address(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ void init(u32 bar, u32 count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory"); }
/// Of the even CTA of the pair, at the same place.
__device__ __forceinline__ u32 even(u32 at) { return at & 0xfeffffff; }
__device__ __forceinline__ void arrive(u32 bar) { asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar) : "memory"); }
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
__device__ __forceinline__ void load(u32 to, const Map& map, int x, int y, u32 bar)
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
/// In both CTAs.
__device__ __forceinline__ void commit(u32 bar)
{
    asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(bar), "h"(static_cast<short>(3)) : "memory");
}
__device__ __forceinline__ void meetCluster()
{
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ __forceinline__ void before() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }
__device__ __forceinline__ void after() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }
/// 16 columns of the warp's 32 rows.
__device__ __forceinline__ void bring(float (&v)[16], u32 from)
{
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, [%16];"
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]), "=f"(v[4]), "=f"(v[5]), "=f"(v[6]), "=f"(v[7]), "=f"(v[8]), "=f"(v[9]),
                   "=f"(v[10]), "=f"(v[11]), "=f"(v[12]), "=f"(v[13]), "=f"(v[14]), "=f"(v[15])
                 : "r"(from));
}

// Small whole numbers: every sum is exact.
__device__ __forceinline__ int valueA(int i, int k) { return (i * 7 + k * 3) % 9 - 4; }
__device__ __forceinline__ int valueB(int j, int k) { return (j * 5 + k * 11 + j * k) % 7 - 3; }

extern "C" __global__ void fill(__half* a, __half* b, int m, int n, int k)
{
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < (m + n) * k; at += gridDim.x * blockDim.x) {
        const int row = at / k, column = at % k;
        if (row < m) a[at] = __int2half_rn(valueA(row, column));
        else b[at - m * k] = __int2half_rn(valueB(row - m, column));
    }
}

/// Counts elements, of one in `every`, that are not what a loop over whole numbers gives.
extern "C" __global__ void check(const float* d, u32* wrong, int m, int n, int k, int every)
{
    for (int at = (blockIdx.x * blockDim.x + threadIdx.x) * every; at < m * n; at += gridDim.x * blockDim.x * every) {
        int sum = 0;
        for (int x = 0; x < k; ++x) sum += valueA(at / n, x) * valueB(at % n, x);
        if (d[at] != static_cast<float>(sum)) atomicAdd(wrong, 1u);
    }
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
            if (step >= kStages) wait(address(&empty[s]), (step / kStages - 1) & 1);
            if (rank == 0) arriveExpect(bar, 2 * kStageBytes);
            load(at, mapA, step % depths * kDepth, row0, bar);
            load(at + kBytesA, mapB, step % depths * kDepth, column0 + step / depths * kColumns + rank * (kColumns / 2), bar);
        }
    } else if (warp == 1 && rank == 0) {
        for (int step = 0; first && step < steps; ++step) {
            const int s = step % kStages, tile = step / depths, which = tile % 2;
            const u32 at = base + s * kStageBytes;
            if (step % depths == 0 && tile >= 2) wait(address(&taken[which]), (tile / 2 - 1) & 1);
            wait(address(&full[s]), (step / kStages) & 1);
            after();
            for (int depth = 0; depth < kDepth; depth += 16)
                mma(memory + which * kColumns, descriptor(at + depth * 2), descriptor(at + kBytesA + depth * 2), step % depths + depth);
            commit(address(&empty[s]));
            if (step % depths == depths - 1) commit(address(&sums[which]));
        }
    } else if (warp >= 4) {
        const int row = row0 + warp % 4 * 32 + threadIdx.x % 32;
        for (int tile = 0; tile < tiles; ++tile) {
            const int which = tile % 2;
            wait(address(&sums[which]), (tile / 2) & 1);
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
