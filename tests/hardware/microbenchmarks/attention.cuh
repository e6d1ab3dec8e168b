// Rows of attention's inner loop: what a warpgroup does with 64 x 192 products (96 of each thread) between two of them, in parts and all of it.
#pragma once
#include "tensor.cuh"

// Parts of a step. A row has 1 to 3 warpgroups that do the same.
enum : int {
    kMax = 1,       // the largest of each row, one after the other, and among four lanes
    kExp = 2,       // exponents, their sum, and two of them into a register
    kStore = 4,     // these by stmatrix
    kView = 8,      // and seen by the asynchronous proxy
    kFirst = 16,    // products of 64 x 192 before
    kSecond = 32,   // products of 64 x 64 with what was stored, under way during the maximum of the next step
    kTurns = 64,    // warpgroups give off products in turn, by named barriers
    kBeside = 128,  // another warpgroup gives off products of 64 x 64 all the time
    kIssue = 256,   // the clock stops when the products are given off
};
constexpr int kSteps = 8;
constexpr u32 kTile = 24576;  // what a warpgroup stores
constexpr u32 kAttentionBytes = 1024 + 8192 + 24576 + 3 * kTile;

#define LIST_90 LIST_60 ", " L8(6) ", " L8(7) ", " L8(8)
#define LIST_96 LIST_90 ", %90, %91, %92, %93, %94, %95"
#define O8OF(v, n) "+f"(v[n]), "+f"(v[n + 1]), "+f"(v[n + 2]), "+f"(v[n + 3]), "+f"(v[n + 4]), "+f"(v[n + 5]), "+f"(v[n + 6]), "+f"(v[n + 7])
#define O32OF(v, n) O8OF(v, n), O8OF(v, n + 8), O8OF(v, n + 16), O8OF(v, n + 24)

__device__ __forceinline__ void product192(float (&v)[96], u64 a, u64 b, bool add)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %98, 0;\nwgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 {" LIST_96
                 "}, %96, %97, p, 1, 1, 0, 0;\n}"
                 : O32OF(v, 0), O32OF(v, 32), O32OF(v, 64)
                 : "l"(a), "l"(b), "r"(u32(add))
                 : "memory");
}
__device__ __forceinline__ void product64(float (&v)[32], u64 a, u64 b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" LIST_32 "}, %32, %33, 1, 1, 1, 0, 0;" : O32OF(v, 0) : "l"(a), "l"(b) : "memory");
}
// The registers are written before the fence: the compiler must not write them behind it.
template <int Size>
__device__ __forceinline__ void productsBegin(float (&v)[Size])
{
#pragma unroll
    for (int i = 0; i < Size; ++i) asm volatile("" : "+f"(v[i])::"memory");
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void productsEnd() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int Open>
__device__ __forceinline__ void productsWait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Open) : "memory");
}
__device__ __forceinline__ float larger(float a, float b)
{
    float to;
    asm volatile("max.ftz.f32 %0, %1, %2;" : "=f"(to) : "f"(a), "f"(b));
    return to;
}
__device__ __forceinline__ float exponent(float of)
{
    float to;
    asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(to) : "f"(of));
    return to;
}
__device__ __forceinline__ float ofFour(float v)
{
    v = larger(v, __shfl_xor_sync(~0u, v, 2));
    return larger(v, __shfl_xor_sync(~0u, v, 1));
}

// Whether the counter has not got there, the same for all warps of the first warpgroup.
__device__ __forceinline__ bool notYet(u32 counter, u32 wanted)
{
    u32 any;
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %1, %2;\nbarrier.cta.red.or.pred p, 4, 128, p;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(any)
                 : "r"(counter), "r"(wanted)
                 : "memory");
    return any != 0;
}

// Row `lane % 16`, upper or lower half of 16 columns, of what a warp stores: blocks of 64 rows and 64 columns, swizzled.
__device__ __forceinline__ u32 placeOf(u32 tile, int columns)
{
    const u32 warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    return tile + columns / 4 * 8192 + warp * 2048 + lane % 16 * 128 + ((columns % 4 * 2 + lane / 16) ^ (lane % 8)) * 16;
}

// All measured warpgroups are through.
__device__ __forceinline__ void together(u32 groups) { asm volatile("bar.sync 5, %0;" ::"r"(128 * groups) : "memory"); }

// Shared memory of a row that measures warpgroups beside another one: a counter of those that are through, then the operands of products.
struct Stage {
    u32 at;
    volatile u32* over;
    u64 a, b;
    u32 group, groups;  // of the measured ones; the first warpgroup is none
    __device__ __forceinline__ u32 tile() const { return at + 9216 + 24576 + kTile * group; }
};
__device__ __forceinline__ Stage begin(unsigned char* bytes, u32 zero)
{
    for (u32 i = threadIdx.x; i < kAttentionBytes / 4; i += blockDim.x) reinterpret_cast<u32*>(bytes)[i] = zero;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    const u32 at = address(bytes);
    return {at, reinterpret_cast<volatile u32*>(bytes), descriptor(at + 1024), descriptor(at + 9216), threadIdx.x / 128 - 1, blockDim.x / 128 - 1};
}

// The first warpgroup, until the measured ones are through: products of 64 x N, 8 at a time and without a pause; N 0: none.
template <int N>
__device__ __forceinline__ void productsUntil(const Stage& x)
{
    float v[N == 0 ? 1 : N / 2];
    for (float& sum : v) sum = 0;
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        while (N != 0 && notYet(*x.over, u32(s + 1) * x.groups)) {
            productsBegin(v);
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                if constexpr (N == 64) product64(v, x.a, x.b);
                if constexpr (N == 192) product192(v, x.a, x.b, true);
            }
            productsEnd();
            productsWait<1>();
        }
        if (N != 0) productsWait<0>();
    }
    for (const float sum : v)
        if (sum != 0) *x.over = 0;
}

struct AttentionState {
    float scores[96], sum[32];
    float most[2], total[2];
};

template <int Parts>
__device__ __forceinline__ void attentionStep(AttentionState& x, u64 a, u64 b, u32 tile, float scale, u32 group, u32 groups)
{
    if (Parts & kTurns) asm volatile("bar.sync %0, 256;" ::"r"(1 + group) : "memory");
    if (Parts & kFirst) {
        productsBegin(x.scores);
#pragma unroll
        for (int i = 0; i < 4; ++i) product192(x.scores, a + 2 * i, b + 2 * i, i > 0);
        productsEnd();
    }
    if (Parts & kSecond) {
        productsBegin(x.sum);
#pragma unroll
        for (int i = 0; i < 12; ++i) product64(x.sum, descriptor(tile + i / 4 * 8192 + i % 4 * 32), b + 64 * i);
        productsEnd();
    }
    if (Parts & kTurns) asm volatile("bar.arrive %0, 256;" ::"r"(1 + (group + 1) % groups) : "memory");
    if (Parts & kIssue) return;
    if (Parts & kFirst) productsWait<(Parts & kSecond) ? 1 : 0>();
    float before[2] = {x.most[0], x.most[1]};
    if (Parts & kMax) {
#pragma unroll
        for (int i = 0; i < 96; ++i) x.most[i / 2 % 2] = larger(x.most[i / 2 % 2], x.scores[i]);
        x.most[0] = ofFour(x.most[0]), x.most[1] = ofFour(x.most[1]);
    }
    if (Parts & kSecond) {
        productsWait<0>();
        const float by[2] = {exponent((before[0] - x.most[0]) * scale), exponent((before[1] - x.most[1]) * scale)};
        x.total[0] *= by[0], x.total[1] *= by[1];
#pragma unroll
        for (int i = 0; i < 32; ++i) x.sum[i] *= by[i / 2 % 2];
    }
    if (Parts & kExp) {
        const float less[2] = {x.most[0] * scale, x.most[1] * scale};
#pragma unroll
        for (int i = 0; i < 96; i += 8) {
            u32 pair[4];
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                x.scores[i + j] = exponent(x.scores[i + j] * scale - less[j / 2 % 2]);
                x.total[j / 2 % 2] += x.scores[i + j];
            }
#pragma unroll
            for (int j = 0; j < 4; ++j) asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair[j]) : "f"(x.scores[i + 2 * j + 1]), "f"(x.scores[i + 2 * j]));
            if (Parts & kStore)
                asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(placeOf(tile, i / 8)),
                             "r"(pair[0]), "r"(pair[1]), "r"(pair[2]), "r"(pair[3])
                             : "memory");
        }
    }
    if (Parts & kView) asm volatile("fence.proxy.async.shared::cta;\nbar.warp.sync 0xffffffff;" ::: "memory");
}

template <int Parts>
__global__ void __launch_bounds__(512, 1) attention(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char bytes[];
    const Stage stage = begin(bytes, zero);
    const u32 group = stage.group, groups = stage.groups, tile = stage.tile();
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"((Parts & kBeside) ? 56 : 32));
        return productsUntil<(Parts & kBeside) ? 64 : 0>(stage);
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"((Parts & kBeside) ? 152 : 160));
    AttentionState x;
    const float scale = __uint_as_float(zero) + 0.125f;
    for (int i = 0; i < 96; ++i) x.scores[i] = __uint_as_float(zero + i);
    for (int i = 0; i < 32; ++i) x.sum[i] = 0;
    x.most[0] = x.most[1] = x.total[0] = x.total[1] = 0;
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        if ((Parts & kTurns) && group + 1 == groups) asm volatile("bar.arrive %0, 256;" ::"r"(1) : "memory");
        const u32 t0 = clk();
#pragma unroll 1
        for (int step = 0; step < ((Parts & kIssue) ? 1 : kSteps); ++step) attentionStep<Parts>(x, stage.a, stage.b, tile, scale, group, groups);
        if (!(Parts & kIssue)) together(groups);
        const u32 t1 = clk();
        if (Parts & kIssue) productsWait<0>();
        if ((Parts & kTurns) && group == 0) asm volatile("bar.sync %0, 256;" ::"r"(1) : "memory");
        if (threadIdx.x == 128) out.clocks[s] = t1 - t0;
        together(groups);
        if (threadIdx.x % 128 == 0) atomicAdd(const_cast<u32*>(stage.over), 1);
    }
    float all = x.total[0] + x.total[1];
    for (int i = 0; i < 32; ++i) all += x.sum[i];
    if (all == 12345) out.clocks[100] = zero;
}

// One kind of arithmetic, 16 independent results, while another warpgroup gives off products of 64 x N all the time (N 0: none).
enum class Arithmetic { Fma, FmaReuse, Add, Multiply, Max, Exponent, Pack, AddWhole, Move, Shuffle, Mix, Store, View, StoreView };
constexpr int kOperations = 128;

template <Arithmetic Kind>
__device__ __forceinline__ void arithmetic(float (&v)[16], u32 (&w)[16], int i, float c, float d, u32 place)
{
    float& x = v[i % 16];
    if constexpr (Kind == Arithmetic::Fma) asm volatile("fma.rn.ftz.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(v[(i + 5) % 16]), "f"(v[(i + 10) % 16]));
    if constexpr (Kind == Arithmetic::FmaReuse) asm volatile("fma.rn.ftz.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(c), "f"(d));
    if constexpr (Kind == Arithmetic::Add) asm volatile("add.ftz.f32 %0, %0, %1;" : "+f"(x) : "f"(v[(i + 5) % 16]));
    if constexpr (Kind == Arithmetic::Multiply) asm volatile("mul.ftz.f32 %0, %0, %1;" : "+f"(x) : "f"(c));
    if constexpr (Kind == Arithmetic::Max) asm volatile("max.ftz.f32 %0, %0, %1;" : "+f"(x) : "f"(v[(i + 5) % 16]));
    if constexpr (Kind == Arithmetic::Exponent) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
    if constexpr (Kind == Arithmetic::Pack) asm volatile("{\n.reg .b32 t;\ncvt.rn.bf16x2.f32 t, %0, %1;\nmov.b32 %0, t;\n}" : "+f"(x) : "f"(v[(i + 5) % 16]));
    if constexpr (Kind == Arithmetic::AddWhole) asm volatile("add.u32 %0, %0, %1;" : "+r"(w[i % 16]) : "r"(w[(i + 5) % 16]));
    if constexpr (Kind == Arithmetic::Move) asm volatile("prmt.b32 %0, %1, %2, 0x3210;" : "=r"(w[i % 16]) : "r"(w[(i + 5) % 16]), "r"(w[(i + 9) % 16]));
    if constexpr (Kind == Arithmetic::Shuffle) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+f"(x));
    if constexpr (Kind == Arithmetic::Store || Kind == Arithmetic::StoreView)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(place), "r"(w[i % 16]), "r"(w[(i + 1) % 16]),
                     "r"(w[(i + 2) % 16]), "r"(w[(i + 3) % 16])
                     : "memory");
    if constexpr (Kind == Arithmetic::View || Kind == Arithmetic::StoreView) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if constexpr (Kind == Arithmetic::Mix) {
        arithmetic<Arithmetic::FmaReuse>(v, w, i, c, d, place), arithmetic<Arithmetic::Exponent>(v, w, i, c, d, place), arithmetic<Arithmetic::Add>(v, w, i, c, d, place);
        if (i % 2 == 0) arithmetic<Arithmetic::Pack>(v, w, i, c, d, place);
    }
}

template <Arithmetic Kind, int N>
__global__ void __launch_bounds__(512, 1) beside(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char bytes[];
    const Stage stage = begin(bytes, zero);
    if (threadIdx.x < 128) return productsUntil<N>(stage);
    float v[16];
    u32 w[16];
    const float c = __uint_as_float(zero) + 0.5f, d = __uint_as_float(zero + 1);
    const u32 place = placeOf(stage.tile(), 0);
    for (int i = 0; i < 16; ++i) v[i] = __uint_as_float(zero + i), w[i] = zero + i;
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        const u32 t0 = clk();
#pragma unroll 1
        for (int again = 0; again < 4; ++again) {
#pragma unroll
            for (int i = 0; i < kOperations / 4; ++i) arithmetic<Kind>(v, w, i, c, d, place);
        }
        together(stage.groups);
        const u32 t1 = clk();
        if (threadIdx.x == 128) out.clocks[s] = t1 - t0;
        if (threadIdx.x % 128 == 0) atomicAdd(const_cast<u32*>(stage.over), 1);
    }
    float all = 0;
    for (int i = 0; i < 16; ++i) all += v[i] + __uint_as_float(w[i]);
    if (all == 12345) out.clocks[100] = zero;
}
