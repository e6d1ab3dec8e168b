// Violations of the text in public kernels that hardware tolerates: a finding, and the values are right.
#include "kernels.hpp"

using namespace gsu;
using namespace gsu::test;

/// Kept: ThunderKittens's educational kernels. Hardware takes the address; the text wants a generic one.
TEST_CASE("a commit with an address of shared memory in 64 bits and no state space",
          "[tcgen05][MBARR-018]")
{
    Steps steps;
    steps.commit = "cvt.u64.u32 %rd20, %r12;\n@%p1 "
                   "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd20];\n";
    const Outcome o = steps.run();
    CHECK(rulesOf(o) == "MBARR-018 ");
    CHECK(o.result.verdict == Verdict::Misuse);
    CHECK(hasProduct(o));
    steps.commit = "cvta.shared.u64 %rd20, bar;\n@%p1 "
                   "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd20];\n";
    CHECK(found(steps) == "");
    steps.commit = "mov.u64 %rd20, 0x400000;\n@%p1 "
                   "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd20];\n";
    CHECK(found(steps).find("MBARR-018 ") == 0);
    CHECK_FALSE(hasProduct(steps.run()));
}

/// Kept: CUTLASS's attention (example 77) reads row sums that another warp stored without wait::st, and hardware gives them.
TEST_CASE("loads and stores of the same cells keep their order, but under exec.memory=weak",
          "[tcgen05][TC5-081][TC5-082]")
{
    const std::string put = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r14], {%d101};\n",
                      waits = "tcgen05.wait::st.sync.aligned;\n",
                      begin = "mov.b32 %d101, 7; add.u32 %r14, %r13, 100;\n" + put + waits +
                              "mov.b32 %d101, 8;\n",
                      end = "tcgen05.wait::ld.sync.aligned;\nmov.b32 %d0, %d100;\n" + waits;
    struct Row {
        std::string between;
        const char* rules;
        std::uint32_t inOrder;
    };
    for (const Row& row :
         {Row{put + loadOne(100), "TC5-081 ", 8}, Row{loadOne(100) + put, "TC5-082 ", 7}}) {
        Steps steps;
        steps.more = begin + row.between + end;
        unsigned early = 0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            CAPTURE(row.rules, seed);
            for (const char* form : {"immediate", "default", "weak"}) {
                CAPTURE(form);
                const Outcome o = steps.run(seed, 128, {{"exec.memory", form}});
                CHECK(rulesOf(o) == row.rules);
                const std::uint32_t got = o.as<std::uint32_t>(1)[0];
                if (form[0] == 'w')
                    early += got != row.inOrder;
                else
                    CHECK(got == row.inOrder);
            }
        }
        CHECK(early > 0);
    }
}

TEST_CASE("a warp loads what another warp of its quarter stored without wait::st",
          "[tcgen05][TC5-081]")
{
    const std::string put = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r14], {%d101};\n",
                      waits = "tcgen05.wait::st.sync.aligned;\n";
    Steps steps;
    steps.more =
        "setp.lt.u32 %p7, %r1, 128; mov.b32 %d101, 7; add.u32 %r14, %r13, 100;\n@!%p7 bra A;\n" +
        put + waits + "mov.b32 %d101, 8;\n" + put + "A: bar.sync 2;\n@%p7 bra B;\n" + loadOne(100) +
        "tcgen05.wait::ld.sync.aligned;\nmov.b32 %d0, %d100;\nB: bar.sync 3;\n" + waits;
    unsigned old = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        for (const char* form : {"default", "weak"}) {
            CAPTURE(seed, form);
            const Outcome o = steps.run(seed, 256, {{"exec.memory", form}});
            CHECK(rulesOf(o) == "TC5-081 ");
            const auto out = o.as<std::uint32_t>(1);
            for (unsigned t = 128; t < 256; ++t) {
                if (form[0] == 'w')
                    old += out[std::size_t{t} * 256] != 8;
                else
                    CHECK(out[std::size_t{t} * 256] == 8);
            }
        }
    }
    CHECK(old > 0);
}
