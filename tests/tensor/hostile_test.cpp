// Operands of any content: tensor maps, matrix descriptors, fragments, metadata, selectors. Each launch ends in a result or a finding; what it
// may touch is its own buffers and shared memory, which a sanitized build watches.
#include <iostream>
#include <map>

#include "catch.hpp"
#include "exec/tensor.hpp"
#include "kernels.hpp"

using namespace gsu;
using namespace gsu::test;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

using Random = std::mt19937_64;

template <class T> T oneOf(Random& random, std::initializer_list<T> list)
{
    return list.begin()[random() % list.size()];
}

/// Counts verdicts; anything but a result, a finding or the limit is a failure.
struct Tally {
    std::map<Verdict, unsigned> verdicts;
    void add(const Outcome& o)
    {
        ++verdicts[o.result.verdict];
        REQUIRE((o.result.verdict == Verdict::Pass || o.result.verdict == Verdict::Misuse ||
                 o.result.verdict == Verdict::Hang || o.result.verdict == Verdict::Limit));
        if (o.result.verdict == Verdict::Misuse) REQUIRE(!o.result.findings.empty());
    }
    void print(const char* what, u64 seed)
    {
        std::cout << what << ", seed " << seed << ": " << verdicts[Verdict::Pass] << " pass, "
                  << verdicts[Verdict::Misuse] << " with findings, " << verdicts[Verdict::Hang]
                  << " hang, " << verdicts[Verdict::Limit] << " at the limit\n";
    }
};

/// A map of any content: of what is legal in each field, or of anything.
TensorMap anyMap(Random& random)
{
    const auto odd = [&] { return random() % 40 == 0; };
    TensorMap m;
    m.type = static_cast<u8>(odd() ? random() : random() % 16);
    m.rank = static_cast<u8>(odd() ? random() % 8 : 2);
    m.swizzle = static_cast<u8>(odd() ? random() : random() % 4);
    m.fill = static_cast<u8>(random() % 2);
    m.atomicity = static_cast<u8>(odd() ? random() % 6 : 0);
    m.interleave = static_cast<u8>(odd() ? random() % 4 : 0);
    m.mode = static_cast<MapMode>(odd() ? random() % 4 : 0);
    for (u64& size : m.size) size = odd() ? random() >> random() % 64 : 1 + random() % 32;
    for (u64& stride : m.stride) stride = odd() ? random() >> random() % 64 : 16 * (random() % 16);
    for (std::uint16_t& box : m.box)
        box = static_cast<std::uint16_t>(odd() ? random() : 1 + random() % 16);
    for (u8& step : m.step) step = static_cast<u8>(odd() ? random() : 1 + random() % 8);
    for (auto* corner : {&m.lower, &m.upper})
        for (std::int16_t& x : *corner) x = static_cast<std::int16_t>(random() % 9 - 4);
    return m;
}

std::string anyNumber(Random& random)
{
    return std::to_string(
        static_cast<std::int32_t>(random() % 4 == 0 ? random() : random() % 40 - 8));
}

/// A copy by the map at %rd1, with shared memory at %r2 and an mbarrier at %r3.
std::string anyCopy(Random& random)
{
    const unsigned rank = random() % 5 == 0 ? 1 + static_cast<unsigned>(random() % 5) : 2;
    std::string at = "{" + anyNumber(random);
    for (unsigned i = 1; i < rank; ++i) at += ", " + anyNumber(random);
    at += "}";
    const std::string d = std::to_string(rank) + "d.", map = "[%rd1, " + at + "]",
                      shared = "[%r2+" + std::to_string(oneOf(random, {0, 0, 128, 1024, 64})) + "]";
    switch (random() % 5) {
        case 0:
            return "cp.async.bulk.tensor." + d + "global.shared::cta.tile.bulk_group " + map +
                   ", " + shared + ";";
        case 1:
            return "cp.reduce.async.bulk.tensor." + d + "global.shared::cta." +
                   oneOf(random, {"add", "min", "max", "inc", "dec", "and", "or", "xor"}) +
                   ".tile.bulk_group " + map + ", " + shared + ";";
        case 2: return "cp.async.bulk.prefetch.tensor." + d + "L2.global.tile " + map + ";";
        case 3:
            if (rank >= 3) {
                std::string offsets = "{%h1";
                for (unsigned i = 3; i < rank; ++i) offsets += ", %h1";
                return "cp.async.bulk.tensor." + d +
                       "shared::cta.global.im2col.mbarrier::complete_tx::bytes " + shared + ", " +
                       map + ", [%r3], " + offsets + "};";
            }
            [[fallthrough]];
        default:
            return "cp.async.bulk.tensor." + d +
                   "shared::cta.global.tile.mbarrier::complete_tx::bytes " + shared + ", " + map +
                   ", [%r3];";
    }
}

/// Where the buffer of a launch of a 128-byte parameter and a buffer lies.
u64 addressOfBuffer()
{
    LaunchSpec spec;
    spec.file = "t.launch.json";
    spec.params = {scalar(std::array<u8, 128>{}), buffer(std::vector<u8>(4096))};
    const Kernel k{".param .align 64 .b8 t[128], .param .u64 in",
                   "ld.param.u64 %rd1, [in]; st.global.u64 [%rd1], %rd1; ret;"};
    return runTensor(k, spec, 1).as<u64>(1).front();
}

RunOptions bounded(u64 seed)
{
    RunOptions options;
    options.seed = seed;
    options.maxCycles = 20'000;
    return options;
}

}  // namespace

TEST_CASE("tensor maps of any content, and copies by them", "[tensor][fuzz]")
{
    const u64 seed = 20261124;
    Random random(seed);
    Tally tally;
    unsigned legal = 0;
    const u64 address = addressOfBuffer();
    for (unsigned i = 0; i < 600; ++i) {
        CAPTURE(seed, i);
        TensorMap map =
            anyMap(random);  // as a kernel could have written it: nobody has looked at it
        map.address = address + (random() % 5 == 0 ? random() >> random() % 64 : random() % 9 * 16);
        legal += map.problem().empty();
        LaunchSpec spec;
        spec.file = "t.launch.json";
        spec.block = {1, 1, 1};
        spec.params = {scalar(map.encoded()), buffer(std::vector<u8>(4096))};
        std::string body;
        for (unsigned n = 0; n <= i % 3; ++n) body += anyCopy(random);
        const Kernel k{".param .align 64 .b8 t[128], .param .u64 in",
                       R"(
            .shared .align 1024 .b8 s[2048]; .shared .align 8 .b8 b[8]; mov.b64 %rd1, t; cvta.param.u64 %rd1, %rd1;
            mov.u32 %r2, s; mov.u32 %r3, b; mov.u16 %h1, )" +
                           std::to_string(random() % 300) +
                           R"(; mbarrier.init.shared::cta.b64 [%r3], 1; )" + body +
                           "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;"};
        tally.add(runTensor(k, spec, bounded(i + 1)));
    }
    tally.print("tensor maps", seed);
    CHECK(legal > 30);
    CHECK(tally.verdicts[Verdict::Pass] > 10);
    CHECK(tally.verdicts[Verdict::Misuse] > 200);
}

TEST_CASE("matrix descriptors of any content", "[tensor][fuzz][TEN-014]")
{
    const u64 seed = 20261125;
    Random random(seed);
    Tally tally;
    const std::vector<std::string> forms{
        "m64n16k16.f32.f16.f16 D, A, %rd6, %p1, 1, -1, 1, 1;",
        "m64n16k16.f32.bf16.bf16 D, A, %rd6, %p1, 1, 1, 0, 1;",
        "m64n16k8.f32.tf32.tf32 D, A, %rd6, 1, 1, 1;",
        "m64n16k32.f32.e4m3.e5m2 D, A, %rd6, 1, 1, 1;",
        "m64n16k32.s32.s8.u8 I, A, %rd6, 1;",
        "m64n16k256.s32.b1.b1.and.popc I, A, %rd6, 1;",
        "m64n16k16.f32.f16.f16 D, {%r20,%r21,%r22,%r23}, %rd6, 1, 1, 1, 1;"};
    const std::vector<std::string> sparse{
        "m64n16k32.f32.f16.f16 D, A, %rd6, %r9, 1, 1, 1, -1, 0, 1;",
        "m64n16k64.f32.e4m3.e4m3 D, A, %rd6, %r9, 0, 1, 1, 1;",
        "m64n16k64.s32.s8.s8 I, A, %rd6, %r9, 0, 1;"};
    const auto filled = [](std::string text) {
        for (const auto& [name, with] :
             {std::pair<std::string, std::string>{" D,", " {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7},"},
              {" I,", " {%q0,%q1,%q2,%q3,%q4,%q5,%q6,%q7},"},
              {" A,", " %rd5,"}}) {
            const auto at = text.find(name);
            if (at != std::string::npos) text.replace(at, name.size(), with);
        }
        return text + "\n";
    };
    for (unsigned i = 0; i < 300; ++i) {
        CAPTURE(seed, i);
        const bool sp = i % 4 == 3;
        const std::string& form =
            sp ? sparse[random() % sparse.size()] : forms[random() % forms.size()];
        const u64 mask = oneOf(random, {~0ull, 0xc000'003f'003f'003full, 0xc00e'00ff'01ff'01ffull});
        const Kernel k{
            ".param .u64 a, .param .u64 b, .param .u32 m",
            R"(
            .reg .f32 %f<8>; .reg .b32 %q<8>; .shared .align 1024 .b8 s[8192]; ld.param.u64 %rd5, [a]; ld.param.u64 %rd6, [b]; ld.param.u32 %r9, [m];
            setp.eq.u32 %p1, %r9, %r9; wgmma.fence.sync.aligned;
            )" + std::string("wgmma.mma_async") +
                (sp ? ".sp" : "") + ".sync.aligned." + filled(form) +
                "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; ret;"};
        LaunchSpec spec;
        spec.file = "t.launch.json";
        spec.block = {128, 1, 1};
        spec.params = {scalar(random() & mask), scalar(random() & mask), scalar(u32(random()))};
        tally.add(runTensor(k, spec, bounded(i + 1)));
    }
    tally.print("matrix descriptors", seed);
    CHECK(tally.verdicts[Verdict::Pass] > 10);
    CHECK(tally.verdicts[Verdict::Misuse] > 50);
}

TEST_CASE("fragments, metadata and selectors of any content", "[tensor][fuzz][TEN-004]")
{
    const u64 seed = 20261126;
    Random random(seed);
    Tally tally;
    const std::vector<std::string> forms{
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r5,%r6,%r7,%r8}, "
        "{%r9,%r10}, {%r11,%r12,%r13,%r14};",
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r1,%r2,%r3,%r4}, {%r5,%r6,%r7,%r8}, "
        "{%r9,%r10}, {%r11,%r12,%r13,%r14};",
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32.satfinite {%r1,%r2,%r3,%r4}, "
        "{%r5,%r6,%r7,%r8}, {%r9,%r10}, {%r11,%r12,%r13,%r14};",
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%r1,%r2,%r3,%r4}, "
        "{%r5,%r6,%r7,%r8}, {%r9,%r10}, {%r11,%r12,%r13,%r14};",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, "
        "{%r5,%r6,%r7,%r8}, {%r9,%r10,%r15,%r16}, {%r11,%r12,%r13,%r14}, %r17, 1;",
        "mma.sp.sync.aligned.m16n8k64.row.col.s32.u8.s8.s32 {%r1,%r2,%r3,%r4}, {%r5,%r6,%r7,%r8}, "
        "{%r9,%r10,%r15,%r16}, {%r11,%r12,%r13,%r14}, %r17, 0;",
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e2m1."
        "f32.ue8m0 {%r1,%r2,%r3,%r4}, {%r5,%r6,%r7,%r8}, {%r9,%r10}, {%r11,%r12,%r13,%r14}, %r17, "
        "{%h1, %h2}, %r18, {%h3, %h4};",
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1."
        "f32.ue4m3 {%r1,%r2,%r3,%r4}, {%r5,%r6,%r7,%r8}, {%r9,%r10}, {%r11,%r12,%r13,%r14}, %r17, "
        "{%h1, %h2}, %r18, {%h3, %h4};",
        "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, "
        "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {%r9,%r10,%r11,%r12,%r13,%r14,%r15,%r16}, "
        "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};",
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1,%r2,%r3,%r4}, [%r5];",
        "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r5], {%r1,%r2};",
        "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, "
        "[%r5], %r6;",
        "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;"};
    for (unsigned i = 0; i < 260; ++i) {
        CAPTURE(seed, i);
        std::string start;
        for (unsigned r = 1; r <= 18; ++r) {  // other bits in each lane
            const std::string name = "%r" + std::to_string(r);
            start += "mad.lo.u32 " + name + ", %r0, " + std::to_string(u32(random()) | 1) + ", " +
                     std::to_string(u32(random())) + ";";
            if (random() % 3 == 0) start += "and.b32 " + name + ", " + name + ", 0x1ff0;";
        }
        for (unsigned h = 1; h <= 4; ++h)
            start += "mov.u16 %h" + std::to_string(h) + ", " +
                     std::to_string(random() % 2 == 0 ? 0 : random() % 8) + ";";
        const Kernel k{".param .u64 out",
                       ".reg .f32 %f<8>; .shared .align 1024 .b8 s[8192]; mov.u32 %r0, %laneid;" +
                           start + forms[i % forms.size()] + " ret;"};
        LaunchSpec spec;
        spec.file = "t.launch.json";
        spec.block = {32, 1, 1};
        spec.params = {buffer(std::vector<u32>(4))};
        std::string text = k.text();  // block scales are sm_120's
        text.replace(0, text.find(".address_size"), ".version 8.8\n.target sm_120a\n");
        tally.add(run(text, spec, bounded(i + 1)));
    }
    tally.print("fragments", seed);
    CHECK(tally.verdicts[Verdict::Pass] > 60);
    CHECK(tally.verdicts[Verdict::Misuse] > 20);
}
