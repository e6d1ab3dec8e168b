// Communication of the CTAs of a cluster: all to all by remote arrivals, and sums to one CTA.
#include "gen/patterns.hpp"
#include "gen/text.hpp"

namespace gsu::gen {
namespace {

constexpr const char* kAllToAll = R"ptx(.version $VERSION
.target $TARGET
.address_size 64
.visible .entry alltoall(.param .u64 sums)$CLUSTER
{
    .reg .pred %p<8>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<4>;
    .shared .align 16 .b8 slots[$SLOTBYTES];
    .shared .align 8 .b64 mb;
    ld.param.u64 %rd0, [sums];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p0, %r0, 0;
    mov.u32 %r2, mb;
    mov.u32 %r3, slots;
    @%p0 mbarrier.init.shared::cta.b64 [%r2], $CTAS;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    setp.lt.u32 %p1, %r0, $CTAS;
    mov.u32 %r4, 0;          // round
    mov.u32 %r5, 0;          // parity
    mov.u32 %r6, 0;          // sum
ROUND:
    mul.lo.u32 %r7, %r5, $ROWBYTES;
    @!%p1 bra WAIT;
    // thread t tells CTA t: a word of its own, then its arrival
    mapa.shared::cluster.u32 %r8, %r3, %r0;
    mapa.shared::cluster.u32 %r9, %r2, %r0;
    shl.b32 %r10, %r1, 2;
    add.u32 %r8, %r8, %r10;
    add.u32 %r8, %r8, %r7;
    mad.lo.u32 %r11, %r4, $STEP, %r1;
    add.u32 %r11, %r11, $SEED;
    st.shared::cluster.u32 [%r8], %r11;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r9];
WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r2], %r5;
    @!%p2 bra WAIT;
    @!%p1 bra AGAIN;
    shl.b32 %r12, %r0, 2;
    add.u32 %r12, %r12, %r3;
    add.u32 %r12, %r12, %r7;
    ld.shared.u32 %r13, [%r12];
    add.u32 %r6, %r6, %r13;
AGAIN:
    bar.sync 0;              // all have read before one of them lets others write again
    add.u32 %r4, %r4, 1;
    xor.b32 %r5, %r5, 1;
    setp.lt.u32 %p3, %r4, $ROUNDS;
    @%p3 bra ROUND;
    mad.lo.u32 %r14, %r1, $CTAS, %r0;
    mul.wide.u32 %rd1, %r14, 4;
    add.u64 %rd1, %rd0, %rd1;
    @%p1 st.global.u32 [%rd1], %r6;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
)ptx";
constexpr const char* kReduce = R"ptx(.version $VERSION
.target $TARGET
.address_size 64
.visible .entry reduce(.param .u64 result)$CLUSTER
{
    .reg .pred %p<8>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<4>;
    .shared .align 8 .b64 mb[$STEPS];
    .shared .align 4 .b8 sum[4];
    ld.param.u64 %rd0, [result];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p0, %r0, 0;
    mov.u32 %r2, mb;
    mov.u32 %r3, sum;
    @!%p0 bra READY;
    st.shared.u32 [%r3], 0;
    mov.u32 %r4, 0;
INIT:
    shl.b32 %r5, %r4, 3;
    add.u32 %r5, %r5, %r2;
    mbarrier.init.shared::cta.b64 [%r5], 1;
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p1, %r4, $STEPS;
    @%p1 bra INIT;
    fence.mbarrier_init.release.cluster;
READY:
    bar.sync 0;
    mad.lo.u32 %r6, %r1, $STEP, %r0;
    add.u32 %r6, %r6, $SEED;
    atom.shared.add.u32 %r7, [%r3], %r6;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    @!%p0 bra DONE;
$BODY
    setp.eq.u32 %p2, %r1, 0;
    ld.shared.u32 %r8, [%r3];
    @%p2 st.global.u32 [%rd0], %r8;
DONE:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
)ptx";
constexpr const char* kFlat = R"ptx(    setp.eq.u32 %p3, %r1, 0;
    @%p3 bra GATHER;
    mapa.shared::cluster.u32 %r9, %r3, 0;
    mapa.shared::cluster.u32 %r10, %r2, 0;
    ld.shared.u32 %r8, [%r3];
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r9], %r8, [%r10];
    bra DONE;
GATHER:
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], $FLATBYTES;
FULL:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [%r2], 0;
    @!%p4 bra FULL;
)ptx";
constexpr const char* kTree = R"ptx(    mov.u32 %r11, 1;         // distance
    mov.u32 %r12, %r2;       // mbarrier of the step
STEP:
    shl.b32 %r13, %r11, 1;
    sub.u32 %r14, %r13, 1;
    and.b32 %r15, %r1, %r14;
    setp.eq.u32 %p3, %r15, 0;
    @%p3 bra RECEIVE;
    sub.u32 %r16, %r1, %r11;
    mapa.shared::cluster.u32 %r9, %r3, %r16;
    mapa.shared::cluster.u32 %r10, %r12, %r16;
    ld.shared.u32 %r8, [%r3];
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r9], %r8, [%r10];
    bra DONE;
RECEIVE:
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r12], 4;
FULL:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [%r12], 0;
    @!%p4 bra FULL;
    add.u32 %r12, %r12, 8;
    mov.u32 %r11, %r13;
    setp.lt.u32 %p5, %r11, $CTAS;
    @%p5 bra STEP;
)ptx";

constexpr std::int64_t kStep = 100;

Program allToAll(const Values& v)
{
    const auto ctas = v["ctas"], rounds = v["rounds"], seed = v["seed"];
    Program p;
    p.ptx = fill(kAllToAll, {{"VERSION", "8.6"},
                             {"TARGET", "sm_90a"},
                             {"CLUSTER", clusterOf(ctas)},
                             {"SLOTBYTES", 8 * ctas},
                             {"ROWBYTES", 4 * ctas},
                             {"CTAS", ctas},
                             {"ROUNDS", rounds},
                             {"STEP", kStep},
                             {"SEED", seed}});
    std::vector<std::uint32_t> sums;
    for (std::int64_t i = 0; i < ctas * ctas; ++i)
        sums.push_back(static_cast<std::uint32_t>(rounds * (i % ctas + seed) +
                                                  kStep * (rounds * (rounds - 1) / 2)));
    p.launch = launchOf({"alltoall", ctas, 32, ctas}, {bufferOf(ctas * ctas)}, 0, sums);
    return p;
}

Program reduce(const Values& v)
{
    const auto ctas = v["ctas"], threads = v["threads"], seed = v["seed"];
    const bool tree = v.word("shape") == "tree";
    v.require(!tree || (ctas & (ctas - 1)) == 0, "--ctas: a tree takes a power of two");
    v.require(threads % 32 == 0, "--threads: whole warps");
    std::int64_t steps = 1;
    while (tree && (std::int64_t{1} << steps) < ctas) ++steps;
    std::string text = kReduce;
    text.replace(text.find("$BODY\n"), 6, tree ? kTree : kFlat);
    Program p;
    p.ptx = fill(text, {{"VERSION", "8.6"},
                        {"TARGET", "sm_90a"},
                        {"CLUSTER", clusterOf(ctas)},
                        {"STEPS", steps},
                        {"STEP", kStep},
                        {"SEED", seed},
                        {"CTAS", ctas},
                        {"FLATBYTES", 4 * (ctas - 1)}});
    std::int64_t sum = 0;
    for (std::int64_t r = 0; r < ctas; ++r)
        for (std::int64_t t = 0; t < threads; ++t) sum += r * kStep + t + seed;
    p.launch = launchOf({"reduce", ctas, threads, ctas}, {bufferOf(1)}, 0,
                        {static_cast<std::uint32_t>(sum)});
    return p;
}

}  // namespace

Pattern allToAllPattern()
{
    return {
        "alltoall",
        "every CTA of a cluster stores to every other and arrives on its mbarrier, round by round",
        {{"ctas", 4, 2, 16, "CTAs of the cluster"},
         {"rounds", 5, 1, 1000, "rounds"},
         {"seed", 1, 0, 1000000, "seed of the data"}},
        allToAll};
}

Pattern reducePattern()
{
    return {"reduce",
            "a sum over a cluster by red.async: all to rank 0, or in a tree",
            {{"shape", 0, 0, 0, "how", "flat|tree"},
             {"ctas", 4, 2, 16, "CTAs of the cluster; of a tree a power of two"},
             {"threads", 64, 32, 1024, "threads of a CTA, whole warps"},
             {"seed", 1, 0, 1000000, "seed of the data"}},
            reduce};
}

}  // namespace gsu::gen
