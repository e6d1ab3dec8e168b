// Memory: spaces and windows, bad accesses, atomics under contention, other CTAs' shared memory, asynchronous copies.
#include "catch.hpp"
#include "exec/harness.hpp"
#include "exec/mbar_port.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

Outcome runMbar(const Kernel& k, LaunchSpec spec, u64 seed)
{
    const ptx::Module module = ptx::parseModule(k.text(), "test.ptx");
    const ptx::Diagnostic* d = ptx::firstError(module);
    if (d != nullptr) FAIL(d->at.line << ": " << d->message);
    RunOptions options;
    options.seed = seed;
    Executor executor(spec, module, options);
    MbarPort port(executor.sms(), executor.sharedMemory(), seed);
    Outcome o;
    o.result = executor.run(port);
    for (std::size_t i = 0; i < spec.params.size(); ++i)
        o.buffers.push_back(executor.readBuffer(i));
    return o;
}

}  // namespace

TEST_CASE("every space is reached through its own and through generic addresses",
          "[GEN-002][GEN-003]")
{
    const Kernel k{".param .u64 out, .param .b32 arg", R"(
        .shared .align 8 .b8 sh[256]; .local .align 8 .b8 lo[64];
        ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;
        mov.u64 %rd3, sh; cvta.shared.u64 %rd4, %rd3; add.u64 %rd4, %rd4, %rd2; st.u32 [%rd4], %r1; ld.shared.u32 %r2, [sh];
        isspacep.shared %p1, %rd4; isspacep.global %p2, %rd4; isspacep.global %p3, %rd1;
        mov.u64 %rd5, lo; cvta.local.u64 %rd6, %rd5; add.u32 %r3, %r1, 100; st.local.u32 [lo+8], %r3; ld.u32 %r4, [%rd6+8];
        mov.u64 %rd7, arg; cvta.param.u64 %rd7, %rd7; ld.u32 %r5, [%rd7];
        mov.u64 %rd8, tab; cvta.const.u64 %rd8, %rd8; ld.u32 %r6, [%rd8+4]; ld.const.u32 %r7, [tab+8];
        ld.global.u64 %rd9, [ptr]; ld.u32 %r8, [%rd9]; ld.global.s16 %r9, [glob+4];
        ld.u32 %r10, [%rd4]; cvta.to.shared.u64 %rd10, %rd4; ld.shared.u32 %r11, [%rd10];
        selp.u32 %r12, 1, 0, %p1; selp.u32 %r13, 1, 0, %p2; selp.u32 %r14, 1, 0, %p3;
        sub.u32 %r4, %r4, %r1; sub.u32 %r10, %r10, %r1; sub.u32 %r11, %r11, %r1;
        setp.ne.u32 %p4, %r1, 5; @%p4 ret;
        st.global.v4.u32 [%rd1], {%r2, %r4, %r5, %r6}; st.global.v4.u32 [%rd1+16], {%r7, %r8, %r9, %r10}; st.global.v4.u32 [%rd1+32], {%r11, %r12, %r13, %r14};
        ret;)",
                   ".const .align 4 .b32 tab[3] = {11, 22, 33};\n.global .align 4 .b32 glob[2] = "
                   "{44, -2};\n.global .align 8 .u64 ptr = generic(glob);\n"};
    const Outcome o = run(k, {32, 1, 1}, {buffer(std::vector<u32>(12)), scalar<u32>(55)});
    INFO(o.result.trap);
    REQUIRE(o.result.verdict == Verdict::Pass);
    REQUIRE(o.as<u32>(0) == std::vector<u32>{0, 100, 55, 22, 33, 44, 0xfffffffe, 0, 0, 1, 0, 1});
}

TEST_CASE("lanes read their own bytes, whatever addresses they have together", "[GEN-002][isa]")
{
    struct Way {
        const char* name;
        std::uint32_t (*at)(std::uint32_t lane);
    };
    const Way w = GENERATE(
        Way{"one", [](u32) { return 3u; }}, Way{"two", [](u32 l) { return l & 1; }},
        Way{"row", [](u32 l) { return l; }}, Way{"row from the end", [](u32 l) { return 31 - l; }},
        Way{"rows apart", [](u32 l) { return 2 * l; }},
        Way{"a row but for one", [](u32 l) { return l == 17 ? 5 : l; }});
    CAPTURE(w.name);
    std::vector<u32> at(32), data(16);
    for (u32 l = 0; l < 32; ++l) at[l] = w.at(l);
    for (u32 i = 0; i < 16; ++i)
        data[i] = (4 * i) | (4 * i + 1) << 8 | (4 * i + 2) << 16 | (4 * i + 3) << 24;
    const Kernel k{".param .u64 out, .param .u64 at, .param .u64 in", R"(
        .shared .align 8 .b8 sh[64];
        ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [at]; ld.param.u64 %rd3, [in]; mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd4, %r1, 4; add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd4; ld.global.u32 %r2, [%rd2];
        cvt.u64.u32 %rd5, %r2; add.u64 %rd6, %rd3, %rd5; ld.global.u8 %r3, [%rd6];
        mov.u32 %r4, sh; add.u32 %r4, %r4, %r2; st.shared.u8 [%r4], %r3; ld.shared.u8 %r5, [%r4];
        shl.b32 %r5, %r5, 8; or.b32 %r3, %r3, %r5; st.global.u32 [%rd1], %r3; ret;)"};
    const Outcome o = run(k, {32, 1, 1}, {buffer(std::vector<u32>(32)), buffer(at), buffer(data)});
    REQUIRE(o.result.findings.empty());
    const auto out = o.as<u32>(0);
    for (u32 l = 0; l < 32; ++l) CHECK(out[l] == (at[l] | at[l] << 8));
}

TEST_CASE("bad accesses are findings, never crashes", "[ATOM-009][GEN-002][NVVM-009]")
{
    const auto bad = [](const std::string& body, const std::string& rule, const std::string& says) {
        const Kernel k{
            ".param .u64 out",
            ".shared .align 16 .b8 sh[64];\nld.param.u64 %rd1, [out]; mov.u64 %rd9, 0;\n" + body +
                "\nret;"};
        const Outcome o = run(k, {32, 1, 1}, {buffer(std::vector<u32>(4))});
        CAPTURE(body);
        REQUIRE(o.result.findings.size() >= 1);
        CAPTURE(o.result.findings[0].message);
        CHECK(o.result.findings[0].rule == rule);
        CHECK(o.result.findings[0].message.find(says) != std::string::npos);
        CHECK(o.result.findings[0].line != 0);
        CHECK(o.result.verdict == Verdict::Misuse);
    };
    bad("ld.global.u32 %r1, [%rd9];", "GEN-002", "outside every allocation");
    bad("st.global.u32 [%rd1+16], %r1;", "GEN-002", "byte 16 of parameter 0, which has 16 bytes");
    bad("ld.global.u32 %r1, [%rd1-4];", "GEN-002", "outside");
    bad("ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1+4];", "GEN-002", "");
    bad("ld.global.u32 %r1, [%rd1+2];", "GEN-002", "not aligned");
    bad("ld.shared.u32 %r1, [sh+64];", "GEN-002", "outside the CTA's shared memory");
    bad("mov.u64 %rd2, -8; ld.shared.u64 %rd3, [%rd2];", "GEN-002", "");
    bad("ld.local.u32 %r1, [%rd9+400000];", "GEN-002", "local");
    bad("atom.global.add.u32 %r1, [%rd1+2], 1;", "ATOM-009", "not aligned");
    bad("mov.u64 %rd2, sh; mapa.shared::cluster.u64 %rd3, %rd2, 1;", "NVVM-009", "rank");
    bad("mov.u64 %rd2, 0xffffffffffffffff; ld.u8 %r1, [%rd2];", "GEN-002", "");
}

TEST_CASE("atomics: every lane counts once, in every space",
          "[ATOM-005][ATOM-014][ATOM-015][ATOM-016]")
{
    const auto seed = GENERATE(1u, 2u);
    CAPTURE(seed);
    const Kernel k{".param .u64 out", R"(
        .shared .align 8 .b8 s[64]; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u64 %rd2, s; cvta.shared.u64 %rd3, %rd2;
        atom.shared.add.u32 %r2, [s], 3; atom.add.u32 %r2, [%rd3], 1; red.global.add.u64 [%rd1], 5;
        atom.global.inc.u32 %r3, [%rd1+8], 99; atom.global.dec.u32 %r3, [%rd1+12], 6; atom.global.min.s32 %r3, [%rd1+16], -7; red.global.max.u32 [%rd1+20], %r1;
        shl.b32 %r5, 1, %r1; red.global.or.b32 [%rd1+24], %r5; red.global.add.f32 [%rd1+28], 0f3f000000;
    L:  ld.global.u32 %r6, [%rd1+32]; add.u32 %r7, %r6, 2; atom.global.cas.b32 %r8, [%rd1+32], %r6, %r7; setp.ne.u32 %p1, %r8, %r6; @%p1 bra L;
        bar.sync 0; ld.shared.u32 %r9, [s]; st.global.u32 [%rd1+36], %r9; ret;)"};
    const Outcome o = run(k, {256, 1, 1}, {buffer(std::vector<u32>(10))}, seed);
    REQUIRE(o.result.verdict == Verdict::Pass);
    const auto v = o.as<u32>(0);
    CHECK(v[0] == 1280);
    CHECK(v[2] == 256 % 100);
    CHECK(v[3] == (7 - 256 % 7) % 7);
    CHECK(v[4] == u32(-7));
    CHECK(v[5] == 255);
    CHECK(v[6] == 0xffffffff);
    CHECK(v[7] == std::bit_cast<u32>(128.0f));
    CHECK(v[8] == 512);
    CHECK(v[9] == 1024);
}

TEST_CASE("f32 atomics flush subnormals in global memory and keep them in shared", "[ATOM-019]")
{
    const Kernel k{".param .u64 out", R"(
        .shared .align 4 .b32 s; ld.param.u64 %rd1, [out]; mov.u32 %r1, 0x00000001; st.shared.u32 [s], %r1;
        red.shared.add.f32 [s], 0f00000001; red.global.add.f32 [%rd1], 0f00000001; mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2; red.add.f32 [%rd2], 0f00000001;
        red.add.f32 [%rd1+4], 0f80000001; ld.shared.u32 %r2, [s]; st.global.u32 [%rd1+8], %r2; ret;)"};
    const Outcome o = run(k, {1, 1, 1}, {buffer(std::vector<u32>{1, 0x80000000, 9})});
    REQUIRE(o.result.verdict == Verdict::Pass);
    REQUIRE(o.as<u32>(0) == std::vector<u32>{0, 0x80000000, 3});
}

TEST_CASE("peers' shared memory is reached through mapa, exactly by rank",
          "[NVVM-008][D-66][ATOM-034]")
{
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    LaunchSpec spec;
    spec.grid = {4, 1, 1};
    spec.block = {32, 1, 1};
    spec.cluster = {{4, 1, 1}};
    spec.sms = GENERATE(1u, 4u);
    spec.params = {buffer(std::vector<u32>(8))};
    const Kernel k{".param .u64 out", R"(
        .shared .align 8 .b32 s[2]; ld.param.u64 %rd1, [out]; mov.u32 %r1, %cluster_ctarank; mul.wide.u32 %rd2, %r1, 8; add.u64 %rd1, %rd1, %rd2;
        mov.u32 %r9, %tid.x; setp.ne.u32 %p1, %r9, 0; @%p1 bra W;
        add.u32 %r2, %r1, 1; and.b32 %r2, %r2, 3; mov.u32 %r3, s; mapa.shared::cluster.u32 %r4, %r3, %r2; add.u32 %r5, %r1, 100; st.shared::cluster.u32 [%r4], %r5;
        mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; mapa.u64 %rd4, %rd3, 0; atom.add.u32 %r6, [%rd4+4], %r1; getctarank.shared::cluster.u32 %r7, %r4; 
    W:  barrier.cluster.arrive; barrier.cluster.wait;
        @%p1 ret; ld.shared.u32 %r8, [s]; mad.lo.u32 %r8, %r7, 1000, %r8; ld.shared.u32 %r9, [s+4]; st.global.v2.u32 [%rd1], {%r8, %r9}; ret;)"};
    RunOptions options;
    options.seed = seed;
    const Outcome o = run(k.text(), spec, options);
    INFO(o.result.trap);
    REQUIRE(o.result.verdict == Verdict::Pass);
    const auto v = o.as<u32>(0);
    for (u32 r = 0; r < 4; ++r) {
        CHECK(v[2 * r] == (r + 1) % 4 * 1000 + 100 + (r + 3) % 4);
        CHECK(v[2 * r + 1] == (r == 0 ? 6 : 0));
    }
}

TEST_CASE("cp.async groups: a wait covers what it must and no byte is early", "[CPA-002]")
{
    const auto seed = GENERATE(1u, 2u, 3u, 4u, 5u);
    CAPTURE(seed);
    std::vector<u32> in(256);
    for (u32 i = 0; i < 256; ++i) in[i] = i * 3 + 1;
    LaunchSpec spec;
    spec.block = {32, 1, 1};
    spec.params = {buffer(in), buffer(std::vector<u32>(128))};
    const Kernel k{".param .u64 in_, .param .u64 out", R"(
        .shared .align 16 .b8 s[1024]; ld.param.u64 %rd1, [in_]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 16; add.u64 %rd1, %rd1, %rd3;
        mov.u32 %r2, s; mad.lo.u32 %r2, %r1, 16, %r2;
        cp.async.cg.shared.global [%r2], [%rd1], 16; cp.async.commit_group;
        cp.async.ca.shared.global [%r2+512], [%rd1+512], 16, 4; cp.async.commit_group;
        ld.shared.u32 %r3, [%r2]; cp.async.wait_group 1; ld.shared.u32 %r4, [%r2+12]; cp.async.wait_group 0; ld.shared.v2.u32 {%r5, %r6}, [%r2+512];
        add.u64 %rd2, %rd2, %rd3; st.global.v4.u32 [%rd2], {%r3, %r4, %r5, %r6}; ret;)"};
    const Outcome o = runMbar(k, spec, seed);
    INFO(o.result.trap);
    REQUIRE(o.result.verdict == Verdict::Pass);
    const auto v = o.as<u32>(1);
    for (u32 i = 0; i < 32; ++i) {
        CHECK(v[4 * i] == 0);
        CHECK(v[4 * i + 1] == in[4 * i + 3]);
        CHECK(v[4 * i + 2] == in[128 + 4 * i]);
        CHECK(v[4 * i + 3] == 0);
    }
}

TEST_CASE("bulk copies: multicast, both directions, reduction, completion by bytes",
          "[HS-026][MBAR-033]")
{
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    std::vector<u32> in(1024);
    for (u32 i = 0; i < 1024; ++i) in[i] = i ^ 0x5a;
    LaunchSpec spec;
    spec.grid = {2, 1, 1};
    spec.block = {32, 1, 1};
    spec.cluster = {{2, 1, 1}};
    spec.params = {buffer(in), buffer(std::vector<u32>(2048)), buffer(std::vector<u32>(1024, 1))};
    const Kernel k{".param .u64 in_, .param .u64 out, .param .u64 sum", R"(
        .shared .align 128 .b8 s[4096]; .shared .align 8 .b64 bar; ld.param.u64 %rd1, [in_]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [sum];
        mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; setp.ne.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r2, 0; mov.u32 %r3, s; mov.u32 %r4, bar; @%p1 bra W;
        mbarrier.init.shared::cta.b64 [%r4], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 4096; fence.mbarrier_init.release.cluster;
    W:  barrier.cluster.arrive; barrier.cluster.wait; @%p1 bra X; mov.u16 %h1, 3;
        @%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r3], [%rd1], 4096, [%r4], %h1;
    X:  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r4], 0; @!%p3 bra X;
        barrier.cluster.arrive; barrier.cluster.wait; @%p1 bra E;
        mul.wide.u32 %rd4, %r2, 4096; add.u64 %rd2, %rd2, %rd4; cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r3], 4096;
        cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd3], [%r3], 4096; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
    E:  barrier.cluster.arrive; barrier.cluster.wait; ret;)"};
    const Outcome o = runMbar(k, spec, seed);
    INFO(o.result.trap);
    for (const Finding& f : o.result.findings) UNSCOPED_INFO(f.rule + " " + f.message);
    REQUIRE(o.result.verdict == Verdict::Pass);
    const auto out = o.as<u32>(1), sum = o.as<u32>(2);
    for (u32 i = 0; i < 1024; ++i) {
        REQUIRE(out[i] == in[i]);
        REQUIRE(out[1024 + i] == in[i]);
        REQUIRE(sum[i] == 1 + 2 * in[i]);
    }
}

TEST_CASE("what is not supported is refused by name when a lane executes it, not before",
          "[unsupported]")
{
    const auto attempt = [](u32 limit) {
        const Kernel k{".param .u64 out", "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, " +
                                              std::to_string(limit) +
                                              "; @%p1 ret; txq.width.b32 %r2, [%rd1]; ret;"};
        return run(k, {32, 1, 1}, {buffer(std::vector<u32>(1))}).result.verdict;
    };
    REQUIRE(attempt(0) == Verdict::Pass);
    try {
        static_cast<void>(attempt(32));
        FAIL("it ran");
    } catch (const UnsupportedError& e) {
        REQUIRE(std::string(e.what()).find("txq.width.b32") != std::string::npos);
        REQUIRE(e.line > 0);
    }
}

TEST_CASE("trap, assertions and printf", "[isa]")
{
    const Kernel trap{"", "trap; ret;"};
    const RunResult t = run(trap, {32, 1, 1}, {}).result;
    REQUIRE(t.verdict == Verdict::Trap);
    const Kernel print{
        "", R"(
        .local .align 8 .b8 args[16]; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 3; @%p1 ret; st.local.u32 [args], %r1; st.local.f64 [args+8], 0d3FF8000000000000;
        mov.u64 %rd1, fmt; mov.u64 %rd2, args; cvta.local.u64 %rd2, %rd2;
        { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; call.uni (r), vprintf, (a, b); ld.param.b32 %r2, [r]; }
        ret;)",
        ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n.global .align 1 "
        ".b8 fmt[12] = {108, 61, 37, 100, 32, 37, 46, 50, 102, 10, 0, 0};\n"};
    const RunResult p = run(print, {32, 1, 1}, {}).result;
    REQUIRE(p.verdict == Verdict::Pass);
    REQUIRE(p.output == "l=3 1.50\n");
}
