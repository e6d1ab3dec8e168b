// D = A * B^T of 4-bit floats (e2m1) with a scale factor (ue4m3) for every sixteen of them along K, f32 sums, on Blackwell. Warp 0 fills a ring of
// three stages: tensor copies load the numbers (64-byte swizzle), bulk copies the factors, in blocks of 512 bytes as tcgen05.cp needs them. One thread of warp
// 1 copies the factors to tensor memory (32 lanes to all four quarters) and issues the products; copies and products keep their order. Warp 2 allocates, warps
// 4 to 7 store the sums. A CTA has one tile of 128 x 64. nvcc -ptx -std=c++17 -arch=sm_100a gemm_fp4_sm100.cu
#include "../blackwell.cuh"

constexpr int kRows = 128, kColumns = 64, kDepth = 128, kStep = 64, kStages = 3, kSteps = kDepth / kStep;
constexpr int kBytesA = kRows * kDepth / 2, kBytesB = kColumns * kDepth / 2, kBlock = 512, kFactors = kSteps * kBlock;
constexpr int kStageBytes = kBytesA + kBytesB + 2 * kFactors;
constexpr unsigned kProduct = 1u << 7 | 1u << 10 | kColumns / 8 << 17 | kRows / 128 << 27;
constexpr int kScaleColumns = 4;  // of a block in tensor memory

using u8 = unsigned char;

__device__ __forceinline__ void loadBytes(u32 to, const u8* from, u32 bytes, u32 bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(to), "l"(from), "r"(bytes), "r"(bar) : "memory");
}
/// K-major, 64-byte swizzle: groups of eight rows are 512 bytes apart.
__device__ __forceinline__ u64 numbers(u32 at) { return u64{at >> 4} | u64{512 >> 4} << 32 | u64{1} << 46 | u64{4} << 61; }
/// 32 rows of 16 bytes, without swizzle.
__device__ __forceinline__ u64 factors(u32 at) { return u64{at >> 4} | u64{128 >> 4} << 32 | u64{1} << 46; }
__device__ __forceinline__ void copy(u32 to, u64 from)
{
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void mma(u32 sums, u64 a, u64 b, u32 factorsA, u32 factorsB, u32 more)
{
    asm volatile("{.reg .pred p; setp.ne.u32 p, %6, 0; tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%0], %1, %2, %3, [%4], [%5], p;}"
                 ::"r"(sums), "l"(a), "l"(b), "r"(kProduct), "r"(factorsA), "r"(factorsB), "r"(more) : "memory");
}

// Codes of e2m1 and of ue4m3. All products are multiples of 1/16 and small: every sum is exact.
__device__ __forceinline__ u32 codeA(int i, int k) { return (i * 7 + k * 3 + i * k) % 16; }
__device__ __forceinline__ u32 codeB(int j, int k) { return (j * 5 + k * 11 + 1) % 16; }
__device__ __forceinline__ int halves(u32 code)  // the value times two
{
    const int magnitude = (0xc8643210u >> (code % 8 * 4)) & 15;  // 0, 1, 2, 3, 4, 6, 8, 12
    return code < 8 ? magnitude : -magnitude;
}
/// 1/2, 1 or 2, as ue4m3 and as a power of two.
__device__ __forceinline__ int factorA(int i, int k) { return (i + k / 16) % 3; }
__device__ __forceinline__ int factorB(int j, int k) { return (j * 2 + k / 16) % 3; }
__device__ __forceinline__ u8 ue4m3(int which) { return static_cast<u8>((6 + which) << 3); }

/// A block of factors is that of 128 rows and four groups of sixteen along K: row r in bytes r % 32 * 16 + r / 32 * 4 and on.
__device__ __forceinline__ void fillFactors(u8* to, int at, int k, int rows, bool ofA)
{
    const int block = at / kBlock, byte = at % kBlock, step = block % (k / kStep), tile = block / (k / kStep);
    const int in = byte % 16 / 4 * 32 + byte / 16, row = tile * rows + in, depth = step * kStep + byte % 4 * 16;
    to[at] = in < rows ? ue4m3(ofA ? factorA(row, depth) : factorB(row, depth)) : 0;
}

extern "C" __global__ void fill(u8* a, u8* b, u8* scaleA, u8* scaleB, int m, int n, int k)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int at = first; at < (m + n) * k / 2; at += all) {
        const int row = at / (k / 2), column = at % (k / 2) * 2;
        if (row < m) a[at] = static_cast<u8>(codeA(row, column) | codeA(row, column + 1) << 4);
        else b[at - m * k / 2] = static_cast<u8>(codeB(row - m, column) | codeB(row - m, column + 1) << 4);
    }
    for (int at = first; at < m / kRows * (k / kStep) * kBlock; at += all) fillFactors(scaleA, at, k, kRows, true);
    for (int at = first; at < n / kColumns * (k / kStep) * kBlock; at += all) fillFactors(scaleB, at, k, kColumns, false);
}

/// Compares one element of `every` with a loop over whole numbers, and counts differences.
extern "C" __global__ void check(const float* d, u32* wrong, int m, int n, int k, int every)
{
    for (int at = (blockIdx.x * blockDim.x + threadIdx.x) * every; at < m * n; at += gridDim.x * blockDim.x * every) {
        int sum = 0;  // sixteenths
        const int i = at / n, j = at % n;
        for (int x = 0; x < k; ++x) sum += halves(codeA(i, x)) * halves(codeB(j, x)) << (factorA(i, x) + factorB(j, x));
        if (d[at] != static_cast<float>(sum) / 16.0f) atomicAdd(wrong, 1u);
    }
}

extern "C" __global__ void __launch_bounds__(256) gemm(const __grid_constant__ Map mapA, const __grid_constant__ Map mapB, const u8* scaleA, const u8* scaleB,
                                                       float* d, int n, int k)
{
    extern __shared__ __align__(1024) char ring[];
    __shared__ alignas(8) u64 full[kStages], empty[kStages], sums;
    __shared__ u32 place;
    const int warp = threadIdx.x / 32;
    const bool first = threadIdx.x % 32 == 0;
    const int row0 = blockIdx.y * kRows, column0 = blockIdx.x * kColumns;
    const u32 base = (address(ring) + 1023) / 1024 * 1024;
    if (threadIdx.x == 0) {
        for (int s = 0; s < kStages; ++s) {
            init(address(&full[s]), 1);
            init(address(&empty[s]), 1);
        }
        init(address(&sums), 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (warp == 2) {
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(address(&place)), "n"(2 * kColumns) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    }
    before();
    __syncthreads();
    after();
    const u32 memory = *static_cast<volatile u32*>(&place);
    const int stages = k / kDepth;
    if (warp == 0) {
        for (int step = 0; first && step < stages; ++step) {
            const int s = step % kStages;
            const u32 at = base + s * kStageBytes, bar = address(&full[s]);
            if (step >= kStages) wait(address(&empty[s]), (step / kStages - 1) & 1);
            arriveExpect(bar, kStageBytes);
            load(at, mapA, step * kDepth / 2, row0, bar);
            load(at + kBytesA, mapB, step * kDepth / 2, column0, bar);
            loadBytes(at + kBytesA + kBytesB, scaleA + (blockIdx.y * stages + step) * kFactors, kFactors, bar);
            loadBytes(at + kBytesA + kBytesB + kFactors, scaleB + (blockIdx.x * stages + step) * kFactors, kFactors, bar);
        }
    } else if (warp == 1) {
        for (int step = 0; first && step < stages; ++step) {
            const int s = step % kStages;
            const u32 at = base + s * kStageBytes, scales = memory + kColumns + s * kSteps * 2 * kScaleColumns;
            wait(address(&full[s]), (step / kStages) & 1);
            after();
            for (int part = 0; part < kSteps; ++part) {
                const u32 from = at + kBytesA + kBytesB + part * kBlock, to = scales + part * 2 * kScaleColumns;
                copy(to, factors(from));
                copy(to + kScaleColumns, factors(from + kFactors));
                mma(memory, numbers(at + part * kStep / 2), numbers(at + kBytesA + part * kStep / 2), to, to + kScaleColumns, step + part);
            }
            commit(address(&empty[s]));
            if (step == stages - 1) commit(address(&sums));
        }
    } else if (warp >= 4) {
        wait(address(&sums), 0);
        after();
        float* out = d + static_cast<size_t>(row0 + warp % 4 * 32 + threadIdx.x % 32) * n + column0;
        for (int part = 0; part < kColumns; part += 8) {
            float v[8];
            asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];"
                         : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]), "=f"(v[4]), "=f"(v[5]), "=f"(v[6]), "=f"(v[7])
                         : "r"(memory + part + (warp % 4 << 21)));
            asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
            for (int i = 0; i < 8; ++i) out[part + i] = v[i];
        }
    }
    before();
    __syncthreads();
    after();
    if (warp == 2) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(memory), "n"(2 * kColumns));
}
