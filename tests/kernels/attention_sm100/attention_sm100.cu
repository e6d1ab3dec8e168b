// Attention forward for one head of 64 dimensions on Blackwell: 256 queries a CTA in two halves of 128, keys in blocks of 64. One thread of warp 12 issues S =
// Q * K^T of each half, and O += P * V with P in tensor memory. Two warpgroups, one for each half, compute P from S (softmax, a thread a row) and keep the
// greatest element of each row so far. A third warpgroup corrects O in tensor memory by the growth of that element, and writes O in the end. While P of one
// half is computed, the tensor core works on the other half. Warp 13 loads Q, K and V (TMA, 128-byte swizzle), warp 14 allocates tensor memory. tcgen05.commit
// arrives at scores[h], sums[h] and the empty stages of K and V; all 128 threads of a warpgroup at weights[h], scales[h], read[h], corrected[h]. nvcc -ptx
// -std=c++17 -arch=sm_100a attention_sm100.cu
#include <cuda_fp16.h>

#include "../blackwell.cuh"

constexpr int kHead = 64, kHalf = 128, kKeys = 64, kStages = 2;
constexpr int kBytesQ = kHalf * kHead * 2, kBytesK = kKeys * kHead * 2;
constexpr unsigned kScores = 1u << 4 | kKeys / 8 << 17 | kHalf / 16 << 24, kSums = kScores | 1u << 16;  // of B transposed: V has a row for each key
// Columns of tensor memory.
constexpr int kAtS = 0, kAtO = 128, kAtP = 256, kColumns = 512;

__device__ __forceinline__ void arrive(u32 bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory"); }
/// 128-byte swizzle: groups of eight rows are 1024 bytes apart, of Q and K along the rows, of V along K.
__device__ __forceinline__ u64 descriptor(u32 at) { return u64{at >> 4} | u64{1024 >> 4} << 32 | u64{1} << 46 | u64{2} << 61; }
__device__ __forceinline__ void multiply(u32 scores, u32 q, u32 k)
{
    for (int depth = 0; depth < kHead; depth += 16)
        asm volatile("{.reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;}"
                     ::"r"(scores), "l"(descriptor(q + depth * 2)), "l"(descriptor(k + depth * 2)), "r"(kScores), "r"(depth) : "memory");
}
__device__ __forceinline__ void add(u32 sums, u32 p, u32 v, u32 more)
{
    for (int key = 0; key < kKeys; key += 16)
        asm volatile("{.reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p;}"
                     ::"r"(sums), "r"(p + key / 2), "l"(descriptor(v + key * kHead * 2)), "r"(kSums), "r"(more + key) : "memory");
}
/// 32 columns of the warp's 32 rows.
__device__ __forceinline__ void bring(float (&v)[32], u32 from)
{
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, [%32];"
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]), "=f"(v[4]), "=f"(v[5]), "=f"(v[6]), "=f"(v[7]), "=f"(v[8]), "=f"(v[9]), "=f"(v[10]), "=f"(v[11]), "=f"(v[12]), "=f"(v[13]), "=f"(v[14]), "=f"(v[15]), "=f"(v[16]), "=f"(v[17]), "=f"(v[18]), "=f"(v[19]), "=f"(v[20]), "=f"(v[21]), "=f"(v[22]), "=f"(v[23]), "=f"(v[24]), "=f"(v[25]), "=f"(v[26]), "=f"(v[27]), "=f"(v[28]), "=f"(v[29]), "=f"(v[30]), "=f"(v[31])
                 : "r"(from));
}
__device__ __forceinline__ void put(u32 to, const u32 (&v)[32])
{
    asm volatile("tcgen05.st.sync.aligned.32x32b.x32.b32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32};"
                 ::"r"(to), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]), "r"(v[6]), "r"(v[7]), "r"(v[8]), "r"(v[9]), "r"(v[10]), "r"(v[11]), "r"(v[12]), "r"(v[13]), "r"(v[14]), "r"(v[15]), "r"(v[16]), "r"(v[17]), "r"(v[18]), "r"(v[19]), "r"(v[20]), "r"(v[21]), "r"(v[22]), "r"(v[23]), "r"(v[24]), "r"(v[25]), "r"(v[26]), "r"(v[27]), "r"(v[28]), "r"(v[29]), "r"(v[30]), "r"(v[31]) : "memory");
}
__device__ __forceinline__ void brought() { asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void written() { asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory"); }

__device__ __forceinline__ float value(int i, int which) { return static_cast<float>((i * (7 + 4 * which) + i / 64 * (3 + which)) % 17 - 8) / 8.0f; }

extern "C" __global__ void fill(__half* q, __half* k, __half* v, int count)
{
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
        q[at] = __float2half_rn(value(at, 0));
        k[at] = __float2half_rn(value(at, 1));
        v[at] = __float2half_rn(value(at, 2));
    }
}

/// One CTA for each query: counts elements whose error is larger than the rounding of halves explains.
extern "C" __global__ void check(const __half* q, const __half* k, const __half* v, const float* o, u32* wrong, int length)
{
    const int part = length / gridDim.x, row = blockIdx.x * part + blockIdx.x % part, column = threadIdx.x;
    __shared__ float weight[2048], query[kHead];
    query[column] = __half2float(q[row * kHead + column]);
    __syncthreads();
    for (int i = column; i < length; i += kHead) {
        float s = 0;
        for (int d = 0; d < kHead; ++d) s += query[d] * __half2float(k[i * kHead + d]);
        weight[i] = s * 0.125f;
    }
    __syncthreads();
    float top = -INFINITY, sum = 0, result = 0;
    for (int i = 0; i < length; ++i) top = fmaxf(top, weight[i]);
    for (int i = 0; i < length; ++i) {
        const float p = __expf(weight[i] - top);
        sum += p;
        result += p * __half2float(v[i * kHead + column]);
    }
    if (!(fabsf(o[row * kHead + column] - result / sum) < 2e-3f)) atomicAdd(wrong, 1u);
}

struct Shared {
    u64 queries[2], fullK[kStages], emptyK[kStages], fullV[kStages], emptyV[kStages];
    u64 scores[2], weights[2], sums[2], scales[2], read[2], corrected[2];
    float scale[2][kHalf];
    u32 place;
};

/// P of a block, and the factor for O, from S.
__device__ __forceinline__ void softmax(Shared& shared, int half, u32 lanes, u32 memory, int blocks)
{
    constexpr float kLog2 = 0.125f * 1.44269504f;
    const int row = threadIdx.x % kHalf;
    float top = -INFINITY, sum = 0;
    for (int block = 0; block < blocks; ++block) {
        float s[2][32];
        wait(address(&shared.scores[half]), block & 1);
        after();
        for (int part = 0; part < 2; ++part) bring(s[part], memory + lanes + kAtS + half * kKeys + part * 32);
        brought();
        float most = top;
        for (int i = 0; i < kKeys; ++i) most = fmaxf(most, s[i / 32][i % 32]);
        const float scale = exp2f((top - most) * kLog2);
        top = most;
        if (block > 0) wait(address(&shared.read[half]), (block - 1) & 1);
        shared.scale[half][row] = scale;
        arrive(address(&shared.scales[half]));
        u32 p[32];
        float more = 0;
        for (int i = 0; i < 32; ++i) {
            const float low = exp2f((s[i / 16][i % 16 * 2] - top) * kLog2), high = exp2f((s[i / 16][i % 16 * 2 + 1] - top) * kLog2);
            const __half2 both = __floats2half2_rn(low, high);
            p[i] = *reinterpret_cast<const u32*>(&both);
            more += low + high;
        }
        sum = sum * scale + more;
        if (block > 0) wait(address(&shared.sums[half]), (block - 1) & 1);  // the last P has been multiplied
        after();
        put(memory + lanes + kAtP + half * 32, p);
        written();
        before();
        arrive(address(&shared.weights[half]));
    }
    wait(address(&shared.read[half]), (blocks - 1) & 1);
    shared.scale[half][row] = sum;
    arrive(address(&shared.scales[half]));
}

/// Before a block is added to O, O is corrected; in the end it is divided by the sum of the weights.
__device__ __forceinline__ void correct(Shared& shared, u32 lanes, u32 memory, int blocks, float* out)
{
    const int row = threadIdx.x % kHalf;
    for (int block = 0; block <= blocks; ++block) {
        for (int half = 0; half < 2; ++half) {
            wait(address(&shared.scales[half]), block & 1);
            const float scale = shared.scale[half][row];
            arrive(address(&shared.read[half]));
            if (block > 0) wait(address(&shared.sums[half]), (block - 1) & 1);
            after();
            const u32 at = memory + lanes + kAtO + half * kHead;
            const bool ends = block == blocks;
            if (block > 0 && (ends || __any_sync(~0u, scale != 1.0f))) {
                for (int part = 0; part < 2; ++part) {
                    float o[32];
                    bring(o, at + part * 32);
                    brought();
                    u32 bits[32];
                    for (int i = 0; i < 32; ++i) {
                        o[i] = ends ? o[i] / scale : o[i] * scale;
                        bits[i] = __float_as_uint(o[i]);
                    }
                    if (ends) {
                        for (int i = 0; i < 32; ++i) out[(half * kHalf + row) * kHead + part * 32 + i] = o[i];
                    } else {
                        put(at + part * 32, bits);
                        written();
                    }
                }
            }
            before();
            if (!ends) arrive(address(&shared.corrected[half]));
        }
    }
}

__device__ __forceinline__ void loads(Shared& shared, const Map& q, const Map& k, const Map& v, u32 base, int row0, int blocks)
{
    const u32 ringK = base + 2 * kBytesQ, ringV = ringK + kStages * kBytesK;
    for (int half = 0; half < 2; ++half) {
        arriveExpect(address(&shared.queries[half]), kBytesQ);
        load(base + half * kBytesQ, q, 0, row0 + half * kHalf, address(&shared.queries[half]));
    }
    for (int block = 0; block < blocks; ++block) {
        const int s = block % kStages;
        if (block >= kStages) wait(address(&shared.emptyK[s]), (block / kStages - 1) & 1);
        arriveExpect(address(&shared.fullK[s]), kBytesK);
        load(ringK + s * kBytesK, k, 0, block * kKeys, address(&shared.fullK[s]));
        if (block >= kStages) wait(address(&shared.emptyV[s]), (block / kStages - 1) & 1);
        arriveExpect(address(&shared.fullV[s]), kBytesK);
        load(ringV + s * kBytesK, v, 0, block * kKeys, address(&shared.fullV[s]));
    }
}

__device__ __forceinline__ void products(Shared& shared, u32 base, u32 memory, int blocks)
{
    const u32 ringK = base + 2 * kBytesQ, ringV = ringK + kStages * kBytesK;
    const auto score = [&](int half, int block) {
        multiply(memory + kAtS + half * kKeys, base + half * kBytesQ, ringK + block % kStages * kBytesK);
        commit(address(&shared.scores[half]));
        if (half == 1) commit(address(&shared.emptyK[block % kStages]));
    };
    wait(address(&shared.fullK[0]), 0);
    for (int half = 0; half < 2; ++half) {
        wait(address(&shared.queries[half]), 0);
        after();
        score(half, 0);
    }
    for (int block = 0; block < blocks; ++block) {
        for (int half = 0; half < 2; ++half) {
            wait(address(&shared.weights[half]), block & 1);  // S was read, and P is there
            if (block + 1 < blocks) {
                wait(address(&shared.fullK[(block + 1) % kStages]), ((block + 1) / kStages) & 1);
                after();
                score(half, block + 1);
            }
            wait(address(&shared.corrected[half]), block & 1);
            wait(address(&shared.fullV[block % kStages]), (block / kStages) & 1);
            after();
            add(memory + kAtO + half * kHead, memory + kAtP + half * 32, ringV + block % kStages * kBytesK, block);
            commit(address(&shared.sums[half]));
        }
        commit(address(&shared.emptyV[block % kStages]));
    }
}

extern "C" __global__ void __launch_bounds__(512) attention(const __grid_constant__ Map q, const __grid_constant__ Map k, const __grid_constant__ Map v, float* o, int length)
{
    extern __shared__ __align__(1024) char tiles[];
    __shared__ Shared shared;
    const int warp = threadIdx.x / 32, row0 = blockIdx.x * 2 * kHalf, blocks = length / kKeys;
    const u32 base = (address(tiles) + 1023) / 1024 * 1024;
    if (threadIdx.x == 0) {
        for (u64* bar = shared.queries; bar < shared.weights; ++bar) init(address(bar), 1);
        for (int half = 0; half < 2; ++half) {
            init(address(&shared.weights[half]), kHalf);
            init(address(&shared.sums[half]), 1);
            init(address(&shared.scales[half]), kHalf);
            init(address(&shared.read[half]), kHalf);
            init(address(&shared.corrected[half]), kHalf);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (warp == 14) {
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(address(&shared.place)), "n"(kColumns) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    }
    before();
    __syncthreads();
    after();
    const u32 memory = *static_cast<volatile u32*>(&shared.place), lanes = warp % 4 << 21;
    if (warp < 8) softmax(shared, warp / 4, lanes, memory, blocks);
    else if (warp < 12) correct(shared, lanes, memory, blocks, o + static_cast<size_t>(row0) * kHead);
    else if (warp == 12 && threadIdx.x % 32 == 0) products(shared, base, memory, blocks);
    else if (warp == 13 && threadIdx.x % 32 == 0) loads(shared, q, k, v, base, row0, blocks);
    __syncwarp();
    before();
    __syncthreads();
    after();
    if (warp == 14) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(memory), "n"(kColumns));
}
