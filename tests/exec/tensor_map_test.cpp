// Tensor maps themselves: their rules, their place in launch files, and copies that misuse them.
#include "catch.hpp"
#include "exec/tensor.hpp"
#include "files.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;

}  // namespace

TEST_CASE("gathered and scattered rows", "[tensor]")
{
    TensorMap m;
    m.type = static_cast<u8>(tensorElement("u32"));
    m.rank = 2;
    m.size = {16, 10, 1, 1, 1};
    m.stride = {64, 0, 0, 0};
    m.box = {8, 1, 1, 1, 1};
    std::vector<u32> in(160);
    for (u32 i = 0; i < in.size(); ++i) in[i] = i;
    LaunchSpec spec;
    spec.file = "t.launch.json";
    spec.block = {32, 1, 1};
    spec.params = {mapParam(2, m), mapParam(3, m), buffer(in), buffer(std::vector<u32>(160))};
    Kernel k{
        ".param .align 64 .b8 t[128], .param .align 64 .b8 u[128], .param .u64 in, .param .u64 out",
        R"(
        .shared .align 1024 .b8 s[1024]; .shared .align 8 .b8 b[8]; mov.b64 %rd1, t; cvta.param.u64 %rd1, %rd1; mov.b64 %rd2, u; cvta.param.u64 %rd2, %rd2;
        mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, b; setp.eq.u32 %p1, %r1, 0; @!%p1 bra E;
        mbarrier.init.shared::cta.b64 [%r3], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 128;
        cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r2], [%rd1, {4, 7, 0, 12, 3}], [%r3];
    W:  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0; @!%p3 bra W;
        cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd2, {0, 1, 2, 3, 4}], [%r2];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; E: ret;)"};
    const Outcome o = runTensor(k, spec, 1);
    INFO(o.result.trap);
    REQUIRE(o.result.verdict == Verdict::Pass);
    const auto out = o.as<u32>(3);
    const u32 rows[]{7, 0, 12, 3};
    for (u32 i = 0; i < 4; ++i) {
        for (u32 c = 0; c < 8; ++c)
            REQUIRE(out[(1 + i) * 16 + c] == (rows[i] < 10 ? in[rows[i] * 16 + 4 + c] : 0));
    }
}

TEST_CASE("elements of 4 and 6 bits lie in shared memory with their gaps, and the mbarrier hears "
          "of the bytes without",
          "[tensor]")
{
    struct Form {
        const char* type;
        u32 data, place;  ///< bytes of 16 elements in global and in shared memory
    };
    const auto form =
        GENERATE(Form{"b4x16", 8, 8}, Form{"b4x16_p64", 8, 16}, Form{"b6x16_p32", 12, 16});
    const u8 swizzle = GENERATE(u8{0}, u8{3});
    CAPTURE(form.type, swizzle);
    TensorMap m;
    m.type = static_cast<u8>(tensorElement(form.type));
    m.rank = 2;
    const u32 pitch = 2 * 8 * form.data;
    m.size = {256, 4, 1, 1, 1};
    m.stride = {pitch, 0, 0, 0};
    m.box = {128, 8, 1, 1, 1};
    m.swizzle = swizzle;
    std::vector<u8> in(pitch * 4);
    for (u32 i = 0; i < in.size(); ++i) in[i] = static_cast<u8>(i * 7 + 1);
    LaunchSpec spec;
    spec.file = "t.launch.json";
    spec.block = {32, 1, 1};
    spec.params = {mapParam(1, m), buffer(in), buffer(std::vector<u8>(1024))};
    const std::string bytes = std::to_string(8 * 8 * form.data);
    Kernel k{".param .align 64 .b8 t[128], .param .u64 in, .param .u64 out", R"(
        .shared .align 1024 .b8 s[1024]; .shared .align 8 .b8 b[8]; mov.b64 %rd1, t; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [out];
        mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, b; setp.eq.u32 %p1, %r1, 0; @!%p1 bra E; mov.u32 %r5, 0;
    F:  add.u32 %r6, %r2, %r5; st.shared.u32 [%r6], 0xeeeeeeee; add.u32 %r5, %r5, 4; setp.lt.u32 %p2, %r5, 1024; @%p2 bra F;
        fence.proxy.async.shared::cta; mbarrier.init.shared::cta.b64 [%r3], 1; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], )" +
                                                                                 bytes + R"(;
        cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd1, {128, -1}], [%r3];
    W:  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0; @!%p3 bra W; mov.u32 %r5, 0;
    G:  add.u32 %r6, %r2, %r5; ld.shared.u32 %r7, [%r6]; cvt.u64.u32 %rd3, %r5; add.u64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r7;
        add.u32 %r5, %r5, 4; setp.lt.u32 %p2, %r5, 1024; @%p2 bra G; E: ret;)"};
    const Outcome o = runTensor(k, spec, 1);
    INFO(o.result.trap);
    REQUIRE(o.result.verdict == Verdict::Pass);
    const auto out = o.as<u8>(2);
    std::vector<u8> expected(1024, 0xee);
    for (u32 row = 0; row < 8; ++row) {
        for (u32 i = 0; i < 8 * form.data; ++i) {
            u32 at = (row * 8 + i / form.data) * form.place + i % form.data;
            if (swizzle == 3) at ^= at / 128 % 8 * 16;
            const bool inside = row >= 1 && row < 5;
            expected[at] = inside ? in[(row - 1) * pitch + 8 * form.data + i] : 0;
        }
    }
    CHECK(out == expected);
}

TEST_CASE("what elements of 4 and 6 bits demand", "[tensor]")
{
    TensorMap m;
    m.type = static_cast<u8>(tensorElement("b4x16_p64"));
    m.rank = 2;
    m.size = {256, 4, 1, 1, 1};
    m.stride = {128, 0, 0, 0};
    m.box = {128, 4, 1, 1, 1};
    m.address = 4096;
    CHECK(m.problem().empty());
    const auto with = [&m](auto change) {
        TensorMap other = m;
        change(other);
        return other.problem();
    };
    using Catch::Matchers::Contains;
    CHECK_THAT(with([](TensorMap& o) { o.size[0] = 192; }), Contains("multiple of 128"));
    CHECK_THAT(with([](TensorMap& o) { o.box[0] = 64; }), Contains("box[0] 128"));
    CHECK_THAT(with([](TensorMap& o) { o.address = 4112; }), Contains("multiple of 32"));
    CHECK_THAT(with([](TensorMap& o) { o.stride[0] = 144; }), Contains("strides[0] is 144"));
    CHECK_THAT(with([](TensorMap& o) { o.swizzle = 1; }), Contains("no swizzle"));
    CHECK_THAT(with([](TensorMap& o) { o.fill = 1; }), Contains("NaN fill"));
    CHECK_THAT(m.problemOfColumn(8), Contains("multiple of 16"));
    m.type = static_cast<u8>(tensorElement("b4x16"));
    CHECK_THAT(m.problemOfColumn(1), Contains("multiple of 2"));
    CHECK_THAT(with([](TensorMap& o) { o.size[0] = 3; }), Contains("must be even"));
}

/// Kept: CUTLASS clears this bit in maps of less than 128 KiB, whatever it stands for.
TEST_CASE("a tensor map whose second word has lost bit 21 is the same map", "[tensor]")
{
    TensorMap map;
    map.rank = 1;
    map.size = {64, 1, 1, 1, 1};
    map.box = {16, 1, 1, 1, 1};
    for (const std::uint64_t address : {0x7f44'0020'0100ull, 0x7f44'0000'0100ull}) {
        map.address = address;
        auto bytes = map.encoded();
        bytes[10] &= static_cast<u8>(~(1u << 5));
        const auto back = TensorMap::decoded(bytes.data());
        REQUIRE(back.has_value());
        CHECK(back->address == address);
        bytes[10] ^= 1;
        CHECK_FALSE(TensorMap::decoded(bytes.data()).has_value());
    }
}

TEST_CASE("what is no tensor map, or not for this copy, is a finding", "[tensor]")
{
    TensorMap good;
    good.rank = 2;
    good.size = {64, 4, 1, 1, 1};
    good.stride = {64, 0, 0, 0};
    good.box = {16, 4, 1, 1, 1};
    const auto attempt = [&](const std::string& copy, LaunchParam param) {
        LaunchSpec spec;
        spec.file = "t.launch.json";
        spec.block = {1, 1, 1};
        spec.params = {std::move(param), buffer(std::vector<u8>(256))};
        const Kernel k{".param .align 64 .b8 t[128], .param .u64 in", R"(
            .shared .align 1024 .b8 s[1024]; .shared .align 8 .b8 b[8]; mov.b64 %rd1, t; cvta.param.u64 %rd1, %rd1;
            mov.u32 %r2, s; mov.u32 %r3, b; mov.u16 %h1, 0; mbarrier.init.shared::cta.b64 [%r3], 1; )" +
                                                                          copy + " ret;"};
        const Outcome o = runTensor(k, spec, 1);
        std::string text;
        for (const Finding& f : o.result.findings) text += f.rule + " " + f.message + "\n";
        return text;
    };
    const std::string load =
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes ";
    using Catch::Matchers::Contains;
    CHECK_THAT(attempt(load + "[%r2], [%rd1, {0, 0}], [%r3];", scalar(std::array<u8, 128>{})),
               Contains("not a tensor map"));
    CHECK_THAT(attempt(load + "[%r2+64], [%rd1, {0, 0}], [%r3];", mapParam(1, good)),
               Contains("not aligned to 128 bytes"));
    CHECK_THAT(attempt("cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes "
                       "[%r2], [%rd1, {0}], [%r3];",
                       mapParam(1, good)),
               Contains("the map has rank 2, the copy 1"));
    CHECK_THAT(attempt("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
                       "[%rd1, {0, 0}], [%r2];",
                       mapParam(1, good)),
               Contains("reduction does not exist"));
    CHECK_THAT(attempt("add.u64 %rd1, %rd1, 16; prefetch.tensormap [%rd1]; " + load +
                           "[%r2], [%rd1, {0, 0}], [%r3];",
                       mapParam(1, good)),
               Contains("tensor map"));
    TensorMap three = good;
    three.rank = 3;
    three.stride[1] = 256;
    CHECK_THAT(attempt("cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::"
                       "bytes [%r2], [%rd1, {0, 0, 0}], [%r3], {%h1};",
                       mapParam(1, three)),
               Contains("the map is for tile, the copy for im2col"));
    three.mode = MapMode::Im2col;
    CHECK_THAT(attempt("cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::"
                       "bytes [%r2], [%rd1, {0, 0, 0}], [%r3];",
                       mapParam(1, three)),
               Contains("the map is for im2col, the copy for tile"));
}

TEST_CASE("what a tensor map must satisfy", "[tensor]")
{
    struct Bad {
        const char* why;
        void (*spoil)(TensorMap&);
    };
    const Bad bad[]{{"multiple of 16", [](TensorMap& m) { m.address = 8; }},
                    {"box is 60 bytes wide", [](TensorMap& m) { m.box[0] = 15; }},
                    {"at most 32", [](TensorMap& m) { m.swizzle = 1; }},
                    {"box[1] is 257", [](TensorMap& m) { m.box[1] = 257; }},
                    {"strides[0] is 72", [](TensorMap& m) { m.stride[0] = 72; }},
                    {"element_strides[1] is 9", [](TensorMap& m) { m.step[1] = 9; }},
                    {"sizes[0] is 0", [](TensorMap& m) { m.size[0] = 0; }},
                    {"rank must be", [](TensorMap& m) { m.rank = 6; }},
                    {"interleaved", [](TensorMap& m) { m.interleave = 1; }},
                    {"swizzle mode 4", [](TensorMap& m) { m.swizzle = 4; }},
                    {"NaN fill", [](TensorMap& m) { m.fill = 1; }},
                    {"element type 11", [](TensorMap& m) { m.type = 11; }}};
    TensorMap good;
    good.type = static_cast<u8>(tensorElement("u32"));
    good.rank = 2;
    good.size = {1ull << 32, 4, 1, 1, 1};
    good.stride = {64, 0, 0, 0};
    good.box = {16, 256, 1, 1, 1};
    REQUIRE(good.problem().empty());
    auto bytes = good.encoded();
    REQUIRE(TensorMap::decoded(bytes.data()) == good);
    bytes[30] ^= 1;
    REQUIRE_FALSE(TensorMap::decoded(bytes.data()));
    for (const Bad& b : bad) {
        TensorMap m = good;
        b.spoil(m);
        CHECK_THAT(m.problem(), Catch::Matchers::Contains(b.why));
    }
}

TEST_CASE("tensor maps in launch files", "[tensor][launch]")
{
    const auto load = [](const std::string& tensor) {
        const testfiles::Folder folder;
        const std::string file = folder / "k.launch.json";
        testfiles::spill(
            file,
            R"({"ptx": "k.ptx", "params": [{"buffer": {"type": "f32", "count": 64}}, {"tensormap": {)" +
                tensor + "}}]}");
        return loadLaunch(file);
    };
    const LaunchSpec spec = load(
        R"("base": 0, "offset": 16, "type": "f32", "sizes": [12, 4], "strides": [48], "box": [4, 2],
        "element_strides": [1, 2], "swizzle": "32B", "interleave": "none", "fill": "nan")");
    const TensorParam& t = spec.params.at(1).tensor.value();
    CHECK(t.offset == 16);
    CHECK(t.map.rank == 2);
    CHECK(t.map.extent() == 3 * 48 + 48);
    CHECK(t.map.swizzle == 1);
    CHECK(t.map.fill == 1);
    CHECK(t.map.boxBytes() == 16);
    const std::pair<const char*, const char*> bad[]{
        {R"("base": 0, "type": "f8", "sizes": [4], "box": [4])", "'f8' is not one of"},
        {R"("base": 0, "type": "f32", "sizes": [4, 4], "box": [4])", "box: has 1 element,"},
        {R"("base": 0, "type": "f32", "sizes": [4, 4], "box": [4, 4])", "strides"},
        {R"("base": 0, "type": "f32", "sizes": [4], "box": [3])", "12 bytes wide"},
        {R"("base": 0, "type": "f32", "sizes": [4], "box": [4], "swizzle": "96B")",
         "is not one of none, 32B"},
        {R"("base": 0, "type": "f32", "sizes": [4], "box": [4], "interleave": "16B")",
         "is not one of none"}};
    for (const auto& [text, why] : bad) {
        CAPTURE(text);
        CHECK_THROWS_WITH(load(text), Catch::Matchers::Contains(why));
    }
}
