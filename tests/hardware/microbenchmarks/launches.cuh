// Rows of whole launches, and the word of an mbarrier after each operation.
#pragma once
#include "ptx.cuh"

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
