// Softmax of each row, one cluster of four CTAs per row. In a CTA warp 0 loads tiles into a double buffer and warps 1..3 fold them
// (named barriers: full 1 and 2, empty 3 and 4, fold 5); the four partial results meet through distributed shared memory (cluster barrier).
// nvcc -ptx -std=c++17 -arch=sm_90a cluster_softmax.cu
constexpr int kTile = 96;
constexpr int kRanks = 4;

__device__ __forceinline__ void barSync(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
__device__ __forceinline__ void barArrive(int id, int threads) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

__device__ __forceinline__ float peer(const float* address, int rank)
{
    unsigned local = static_cast<unsigned>(__cvta_generic_to_shared(address)), mapped;
    float value;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(local), "r"(rank));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(mapped) : "memory");
    return value;
}

__device__ __forceinline__ void fold(float& max, float& sum, float otherMax, float otherSum)
{
    const float top = fmaxf(max, otherMax);
    sum = sum * exp2f(max - top) + otherSum * exp2f(otherMax - top);
    max = top;
}

extern "C" __global__ void __cluster_dims__(kRanks, 1, 1) cluster_softmax(const float* in, float* out, int columns)
{
    __shared__ float stage[2][kTile];
    __shared__ float warpMax[3], warpSum[3];
    __shared__ float ctaMax, ctaSum;
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    const int slice = columns / kRanks, tiles = slice / kTile;
    const float* source = in + (blockIdx.x / kRanks) * columns + rank * slice;
    float* target = out + (blockIdx.x / kRanks) * columns + rank * slice;

    if (warp == 0) {
        for (int t = 0; t < tiles; ++t) {
            const int buffer = t & 1;
            if (t >= 2) barSync(3 + buffer, 128);
            for (int i = lane; i < kTile; i += 32) stage[buffer][i] = source[t * kTile + i] * 1.4426950408889634f;
            barArrive(1 + buffer, 128);
        }
    } else {
        float max = -3.0e38f, sum = 0.0f;
        for (int t = 0; t < tiles; ++t) {
            const int buffer = t & 1;
            barSync(1 + buffer, 128);
            fold(max, sum, stage[buffer][tid - 32], 1.0f);
            if (t + 2 < tiles) barArrive(3 + buffer, 128);
        }
        for (int step = 16; step > 0; step /= 2)
            fold(max, sum, __shfl_xor_sync(~0u, max, step), __shfl_xor_sync(~0u, sum, step));
        if (lane == 0) {
            warpMax[warp - 1] = max;
            warpSum[warp - 1] = sum;
        }
        barSync(5, 96);
        if (tid == 32) {
            fold(max, sum, warpMax[1], warpSum[1]);
            fold(max, sum, warpMax[2], warpSum[2]);
            ctaMax = max;
            ctaSum = sum;
        }
    }
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    float max = peer(&ctaMax, 0), sum = peer(&ctaSum, 0);
    for (int r = 1; r < kRanks; ++r) fold(max, sum, peer(&ctaMax, r), peer(&ctaSum, r));
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");  // last remote read is done
    for (int i = tid; i < slice; i += 128) target[i] = exp2f(source[i] * 1.4426950408889634f - max) / sum;
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
