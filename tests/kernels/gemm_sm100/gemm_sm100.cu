// D = A * B^T in fp16 with f32 sums on Blackwell, one task a warp. Warp 0 fills a ring of four stages by tensor copies (TMA, 128-byte swizzle), one
// thread of warp 1 issues the products (tcgen05.mma, 128 x 64), warp 2 allocates tensor memory, and warps 4 to 7 copy the sums from tensor memory to global
// memory. There are two accumulators: while one is copied, the next tile is summed up in the other. full[s] counts the bytes of both copies of a stage.
// tcgen05.commit arrives at empty[s] and sums[i], one thread of each of the four warps at taken[i].
// A CTA has `tiles` tiles side by side. A and B are K-major.
// nvcc -ptx -std=c++17 -arch=sm_100a gemm_sm100.cu
#include "../blackwell.cuh"
#include "../whole_numbers.cuh"

constexpr int kRows = 128, kColumns = 64, kDepth = 64, kStages = 4;
constexpr int kBytesA = kRows * kDepth * 2, kBytesB = kColumns * kDepth * 2, kStageBytes = kBytesA + kBytesB;
constexpr unsigned kProduct = 1u << 4 | kColumns / 8 << 17 | kRows / 16 << 24;  // f16 times f16, sums in f32

__device__ __forceinline__ void arrive(u32 bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory"); }
/// K-major, 128-byte swizzle: groups of eight rows are 1024 bytes apart.
__device__ __forceinline__ u64 descriptor(u32 at) { return u64{at >> 4} | u64{1024 >> 4} << 32 | u64{1} << 46 | u64{2} << 61; }
__device__ __forceinline__ void mma(u32 sums, u64 a, u64 b, u32 more)
{
    asm volatile("{.reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;}"
                 ::"r"(sums), "l"(a), "l"(b), "r"(kProduct), "r"(more) : "memory");
}
extern "C" __global__ void __launch_bounds__(256) gemm(const __grid_constant__ Map mapA, const __grid_constant__ Map mapB, float* d, int n, int k, int tiles)
{
    extern __shared__ __align__(1024) char ring[];
    __shared__ alignas(8) u64 full[kStages], empty[kStages], sums[2], taken[2];
    __shared__ u32 place;
    const int warp = threadIdx.x / 32;
    const bool first = threadIdx.x % 32 == 0;
    const int row0 = blockIdx.y * kRows, column0 = blockIdx.x * tiles * kColumns;
    const u32 base = (address(ring) + 1023) / 1024 * 1024;
    if (threadIdx.x == 0) {
        for (int s = 0; s < kStages; ++s) {
            init(address(&full[s]), 1);
            init(address(&empty[s]), 1);
        }
        for (int i = 0; i < 2; ++i) {
            init(address(&sums[i]), 1);
            init(address(&taken[i]), 4);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (warp == 2)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(address(&place)), "n"(2 * kColumns) : "memory");
    before();
    __syncthreads();
    after();
    const u32 memory = *static_cast<volatile u32*>(&place);
    const int depths = k / kDepth, steps = depths * tiles;
    if (warp == 0) {
        for (int step = 0; first && step < steps; ++step) {
            const int s = step % kStages;
            const u32 at = base + s * kStageBytes, bar = address(&full[s]);
            if (step >= kStages) wait(address(&empty[s]), (step / kStages - 1) & 1);
            arriveExpect(bar, kStageBytes);
            load(at, mapA, step % depths * kDepth, row0, bar);
            load(at + kBytesA, mapB, step % depths * kDepth, column0 + step / depths * kColumns, bar);
        }
    } else if (warp == 1) {
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
            float v[kColumns / 16][16];
            for (int part = 0; part < kColumns / 16; ++part)
                bring(v[part], memory + which * kColumns + part * 16 + (warp % 4 << 21));
            asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
            before();
            __syncwarp();
            if (first) arrive(address(&taken[which]));
            float* out = d + static_cast<size_t>(row) * n + column0 + tile * kColumns;
            for (int i = 0; i < kColumns; ++i) out[i] = v[i / 16][i % 16];
        }
    }
    before();
    __syncthreads();
    after();
    if (warp == 2) {
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(memory), "n"(2 * kColumns));
    }
}
