// Tensor maps and tensor copies against element-by-element loops and a swizzle written with divisions; drawn shapes of every rank.
#include <algorithm>
#include <random>

#include "catch.hpp"
#include "exec/tensor.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct Shape {
    TensorMap map;
    std::array<std::int32_t, 5> origin{};
    [[nodiscard]] u32 bytes() const { return static_cast<u32>(map.boxBytes()); }
};

/// Where byte `at` of the box lies from a base that is aligned to 1024.
u32 placed(u32 at, unsigned swizzle)
{
    const u32 line = at / 128, unit = at / 16 % 8,
              units = 1u << swizzle;  // units that trade places
    const u32 moved = unit / units * units + ((unit % units) ^ (line % units));
    return line * 128 + moved * 16 + at % 16;
}

/// Calls visit(byte in the box, byte in the tensor or -1) for every element.
template <class F> void eachElement(const Shape& s, F&& visit)
{
    const TensorMap& m = s.map;
    const unsigned size = m.elementBytes();
    std::array<u32, 5> n{1, 1, 1, 1, 1}, i{};
    for (unsigned d = 0; d < m.rank; ++d)
        n[d] = d == 0 ? m.box[0] : (m.box[d] + m.step[d] - 1u) / m.step[d];
    u32 at = 0;
    for (i[4] = 0; i[4] < n[4]; ++i[4])
        for (i[3] = 0; i[3] < n[3]; ++i[3])
            for (i[2] = 0; i[2] < n[2]; ++i[2])
                for (i[1] = 0; i[1] < n[1]; ++i[1])
                    for (i[0] = 0; i[0] < n[0]; ++i[0], at += size) {
                        std::int64_t from = 0;
                        for (unsigned d = 0; d < m.rank; ++d) {
                            const std::int64_t c =
                                s.origin[d] + std::int64_t(i[d]) * (d == 0 ? 1 : m.step[d]);
                            if (c < 0 || c >= std::int64_t(m.size[d])) from = -(1ll << 60);
                            from += c * std::int64_t(d == 0 ? size : m.stride[d - 1]);
                        }
                        visit(at, from < 0 ? -1 : from);
                    }
}

constexpr u32 kShared = 32768;
const char* const kNames[]{"f32", "u8", "f16", "u64", "bf16", "i32"};

Shape draw(std::mt19937_64& random, unsigned rank, unsigned swizzle)
{
    Shape s;
    TensorMap& m = s.map;
    m.rank = static_cast<u8>(rank);
    m.swizzle = static_cast<u8>(swizzle);
    m.type = static_cast<u8>(tensorElement(kNames[random() % std::size(kNames)]));
    const unsigned size = m.elementBytes();
    const bool floating = m.element() == ptx::Type::F32 || m.element() == ptx::Type::F16 ||
                          m.element() == ptx::Type::BF16;
    m.fill = floating && random() % 2 == 0 ? 1 : 0;
    const unsigned widest = swizzle == 0 ? 256 : 16u << swizzle;
    const unsigned units = static_cast<unsigned>(1 + random() % (widest / 16));
    m.box[0] = static_cast<std::uint16_t>(units * 16 / size);
    m.size[0] = 1 + random() % (2 * m.box[0]);
    u64 pitch = (m.size[0] * size + 15) / 16 * 16 + 16 * (random() % 2);
    for (unsigned d = 1; d < rank; ++d) {
        m.box[d] = static_cast<std::uint16_t>(1 + random() % 6);
        m.step[d] = static_cast<u8>(random() % 3 == 0 ? 2 : 1);
        m.size[d] = 1 + random() % 7;
        m.stride[d - 1] = pitch;
        pitch *= m.size[d];
    }
    for (unsigned d = 0; d < rank; ++d)
        s.origin[d] = static_cast<std::int32_t>(random() % (m.size[d] + 3)) - 2;
    return s;
}

std::string coordinates(const Shape& s)
{
    std::string text;
    for (unsigned d = 0; d < s.map.rank; ++d)
        text += (d == 0 ? "" : ", ") + std::to_string(s.origin[d]);
    return "{" + text + "}";
}

/// Loads a box into shared memory, shows shared memory, stores the box and reduces it.
Kernel roundTrip(const Shape& s, const char* reduction)
{
    const std::string n = std::to_string(s.map.rank) + "d", c = coordinates(s);
    return {".param .align 64 .b8 tin[128], .param .align 64 .b8 tout[128], .param .align 64 .b8 "
            "tsum[128], .param .u64 in, "
            ".param .u64 out, .param .u64 sum, .param .u64 seen",
            R"(
        .shared .align 1024 .b8 s[32768]; .shared .align 8 .b8 b[8];
        mov.b64 %rd1, tin; cvta.param.u64 %rd1, %rd1; mov.b64 %rd2, tout; cvta.param.u64 %rd2, %rd2; mov.b64 %rd3, tsum; cvta.param.u64 %rd3, %rd3;
        ld.param.u64 %rd4, [seen]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, b; setp.eq.u32 %p1, %r1, 0;
        mov.u32 %r4, %r1;
    F:  mad.lo.u32 %r5, %r4, 4, %r2; st.shared.u32 [%r5], 0x5a5a5a5a; add.u32 %r4, %r4, 32; setp.lt.u32 %p2, %r4, 8192; @%p2 bra F;
        @%p1 mbarrier.init.shared::cta.b64 [%r3], 1; fence.proxy.async; bar.sync 0;
        @!%p1 bra W;
        prefetch.tensormap [%rd1]; cp.async.bulk.prefetch.tensor.)" +
                n + ".L2.global.tile [%rd1, " + c +
                "]; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], " +
                std::to_string(s.bytes()) + "; cp.async.bulk.tensor." + n +
                ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd1, " + c +
                R"(], [%r3];
    W:  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0; @!%p3 bra W;
        mov.u32 %r4, %r1;
    G:  mad.lo.u32 %r5, %r4, 4, %r2; ld.shared.u32 %r6, [%r5]; mul.wide.u32 %rd5, %r4, 4; add.u64 %rd5, %rd5, %rd4; st.global.u32 [%rd5], %r6;
        add.u32 %r4, %r4, 32; setp.lt.u32 %p2, %r4, 8192; @%p2 bra G;
        bar.sync 0; @!%p1 bra E; fence.proxy.async;
        cp.async.bulk.tensor.)" +
                n + ".global.shared::cta.tile.bulk_group [%rd2, " + c +
                "], [%r2]; cp.reduce.async.bulk.tensor." + n + ".global.shared::cta." + reduction +
                ".tile.bulk_group [%rd3, " + c +
                "], [%r2]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n    E: ret;"};
}

u64 element(const std::vector<u8>& bytes, std::int64_t at, unsigned size)
{
    u64 v = 0;
    std::memcpy(&v, bytes.data() + at, size);
    return v;
}

}  // namespace

TEST_CASE("tensor copies of every rank and swizzle agree with loops over elements", "[tensor]")
{
    const u64 seed = 20261121;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    u32 outside = 0, inside = 0, nans = 0, steps = 0;
    for (unsigned rank = 1; rank <= 5; ++rank) {
        for (unsigned round = 0; round < 16; ++round) {
            const unsigned swizzle = round % 4;
            Shape s = draw(random, rank, swizzle);
            while (s.bytes() > kShared) s = draw(random, rank, swizzle);
            const unsigned size = s.map.elementBytes();
            const bool integers =
                s.map.element() == ptx::Type::U64 || s.map.element() == ptx::Type::S32;
            std::vector<u8> in(s.map.extent() + 64);
            for (u8& v : in) v = static_cast<u8>(random());
            const std::vector<u8> blank(in.size(), 0x11);
            LaunchSpec spec;
            spec.file = "t.launch.json";
            spec.block = {32, 1, 1};
            spec.params = {mapParam(3, s.map, 16),
                           mapParam(4, s.map, 16),
                           mapParam(integers ? 5 : 4, s.map, 16),
                           buffer(in),
                           buffer(blank),
                           buffer(blank),
                           buffer(std::vector<u8>(kShared))};
            Kernel k = roundTrip(s, "xor");
            if (!integers) {  // no reduction for this type: leave it out
                const std::size_t at = k.body.find("cp.reduce");
                k.body.erase(at, k.body.find(';', at) + 1 - at);
            }
            const Outcome o = runTensor(k, spec, seed + round);
            CAPTURE(rank, round, swizzle, size, s.map.box, s.map.size, s.map.step, s.origin);
            INFO(o.result.trap);
            for (const Finding& f : o.result.findings) UNSCOPED_INFO(f.rule + " " + f.message);
            REQUIRE(o.result.verdict == Verdict::Pass);
            std::vector<u8> seen(kShared, 0x5a), out = blank, sum = blank;
            eachElement(s, [&](u32 at, std::int64_t from) {
                u64 v = from >= 0 ? element(in, from + 16, size) : 0;
                if (from < 0 && s.map.fill == 1) v = size == 4 ? 0x7fffffff : 0x7fff;
                nans += from < 0 && s.map.fill == 1;
                (from < 0 ? outside : inside) += 1;
                for (unsigned i = 0; i < size; ++i)
                    seen[placed(at + i, swizzle)] = static_cast<u8>(v >> 8 * i);
                for (unsigned i = 0; from >= 0 && i < size; ++i) {
                    out[static_cast<std::size_t>(from) + 16 + i] = static_cast<u8>(v >> 8 * i);
                    sum[static_cast<std::size_t>(from) + 16 + i] ^= static_cast<u8>(v >> 8 * i);
                }
            });
            for (unsigned d = 1; d < rank; ++d) steps += s.map.step[d] > 1;
            REQUIRE(o.buffers[6] == seen);
            REQUIRE(o.buffers[4] == out);
            if (integers) REQUIRE(o.buffers[5] == sum);
        }
    }
    CHECK(outside > 1000);
    CHECK(inside > 1000);
    CHECK(nans > 100);
    CHECK(steps > 10);
}

TEST_CASE("a tensor copy to several CTAs completes the full box on each one's mbarrier",
          "[tensor][HS-026]")
{
    const u64 seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    TensorMap m;
    m.type = static_cast<u8>(tensorElement("u32"));
    m.rank = 2;
    m.size = {40, 30, 1, 1, 1};
    m.stride = {160, 0, 0, 0};
    m.box = {32, 32, 1, 1, 1};  // 2 columns and 4 rows stick out
    m.swizzle = 3;
    std::vector<u32> in(1200);
    for (u32 i = 0; i < in.size(); ++i) in[i] = i + 1;
    LaunchSpec spec;
    spec.file = "t.launch.json";
    spec.block = {32, 1, 1};
    spec.grid = {2, 1, 1};
    spec.cluster = {{2, 1, 1}};
    spec.params = {mapParam(1, m), buffer(in), buffer(std::vector<u32>(2048))};
    const Kernel k{".param .align 64 .b8 t[128], .param .u64 in, .param .u64 out", R"(
        .shared .align 1024 .b8 s[4096]; .shared .align 8 .b8 b[8];
        mov.b64 %rd1, t; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd4, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, b;
        setp.eq.u32 %p1, %r1, 0; mov.u32 %r7, %cluster_ctarank; mov.u16 %h1, 3;
        @%p1 mbarrier.init.shared::cta.b64 [%r3], 1; fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;
        @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 4096; setp.eq.and.u32 %p2, %r7, 0, %p1;
        @%p2 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%rd1, {10, 2}], [%r3], %h1;
    W:  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0; @!%p3 bra W;
        mov.u32 %r4, %r1; mul.wide.u32 %rd6, %r7, 4096; add.u64 %rd4, %rd4, %rd6;
    G:  mad.lo.u32 %r5, %r4, 4, %r2; ld.shared.u32 %r6, [%r5]; mul.wide.u32 %rd5, %r4, 4; add.u64 %rd5, %rd5, %rd4; st.global.u32 [%rd5], %r6;
        add.u32 %r4, %r4, 32; setp.lt.u32 %p2, %r4, 1024; @%p2 bra G;
        barrier.cluster.arrive; barrier.cluster.wait; ret;)"};
    const Outcome o = runTensor(k, spec, seed);
    INFO(o.result.trap);
    for (const Finding& f : o.result.findings) UNSCOPED_INFO(f.rule + " " + f.message);
    REQUIRE(o.result.verdict == Verdict::Pass);
    const auto out = o.as<u32>(2);
    for (u32 cta = 0; cta < 2; ++cta) {
        for (u32 row = 0; row < 32; ++row) {
            for (u32 column = 0; column < 32; ++column) {
                const bool in_ = row + 2 < 30 && column + 10 < 40;
                const u32 want = in_ ? in[(row + 2) * 40 + column + 10] : 0;
                CAPTURE(cta, row, column);
                REQUIRE(out[cta * 1024 + placed((row * 32 + column) * 4, 3) / 4] == want);
            }
        }
    }
}

/// A map is copied to shared memory, becomes a tensor of 6 x 8 words, 64 bytes apart, is published, and a box of 4 x 4 of every second row is copied.
struct Published {
    Kernel kernel;
    LaunchSpec spec;
    std::vector<u32> in = std::vector<u32>(256);
};

Published published()
{
    Published t;
    TensorMap m;
    m.type = static_cast<u8>(tensorElement("u8"));
    m.rank = 1;
    m.size[0] = 16;
    m.box[0] = 16;
    for (u32 i = 0; i < t.in.size(); ++i) t.in[i] = i;
    t.spec.file = "t.launch.json";
    t.spec.block = {32, 1, 1};
    t.spec.params = {mapParam(1, m), buffer(t.in), buffer(std::vector<u32>(64)),
                     buffer(std::vector<u32>(64))};
    t.kernel = {".param .align 64 .b8 t[128], .param .u64 in, .param .u64 out, .param .u64 map",
                R"(
        .shared .align 1024 .b8 s[1024]; .shared .align 128 .b8 m[128]; .shared .align 8 .b8 b[8];
        mov.b64 %rd1, t; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [in]; ld.param.u64 %rd3, [map]; ld.param.u64 %rd4, [out];
        mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, b; mov.u32 %r4, m; setp.eq.u32 %p1, %r1, 0;
        mul.wide.u32 %rd5, %r1, 4; add.u64 %rd6, %rd1, %rd5; ld.u32 %r5, [%rd6]; mad.lo.u32 %r6, %r1, 4, %r4; st.shared.u32 [%r6], %r5;
        @%p1 mbarrier.init.shared::cta.b64 [%r3], 1; bar.sync 0; @!%p1 bra J;
        add.u64 %rd7, %rd2, 64; tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r4], %rd7;
        tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r4], 2; tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r4], 1;
        tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r4], 0, 6; tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r4], 1, 8;
        mov.u64 %rd8, 64; tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r4], 0, %rd8;
        tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r4], 0, 4; tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r4], 1, 8;
        tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r4], 1, 2; tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r4], 0;
        tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r4], 0; tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r4], 0;
    J:  bar.warp.sync -1;
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd3], [%r4], 128;
        fence.proxy.tensormap::generic.acquire.gpu [%rd3], 128; @!%p1 bra W;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 64;
        cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd3, {3, 1}], [%r3];
    W:  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0; @!%p3 bra W;
        setp.lt.u32 %p2, %r1, 16; mad.lo.u32 %r6, %r1, 4, %r2; ld.shared.u32 %r5, [%r6]; add.u64 %rd5, %rd5, %rd4; @%p2 st.global.u32 [%rd5], %r5; ret;)"};
    return t;
}

void replaceIn(Kernel& kernel, const std::string& what, const std::string& with)
{
    REQUIRE(kernel.body.find(what) != std::string::npos);
    kernel.body.replace(kernel.body.find(what), what.size(), with);
}

TEST_CASE("a map is copied to shared memory, changed there, published and used",
          "[tensor][TMAP-002][TMAP-003][FENCE-028][EX-TMAP-01][EX-FENCE-02]")
{
    Published t = published();
    // Made from nothing: every field is replaced, so zeros do as well as a map.
    const bool zeros = GENERATE(false, true);
    const u64 seed = GENERATE(1u, 2u, 3u, 4u, 5u);
    CAPTURE(zeros, seed);
    if (zeros) replaceIn(t.kernel, "ld.u32 %r5, [%rd6];", "mov.u32 %r5, 0;");
    const Outcome o = runTensor(t.kernel, t.spec, seed);
    INFO(o.result.trap);
    for (const Finding& f : o.result.findings) UNSCOPED_INFO(f.rule + " " + f.message);
    REQUIRE(o.result.verdict == Verdict::Pass);
    const auto out = o.as<u32>(2);
    for (u32 row = 0; row < 4; ++row) {
        for (u32 column = 0; column < 4; ++column) {
            const u32 r = 1 + 2 * row, c = 3 + column;
            CAPTURE(row, column);
            CHECK(out[4 * row + column] == (c < 6 && r < 8 ? t.in[16 + 16 * r + c] : 0));
        }
    }
}

TEST_CASE("a copy by a map that the kernel wrote without the fences of its proxy is reported",
          "[tensor][FENCE-025][FENCE-028][FENCE-029][EX-FENCE-02]")
{
    const u64 seed = GENERATE(1u, 2u, 3u, 4u, 5u, 6u);
    CAPTURE(seed);
    const std::string acquire = "fence.proxy.tensormap::generic.acquire.gpu [%rd3], 128;",
                      publish = "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic."
                                "release.gpu.sync.aligned [%rd3], [%r4], 128;",
                      stores =
                          "add.u64 %rd6, %rd3, %rd5; mad.lo.u32 %r6, %r1, 4, %r4; ld.shared.u32 "
                          "%r5, [%r6]; st.global.u32 [%rd6], %r5; bar.warp.sync -1; ",
                      release = "fence.proxy.tensormap::generic.release.gpu; ";
    struct Case {
        const char* what;
        std::string publish, acquire;
        const char* rule;
    };
    const Case c = GENERATE_COPY(
        Case{"no acquire", publish, "", "FENCE-029"},
        Case{"an acquire of the bytes behind it", publish,
             "fence.proxy.tensormap::generic.acquire.gpu [%rd3+128], 128;", "FENCE-029"},
        Case{"stores without a release", stores, acquire, "FENCE-028"},
        Case{"neither", stores, "", "FENCE-028"},
        Case{"a release where the acquire belongs", publish, release, "FENCE-029"},
        Case{"an acquire where the release belongs", stores + acquire, acquire, "FENCE-028"},
        Case{"stores and a release", stores + release, acquire, ""});
    INFO(c.what);
    Published t = published();
    replaceIn(t.kernel, acquire, c.acquire);
    replaceIn(t.kernel, publish, c.publish);
    const Outcome o = runTensor(t.kernel, t.spec, seed);
    INFO(o.result.trap);
    for (const Finding& f : o.result.findings) UNSCOPED_INFO(f.rule + " " + f.message);
    if (*c.rule == 0) {
        CHECK(o.result.verdict == Verdict::Pass);
        CHECK(o.result.findings.empty());
    } else {
        REQUIRE(!o.result.findings.empty());
        CHECK(std::any_of(o.result.findings.begin(), o.result.findings.end(),
                          [&](const Finding& f) { return f.rule == c.rule && f.line != 0; }));
        CHECK(o.result.verdict != Verdict::Pass);
    }
}
