// Attention forward on Hopper, fp16 with f32 sums, head size 64: O = softmax(scale * Q K^T) V, with or without a causal mask. Warps 8 and 9
// fill a ring of two stages each by tensor copies, of K and of V; two warpgroups of consumers take 64 queries each. They alternate by named barriers 1 and 2:
// while one multiplies Q with the next K, the other computes its softmax. P stays in registers, as A of the second product; V is read in its own layout, with
// its rows along the sum. O is stored through shared memory, a proxy fence and a tensor copy. nvcc -ptx -std=c++17 -arch=sm_90a attention_sm90.cu
#include <cuda_fp16.h>

#include "../copies.cuh"

constexpr int kQueries = 128, kKeys = 64, kHead = 64, kStages = 2;
constexpr int kTileQ = kQueries * kHead * 2, kTileK = kKeys * kHead * 2;

__device__ __forceinline__ void arrive(u32 bar) { asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory"); }
__device__ __forceinline__ void waitCta(u32 bar, u32 parity)
{
    u32 done;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done) : "r"(bar), "r"(parity) : "memory");
    } while (done == 0);
}
__device__ __forceinline__ void load(u32 to, const Map& map, int row, u32 bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(to), "l"(&map), "r"(0), "r"(row), "r"(bar) : "memory");
}
__device__ __forceinline__ void meet(u32 id, u32 threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
__device__ __forceinline__ void pass(u32 id, u32 threads) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
/// 128-byte swizzle, groups of eight rows 1024 bytes apart; the same bits for both orders.
__device__ __forceinline__ u64 descriptor(u32 at) { return u64{at >> 4} | u64{1} << 16 | u64{1024 >> 4} << 32 | u64{1} << 62; }

#define SUMS(d)                                                                                                                                     \
    "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]),            \
        "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),           \
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define REGISTERS "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}"

/// S (+)= Q K^T: both along the head.
__device__ __forceinline__ void scores(float (&d)[32], u64 q, u64 k, int add)
{
    asm volatile("{.reg .pred p; setp.ne.b32 p, %34, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " REGISTERS ", %32, %33, p, 1, 1, 0, 0;}"
                 : SUMS(d) : "l"(q), "l"(k), "r"(add));
}
/// O += P V: P from registers, V across.
__device__ __forceinline__ void values(float (&d)[32], const u32 (&p)[4], u64 v)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " REGISTERS ", {%32,%33,%34,%35}, %36, 1, 1, 1, 1;"
                 : SUMS(d) : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(v));
}
__device__ __forceinline__ void fenceOperands(float (&d)[32])
{
#pragma unroll
    for (int i = 0; i < 32; ++i) asm volatile("" : "+f"(d[i])::"memory");
}
__device__ __forceinline__ void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void waitProducts() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }
__device__ __forceinline__ float power(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ u32 pack(float low, float high)
{
    u32 both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}
/// Over the four threads that hold a row.
__device__ __forceinline__ float most(float x)
{
    x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
    return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ __forceinline__ float total(float x)
{
    x += __shfl_xor_sync(~0u, x, 1);
    return x + __shfl_xor_sync(~0u, x, 2);
}

struct Ring {
    u64 full[kStages], empty[kStages];
};

__device__ void produce(u32 base, Ring& ring, const Map& map, int row0, int blocks)
{
    for (int block = 0; block < blocks; ++block) {
        const int s = block % kStages;
        if (block >= kStages) waitCta(address(&ring.empty[s]), (block / kStages - 1) & 1);
        arriveExpect(address(&ring.full[s]), kTileK);
        load(base + s * kTileK, map, row0 + block * kKeys, address(&ring.full[s]));
    }
}

/// Turns the new scores into probabilities, and scales the sums so far.
__device__ __forceinline__ void softmax(float (&s)[32], float (&o)[32], float (&high)[2], float (&sum)[2], float scale, int diagonal)
{
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 % 4 * 16 + lane / 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        float top = high[half];
#pragma unroll
        for (int i = 0; i < 32; ++i) {
            if (i / 2 % 2 != half) continue;
            if (i / 4 * 8 + lane % 4 * 2 + i % 2 > row + 8 * half + diagonal) s[i] = -INFINITY;
            top = fmaxf(top, s[i]);
        }
        top = most(top);
        const float base = top == -INFINITY ? 0.0f : top * scale, shrink = power(high[half] * scale - base);
        high[half] = top;
        float part = 0;
#pragma unroll
        for (int i = 0; i < 32; ++i) {
            if (i / 2 % 2 != half) continue;
            s[i] = power(s[i] * scale - base);
            part += s[i];
            o[i] *= shrink;
        }
        sum[half] = sum[half] * shrink + part;
    }
}

/// Stores O of a warpgroup in the place of its queries, swizzled, and copies it from there to memory.
__device__ __forceinline__ void put(float (&o)[32], float (&sum)[2], u32 tile, int group, const Map& mapO, int row0)
{
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 % 4 * 16 + lane / 4;
    const float by[2] = {1.0f / total(sum[0]), 1.0f / total(sum[1])};
#pragma unroll
    for (int i = 0; i < 32; i += 2) {
        const int half = i / 2 % 2, line = row + 8 * half, unit = i / 4;
        asm volatile("st.shared.b32 [%0], %1;" ::"r"(tile + line * 128 + ((unit ^ line % 8) * 16) + lane % 4 * 4),
                     "r"(pack(o[i] * by[half], o[i + 1] * by[half])) : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    meet(3 + group, 128);
    if (threadIdx.x % 128 != 0) return;
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&mapO), "r"(0), "r"(row0), "r"(tile) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(320) attention(const __grid_constant__ Map mapQ, const __grid_constant__ Map mapK,
                                                            const __grid_constant__ Map mapV, const __grid_constant__ Map mapO, int length, int causal)
{
    extern __shared__ __align__(1024) char tiles[];
    __shared__ alignas(8) u64 queries;
    __shared__ Ring k, v;
    const int group = threadIdx.x / 128, row0 = blockIdx.y * length, query = row0 + blockIdx.x * kQueries;
    const int blocks = causal != 0 ? (blockIdx.x + 1) * kQueries / kKeys : length / kKeys;
    const u32 base = (address(tiles) + 1023) / 1024 * 1024;
    if (threadIdx.x == 0) {
        init(address(&queries), 1);
        for (int s = 0; s < kStages; ++s) {
            init(address(&k.full[s]), 1);
            init(address(&v.full[s]), 1);
            init(address(&k.empty[s]), 2);
            init(address(&v.empty[s]), 2);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (group == 2) {
        const bool first = threadIdx.x < 288;
        if (threadIdx.x % 32 == 0)
            produce(base + kTileQ + (first ? 0 : kStages * kTileK), first ? k : v, first ? mapK : mapV, row0, blocks);
        return;
    }
    const float scale = 0.125f * 1.44269504f;  // 1 / sqrt(64), to the base of two
    const u32 mine = base + group * 64 * kHead * 2;
    float s[32], o[32] = {}, high[2] = {-INFINITY, -INFINITY}, sum[2] = {};
    if (threadIdx.x == 0) {
        arriveExpect(address(&queries), kTileQ);
        load(base, mapQ, query, address(&queries));
    }
    if (group == 1) pass(1, 256);  // the first turn is the other's
    waitCta(address(&queries), 0);
    for (int block = 0; block < blocks; ++block) {
        const int stage = block % kStages, parity = block / kStages & 1;
        waitCta(address(&k.full[stage]), parity);
        meet(1 + group, 256);
        const u32 keys = base + kTileQ + stage * kTileK;
        fenceOperands(s);
        begin();
#pragma unroll
        for (int depth = 0; depth < kHead; depth += 16) scores(s, descriptor(mine + depth * 2), descriptor(keys + depth * 2), depth);
        commit();
        if (group == 0 || block + 1 < blocks) pass(2 - group, 256);
        waitProducts();
        fenceOperands(s);
        if (threadIdx.x % 128 == 0) arrive(address(&k.empty[stage]));
        const int diagonal = causal != 0 ? static_cast<int>(blockIdx.x) * kQueries + group * 64 - block * kKeys : kKeys;
        softmax(s, o, high, sum, scale, diagonal);
        u32 p[4][4];
#pragma unroll
        for (int i = 0; i < 16; ++i) p[i / 4][i % 4] = pack(s[2 * i], s[2 * i + 1]);
        waitCta(address(&v.full[stage]), parity);
        fenceOperands(o);
        begin();
#pragma unroll
        for (int i = 0; i < 4; ++i) values(o, p[i], descriptor(base + kTileQ + (kStages + stage) * kTileK + i * 16 * 128));
        commit();
        waitProducts();
        fenceOperands(o);
        if (threadIdx.x % 128 == 0) arrive(address(&v.empty[stage]));
    }
    put(o, sum, mine, group, mapO, query + group * 64);
}

/// A number between -1 and 1 for each element.
__device__ __forceinline__ float valueOf(u32 at)
{
    at = (at ^ 61u ^ at >> 16) * 9u;
    at = (at ^ at >> 4) * 0x27d4eb2du;
    return static_cast<float>((at ^ at >> 15) & 0xffff) / 32768.0f - 1.0f;
}

extern "C" __global__ void fill(__half* q, __half* k, __half* v, int count)
{
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x) {
        q[at] = __float2half_rn(2.0f * valueOf(at));
        k[at] = __float2half_rn(2.0f * valueOf(at + count));
        v[at] = __float2half_rn(valueOf(at + 2 * count));
    }
}

/// Counts elements of O whose error against a plain computation is larger than rounding P and O to halves explains. One thread for each element, one CTA for
/// each row: as many rows as CTAs, each at another place of its part of the queries.
extern "C" __global__ void check(const __half* q, const __half* k, const __half* v, const __half* o, u32* wrong, int length, int causal)
{
    const int part = length / gridDim.x, row = blockIdx.x * part + blockIdx.x % part, head = blockIdx.y, column = threadIdx.x;
    const size_t first = static_cast<size_t>(head) * length * kHead;
    const int keys = causal != 0 ? row + 1 : length;
    __shared__ float weight[2048], query[kHead];
    query[column] = __half2float(q[first + row * kHead + column]);
    __syncthreads();
    for (int i = column; i < keys; i += kHead) {
        float s = 0;
        for (int d = 0; d < kHead; ++d) s += query[d] * __half2float(k[first + i * kHead + d]);
        weight[i] = s * 0.125f;
    }
    __syncthreads();
    float top = -INFINITY, sum = 0, result = 0;
    for (int i = 0; i < keys; ++i) top = fmaxf(top, weight[i]);
    for (int i = 0; i < keys; ++i) {
        const float p = __expf(weight[i] - top);
        sum += p;
        result += p * __half2float(v[first + i * kHead + column]);
    }
    const float have = __half2float(o[first + row * kHead + column]);
    if (!(fabsf(have - result / sum) < 2e-3f)) atomicAdd(wrong, 1u);
}
