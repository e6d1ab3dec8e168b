// Pairs of warps; each pair has two named barriers, full and empty.
#include "gen/patterns.hpp"
#include "gen/text.hpp"

namespace gsu::gen {
namespace {

constexpr const char* kNamed = R"ptx(.version $VERSION
.target $TARGET
.address_size 64
.visible .entry named(.param .u64 sums)
{
    .reg .pred %p<8>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<4>;
    .shared .align 16 .b8 slots[$SLOTBYTES];
    ld.param.u64 %rd0, [sums];
    mov.u32 %r0, %tid.x;
    shr.u32 %r1, %r0, 5;
    shr.u32 %r2, %r1, 1;     // pair
    and.b32 %r3, %r1, 1;     // 0: producer, 1: consumer
    and.b32 %r4, %r0, 31;
    shl.b32 %r5, %r2, 1;
    add.u32 %r6, %r5, 1;     // barrier: full
    add.u32 %r7, %r5, 2;     // barrier: empty
    shl.b32 %r8, %r2, 5;
    add.u32 %r8, %r8, %r4;
    shl.b32 %r9, %r8, 2;
    mov.u32 %r10, slots;
    add.u32 %r9, %r9, %r10;
    mov.u32 %r11, 0;
    mov.u32 %r12, 0;
    setp.eq.u32 %p0, %r3, 1;
    @%p0 bra CONSUMER;
PRODUCER:
    setp.eq.u32 %p1, %r11, 0;
    @!%p1 bar.sync %r7, 64;
    mad.lo.u32 %r13, %r11, $STEP, %r8;
    add.u32 %r13, %r13, $SEED;
    st.shared.u32 [%r9], %r13;
    bar.arrive %r6, 64;
    add.u32 %r11, %r11, 1;
    setp.lt.u32 %p2, %r11, $ROUNDS;
    @%p2 bra PRODUCER;
    ret;
CONSUMER:
    bar.sync %r6, 64;
    ld.shared.u32 %r13, [%r9];
    add.u32 %r12, %r12, %r13;
    add.u32 %r11, %r11, 1;
    setp.lt.u32 %p2, %r11, $ROUNDS;
    @%p2 bar.arrive %r7, 64;
    @%p2 bra CONSUMER;
    mul.wide.u32 %rd1, %r8, 4;
    add.u64 %rd1, %rd0, %rd1;
    st.global.u32 [%rd1], %r12;
    ret;
}
)ptx";

constexpr std::int64_t kRoundStep = 1000;

Program named(const Values& v)
{
    const auto pairs = v["pairs"], rounds = v["rounds"], seed = v["seed"];
    Program p;
    p.ptx = fill(kNamed, {{"VERSION", "8.6"},
                          {"TARGET", "sm_90a"},
                          {"SLOTBYTES", pairs * 128},
                          {"ROUNDS", rounds},
                          {"STEP", kRoundStep},
                          {"SEED", seed}});
    std::vector<std::uint32_t> sums;
    for (std::int64_t w = 0; w < pairs * 32; ++w)
        sums.push_back(static_cast<std::uint32_t>(rounds * (w + seed) +
                                                  kRoundStep * (rounds * (rounds - 1) / 2)));
    p.launch = launchOf({"named", 1, pairs * 64, 1}, {bufferOf(pairs * 32)}, 0, sums);
    return p;
}

}  // namespace

Pattern namedPattern()
{
    return {"named",
            "producer and consumer warps in pairs, each pair on two named barriers (bar.sync, "
            "bar.arrive)",
            {{"pairs", 2, 1, 7, "pairs of warps"},
             {"rounds", 10, 1, 10000, "values handed over by each lane"},
             {"seed", 1, 0, 1000000, "seed of the data"}},
            named};
}

}  // namespace gsu::gen
