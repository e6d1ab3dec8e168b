// D = A * B^T in fp16 with f32 sums on Hopper: warp 8 fills a ring of four stages by tensor copies (TMA, 128-byte swizzle), two
// warpgroups of consumers multiply 64 x 64 tiles each with wgmma. Two CTAs, one below the other, are a cluster and share B: each loads half of it for
// both (multicast). full[s] counts the bytes of all copies into its CTA; one thread of each warpgroup of both CTAs arrives at empty[s]. In the end the
// warpgroups meet at a named barrier, and each stores its tile through the ring's memory, after a named barrier of its own; no CTA exits before both are done.
// A and B are K-major. nvcc -ptx -std=c++17 -arch=sm_90a gemm_sm90.cu
#include "../whole_numbers.cuh"

constexpr int kRows = 128, kColumns = 64, kDepth = 64, kStages = 4, kCluster = 2;
constexpr int kBytesA = kRows * kDepth * 2, kBytesB = kColumns * kDepth * 2, kStageBytes = kBytesA + kBytesB;

/// Arrives on the barrier at the same place in a CTA of the cluster.
__device__ __forceinline__ void arrive(u32 bar, u32 rank)
{
    asm volatile("{.reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];}"
                 ::"r"(bar), "r"(rank) : "memory");
}
/// Copies to the same place in both CTAs, and completes on the barrier of each.
__device__ __forceinline__ void loadForAll(u32 to, const Map& map, int x, int y, u32 bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                 ::"r"(to), "l"(&map), "r"(x), "r"(y), "r"(bar), "h"(static_cast<short>((1 << kCluster) - 1)) : "memory");
}
__device__ __forceinline__ void barrier(u32 id, u32 threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
/// K-major, 128-byte swizzle: groups of eight rows are 1024 bytes apart.
__device__ __forceinline__ u64 descriptor(u32 at) { return u64{at >> 4} | u64{1} << 16 | u64{1024 >> 4} << 32 | u64{1} << 62; }
__device__ __forceinline__ void mma(float (&d)[32], u64 a, u64 b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
                 "%32, %33, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]),
                   "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
                   "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                   "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b));
}

extern "C" __global__ void __cluster_dims__(1, kCluster, 1) __launch_bounds__(288) gemm(const __grid_constant__ Map mapA, const __grid_constant__ Map mapB, float* d, int n, int k)
{
    extern __shared__ __align__(1024) char ring[];
    __shared__ alignas(8) u64 full[kStages], empty[kStages];
    const int warp = threadIdx.x / 32, group = warp / 4;
    const int row0 = blockIdx.y * kRows, column0 = blockIdx.x * kColumns;
    const u32 rank = blockIdx.y % kCluster;
    const u32 base = (address(ring) + 1023) / 1024 * 1024;
    if (threadIdx.x == 0) {
        for (int s = 0; s < kStages; ++s) {
            init(address(&full[s]), 1);
            init(address(&empty[s]), 2 * kCluster);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    meetCluster();  // the other CTA's barriers are there
    const int steps = k / kDepth;
    if (group == 2) {
        for (int step = 0; threadIdx.x % 32 == 0 && step < steps; ++step) {
            const int s = step % kStages;
            const u32 at = base + s * kStageBytes, bar = address(&full[s]);
            if (step >= kStages) waitCluster(address(&empty[s]), (step / kStages - 1) & 1);
            arriveExpect(bar, kStageBytes);
            load(at, mapA, step * kDepth, row0, bar);
            loadForAll(at + kBytesA + rank * (kBytesB / kCluster), mapB, step * kDepth, column0 + rank * (kColumns / kCluster), bar);
        }
        __syncwarp();
        meetCluster();
        return;
    }
    float sums[32] = {};
    for (int step = 0; step < steps; ++step) {
        const int s = step % kStages;
        const u32 at = base + s * kStageBytes;
        waitCluster(address(&full[s]), (step / kStages) & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int depth = 0; depth < kDepth; depth += 16)
            mma(sums, descriptor(at + group * 64 * kDepth * 2 + depth * 2), descriptor(at + kBytesA + depth * 2));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (threadIdx.x % 128 < kCluster) arrive(address(&empty[s]), threadIdx.x % 128);
    }
    barrier(1, 256);  // nobody reads the ring any more
    const u32 tile = base + group * 64 * kColumns * 4;
    const int lane = threadIdx.x % 32, top = warp % 4 * 16 + lane / 4;
    for (int i = 0; i < 32; ++i) {
        const int row = top + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        asm volatile("st.shared.f32 [%0], %1;" ::"r"(tile + (row * kColumns + column) * 4), "f"(sums[i]) : "memory");
    }
    barrier(2 + group, 128);
    for (int i = threadIdx.x % 128; i < 64 * kColumns; i += 128) {
        float value;
        asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(tile + i * 4) : "memory");
        d[static_cast<size_t>(row0 + group * 64 + i / kColumns) * n + column0 + i % kColumns] = value;
    }
    meetCluster();
}
