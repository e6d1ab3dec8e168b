// D = A * B^T in fp16 with f32 sums, by warps with one task each: warp 0 fills a ring of three stages with cp.async, four warps multiply
// tiles of 32 x 32 with ldmatrix and mma.sync. The producer's 32 threads arrive at full[s] when their copies are complete (cp.async.mbarrier.arrive.noinc), one
// thread of each consumer at empty[s]. A and B are K-major. nvcc -ptx -std=c++17 -arch=sm_80 gemm_sm80.cu
#include <cuda_fp16.h>

constexpr int kTile = 64, kDepth = 32, kStages = 3, kConsumers = 4, kPitch = kDepth + 8;  // the pitch spreads rows over the banks

using u32 = unsigned;

__device__ __forceinline__ u32 address(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ void init(u32 bar, u32 count) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory"); }
__device__ __forceinline__ void arrive(u32 bar) { asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" ::"r"(bar) : "memory"); }
__device__ __forceinline__ void arriveCopies(u32 bar) { asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(bar) : "memory"); }
__device__ __forceinline__ void copy16(u32 to, const void* from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory"); }
__device__ __forceinline__ void wait(u32 bar, u32 parity)
{
    u32 done;
    do {
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(bar), "r"(parity) : "memory");
    } while (done == 0);
}
__device__ __forceinline__ void load4(u32 (&r)[4], u32 from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(from) : "memory");
}
__device__ __forceinline__ void mma(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
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

/// Counts elements that differ from a loop over whole numbers.
extern "C" __global__ void check(const float* d, u32* wrong, int m, int n, int k)
{
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < m * n; at += gridDim.x * blockDim.x) {
        int sum = 0;
        for (int x = 0; x < k; ++x) sum += valueA(at / n, x) * valueB(at % n, x);
        if (d[at] != static_cast<float>(sum)) atomicAdd(wrong, 1u);
    }
}

extern "C" __global__ void __launch_bounds__(32 * (1 + kConsumers)) gemm(const __half* a, const __half* b, float* d, int n, int k)
{
    __shared__ alignas(16) __half tileA[kStages][kTile][kPitch];
    __shared__ alignas(16) __half tileB[kStages][kTile][kPitch];
    __shared__ alignas(8) unsigned long long full[kStages], empty[kStages];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
    if (threadIdx.x == 0) {
        for (int s = 0; s < kStages; ++s) {
            init(address(&full[s]), 32);
            init(address(&empty[s]), kConsumers);
        }
    }
    __syncthreads();
    const int steps = k / kDepth;
    if (warp == 0) {
        for (int step = 0; step < steps; ++step) {
            const int s = step % kStages;
            if (step >= kStages) wait(address(&empty[s]), (step / kStages - 1) & 1);
            for (int i = lane; i < kTile * kDepth / 8; i += 32) {
                const int row = i / (kDepth / 8), unit = i % (kDepth / 8) * 8;
                copy16(address(&tileA[s][row][unit]), a + static_cast<size_t>(row0 + row) * k + step * kDepth + unit);
                copy16(address(&tileB[s][row][unit]), b + static_cast<size_t>(column0 + row) * k + step * kDepth + unit);
            }
            arriveCopies(address(&full[s]));
        }
        return;
    }
    const int mine = (warp - 1) / 2 * 32, other = (warp - 1) % 2 * 32;
    float sums[2][4][4] = {};
    for (int step = 0; step < steps; ++step) {
        const int s = step % kStages;
        wait(address(&full[s]), (step / kStages) & 1);
        for (int depth = 0; depth < kDepth; depth += 16) {
            u32 ra[2][4], rb[2][4];
            for (int i = 0; i < 2; ++i) load4(ra[i], address(&tileA[s][mine + 16 * i + lane % 16][depth + lane / 16 * 8]));
            for (int j = 0; j < 2; ++j) load4(rb[j], address(&tileB[s][other + 16 * j + lane / 16 * 8 + lane % 8][depth + lane / 8 % 2 * 8]));
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 4; ++j) mma(sums[i][j], ra[i], rb[j / 2][j % 2 * 2], rb[j / 2][j % 2 * 2 + 1]);
        }
        __syncwarp();
        if (lane == 0) arrive(address(&empty[s]));
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
            for (int e = 0; e < 4; ++e)
                d[static_cast<size_t>(row0 + mine + 16 * i + lane / 4 + e / 2 * 8) * n + column0 + other + 8 * j + lane % 4 * 2 + e % 2] = sums[i][j][e];
}
