#include "exec/timing/timing_params.hpp"

#include <algorithm>
#include <array>

#include "base/nearest.hpp"
#include "base/number.hpp"

namespace gsu::timing {
namespace {

#define GSU_TIMING(name) "timing." #name
#define GSU_AT(name) &TimingParams::name

// clang-format off
// key, unit, least, most, hopper, blackwell, lowest and highest of the sources, source, field.
// Sources: LUO24, LUO25 = arXiv 2402.13499, 2501.12084 (H800); LUO raw = the logs of HPMLL/NVIDIA-Hopper-Benchmark; FLASH = FlashGPU-Sim (H100, H200, B200);
// SEMI = SemiAnalysisAI/microbench-blackwell (B200); B300 = ademeure/QuickRunCUDA; FAST = pranjalssh/fast.cu; learn-cuda = gau-nernst/learn-cuda.
constexpr std::array kParameters{
    TimingParameter{GSU_TIMING(window), "instructions", 1, 64, 16, 16, 0, 0,
     "A: how far the assembler moves instructions up; 1 is the order of the PTX text, and reports give both. In the machine code of 33 public kernels a tenth of the loads pass 18 (global) to 56 (ldmatrix) instructions, half of them 1 to 17", GSU_AT(window)},
    TimingParameter{GSU_TIMING(fma_lat), "clocks", 1, 1000, 4, 4, 0, 0,
     "M, H100, B300: f32 and packed f16 add, mul, fma, integer mad", GSU_AT(fma_lat)},
    TimingParameter{GSU_TIMING(fma_interval), "clocks", 1, 64, 1, 1, 0, 0,
     "M, H100, B300", GSU_AT(fma_interval)},
    TimingParameter{GSU_TIMING(half_lat), "clocks", 1, 1000, 8, 4, 4, 8,
     "M, tests/hardware H100, H200: row hfma2: the assembler puts the products of a chain on two pipes in turn; 4 on one, M, B300", GSU_AT(half_lat)},
    TimingParameter{GSU_TIMING(packed_interval), "clocks", 1, 64, 2, 2, 0, 0,
     "F, FLASH B200: f32x2 has two results; Hopper has none, and executes two", GSU_AT(packed_interval)},
    TimingParameter{GSU_TIMING(minmax_interval), "clocks", 1, 64, 2, 2, 1, 2,
     "F, FLASH H100: f32 min, max, comparisons, selections", GSU_AT(minmax_interval)},
    TimingParameter{GSU_TIMING(integer_lat), "clocks", 1, 1000, 4, 4, 4, 5,
     "A: as fma_lat; add, logic, shift, prmt", GSU_AT(integer_lat)},
    TimingParameter{GSU_TIMING(integer_interval), "clocks", 1, 32, 2, 2, 0, 0,
     "M, B300: 0.50 a clock; additions of 64 bits take two", GSU_AT(integer_interval)},
    TimingParameter{GSU_TIMING(convert_lat), "clocks", 1, 1000, 5, 5, 4, 6,
     "M, B300: cvt.f16x2.f32; the middle", GSU_AT(convert_lat)},
    TimingParameter{GSU_TIMING(convert_interval), "clocks", 1, 64, 2, 2, 0, 0,
     "M, B300", GSU_AT(convert_interval)},
    TimingParameter{GSU_TIMING(special_lat), "clocks", 1, 1000, 17, 14, 14, 19,
     "M, tests/hardware H100, H200: rows ex2, rsqrt; FLASH H100 18.9, B300 14: chain of ex2; FLASH fits 18 to B200", GSU_AT(special_lat)},
    TimingParameter{GSU_TIMING(special_interval), "clocks", 1, 64, 8, 8, 0, 0,
     "M, H100: 16 results a clock and SM", GSU_AT(special_interval)},
    TimingParameter{GSU_TIMING(reciprocal_lat), "clocks", 1, 1000, 39, 41, 37, 42,
     "M, tests/hardware H100: rows rsqrtNoFtz 39, rcpAddNoFtz 41 with its addition: rcp, rsqrt, sqrt, div; with .approx.ftz special_lat. M, B300 40 to 42; the middle", GSU_AT(reciprocal_lat)},
    TimingParameter{GSU_TIMING(count_lat), "clocks", 1, 1000, 17, 14, 14, 17,
     "M, tests/hardware H100, H200: row popc32. Blackwell A: as its special_lat", GSU_AT(count_lat)},
    TimingParameter{GSU_TIMING(count_interval), "clocks", 1, 64, 8, 8, 0, 0,
     "M, B300", GSU_AT(count_interval)},
    TimingParameter{GSU_TIMING(shuffle_lat), "clocks", 1, 1000, 24, 14, 14, 26,
     "M, tests/hardware H100, H200: rows shflBfly, shflDown, one SHFL each; 26 with the index in a register (shflIdx); M, B300 14", GSU_AT(shuffle_lat)},
    TimingParameter{GSU_TIMING(shuffle_interval), "clocks", 1, 64, 4, 4, 0, 0,
     "M, B300", GSU_AT(shuffle_interval)},
    TimingParameter{GSU_TIMING(double_lat), "clocks", 1, 1000, 8, 8, 0, 0,
     "A: exec.wide_lat, no figure; f64 and 64-bit products", GSU_AT(double_lat)},
    TimingParameter{GSU_TIMING(double_interval), "clocks", 1, 64, 2, 2, 0, 0,
     "A: half the f32 rate, as the data sheets say", GSU_AT(double_interval)},
    TimingParameter{GSU_TIMING(back_edge), "clocks", 1, 1000, 12, 12, 0, 0,
     "F, FLASH H100: a taken branch backwards to the next instruction", GSU_AT(back_edge)},

    TimingParameter{GSU_TIMING(clock_read), "clocks", 1, 1000, 11, 11, 0, 0,
     "M, tests/hardware H100, H200: row clock; %clock is read at once, the warp goes on so much later", GSU_AT(clock_read)},
    TimingParameter{GSU_TIMING(sleep_least), "clocks", 0, 100000, 66, 66, 0, 0,
     "M, tests/hardware H100, H200: row nanosleep0, less the clock's; 100, 1000, 10000 ns take the next power of two of ns", GSU_AT(sleep_least)},

    TimingParameter{GSU_TIMING(smem_port), "bytes/clock", 4, 4096, 128, 128, 0, 0,
     "M, LUO25 127.4 of 128: loads, stores, operands and copies share it", GSU_AT(smem_port)},
    TimingParameter{GSU_TIMING(smem_lat), "clocks", 1, 10000, 24, 24, 24, 29,
     "M, tests/hardware H100, H200: row ldShared 28 less an add; M, B300 24; LUO25 29 (H800), with the addition of the address", GSU_AT(smem_lat)},
    TimingParameter{GSU_TIMING(smem_way), "clocks", 1, 100, 2, 1, 1, 2,
     "M, tests/hardware H100, H200: rows ldShared2way to ldShared32way, to the result for each further wavefront. The port is taken for one; none for Blackwell",
     GSU_AT(smem_way)},
    TimingParameter{GSU_TIMING(smem_atomic_lat), "clocks", 1, 10000, 26, 30, 26, 30,
     "M, tests/hardware H100, H200: row atomSharedLanes; M, B300 30", GSU_AT(smem_atomic_lat)},
    TimingParameter{GSU_TIMING(matrix_lat), "clocks", 1, 10000, 29, 29, 0, 0,
     "M, B300: ldmatrix.x4", GSU_AT(matrix_lat)},
    TimingParameter{GSU_TIMING(matrix_interval), "clocks", 1, 64, 4, 4, 0, 0,
     "F, FLASH H100: ldmatrix and stmatrix per scheduler", GSU_AT(matrix_interval)},
    TimingParameter{GSU_TIMING(smem_copy_weight), "thousandths", 0, 1000, 300, 0, 0, 1000,
     "D, fitted to the clocks of fast.cu on an H100 (tests/hardware). Blackwell D from M, SEMI B200: products of 128x128 take N / 2 although copies fill what they read (timing_notes.md)",
     GSU_AT(smem_copy_weight)},

    TimingParameter{GSU_TIMING(mma_rate), "multiply-adds/clock", 16, 1000000, 2048, 4096, 0, 0,
     "D from M, LUO24 (H800), SEMI (B200), 16-bit types, one SM: mean error 1.8 % over 96 points", GSU_AT(mma_rate)},
    TimingParameter{GSU_TIMING(mma_floor), "clocks", 0, 1000, 13, 0, 0, 0,
     "D from T, LUO24: m64n8k16 with A in registers takes 13.4", GSU_AT(mma_floor)},
    TimingParameter{GSU_TIMING(mma_tail_smem), "clocks", 0, 10000, 43, 43, 0, 0,
     "M, FLASH H200: 75 and 107 at N = 64 and 128, less N / 2", GSU_AT(mma_tail_smem)},
    TimingParameter{GSU_TIMING(mma_tail_regs), "clocks", 0, 10000, 33, 33, 0, 0,
     "M, FLASH H200: 37, 41, 49, 65 at N = 8, 16, 32, 64, less N / 2", GSU_AT(mma_tail_regs)},
    TimingParameter{GSU_TIMING(mma_back), "clocks", 0, 10000, 15, 15, 0, 0,
     "D from M, FLASH H200: the part of the tail after the product; 43 - 28, where 28 makes eight m64n128k16 take 12.0 each to issue", GSU_AT(mma_back)},
    TimingParameter{GSU_TIMING(mma_queue_smem), "operations", 1, 64, 6, 6, 6, 7,
     "F, FLASH H100: about 6 before issue stalls. Taken as 6 behind the one that executes, for this gives the 12.0 measured on H200", GSU_AT(mma_queue_smem)},
    TimingParameter{GSU_TIMING(mma_queue_regs), "operations", 1, 64, 5, 5, 5, 6,
     "F, FLASH H100, in the same way", GSU_AT(mma_queue_regs)},
    TimingParameter{GSU_TIMING(mma_issue), "clocks", 1, 1000, 4, 4, 0, 0,
     "M, FLASH H200: 4.3 for one", GSU_AT(mma_issue)},
    TimingParameter{GSU_TIMING(mma_beside_fma), "instructions in 32 clocks", 0, 32, 20, 0, 0, 21,
     "M, tests/hardware H100: rows beside192*3: what the pipe takes while wgmma uses the registers, 0: as much as ever. f32 add 1.5 clocks, mul, fma of one register 1.6, of three 2.8. tcgen05 has a memory of its own", GSU_AT(mma_beside_fma)},
    TimingParameter{GSU_TIMING(mma_beside_alu), "instructions in 32 clocks", 0, 16, 10, 0, 0, 10,
     "M, the same rows: max, cvt, add, prmt every 3.7 clocks beside products of 64 x 192, 3.3 of 64 x 64, 2.2 alone", GSU_AT(mma_beside_alu)},
    TimingParameter{GSU_TIMING(mma_beside_special), "instructions in 32 clocks", 0, 4, 3, 0, 0, 0,
     "M, the same rows: ex2 every 10.6 and 10.8 clocks, 8.1 alone", GSU_AT(mma_beside_special)},
    TimingParameter{GSU_TIMING(mma_beside_lsu), "instructions in 32 clocks", 0, 8, 3, 0, 0, 4,
     "M, the same rows: shfl every 12.7 and 8.3 clocks, 4.2 alone", GSU_AT(mma_beside_lsu)},
    TimingParameter{GSU_TIMING(mma_view), "clocks", 0, 1000, 25, 0, 0, 28,
     "M, tests/hardware H100: rows beside64StoreView*, beside192StoreView*: beside wgmma the fence.proxy.async of one warp behind a stmatrix keeps those of the others waiting so long; fence_view alone", GSU_AT(mma_view)},
    TimingParameter{GSU_TIMING(mma_sync_interval), "clocks", 1, 64, 6, 8, 0, 0,
     "D from M, LUO24 (66 % of the peak), B300 (25 %): m16n8k16 on one scheduler", GSU_AT(mma_sync_interval)},
    TimingParameter{GSU_TIMING(mma_sync_lat), "clocks", 1, 10000, 24, 26, 22, 26,
     "T, LUO24 24.1 (H800), FLASH fits 22; M, B300 26", GSU_AT(mma_sync_lat)},
    TimingParameter{GSU_TIMING(tcgen_tail_m64), "clocks", 0, 10000, 120, 120, 0, 0,
     "M, SEMI B200: latency less N / 2, A in shared memory", GSU_AT(tcgen_tail_m64)},
    TimingParameter{GSU_TIMING(tcgen_tail_m128), "clocks", 0, 10000, 136, 136, 0, 0,
     "M, SEMI B200", GSU_AT(tcgen_tail_m128)},
    TimingParameter{GSU_TIMING(tcgen_tail_tmem), "clocks", 0, 10000, 104, 104, 0, 0,
     "M, SEMI B200: A in tensor memory", GSU_AT(tcgen_tail_tmem)},
    TimingParameter{GSU_TIMING(tcgen_tail_pair), "clocks", 0, 10000, 170, 170, 0, 0,
     "M, SEMI B200: two CTAs, M = 256", GSU_AT(tcgen_tail_pair)},
    TimingParameter{GSU_TIMING(tcgen_queue), "operations", 1, 64, 7, 7, 3, 7,
     "M, SEMI B200: 3 to 5 in flight saturate one CTA, 4 to 7 two; the most", GSU_AT(tcgen_queue)},
    TimingParameter{GSU_TIMING(tcgen_alloc), "clocks", 1, 100000, 253, 253, 253, 1030,
     "M, B300: 128 columns, one SM; 1030 when all SMs do it", GSU_AT(tcgen_alloc)},
    TimingParameter{GSU_TIMING(tmem_bytes), "bytes/clock", 1, 4096, 53, 53, 50, 57,
     "M, B300: tcgen05.ld of a warp, 32x32b.x16; 57 to 65 TB/s of the chip. Stores reach twice that and take the same here", GSU_AT(tmem_bytes)},
    TimingParameter{GSU_TIMING(tmem_lat), "clocks", 1, 10000, 48, 48, 48, 200,
     "D from M, learn-cuda's timelines on a B200: ld of 8 columns, wait, conversion and store take 56 ns at least; comments of public kernels say 120 and 200 with the transfer", GSU_AT(tmem_lat)},

    TimingParameter{GSU_TIMING(cp_async_interval), "clocks", 1, 64, 4, 4, 0, 0,
     "M, FLASH H200: 65 for 16", GSU_AT(cp_async_interval)},
    TimingParameter{GSU_TIMING(tma_issue), "clocks", 1, 10000, 33, 33, 0, 0,
     "M, FLASH H100, H200: elect and issue", GSU_AT(tma_issue)},
    TimingParameter{GSU_TIMING(tma_issue_multicast), "clocks", 1, 10000, 35, 35, 0, 0,
     "M, FLASH H200", GSU_AT(tma_issue_multicast)},
    TimingParameter{GSU_TIMING(tma_row), "clocks/1000 rows", 0, 100000, 1100, 1000, 1000, 5300,
     "M, tests/hardware H100, H200: box256 less box8, 248 rows of 128 bytes in 275 clocks. D from M, SEMI B200: rows of 32, 64, 128 bytes take 0.99, 1.00, 1.03 clocks, by the products of the same table",
     GSU_AT(tma_row)},
    TimingParameter{GSU_TIMING(tma_short_row), "clocks/1000 rows", 0, 100000, 1965, 1000, 1000, 5300,
     "D from M, LUO raw H800: 1024 rows of 16 bytes take 3115 with their latency. Blackwell as its other rows", GSU_AT(tma_short_row)},
    TimingParameter{GSU_TIMING(tma_engine), "bytes/clock", 1, 4096, 104, 124, 62, 124,
     "M, tests/hardware H200: stream396by4, three CTAs of an SM; bulk copies of 4 to 32 KiB differ by 101. Blackwell D from M, SEMI B200: as tma_row; FLASH fits 128",
     GSU_AT(tma_engine)},
    TimingParameter{GSU_TIMING(tma_extra), "clocks", 0, 100000, 5, 105, 5, 170,
     "M, tests/hardware H100, H200: rows bulkInLine0 to 15 less ldL2Line0 to 15, 18 on average with the mbarrier's part; LUO raw H800 105 by its own code, which Blackwell takes; the paper's text says 170", GSU_AT(tma_extra)},
    TimingParameter{GSU_TIMING(tma_descriptor), "clocks", 0, 100000, 21, 0, 0, 230,
     "M, tests/hardware H100 45, H200 -3: box8 less bulkIn1024; the middle. LUO raw H800: 60, boxes of one row, every SM from HBM. Blackwell D from M, SEMI B200: one box of 512 bytes takes 45 more than cp.async",
     GSU_AT(tma_descriptor)},
    TimingParameter{GSU_TIMING(tma_first_touch), "clocks", 0, 100000, 575, 320, 320, 575,
     "D from M, FLASH H200: a cold box of 256 bytes takes 1351; it is the rest of that. Blackwell: the rest with its longer copies", GSU_AT(tma_first_touch)},
    TimingParameter{GSU_TIMING(tma_map_kept), "0 or 1", 0, 1, 0, 1, 0, 0,
     "A: first touches are those of a CTA and map. Blackwell D from M, learn-cuda's timelines: of an SM and map, for later CTAs get their first box in half the time",
     GSU_AT(tma_map_kept)},
    TimingParameter{GSU_TIMING(tma_multicast), "clocks", 0, 100000, 4, 99, 4, 135,
     "M, tests/hardware H100, H200: bulkMulticast4096 less bulkUnicast4096; FLASH H200 has 99, cold. Blackwell takes that", GSU_AT(tma_multicast)},
    TimingParameter{GSU_TIMING(tma_store), "bytes/clock", 1, 4096, 31, 124, 31, 124,
     "M, tests/hardware H100, H200: bulkOutRead4096 less bulkOutRead64. Blackwell A: as tma_engine", GSU_AT(tma_store)},
    TimingParameter{GSU_TIMING(tma_store_wait), "0 or 1", 0, 1, 0, 1, 0, 0,
     "M, tests/hardware H100, H200: bulkOut64 and bulkOut4096 end with the reading as bulkOutRead do; 1: a wait without .read is for L2. Blackwell A", GSU_AT(tma_store_wait)},
    TimingParameter{GSU_TIMING(tma_wake), "clocks", 0, 10000, 60, 60, 43, 64,
     "D from the RTL: 64 from the last bytes at the port to the waiter's answer, 43 of it published as try_wait (FLASH H200); gives LUO raw's 364-369", GSU_AT(tma_wake)},

    TimingParameter{GSU_TIMING(l1_lat), "clocks", 1, 10000, 32, 32, 32, 41,
     "T, LUO25 32 (H800); LUO24 40.7: the newer", GSU_AT(l1_lat)},
    TimingParameter{GSU_TIMING(l1_size), "KiB", 1, 4096, 28, 28, 0, 0,
     "A: 256 less the 228 of shared memory; a kernel that uses less has more", GSU_AT(l1_size)},
    TimingParameter{GSU_TIMING(l2_near), "clocks", 1, 100000, 262, 300, 258, 310,
     "T, LUO25 258-264 (H800), LUO raw 264.5; Blackwell F, M, B300 300 to 310", GSU_AT(l2_near)},
    TimingParameter{GSU_TIMING(l2_far), "clocks", 1, 100000, 294, 600, 292, 660,
     "M, tests/hardware H100, H200: rows ldL2Line0 to 15: half of the lines take 30 more than the others. T, LUO25 414, M, LUO raw 498, both H800; Blackwell near + 300 (SEMI); B300 660", GSU_AT(l2_far)},
    TimingParameter{GSU_TIMING(l2_half), "bytes", 128, 1u << 20, 128, 4096, 0, 0,
     "A: that lie in one half. Blackwell M, B300: about 4 KiB; SEMI B200: boxes of up to 4 KiB take the mean of near and far, larger ones the far half's time", GSU_AT(l2_half)},
    TimingParameter{GSU_TIMING(hbm_near), "clocks", 1, 100000, 556, 650, 556, 657,
     "T, LUO25 (H800); Blackwell F: 800 on average", GSU_AT(hbm_near)},
    TimingParameter{GSU_TIMING(hbm_far), "clocks", 1, 100000, 744, 950, 656, 950,
     "T, LUO25 (H800); Blackwell near + 300", GSU_AT(hbm_far)},
    TimingParameter{GSU_TIMING(hbm_rows), "clocks", 0, 100000, 165, 0, 0, 328,
     "M, LUO raw H800, every SM from HBM: boxes whose rows of 64 or 128 bytes lie apart take 190 to 217 more than bulk copies, boxes of one row 60; rows of 256 bytes 105, three dimensions up to 328. Blackwell's latencies are those of such boxes",
     GSU_AT(hbm_rows)},
    TimingParameter{GSU_TIMING(hbm_load), "clocks", 0, 100000, 95, 0, 0, 140,
     "F, LUO raw H800: the wait at half load of HBM, 34 rows of one to four copies of 1 to 16 KiB in flight on each SM (10 to 100 % of HBM): 2.2 % off on average, the worst 7.6 %. Blackwell's latencies are those of a loaded chip",
     GSU_AT(hbm_load)},
    TimingParameter{GSU_TIMING(l2_size), "KiB", 1, 1u << 20, 50 * 1024, 126 * 1024, 0, 0,
     "data sheets: H100 50 MB, B200 126 MB", GSU_AT(l2_size)},
    TimingParameter{GSU_TIMING(l2_dirty), "KiB", 0, 1u << 20, 20 * 1024, 20 * 1024, 18 * 1024, 26 * 1024,
     "D from M, H100, Nsight: bytes written less dram__bytes, of a transpose, a scan, a permutation, gelu and softmax: 18 to 26 MB never reach HBM. Blackwell takes it",
     GSU_AT(l2_dirty)},
    TimingParameter{GSU_TIMING(hbm_write_weight), "thousandths", 1000, 10000, 1600, 1600, 1270, 1830,
     "F, the same five: a written byte takes as long as 1.27 to 1.83 read ones (1.63 on average). Blackwell takes it", GSU_AT(hbm_write_weight)},
    TimingParameter{GSU_TIMING(l2_bytes), "bytes/1000 clocks", 1000, 1u << 30, 4'750'000, 10'240'000, 3'743'000, 10'240'000,
     "M, tests/hardware H200: stream264by1 and stream396by1; FLASH H200 4118, ordinary loads 3743, H800 3942 (LUO24) and 4472 (LUO25). Blackwell F, FLASH; M, B300: 9062 to 9427 by loads", GSU_AT(l2_bytes)},
    TimingParameter{GSU_TIMING(hbm_gbps), "GB/s", 1, 100000, 3000, 7100, 3000, 7100,
     "M, H100 SXM 3000, up to 3240 for a sum (FAST); H800 1961, H200 4100; SEMI B200 7100", GSU_AT(hbm_gbps)},
    TimingParameter{GSU_TIMING(share_burst), "thousandths", 1000, 100000, 2000, 2000, 0, 0,
     "D from M, LUO raw H800: one bulk copy of 1 to 8 KiB in flight on every SM runs at twice the SM's share of HBM", GSU_AT(share_burst)},
    TimingParameter{GSU_TIMING(sm_port), "bytes/clock", 1, 4096, 104, 124, 62, 124,
     "M, tests/hardware H200: stream396by4; Blackwell D from M, SEMI B200, one active SM: as tma_engine", GSU_AT(sm_port)},
    TimingParameter{GSU_TIMING(load_weight), "thousandths", 1000, 10000, 1100, 1100, 0, 0,
     "D from M, FLASH H200: 4118 of copies to 3743 of loads", GSU_AT(load_weight)},
    TimingParameter{GSU_TIMING(merge_window), "clocks", 0, 100000, 100, 100, 0, 0,
     "A: equal lines of SMs side by side are read from L2 once; ACC2 and FLASH have such a merger, FAST implies 1.1 to 1.35", GSU_AT(merge_window)},
    TimingParameter{GSU_TIMING(line_merge), "thousandths", 1000, 10000, 1350, 1100, 1100, 1800,
     "D from M, FAST: 1.1 to 1.35; lines that SMs which are not simulated read at the same time. Blackwell the low end: SEMI B200 has 1.8 for four SMs in step, falling with bytes in flight",
     GSU_AT(line_merge)},
    TimingParameter{GSU_TIMING(store_line), "clocks/1000 lines", 1000, 100000, 2250, 1000, 1000, 2250,
     "D from M, FAST (H100): a tile of 128x128 in 512 stores of 4 lines each takes 4572 clocks. Blackwell D from M, learn-cuda's timelines: 4096 lines in 2.51 us, 0.95 clocks each",
     GSU_AT(store_line)},
    TimingParameter{GSU_TIMING(store_queue), "clocks", 1, 10000, 64, 64, 0, 0,
     "A: stores that wait for L1 before their warp does", GSU_AT(store_queue)},
    TimingParameter{GSU_TIMING(clock_mhz), "MHz", 1, 10000, 1755, 1965, 1350, 2030,
     "H800 1755, H100 SXM up to 1980, Nsight 1410-1500; SEMI B200 1965", GSU_AT(clock_mhz)},
    TimingParameter{GSU_TIMING(l2_mhz), "MHz", 0, 10000, 0, 1965, 0, 0,
     "A: L2 and HBM as given here follow the clock of the SMs (0). Blackwell: they keep this one, as M, B300: 1860 at any clock of the SMs; 1965 is that of the figures", GSU_AT(l2_mhz)},
    TimingParameter{GSU_TIMING(sms), "SMs", 1, 1024, 132, 148, 114, 148,
     "data sheets: H100 SXM, H200 132, H800 PCIe 114, B200 148", GSU_AT(sms)},

    TimingParameter{GSU_TIMING(dsm_lat), "clocks", 1, 100000, 192, 199, 178, 230,
     "M, tests/hardware H100, H200: rows dsmemLoad2 to 16, 173 to 187, dsmemAtom2 to 16, 179 to 193; FLASH H200 178-208 and 220-230 in a chain, LUO raw H800 181-207. Blackwell: within 10 % of these", GSU_AT(dsm_lat)},
    TimingParameter{GSU_TIMING(dsm_copy), "clocks", 0, 100000, 126, 0, 0, 0,
     "D from M, tests/hardware H100, H200: bulkLocal16, pingBulk: a bulk copy between CTAs, besides the way to another SM. None for Blackwell", GSU_AT(dsm_copy)},
    TimingParameter{GSU_TIMING(dsm_link), "bytes/1000 clocks", 100, 1u << 20, 21'100, 21'100, 18'900, 21'100,
     "M, FLASH H200: bulk copies, each SM and direction", GSU_AT(dsm_link)},
    TimingParameter{GSU_TIMING(dsm_load_header), "bytes", 0, 1024, 8, 8, 0, 0,
     "D from M, FLASH H200: loads reach 19.9 of 21.1", GSU_AT(dsm_load_header)},
    TimingParameter{GSU_TIMING(dsm_request), "bytes", 0, 1024, 40, 40, 0, 0,
     "D from M, FLASH H200: loads both ways reach 15.4", GSU_AT(dsm_request)},
    TimingParameter{GSU_TIMING(dsm_store_header), "bytes", 0, 1024, 16, 16, 0, 0,
     "D from M, FLASH H200: stores reach 18.9", GSU_AT(dsm_store_header)},
    TimingParameter{GSU_TIMING(dsm_ack), "bytes", 0, 1024, 4, 4, 4, 5,
     "D from M, FLASH H200: stores both ways 18.1, bulk copies 20.3", GSU_AT(dsm_ack)},

    TimingParameter{GSU_TIMING(launch), "clocks", 0, 1000000, 5500, 5000, 3000, 8699,
     "F, FLASH H100, B200; ACC2 fits 3000; M, FLASH H200: an empty kernel takes 8699 with the host's part", GSU_AT(launch)},
    TimingParameter{GSU_TIMING(cta_refill), "clocks", 0, 100000, 285, 1200, 265, 1200,
     "M, tests/hardware H100, H200: row ctaRefill, from the last clock of a CTA to the first of the next, less what the model adds at both ends; Blackwell F, FLASH B200", GSU_AT(cta_refill)},
    TimingParameter{GSU_TIMING(arrive_issue), "clocks", 1, 1000, 6, 6, 6, 8,
     "M, FLASH H200 6; B300 8", GSU_AT(arrive_issue)},
    TimingParameter{GSU_TIMING(arrive_state), "clocks", 0, 1000, 15, 0, 0, 0,
     "M, tests/hardware H100: row mbarArriveStateUsed 34: what the state of an arrive takes longer than its mbar_lat; none for Blackwell, whose mbar_lat has it", GSU_AT(arrive_state)},
    TimingParameter{GSU_TIMING(wait_first), "clocks", 0, 100000, 239, 0, 0, 0,
     "D from M, tests/hardware H100, H200: rows mbarWakeAfter: a try_wait of a part of a warp that has to wait ends so long after its issue at the earliest", GSU_AT(wait_first)},
    TimingParameter{GSU_TIMING(wait_poll), "clocks", 0, 100000, 148, 0, 0, 0,
     "M, the same: or so long after that, again and again; seven rows of 0 to 5000 clocks are within 2 clocks of it. None for Blackwell", GSU_AT(wait_poll)},
    TimingParameter{GSU_TIMING(wait_look), "clocks", 0, 100000, 20, 0, 0, 45,
     "M, tests/hardware H100, H200: rows mbarWakeAll1 to 31, where whole warps wait: what a wake-up takes longer than a wait that need not wait; mbarWakeAfter says up to 45", GSU_AT(wait_look)},
    TimingParameter{GSU_TIMING(fence_view), "clocks", 0, 1000, 5, 0, 0, 0,
     "M, tests/hardware H100, H200: rows fenceProxyAsyncShared, fenceScCta less fenceCta; B300 has no difference", GSU_AT(fence_view)},
    TimingParameter{GSU_TIMING(fence_proxy), "clocks", 0, 100000, 142, 0, 0, 548,
     "M, tests/hardware H200: row fenceProxyAsync, a MEMBAR.ALL.GPU, less fenceCta (H100: 548); none for Blackwell", GSU_AT(fence_proxy)},
    TimingParameter{GSU_TIMING(bar_result), "clocks", 0, 1000, 45, 45, 0, 0,
     "M, tests/hardware H100, H200: row barRedPopc less barSyncOneWarp and the comparison: B2R.RESULT. Blackwell as Hopper", GSU_AT(bar_result)},
    TimingParameter{GSU_TIMING(bar_register), "clocks", 0, 1000, 11, 11, 0, 0,
     "M, tests/hardware H100, H200: rows barPairs1 to barPairs4 less barSync2: a barrier whose number is in a register. Blackwell as Hopper", GSU_AT(bar_register)},
    TimingParameter{GSU_TIMING(mbar_init), "clocks", 0, 1000, 2, 0, 0, 0,
     "M, tests/hardware H100, H200: row mbarInit 9.1: what it takes longer than an arrive; none for Blackwell", GSU_AT(mbar_init)},
    TimingParameter{GSU_TIMING(match_value), "clocks", 0, 1000, 8, 0, 0, 0,
     "M, tests/hardware H100, H200: rows matchAnySame, matchAny4, matchAnyAll: 10.7 for each value but the first, less what the unit takes for it; none for Blackwell", GSU_AT(match_value)},
    TimingParameter{GSU_TIMING(wait_hint), "0 or 1", 0, 1, 0, 1, 0, 0,
     "M, tests/hardware H100, H200: rows mbarTryWaitHint: the time hint of try_wait changes nothing. Blackwell A", GSU_AT(wait_hint)},
    TimingParameter{GSU_TIMING(fence_overlap), "clocks", 0, 100000, 140, 140, 0, 0,
     "M, tests/hardware H200 and H100: a fence ends 130 clocks after the stores (storeFenceGpu) and copies (fenceManyCopies2) before it. Follows fence_gpu_lat",
     GSU_AT(fence_overlap)},
    TimingParameter{GSU_TIMING(fence_copies), "0 or 1", 0, 1, 1, 1, 0, 1,
     "M, tests/hardware H100, H200: rows fenceManyCopies, and on an H200 fenceCopies, ringCluster8192x4on1", GSU_AT(fence_copies)},
    TimingParameter{GSU_TIMING(fence_interval), "clocks", 0, 100000, 170, 170, 0, 0,
     "M, tests/hardware H200: fenceBehind, the second fence ends 432 after the first began, alone it takes 262; H100 453. Follows fence_gpu_lat",
     GSU_AT(fence_interval)},
};
// clang-format on

#undef GSU_TIMING
#undef GSU_AT

}  // namespace

const char* nameOf(Target target) noexcept
{
    return target == Target::Hopper ? "hopper" : "blackwell";
}

std::span<const TimingParameter> timingParameters() noexcept { return kParameters; }

TimingParams timingParamsOf(Target target) noexcept
{
    TimingParams params{};
    for (const TimingParameter& p : kParameters)
        params.*p.field = target == Target::Hopper ? p.hopper : p.blackwell;
    return params;
}

TimingParams atOwnClocks(TimingParams p) noexcept
{
    if (p.l2_mhz == 0) return p;
    for (std::uint32_t* latency : {&p.l2_near, &p.l2_far, &p.hbm_near, &p.hbm_far})
        *latency = std::max(1u, (*latency * p.clock_mhz + p.l2_mhz / 2) / p.l2_mhz);
    const std::uint64_t bytes = std::uint64_t{p.l2_bytes} * p.l2_mhz / p.clock_mhz;
    p.l2_bytes = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bytes, 1, ~std::uint32_t{0}));
    return p;
}

std::string setTimingParameter(TimingParams& params, std::string_view assignment)
{
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos)
        return "expected KEY=VALUE, found '" + std::string(assignment) + "'";
    const std::string_view key = assignment.substr(0, equals), text = assignment.substr(equals + 1);
    const auto found = std::find_if(kParameters.begin(), kParameters.end(),
                                    [&](const TimingParameter& p) { return key == p.key; });
    if (found == kParameters.end())
        return withNearest("unknown parameter '" + std::string(key) + "'", kParameters, key);
    const auto value = wholeNumber(text, found->max);
    if (!value || *value < found->min)
        return std::string(key) + " takes a whole number " + std::to_string(found->min) + ".." +
               std::to_string(found->max) + " (" + found->unit + "), not '" + std::string(text) +
               "'";
    params.*found->field = static_cast<std::uint32_t>(*value);
    return {};
}

}  // namespace gsu::timing
