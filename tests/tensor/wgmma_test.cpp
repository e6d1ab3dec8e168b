// wgmma.mma_async in kernels: shapes, types, layouts of shared memory, A in registers, groups, seeds.
#include <iostream>

#include "catch.hpp"
#include "kernels.hpp"

using namespace gsu;
using namespace gsu::test;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

struct Shape {
    unsigned n{8};
    Elem a{Elem::F16}, b{Elem::F16}, d{Elem::F32};
    unsigned mode{};  ///< swizzle of the descriptor: 0 none, 1 128, 2 64, 3 32
    bool registersA{}, transA{}, transB{}, negA{}, negB{}, scaleD{true};
    bool satfinite{};
};

constexpr u32 kB = 65536 / 2;  ///< where B begins

/// Byte of shared memory for element (line, k) of an operand of `lines` lines: written from the figures, without the descriptor.
u32 place(const Shape& s, bool isA, unsigned lines, unsigned k, unsigned line, u32* leading,
          u32* stride)
{
    const Elem e = isA ? s.a : s.b;
    const unsigned bits = tensor::bitsOf(e), width = s.mode == 0 ? 16 : 256u >> s.mode;
    const unsigned across = isA ? s.transA : s.transB;
    const unsigned depth = 256 / bits;  // elements of K
    u32 linear = 0;
    if (!across) {
        const u32 byte = k * bits / 8;
        if (s.mode == 0) {  // core matrices one after the other along the lines, then along K
            *stride = 128, *leading = lines / 8 * 128;
            linear = line / 8 * *stride + line % 8 * 16 + byte / 16 * *leading + byte % 16;
        } else {
            *stride = 8 * width, *leading = 16;
            linear = line / 8 * *stride + line % 8 * width + byte;
        }
    } else {
        const unsigned perRow = width * 8 / bits;  // elements of a row of the atom
        const unsigned bytes = bits / 8;
        if (s.mode == 0) {
            *stride = 128 * (depth / 8), *leading = 128;
            linear =
                line / perRow * *stride + k / 8 * *leading + k % 8 * 16 + line % perRow * bytes;
        } else {
            *stride = 8 * width, *leading = *stride * (depth / 8);
            linear =
                line / perRow * *leading + k / 8 * *stride + k % 8 * width + line % perRow * bytes;
        }
    }
    // The swizzle: 16-byte unit exclusive or 128-byte line, within the width.
    if (s.mode != 0) linear ^= (linear / 128 % (width / 16)) * 16;
    return (isA ? 0 : kB) + linear;
}

u64 descriptor(u32 start, u32 leading, u32 stride, unsigned mode)
{
    return start >> 4 | u64{leading >> 4} << 16 | u64{stride >> 4} << 32 | u64{mode} << 62;
}

/// Operands of small whole numbers, in their layout in shared memory, and A in its layout in registers.
struct Operands {
    std::vector<std::vector<int>> a, b;
    std::vector<std::uint8_t> image = std::vector<std::uint8_t>(65536);
    std::vector<u32> fragments = std::vector<u32>(4 * 128);
    u32 leadingA{}, strideA{}, leadingB{}, strideB{};

    void put(u32 byte, Elem e, unsigned at, u32 value)
    {
        if (tensor::bitsOf(e) == 1)
            image[byte] = static_cast<std::uint8_t>(image[byte] | value << at % 8);
        else
            std::memcpy(image.data() + byte, &value, tensor::bitsOf(e) / 8);
    }
};

Operands draw(const Shape& s, std::mt19937_64& random)
{
    const unsigned bits = tensor::bitsOf(s.a), k = 256 / bits;
    Operands o;
    o.a.assign(64, std::vector<int>(k));
    o.b.assign(k, std::vector<int>(s.n));
    for (unsigned i = 0; i < 64; ++i)
        for (unsigned x = 0; x < k; ++x) {
            o.a[i][x] = drawSmall(random, s.a);
            const u32 raw = encode(s.a, o.a[i][x]);
            o.put(place(s, true, 64, x, i, &o.leadingA, &o.strideA), s.a, x, raw);
            // A in registers as mma's m16: rows g, g + 8; 32 bits of K per lane.
            const unsigned per = 32 / bits, lane = i / 16 * 32 + i % 8 * 4 + x / per % 4,
                           reg = i % 16 / 8 + x / per / 4 * 2;
            o.fragments[lane * 4 + reg] |= raw << (x % per * bits);
        }
    for (unsigned x = 0; x < k; ++x)
        for (unsigned j = 0; j < s.n; ++j)
            o.put(place(s, false, s.n, x, j, &o.leadingB, &o.strideB), s.b, x,
                  encode(s.b, o.b[x][j] = drawSmall(random, s.b)));
    return o;
}

unsigned accumulators(const Shape& s) { return s.d == Elem::F16 ? s.n / 4 : s.n / 2; }
const char* prefixOf(const Shape& s) { return s.d == Elem::F32 ? "f" : "q"; }

/// The instruction.
std::string textOf(const Shape& s)
{
    const unsigned bits = tensor::bitsOf(s.a);
    const std::string types = std::string(tensor::nameOf(s.d)) + "." + tensor::nameOf(s.a) + "." +
                              tensor::nameOf(s.b) + (s.a == Elem::B1 ? ".and.popc" : "") +
                              (s.satfinite ? ".satfinite" : "");
    const bool sixteen = bits == 16, floating = s.d != Elem::S32;
    std::string tail = s.scaleD ? ", 1" : ", %p2";
    if (floating) tail += std::string(s.negA ? ", -1" : ", 1") + (s.negB ? ", -1" : ", 1");
    if (sixteen && !s.registersA) tail += s.transA ? ", 1" : ", 0";
    if (sixteen) tail += s.transB ? ", 1" : ", 0";
    return "wgmma.mma_async.sync.aligned.m64n" + std::to_string(s.n) + "k" +
           std::to_string(256 / bits) + "." + types + " " + list(prefixOf(s), 0, accumulators(s)) +
           ", " + (s.registersA ? list("r", 20, 4) : std::string("%rd5")) + ", %rd6" + tail + ";\n";
}

/// `chain` such instructions on the same accumulators, which begin as ones.
Kernel kernelOf(const Shape& s, unsigned chain)
{
    const unsigned regs = accumulators(s);
    std::string start, store, chained;
    for (unsigned i = 0; i < regs; ++i) {
        const std::string r = std::string("%") + prefixOf(s) + std::to_string(i);
        start += s.d == Elem::F32 ? "mov.f32 " + r + ", 0f3f800000;"
                                  : "mov.b32 " + r + (s.d == Elem::F16 ? ", 0x3c003c00;" : ", 1;");
        store += std::string("st.global.b32 [%rd8+") + std::to_string(4 * i) + "], " + r + ";";
    }
    for (unsigned i = 0; i < chain; ++i) chained += textOf(s);
    return {
        ".param .u64 image, .param .u64 fragments, .param .u64 da, .param .u64 db, .param .u64 out",
        R"(.reg .f32 %f<128>; .reg .b32 %q<128>; .shared .align 1024 .b8 s[65536];
        ld.param.u64 %rd1, [image]; ld.param.u64 %rd2, [fragments]; ld.param.u64 %rd5, [da]; ld.param.u64 %rd6, [db]; ld.param.u64 %rd7, [out]; mov.u32 %r1, %tid.x; setp.eq.u32 %p2, 0, 1;
        mov.u32 %r2, s; mov.u32 %r3, %r1;
    L:  mul.wide.u32 %rd4, %r3, 16; add.u64 %rd4, %rd4, %rd1; ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd4]; mad.lo.u32 %r8, %r3, 16, %r2; st.shared.v4.u32 [%r8], {%r4,%r5,%r6,%r7};
        add.u32 %r3, %r3, 128; setp.lt.u32 %p1, %r3, 4096; @%p1 bra L;
        mul.wide.u32 %rd4, %r1, 16; add.u64 %rd4, %rd4, %rd2; ld.global.v4.u32 {%r20,%r21,%r22,%r23}, [%rd4]; fence.proxy.async; bar.sync 0;)" +
            start + "wgmma.fence.sync.aligned;\n" + chained +
            "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n" +
            "mul.wide.u32 %rd8, %r1, " + std::to_string(4 * regs) + "; add.u64 %rd8, %rd8, %rd7;" +
            store + "ret;"};
}

void compare(const Shape& s, std::mt19937_64& random, u64 seed = 1, unsigned chain = 2)
{
    const unsigned k = 256 / tensor::bitsOf(s.a), regs = accumulators(s);
    const Operands in = draw(s, random);
    INFO(textOf(s) << "mode " << s.mode << " seed " << seed);
    LaunchSpec spec;
    spec.file = "test.launch.json";
    spec.block = {128, 1, 1};
    spec.params = {buffer(in.image), buffer(in.fragments),
                   scalar(descriptor(0, in.leadingA, in.strideA, s.mode)),
                   scalar(descriptor(kB, in.leadingB, in.strideB, s.mode)),
                   buffer(std::vector<u32>(128 * regs))};
    RunOptions options;
    options.seed = seed;
    const Outcome o = run(kernelOf(s, chain).text(), spec, options);
    INFO(o.result.trap);
    for (const Finding& f : o.result.findings) INFO(f.rule << " " << f.message);
    REQUIRE(o.result.findings.empty());
    REQUIRE(o.result.verdict == Verdict::Pass);
    const auto got = o.as<u32>(4);
    for (unsigned t = 0; t < 128; ++t)
        for (unsigned i = 0; i < s.n / 2; ++i) {
            const unsigned row = t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8,
                           column = i / 4 * 8 + t % 4 * 2 + i % 2;
            int sum = s.scaleD ? 1 : 0, product = 0;
            for (unsigned x = 0; x < k; ++x) product += in.a[row][x] * in.b[x][column];
            if (s.negA != s.negB) product = -product;
            sum += product * int(s.scaleD ? chain : 1);
            const u32 have = s.d == Elem::F16 ? got[t * regs + i / 2] >> (16 * (i % 2)) & 0xffff
                                              : got[t * regs + i];
            INFO("row " << row << " column " << column);
            REQUIRE(have == (s.d == Elem::S32 ? u32(sum) : encode(s.d, sum)));
        }
}

}  // namespace

TEST_CASE("wgmma: every type, swizzle, and A from registers or shared memory", "[tensor]")
{
    std::mt19937_64 random(1);
    unsigned ran = 0;
    for (const auto& [a, b, d] : {std::tuple{Elem::F16, Elem::F16, Elem::F32},
                                  {Elem::F16, Elem::F16, Elem::F16},
                                  {Elem::BF16, Elem::BF16, Elem::F32},
                                  {Elem::TF32, Elem::TF32, Elem::F32},
                                  {Elem::E4M3, Elem::E5M2, Elem::F32},
                                  {Elem::E5M2, Elem::E4M3, Elem::F16},
                                  {Elem::S8, Elem::U8, Elem::S32},
                                  {Elem::U8, Elem::S8, Elem::S32},
                                  {Elem::B1, Elem::B1, Elem::S32}})
        for (unsigned mode = 0; mode < 4; ++mode)
            for (const bool registers : {false, true}) {
                Shape s;
                s.n = 24, s.a = a, s.b = b, s.d = d, s.mode = mode, s.registersA = registers;
                compare(s, random);
                ++ran;
            }
    std::cout << "wgmma types and swizzles: " << ran << "\n";
}

TEST_CASE("wgmma: both major-nesses of both operands in every swizzle", "[tensor]")
{
    std::mt19937_64 random(2);
    for (unsigned mode = 0; mode < 4; ++mode)
        for (unsigned t = 1; t < 4; ++t) {
            Shape s;
            s.n = 64, s.mode = mode, s.transA = (t & 1) != 0, s.transB = (t & 2) != 0;
            if (mode == 3) s.a = s.b = Elem::BF16;
            compare(s, random);
        }
}

TEST_CASE("wgmma: every n, negation, scale-d", "[tensor]")
{
    std::mt19937_64 random(3);
    for (unsigned n = 8; n <= 256; n += 8) {
        Shape s;
        s.n = n, s.mode = 1, s.negA = n % 16 == 0, s.negB = n % 24 == 0, s.scaleD = n % 40 != 0,
        s.registersA = n % 32 == 8;
        compare(s, random, n, n % 40 != 0 ? 1 + n % 3 : 1);
    }
    Shape s;
    s.a = s.b = Elem::S8, s.d = Elem::S32, s.satfinite = true;
    compare(s, random);
}

TEST_CASE("wgmma: ten seeds, the same result", "[tensor]")
{
    std::mt19937_64 random(4);
    Shape s;
    s.n = 128, s.mode = 1;
    for (u64 seed = 1; seed <= 10; ++seed) compare(s, random, seed, 4);
}
