// Kernels that do what no kernel may: each is a finding with place, address and memory, or a documented result; never a crash.
#include "catch.hpp"
#include "exec/device/device_memory.hpp"
#include "exec/harness.hpp"
#include "exec/storage/written_bytes.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

const char* const kBefore = R"(
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.const .align 4 .b32 tab[2] = {1, 2};
.global .align 1 .b8 fmt[8] = {37, 100, 32, 37, 115, 10, 0, 0};
.global .align 1 .b8 wide[16] = {37, 57, 57, 57, 57, 57, 57, 57, 57, 57, 100, 37, 113, 37, 0, 0};
.func deep () { .local .align 8 .b8 l[64]; .reg .b64 %d<2>; mov.u64 %d1, l; call deep; ret; }
.func helper () { ret; }
)";

struct Case {
    const char* body;
    const char* rule;
    std::vector<std::string> says;
};

RunResult launch(const std::string& body, std::array<u32, 3> grid = {1, 1, 1},
                 std::optional<std::array<u32, 3>> cluster = {})
{
    const Kernel k{
        ".param .u64 out",
        ".shared .align 16 .b8 sh[64]; .local .align 8 .b8 lo[32];\n"
        "ld.param.u64 %rd1, [out]; mov.u64 %rd9, 0; mov.u64 %rd8, sh; mov.u64 %rd7, lo;\n" +
            body + "\nret;",
        kBefore};
    LaunchSpec spec;
    spec.file = "test.launch.json";
    spec.block = {32, 1, 1};
    spec.grid = grid;
    spec.cluster = cluster;
    spec.params = {buffer(std::vector<u32>(4))};
    RunOptions options;
    options.maxCycles = 2'000'000;
    return run(k.text(), spec, options).result;
}

void expect(const Case& c, const RunResult& r)
{
    CAPTURE(c.body);
    REQUIRE_FALSE(r.findings.empty());
    const Finding& f = r.findings[0];
    CAPTURE(f.message);
    CHECK(r.verdict == Verdict::Misuse);
    CHECK(f.rule == c.rule);
    CHECK(f.line != 0);
    CHECK(f.lanes != 0);
    for (const std::string& text : c.says) CHECK(f.message.find(text) != std::string::npos);
}

}  // namespace

TEST_CASE("hostile accesses are findings with address and memory", "[GEN-002][ATOM-003]")
{
    const Case cases[]{
        {"ld.u32 %r1, [%rd9];", "GEN-002", {"load of 4 bytes at 0x0", "outside every allocation"}},
        {"st.u64 [%rd9+8], %rd1;", "GEN-002", {"store of 8 bytes at 0x8"}},
        {"ld.global.u32 %r1, [%rd1+16];",
         "GEN-002",
         {"0x7f4", "byte 16 of parameter 0, which has 16 bytes"}},
        {"ld.global.u32 %r1, [%rd1+3];", "GEN-002", {"not aligned", "parameter 0"}},
        {"ld.global.u32 %r1, [fmt+6];", "GEN-002", {"byte 6 of fmt, which has 8 bytes"}},
        {"ld.shared.u32 %r1, [sh+64];",
         "GEN-002",
         {"at 0x40", "outside the CTA's shared memory, which has 64 bytes"}},
        {"ld.shared.u32 %r1, [%rd8-4];", "GEN-002", {"at 0xfffffffffffffffc"}},
        {"st.shared.v4.u32 [sh+56], {%r1, %r1, %r1, %r1};", "GEN-002", {"store of 16 bytes"}},
        {"ld.shared.u32 %r1, [%rd1];", "GEN-002", {"outside the shared window"}},
        {"ld.local.u32 %r1, [%rd1];", "GEN-002", {"outside the thread's local memory"}},
        {"st.local.u32 [lo+64], %r1;",
         "GEN-002",
         {"outside the thread's local memory, which has 64 bytes"}},
        {"cvta.local.u64 %rd2, %rd7; ld.u32 %r1, [%rd2+100000];", "GEN-002", {"local memory"}},
        {"ld.const.u32 %r1, [tab+8];", "GEN-002", {"outside constant memory, which has 8 bytes"}},
        {"ld.param.u32 %r1, [out+8];",
         "GEN-002",
         {"outside the kernel parameters, which has 8 bytes"}},
        {"mov.u64 %rd2, tab; cvta.const.u64 %rd2, %rd2; st.u32 [%rd2], %r1;",
         "GEN-002",
         {"read-only"}},
        {"mov.u64 %rd2, helper; ld.u32 %r1, [%rd2];", "GEN-002", {"outside every allocation"}},
        {"atom.add.u32 %r1, [%rd9], 1;", "ATOM-009", {}},
        {"cvta.local.u64 %rd2, %rd7; atom.add.u32 %r1, [%rd2], 1;", "ATOM-003", {"neither"}},
        {"cp.async.ca.shared.global [sh], [%rd9], 16;", "GEN-002", {"cp.async of 16 bytes at 0x0"}},
        {"cp.async.ca.shared.global [sh+56], [%rd1], 16;", "GEN-002", {"64 bytes"}},
        {"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%rd8], 4096;", "GEN-002", {"read"}},
        {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [sh+64];", "GEN-002", {"ldmatrix"}},
        {"{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call (r), malloc, (a); "
         "ld.param.b64 %rd2, [r]; "
         "st.param.b64 [a], %rd2; call free, (a); } st.global.u32 [%rd2+4], %r1;",
         "GEN-002",
         {"byte 4 of malloc at line", "had 64 bytes and is freed"}},
        {"{ .param .b64 a; st.param.b64 [a], %rd1; call free, (a); }",
         "GEN-002",
         {"free", "malloc did not return this address"}},
    };
    for (const Case& c : cases) {
        if (std::string(c.rule) ==
            "ATOM-009") {  // a null pointer is a bad access, whatever does it
            expect({c.body, "GEN-002", {"atom of 4 bytes at 0x0"}}, launch(c.body));
            continue;
        }
        expect(c, launch(c.body));
    }
}

TEST_CASE("an access beside allocations is named after the nearer one, and after none that is far",
          "[GEN-002]")
{
    expect({"ld.global.u32 %r1, [%rd1-4];",
            "GEN-002",
            {"outside every allocation (4 bytes before parameter 0, which has 16 bytes)"}},
           launch("ld.global.u32 %r1, [%rd1-4];"));
    const RunResult far = launch("add.u64 %rd1, %rd1, 0x400000000; ld.global.u32 %r1, [%rd1];");
    REQUIRE(far.findings.size() == 1);
    const std::string end = ": outside every allocation";
    INFO(far.findings[0].message);
    CHECK(far.findings[0].message.ends_with(end));
}

TEST_CASE("what a trap is about is a fact of the result", "[GEN-002][ATOM-003]")
{
    const std::pair<const char*, TrapKind> cases[]{
        {"trap;", TrapKind::Instruction},
        {"ld.global.u32 %r1, [%rd9];", TrapKind::Access},
        {"st.shared.u32 [sh+64], %r1;", TrapKind::Access},
        {"ld.global.u32 %r1, [%rd1+2];", TrapKind::Misaligned},
        {"st.shared.u32 [sh+2], %r1;", TrapKind::Misaligned},
        {"atom.add.u32 %r1, [%rd1+2], 1;", TrapKind::Misaligned},
        {"cp.async.ca.shared.global [sh+8], [%rd1], 16;", TrapKind::Misaligned},
        {"cvta.local.u64 %rd2, %rd7; atom.add.u32 %r1, [%rd2], 1;", TrapKind::AddressSpace},
        {"mov.u32 %r1, 7; brx.idx %r1, T; A: ret; B: ret; T: .branchtargets A, B;",
         TrapKind::Target},
        {"P: .callprototype _ (); call %rd9, P;", TrapKind::Target},
        {"call deep;", TrapKind::Stack},
    };
    for (const auto& [body, kind] : cases) {
        const RunResult r = launch(body);
        INFO(body << '\n' << r.trap);
        CHECK_FALSE(r.trap.empty());
        CHECK(r.trapKind == kind);
    }
}

TEST_CASE("hostile control flow and built-in functions are findings", "[GEN-002]")
{
    const Case cases[]{
        {"call deep;", "GEN-002", {"call stack overflow in deep"}},
        {"mov.u32 %r1, 7; brx.idx %r1, T; A: ret; B: ret; T: .branchtargets A, B;",
         "GEN-002",
         {"brx.idx index 7", "table of 2 targets"}},
        {"mov.u32 %r1, -1; brx.idx %r1, T; A: ret; B: ret; T: .branchtargets A, B;",
         "GEN-002",
         {"4294967295"}},
        {"P: .callprototype _ (); call %rd9, P;", "GEN-002", {"not a function"}},
        {"P: .callprototype _ (); call %rd1, P;", "GEN-002", {"not a function"}},
        {"P: .callprototype _ (); mov.u64 %rd2, helper; add.u64 %rd2, %rd2, 4; call %rd2, P;",
         "GEN-002",
         {"not a function"}},
        {"{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], 8; call (r), vprintf, "
         "(f, a); }",
         "GEN-002",
         {"vprintf format of 1 bytes at 0x8"}},
        {"{ .param .b64 f; .param .b64 a; .param .b32 r; mov.u64 %rd2, fmt; cvta.global.u64 %rd2, "
         "%rd2; "
         "st.param.b64 [f], %rd2; st.param.b64 [a], 0; call (r), vprintf, (f, a); }",
         "GEN-002",
         {"vprintf argument of 4 bytes at 0x0"}},
    };
    for (const Case& c : cases) expect(c, launch(c.body));
}

TEST_CASE("shared memory of a CTA that has exited", "[GEN-002][HS-024]")
{
    // CTA 0 reads when CTA 1 is long gone.
    const Case c{
        "mov.u32 %r2, %cluster_ctarank; setp.eq.u32 %p1, %r2, 1; @%p1 exit; nanosleep.u32 100000;\n"
        "mapa.shared::cluster.u64 %rd2, %rd8, 1; ld.shared::cluster.u32 %r1, [%rd2];",
        "GEN-002",
        {"the CTA that owns the shared memory has exited"}};
    expect(c, launch(c.body, {2, 1, 1}, std::array<u32, 3>{2, 1, 1}));
    const Case outside{"mov.u64 %rd2, 0x05000000; ld.shared::cluster.u32 %r1, [%rd2];",
                       "GEN-002",
                       {"the rank is outside the cluster"}};
    expect(outside, launch(outside.body, {2, 1, 1}, std::array<u32, 3>{2, 1, 1}));
}

TEST_CASE("a bulk copy that nobody waits for has its bytes when the CTA ends", "[HS-024]")
{
    // Four CTAs one after the other on one SM, each with shared memory of its own values.
    const Kernel k{".param .u64 out", R"(
        .shared .align 128 .b8 sh[4096]; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
        mov.u32 %r3, sh; mad.lo.u32 %r4, %r1, 4, %r3; mad.lo.u32 %r5, %r2, 1000, %r1; mov.u32 %r6, 0;
        L: st.shared.u32 [%r4], %r5; add.u32 %r4, %r4, 512; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 8; @%p1 bra L;
        fence.proxy.async.shared::cta; bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 exit;
        mul.wide.u32 %rd2, %r2, 4096; add.u64 %rd1, %rd1, %rd2;
        cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 4096; cp.async.bulk.commit_group; ret;)"};
    LaunchSpec spec;
    spec.file = "test.launch.json";
    spec.grid = {4, 1, 1};
    spec.block = {128, 1, 1};
    spec.params = {buffer(std::vector<u32>(4096))};
    const Outcome o = run(k.text(), spec);
    CHECK(o.result.verdict == Verdict::Pass);
    REQUIRE(o.result.findings.size() == 1);
    CHECK(o.result.findings[0].rule == "HS-024");
    CHECK(o.result.findings[0].severity == Severity::Warning);
    const auto values = o.as<u32>(0);
    for (u32 i = 0; i < 4096; ++i) REQUIRE(values[i] == i / 1024 * 1000 + i % 128);
}

TEST_CASE("with keepGoing a bulk copy of memory that is not there reads zeros, and writes nothing",
          "[GEN-002]")
{
    const Kernel k{".param .u64 out, .param .u32 reads", R"(
        .shared .align 16 .b8 sh[64]; ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [reads]; mov.u32 %r3, sh; mov.u64 %rd9, 4096;
        .shared .align 8 .b64 mb; st.shared.u32 [%r3], 7; setp.eq.u32 %p1, %r1, 0; @%p1 bra WRITES;
        mbarrier.init.shared.b64 [mb], 1; fence.proxy.async.shared::cta; mbarrier.arrive.expect_tx.shared.b64 _, [mb], 16;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd9], 16, [mb];
        L: mbarrier.try_wait.parity.shared.b64 %p2, [mb], 0; @!%p2 bra L; bra END;
        WRITES: fence.proxy.async.shared::cta; cp.async.bulk.global.shared::cta.bulk_group [%rd9], [%r3], 16;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
        END: ld.shared.u32 %r4, [%r3]; st.global.u32 [%rd1], %r4; ret;)"};
    for (const bool goes : {false, true}) {
        for (const u32 reads : {0u, 1u}) {
            CAPTURE(goes, reads);
            LaunchSpec spec;
            spec.file = "test.launch.json";
            spec.block = {1, 1, 1};
            spec.params = {buffer(std::vector<u32>(1)), scalar(reads)};
            RunOptions options;
            options.keepGoing = goes;
            const Outcome o = run(k.text(), spec, options);
            REQUIRE_FALSE(o.result.findings.empty());
            CHECK(o.result.findings[0].rule == "GEN-002");
            CHECK(o.result.findings[0].message.find("of 16 bytes at 0x1000") != std::string::npos);
            CHECK(o.as<u32>(0)[0] == (goes && reads == 0 ? 7 : 0));
            CHECK(o.result.trap.empty() == goes);
        }
    }
}

TEST_CASE("what PTX leaves open has one documented result", "[GEN-002]")
{
    const Kernel k{".param .u64 out", R"(
        ld.param.u64 %rd1, [out]; mov.u32 %r1, 7; mov.u32 %r2, 0; mov.u32 %r3, 0x80000000; mov.u32 %r4, -1;
        div.u32 %r5, %r1, %r2; rem.u32 %r6, %r1, %r2; div.s32 %r7, %r3, %r4; rem.s32 %r8, %r3, %r4;
        shl.b32 %r9, %r1, 40; shr.s32 %r10, %r3, 99; mov.b32 %r11, 0x7f800000; cvt.rzi.s32.f32 %r12, %r11;
        mov.b32 %r11, 0x7fc00000; cvt.rzi.s32.f32 %r13, %r11; abs.s32 %r14, %r3; neg.s32 %r15, %r3;
        st.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8}; st.global.v4.u32 [%rd1+16], {%r9, %r10, %r12, %r13};
        st.global.v2.u32 [%rd1+32], {%r14, %r15}; ret;)"};
    const Outcome o = run(k, {1, 1, 1}, {buffer(std::vector<u32>(10))});
    REQUIRE(o.result.verdict == Verdict::Pass);
    CHECK(o.as<u32>(0) ==
          std::vector<u32>{~0u, 7, 0x80000000, 0, 0, ~0u, 0x7fffffff, 0, 0x80000000, 0x80000000});
}

TEST_CASE("a huge loop meets the limit of cycles, an empty one is a hang", "[GEN-002]")
{
    CHECK(launch("L: add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;").verdict ==
          Verdict::Limit);
    CHECK(launch("L: bra L;").verdict == Verdict::Hang);
}

TEST_CASE("printf takes any format", "[GEN-002]")
{
    const RunResult r = launch("{ .param .b64 f; .param .b64 a; .param .b32 r; mov.u64 %rd2, wide; "
                               "cvta.global.u64 %rd2, %rd2; "
                               "cvta.local.u64 %rd3, %rd7; st.local.u32 [lo], 5; st.param.b64 [f], "
                               "%rd2; st.param.b64 [a], %rd3; "
                               "call (r), vprintf, (f, a); }");
    CHECK(r.verdict == Verdict::Pass);
    CHECK(r.output.size() < 32 * 1100);
    CHECK(r.output.find("5%q") != std::string::npos);
}

TEST_CASE("operands that do not fit are refused before the run, reached or not", "[GEN-002]")
{
    for (const char* body :
         {"and.b32 %r1, %r2;", "add.s32 %r1, %r2, %r3, %r4;", "mov.u32 _, %r1;",
          "mov.b128 %rd1, %rd2;",
          "st.global.v8.b64 [%rd1], {%rd1, %rd1, %rd1, %rd1, %rd1, %rd1, %rd1, %rd1};"}) {
        CAPTURE(body);
        CHECK_THROWS_AS(launch(body), InputError);
        CHECK_THROWS_AS(launch(std::string("bra OVER; ") + body + " OVER:"), InputError);
    }
}

TEST_CASE("a read of global memory that nobody has written is a finding, a write makes it written",
          "[INIT-001]")
{
    const Kernel k{".param .u64 p", R"(
        ld.param.u64 %rd1, [p]; mov.u32 %r1, 7;
        st.global.u32 [%rd1], %r1; ld.global.u32 %r2, [%rd1];
        ld.global.u32 %r2, [%rd1+4];
        ld.global.u32 %r2, [%rd1+4];
        red.global.add.u32 [%rd1+8], 1;
        ld.global.u32 %r2, [%rd1+8]; ret;)"};
    const ptx::Module module = ptx::parseModule(k.text(), "test.ptx");
    LaunchSpec spec;
    spec.file = "test.launch.json";
    spec.block = {1, 1, 1};
    Device device(spec, module, {});
    exec::GlobalMemory& memory = device.memory().global;
    const u64 address = memory.allocate(64, "b");
    exec::WrittenBytes written;
    written.track(address, 64);
    memory.watch(written);
    spec.params = {scalar(address)};
    Executor executor(spec, device, {});
    GoldenPort port(executor.sms());
    const RunResult r = executor.run(port);
    std::vector<u32> lines;
    for (const Finding& f : r.findings) {
        CHECK(f.rule == "INIT-001");
        lines.push_back(f.line);
    }
    // Both loads, which write nothing, and the reduction, which makes its place written.
    const u32 first = lines.empty() ? 0 : lines[0];
    CHECK(lines == std::vector<u32>{first, first + 1, first + 2});
    REQUIRE_FALSE(r.findings.empty());
    CHECK(r.findings[0].lanes == 1);
}
