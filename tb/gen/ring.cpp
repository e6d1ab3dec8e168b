// A ring of mbarriers: bulk copies fill its stages, warps empty them; in a cluster one copy serves all CTAs.
#include <fmt/format.h>

#include "gen/patterns.hpp"
#include "gen/text.hpp"

namespace gsu::gen {
namespace {

constexpr const char* kRing = R"ptx(.version $VERSION
.target $TARGET
.address_size 64
.visible .entry ring(.param .u64 source, .param .u64 sums)$CLUSTER
{
    .reg .pred %p<8>;
    .reg .b16 %h<2>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<8>;
    .shared .align 128 .b8 tiles[$RINGBYTES];
    .shared .align 8 .b64 full[$STAGES];
    .shared .align 8 .b64 empty[$STAGES];
    ld.param.u64 %rd0, [source];
    ld.param.u64 %rd1, [sums];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %cluster_ctarank;
    setp.eq.u32 %p0, %r0, 0;
    @!%p0 bra READY;
    mov.u32 %r2, full;
    mov.u32 %r3, empty;
    mov.u32 %r4, 0;
INIT:
    mbarrier.init.shared::cta.b64 [%r2], 1;
    mbarrier.init.shared::cta.b64 [%r3], $RELEASES;
    add.u32 %r2, %r2, 8;
    add.u32 %r3, %r3, 8;
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p1, %r4, $STAGES;
    @%p1 bra INIT;
    fence.mbarrier_init.release.cluster;
READY:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %r5, 0;          // round
    mov.u32 %r6, 0;          // stage
    mov.u32 %r7, 0;          // parity of this lap
    setp.ge.u32 %p2, %r0, 32;
    @%p2 bra CONSUMER;
    @!%p0 bra DONE;

PRODUCER:                    // one thread of each CTA; rank 0 copies for all
    shl.b32 %r8, %r6, 3;
    mov.u32 %r2, full;
    add.u32 %r2, %r2, %r8;
    mov.u32 %r3, empty;
    add.u32 %r3, %r3, %r8;
    xor.b32 %r9, %r7, 1;
LAP:                         // the lap before is complete
    mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], %r9;
    @!%p3 bra LAP;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], $BYTES;
    setp.ne.u32 %p4, %r1, 0;
    @%p4 bra NEXT;
FREE:                        // all consumers of all CTAs have left the stage
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r3], %r9;
    @!%p3 bra FREE;
    mul.lo.u32 %r10, %r6, $BYTES;
    mov.u32 %r11, tiles;
    add.u32 %r11, %r11, %r10;
    mul.wide.u32 %rd2, %r5, $BYTES;
    add.u64 %rd2, %rd0, %rd2;
    $COPY
NEXT:
    add.u32 %r5, %r5, 1;
    add.u32 %r6, %r6, 1;
    setp.eq.u32 %p5, %r6, $STAGES;
    @%p5 mov.u32 %r6, 0;
    @%p5 xor.b32 %r7, %r7, 1;
    setp.lt.u32 %p6, %r5, $ROUNDS;
    @%p6 bra PRODUCER;
    bra DONE;

CONSUMER:
    sub.u32 %r12, %r0, 32;
    mov.u32 %r13, 0;         // sum
    and.b32 %r14, %r0, 31;
    setp.eq.u32 %p7, %r14, 0;
ROUND:
    shl.b32 %r8, %r6, 3;
    mov.u32 %r2, full;
    add.u32 %r2, %r2, %r8;
    mov.u32 %r3, empty;
    add.u32 %r3, %r3, %r8;
FULL:
    mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], %r7;
    @!%p3 bra FULL;
    mul.lo.u32 %r10, %r6, $BYTES;
    mov.u32 %r11, tiles;
    add.u32 %r11, %r11, %r10;
    mov.u32 %r15, %r12;
WORDS:
    setp.ge.u32 %p4, %r15, $WORDS;
    @%p4 bra LEAVE;
    shl.b32 %r16, %r15, 2;
    add.u32 %r16, %r16, %r11;
    ld.shared.u32 %r17, [%r16];
    add.u32 %r13, %r13, %r17;
    add.u32 %r15, %r15, $READERS;
    bra WORDS;
LEAVE:
    bar.warp.sync 0xffffffff;
    mapa.shared::cluster.u32 %r18, %r3, 0;
    @%p7 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r18];
    add.u32 %r5, %r5, 1;
    add.u32 %r6, %r6, 1;
    setp.eq.u32 %p5, %r6, $STAGES;
    @%p5 mov.u32 %r6, 0;
    @%p5 xor.b32 %r7, %r7, 1;
    setp.lt.u32 %p6, %r5, $ROUNDS;
    @%p6 bra ROUND;
    mad.lo.u32 %r19, %r1, $READERS, %r12;
    mul.wide.u32 %rd3, %r19, 4;
    add.u64 %rd3, %rd1, %rd3;
    st.global.u32 [%rd3], %r13;
DONE:
    barrier.cluster.arrive;  // nobody leaves while others may arrive in its memory
    barrier.cluster.wait;
    ret;
}
)ptx";

Program ring(const Values& v)
{
    const auto stages = v["stages"], rounds = v["rounds"], bytes = v["bytes"], ctas = v["ctas"],
               seed = v["seed"];
    const auto words = bytes / 4, readers = v["consumers"] * 32;
    v.require(bytes % 16 == 0, "--bytes: a bulk copy takes multiples of 16");
    v.require(stages * bytes <= 160 * 1024,
              "--stages, --bytes: more than 160 KiB of shared memory");
    const std::string copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
    const std::string operands = fmt::format(" [%r11], [%rd2], {}, [%r2]", bytes);
    const std::string toAll = fmt::format("mov.b16 %h0, {};\n    {}.multicast::cluster{}, %h0;",
                                          (1u << ctas) - 1, copy, operands);
    Program p;
    p.ptx = fill(kRing, {{"VERSION", "8.6"},
                         {"TARGET", "sm_90a"},
                         {"CLUSTER", clusterOf(ctas)},
                         {"RINGBYTES", stages * bytes},
                         {"STAGES", stages},
                         {"RELEASES", v["consumers"] * ctas},
                         {"BYTES", bytes},
                         {"ROUNDS", rounds},
                         {"WORDS", words},
                         {"READERS", readers},
                         {"COPY", ctas == 1 ? copy + operands + ";" : toAll}});
    std::vector<std::uint32_t> sums;
    for (std::int64_t rank = 0; rank < ctas; ++rank)
        for (std::int64_t t = 0; t < readers; ++t) {
            std::int64_t sum = 0;
            for (std::int64_t k = 0; k < rounds; ++k)
                for (std::int64_t w = t; w < words; w += readers) sum += seed + k * words + w;
            sums.push_back(static_cast<std::uint32_t>(sum));
        }
    p.launch = launchOf({"ring", ctas, 32 + readers, ctas},
                        {bufferOf(rounds * words, seed), bufferOf(ctas * readers)}, 1, sums);
    return p;
}

}  // namespace

Pattern ringPattern()
{
    return {"ring",
            "one thread copies into a ring of mbarrier stages, warps consume; in a cluster each "
            "copy is multicast",
            {{"stages", 4, 1, 16, "stages of the ring"},
             {"rounds", 10, 1, 1000, "tiles copied"},
             {"bytes", 512, 16, 65536, "bytes of a tile, a multiple of 16"},
             {"consumers", 2, 1, 31, "warps that consume, in each CTA"},
             {"ctas", 1, 1, 8, "CTAs of the cluster that receive each tile"},
             {"seed", 1, 0, 1000000, "seed of the data"}},
            ring};
}

}  // namespace gsu::gen
