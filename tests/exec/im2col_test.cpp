// im2col: copies of pixels against loops over all places of the bounding box, the published examples, and what such maps must satisfy.
#include <algorithm>
#include <random>

#include "catch.hpp"
#include "exec/tensor.hpp"
#include "files.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Pixel = std::array<std::int64_t, 5>;  ///< coordinates; the first is not used

/// Every base pixel of the bounding box of image n, in the order in which copies meet them.
std::vector<Pixel> placesOf(const TensorMap& m, std::int64_t image, unsigned spatial)
{
    std::vector<Pixel> all;
    std::array<std::int64_t, 3> low{}, high{}, by{1, 1, 1};
    for (unsigned d = 0; d < spatial; ++d) {
        low[d] = m.lower[d];
        high[d] = std::int64_t(m.size[d + 1]) - 1 + m.upper[d];
        by[d] = m.step[d + 1];
    }
    for (std::int64_t z = low[2]; z <= high[2]; z += by[2])
        for (std::int64_t y = low[1]; y <= high[1]; y += by[1])
            for (std::int64_t x = low[0]; x <= high[0]; x += by[0]) {
                Pixel p{0, x, y, z, 0};
                if (spatial < 3) p[spatial + 1] = 0;
                p[m.rank - 1u] = image;
                all.push_back(p);
            }
    return all;
}

/// The base pixels of a copy that begins at place `first` of image 0.
std::vector<Pixel> pixelsFrom(const TensorMap& m, std::size_t first, std::size_t count)
{
    std::vector<Pixel> all;
    for (std::int64_t image = 0; all.size() < first + count; ++image) {
        const auto more = placesOf(m, image, m.rank - 2u);
        all.insert(all.end(), more.begin(), more.end());
    }
    return {all.begin() + std::ptrdiff_t(first), all.begin() + std::ptrdiff_t(first + count)};
}

/// Byte of element (channel, pixel + offset) in the tensor, or -1.
std::int64_t byteOf(const TensorMap& m, std::int64_t channel, const Pixel& p,
                    const std::array<u16, 3>& offset)
{
    std::int64_t at = channel * m.elementBytes();
    bool inside = channel >= 0 && channel < std::int64_t(m.size[0]);
    for (unsigned d = 1; d < m.rank; ++d) {
        const std::int64_t c = p[d] + (d + 1u < m.rank ? offset[d - 1] : 0);
        inside = inside && c >= 0 && c < std::int64_t(m.size[d]);
        at += c * std::int64_t(m.stride[d - 1]);
    }
    return inside ? at : -1;
}

u32 placed(u32 at, unsigned swizzle) { return at ^ (at / 128 % (1u << swizzle)) * 16; }

constexpr u32 kShared = 16384;

struct Case {
    TensorMap map;
    std::array<u16, 3> offset{};
    std::size_t first{};
    std::int64_t channel{};
};

Case draw(std::mt19937_64& random, unsigned rank)
{
    Case c;
    TensorMap& m = c.map;
    m.rank = static_cast<u8>(rank);
    m.mode = MapMode::Im2col;
    m.swizzle = static_cast<u8>(random() % 4);
    m.type = static_cast<u8>(tensorElement("u32"));
    m.box[0] =
        static_cast<u16>(4 * (1 + random() % ((m.swizzle == 0 ? 64u : 16u << m.swizzle) / 16)));
    m.box[1] = static_cast<u16>(1 + random() % 40);
    m.size[0] = 1 + random() % (2 * m.box[0]);
    u64 pitch = (m.size[0] * 4 + 15) / 16 * 16;
    for (unsigned d = 1; d < rank; ++d) {
        m.size[d] = d + 1 == rank ? 1 + random() % 3 : 3 + random() % 5;
        m.step[d] = static_cast<u8>(d + 1 < rank && random() % 3 == 0 ? 2 : 1);
        m.stride[d - 1] = pitch;
        pitch *= m.size[d];
    }
    for (unsigned d = 0; d + 2 < rank; ++d) {
        m.lower[d] = static_cast<std::int16_t>(int(random() % 4) - 2);
        m.upper[d] = static_cast<std::int16_t>(int(random() % 3) - 1);
        c.offset[d] = static_cast<u16>(random() % 3);
    }
    c.first = random() % placesOf(m, 0, rank - 2).size();
    c.channel = std::int64_t(random() % m.size[0]);
    return c;
}

std::string coordinates(const Case& c)
{
    const Pixel p = pixelsFrom(c.map, c.first, 1)[0];
    std::string text = std::to_string(c.channel);
    for (unsigned d = 1; d < c.map.rank; ++d) text += ", " + std::to_string(p[d]);
    return "{" + text + "}";
}

std::string offsets(const Case& c)
{
    std::string text;
    for (unsigned d = 0; d + 2u < c.map.rank; ++d)
        text += (d == 0 ? "" : ", ") + std::to_string(c.offset[d]);
    return "{" + text + "}";
}

/// Loads pixels, shows shared memory, stores them without offsets and reduces them.
Kernel roundTrip(const Case& c, u32 bytes)
{
    const std::string n = std::to_string(c.map.rank) + "d", at = coordinates(c), info = offsets(c);
    return {".param .align 64 .b8 tin[128], .param .align 64 .b8 tout[128], .param .align 64 .b8 "
            "tsum[128], .param .u64 in, "
            ".param .u64 out, .param .u64 sum, .param .u64 seen",
            R"(.shared .align 1024 .b8 s[16384]; .shared .align 8 .b8 b[8];
        mov.b64 %rd1, tin; cvta.param.u64 %rd1, %rd1; mov.b64 %rd2, tout; cvta.param.u64 %rd2, %rd2; mov.b64 %rd3, tsum; cvta.param.u64 %rd3, %rd3;
        ld.param.u64 %rd4, [seen]; mov.u32 %r2, s; mov.u32 %r3, b; mbarrier.init.shared::cta.b64 [%r3], 1; fence.proxy.async;
        cp.async.bulk.prefetch.tensor.)" +
                n + ".L2.global.im2col [%rd1, " + at + "], " + info +
                "; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], " + std::to_string(bytes) +
                "; cp.async.bulk.tensor." + n +
                ".shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r2], [%rd1, " + at +
                "], [%r3], " + info + R"(;
    W:  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0; @!%p3 bra W;
        mov.u32 %r4, 0;
    G:  add.u32 %r5, %r4, %r2; ld.shared.u32 %r6, [%r5]; cvt.u64.u32 %rd5, %r4; add.u64 %rd5, %rd5, %rd4; st.global.u32 [%rd5], %r6;
        add.u32 %r4, %r4, 4; setp.lt.u32 %p2, %r4, 16384; @%p2 bra G;
        cp.async.bulk.tensor.)" +
                n + ".global.shared::cta.im2col_no_offs.bulk_group [%rd2, " + at +
                "], [%r2]; cp.reduce.async.bulk.tensor." + n +
                ".global.shared::cta.xor.im2col_no_offs.bulk_group [%rd3, " + at +
                "], [%r2]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;"};
}

TensorMap published(unsigned width, unsigned height, int lower, int upper)
{
    TensorMap m;
    m.type = static_cast<u8>(tensorElement("u16"));
    m.rank = 4;
    m.mode = MapMode::Im2col;
    m.size = {64, width, height, 64, 1};
    m.stride = {128, 128ull * width, 128ull * width * height, 0};
    m.box = {8, 64, 1, 1, 1};
    m.lower = {static_cast<std::int16_t>(lower), static_cast<std::int16_t>(lower), 0};
    m.upper = {static_cast<std::int16_t>(upper), static_cast<std::int16_t>(upper), 0};
    return m;
}

/// W, H and N of every run, "-" outside: one run a pixel.
std::vector<std::string> placesOf(const TensorMap& m, const std::vector<TileRun>& runs)
{
    std::vector<std::string> text;
    for (const TileRun& r : runs) {
        const u64 at = r.global / m.stride[0];
        text.push_back(r.global == 0 ? "-"
                                     : std::to_string(at % m.size[1]) + "," +
                                           std::to_string(at / m.size[1] % m.size[2]) + "," +
                                           std::to_string(at / m.size[1] / m.size[2]));
    }
    return text;
}

}  // namespace

TEST_CASE("im2col copies of every rank agree with loops over the bounding box", "[tensor]")
{
    const u64 seed = 20261122;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    u32 outside = 0, inside = 0, images = 0, notStored = 0;
    for (unsigned rank = 3; rank <= 5; ++rank)
        for (unsigned round = 0; round < 12; ++round) {
            const Case c = draw(random, rank);
            const TensorMap& m = c.map;
            CAPTURE(rank, round, m.box, m.size, m.step, m.lower, m.upper, c.offset, c.first,
                    c.channel);
            REQUIRE(m.problem() == "");
            const u32 bytes = static_cast<u32>(m.boxBytes());
            std::vector<u8> in(m.extent());
            for (u8& v : in) v = static_cast<u8>(random());
            const std::vector<u8> blank(in.size(), 0x11);
            LaunchSpec spec;
            spec.file = "t.launch.json";
            spec.block = {1, 1, 1};
            spec.params = {mapParam(3, m),
                           mapParam(4, m),
                           mapParam(5, m),
                           buffer(in),
                           buffer(blank),
                           buffer(blank),
                           buffer(std::vector<u8>(kShared))};
            const Outcome o = runTensor(roundTrip(c, bytes), spec, seed + round);
            INFO(o.result.trap);
            for (const Finding& f : o.result.findings) UNSCOPED_INFO(f.rule + " " + f.message);
            REQUIRE(o.result.verdict == Verdict::Pass);
            std::vector<u8> seen(kShared), out = blank, sum = blank;
            const auto pixels = pixelsFrom(m, c.first, m.box[1]);
            images += pixels.back()[rank - 1] != pixels.front()[rank - 1];
            for (std::size_t i = 0; i < pixels.size(); ++i)
                for (unsigned x = 0; x < 4u * m.box[0]; ++x) {
                    const std::int64_t channel = c.channel + x / 4;
                    const std::int64_t from = byteOf(m, channel, pixels[i], c.offset),
                                       to = byteOf(m, channel, pixels[i], {});
                    const u8 value = from < 0 ? u8{0} : in[static_cast<std::size_t>(from) + x % 4];
                    (from < 0 ? outside : inside) += 1;
                    notStored += to < 0;
                    seen[placed(static_cast<u32>(i) * 4 * m.box[0] + x, m.swizzle)] = value;
                    if (to < 0) continue;
                    out[static_cast<std::size_t>(to) + x % 4] = value;
                    sum[static_cast<std::size_t>(to) + x % 4] ^= value;
                }
            REQUIRE(std::equal(seen.begin(), seen.begin() + bytes, o.buffers[6].begin()));
            REQUIRE(o.buffers[4] == out);
            REQUIRE(o.buffers[5] == sum);
        }
    CHECK(outside > 1000);
    CHECK(inside > 1000);
    CHECK(notStored > 1000);
    CHECK(images > 5);
}

TEST_CASE("im2col: the walk of the published examples", "[tensor]")
{
    // Padding: the last pixel of its line, then the line below from outside the tensor on.
    const TensorMap padded = published(9, 14, -1, -1);
    auto at = placesOf(padded, pixelRuns(padded, {0, 7, 4, 0, 0}, 0, {}));
    REQUIRE(at.size() == 64);
    CHECK(at[0] == "7,4,0");
    CHECK(at[1] == "-");
    CHECK(at[2] == "0,5,0");
    CHECK(at[10] == "-");
    CHECK(at[63] == "7,11,0");
    // The filter's last corner.
    const TensorMap whole = published(9, 14, 0, -2);
    at = placesOf(whole, pixelRuns(whole, {0, 6, 4, 0, 0}, 0, {.offset = {2, 2, 0}}));
    CHECK(at[0] == "8,6,0");
    CHECK(at[1] == "2,7,0");
    CHECK(at[63] == "8,3,1");
    // Steps of two pixels and lines.
    TensorMap stepped = published(8, 14, -1, -1);
    stepped.step = {1, 2, 2, 1, 1};
    at = placesOf(stepped, pixelRuns(stepped, {0, 5, 5, 0, 0}, 0, {.offset = {1, 1, 0}}));
    CHECK(at[0] == "6,6,0");
    CHECK(at[1] == "0,8,0");
    CHECK(at[2] == "2,8,0");
}

TEST_CASE("im2col::w stays in its line and goes on in the next image; halos follow", "[tensor]")
{
    TensorMap m = published(9, 7, 0, 0);
    m.swizzle = 3;
    m.mode = MapMode::Im2colW;
    m.box[1] = 128;
    REQUIRE(m.problem() == "");
    auto at = placesOf(m, pixelRuns(m, {0, 2, 3, 0, 0}, 0, {.halo = 2}));
    REQUIRE(at.size() == 130);
    CHECK(at[6] == "8,3,0");
    CHECK(at[7] == "0,3,1");
    CHECK(at[127] == "3,3,14");
    CHECK(at[128] == "4,3,14");
    CHECK(at[129] == "5,3,14");
    m.mode = MapMode::Im2colW128;
    at = placesOf(m, pixelRuns(m, {0, 2, 3, 0, 0}, 0, {.halo = 2}));
    REQUIRE(at.size() == 136);
    CHECK(at[31] == "6,3,3");
    CHECK(at[32] == "7,3,3");
    CHECK(at[33] == "8,3,3");
    CHECK(at[34] == "7,3,3");  // the next pixel of the walk
    // Two buffers of a filter with steps of two: the second holds the pixels between.
    TensorMap two = published(9, 67, -1, 0);
    two.swizzle = 3;
    two.mode = MapMode::Im2colW;
    two.box[1] = 16;
    two.step[1] = 2;
    at = placesOf(two, pixelRuns(two, {0, -1, 2, 0, 0}, 0, {.halo = 1}));
    CHECK(at[0] == "-");
    CHECK(at[1] == "1,2,0");
    CHECK(at[4] == "7,2,0");
    CHECK(at[5] == "-");
    at = placesOf(two, pixelRuns(two, {0, -1, 2, 0, 0}, 0, {.wOffset = 1}));
    CHECK(at[0] == "0,2,0");
    CHECK(at[4] == "8,2,0");
    CHECK(at[5] == "0,2,1");
}

TEST_CASE("im2col: what a map and a copy must satisfy", "[tensor]")
{
    using Catch::Matchers::Contains;
    const TensorMap good = published(9, 14, -1, -1);
    REQUIRE(good.problem() == "");
    REQUIRE(TensorMap::decoded(good.encoded().data()) == good);
    const std::pair<const char*, void (*)(TensorMap&)> bad[]{
        {"rank 3 to 5", [](TensorMap& m) { m.rank = 2; }},
        {"channels is 0", [](TensorMap& m) { m.box[0] = 0; }},
        {"pixels is 1025", [](TensorMap& m) { m.box[1] = 1025; }},
        {"lower[0] is 128: must be -128 to 127", [](TensorMap& m) { m.lower[0] = 128; }},
        {"no pixel is between", [](TensorMap& m) { m.upper[1] = -20; }},
        {"wants swizzle 64B", [](TensorMap& m) { m.mode = MapMode::Im2colW; }},
        {"no such mode", [](TensorMap& m) { m.mode = static_cast<MapMode>(4); }},
        {"are 24 bytes wide", [](TensorMap& m) { m.box[0] = 12; }}};
    for (const auto& [why, spoil] : bad) {
        TensorMap m = good;
        spoil(m);
        CHECK_THAT(m.problem(), Contains(why));
    }
    CHECK_THAT((PixelInfo{.offset = {256, 0, 0}}.problem(good)), Contains("at most 255"));
    TensorMap wide = good;
    wide.mode = MapMode::Im2colW128;
    CHECK_THAT((PixelInfo{.halo = 32}.problem(wide)), Contains("wHalo is 32"));
    CHECK_THAT((PixelInfo{.wOffset = 32}.problem(wide)), Contains("wOffset is 32"));
}

TEST_CASE("im2col maps in launch files", "[tensor][launch]")
{
    const auto load = [](const std::string& tensor) {
        const testfiles::Folder folder;
        const std::string file = folder / "k.launch.json";
        testfiles::spill(
            file,
            R"({"ptx": "k.ptx", "params": [{"buffer": {"type": "f16", "count": 4096}}, {"tensormap": {"base": 0, "type": "f16", )" +
                tensor + "}}]}");
        return loadLaunch(file).params.at(1).tensor.value().map;
    };
    const std::string shape = R"("sizes": [16, 8, 8, 4], "strides": [32, 256, 2048], )";
    const TensorMap m = load(
        shape +
        R"("mode": "im2col", "channels": 16, "pixels": 64, "lower": [-1, -2], "upper": [-1, 0], "swizzle": "32B")");
    CHECK(m.mode == MapMode::Im2col);
    CHECK(m.lower == std::array<std::int16_t, 3>{-1, -2, 0});
    CHECK(m.upper == std::array<std::int16_t, 3>{-1, 0, 0});
    CHECK(m.boxBytes() == 2048);
    const TensorMap w = load(
        shape + R"("mode": "im2col::w::128", "channels": 32, "lower": [-1], "swizzle": "64B")");
    CHECK(w.mode == MapMode::Im2colW128);
    CHECK(w.boxBytes() == 128 * 64);
    const std::pair<const char*, const char*> bad[]{
        {R"("mode": "im2row", "channels": 16, "pixels": 4)", "is not one of tile, im2col"},
        {R"("mode": "im2col", "channels": 16, "pixels": 4, "box": [1, 1, 1, 1])",
         "goes with mode tile"},
        {R"("box": [16, 1, 1, 1], "pixels": 4)", "goes with the im2col modes only"},
        {R"("mode": "im2col", "channels": 16, "pixels": 4, "lower": [0])",
         "has 1 element, expected 2"},
        {R"("mode": "im2col", "channels": 16, "pixels": 4, "lower": [0, 1.5])", "whole number"},
        {R"("mode": "im2col", "channels": 16, "pixels": 4, "lower": [0, -300])",
         "lower[1] is -300"},
        {R"("mode": "im2col::w::128", "channels": 16, "pixels": 4)", "always takes 128"}};
    for (const auto& [text, why] : bad) {
        CAPTURE(text);
        CHECK_THROWS_WITH(load(shape + text), Catch::Matchers::Contains(why));
    }
}
