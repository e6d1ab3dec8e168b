// Mistakes of kernels around tcgen05. Each case starts from the kernel that right_test.cpp runs without findings.
#include "kernels.hpp"

using namespace gsu;
using namespace gsu::test;

TEST_CASE("tensor memory read before the commit was waited for", "[tcgen05][TC5-080]")
{
    bool old = false;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        Steps steps;
        steps.wait = "";
        const Outcome o = steps.run(seed);
        CHECK(rulesOf(o) == "TC5-080 TC5-088 ");  // read, and given back
        CHECK(o.result.verdict == Verdict::Misuse);
        old |= !hasProduct(o);
        steps = {};
        steps.commit = "@%p1 mbarrier.arrive.shared.b64 %rd20, [bar];\n";  // of nothing
        CHECK(found(steps, seed).substr(0, 7) == "TC5-080");
    }
    CHECK(old);
    // A commit by another thread than the one that multiplies covers nothing.
    Steps steps;
    steps.commit = "setp.eq.u32 %p5, %r1, 1; @%p5 "
                   "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%r12];\n";
    CHECK(found(steps).substr(0, 7) == "TC5-080");
}

TEST_CASE("fences around a synchronization", "[tcgen05][TC5-082][TC5-083][TC5-084]")
{
    Steps steps;
    steps.after = "";
    CHECK(found(steps) == "TC5-084 ");
    steps.after = "";
    steps.wait = "tcgen05.fence::after_thread_sync;\n" + steps.wait;  // too early
    CHECK(found(steps) == "TC5-084 ");
    // A second product by a thread of another warp into the accumulator that all warps have loaded.
    const std::string again =
        "setp.eq.u32 %p6, %r1, 96; @%p6 tcgen05.mma.cta_group::1.kind::f16 "
        "[%r10], %rd10, %rd11, %r11, 0;\n@%p6 "
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%r12];\n"
        "V: mbarrier.try_wait.parity.shared.b64 %p4, [bar], 1; @!%p4 bra V;\n";
    const std::string before = "tcgen05.fence::before_thread_sync;\n",
                      after = "tcgen05.fence::after_thread_sync;\n", meet = "bar.sync 1;\n";
    steps = {};
    steps.more = before + meet + after + again;
    CHECK(found(steps) == "");
    steps.more = meet + after + again;
    CHECK(found(steps) == "TC5-083 ");
    steps.more = before + meet + again;
    CHECK(found(steps) == "TC5-084 ");
    steps.waitLoad = "";
    steps.more = before + meet + after + again + "tcgen05.wait::ld.sync.aligned;\n";
    CHECK(found(steps) == "TC5-082 ");
}

TEST_CASE(
    "a missing fence is an error, and the values are there; another warp's lanes are a warning",
    "[tcgen05][TC5-012][TC5-083][TC5-084][TC5-086]")
{
    Steps bare, store, lanes;
    bare.after = "";
    store.proxy = "";
    lanes.load = "add.u32 %r13, %r10, 4194304;\n" + lanes.load.substr(lanes.load.find("tcgen05"));
    struct Row {
        const Steps* steps;
        const char* rules;
        Verdict verdict;
    };
    for (const Row& row :
         {Row{&bare, "TC5-084 ", Verdict::Misuse}, Row{&store, "TC5-086 ", Verdict::Misuse},
          Row{&lanes, "TC5-012 ", Verdict::Pass}}) {
        CAPTURE(row.rules);
        const Outcome o = row.steps->run();
        CHECK(rulesOf(o) == row.rules);
        CHECK(o.result.verdict == row.verdict);
        CHECK(hasProduct(o));  // each warp reaches its own quarter whatever the address says
    }
}

TEST_CASE("a store that is not waited for", "[tcgen05][TC5-081]")
{
    // Scale factors, metadata, A: what st writes and a product reads. Here D, with accumulation.
    const std::string zero = "mov.b32 %d0, 0; add.u32 %r13, %r10, %r3;\n"
                             "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r13], {%d0};\n",
                      waits = "tcgen05.wait::st.sync.aligned;\n",
                      before = "tcgen05.fence::before_thread_sync;\n",
                      after = "tcgen05.fence::after_thread_sync;\n", meet = "bar.sync 1;\n";
    const auto with = [&](const std::string& between) {
        Steps steps;
        steps.multiply = zero + between + steps.multiply;
        return found(steps);
    };
    CHECK(with(waits + before + meet + after) == "");
    CHECK(with(before + meet + after).find("TC5-081") == 0);
    CHECK(with(waits + meet + after) == "TC5-083 ");
    CHECK(with(waits + before + meet) == "TC5-084 ");
    // A load of the same warp needs the wait alone.
    Steps steps;
    steps.more = "mov.b32 %d100, 7; add.u32 %r14, %r13, 100; tcgen05.st.sync.aligned.32x32b.x1.b32 "
                 "[%r14], {%d100};\n" +
                 waits + loadOne(100) + "mov.b32 %d0, %d100;\n";
    CHECK(found(steps) == "");
    CHECK(steps.run().as<std::uint32_t>(1)[0] == 7);
    steps.more = "mov.b32 %d100, 7; add.u32 %r14, %r13, 100; tcgen05.st.sync.aligned.32x32b.x1.b32 "
                 "[%r14], {%d100};\n" +
                 loadOne(100) + waits + "tcgen05.wait::ld.sync.aligned;\n";
    CHECK(found(steps) == "TC5-081 ");
}

TEST_CASE("registers that a load is still to write are waited for by who names them", "[tcgen05]")
{
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        Steps steps;
        steps.waitLoad = "";
        steps.end = "tcgen05.wait::ld.sync.aligned;\nbar.sync 0;\n";
        const Outcome o = steps.run(seed);
        CHECK(rulesOf(o) == "");
        CHECK(hasProduct(o));
    }
}

TEST_CASE("operands overwritten before the commit was waited for", "[tcgen05][TC5-085]")
{
    Steps steps;
    const std::string overwrite =
        "shl.b32 %r6, %r1, 2; add.u32 %r6, %r6, %r9; st.shared.u32 [%r6], %r1;\n";
    steps.commit += overwrite;
    CHECK(found(steps).find("TC5-085") != std::string::npos);
    steps = {};
    steps.commit += "shl.b32 %r6, %r1, 2; add.u32 %r6, %r6, %r9; st.shared.u32 [%r6+8192], %r1;\n";
    CHECK(found(steps) == "");
    steps = {};
    steps.wait += overwrite;
    steps.wait = "W: mbarrier.try_wait.parity.shared.b64 %p4, [bar], 0; @!%p4 bra W;\n" + overwrite;
    CHECK(found(steps) == "");
    // In tensor memory: a store to the accumulator's neighbour does not matter, one into it does.
    steps = {};
    steps.commit +=
        "add.u32 %r13, %r10, %r3; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r13], {%r1};\n"
        "tcgen05.wait::st.sync.aligned;\n";
    CHECK(found(steps).substr(0, 7) == "TC5-080");
}

TEST_CASE("ordinary stores that the tensor core reads need a proxy fence", "[tcgen05][TC5-086]")
{
    Steps steps;
    steps.proxy = "";
    CHECK(found(steps) == "TC5-086 ");
    steps.proxy = "fence.proxy.async.global;\n";
    CHECK(found(steps) == "TC5-086 ");
    steps.proxy = "";
    steps.ready += "fence.proxy.async;\n";
    CHECK(found(steps) == "");
}

TEST_CASE("who waits for a product has waited for those of other threads that it follows",
          "[tcgen05][TC5-080]")
{
    // Thread 0 multiplies and commits nothing; thread 32 adds to the same accumulator after it, and commits.
    const auto with = [](const char* between) {
        Steps steps;
        steps.multiply += std::string(between) +
                          "setp.eq.u32 %p9, %r1, 32;\n@%p9 tcgen05.mma.cta_group::1.kind::f16 "
                          "[%r10], %rd10, %rd11, %r11, 0;\n";
        steps.commit = "@%p9 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
                       "[%r12];\n";
        return steps;
    };
    CHECK(found(with("tcgen05.fence::before_thread_sync; bar.sync 0; "
                     "tcgen05.fence::after_thread_sync;\n")) == "");
    CHECK(found(with("bar.sync 0;\n")).find("TC5-080 ") != std::string::npos);
}

TEST_CASE("products of other accumulators are not kept in order", "[tcgen05][TC5-087]")
{
    Steps steps;
    // The same accumulator and shape: a chain.
    steps.multiply += "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r10], %rd10, %rd11, %r11, 1;\n";
    CHECK(found(steps) == "");
    // Beside it, and half into it.
    steps = {};
    steps.multiply += "add.u32 %r14, %r10, 64;\n@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r14], "
                      "%rd10, %rd11, %r11, 0;\n";
    CHECK(found(steps) == "");
    steps = {};
    steps.multiply += "add.u32 %r14, %r10, 32;\n@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r14], "
                      "%rd10, %rd11, %r11, 0;\n";
    CHECK(found(steps) == "TC5-087 ");
    // A from the accumulator of the product in front.
    steps = {};
    steps.multiply += "add.u32 %r14, %r10, 64;\n@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r14], "
                      "[%r10], %rd11, %r11, 0;\n";
    CHECK(found(steps) == "TC5-087 ");
}

TEST_CASE("columns: left, asked for after the permit was given up, foreign, growing",
          "[tcgen05][TC5-001][TC5-002][TC5-003][TC5-004][TC5-005][TC5-011]")
{
    Steps steps;
    steps.dealloc = "";
    CHECK(found(steps) == "TC5-005 ");
    const auto with = [](const std::string& more, const std::string& dealloc = Steps{}.dealloc) {
        Steps s;
        s.dealloc = more + dealloc;
        return found(s);
    };
    const std::string only = "@!%p2 bra NB;\n", all = "NB:\n";
    const auto alloc = [&](const char* count) {
        return "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], " +
               std::string(count) + ";\n";
    };
    CHECK(with(only + "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n" + alloc("32") +
               all)
              .find("TC5-002") == 0);
    CHECK(with(only + "mov.u32 %r15, 256;\n" + alloc("%r15") + all).find("TC5-003") == 0);
    CHECK(with(only + "mov.u32 %r15, 48;\n" + alloc("%r15") + all).find("TC5-001") == 0);
    CHECK(with(only +
               "add.u32 %r15, %r10, 32; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r15, "
               "32;\n" +
               all)
              .find("TC5-004") == 0);
    CHECK(with(only + "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 64;\n" + all)
              .find("TC5-004") == 0);
    steps = {};
    steps.more = loadOne(128) + "tcgen05.wait::ld.sync.aligned;\n";
    CHECK(found(steps) == "TC5-011 ");
}

TEST_CASE("columns given back too early", "[tcgen05][TC5-088]")
{
    Steps steps;
    steps.multiply = "";
    steps.commit = "";
    steps.wait = "";
    steps.load = "";
    steps.waitLoad = "";
    steps.store = "";
    steps.end = Steps{}.multiply;
    CHECK(found(steps) == "TC5-088 ");
}

TEST_CASE("lanes of another warp, lanes that do not fit the shape, beyond the end",
          "[tcgen05][TC5-010][TC5-012][TC5-013][TC5-071]")
{
    Steps steps;
    steps.load = "add.u32 %r13, %r10, %r3;\ntcgen05.ld.sync.aligned.32x32b.x64.b32 " + words(64) +
                 ", [%r10];\n";
    const Outcome o = steps.run();
    CHECK(rulesOf(o) == "TC5-012 ");
    CHECK(hasProduct(o));  // hardware looks at the lane within the quarter alone
    const auto with = [](const std::string& more) {
        Steps s;
        s.more = more;
        return found(s);
    };
    CHECK(with("add.u32 %r14, %r13, 524288; tcgen05.ld.sync.aligned.16x64b.x1.b32 {%d0}, [%r14];\n")
              .find("TC5-013") == 0);
    CHECK(with("add.u32 %r14, %r13, 500; tcgen05.ld.sync.aligned.32x32b.x32.b32 " + words(32) +
               ", [%r14];\n")
              .find("TC5-010") == 0);
    CHECK(with("tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%d0}, [%r13], 65536;\n").find("TC5-071") ==
          0);
}

TEST_CASE("groups that are mixed, a pair that is not there", "[tcgen05][TC5-006][TC5-089]")
{
    Steps steps;
    steps.commit = "@%p1 tcgen05.commit.cta_group::2.mbarrier::arrive::one.b64 [%r12];\n";
    CHECK(found(steps).find("TC5-006") == 0);
    steps = {};
    steps.alloc = "@!%p2 bra NA;\ntcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [place], "
                  "128;\nNA:\n";
    CHECK(found(steps).find("TC5-089") == 0);
}

TEST_CASE("parts of a warp, threads that differ", "[tcgen05][TC5-008][TC5-009]")
{
    Steps steps;
    steps.more = "setp.lt.u32 %p7, %r1, 5;\n@%p7 bra Q;\nadd.u32 %r13, %r10, %r3;\n"
                 "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%d0}, [%r13];\nexit;\nQ:\n";
    CHECK(found(steps).find("TC5-008") != std::string::npos);
    steps = {};
    steps.more =
        "and.b32 %r14, %r1, 1; add.u32 %r14, %r14, %r13;\n"
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%d200}, [%r14];\ntcgen05.wait::ld.sync.aligned;\n";
    CHECK(found(steps) == "TC5-009 ");
}

TEST_CASE("descriptors against modifiers, shapes, places",
          "[tcgen05][TC5-030][TC5-031][TC5-033][TC5-050][TC5-051][TC5-058][TC5-065]")
{
    const auto withBits = [](const std::string& change, const std::string& mma = Steps{}.multiply) {
        Steps s;
        s.multiply = change + mma;
        const Outcome o = s.run();
        CHECK(o.result.verdict == Verdict::Misuse);
        return rulesOf(o);
    };
    CHECK(withBits("or.b32 %r11, %r11, 64;\n").find("TC5-030") == 0);
    CHECK(withBits("or.b32 %r11, %r11, 4;\n").find("TC5-031") == 0);
    CHECK(withBits("add.u32 %r11, %r11, 16777216;\n").find("TC5-033") == 0);
    CHECK(
        withBits("mov.u64 %rd12, 70368744177664; sub.u64 %rd10, %rd10, %rd12;\n").find("TC5-050") ==
        0);
    CHECK(withBits("mov.u64 %rd12, 6917529027641081856; or.b64 %rd10, %rd10, %rd12;\n")
              .find("TC5-051") == 0);
    CHECK(withBits("add.u64 %rd10, %rd10, 4096;\n").find("TC5-058") == 0);
    CHECK(withBits("", "@%p1 tcgen05.mma.cta_group::1.kind::f16.collector::a::use [%r10], %rd10, "
                       "%rd11, %r11, 0;\n") == "TC5-065 ");
}

TEST_CASE("what is not public is refused by name", "[tcgen05][TC5-053][TC5-073]")
{
    const auto refusal = [](const std::string& before) {
        Steps s;
        s.multiply = before + s.multiply;
        try {
            static_cast<void>(s.run());
        } catch (const InputError& e) {
            return std::string(e.what());
        }
        return std::string("none");
    };
    CHECK(
        refusal("mov.u64 %rd12, 562949953421312; or.b64 %rd10, %rd10, %rd12;\n").find("TC5-053") !=
        std::string::npos);
    CHECK(refusal("@%p1 tcgen05.cp.cta_group::1.128x128b.b8x16.b6x16_p32 [%r10], %rd10;\n")
              .find("TC5-073") != std::string::npos);
}

TEST_CASE("operands that a bulk copy is still writing", "[tcgen05][MBW-019]")
{
    Steps steps;
    steps.ready +=
        "@%p1 mbarrier.init.shared.b64 [bar+16], 1;\nbar.sync 0;\n@%p1 "
        "mbarrier.arrive.expect_tx.shared.b64 _, [bar+16], 2048;\n"
        "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], "
        "2048, [bar+16];\n";
    const std::string wait =
        "U: mbarrier.try_wait.parity.shared.b64 %p4, [bar+16], 0; @!%p4 bra U;\n";
    Steps late = steps;
    late.more = wait;
    CHECK(found(late).find("MBW-019") == 0);
    steps.ready += wait;
    CHECK(found(steps) == "");
}
