// Benchmark: a ring of four stages filled by bulk copies. In pipeline_all one of eight warps copies and seven consume every tile together; in
// pipeline_deal four copy and four consume, each pair at a stage of its own. One hand-over is one tile through one stage.
// nvcc -ptx -std=c++17 -arch=sm_90 pipeline_loop.cu
using u32 = unsigned;
constexpr int kStages = 4, kConsumers = 7, kTile = 32 * kConsumers;

__device__ __forceinline__ u32 address(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ void wait(u32 bar, u32 parity)
{
    u32 done;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done) : "r"(bar), "r"(parity) : "memory");
    } while (done == 0);
}

template <bool kDeal> __device__ __forceinline__ void pipeline(const u32* in, u32* out, int tiles)
{
    constexpr int kArrivals = kDeal ? 1 : kConsumers;
    __shared__ alignas(128) u32 tile[kStages][kTile];
    __shared__ alignas(8) unsigned long long full[kStages], empty[kStages];
    const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    if (tid == 0) {
        for (int s = 0; s < kStages; ++s) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&full[s])) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(&empty[s])), "r"(kArrivals) : "memory");
        }
    }
    __syncthreads();
    constexpr int kWorkers = kDeal ? kStages : kConsumers, kStep = kDeal ? kStages : 1;
    if (warp >= kWorkers) {
        for (int t = warp - kWorkers; t < tiles; t += kStep) {
            const int s = t % kStages, round = t / kStages;
            const u32 bar = address(&full[s]);
            wait(address(&empty[s]), (round + 1) & 1);
            if (lane == 0) {
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(kTile * 4) : "memory");
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                             ::"r"(address(tile[s])), "l"(in + (t % 16) * kTile), "r"(kTile * 4), "r"(bar) : "memory");
            }
        }
        return;
    }
    u32 sum = 0;
    for (int t = kDeal ? warp : 0; t < tiles; t += kStep) {
        const int s = t % kStages, round = t / kStages;
        wait(address(&full[s]), round & 1);
        sum = sum * 3 + tile[s][tid];
        __syncwarp();
        if (lane == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(&empty[s])) : "memory");
    }
    out[tid] = sum;
}

extern "C" __global__ void pipeline_all(const u32* in, u32* out, int tiles) { pipeline<false>(in, out, tiles); }
extern "C" __global__ void pipeline_deal(const u32* in, u32* out, int tiles) { pipeline<true>(in, out, tiles); }
