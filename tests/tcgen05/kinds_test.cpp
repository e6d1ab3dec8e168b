// Each kind of tcgen05.mma through the whole executor: A and B hold nothing but ones, so that every element of D is the number of products. The library's
// own tests have the numbers.
#include "kernels.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

struct Row {
    const char* form;    ///< behind "tcgen05.mma"
    std::uint32_t one;   ///< four bytes of A and B
    std::uint32_t bits;  ///< instruction descriptor without M and N
    std::uint32_t d;     ///< an element of D
    unsigned m{128}, columns{64};
    std::uint32_t scale{};     ///< four bytes of scale factors, or of metadata
    const char* operands{""};  ///< behind the instruction descriptor
    const char* metadata{""};  ///< before it
    bool inside{};             ///< A in tensor memory
};

constexpr const char* kScales = ", [%r20], [%r21]";
constexpr const char* kMetadata = ", [%r22]";

std::uint32_t single(float v) { return std::bit_cast<std::uint32_t>(v); }

std::vector<Row> rows()
{
    constexpr std::uint32_t f32 = 1u << 4, s32 = 2u << 4, ue8m0 = 1u << 23;
    return {
        {".cta_group::1.kind::f16", 0x3c003c00, f32, single(16)},
        {".cta_group::1.kind::f16", 0x3f803f80, f32 | 1u << 7 | 1u << 10, single(16)},
        {".cta_group::1.kind::f16", 0x3c003c00, 0, 0x4c00},
        {".cta_group::1.kind::f16", 0x3c003c00, f32 | 1u << 13, single(-16)},
        {".cta_group::1.kind::tf32", 0x3f800000, f32 | 2u << 7 | 2u << 10, single(8)},
        {".cta_group::1.kind::f8f6f4", 0x38383838, f32, single(32)},
        {".cta_group::1.kind::f8f6f4", 0x3c3c3c3c, f32 | 1u << 7 | 1u << 10, single(32)},
        {".cta_group::1.kind::f8f6f4", 0x22222222, f32 | 5u << 7 | 5u << 10, single(32)},
        {".cta_group::1.kind::f8f6f4", 0x38383838, 0, 0x5000},
        {".cta_group::1.kind::i8", 0x01010101, s32, 32},
        {".cta_group::1.kind::i8", 0xffffffff, s32 | 1u << 7 | 1u << 10, 32},
        {".cta_group::1.kind::i8", 0xffffffff, s32 | 1u << 7, std::uint32_t(-32 * 255)},
        {".cta_group::1.kind::mxf8f6f4.block_scale", 0x38383838, ue8m0, single(128), 128, 64,
         0x80808080, kScales},
        {".cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X", 0x38383838, ue8m0, single(32),
         128, 64, 0x7f7f7f7f, kScales},
        {".cta_group::1.kind::mxf4.block_scale", 0x22222222, ue8m0 | 1u << 7 | 1u << 10, single(64),
         128, 64, 0x7f7f7f7f, kScales},
        {".cta_group::1.kind::mxf4.block_scale.block32", 0x22222222, ue8m0 | 1u << 7 | 1u << 10,
         single(64), 128, 64, 0x7f7f7f7f, kScales},
        {".cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::2X", 0x22222222,
         ue8m0 | 1u << 7 | 1u << 10, single(64), 128, 64, 0x7f7f7f7f, kScales},
        {".cta_group::1.kind::mxf4nvf4.block_scale.block16", 0x22222222, 1u << 7 | 1u << 10,
         single(64), 128, 64, 0x38383838, kScales},
        {".cta_group::1.kind::f16", 0x3c003c00, f32, single(16), 64},
        {".ws.cta_group::1.kind::f16", 0x3c003c00, f32, single(16)},
        {".ws.cta_group::1.kind::f16.collector::b2::fill", 0x3c003c00, f32, single(16), 64, 32},
        {".ws.cta_group::1.kind::i8", 0x01010101, s32, 32, 32, 16},
        {".sp.cta_group::1.kind::f16", 0x3c003c00, f32 | 4, single(16), 128, 64, 0x44444444, "",
         kMetadata},
        {".sp.cta_group::1.kind::tf32", 0x3f800000, f32 | 2u << 7 | 2u << 10 | 4, single(8), 128,
         64, 0x44444444, "", kMetadata},
        {".sp.cta_group::1.kind::f8f6f4", 0x38383838, f32 | 4, single(32), 128, 64, 0x44444444, "",
         kMetadata},
        {".sp.cta_group::1.kind::i8", 0x01010101, s32 | 4, 32, 128, 64, 0x44444444, "", kMetadata},
        {".ws.sp.cta_group::1.kind::f16", 0x3c003c00, f32 | 4, single(16), 64, 32, 0x44444444, "",
         kMetadata},
        {".cta_group::1.kind::f16", 0x3c003c00, f32, single(16), 128, 64, 0x3c003c00, "", "", true},
        {".cta_group::1.kind::tf32.ashift", 0x3f800000, f32 | 2u << 7 | 2u << 10, single(8), 128,
         64, 0x3f800000, "", "", true},
        {".cta_group::1.kind::i8.collector::a::discard", 0x01010101, s32, 32, 128, 64, 0x01010101,
         "", "", true},
    };
}

std::string hex(std::uint32_t v) { return std::to_string(v); }

Outcome run(const Row& row)
{
    const bool scaled = std::string(row.form).find("block_scale") != std::string::npos;
    const std::uint32_t m = scaled ? row.m / 128 << 27 : row.m / 16 << 24;
    Steps s;
    s.fill = "shl.b32 %r6, %r1, 2; add.u32 %r6, %r6, %r9; mov.u32 %r5, " + hex(row.one) +
             "; mov.u32 %r4, 0;\nF: st.shared.u32 [%r6], %r5; add.u32 %r6, %r6, 512; add.u32 %r4, "
             "%r4, 1; setp.lt.u32 %p3, %r4, 16; @%p3 bra F;\n";
    std::string cells = "mov.u32 %d0, " + hex(row.scale) +
                        "; add.u32 %r13, %r10, %r3; add.u32 %r13, %r13, 64;\n"
                        "tcgen05.st.sync.aligned.32x32b.x16.b32 [%r13], {";
    for (unsigned i = 0; i < 16; ++i) cells += i == 0 ? "%d0" : ",%d0";
    s.multiply =
        cells +
        "};\ntcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\nbar.sync "
        "1;\ntcgen05.fence::after_thread_sync;\nadd.u32 %r20, %r10, 64; add.u32 %r21, %r10, "
        "72; add.u32 %r22, %r10, 64; mov.u32 %r11, " +
        hex(row.bits | kN / 8 << 17 | m) + ";\n@%p1 tcgen05.mma" + row.form + " [%r10], " +
        (row.inside ? "[%r20]" : "%rd10") + ", %rd11" + row.metadata + ", %r11" + row.operands +
        ", 0;\n";
    return s.run();
}

}  // namespace

TEST_CASE("products of ones in every kind", "[tcgen05]")
{
    for (const Row& row : rows()) {
        CAPTURE(row.form, row.bits);
        const Outcome o = run(row);
        CHECK(rulesOf(o) == "");
        REQUIRE(o.result.verdict == Verdict::Pass);
        const auto out = o.as<std::uint32_t>(1);
        const bool half = row.m == 64 && std::string(row.form).find(".ws") == std::string::npos;
        unsigned wrong = 0;
        for (unsigned lane = 0; lane < 128; ++lane) {
            if (half && lane % 32 >= 16) continue;
            for (unsigned c = 0; c < row.columns; ++c) wrong += out[lane * 256 + c] != row.d;
        }
        CHECK(wrong == 0);
    }
}
