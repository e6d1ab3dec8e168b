// mma, wmma and ldmatrix in kernels: decoded from text, executed by a warp.
#include "catch.hpp"
#include "kernels.hpp"

using namespace gsu;
using namespace gsu::test;
using u32 = std::uint32_t;

namespace {

bool found(const RunResult& r, const std::string& rule)
{
    for (const Finding& f : r.findings) {
        if (f.rule == rule) return true;
    }
    return false;
}

struct WmmaCase {
    unsigned m, n, k, a, b, c;
    Elem type, sum;
    bool layouts;  ///< all of them
};

std::vector<WmmaCase> wmmaCases()
{
    std::vector<WmmaCase> cases;
    for (const auto& [m, n] : {std::pair{16u, 16u}, {32u, 8u}, {8u, 32u}}) {
        for (const Elem sum : {Elem::F16, Elem::F32})
            cases.push_back({m, n, 16, 8, 8, sum == Elem::F16 ? 4u : 8u, Elem::F16, sum, true});
        cases.push_back({m, n, 16, m / 4, n / 4, 8, Elem::BF16, Elem::F32, true});
        for (const Elem t : {Elem::S8, Elem::U8})
            cases.push_back({m, n, 16, m / 8, n / 8, 8, t, Elem::S32, true});
    }
    cases.push_back({16, 16, 8, 4, 4, 8, Elem::TF32, Elem::F32, true});
    for (const Elem t : {Elem::S4, Elem::U4})
        cases.push_back({8, 8, 32, 1, 1, 2, t, Elem::S32, false});
    cases.push_back({8, 8, 128, 1, 1, 2, Elem::B1, Elem::S32, false});
    return cases;
}

/// Where the elements of a case stand in memory. `layout`: bit 0 the sums, 1 A, 2 B by columns.
struct WmmaPlace {
    WmmaPlace(const WmmaCase& c, unsigned layout)
        : aColumns(c.layouts && (layout & 2) != 0),
          bColumns(!c.layouts || (layout & 4) != 0),
          dColumns((layout & 1) != 0)
    {
        unsigned pad = 16;
        if (c.type == Elem::B1) pad = 128;
        if (c.type == Elem::S4 || c.type == Elem::U4) pad = 32;
        lda = (aColumns ? c.m : c.k) + pad;
        ldb = (bColumns ? c.k : c.n) + pad;
        ldc = (dColumns ? c.m : c.n) + 4;
    }
    [[nodiscard]] unsigned a(unsigned i, unsigned x) const
    {
        return aColumns ? x * lda + i : i * lda + x;
    }
    [[nodiscard]] unsigned b(unsigned x, unsigned j) const
    {
        return bColumns ? j * ldb + x : x * ldb + j;
    }
    [[nodiscard]] unsigned d(unsigned i, unsigned j) const
    {
        return dColumns ? j * ldc + i : i * ldc + j;
    }

    bool aColumns, bColumns, dColumns;
    unsigned lda{}, ldb{}, ldc{};
};

Kernel wmmaKernel(const WmmaCase& c, const WmmaPlace& at)
{
    const auto num = [](unsigned v) { return std::to_string(v); };
    const auto order = [](bool columns) { return std::string(columns ? "col" : "row"); };
    const std::string shape = "m" + num(c.m) + "n" + num(c.n) + "k" + num(c.k);
    const std::string t = tensor::nameOf(c.type), s = tensor::nameOf(c.sum);
    const std::string types = c.type == Elem::F16 ? s + "." + s : s + "." + t + "." + t + "." + s;
    const std::string head =
        c.type == Elem::B1 ? "wmma.mma.and.popc.sync.aligned." : "wmma.mma.sync.aligned.";
    const std::string a = list("r", 0, c.a), b = list("r", 10, c.b),
                      sums = c.sum == Elem::F32 ? list("f", 0, c.c) : list("r", 20, c.c);
    return {".param .u64 a, .param .u64 b, .param .u64 d",
            ".reg .f32 %f<16>; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 "
            "%rd3, [d];\n"
            "wmma.load.a.sync.aligned." +
                order(at.aColumns) + "." + shape + ".global." + t + " " + a + ", [%rd1], " +
                num(at.lda) + ";\nwmma.load.b.sync.aligned." + order(at.bColumns) + "." + shape +
                "." + t + " " + b + ", [%rd2], " + num(at.ldb) + ";\nwmma.load.c.sync.aligned." +
                order(at.dColumns) + "." + shape + ".global." + s + " " + sums + ", [%rd3], " +
                num(at.ldc) + ";\n" + head + order(at.aColumns) + "." + order(at.bColumns) + "." +
                shape + "." + types + " " + sums + ", " + a + ", " + b + ", " + sums +
                ";\nwmma.store.d.sync.aligned." + order(at.dColumns) + "." + shape + ".global." +
                s + " [%rd3], " + sums + ", " + num(at.ldc) + "; ret;"};
}

void checkWmma(const WmmaCase& c, const WmmaPlace& at, std::mt19937_64& random)
{
    std::vector<std::vector<int>> a(c.m, std::vector<int>(c.k)), b(c.k, std::vector<int>(c.n)),
        d(c.m, std::vector<int>(c.n));
    std::vector<std::uint8_t> ab(8192), bb(8192), db(8192);
    const auto bitsOfSum = [&](int v) { return c.sum == Elem::S32 ? u32(v) : encode(c.sum, v); };
    for (unsigned i = 0; i < c.m; ++i)
        for (unsigned x = 0; x < c.k; ++x)
            putElement(ab, c.type, at.a(i, x), encode(c.type, a[i][x] = drawSmall(random, c.type)));
    for (unsigned x = 0; x < c.k; ++x)
        for (unsigned j = 0; j < c.n; ++j)
            putElement(bb, c.type, at.b(x, j), encode(c.type, b[x][j] = drawSmall(random, c.type)));
    for (unsigned i = 0; i < c.m; ++i)
        for (unsigned j = 0; j < c.n; ++j)
            putElement(db, c.sum, at.d(i, j), bitsOfSum(d[i][j] = int(random() % 9)));
    const Kernel k = wmmaKernel(c, at);
    INFO(k.body);
    const Outcome o = run(k, {32, 1, 1}, {buffer(ab), buffer(bb), buffer(db)});
    INFO(o.result.trap);
    REQUIRE(o.result.verdict == Verdict::Pass);
    const auto got = o.as<std::uint8_t>(2);
    const std::size_t bytes = tensor::bitsOf(c.sum) / 8;
    for (unsigned i = 0; i < c.m; ++i)
        for (unsigned j = 0; j < c.n; ++j) {
            int sum = d[i][j];
            for (unsigned x = 0; x < c.k; ++x) sum += a[i][x] * b[x][j];
            std::uint32_t have = 0;
            std::memcpy(&have, got.data() + at.d(i, j) * bytes, bytes);
            REQUIRE(have == bitsOfSum(sum));
        }
}

}  // namespace

TEST_CASE("mma.sync of halves through ldmatrix: a product of two matrices in shared memory",
          "[tensor]")
{
    const Kernel k{".param .u64 a, .param .u64 b, .param .u64 d", R"(
        .shared .align 16 .b8 sa[512]; .shared .align 16 .b8 sb[256]; .reg .f32 %f<8>;
        ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [d]; mov.u32 %r1, %tid.x; mov.u32 %r2, sa; mov.u32 %r3, sb;
        mul.wide.u32 %rd4, %r1, 16; add.u64 %rd1, %rd1, %rd4; ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd1]; mad.lo.u32 %r8, %r1, 16, %r2; st.shared.v4.u32 [%r8], {%r4,%r5,%r6,%r7};
        setp.lt.u32 %p1, %r1, 16; add.u64 %rd2, %rd2, %rd4; @%p1 ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd2]; mad.lo.u32 %r8, %r1, 16, %r3; @%p1 st.shared.v4.u32 [%r8], {%r4,%r5,%r6,%r7};
        bar.sync 0;
        and.b32 %r9, %r1, 15; shr.u32 %r10, %r1, 4; mul.lo.u32 %r11, %r9, 32; mad.lo.u32 %r11, %r10, 16, %r11; add.u32 %r11, %r11, %r2;
        ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20,%r21,%r22,%r23}, [%r11];
        mul.lo.u32 %r12, %r9, 16; add.u32 %r12, %r12, %r3;
        ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r24,%r25}, [%r12];
        mov.f32 %f1, 0f3f800000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r20,%r21,%r22,%r23}, {%r24,%r25}, {%f1,%f2,%f3,%f4};
        shr.u32 %r13, %r1, 2; and.b32 %r14, %r1, 3; mul.lo.u32 %r15, %r13, 32; mad.lo.u32 %r15, %r14, 8, %r15; cvt.u64.u32 %rd5, %r15; add.u64 %rd3, %rd3, %rd5;
        st.global.v2.f32 [%rd3], {%f1,%f2}; st.global.v2.f32 [%rd3+256], {%f3,%f4}; ret;)"};
    std::mt19937_64 random(1);
    int a[16][16], b[16][8];
    std::vector<std::uint16_t> ab, bb;
    for (auto& row : a)
        for (int& x : row)
            ab.push_back(std::uint16_t(encode(Elem::F16, x = drawSmall(random, Elem::F16))));
    for (auto& row : b)
        for (int& x : row)
            bb.push_back(std::uint16_t(encode(Elem::F16, x = drawSmall(random, Elem::F16))));
    const Outcome o = run(k, {32, 1, 1}, {buffer(ab), buffer(bb), buffer(std::vector<float>(128))});
    INFO(o.result.trap);
    REQUIRE(o.result.verdict == Verdict::Pass);
    const auto d = o.as<float>(2);
    for (unsigned i = 0; i < 16; ++i)
        for (unsigned j = 0; j < 8; ++j) {
            int sum = 1;
            for (unsigned x = 0; x < 16; ++x) sum += a[i][x] * b[x][j];
            REQUIRE(d[i * 8 + j] == float(sum));
        }
}

TEST_CASE("wmma: load, multiply and store of every shape, type and layout", "[tensor]")
{
    std::mt19937_64 random(2);
    unsigned ran = 0;
    for (const WmmaCase& c : wmmaCases())
        for (unsigned layout = 0; layout < (c.layouts ? 8u : 2u); ++layout, ++ran)
            checkWmma(c, {c, layout}, random);
    REQUIRE(ran == 8 * 16 + 6);
}

TEST_CASE("literals among the registers of a fragment, as the assembler takes them", "[tensor]")
{
    // Sums of the rows of A, as attention kernels make them: B is all ones, of two columns nobody wants the result.
    const Kernel k{".param .u64 out", R"(
        .reg .f32 %f<4>; ld.param.u64 %rd1, [out]; mov.u32 %r1, %laneid; mul.wide.u32 %rd2, %r1, 8; add.u64 %rd1, %rd1, %rd2;
        mov.b32 %r2, 0x3c003c00; mov.b32 %r3, 0x40004000; mov.b32 %r4, 0; mov.b32 %f0, 0f41200000; mov.b32 %f1, 0fbf800000;
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2, _, %f3, _}, {%r2, %r3, %r2, %r4}, {%r2, %r2}, {%f0, 0., %f1, 0f00000000};
        st.global.v2.f32 [%rd1], {%f2, %f3}; ret;)"};
    LaunchSpec spec;
    spec.file = "test.launch.json";
    spec.block = {32, 1, 1};
    spec.params = {buffer(std::vector<float>(64))};
    const Outcome o = run(k.text(), spec);
    REQUIRE(o.result.verdict == Verdict::Pass);
    for (unsigned lane = 0; lane < 32; ++lane) {
        CHECK(o.as<float>(0)[2 * lane] == 10.0f + 16.0f);
        CHECK(o.as<float>(0)[2 * lane + 1] == -1.0f + 16.0f);
    }
}

TEST_CASE("a matrix instruction that only some threads reach is a finding", "[tensor][TEN-001]")
{
    const Kernel k{".param .u64 d", R"(
        .reg .f32 %f<8>; ld.param.u64 %rd3, [d]; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16; mov.b32 %r2, 0; mov.f32 %f1, 0f00000000;
        @!%p1 bra E;
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f1,%f1,%f1}, {%r2,%r2,%r2,%r2}, {%r2,%r2}, {%f1,%f1,%f1,%f1};
    E:  ret;)"};
    const Outcome o = run(k, {32, 1, 1}, {buffer(std::vector<float>(4))});
    CHECK(o.result.verdict == Verdict::Misuse);
    CHECK(found(o.result, "TEN-001"));
}

TEST_CASE("wmma with addresses that differ, and sparse metadata out of order, are findings",
          "[tensor][TEN-002][TEN-003]")
{
    const Kernel k{".param .u64 d", R"(
        ld.param.u64 %rd1, [d]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
        wmma.load.a.sync.aligned.row.m16n16k16.global.s8 {%r2,%r3}, [%rd2], 16; ret;)"};
    CHECK(found(run(k, {32, 1, 1}, {buffer(std::vector<u32>(1024))}).result, "TEN-002"));
    const Kernel sparse{".param .u64 d", R"(
        .reg .f32 %f<8>; mov.b32 %r2, 0; mov.b32 %r3, 0; mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
        mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r2,%r2}, {%r2,%r2}, {%f1,%f2,%f3,%f4}, %r3, 0; ret;)"};
    CHECK(found(run(sparse, {32, 1, 1}, {buffer(std::vector<u32>(4))}).result, "TEN-003"));
}

TEST_CASE("wmma outside its memory traps, whatever the stride", "[tensor]")
{
    for (const char* stride : {"0", "16", "4294967295", "65536"}) {
        const Kernel k{".param .u64 d",
                       "ld.param.u64 %rd1, [d]; wmma.load.a.sync.aligned.row.m16n16k16.global.s8 "
                       "{%r2,%r3}, [%rd1+64], " +
                           std::string(stride) + "; ret;"};
        const Outcome o = run(k, {32, 1, 1}, {buffer(std::vector<std::uint8_t>(300))});
        CHECK(o.result.verdict == (std::string(stride) == "0"    ? Verdict::Pass
                                   : std::string(stride) == "16" ? Verdict::Misuse
                                                                 : Verdict::Misuse));
    }
}

TEST_CASE("stmatrix and ldmatrix of bytes: the places of an accumulator, and columns back",
          "[tensor]")
{
    const Kernel k{".param .u64 out", R"(
        .shared .align 16 .b8 s[256]; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; and.b32 %r9, %r1, 15; mad.lo.u32 %r3, %r9, 16, %r2;
        mul.lo.u32 %r4, %r1, 0x04040404; add.u32 %r4, %r4, 0x03020100; add.u32 %r5, %r4, 0x80808080;
        stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%r3], {%r4, %r5}; bar.warp.sync -1;
        ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r6, %r7}, [%r3];
        mul.wide.u32 %rd2, %r1, 16; add.u64 %rd2, %rd2, %rd1; mad.lo.u32 %r8, %r1, 8, %r2; ld.shared.v2.u32 {%r10, %r11}, [%r8];
        st.global.v4.u32 [%rd2], {%r10, %r11, %r6, %r7}; ret;)"};
    const Outcome o = run(k, {32, 1, 1}, {buffer(std::vector<std::uint32_t>(128))});
    INFO(o.result.trap);
    REQUIRE(o.result.verdict == Verdict::Pass);
    const auto got = o.as<std::uint32_t>(0);
    std::array<std::uint8_t, 256> memory{};
    for (unsigned l = 0; l < 32; ++l)
        for (unsigned m = 0; m < 2; ++m)
            for (unsigned e = 0; e < 4; ++e)
                memory[(8 * m + 2 * (l % 4) + e % 2) * 16 + l / 4 + 8 * (e / 2)] =
                    static_cast<std::uint8_t>(4 * l + e + 128 * m);
    for (unsigned l = 0; l < 32; ++l)
        for (unsigned e = 0; e < 8; ++e) {
            CAPTURE(l, e);
            REQUIRE((got[4 * l + e / 4] >> 8 * (e % 4) & 0xff) == memory[8 * l + e]);
            const unsigned line = 4 * (l % 4) + 2 * (e / 4) + e % 2;
            REQUIRE((got[4 * l + 2 + e / 4] >> 8 * (e % 4) & 0xff) ==
                    memory[line * 16 + l / 4 + 8 * (e % 4 / 2)]);
        }
}
