// EX-MBINIT, EX-MBINVAL, EX-MBTX: life of an object and its transactions.
#include "catch.hpp"
#include "scenarios/scenario.hpp"

using namespace gsu;
using namespace scenario;

TEST_CASE(
    "EX-MBINIT-01: a generic init with a count in a register serves all threads after the barrier",
    "[MBAR-018]")
{
    check({.body = R"(
    mov.u32 %r10, %ntid.x;
    @%p0 mbarrier.init.b64 [%rd3], %r10;
    bar.cta.sync 0;
    mbarrier.arrive.b64 %rd6, [%rd3];
W:  mbarrier.try_wait.b64 %p3, [%rd3], %rd6;
    @!%p3 bra W;
    add.u32 %r11, %r0, 5;
    st.global.u32 [%rd2], %r11;)",
           .expected = {.out = {5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18,
                                19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
                                33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44},
                        .last = {{{0, 0}, {{40, 40, 0, 1}, 1}}}},
           .threads = 40});
}

TEST_CASE("EX-MBINIT-02: twelve arrivals, one after the other; the twelfth completes the phase",
          "[MBAR-010][MBAR-014]")
{
    std::vector<State> steps{{12, 12, 0, 0}};
    for (std::uint32_t left = 11; left > 0; --left) steps.push_back({left, 12, 0, 0});
    steps.push_back({12, 12, 0, 1});
    check({.body = R"(
    @%p0 mbarrier.init.shared::cta.b64 [smem], 12;
    bar.sync 0;
    @!%p0 bra DONE;
    mov.u32 %r10, 0;
L:  mbarrier.arrive.shared::cta.b64 %rd6, [smem];
    mbarrier.test_wait.shared::cta.b64 %p3, [smem], %rd6;
    selp.u32 %r11, 1, 0, %p3;
    st.global.u32 [%rd2], %r11;
    add.s64 %rd2, %rd2, 4;
    add.u32 %r10, %r10, 1;
    setp.lt.u32 %p4, %r10, 12;
    @%p4 bra L;
DONE:)",
           .expected = {.out = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, .steps = {{{0, 0}, steps}}}});
}

TEST_CASE("EX-MBINVAL-01: one thread initialises, all use, one invalidates after a barrier: "
          "nothing to report",
          "[MBAR-027][MBAR-008]")
{
    check({.body = R"(
    bar.sync 0;
    @%p0 mbarrier.init.shared::cta.b64 [smem], 64;
    bar.sync 0;
    mbarrier.arrive.shared::cta.b64 %rd6, [smem];
W:  mbarrier.test_wait.shared::cta.b64 %p3, [smem], %rd6;
    @!%p3 bra W;
    bar.sync 0;
    @%p0 mbarrier.inval.shared::cta.b64 [smem];
    @%p0 st.global.u32 [%rd2], 3;)",
           .expected = {.out = {3}, .last = {{{0, 0}, {{64, 64, 0, 1}, 1}}}},
           .threads = 64});
}

TEST_CASE("MBAR-027: an operation after inval is reported", "[MBAR-027][MBAR-005]")
{
    check({.body = R"(
    @!%p0 bra DONE;
    mbarrier.init.shared::cta.b64 [smem], 2;
    mbarrier.inval.shared::cta.b64 [smem];
    mbarrier.arrive.shared::cta.b64 _, [smem];
DONE:)",
           .expected = {.findings = {"MBAR-005"}, .verdict = Verdict::Misuse}});
}

TEST_CASE("An arrival at memory of zeros is no use of a dropped object", "[MBAR-005][MBDROP-011]")
{
    check({.body = "    @%p0 mbarrier.arrive.shared::cta.b64 _, [smem];",
           .expected = {.findings = {"MBAR-005"}, .verdict = Verdict::Misuse}});
    check({.body = R"(
    @!%p0 bra DONE;
    mbarrier.init.shared::cta.b64 [smem], 1;
    mbarrier.arrive_drop.shared::cta.b64 _, [smem];
    mbarrier.arrive.shared::cta.b64 _, [smem];
DONE:)",
           .expected = {.findings = {"MBDROP-011"}, .verdict = Verdict::Misuse}});
}

namespace {

/// Both lives of EX-MBINVAL-02 by 24 threads; `guard` of the first init.
std::string twoLives(const std::string& guard)
{
    return guard + R"( mbarrier.init.shared::cta.b64 [smem], 12;
    bar.sync 0;
    setp.lt.u32 %p5, %r0, 12;
    @%p5 mbarrier.arrive.shared::cta.b64 _, [smem];
W1: mbarrier.test_wait.parity.shared::cta.b64 %p3, [smem], 0;
    @!%p3 bra W1;
    bar.sync 0;
    @!%p0 bra SECOND;
    mbarrier.inval.shared::cta.b64 [smem];
    mov.u64 %rd10, 0x123456789abcdef0;
    st.shared.b64 [smem], %rd10;
    ld.shared.b64 %rd11, [smem];
    st.global.b64 [%rd0], %rd11;
    mbarrier.init.shared::cta.b64 [smem], 24;
SECOND:
    bar.sync 0;
    mbarrier.arrive.shared::cta.b64 %rd6, [smem];
W2: mbarrier.test_wait.shared::cta.b64 %p3, [smem], %rd6;
    @!%p3 bra W2;
    bar.sync 0;
    @%p0 mbarrier.inval.shared::cta.b64 [smem];
    add.u32 %r10, %r0, 1;
    @!%p0 st.global.u32 [%rd2+4], %r10;)";
}

}  // namespace

TEST_CASE("EX-MBINVAL-02: init 12, use, inval, plain data, init 24, use, inval: the second life "
          "has its own count",
          "[MBAR-008][MBAR-009]")
{
    std::vector<std::uint32_t> out{0x9abcdef0, 0x12345678};
    for (std::uint32_t i = 1; i < 24; ++i) out.push_back(i + 1);
    check({.body = twoLives("@%p0"),
           .expected = {.out = out, .last = {{{0, 0}, {{24, 24, 0, 1}, 2}}}},
           .threads = 24});
}

TEST_CASE("EX-MBINVAL-02 as printed: an init by every thread is reported", "[MBAR-006]")
{
    check({.body = "mbarrier.init.shared::cta.b64 [smem], 12;",
           .expected = {.findings = {"MBAR-006"}, .verdict = Verdict::Misuse}});
}

TEST_CASE("EX-MBTX-01 and EX-MBTX-02: expectations and completions of four objects",
          "[MBAR-031][MBAR-036][MBAR-037][MBAR-033]")
{
    std::vector<std::uint32_t> data;
    for (std::uint32_t i = 0; i < 8; ++i) data.push_back(0x700 + i);
    check({.body = R"(
    add.u32 %r10, %r1, 64;                       // data beside the objects
    setp.lt.u32 %p4, %r0, 8;
    shl.b32 %r11, %r0, 2;
    add.u32 %r10, %r10, %r11;
    add.u32 %r12, %r0, 0x700;
    @%p4 st.shared.u32 [%r10], %r12;
    bar.sync 0;
    @!%p0 bra READ;
    mbarrier.init.shared::cta.b64 [smem], 1;     // addr
    mbarrier.init.shared::cta.b64 [smem+8], 1;   // mbarObj1
    mbarrier.init.shared::cta.b64 [smem+16], 1;  // mbarObj2
    mbarrier.init.shared::cta.b64 [smem+24], 1;  // addr2
    mbarrier.expect_tx.relaxed.cta.b64 [%rd3], 32;
    mbarrier.expect_tx.relaxed.cta.shared.b64 [smem+8], 512;
    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [smem+16], 512;
    mbarrier.complete_tx.relaxed.cta.b64 [%rd3], 32;
    mbarrier.complete_tx.relaxed.cta.shared.b64 [smem+8], 512;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [smem+24], 32;
    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [smem+24], 32;
    mbarrier.arrive.shared::cta.b64 _, [smem+24];
READ:
    bar.sync 0;
    ld.shared.u32 %r13, [%r10];
    @%p4 st.global.u32 [%rd2], %r13;)",
           .expected = {
               .out = data,
               .steps = {{{0, 0}, {{1, 1, 0, 0}, {1, 1, 32, 0}, {1, 1, 0, 0}}},
                         {{0, 8}, {{1, 1, 0, 0}, {1, 1, 512, 0}, {1, 1, 0, 0}}},
                         {{0, 16}, {{1, 1, 0, 0}, {1, 1, 512, 0}}},
                         {{0, 24}, {{1, 1, 0, 0}, {1, 1, -32, 0}, {1, 1, 0, 0}, {1, 1, 0, 1}}}}}});
}

TEST_CASE("EX-MBTX-02: with the arrivals in, the completing event is the complete_tx",
          "[MBAR-036][MBAR-010][MBAR-039]")
{
    check({.body = R"(
    @!%p0 bra DONE;
    mbarrier.init.shared::cta.b64 [smem], 1;
    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [smem], 24;
    mbarrier.arrive.shared::cta.b64 %rd6, [smem];
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [smem], 8;
    mbarrier.test_wait.shared::cta.b64 %p3, [smem], %rd6;
    selp.u32 %r10, 11, 10, %p3;
    st.global.u32 [%rd0], %r10;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [smem], 16;
    mbarrier.test_wait.shared::cta.b64 %p3, [smem], %rd6;
    selp.u32 %r10, 11, 10, %p3;
    st.global.u32 [%rd0+4], %r10;
DONE:)",
           .expected = {
               .out = {10, 11},
               .steps = {
                   {{0, 0},
                    {{1, 1, 0, 0}, {1, 1, 24, 0}, {0, 1, 24, 0}, {0, 1, 16, 0}, {1, 1, 0, 1}}}}}});
}

TEST_CASE("MBAR-040: bytes that never come leave the phase open; the hang names the object",
          "[MBAR-040]")
{
    check({.body = R"(
    @%p0 mbarrier.init.shared::cta.b64 [smem+8], 1;
    bar.sync 0;
    @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [smem+8], 32;
    @%p0 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [smem+8], 16;
W:  mbarrier.try_wait.parity.shared::cta.b64 %p3, [smem+8], 0;
    @!%p3 bra W;
    st.global.u32 [%rd2], 1;)",
           .expected = {.verdict = Verdict::Hang,
                        .steps = {{{0, 8}, {{1, 1, 0, 0}, {0, 1, 32, 0}, {0, 1, 16, 0}}}},
                        .waitedOn = {{0, 8}}}});
}
