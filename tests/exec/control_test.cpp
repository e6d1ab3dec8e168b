// Control flow: divergence, progress, calls, rendezvous, hangs and how they are explained.
#include <sys/resource.h>

#include "catch.hpp"
#include "exec/harness.hpp"
#include "exec/mbar_port.hpp"
#include <iostream>

using namespace gsu;
using namespace gsu::test;

namespace {

using u32 = std::uint32_t;
const std::string kStore = "mov.u32 %r60, %tid.x; mul.wide.u32 %rd20, %r60, 4; ld.param.u64 %rd21, "
                           "[out]; add.u64 %rd21, %rd21, %rd20;\n"
                           "st.global.u32 [%rd21], %r50; ret;";

std::vector<u32> threads(const std::string& body, u32 count, std::uint64_t seed = 1,
                         const std::string& before = "")
{
    const Outcome o =
        run(Kernel{".param .u64 out", "mov.u32 %r1, %tid.x;\n" + body + kStore, before},
            {count, 1, 1}, {buffer(std::vector<u32>(count))}, seed);
    INFO(o.result.trap);
    for (const Finding& f : o.result.findings) UNSCOPED_INFO(f.rule + ": " + f.message);
    REQUIRE(o.result.verdict == Verdict::Pass);
    return o.as<u32>(0);
}

bool hasRule(const RunResult& r, const std::string& rule)
{
    return std::any_of(r.findings.begin(), r.findings.end(),
                       [&](const Finding& f) { return f.rule == rule; });
}

}  // namespace

TEST_CASE("lanes that took different ways meet again behind the branch", "[AMASK-002][VOTE-002]")
{
    const auto out = threads(R"(
        and.b32 %r2, %r1, 3; mov.u32 %r50, 0;
        setp.eq.u32 %p1, %r2, 0; @%p1 bra A;
        setp.eq.u32 %p2, %r2, 1; @%p2 bra B;
        activemask.b32 %r50; bra M;
    B:  activemask.b32 %r50; add.u32 %r50, %r50, 0; bra M;
    A:  activemask.b32 %r50;
    M:  activemask.b32 %r51; setp.ne.u32 %p3, %r51, 0xffffffff; @%p3 mov.u32 %r50, 0;
    )",
                             64);
    for (u32 i = 0; i < 64; ++i)
        REQUIRE(out[i] == (i % 4 == 0 ? 0x11111111u : i % 4 == 1 ? 0x22222222u : 0xccccccccu));
}

TEST_CASE("loops with different trip counts end and reconverge", "[isa]")
{
    const auto seed = GENERATE(1u, 2u, 3u, 4u);
    CAPTURE(seed);
    const auto out = threads(R"(
        mov.u32 %r50, 0; mov.u32 %r2, 0;
    L:  setp.ge.u32 %p1, %r2, %r1; @%p1 bra E;
        mad.lo.u32 %r50, %r50, 3, %r2; add.u32 %r2, %r2, 1; bra L;
    E:  activemask.b32 %r51; setp.ne.u32 %p3, %r51, 0xffffffff; @%p3 mov.u32 %r50, 77777;
    )",
                             96, seed);
    for (u32 i = 0; i < 96; ++i) {
        u32 want = 0;
        for (u32 k = 0; k < i; ++k) want = want * 3 + k;
        REQUIRE(out[i] == want);
    }
}

TEST_CASE("a spin lock among the lanes of one warp makes progress", "[isa]")
{
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    const auto out = threads(R"(
        .shared .align 4 .b32 lock; .shared .align 4 .b32 count;
    S:  atom.shared.cas.b32 %r2, [lock], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra S;
        ld.shared.u32 %r3, [count]; add.u32 %r3, %r3, 1; st.shared.u32 [count], %r3;
        atom.shared.exch.b32 %r2, [lock], 0;
        bar.sync 0; ld.shared.u32 %r50, [count];
    )",
                             128, seed);
    for (u32 v : out) REQUIRE(v == 128);
}

TEST_CASE("calls pass parameters, return values, recurse and go through pointers", "[isa]")
{
    const std::string functions = R"(
        .func (.param .b32 r) fact(.param .b32 n)
        { .reg .pred %p<2>; .reg .b32 %r<8>;
          ld.param.u32 %r1, [n]; setp.le.u32 %p1, %r1, 1; @%p1 bra BASE;
          sub.u32 %r2, %r1, 1;
          { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), fact, (a); ld.param.b32 %r3, [b]; }
          mul.lo.u32 %r3, %r3, %r1; st.param.b32 [r], %r3; ret;
        BASE: st.param.b32 [r], 1; ret; }
        .func (.reg .b32 r) twice(.reg .b32 x) { add.u32 r, x, x; ret; }
        .func (.reg .b32 r) thrice(.reg .b32 x) { mul.lo.u32 r, x, 3; ret; }
    )";
    const auto out = threads(R"(
        and.b32 %r2, %r1, 7; add.u32 %r2, %r2, 1;
        { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), fact, (a); ld.param.b32 %r3, [b]; }
        mov.u64 %rd1, twice; mov.u64 %rd2, thrice; and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; selp.b64 %rd3, %rd1, %rd2, %p1;
    PROTO: .callprototype (.reg .b32 _) _ (.reg .b32 _);
        call (%r50), %rd3, (%r3), PROTO;
    )",
                             64, 1, functions);
    const u32 facts[]{1, 2, 6, 24, 120, 720, 5040, 40320};
    for (u32 i = 0; i < 64; ++i) REQUIRE(out[i] == facts[i % 8] * (i % 2 == 0 ? 2 : 3));
}

// Found by libFuzzer as a name that changed when the module was printed: the caller's values went nowhere.
TEST_CASE("registers that are parameters may have names of the module", "[isa]")
{
    const std::string functions = R"(
        .global .u32 g;
        .global .u32 w$x;
        .func (.reg .b32 f) f(.reg .b32 g) { add.u32 f, g, 1; ret; }
        .func (.reg .b32 r) h(.reg .v2 .b32 w) { mad.lo.u32 r, w.x, 10, w.y; ret; }
    )";
    const auto out = threads(R"(
        .reg .v2 .b32 v;
        call (%r2), f, (%r1); mov.u32 v.x, %r2; mov.u32 v.y, 4; call (%r50), h, (v);
    )",
                             32, 1, functions);
    for (u32 i = 0; i < 32; ++i) REQUIRE(out[i] == 10 * (i + 1) + 4);
}

TEST_CASE("brx.idx sends each lane to its target", "[isa]")
{
    const auto out = threads(R"(
        and.b32 %r2, %r1, 3;
    T:  .branchtargets A, B, C, B;
        brx.idx %r2, T;
    A:  mov.u32 %r50, 10; bra M;
    B:  mov.u32 %r50, 20; bra M;
    C:  mov.u32 %r50, 30;
    M:  activemask.b32 %r3; setp.ne.u32 %p1, %r3, 0xffffffff; @%p1 mov.u32 %r50, 0;
    )",
                             32);
    const u32 want[]{10, 20, 30, 20};
    for (u32 i = 0; i < 32; ++i) REQUIRE(out[i] == want[i % 4]);
}

TEST_CASE("vote, match, redux, elect and shfl meet across diverged lanes",
          "[VSYNC-003][MATCH-007][REDUX-004][ELECT-004]")
{
    const auto out = threads(R"(
        and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; mov.u32 %r50, 0; setp.lt.u32 %p5, %r1, 10;
        @%p1 bra EVEN;
        vote.sync.ballot.b32 %r3, %p5, 0xffffffff; redux.sync.add.u32 %r4, %r1, 0xffffffff; bra M;
    EVEN: vote.sync.ballot.b32 %r3, %p5, 0xffffffff; redux.sync.add.u32 %r4, %r1, 0xffffffff;
    M:  elect.sync %r5|%p2, 0xffffffff; match.any.sync.b32 %r6, %r2, 0xffffffff;
        shfl.sync.bfly.b32 %r7|%p3, %r1, 1, 31, 0xffffffff; shfl.sync.up.b32 %r8|%p4, %r1, 2, 0, 0xffffffff;
        add.u32 %r50, %r3, %r4; add.u32 %r50, %r50, %r5; xor.b32 %r50, %r50, %r6; add.u32 %r50, %r50, %r7; add.u32 %r50, %r50, %r8;
        @%p2 add.u32 %r50, %r50, 1000;
    )",
                             32);
    for (u32 i = 0; i < 32; ++i) {
        const u32 same = i % 2 == 0 ? 0x55555555u : 0xaaaaaaaau;
        const u32 want =
            ((0x3ffu + 496 + 0) ^ same) + (i ^ 1) + (i >= 2 ? i - 2 : i) + (i == 0 ? 1000 : 0);
        CAPTURE(i);
        REQUIRE(out[i] == want);
    }
}

TEST_CASE("an exited lane leaves the wait set of a vote", "[VSYNC-006][D-20]")
{
    const auto out = threads(R"(
        mov.u32 %r50, 9; setp.eq.u32 %p1, %r1, 7; setp.ne.u32 %p2, %r1, 3;
        @%p1 ret; vote.sync.ballot.b32 %r50, %p2, 0xffffffff;
    )",
                             32);
    for (u32 i = 0; i < 32; ++i) REQUIRE(out[i] == (i == 7 ? 0 : 0xffffff77u));
}

TEST_CASE("reported misuse of warp-level instructions", "[VSYNC-009][REDUX-011][BWS-011][BAR-031]")
{
    const auto misuse = [](const std::string& body, const std::string& rule) {
        const Outcome o =
            run(Kernel{"", "mov.u32 %r1, %laneid; setp.lt.u32 %p1, %r1, 16;\n" + body + "\nret;"},
                {32, 1, 1}, {});
        CAPTURE(body);
        CHECK(o.result.verdict == Verdict::Misuse);
        CHECK(hasRule(o.result, rule));
    };
    misuse("vote.sync.any.pred %p2, %p1, 0xffff;", "VSYNC-009");
    misuse("match.any.sync.b32 %r2, %r1, 0xffff;", "MATCH-008");
    misuse("redux.sync.add.u32 %r2, %r1, 0xfffe;", "REDUX-011");
    misuse("elect.sync %r2|%p2, 0x10;", "ELECT-006");
    misuse("bar.warp.sync 0xff;", "BWS-003");
    misuse("@%p1 bra A; bar.warp.sync 0xffff8000; bra M; A: bar.warp.sync 0x1ffff; M:", "BWS-011");
    misuse("@%p1 bra A; vote.sync.any.pred %p2, %p1, -1; bra M; A: vote.sync.all.pred %p2, %p1, "
           "-1; M:",
           "VSYNC-008");
    misuse("@%p1 bra A; bar.sync 0; bra M; A: bar.sync 0; M:", "BAR-031");
    misuse("@%p1 bra A; barrier.cluster.arrive.aligned; barrier.cluster.wait; bra M; A: "
           "barrier.cluster.arrive.aligned; barrier.cluster.wait; M:",
           "CLU-015");
    misuse("mov.u32 %r2, 16; bar.sync %r2;", "BAR-002");
}

TEST_CASE("unaligned barriers take the halves of a warp at different places", "[BAR-032][D-12]")
{
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    const auto out = threads(R"(
        and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; mov.u32 %r50, 1;
        @%p1 bra A; barrier.sync 3; add.u32 %r50, %r50, 1; bra M;
    A:  barrier.sync 3; add.u32 %r50, %r50, 2;
    M:  bar.sync 0;
    )",
                             64, seed);
    for (u32 i = 0; i < 64; ++i) REQUIRE(out[i] == (i % 2 == 0 ? 3 : 2));
}

TEST_CASE("hangs are found and explained", "[BAR-038][D-62]")
{
    const auto seed = GENERATE(1u, 5u);
    CAPTURE(seed);
    const auto hang = [&](const std::string& body, HangReport::Kind kind, const std::string& says) {
        const Outcome o =
            run(Kernel{".param .u64 out", "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shr.u32 "
                                          "%r2, %r1, 5; setp.eq.u32 %p1, %r2, 0;\n" +
                                              body + "\nret;"},
                {64, 1, 1}, {buffer(std::vector<u32>(4))}, seed);
        CAPTURE(body);
        REQUIRE(o.result.verdict == Verdict::Hang);
        REQUIRE(o.result.hang);
        CAPTURE(o.result.hang->explanation, o.result.cycles);
        CHECK(std::any_of(o.result.hang->waiting.begin(), o.result.hang->waiting.end(),
                          [&](const auto& w) { return w.kind == kind; }));
        CHECK(o.result.hang->explanation.find(says) != std::string::npos);
    };
    hang("@%p1 barrier.sync 3, 64;", HangReport::Kind::Named, "32 of 64 threads");
    hang("@%p1 barrier.sync 3, 64;", HangReport::Kind::Named, "warp 1 exited");
    hang("@%p1 bra A; bar.sync 1, 64; bar.sync 2, 64; bra M; A: bar.sync 2, 64; bar.sync 1, 64; M:",
         HangReport::Kind::Named,
         "warp 0 waits at line 12 for barrier 2 of CTA 0, which warp 1 would give");
    hang("L: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p2, %r3, 0; @%p2 bra L;",
         HangReport::Kind::Spin, "nobody writes it");
    hang("L: ld.global.u32 %r3, [%rd1]; bar.warp.sync -1; add.u32 %r4, %r3, 7; setp.eq.u32 %p2, "
         "%r3, 0; @%p2 bra L;",
         HangReport::Kind::Spin, "the loop of line 12");
    hang("setp.eq.u32 %p2, %r1, 0; @%p2 bra A; barrier.sync 0; bra M; A: mov.u32 %r9, 0; L: "
         "ld.global.u32 %r3, [%rd1]; nanosleep.u32 20; setp.eq.u32 %p3, %r3, 0; @%p3 bra L; M:",
         HangReport::Kind::Spin, "CTA 0");
    hang("@%p1 bra A; bar.warp.sync 0xffffffff; bra M; A: setp.lt.u32 %p2, %r1, 16; @%p2 bra B; "
         "vote.sync.any.pred %p3, %p2, -1; bra M; B: barrier.sync 4; M:",
         HangReport::Kind::Warp, "other lanes of warp 0");
}

TEST_CASE("a long loop that counts is not a hang; max-cycles gives limit", "[D-62]")
{
    const Kernel k{".param .u64 out",
                   "ld.param.u64 %rd1, [out]; mov.u32 %r1, 0; L: ld.global.u32 %r3, [%rd1]; "
                   "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 30000; @%p1 bra L; ret;"};
    const auto params = std::vector<LaunchParam>{buffer(std::vector<u32>(1))};
    REQUIRE(run(k, {32, 1, 1}, params).result.verdict == Verdict::Pass);
    LaunchSpec spec;
    spec.params = params;
    spec.block = {32, 1, 1};
    RunOptions options;
    options.maxCycles = 1000;
    const RunResult r = run(k.text(), spec, options).result;
    REQUIRE(r.verdict == Verdict::Limit);
    REQUIRE_FALSE(r.asExpected);
}

TEST_CASE("who watches a run is told how far it is")
{
    const Kernel k{".param .u64 out",
                   "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 1000; @%p1 bra "
                   "L; ret;"};
    LaunchSpec spec;
    spec.params = {buffer(std::vector<u32>(1))};
    spec.block = {32, 1, 1};
    spec.grid = {300, 1, 1};
    RunOptions options;
    std::vector<RunProgress> seen;
    options.watch = [&](const RunProgress& p) { seen.push_back(p); };
    const RunResult r = run(k.text(), spec, options).result;
    REQUIRE(r.verdict == Verdict::Pass);
    REQUIRE(seen.size() > 1);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        CHECK(seen[i].ctas == 300);
        CHECK(seen[i].ctasEnded <= 300);
        if (i == 0) continue;
        CHECK(seen[i].cycle > seen[i - 1].cycle);
        CHECK(seen[i].instructions > seen[i - 1].instructions);
        CHECK(seen[i].ctasEnded >= seen[i - 1].ctasEnded);
    }
    CHECK(seen.back().ctasEnded > 0);
    CHECK(seen.back().instructions < r.instructions);
}

TEST_CASE("what spins forever ends without a limit of cycles, what gets on does not", "[D-62]")
{
    const auto with = [](const std::string& body, u32 ctas) {
        const Kernel k{".param .u64 out", "ld.param.u64 %rd1, [out]; mov.u32 %r1, 0; " + body};
        LaunchSpec spec;
        spec.params = {buffer(std::vector<u32>(1))};
        spec.block = {32, 1, 1};
        spec.grid = {ctas, 1, 1};
        RunOptions options;
        options.quietWork = 100'000;
        options.ctaWork = 4'000'000;
        return run(k.text(), spec, options).result;
    };
    const std::string poll = "L: ld.global.u32 %r3, [%rd1]; add.u32 %r1, %r1, 1; ";
    const RunResult counts = with(poll + "setp.eq.u32 %p1, %r3, 0; @%p1 bra L; ret;", 1);
    CHECK(counts.verdict == Verdict::Limit);
    CHECK_THAT(counts.limit, Catch::Contains("no memory and no barrier has changed since cycle"));
    CHECK_THAT(counts.limit, Catch::Contains("; CTA 0 warp 0 is at line "));
    const RunResult sleeps =
        with(poll + "nanosleep.u32 1000; setp.eq.u32 %p1, %r3, 0; @%p1 bra L; ret;", 1);
    CHECK(sleeps.verdict == Verdict::Limit);
    const RunResult writes = with("L: add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1; bra L;", 1);
    CHECK(writes.verdict == Verdict::Limit);
    CHECK_THAT(writes.limit, Catch::Contains("no CTA has started or ended"));
    // The same work in many CTAs, and long loops that write now and then.
    const RunResult grid = with("L: add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1; setp.lt.u32 "
                                "%p1, %r1, 1000; @%p1 bra L; ret;",
                                300);
    CHECK(grid.verdict == Verdict::Pass);
    CHECK(grid.instructions > 300 * 4000);
    // Far beyond the cycles that once were the limit: 0.2 s at 1755 MHz.
    const RunResult later = with("L: nanosleep.u32 1000000; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, "
                                 "%r1, 200; @%p1 bra L; ret;",
                                 1);
    CHECK(later.verdict == Verdict::Pass);
    CHECK(later.cycles > 200'000'000);
    std::cout << "limits: " << counts.cycles << ", " << sleeps.cycles << ", " << writes.cycles
              << " cycles until they are seen; " << later.cycles << " cycles pass\n";
}

TEST_CASE("a large grid runs CTA by CTA, clusters side by side", "[CLU-005][NVVM-010]")
{
    const Kernel k{".param .u64 out", R"(
        ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; bar.sync 0; atom.global.add.u32 %r2, [%rd1], %r1; ret;)"};
    const Outcome o = run(k, {64, 1, 1}, {buffer(std::vector<u32>(1))}, 3, {10000, 1, 1});
    REQUIRE(o.result.verdict == Verdict::Pass);
    REQUIRE(o.as<u32>(0)[0] == static_cast<u32>(64ull * 9999 * 10000 / 2));
    LaunchSpec spec;
    spec.grid = {12, 2, 1};
    spec.block = {32, 1, 1};
    spec.cluster = {{4, 1, 1}};
    spec.params = {buffer(std::vector<u32>(24))};
    const Kernel c{".param .u64 out", R"(
        mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mad.lo.u32 %r3, %r2, 12, %r1; mul.wide.u32 %rd2, %r3, 4;
        ld.param.u64 %rd1, [out]; add.u64 %rd1, %rd1, %rd2; barrier.cluster.arrive; barrier.cluster.wait;
        mov.u32 %r4, %cluster_ctarank; mov.u32 %r5, %clusterid.x; mad.lo.u32 %r4, %r5, 100, %r4; mov.u32 %r6, %nclusterid.y; mad.lo.u32 %r4, %r6, 10000, %r4;
        st.global.u32 [%rd1], %r4; ret;)"};
    const Outcome d = run(c.text(), spec);
    REQUIRE(d.result.verdict == Verdict::Pass);
    const auto ids = d.as<u32>(0);
    for (u32 i = 0; i < 24; ++i) REQUIRE(ids[i] == 20000 + i % 12 / 4 * 100 + i % 4);
}

TEST_CASE("the same seed gives the same run, another one another order", "[determinism]")
{
    const Kernel k{".param .u64 out", R"(
        ld.param.u64 %rd1, [out]; atom.global.add.u32 %r2, [%rd1], 1; mov.u32 %r1, %warpid; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
        st.global.u32 [%rd2+4], %r2; ret;)"};
    const auto one = [&](std::uint64_t seed) {
        return run(k, {512, 1, 1}, {buffer(std::vector<u32>(17))}, seed).as<u32>(0);
    };
    REQUIRE(one(4) == one(4));
    unsigned different = 0;
    for (std::uint64_t seed = 2; seed < 12; ++seed) different += one(seed) != one(1);
    REQUIRE(different > 3);
}

TEST_CASE("memory does not grow with the number of CTAs", "[grid][peak]")
{
#ifdef __SANITIZE_ADDRESS__
    std::cout << "SKIP: AddressSanitizer keeps freed memory, so the peak says nothing\n";
    return;
#endif
    const auto peak = [](u32 ctas) {
        const Kernel k{".param .u64 out", R"(
            .shared .align 16 .b8 s[1024]; .local .align 8 .b8 l[512]; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, s;
            mad.lo.u32 %r2, %r1, 4, %r2; st.shared.u32 [%r2], %r1; st.local.u32 [l+8], %r1; bar.sync 0; ld.shared.u32 %r3, [%r2];
            setp.eq.u32 %p1, %r1, 0; @%p1 red.global.add.u32 [%rd1], 1; ret;)"};
        const Outcome o = run(k, {64, 1, 1}, {buffer(std::vector<u32>(1))}, 1, {ctas, 1, 1});
        REQUIRE(o.result.verdict == Verdict::Pass);
        REQUIRE(o.as<u32>(0)[0] == ctas);
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    };
    const long few = peak(100), many = peak(10000);
    std::cout << "peak memory: " << few << " KiB after 100 CTAs, " << many << " KiB after 10000\n";
    CHECK(many < few + 8 * 1024);
}
