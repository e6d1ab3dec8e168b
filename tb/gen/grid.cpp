// Work stealing by launch control, and launches that wait for each other on the device.
#include <fmt/format.h>

#include "gen/patterns.hpp"
#include "gen/text.hpp"

namespace gsu::gen {
namespace {

constexpr const char* kSteal = R"ptx(.version $VERSION
.target $TARGET
.address_size 64
.visible .entry steal(.param .u64 done)$CLUSTER
{
    .reg .pred %p<8>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<4>;
    .reg .b128 %q<2>;
    .shared .align 16 .b8 response[16];
    .shared .align 8 .b64 mb;
    ld.param.u64 %rd0, [done];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, %ctaid.x;   // the tile: its own first, then those of cancelled clusters
    mov.u32 %r3, mb;
    mov.u32 %r4, response;
    mov.u32 %r5, 0;          // parity
    setp.eq.u32 %p0, %r0, 0;
    setp.eq.and.u32 %p1, %r1, 0, %p0;
    @%p0 mbarrier.init.shared::cta.b64 [%r3], 1;
    @%p0 fence.mbarrier_init.release.cluster;
TILE:
    barrier.cluster.arrive;  // the answer before has been read by all
    barrier.cluster.wait;
    @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 16;
    @%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes$MULTICAST.b128 [%r4], [%r3];
    mad.lo.u32 %r6, %r2, $THREADS, %r0;
    mul.wide.u32 %rd1, %r6, 4;
    add.u64 %rd1, %rd0, %rd1;
    add.u32 %r7, %r2, $SEED;
    red.global.add.u32 [%rd1], %r7;
ANSWER:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r3], %r5;
    @!%p2 bra ANSWER;
    xor.b32 %r5, %r5, 1;
    ld.shared.b128 %q1, [%r4];
    clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q1;
    @%p3 clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r2, %q1;
    @%p3 add.u32 %r2, %r2, %r1;
    fence.proxy.async.shared::cta;
    @%p3 bra TILE;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
)ptx";
constexpr const char* kStage = R"ptx(.version $VERSION
.target $TARGET
.address_size 64
.visible .entry stage(.param .u64 data, .param .u32 first)
{
    .reg .pred %p<4>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd0, [data];
    ld.param.u32 %r0, [first];
    griddepcontrol.launch_dependents;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mad.lo.u32 %r3, %r2, $THREADS, %r1;
    setp.ne.u32 %p0, %r0, 0;
    @!%p0 griddepcontrol.wait;   // the launch before is complete, and what it wrote is there
TILE:                            // persistent: a CTA takes every $CTAS-th tile
    mul.wide.u32 %rd1, %r3, 4;
    add.u64 %rd1, %rd0, %rd1;
    ld.global.u32 %r4, [%rd1];
    mad.lo.u32 %r4, %r4, 3, $SEED;
    st.global.u32 [%rd1], %r4;
    add.u32 %r3, %r3, $STRIDE;
    setp.lt.u32 %p1, %r3, $WORDS;
    @%p1 bra TILE;
    ret;
}
)ptx";

Program steal(const Values& v)
{
    const auto tiles = v["tiles"], threads = v["threads"], ctas = v["ctas"], seed = v["seed"];
    v.require(tiles % ctas == 0, "--tiles: whole clusters of --ctas");
    Program p;
    p.ptx = fill(kSteal, {{"VERSION", "8.7"},
                          {"TARGET", "sm_100a"},
                          {"CLUSTER", clusterOf(ctas)},
                          {"THREADS", threads},
                          {"SEED", seed},
                          {"MULTICAST", ctas > 1 ? ".multicast::cluster::all" : ""}});
    std::vector<std::uint32_t> done;
    for (std::int64_t i = 0; i < tiles * threads; ++i)
        done.push_back(static_cast<std::uint32_t>(i / threads + seed));
    p.launch = launchOf({"steal", tiles, threads, ctas}, {bufferOf(tiles * threads)}, 0, done);
    p.notes.push_back("each tile is done once, by its own CTA or by one that cancelled it: how "
                      "many are cancelled is left to the machine");
    return p;
}

/// A list of launches on one array.
Program pipeline(const Values& v)
{
    const auto launches = v["launches"], ctas = v["ctas"], threads = v["threads"],
               words = v["words"], seed = v["seed"];
    v.require(ctas * threads <= words, "--words: at least one for each thread");
    Program p;
    p.ptx = fill(kStage, {{"VERSION", "8.6"},
                          {"TARGET", "sm_90a"},
                          {"THREADS", threads},
                          {"CTAS", ctas},
                          {"SEED", seed},
                          {"STRIDE", ctas * threads},
                          {"WORDS", words}});
    std::vector<std::uint32_t> data;
    for (std::int64_t i = 0; i < words; ++i) {
        auto x = static_cast<std::uint32_t>(i);
        for (std::int64_t k = 0; k < launches; ++k) x = x * 3 + static_cast<std::uint32_t>(seed);
        data.push_back(x);
    }
    const std::string shape =
        fmt::format(R"("entry": "stage", "grid": [{}, 1, 1], "block": [{}, 1, 1])", ctas, threads);
    p.launch = fmt::format(R"({{"ptx": "pipeline.ptx",
 "memory": {{"data": {{"type": "u32", "count": {}, "init": {{"iota": [0, 1]}}}}}},
 "launches": [)",
                           words);
    for (std::int64_t k = 0; k < launches; ++k) {
        p.launch +=
            (k == 0 ? "\n  {" : ",\n  {") + shape +
            ", \"params\": [{\"memory\": \"data\"}, {\"scalar\": {\"type\": \"u32\", \"value\": " +
            (k == 0 ? "1" : "0") + "}}]";
        if (k != 0) p.launch += ", \"dependent\": true";
        if (k == launches - 1)
            p.launch +=
                ",\n   \"expect\": [{\"memory\": \"data\", \"values\": " + listOf(data) + "}]";
        p.launch += "}";
    }
    p.launch += "]}\n";
    return p;
}

}  // namespace

Pattern stealPattern()
{
    return {"steal",
            "CTAs that are done cancel clusters not yet started and take their tiles "
            "(clusterlaunchcontrol)",
            {{"tiles", 80, 1, 4096, "CTAs of the grid, one tile each"},
             {"threads", 64, 1, 1024, "threads of a CTA"},
             {"ctas", 1, 1, 8, "CTAs of a cluster; above 1 the answer is multicast"},
             {"seed", 1, 0, 1000000, "seed of the data"}},
            steal};
}

Pattern pipelinePattern()
{
    return {"pipeline",
            "persistent launches in a row, each waiting on the device for the one before "
            "(griddepcontrol)",
            {{"launches", 3, 2, 16, "launches"},
             {"ctas", 2, 1, 64, "CTAs of each"},
             {"threads", 64, 1, 1024, "threads of a CTA"},
             {"words", 1000, 1, 100000, "words of data"},
             {"seed", 1, 0, 1000000, "seed of the data"}},
            pipeline};
}

}  // namespace gsu::gen
