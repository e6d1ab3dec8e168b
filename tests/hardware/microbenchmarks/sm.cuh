// Rows of one warp: arithmetic, votes, fences, memory, mbarriers.
#pragma once
#include "ptx.cuh"

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
CHAIN_V(cvtF16x2, 64, u32 v = zero, asm volatile("{\n.reg .f32 f;\nmov.b32 f, %0;\ncvt.rn.f16x2.f32 %0, f, f;\n}" : "+r"(v)))
CHAIN_V(cvtBf16, 64, u32 v = zero,
        asm volatile("{\n.reg .f32 f;\n.reg .b16 h;\nmov.b32 f, %0;\ncvt.rn.bf16.f32 h, f;\nmov.b32 %0, {h, h};\n}" : "+r"(v)))
CHAIN_F(cvtFromF16, 64, float f = __uint_as_float(zero),
        asm volatile("{\n.reg .b16 l, h;\nmov.b32 {l, h}, %0;\ncvt.f32.f16 %0, l;\n}" : "+f"(f)))
CHAIN_V(cvtToFloatAndBack, 32, u32 v = zero, asm volatile("{\n.reg .f32 f;\ncvt.rn.f32.s32 f, %0;\ncvt.rzi.s32.f32 %0, f;\n}" : "+r"(v)))
CHAIN_F(rcpAdd, 32, float f = 1.0f + zero, asm volatile("{\nrcp.approx.ftz.f32 %0, %0;\nadd.f32 %0, %0, 0f3F800000;\n}" : "+f"(f)))
CHAIN_F(rcpAddNoFtz, 32, float f = 1.0f + zero, asm volatile("{\nrcp.approx.f32 %0, %0;\nadd.f32 %0, %0, 0f3F800000;\n}" : "+f"(f)))
CHAIN_F(rsqrtNoFtz, 32, float f = 1.0f + zero, asm volatile("rsqrt.approx.f32 %0, %0;" : "+f"(f)))
CHAIN_F(ex2NoFtz, 32, float f = __uint_as_float(zero), asm volatile("ex2.approx.f32 %0, %0;" : "+f"(f)))
CHAIN_F(tanhApprox, 32, float f = __uint_as_float(zero), asm volatile("tanh.approx.f32 %0, %0;" : "+f"(f)))
CHAIN_V(mul64, 32, u64 v = zero, asm volatile("mul.lo.u64 %0, %0, %0;" : "+l"(v)))
CHAIN_V(minMax32, 64, u32 v = zero, asm volatile("min.s32 %0, %0, %1;\nmax.s32 %0, %0, %2;" : "+r"(v) : "r"(zero + 3), "r"(zero)))
CHAIN_F(maxF32, 64, float f = __uint_as_float(zero), asm volatile("max.f32 %0, %0, %1;\nadd.f32 %0, %0, %1;" : "+f"(f) : "f"(__uint_as_float(zero))))
CHAIN_V(prmt32, 64, u32 v = zero, asm volatile("prmt.b32 %0, %0, %1, %0;" : "+r"(v) : "r"(zero + 3)))
CHAIN_V(brev32, 64, u32 v = lane, asm volatile("brev.b32 %0, %0;\nadd.u32 %0, %0, 1;" : "+r"(v)))

// The warp.
CHAIN_V(shflBfly, 16, u32 v = lane, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(v)))
CHAIN_V(shflDown, 16, u32 v = lane, asm volatile("shfl.sync.down.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(v)))
CHAIN_V(voteAny, 16, u32 v = lane,
        asm volatile("{\n.reg .pred p, q;\nsetp.ne.u32 p, %0, 0;\nvote.sync.any.pred q, p, 0xffffffff;\nselp.u32 %0, 1, 0, q;\n}" : "+r"(v)))
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
__global__ void ldL2Line(Out out, u32 offset)  // as ldGlobalL2, one lane, of a line at this offset
{
    const u64 base = reinterpret_cast<u64>(out.clocks + 4096) + offset;
    for (int s = 0; s < kSamples; ++s) {
        u64 p = base;
        u32 v;
        const u32 t0 = clk();
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
            p += v;
        }
        const u32 t1 = clkAfter(v);
        out.clocks[s] = t1 - t0;
    }
}
CHAIN_TO(ldAcquireGpu, 8, static_cast<u32>(p), u64 p = reinterpret_cast<u64>(out.clocks + 4096) + 4 * lane; u32 v,
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
      p += v)
CHAIN(stReleaseGpu, 8, u64 p = reinterpret_cast<u64>(out.clocks + 4096) + 4 * lane,
      asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(zero) : "memory"))
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
CHAIN_TO(mbarArriveStateUsed, 8, static_cast<u32>(state), MBARRIER(1000000); u64 state = 0; u64 none = u64(zero) << 20,
      asm volatile("{\n.reg .u64 a;\nand.b64 a, %0, %2;\nadd.u64 a, a, %1;\nmbarrier.arrive.shared::cta.b64 %0, [a];\n}" : "+l"(state) : "l"(u64(bar)), "l"(none) : "memory"))
CHAIN(mbarExpect, 8, MBARRIER(1000000), asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 0;" ::"r"(bar) : "memory"))
CHAIN(mbarArriveReleaseCluster, 8, MBARRIER(1000000), asm volatile("mbarrier.arrive.release.cluster.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory"))
CHAIN(mbarArriveWaitAcquire, 8, MBARRIER(1), arrive(bar); waitCluster(bar, n++ & 1))
CHAIN(mbarArriveWaitBoth, 8, MBARRIER(1), asm volatile("mbarrier.arrive.release.cluster.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
      waitCluster(bar, n++ & 1))
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
