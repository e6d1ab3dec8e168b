// Clocks of single operations, measured on a GPU and, by the same program, on GSU: each row is a few instructions between two readings of %clock.
//
//     nvcc -std=c++17 -gencode 'arch=compute_90a,code=[sm_90a,compute_90a]' -cudart shared -o microbenchmarks microbenchmarks.cu
//     ./microbenchmarks > h100.tsv                                                   on a GPU
//     gsu exec --timing hopper --unit rtl --sms 16 -- ./microbenchmarks > gsu.tsv    on GSU
//     ./microbenchmarks NAME ...                                                     these rows alone: names begin with NAME
//
// A line is: name, clocks (median), least, most, number of samples. Where a row repeats an operation n times the figure is per operation. What two readings
// of the clock cost by themselves (row "clock") is not taken off.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "../kernels/copies.cuh"

#pragma nv_diag_suppress 550  // not every row reads all that its operation writes

#define CHECK(call)                                                                            \
    do {                                                                                       \
        const cudaError_t result_ = (call);                                                    \
        if (result_ != cudaSuccess) {                                                          \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(result_));              \
            std::exit(1);                                                                      \
        }                                                                                      \
    } while (0)

// ---- small PTX -----------------------------------------------------------------------------------------------------------------------------------

__device__ __forceinline__ u32 clk()
{
    u32 t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}
__device__ __forceinline__ u64 globaltimer()
{
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
}
__device__ __forceinline__ u32 rank()
{
    u32 r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ __forceinline__ u32 mapa(u32 address, u32 cta)
{
    u32 to;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(address), "r"(cta));
    return to;
}
__device__ __forceinline__ void arrive(u32 bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory"); }
__device__ __forceinline__ void arriveRemote(u32 bar)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar) : "memory");
}
__device__ __forceinline__ u32 tryWait(u32 bar, u32 parity)
{
    u32 ok;
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(ok) : "r"(bar), "r"(parity) : "memory");
    return ok;
}
__device__ __forceinline__ u32 tryWaitHint(u32 bar, u32 parity, u32 ns)
{
    u32 ok;
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, %3;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(ok)
                 : "r"(bar), "r"(parity), "r"(ns)
                 : "memory");
    return ok;
}
__device__ __forceinline__ u32 testWait(u32 bar, u32 parity)
{
    u32 ok;
    asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(ok) : "r"(bar), "r"(parity) : "memory");
    return ok;
}
__device__ __forceinline__ void spin(u32 clocks)
{
    const u32 begin = clk();
    while (clk() - begin < clocks) {
    }
}

// ---- rows --------------------------------------------------------------------------------------------------------------------------------------------

struct Out {
    u32* clocks;  // one sample each
};

constexpr int kSamples = 9;  // of most rows; the first one, which loads instructions, is thrown away

// The clock, read when `value` is there: an instruction that may trap stands between.
__device__ __forceinline__ u32 clkAfter(u32 value)
{
    u32 t;
    asm volatile("{\n.reg .pred p;\nsetp.eq.u32 p, %1, 0x7fedcba9;\n@p trap;\nmov.u32 %0, %%clock;\n}" : "=r"(t) : "r"(value) : "memory");
    return t;
}

#define ROW_KERNEL(NAME, SETUP, BODY)                                 \
    __global__ void NAME(Out out, u32 zero)                           \
    {                                                                 \
        __shared__ alignas(1024) u32 tile[8192];                      \
        const u32 at = address(tile), lane = threadIdx.x % 32;  \
        for (u32 i = threadIdx.x; i < 8192; i += blockDim.x) tile[i] = 0; \
        __syncthreads();                                              \
        (void)at, (void)lane;                                         \
        SETUP;                                                        \
        for (int s = 0; s < kSamples; ++s) {                          \
            __syncwarp();                                             \
            BODY;                                                     \
        }                                                             \
    }
// One warp (or one thread of it) runs OP n times and 2 n times; the difference is told, so that what does not grow with n is not in it. RESULT (of 32 bits)
// is what the chain leads to.
#define CHAIN_TO(NAME, N, RESULT, SETUP, OP)                               \
    ROW_KERNEL(NAME, SETUP, for (int i = 0; i < 1; ++i) { OP; } const u32 t0 = clkAfter(RESULT); \
               _Pragma("unroll") for (int i = 0; i < N; ++i) { OP; }       \
               const u32 t1 = clkAfter(RESULT);                            \
               _Pragma("unroll") for (int i = 0; i < 2 * N; ++i) { OP; }   \
               const u32 t2 = clkAfter(RESULT); if (threadIdx.x == 0) out.clocks[s] = (t2 - t1) - (t1 - t0))
#define CHAIN(NAME, N, SETUP, OP) CHAIN_TO(NAME, N, zero, SETUP, OP)
#define CHAIN_V(NAME, N, SETUP, OP) CHAIN_TO(NAME, N, static_cast<u32>(v), SETUP, OP)
#define CHAIN_F(NAME, N, SETUP, OP) CHAIN_TO(NAME, N, __float_as_uint(static_cast<float>(f)), SETUP, OP)
// OP once, all of it.
#define SHOT(NAME, SETUP, OP)                               \
    ROW_KERNEL(NAME, SETUP, const u32 t0 = clk(); { OP; }   \
               const u32 t1 = clk(); if (threadIdx.x == 0) out.clocks[s] = t1 - t0)

SHOT(clockOnly, , )

// Arithmetic: dependent chains of 64.
CHAIN_F(fma32, 64, float f = __uint_as_float(zero), asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f)))
CHAIN_V(add32, 64, u32 v = zero, asm volatile("add.u32 %0, %0, %1;" : "+r"(v) : "r"(zero + 3)))
CHAIN_V(mad32, 64, u32 v = zero, asm volatile("mad.lo.u32 %0, %0, %1, %0;" : "+r"(v) : "r"(zero + 3)))
CHAIN_V(xor32, 64, u32 v = zero, asm volatile("xor.b32 %0, %0, %1;" : "+r"(v) : "r"(zero + 3)))
CHAIN_V(shf32, 64, u32 v = zero, asm volatile("shf.l.wrap.b32 %0, %0, %0, %1;" : "+r"(v) : "r"(zero + 3)))
CHAIN_V(popc32, 64, u32 v = zero, asm volatile("popc.b32 %0, %0;" : "+r"(v)))
CHAIN_V(add64, 64, u64 v = zero, asm volatile("add.u64 %0, %0, %1;" : "+l"(v) : "l"(u64(zero) + 3)))
CHAIN_F(fma64, 64, double f = zero, asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(f)))
CHAIN_F(ex2, 64, float f = __uint_as_float(zero), asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f)))
CHAIN_F(rcp, 64, float f = 1.0f + zero, asm volatile("rcp.approx.ftz.f32 %0, %0;" : "+f"(f)))
CHAIN_F(rsqrt, 64, float f = 1.0f + zero, asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(f)))
CHAIN_V(hfma2, 64, u32 v = zero, asm volatile("fma.rn.f16x2 %0, %0, %0, %0;" : "+r"(v)))
CHAIN_V(cvtF16, 64, u32 v = zero, asm volatile("{\n.reg .f32 f;\n.reg .b16 h;\nmov.b32 f, %0;\ncvt.rn.f16.f32 h, f;\ncvt.u32.u16 %0, h;\n}" : "+r"(v)))

// The warp.
CHAIN_V(voteBallot, 16, u32 v = lane, asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\nvote.sync.ballot.b32 %0, p, 0xffffffff;\n}" : "+r"(v)))
CHAIN_V(activeMask, 16, u32 v = 0, asm volatile("{\n.reg .u32 m;\nactivemask.b32 m;\nxor.b32 %0, %0, m;\n}" : "+r"(v)))
CHAIN_V(electOne, 16, u32 v = 0, asm volatile("{\n.reg .pred p;\nelect.sync %0|p, 0xffffffff;\n}" : "+r"(v)))
CHAIN_V(shflIdx, 16, u32 v = lane, asm volatile("shfl.sync.idx.b32 %0, %0, %0, 31, 0xffffffff;" : "+r"(v)))
CHAIN_V(matchAnySame, 8, u32 v = zero, asm volatile("match.any.sync.b32 %0, %0, 0xffffffff;" : "+r"(v)); v &= zero)
CHAIN_V(matchAny4, 8, u32 v = lane % 4, asm volatile("match.any.sync.b32 %0, %0, 0xffffffff;" : "+r"(v)))
CHAIN_V(matchAnyAll, 8, u32 v = lane, asm volatile("match.any.sync.b32 %0, %0, 0xffffffff;" : "+r"(v)))
CHAIN_V(matchAllSame, 8, u32 v = zero, asm volatile("{\n.reg .pred p;\nmatch.all.sync.b32 %0|p, %0, 0xffffffff;\n}" : "+r"(v)); v &= zero)
CHAIN_V(reduxAdd, 8, u32 v = lane, asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(v)); v += lane)
CHAIN_V(reduxMin, 8, u32 v = lane, asm volatile("redux.sync.min.u32 %0, %0, 0xffffffff;" : "+r"(v)); v += lane)
CHAIN_V(reduxOr, 8, u32 v = lane, asm volatile("redux.sync.or.b32 %0, %0, 0xffffffff;" : "+r"(v)); v += lane)
CHAIN(warpSync, 16, , asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"))
CHAIN(barrierSync, 16, , asm volatile("barrier.cta.sync 1, 32;" ::: "memory"))
CHAIN(barSyncOneWarp, 16, , asm volatile("bar.cta.sync 1, 32;" ::: "memory"))
CHAIN_V(barRedPopc, 16, u32 v = lane,
      asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\nbar.cta.red.popc.u32 %0, 1, 32, p;\n}" : "+r"(v)::"memory"))
SHOT(nanosleep0, , asm volatile("nanosleep.u32 0;" ::: "memory"))
SHOT(nanosleep100, , asm volatile("nanosleep.u32 100;" ::: "memory"))
SHOT(nanosleep1000, , asm volatile("nanosleep.u32 1000;" ::: "memory"))
SHOT(nanosleep10000, , asm volatile("nanosleep.u32 10000;" ::: "memory"))

// Fences with nothing under way, and behind a store to global memory.
CHAIN(fenceCta, 4, , asm volatile("fence.acq_rel.cta;" ::: "memory"))
CHAIN(fenceCluster, 4, , asm volatile("fence.acq_rel.cluster;" ::: "memory"))
CHAIN(fenceGpu, 4, , asm volatile("fence.acq_rel.gpu;" ::: "memory"))
CHAIN(fenceSys, 4, , asm volatile("fence.acq_rel.sys;" ::: "memory"))
CHAIN(fenceScCta, 4, , asm volatile("fence.sc.cta;" ::: "memory"))
CHAIN(fenceScCluster, 4, , asm volatile("fence.sc.cluster;" ::: "memory"))
CHAIN(fenceScGpu, 4, , asm volatile("fence.sc.gpu;" ::: "memory"))
CHAIN(fenceScSys, 4, , asm volatile("fence.sc.sys;" ::: "memory"))
CHAIN(fenceProxyAsync, 4, , asm volatile("fence.proxy.async;" ::: "memory"))
CHAIN(fenceProxyAsyncShared, 4, , asm volatile("fence.proxy.async.shared::cta;" ::: "memory"))
CHAIN(fenceMbarrierInit, 4, , asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"))
#define STORED(SCOPE)                                                                                              \
    out.clocks[64 + lane] = zero;                                                                                  \
    asm volatile("fence.acq_rel." SCOPE ";" ::: "memory")
SHOT(storeFenceCta, , STORED("cta"))
SHOT(storeFenceCluster, , STORED("cluster"))
SHOT(storeFenceGpu, , STORED("gpu"))
SHOT(storeFenceSys, , STORED("sys"))

// Shared memory.
CHAIN_V(ldShared, 16, u32 v = at + 4 * lane; u32 w, asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(w) : "r"(v)); v += w)
#define CONFLICT(WAYS) u32 v = at + lane * 4 * WAYS; u32 w
#define CONFLICT_OP(WAYS)                                                     \
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(w) : "r"(v)); \
    v += w
CHAIN_V(ldShared2way, 16, CONFLICT(2), CONFLICT_OP(2))
CHAIN_V(ldShared4way, 16, CONFLICT(4), CONFLICT_OP(4))
CHAIN_V(ldShared8way, 16, CONFLICT(8), CONFLICT_OP(8))
CHAIN_V(ldShared16way, 16, CONFLICT(16), CONFLICT_OP(16))
CHAIN_V(ldShared32way, 16, CONFLICT(32), CONFLICT_OP(32))
CHAIN_V(atomSharedOne, 8, u32 v = 0, if (lane == 0) asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(v) : "r"(at)))
CHAIN_V(atomSharedWarp, 8, u32 v = 0, asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(v) : "r"(at)))
CHAIN_V(atomSharedLanes, 8, u32 v = 0, asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(v) : "r"(at + 4 * lane)))
CHAIN_V(atomSharedCas, 8, u32 v = 0, if (lane == 0) asm volatile("atom.shared.cas.b32 %0, [%1], %0, %0;" : "+r"(v) : "r"(at)))
CHAIN_V(ldmatrixX4, 16, u32 v = at + lane * 16; u32 a; u32 b; u32 c,
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%0];" : "+r"(v), "=r"(a), "=r"(b), "=r"(c)::"memory");
      v += at + lane * 16)

// Global memory. out.clocks + 4096 holds zeros.
CHAIN_TO(ldGlobalL1, 8, static_cast<u32>(p), u64 p = reinterpret_cast<u64>(out.clocks + 4096) + 4 * lane; u32 v,
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
      p += v)
CHAIN_TO(ldGlobalL2, 8, static_cast<u32>(p), u64 p = reinterpret_cast<u64>(out.clocks + 4096) + 4 * lane; u32 v,
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
      p += v)
CHAIN_V(atomGlobal, 8, u32 v = 0; u64 p = reinterpret_cast<u64>(out.clocks + 4096),
      if (lane == 0) asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(v) : "l"(p) : "memory"))
CHAIN(redGlobal, 8, u64 p = reinterpret_cast<u64>(out.clocks + 4096),
      if (lane == 0) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(zero) : "memory"))
CHAIN(stGlobal, 8, u64 p = reinterpret_cast<u64>(out.clocks + 4096) + 4 * lane, asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(zero) : "memory"))

// cp.async of 16 bytes a lane, from L2.
SHOT(cpAsync, u64 p = reinterpret_cast<u64>(out.clocks + 4096) + 16 * lane,
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\ncp.async.wait_all;" ::"r"(at + 16 * lane), "l"(p) : "memory"))
SHOT(cpAsyncMbarrier, u64 p = reinterpret_cast<u64>(out.clocks + 4096) + 16 * lane; u32 n = 0; const u32 bar = at + 30000; if (lane == 0) init(bar, 32);
      __syncwarp(),
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\ncp.async.mbarrier.arrive.noinc.shared.b64 [%2];" ::"r"(at + 16 * lane), "l"(p), "r"(bar)
                   : "memory");
      wait(bar, n++ & 1))

// mbarriers: one thread of one warp.
#define ONE if (lane != 0) return
#define MBARRIER(COUNT)         \
    const u32 bar = at + 30000; \
    ONE;                        \
    init(bar, COUNT);           \
    u32 n = 0;                  \
    (void)n
CHAIN(mbarInit, 8, ONE, init(at + 30000 + 8 * i, 5))
CHAIN(mbarArrive, 8, MBARRIER(1000000), arrive(bar))
CHAIN_TO(mbarArriveState, 8, static_cast<u32>(state >> 32), MBARRIER(1000000); u64 state = 0,
      asm volatile("{\n.reg .u64 a;\nand.b64 a, %0, 0;\nadd.u64 a, a, %1;\nmbarrier.arrive.shared::cta.b64 %0, [a];\n}" : "+l"(state) : "l"(u64(bar)) : "memory"))
CHAIN_TO(mbarTestWaitTrue, 8, ok, MBARRIER(1); arrive(bar); u32 ok = 0, ok += testWait(bar, ok >> 20))
CHAIN_TO(mbarTestWaitFalse, 8, ok, MBARRIER(1); u32 ok = 0, ok += testWait(bar, ok))
CHAIN_TO(mbarTryWaitTrue, 8, ok, MBARRIER(1); arrive(bar); u32 ok = 0, ok += tryWait(bar, ok >> 20))
SHOT(mbarTryWaitFalse, MBARRIER(1); u32 ok = 0, ok += tryWait(bar, ok))
SHOT(mbarTryWaitHint0, MBARRIER(1); u32 ok = 0, ok += tryWaitHint(bar, ok, 0))
SHOT(mbarTryWaitHint100, MBARRIER(1); u32 ok = 0, ok += tryWaitHint(bar, ok, 100))
SHOT(mbarTryWaitHint1000, MBARRIER(1); u32 ok = 0, ok += tryWaitHint(bar, ok, 1000))
SHOT(mbarTryWaitHint10000, MBARRIER(1); u32 ok = 0, ok += tryWaitHint(bar, ok, 10000))
SHOT(mbarTryWaitHint100000, MBARRIER(1); u32 ok = 0, ok += tryWaitHint(bar, ok, 100000))
SHOT(mbarTryWaitHint1000000, MBARRIER(1); u32 ok = 0, ok += tryWaitHint(bar, ok, 1000000))
CHAIN(mbarArriveWait, 8, MBARRIER(1), arrive(bar); wait(bar, n++ & 1))
CHAIN(mbarExpectWait, 8, MBARRIER(1), arriveExpect(bar, 0); wait(bar, n++ & 1))
SHOT(mbarDropWait, MBARRIER(1000), asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory"))
CHAIN_V(mbarPendingCount, 8, u64 v = zero,
      asm volatile("{\n.reg .u32 c;\nmbarrier.pending_count.b64 c, %0;\ncvt.u64.u32 %0, c;\n}" : "+l"(v)))
// All lanes: one object, and one each.
CHAIN(mbarArriveLanesSame, 4, const u32 bar = at + 30000; if (lane == 0) init(bar, 1000000); __syncwarp(), arrive(bar))
CHAIN(mbarArriveLanesOwn, 4, const u32 bar = at + 16384 + 8 * lane; init(bar, 1000000); __syncwarp(), arrive(bar))
CHAIN_TO(mbarTestWaitLanesSame, 4, ok, const u32 bar = at + 30000; u32 ok = 0; if (lane == 0) init(bar, 1); __syncwarp(), ok += testWait(bar, ok))
CHAIN_TO(mbarTestWaitLanesOwn, 4, ok, const u32 bar = at + 16384 + 8 * lane; u32 ok = 0; init(bar, 1); __syncwarp(), ok += testWait(bar, ok))
CHAIN(mbarArriveWaitLanes, 4, const u32 bar = at + 30000; u32 n = 0; if (lane == 0) init(bar, 32); __syncwarp(), arrive(bar); wait(bar, n++ & 1))

// Copies: one thread, from the issue until the mbarrier lets it pass.
template <int Bytes, bool Hot>
__global__ void bulkIn(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 word;
    const u32 bar = address(&word), at = address(stage);
    init(bar, 1);
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    for (int s = 0; s < kSamples; ++s) {
        const u64 from = reinterpret_cast<u64>(out.clocks + 4096) + (Hot ? 0 : (u64(s + 1) << 21)) + zero;
        const u32 t0 = clk();
        arriveExpect(bar, Bytes);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at), "l"(from), "n"(Bytes), "r"(bar) : "memory");
        wait(bar, s & 1);
        out.clocks[s] = clk() - t0;
    }
}
// A fence of all warps at once while bytes are copied into the SM, or none are: until the first warp is through.
template <int Bytes>
__global__ void fenceCopies(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 word;
    const u32 bar = address(&word), at = address(stage);
    const u64 from = reinterpret_cast<u64>(out.clocks + 4096) + zero;
    if (threadIdx.x == 0) {
        init(bar, 1);
        asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    }
    for (int s = 0; s < kSamples; ++s) {
        spin(2000);  // what was stored before is performed
        __syncthreads();
        if constexpr (Bytes != 0) {
            if (threadIdx.x == 0) {
                arriveExpect(bar, Bytes);
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at), "l"(from), "n"(Bytes), "r"(bar) : "memory");
            }
        }
        __syncthreads();
        const u32 t0 = clk();
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        const u32 t1 = clk();
        if constexpr (Bytes != 0) wait(bar, s & 1);
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
template <int Bytes, bool Read>
__global__ void bulkOut(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    const u32 at = address(stage);
    const u64 to = reinterpret_cast<u64>(out.clocks + 4096) + zero;
    for (int i = 0; i < Bytes / 4; ++i) reinterpret_cast<u32*>(stage)[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    for (int s = 0; s < kSamples; ++s) {
        const u32 t0 = clk();
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(to), "r"(at), "n"(Bytes) : "memory");
        if (Read)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        else
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        out.clocks[s] = clk() - t0;
    }
}
template <int Bytes>
__global__ void bulkLocal(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 word;
    const u32 bar = address(&word), at = address(stage) + zero;
    init(bar, 1);
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    for (int s = 0; s < kSamples && rank() == 0; ++s) {  // without a cluster an H200 traps at this copy
        const u32 t0 = clk();
        arriveExpect(bar, Bytes);
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at), "r"(at + 32768), "n"(Bytes), "r"(bar)
                     : "memory");
        wait(bar, s & 1);
        out.clocks[s] = clk() - t0;
    }
}
template <int Rows>  // boxes of Rows x 64 f16, swizzled
__global__ void boxIn(const __grid_constant__ CUtensorMap map, Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 word;
    const u32 bar = address(&word), at = (address(stage) + 1023) & ~1023u;
    init(bar, 1);
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    for (int s = 0; s < kSamples; ++s) {
        const u32 t0 = clk();
        arriveExpect(bar, Rows * 128);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at), "l"(&map), "r"(zero),
                     "r"(zero), "r"(bar)
                     : "memory");
        wait(bar, s & 1);
        out.clocks[s] = clk() - t0;
    }
}

// W warps at a named barrier, 16 times.
__global__ void barSync(Out out, u32)
{
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        const u32 t0 = clk();
#pragma unroll
        for (int i = 0; i < 16; ++i) asm volatile("bar.sync 0;" ::: "memory");
        const u32 t1 = clk();
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
// All warps meet at an mbarrier, by one lane of each or by all, 16 times.
template <bool All>
__global__ void mbarSync(Out out, u32)
{
    __shared__ u64 word;
    const u32 bar = address(&word);
    if (threadIdx.x == 0) init(bar, All ? blockDim.x : blockDim.x / 32);
    u32 n = 0;
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        const u32 t0 = clk();
#pragma unroll 1
        for (int i = 0; i < 16; ++i) {
            if (All || threadIdx.x % 32 == 0) arrive(bar);
            wait(bar, n++ & 1);
        }
        const u32 t1 = clk();
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
// Pairs of warps, each pair at a barrier of its own; barrier 0 is __syncthreads'.
__global__ void barPairs(Out out, u32)
{
    const u32 pair = threadIdx.x / 64 + 1;
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        const u32 t0 = clk();
#pragma unroll
        for (int i = 0; i < 16; ++i) asm volatile("bar.sync %0, 64;" ::"r"(pair) : "memory");
        const u32 t1 = clk();
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
// Arrives of all warps, each at an mbarrier of its own, 16 each: what the unit takes a clock.
__global__ void mbarArriveWarps(Out out, u32)
{
    __shared__ u64 words[32];
    const u32 bar = address(words + threadIdx.x / 32);
    if (threadIdx.x % 32 == 0) init(bar, 1000000);
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        const u32 t0 = clk();
        if (threadIdx.x % 32 == 0) {
#pragma unroll
            for (int i = 0; i < 16; ++i) arrive(bar);
        }
        __syncthreads();
        const u32 t1 = clk();
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
// A warp waits, another one comes 2,000 clocks later: from before the arrival until the wait has returned.
__global__ void mbarWake(Out out, u32)
{
    __shared__ u64 word;
    __shared__ volatile u32 when;
    const u32 bar = address(&word);
    if (threadIdx.x == 0) init(bar, 1);
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        if (threadIdx.x == 0) {
            spin(2000);
            when = clk();
            arrive(bar);
        }
        if (threadIdx.x == 32) {
            wait(bar, s & 1);
            const u32 t1 = clk();
            out.clocks[s] = t1 - when;
        }
    }
}
__global__ void barWake(Out out, u32)
{
    __shared__ volatile u32 when;
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        if (threadIdx.x < 32) {
            spin(2000);
            when = clk();
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            const u32 t1 = clk();
            if (threadIdx.x == 32) out.clocks[s] = t1 - when;
        }
    }
}

// Clusters. One warp each, 16 barriers.
template <bool Relaxed>
__global__ void clusterBarrier(Out out, u32)
{
    for (int s = 0; s < kSamples; ++s) {
        meetCluster();
        const u32 t0 = clk();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            if (Relaxed)
                asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
            else
                meetCluster();
        }
        const u32 t1 = clk();
        if (threadIdx.x == 0 && blockIdx.x == 0) out.clocks[s] = t1 - t0;
    }
}
enum class Way { Arrive, ArriveRelaxed, StAsync, RedAsync, Bulk, Store };
// Two CTAs of a cluster, the first and the last, answer each other 16 times: clocks for both ways together.
template <Way W>
__global__ void pingPong(Out out, u32 zero)
{
    __shared__ alignas(128) u32 tile[64];
    __shared__ u64 word;
    const u32 bar = address(&word), at = address(tile);
    const u32 last = gridDim.x - 1, me = rank();
    if (threadIdx.x == 0) {
        init(bar, 1);
        tile[0] = 0;
        asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    }
    meetCluster();
    if (threadIdx.x == 0 && (me == 0 || me == last)) {
        const u32 farBar = mapa(bar, last - me), farTile = mapa(at, last - me);
        u32 n = 0;
        for (int s = 0; s < kSamples; ++s) {
            const u32 t0 = clk();
#pragma unroll 1
            for (int i = 0; i < 16; ++i, ++n) {
                auto send = [&] {
                    if (W == Way::Arrive) arriveRemote(farBar);
                    if (W == Way::ArriveRelaxed) asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(farBar) : "memory");
                    if (W == Way::StAsync)
                        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(farTile), "r"(n), "r"(farBar) : "memory");
                    if (W == Way::RedAsync)
                        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(farTile), "r"(n), "r"(farBar)
                                     : "memory");
                    if (W == Way::Bulk)
                        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(farTile), "r"(at + 128), "r"(farBar)
                                     : "memory");
                    if (W == Way::Store) asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], %1;" ::"r"(farTile), "r"(n + 1) : "memory");
                };
                auto receive = [&] {
                    if (W == Way::Store) {
                        u32 v = 0;
                        while (v != n + 1) asm volatile("ld.relaxed.cluster.shared::cta.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
                        return;
                    }
                    if (W == Way::StAsync || W == Way::RedAsync) arriveExpect(bar, 4);
                    if (W == Way::Bulk) arriveExpect(bar, 16);
                    waitCluster(bar, n & 1);
                };
                if (me == 0) {
                    send();
                    receive();
                } else {
                    receive();
                    send();
                }
            }
            if (me == 0) out.clocks[s] = clk() - t0;
        }
    }
    meetCluster();
    (void)zero;
}
enum class Far { Load, Atom, Cas, Store, Red };
template <Far F>  // the first CTA at the last one's memory, dependent where there is an answer
__global__ void dsmem(Out out, u32 zero)
{
    __shared__ u32 tile[64];
    tile[threadIdx.x] = 0;
    meetCluster();
    if (threadIdx.x == 0 && rank() == 0) {
        const u32 far = mapa(address(tile), gridDim.x - 1);
        u32 v = zero;
        for (int s = 0; s < kSamples; ++s) {
            const u32 t0 = clk();
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                if (F == Far::Load) asm volatile("ld.relaxed.cluster.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(far + v) : "memory");
                if (F == Far::Atom) asm volatile("atom.relaxed.cluster.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(v) : "r"(far + v), "r"(zero) : "memory");
                if (F == Far::Cas) asm volatile("atom.relaxed.cluster.shared::cluster.cas.b32 %0, [%1], %2, %2;" : "=r"(v) : "r"(far + v), "r"(zero) : "memory");
                if (F == Far::Store) asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], %1;" ::"r"(far), "r"(zero) : "memory");
                if (F == Far::Red) asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(far), "r"(zero) : "memory");
            }
            out.clocks[s] = clk() - t0 + v;
        }
    }
    meetCluster();
}
// A remote arrival with release behind a store to the other CTA.
__global__ void storeArrive(Out out, u32 zero)
{
    __shared__ u32 tile[64];
    __shared__ u64 word;
    if (threadIdx.x == 0) init(address(&word), 1000000);
    meetCluster();
    if (threadIdx.x == 0 && rank() == 0) {
        const u32 far = mapa(address(tile), 1), bar = mapa(address(&word), 1);
        for (int s = 0; s < kSamples; ++s) {
            const u32 t0 = clk();
            asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(far), "r"(zero) : "memory");
            arriveRemote(bar);
            out.clocks[s] = clk() - t0;
        }
    }
    meetCluster();
}
template <bool Multicast>  // 4 KiB to both CTAs of a pair, by one copy or by one each
__global__ void bulkCast(Out out, u32 zero)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 word;
    const u32 bar = address(&word), at = address(stage);
    if (threadIdx.x == 0) {
        init(bar, 1);
        asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    }
    for (int s = 0; s < kSamples; ++s) {
        if (threadIdx.x == 0) arriveExpect(bar, 4096);
        meetCluster();
        const u64 from = reinterpret_cast<u64>(out.clocks + 4096) + zero;
        const u32 t0 = clk();
        if (threadIdx.x == 0) {
            if (!Multicast)
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(at), "l"(from), "r"(bar) : "memory");
            else if (rank() == 0)
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 4096, [%2], %3;" ::"r"(at), "l"(from),
                             "r"(bar), "h"(static_cast<unsigned short>(3))
                             : "memory");
            wait(bar, s & 1);
            if (rank() == 0) out.clocks[s] = clk() - t0;
        }
    }
    meetCluster();
}

// Tensor cores. Zeros; the layout does not matter.
__device__ __forceinline__ u64 descriptor(u32 at) { return (u64(1) << 62) | (u64(64) << 32) | (u64(1) << 16) | ((at & 0x3ffff) >> 4); }
#define WGMMA(NAME, N, REGS, LIST, A, B)                                                                                                                       \
    template <int Count>                                                                                                                                       \
    __global__ void NAME(Out out, u32 zero)                                                                                                                    \
    {                                                                                                                                                          \
        extern __shared__ __align__(1024) unsigned char stage[];                                                                                               \
        for (int i = threadIdx.x; i < 12288; i += 128) reinterpret_cast<u32*>(stage)[i] = 0;                                                                   \
        asm volatile("fence.proxy.async;" ::: "memory");                                                                                                       \
        __syncthreads();                                                                                                                                       \
        const u64 a = descriptor(address(stage)), b = descriptor(address(stage) + 16384);                                                          \
        float d[REGS];                                                                                                                                         \
        for (int i = 0; i < REGS; ++i) d[i] = 0;                                                                                                               \
        for (int s = 0; s < kSamples; ++s) {                                                                                                                   \
            __syncthreads();                                                                                                                                   \
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                                                                            \
            const u32 t0 = clk();                                                                                                                              \
            _Pragma("unroll") for (int i = 0; i < Count; ++i) asm volatile(                                                                                    \
                "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.bf16.bf16 {" LIST "}, %" #A ", %" #B ", 1, 1, 1, 0, 0;"                                        \
                : OUTPUTS_##REGS : "l"(a), "l"(b) : "memory");                                                                                                 \
            asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");                                                   \
            const u32 t1 = clk();                                                                                                                              \
            if (threadIdx.x == 0) out.clocks[s] = t1 - t0;                                                                                                     \
        }                                                                                                                                                      \
        float sum = 0;                                                                                                                                         \
        for (int i = 0; i < REGS; ++i) sum += d[i];                                                                                                            \
        if (sum != 0) out.clocks[100] = zero;                                                                                                                  \
    }
#define OUTPUTS_4 "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define O8(n) "+f"(d[n]), "+f"(d[n + 1]), "+f"(d[n + 2]), "+f"(d[n + 3]), "+f"(d[n + 4]), "+f"(d[n + 5]), "+f"(d[n + 6]), "+f"(d[n + 7])
#define OUTPUTS_32 O8(0), O8(8), O8(16), O8(24)
#define OUTPUTS_64 OUTPUTS_32, O8(32), O8(40), O8(48), O8(56)
#define OUTPUTS_128 OUTPUTS_64, O8(64), O8(72), O8(80), O8(88), O8(96), O8(104), O8(112), O8(120)
#define L8(a) "%" #a "0, %" #a "1, %" #a "2, %" #a "3, %" #a "4, %" #a "5, %" #a "6, %" #a "7, %" #a "8, %" #a "9"
#define LIST_4 "%0, %1, %2, %3"
#define LIST_30 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, " L8(1) ", " L8(2)
#define LIST_60 LIST_30 ", " L8(3) ", " L8(4) ", " L8(5)
#define LIST_120 LIST_60 ", " L8(6) ", " L8(7) ", " L8(8) ", " L8(9) ", " L8(10) ", " L8(11)
#define LIST_32 LIST_30 ", %30, %31"
#define LIST_64 LIST_60 ", %60, %61, %62, %63"
#define LIST_128 LIST_120 ", %120, %121, %122, %123, %124, %125, %126, %127"
WGMMA(wgmma8, 8, 4, LIST_4, 4, 5)
WGMMA(wgmma64, 64, 32, LIST_32, 32, 33)
WGMMA(wgmma128, 128, 64, LIST_64, 64, 65)
WGMMA(wgmma256, 256, 128, LIST_128, 128, 129)

#define MMA(d) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(zero))
CHAIN_TO(mmaChain, 16, __float_as_uint(d[0]), float d[4] = {}, MMA(d))
__global__ void mmaFour(Out out, u32 zero)  // four chains in each of as many warps as the block has
{
    float a[4] = {}, b[4] = {}, c[4] = {}, d[4] = {};
    for (int s = 0; s < kSamples; ++s) {
        __syncthreads();
        const u32 t0 = clk();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            MMA(a);
            MMA(b);
            MMA(c);
            MMA(d);
        }
        const u32 t1 = clk();
        if (threadIdx.x == 0) out.clocks[s] = t1 - t0;
    }
    if (a[0] + b[0] + c[0] + d[0] != 0) out.clocks[100] = zero;
}

constexpr u32 kCopy = 8192, kStreamBytes = 65536;  // of a copy; that a CTA reads again and again: those of 396 CTAs stay in L2

// All SMs read by copies of 8 KiB, 8 under way in each CTA, what lies in L2: `group` CTAs one after the other read the same bytes at about the same time.
template <bool Box>
__global__ void stream(const __grid_constant__ CUtensorMap map, Out out, const unsigned char* data, u32 group, u32 copies)
{
    extern __shared__ __align__(1024) unsigned char stage[];
    __shared__ u64 words[8];
    for (u32 i = 0; i < 8; ++i) init(address(words + i), 1);
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
    const unsigned char* from = data + u64(blockIdx.x / group) * kStreamBytes;
    u32 t0 = 0;
    for (u32 i = 0; i < copies + 8; ++i) {
        const u32 slot = i % 8, bar = address(words + slot);
        if (i >= 8) wait(bar, (i / 8 - 1) & 1);
        if (i == 16) t0 = clk();  // the first ones are not counted
        if (i < copies) {
            arriveExpect(bar, kCopy);
            const u32 to = address(stage) + slot * kCopy;
            const unsigned char* at = from + (i % (kStreamBytes / kCopy)) * kCopy;
            if (Box)
                asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&map),
                             "r"(0), "r"(static_cast<u32>((at - data) / 128)), "r"(bar)
                             : "memory");
            else
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(at), "n"(kCopy), "r"(bar)
                             : "memory");
        }
    }
    out.clocks[blockIdx.x] = clk() - t0;
}

// Launches.
__global__ void empty() {}
__global__ void dependent()
{
    asm volatile("griddepcontrol.launch_dependents;\ngriddepcontrol.wait;" ::: "memory");
}
// A CTA notes on which SM it was, when it began and when it ended.
__global__ void whenWhere(u64* table)
{
    extern __shared__ unsigned char large[];
    const u64 begin = clock64();
    u32 sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    large[threadIdx.x] = 0;
    spin(3000);
    __syncthreads();
    table[3 * blockIdx.x] = sm;
    table[3 * blockIdx.x + 1] = begin;
    table[3 * blockIdx.x + 2] = clock64();
}
__global__ void gridBarrier(Out out, u32* word)  // cooperative: arrives by atom with release, polls with acquire
{
    u32 target = 0;
    for (int s = 0; s < kSamples; ++s) {
        const u32 t0 = clk();
        for (int i = 0; i < 4; ++i) {
            target += gridDim.x;
            asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
            u32 v = 0;
            while (v < target) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(word) : "memory");
        }
        if (blockIdx.x == 0) out.clocks[s] = clk() - t0;
    }
}
__global__ void clockRate(u64* out)
{
    const u64 t0 = globaltimer(), c0 = clock64();
    while (globaltimer() - t0 < 4000000) {
    }
    out[0] = clock64() - c0;
    out[1] = globaltimer() - t0;
}

// The word of an mbarrier after each operation.
__global__ void words(u64* out)
{
    __shared__ u64 word;
    const u32 bar = address(&word);
    int n = 0;
    auto note = [&] {
        u64 v;
        asm volatile("fence.sc.cta;" ::: "memory");
        spin(500);
        asm volatile("ld.volatile.shared.b64 %0, [%1];" : "=l"(v) : "r"(bar) : "memory");
        out[n++] = v;
    };
    u64 state;
#define STATE(TEXT, ...)                                                                 \
    asm volatile(TEXT : "=l"(state) : "r"(bar), ##__VA_ARGS__ : "memory"); \
    spin(500);                                                                           \
    out[n++] = state;                                                                    \
    note()
    word = 0x1122334455667788ull;
    note();
    init(bar, 3);
    note();
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1];");
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1];");
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1];");  // completes phase 0
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1], 2;");
    STATE("mbarrier.arrive_drop.shared::cta.b64 %0, [%1];");  // completes phase 1, two left
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 64;" ::"r"(bar) : "memory");
    note();
    STATE("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 1000;");
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1];");  // bytes are missing
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 64;" ::"r"(bar) : "memory");
    note();
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 1000;" ::"r"(bar) : "memory");
    note();  // phase 2 is complete
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 48;" ::"r"(bar) : "memory");
    note();  // before its expect_tx: the count is negative
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 48;" ::"r"(bar) : "memory");
    note();
    STATE("mbarrier.arrive_drop.shared::cta.b64 %0, [%1];");
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1];");  // completes phase 3, one is left
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
    note();
    init(bar, 1048575);
    note();
    STATE("mbarrier.arrive.shared::cta.b64 %0, [%1], 1048575;");
    STATE("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], 1048574;");
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 1048575;" ::"r"(bar) : "memory");
    note();
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 1048575;" ::"r"(bar) : "memory");
    note();
    u32 pending;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
    out[n++] = pending;
    out[99] = n;
}

// ---- the host --------------------------------------------------------------------------------------------------------------------------------------------

std::vector<std::string> wanted;
bool asked(const std::string& name)
{
    if (wanted.empty()) return true;
    return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& w) { return name.compare(0, w.size(), w) == 0; });
}

u32* device = nullptr;  // samples; zeros from 4096 words on
constexpr size_t kBytes = size_t(32) << 20;

void tell(const std::string& name, std::vector<double> samples, double per)
{
    std::sort(samples.begin(), samples.end());
    std::printf("%s\t%.1f\t%.1f\t%.1f\t%zu\n", name.c_str(), samples[samples.size() / 2] / per, samples.front() / per, samples.back() / per, samples.size());
    std::fflush(stdout);
}

struct Shape {
    unsigned threads = 32, ctas = 1, cluster = 1, dynamic = 0;
    bool cooperative = false;
    bool cold = false;  // nothing of it in L2
};

void flushL2()
{
    static void* large = nullptr;
    constexpr size_t kLarge = size_t(256) << 20;
    if (large == nullptr) CHECK(cudaMalloc(&large, kLarge));
    CHECK(cudaMemset(large, 0, kLarge));
    CHECK(cudaDeviceSynchronize());
}

template <class... P, class... A>
void launch(const Shape& shape, void (*kernel)(P...), A... arguments)
{
    if (shape.dynamic > 48 * 1024 || shape.cluster > 8) {
        CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.dynamic)));
        if (shape.cluster > 8) CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    }
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(shape.ctas), config.blockDim = dim3(shape.threads), config.dynamicSmemBytes = shape.dynamic;
    cudaLaunchAttribute attributes[2]{};
    unsigned n = 0;
    if (shape.cluster > 1) {
        attributes[n].id = cudaLaunchAttributeClusterDimension;
        attributes[n].val.clusterDim.x = shape.cluster, attributes[n].val.clusterDim.y = 1, attributes[n].val.clusterDim.z = 1;
        ++n;
    }
    if (shape.cooperative) attributes[n].id = cudaLaunchAttributeCooperative, attributes[n].val.cooperative = 1, ++n;
    config.attrs = attributes, config.numAttrs = n;
    CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
    CHECK(cudaDeviceSynchronize());
}

// Three launches, so that the last one finds code and data in the caches; its samples but the first are told.
template <class... P, class... A>
void row(const std::string& name, double per, const Shape& shape, void (*kernel)(P...), A... arguments)
{
    if (!asked(name)) return;
    int samples[kSamples];
    for (int again = 0; again < 3; ++again) {
        if (shape.cold) flushL2();
        launch(shape, kernel, arguments...);
    }
    CHECK(cudaMemcpy(samples, device, sizeof samples, cudaMemcpyDeviceToHost));
    tell(name, std::vector<double>(samples + 1, samples + kSamples), per);
}

#define ROW(NAME, PER) row(#NAME, PER, Shape{}, NAME, Out{device}, 0u)

CUtensorMap tensorMap(unsigned rows, void* base = nullptr, unsigned columns = 1024, unsigned height = 1024)
{
    void* encode = nullptr;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &result));
    CUtensorMap map;
    const cuuint64_t sizes[2]{columns, height}, strides[1]{columns * 2};
    const cuuint32_t box[2]{64, rows}, steps[2]{1, 1};
    const CUresult done = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, base ? base : device + 4096, sizes, strides, box, steps,
                                                                                      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                                                                      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (done != CUDA_SUCCESS) std::fprintf(stderr, "cuTensorMapEncodeTiled: %d\n", static_cast<int>(done)), std::exit(1);
    return map;
}

void streams(bool box, unsigned ctas, unsigned group)
{
    const std::string name = std::string(box ? "streamBox" : "stream") + std::to_string(ctas) + "by" + std::to_string(group);
    if (!asked(name) || (ctas == 1 && group > 1)) return;
    constexpr size_t kEach = kStreamBytes;
    constexpr u32 kCopies = 264;
    const size_t bytes = (ctas + group - 1) / group * kEach;
    unsigned char* data;
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMemset(data, 0, bytes));
    const CUtensorMap map = tensorMap(64, data, 64, static_cast<unsigned>(bytes / 128));
    for (int again = 0; again < 3; ++again)
        launch(Shape{1, ctas, 1, 65536}, box ? stream<true> : stream<false>, map, Out{device}, static_cast<const unsigned char*>(data), group, kCopies);
    std::vector<u32> clocks(ctas);
    CHECK(cudaMemcpy(clocks.data(), device, ctas * 4, cudaMemcpyDeviceToHost));
    std::vector<double> rates;
    for (const u32 c : clocks) rates.push_back((kCopies - 8) * 8192.0 / c);
    tell(name, rates, 1);  // bytes a clock
    CHECK(cudaFree(data));
}

void launches()
{
    if (asked("launchEmptyNs") || asked("launchDependentNs")) {
        cudaEvent_t begin, end;
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
        for (const bool overlapped : {false, true}) {
            std::vector<double> ns;
            for (int s = 0; s < kSamples; ++s) {
                CHECK(cudaEventRecord(begin));
                for (int i = 0; i < 64; ++i) {
                    cudaLaunchConfig_t config{};
                    config.gridDim = dim3(1), config.blockDim = dim3(32);
                    cudaLaunchAttribute attribute{};
                    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
                    attribute.val.programmaticStreamSerializationAllowed = overlapped;
                    config.attrs = &attribute, config.numAttrs = 1;
                    CHECK(cudaLaunchKernelEx(&config, overlapped ? dependent : empty));
                }
                CHECK(cudaEventRecord(end));
                CHECK(cudaEventSynchronize(end));
                float ms;
                CHECK(cudaEventElapsedTime(&ms, begin, end));
                ns.push_back(ms * 1e6);
            }
            tell(overlapped ? "launchDependentNs" : "launchEmptyNs", std::vector<double>(ns.begin() + 1, ns.end()), 64);
        }
    }
    int sms = 0;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    if (asked("ctaRefill")) {
        const unsigned ctas = static_cast<unsigned>(sms) * 4;
        u64* table;
        CHECK(cudaMalloc(&table, ctas * 24));
        Shape shape{128, ctas, 1, 200 * 1024};
        std::vector<u64> host(ctas * 3);
        for (int again = 0; again < 3; ++again) launch(shape, whenWhere, table);
        CHECK(cudaMemcpy(host.data(), table, ctas * 24, cudaMemcpyDeviceToHost));
        std::vector<double> gaps;
        for (unsigned c = 0; c < ctas; ++c) {  // the CTA that follows on the same SM
            u64 next = ~u64(0);
            for (unsigned d = 0; d < ctas; ++d)
                if (host[3 * d] == host[3 * c] && host[3 * d + 1] >= host[3 * c + 2]) next = std::min(next, host[3 * d + 1]);
            if (next != ~u64(0)) gaps.push_back(static_cast<double>(next - host[3 * c + 2]));
        }
        if (!gaps.empty()) tell("ctaRefill", gaps, 1);
    }
    for (const bool box : {false, true})
        for (const unsigned group : {1u, 2u, 4u, 8u, 16u})
            for (const unsigned ctas : {0u, 1u, 2u, 3u}) streams(box, std::max(1u, ctas * static_cast<unsigned>(sms)), group);  // three fit an SM
    if (asked("gridBarrier")) {
        u32* word;
        CHECK(cudaMalloc(&word, 4));
        u32 samples[kSamples];
        for (int again = 0; again < 3; ++again) {
            CHECK(cudaMemset(word, 0, 4));
            launch(Shape{1, static_cast<unsigned>(sms), 1, 0, true}, gridBarrier, Out{device}, word);
        }
        CHECK(cudaMemcpy(samples, device, sizeof samples, cudaMemcpyDeviceToHost));
        tell("gridBarrier" + std::to_string(sms), std::vector<double>(samples + 1, samples + kSamples), 4);
    }
}

int main(int argc, char** argv)
{
    wanted.assign(argv + 1, argv + argc);
    CHECK(cudaMalloc(&device, kBytes));
    CHECK(cudaMemset(device, 0, kBytes));
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    std::printf("# %s, %d SMs\n", properties.name, properties.multiProcessorCount);
    if (asked("clockRate")) {
        u64* out;
        u64 host[2];
        CHECK(cudaMalloc(&out, 16));
        for (int again = 0; again < 3; ++again) launch(Shape{1}, clockRate, out);
        CHECK(cudaMemcpy(host, out, 16, cudaMemcpyDeviceToHost));
        std::printf("# clockRate %.1f MHz\n", 1e3 * static_cast<double>(host[0]) / static_cast<double>(host[1]));
    }
    if (asked("words")) {
        u64* out;
        std::vector<u64> host(100);
        CHECK(cudaMalloc(&out, 800));
        launch(Shape{1}, words, out);
        CHECK(cudaMemcpy(host.data(), out, 800, cudaMemcpyDeviceToHost));
        for (u64 i = 0; i < host[99]; ++i) std::printf("word\t%llu\t%016llx\n", i, host[i]);
    }
    row("clock", 1, Shape{}, clockOnly, Out{device}, 0u);
    ROW(fma32, 64), ROW(add32, 64), ROW(mad32, 64), ROW(xor32, 64), ROW(shf32, 64), ROW(popc32, 64), ROW(add64, 64), ROW(fma64, 64), ROW(ex2, 64);
    ROW(rcp, 64), ROW(rsqrt, 64), ROW(hfma2, 64), ROW(cvtF16, 64);
    ROW(voteBallot, 16), ROW(activeMask, 16), ROW(electOne, 16), ROW(shflIdx, 16), ROW(matchAnySame, 8), ROW(matchAny4, 8), ROW(matchAnyAll, 8);
    ROW(matchAllSame, 8), ROW(reduxAdd, 8), ROW(reduxMin, 8), ROW(reduxOr, 8), ROW(warpSync, 16);
    ROW(barrierSync, 16), ROW(barSyncOneWarp, 16), ROW(barRedPopc, 16);
    ROW(nanosleep0, 1), ROW(nanosleep100, 1), ROW(nanosleep1000, 1), ROW(nanosleep10000, 1);
    ROW(fenceCta, 4), ROW(fenceCluster, 4), ROW(fenceGpu, 4), ROW(fenceSys, 4), ROW(fenceScCta, 4), ROW(fenceScCluster, 4), ROW(fenceScGpu, 4);
    ROW(fenceScSys, 4), ROW(fenceProxyAsync, 4), ROW(fenceProxyAsyncShared, 4), ROW(fenceMbarrierInit, 4);
    ROW(storeFenceCta, 1), ROW(storeFenceCluster, 1), ROW(storeFenceGpu, 1), ROW(storeFenceSys, 1);
    ROW(ldShared, 16), ROW(ldShared2way, 16), ROW(ldShared4way, 16), ROW(ldShared8way, 16), ROW(ldShared16way, 16), ROW(ldShared32way, 16);
    ROW(atomSharedOne, 8), ROW(atomSharedWarp, 8), ROW(atomSharedLanes, 8), ROW(atomSharedCas, 8), ROW(ldmatrixX4, 16);
    ROW(ldGlobalL1, 8), ROW(ldGlobalL2, 8), ROW(atomGlobal, 8), ROW(redGlobal, 8), ROW(stGlobal, 8);
    ROW(cpAsync, 1), ROW(cpAsyncMbarrier, 1);
    ROW(mbarInit, 8), ROW(mbarArrive, 8), ROW(mbarArriveState, 8), ROW(mbarTestWaitTrue, 8), ROW(mbarTestWaitFalse, 8), ROW(mbarTryWaitTrue, 8);
    ROW(mbarTryWaitFalse, 1), ROW(mbarTryWaitHint0, 1), ROW(mbarTryWaitHint100, 1), ROW(mbarTryWaitHint1000, 1), ROW(mbarTryWaitHint10000, 1);
    ROW(mbarTryWaitHint100000, 1), ROW(mbarTryWaitHint1000000, 1);
    ROW(mbarArriveWait, 8), ROW(mbarExpectWait, 8), ROW(mbarDropWait, 1), ROW(mbarPendingCount, 8);
    ROW(mbarArriveLanesSame, 4), ROW(mbarArriveLanesOwn, 4), ROW(mbarTestWaitLanesSame, 4), ROW(mbarTestWaitLanesOwn, 4), ROW(mbarArriveWaitLanes, 4);
    const Out out{device};
    for (const unsigned warps : {1u, 2u, 4u, 8u, 16u, 32u}) {
        const std::string n = std::to_string(warps);
        row("barSync" + n, 16, Shape{32 * warps}, barSync, out, 0u);
        row("mbarSyncLane" + n, 16, Shape{32 * warps}, mbarSync<false>, out, 0u);
        row("mbarSyncAll" + n, 16, Shape{32 * warps}, mbarSync<true>, out, 0u);
        row("mbarArriveWarps" + n, 16, Shape{32 * warps}, mbarArriveWarps, out, 0u);
        const unsigned pairs = std::min(warps / 2, 15u);
        if (pairs > 0) row("barPairs" + std::to_string(pairs), 16, Shape{64 * pairs}, barPairs, out, 0u);
    }
    row("mbarWake", 1, Shape{64}, mbarWake, out, 0u);
    row("barWake", 1, Shape{64}, barWake, out, 0u);
    for (const unsigned size : {2u, 4u, 8u, 16u}) {
        const std::string n = std::to_string(size);
        const Shape shape{32, size, size};
        row("clusterRelaxed" + n, 16, shape, clusterBarrier<true>, out, 0u);
        row("clusterSync" + n, 16, shape, clusterBarrier<false>, out, 0u);
        row("dsmemLoad" + n, 8, Shape{64, size, size}, dsmem<Far::Load>, out, 0u);
        row("dsmemAtom" + n, 8, Shape{64, size, size}, dsmem<Far::Atom>, out, 0u);
        row("pingArrive" + n, 16, shape, pingPong<Way::Arrive>, out, 0u);
    }
    const Shape pair{32, 2, 2}, pairs{64, 2, 2};
    row("dsmemCas", 8, pairs, dsmem<Far::Cas>, out, 0u), row("dsmemStore", 8, pairs, dsmem<Far::Store>, out, 0u), row("dsmemRed", 8, pairs, dsmem<Far::Red>, out, 0u);
    row("pingArriveRelaxed", 16, pair, pingPong<Way::ArriveRelaxed>, out, 0u), row("pingStAsync", 16, pair, pingPong<Way::StAsync>, out, 0u);
    row("pingRedAsync", 16, pair, pingPong<Way::RedAsync>, out, 0u), row("pingBulk", 16, pair, pingPong<Way::Bulk>, out, 0u);
    row("pingStore", 16, pair, pingPong<Way::Store>, out, 0u), row("storeArrive", 1, pair, storeArrive, out, 0u);
    const Shape cast{32, 2, 2, 8192};
    row("bulkUnicast4096", 1, cast, bulkCast<false>, out, 0u), row("bulkMulticast4096", 1, cast, bulkCast<true>, out, 0u);
    const Shape copy{1, 1, 1, 40960}, local{1, 2, 2, 65536};
    row("bulkIn16", 1, copy, bulkIn<16, true>, out, 0u), row("bulkIn64", 1, copy, bulkIn<64, true>, out, 0u), row("bulkIn1024", 1, copy, bulkIn<1024, true>, out, 0u);
    row("bulkIn4096", 1, copy, bulkIn<4096, true>, out, 0u), row("bulkIn16384", 1, copy, bulkIn<16384, true>, out, 0u);
    row("bulkIn32768", 1, copy, bulkIn<32768, true>, out, 0u);
    for (const unsigned warps : {1u, 2u, 4u, 8u}) {
        const std::string n = std::to_string(warps);
        const Shape fences{32 * warps, 1, 1, 40960};
        row("fenceWarps" + n, 1, fences, fenceCopies<0>, out, 0u), row("fenceCopies4096by" + n, 1, fences, fenceCopies<4096>, out, 0u);
        row("fenceCopies32768by" + n, 1, fences, fenceCopies<32768>, out, 0u);
    }
    Shape cold = copy;
    cold.cold = true;
    row("bulkInCold64", 1, cold, bulkIn<64, false>, out, 0u), row("bulkInCold4096", 1, cold, bulkIn<4096, false>, out, 0u);
    row("bulkOut64", 1, copy, bulkOut<64, false>, out, 0u), row("bulkOut4096", 1, copy, bulkOut<4096, false>, out, 0u);
    row("bulkOutRead64", 1, copy, bulkOut<64, true>, out, 0u), row("bulkOutRead4096", 1, copy, bulkOut<4096, true>, out, 0u);
    row("bulkLocal16", 1, local, bulkLocal<16>, out, 0u), row("bulkLocal4096", 1, local, bulkLocal<4096>, out, 0u);
    if (asked("box8") || asked("box64") || asked("box128") || asked("box256")) {
        row("box8", 1, copy, boxIn<8>, tensorMap(8), out, 0u), row("box64", 1, copy, boxIn<64>, tensorMap(64), out, 0u);
        row("box128", 1, copy, boxIn<128>, tensorMap(128), out, 0u), row("box256", 1, copy, boxIn<256>, tensorMap(256), out, 0u);
    }
    const Shape group{128, 1, 1, 49152};
    row("wgmma8", 1, group, wgmma8<1>, out, 0u), row("wgmma8x8", 8, group, wgmma8<8>, out, 0u);
    row("wgmma64", 1, group, wgmma64<1>, out, 0u), row("wgmma64x8", 8, group, wgmma64<8>, out, 0u);
    row("wgmma128", 1, group, wgmma128<1>, out, 0u), row("wgmma128x8", 8, group, wgmma128<8>, out, 0u);
    row("wgmma256", 1, group, wgmma256<1>, out, 0u), row("wgmma256x8", 8, group, wgmma256<8>, out, 0u);
    ROW(mmaChain, 16), row("mmaFour1", 64, Shape{32}, mmaFour, out, 0u), row("mmaFour4", 64, Shape{128}, mmaFour, out, 0u);
    row("mmaFour8", 64, Shape{256}, mmaFour, out, 0u);
    launches();
    return 0;
}
