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

#include "microbenchmarks/attention.cuh"
#include "microbenchmarks/barriers.cuh"
#include "microbenchmarks/clusters.cuh"
#include "microbenchmarks/copies.cuh"
#include "microbenchmarks/fences.cuh"
#include "microbenchmarks/host.cuh"
#include "microbenchmarks/launches.cuh"
#include "microbenchmarks/pipelines.cuh"
#include "microbenchmarks/sm.cuh"
#include "microbenchmarks/tensor.cuh"

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

template <Give G, u32 Bytes, u32 Stages>
void ringRows(const std::string& give, unsigned sms)
{
    for (const unsigned ctas : {1u, sms}) {
        const std::string name = "ring" + give + std::to_string(Bytes) + "x" + std::to_string(Stages) + "on" + std::to_string(ctas);
        if (!asked(name)) continue;
        launch(Shape{32 * kConsumers + 32, ctas, 1, Bytes * Stages}, ring<G, Bytes, Stages>, Out{device}, 0u);
        std::vector<u32> samples(kSamples - 1);
        CHECK(cudaMemcpy(samples.data(), device, samples.size() * 4, cudaMemcpyDeviceToHost));
        tell(name, std::vector<double>(samples.begin(), samples.end()), kRingSteps);
    }
}
template <Give G>
void ringsOf(const std::string& give, unsigned sms)
{
    ringRows<G, 0, 4>(give, sms);
    ringRows<G, 8192, 4>(give, sms);
    ringRows<G, 32768, 2>(give, sms);
    ringRows<G, 32768, 4>(give, sms);
}

void pipelines(unsigned sms)
{
    ringsOf<Give::Cta>("Cta", sms);
    ringsOf<Give::Cluster>("Cluster", sms);
    ringsOf<Give::NoScope>("NoScope", sms);
    ringsOf<Give::FenceGpu>("FenceGpu", sms);
    ringsOf<Give::AcquireToo>("AcquireToo", sms);
    const Out out{device};
    for (const unsigned waiters : {1u, 4u, 8u, 16u, 31u}) {
        const std::string n = std::to_string(waiters);
        row("mbarWakeAll" + n, 1, Shape{32 * waiters + 32}, wakeAll<false>, out, 0u);
        row("barWakeAll" + n, 1, Shape{32 * waiters + 32}, wakeAll<true>, out, 0u);
    }
    row("barPing", 16, Shape{64}, barPing, out, 0u);
    for (const unsigned warps : {4u, 16u}) {
        const Shape shape{32 * warps, 2, 2};
        row("clusterRelaxed2warps" + std::to_string(warps), 16, shape, clusterBarrier<true>, out, 0u);
        row("clusterSync2warps" + std::to_string(warps), 16, shape, clusterBarrier<false>, out, 0u);
    }
    row("flagPing", 16, Shape{32, 2}, flagPing<false>, out, 0u), row("flagPingRelaxed", 16, Shape{32, 2}, flagPing<true>, out, 0u);
    for (const unsigned ctas : {1u, 16u, sms}) row("atomGlobalShared" + std::to_string(ctas), 16, Shape{1, ctas}, atomGlobalShared, out, 0u);
    const Shape copy{1, 1, 1, 40960};
    row("bulkSixteen16", 1, copy, bulkSixteen<16>, out, 0u), row("bulkSixteen128", 1, copy, bulkSixteen<128>, out, 0u);
    row("bulkSixteen1024", 1, copy, bulkSixteen<1024>, out, 0u);
    row("bulkReduce4096", 1, copy, bulkReduce, out, 0u);
    row("cpAsyncTile", 1, Shape{128, 1, 1, 40960}, cpAsyncTile, out, 0u);
    row("wgmmaTwo256x8", 8, Shape{256, 1, 1, 49152}, wgmma256<8>, out, 0u);
}

void fences()
{
    const Out out{device};
    for (const unsigned warps : {1u, 2u, 4u, 5u, 8u, 10u, 12u, 14u, 16u, 32u}) {
        const std::string n = std::to_string(warps);
        row("fenceLast" + n, 1, Shape{32 * warps}, fenceLast, out, 0u);
        row("fenceLoops" + n + "pause50", 16, Shape{32 * warps}, fenceLoops, out, 50u);
        row("fenceLoops" + n + "pause300", 16, Shape{32 * warps}, fenceLoops, out, 300u);
    }
    for (const unsigned delay : {0u, 50u, 200u, 400u, 600u}) {
        row("fenceBehindOther" + std::to_string(delay), 1, Shape{64}, fenceBehind, out, delay);
        row("fenceBehindSame" + std::to_string(delay), 1, Shape{160}, fenceBehind, out, delay);
    }
    for (const unsigned apart : {100u, 200u, 300u, 420u, 500u}) {
        const std::string n = "by" + std::to_string(apart);
        const Shape eight{256};
        row("fenceStagger0" + n, 1, eight, fenceStagger<0>, out, apart), row("fenceStagger1" + n, 1, eight, fenceStagger<1>, out, apart);
        row("fenceStagger2" + n, 1, eight, fenceStagger<2>, out, apart), row("fenceStagger3" + n, 1, eight, fenceStagger<3>, out, apart);
        row("fenceStagger5" + n, 1, eight, fenceStagger<5>, out, apart), row("fenceStagger7" + n, 1, eight, fenceStagger<7>, out, apart);
    }
    for (const unsigned delay : {0u, 100u, 200u, 400u}) row("fenceNeighbour" + std::to_string(delay), 1, Shape{32, 2, 2, 120 * 1024}, fenceNeighbour, out, delay);
    const Shape room{64, 1, 1, 200 * 1024};
    row("fenceManyCopies1", 1, room, fenceManyCopies<1, false>, out, 0u), row("fenceManyCopies2", 1, room, fenceManyCopies<2, false>, out, 0u);
    row("fenceManyCopies4", 1, room, fenceManyCopies<4, false>, out, 0u), row("fenceManyCopies6", 1, room, fenceManyCopies<6, false>, out, 0u);
    row("fenceManyCopiesOther4", 1, room, fenceManyCopies<4, true>, out, 0u), row("fenceManyCopiesOther6", 1, room, fenceManyCopies<6, true>, out, 0u);
    const Shape one{1, 1, 1, 200 * 1024};
    row("manyCopies1", 1, one, manyCopies<1>, out, 0u), row("manyCopies4", 1, one, manyCopies<4>, out, 0u), row("manyCopies6", 1, one, manyCopies<6>, out, 0u);
    row("fenceStores1", 1, Shape{32}, fenceStores<1, false>, out, 0u), row("fenceStores8", 1, Shape{32}, fenceStores<8, false>, out, 0u);
    row("fenceStores32", 1, Shape{32}, fenceStores<32, false>, out, 0u), row("fenceStoresOther32", 1, Shape{64}, fenceStores<32, true>, out, 0u);
}

// Of each set of parts rows of 1, 2 and 3 warpgroups.
template <int Parts>
void attentionRows(const std::string& name)
{
    for (unsigned groups = (Parts & kTurns) ? 2 : 1; groups <= 3; ++groups)
        row(name + std::to_string(groups), (Parts & kIssue) ? 1 : kSteps, Shape{128 * (1 + groups), 1, 1, kAttentionBytes}, attention<Parts>, Out{device}, 0u);
}

void attentions()
{
    attentionRows<kExp>("attentionExp"), attentionRows<kExp | kBeside>("attentionExpBeside");
    attentionRows<kExp | kStore>("attentionStore"), attentionRows<kExp | kStore | kView>("attentionView");
    attentionRows<kExp | kStore | kView | kBeside>("attentionViewBeside");
    attentionRows<kMax | kExp | kStore | kView>("attentionSoftmax"), attentionRows<kMax | kExp | kStore | kView | kBeside>("attentionSoftmaxBeside");
    attentionRows<kFirst | kIssue>("attentionIssueFirst"), attentionRows<kSecond | kIssue>("attentionIssueSecond");
    attentionRows<kFirst | kMax | kExp>("attentionFirst");
    attentionRows<kFirst | kSecond | kMax | kExp | kStore | kView>("attentionStep");
    attentionRows<kFirst | kSecond | kMax | kExp | kStore | kView | kTurns>("attentionTurns");
}

// Alone, beside products of 64 x 64 and of 64 x 192; 1 and 3 warps on each scheduler.
template <Arithmetic Kind>
void besideRows(const std::string& name)
{
    for (const unsigned groups : {1u, 3u}) {
        const Shape shape{128 * (1 + groups), 1, 1, kAttentionBytes};
        const std::string n = std::to_string(groups);
        row("beside0" + name + n, kOperations, shape, beside<Kind, 0>, Out{device}, 0u);
        row("beside64" + name + n, kOperations, shape, beside<Kind, 64>, Out{device}, 0u);
        row("beside192" + name + n, kOperations, shape, beside<Kind, 192>, Out{device}, 0u);
    }
}

void besides()
{
    besideRows<Arithmetic::Fma>("Fma"), besideRows<Arithmetic::FmaReuse>("FmaReuse"), besideRows<Arithmetic::Add>("Add");
    besideRows<Arithmetic::Multiply>("Multiply"), besideRows<Arithmetic::Max>("Max"), besideRows<Arithmetic::Exponent>("Exponent");
    besideRows<Arithmetic::Pack>("Pack"), besideRows<Arithmetic::AddWhole>("AddWhole"), besideRows<Arithmetic::Move>("Move");
    besideRows<Arithmetic::Shuffle>("Shuffle"), besideRows<Arithmetic::Mix>("Mix");
    besideRows<Arithmetic::Store>("Store"), besideRows<Arithmetic::View>("View"), besideRows<Arithmetic::StoreView>("StoreView");
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

// long: the list of rows
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
    ROW(cvtF16x2, 64), ROW(cvtBf16, 64), ROW(cvtFromF16, 64), ROW(cvtToFloatAndBack, 32), ROW(rcpAdd, 32), ROW(rcpAddNoFtz, 32), ROW(rsqrtNoFtz, 32);
    ROW(ex2NoFtz, 32), ROW(tanhApprox, 32), ROW(mul64, 32), ROW(minMax32, 64), ROW(maxF32, 64), ROW(prmt32, 64), ROW(brev32, 64);
    ROW(shflBfly, 16), ROW(shflDown, 16), ROW(voteAny, 16);
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
    ROW(ldAcquireGpu, 8), ROW(stReleaseGpu, 8);
    for (unsigned k = 0; k < 16; ++k) {  // lines of both halves of L2
        constexpr unsigned kStep = 33 * 128;
        row("ldL2Line" + std::to_string(k), 8, Shape{1}, ldL2Line, Out{device}, k * kStep);
        row("bulkInLine" + std::to_string(k), 1, Shape{1, 1, 1, 40960}, bulkIn<64, true>, Out{device}, k * kStep);
    }
    ROW(cpAsync, 1), ROW(cpAsyncMbarrier, 1);
    ROW(mbarInit, 8), ROW(mbarArrive, 8), ROW(mbarArriveState, 8), ROW(mbarArriveStateUsed, 8), ROW(mbarExpect, 8),
        ROW(mbarArriveReleaseCluster, 8), ROW(mbarArriveWaitAcquire, 8), ROW(mbarArriveWaitBoth, 8), ROW(mbarTestWaitTrue, 8), ROW(mbarTestWaitFalse, 8), ROW(mbarTryWaitTrue, 8);
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
    for (const unsigned clocks : {0u, 50u, 100u, 200u, 500u, 1000u, 2000u, 5000u}) {
        row("mbarWakeAfter" + std::to_string(clocks), 1, Shape{64}, wakeAfter<false>, out, clocks);
        row("barWakeAfter" + std::to_string(clocks), 1, Shape{64}, wakeAfter<true>, out, clocks);
    }
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
    row("bulkMany2", 1, copy, bulkMany<2>, out, 0u), row("bulkMany4", 1, copy, bulkMany<4>, out, 0u), row("bulkMany8", 1, copy, bulkMany<8>, out, 0u);
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
    attentions();
    besides();
    fences();
    pipelines(static_cast<unsigned>(properties.multiProcessorCount));
    launches();
    return 0;
}
