// Video instructions: every verdict here is that of the reference assembler (CUDA 13.0, sm_90).
#include "ptx/check.hpp"
#include "support.hpp"

using namespace gsu::ptx;

namespace {

const char* const kLegal[]{
    "vadd2.s32.s32.s32 %r3, %r1, %r2, %r4;",
    "vadd2.s32.s32.s32 %r3.h10, %r1.h32, %r2.h10, %r4;",
    "vadd2.s32.s32.s32 %r3.h0, %r1.h03, %r2.h33, %r4;",
    "vadd2.s32.s32.s32.add %r3.h1, %r1.h32, %r2.h10, %r4;",
    "vadd2.sat.u32.s32.u32 %r3.h0, %r1.h22, %r2.h13, %r4;",
    "vadd4.s32.s32.s32 %r3.b210, %r1.b7531, %r2.b0000, %r4;",
    "vadd4.s32.s32.s32 %r3.b31, %r1.b3210, %r2.b7654, %r4;",
    "vset2.s32.s32.lt.add %r3.h1, %r1.h32, %r2.h10, %r4;",
    "vset4.lt.s32.u32 %r3.b20, %r1.b7654, %r2.b0123, %r4;",
    "vavrg4.s32.u32.s32.add %r3.b3, %r1.b1111, %r2.b2222, %r4;",
    "vmax4.s32.u32.s32.sat %r3.b321, %r1.b4567, %r2, %r4;",
    "vabsdiff2.s32.u32.s32.sat %r3.h0, %r1.h10, %r2.h32, %r4;",
    "vadd.s32.s32.s32 %r3, %r1, %r2, %r4;",
    "vadd.s32.s32.s32.sat.sat %r3.h1, %r1.b3, %r2.h0, %r4;",
    "vadd.s32.s32.s32.min.sat %r3, %r1.b3, 5, 7;",
    "vset.s32.s32.lt %r3.b0, %r1.b1, %r2.h0, %r4;",
    "vset.u32.u32.ne.max %r3, %r1, %r2, %r4;",
    "vshl.u32.s32.u32.sat.wrap %r3.b1, %r1.b1, %r2.b0, %r4;",
    "vshl.u32.u32.u32.clamp %r3, 1, %r2.b3;",
    "vmad.s32.s32.s32 %r3, -%r1.b0, -%r2.h1, -%r4;",
    "vmad.po.u32.u32.u32.sat.shr7 %r3, %r1.b0, -5, %r4;",
    "vmad.s32.s32.s32.po %r3, -%r1, -%r2, %r4;",
    "{ .reg .f16x2 x; vadd.u32.u32.u32 %r3, x, %r2 .b0; }",
};

struct Row {
    const char* text;
    const char* says;
};

const Row kIllegal[]{
    {"vadd2.s32.s32.s32 %r3, %r1, %r2;", "three sources"},
    {"vadd2.s32.s32.s32 %r3.h01, %r1, %r2, %r4;", ".h0, .h1 or .h10"},
    {"vadd2.s32.s32.s32 %r3.h00, %r1, %r2, %r4;", "no mask"},
    {"vadd2.s32.s32.s32 %r3.h2, %r1, %r2, %r4;", "no mask"},
    {"vadd2.s32.s32.s32 %r3.b0, %r1, %r2, %r4;", "no mask"},
    {"vadd2.s32.s32.s32 %r3, %r1.h0, %r2, %r4;", "two digits from 0 to 3"},
    {"vadd2.s32.s32.s32 %r3, %r1.h40, %r2, %r4;", "two digits from 0 to 3"},
    {"vadd2.s32.s32.s32 %r3, %r1.b10, %r2, %r4;", "two digits from 0 to 3"},
    {"vadd2.s32.s32.s32 %r3, %r1, %r2, %r4.h10;", "third source has no selector"},
    {"vadd2.s32.s32.s32 %r3, %r1, 5, %r4;", "takes registers here"},
    {"vadd2.s32.s32.s32 %r3, %r1, %r2, 9;", "takes registers here"},
    {"vadd2.s32.s32.s32.sat.add %r3, %r1, %r2, %r4;", "'.sat' and '.add'"},
    {"vadd2.s32.s32.s32.min %r3, %r1, %r2, %r4;", "no modifier '.min'"},
    {"vadd2.s32.s32.s32 %r3, %tid.x, %r2, %r4;", "takes registers here"},
    {"vadd2.s32.s32.s32 %r3, %f1, %r2, %r4;", "32-bit integer"},
    {"vadd2.s32.s32.s32 %r3, %rd1, %r2, %r4;", "32-bit integer"},
    {"vadd2.s32.s32.s32 _, %r1, %r2, %r4;", "takes registers here"},
    {"vadd2.u32.u32 %r3, %r1, %r2, %r4;", "three types"},
    {"vadd2.b32.u32.u32 %r3, %r1, %r2, %r4;", "no modifier '.b32'"},
    {"vadd4.s32.s32.s32 %r3.b012, %r1, %r2, %r4;", "no mask"},
    {"vadd4.s32.s32.s32 %r3.b33, %r1, %r2, %r4;", "no mask"},
    {"vadd4.s32.s32.s32 %r3.b4, %r1, %r2, %r4;", "no mask"},
    {"vadd4.s32.s32.s32 %r3.h10, %r1, %r2, %r4;", "no mask"},
    {"vadd4.s32.s32.s32 %r3, %r1.b321, %r2, %r4;", "four digits from 0 to 7"},
    {"vadd4.s32.s32.s32 %r3, %r1.b8000, %r2, %r4;", "expected a selector"},
    {"vadd4.s32.s32.s32 %r3, %r1.b32100, %r2, %r4;", "expected a selector"},
    {"vset4.u32.u32.ne.max %r3, %r1, %r2, %r4;", "no modifier '.max'"},
    {"vset4.u32.u32 %r3, %r1, %r2, %r4;", "needs a comparison"},
    {"vset.s32.s32.lt.ge %r3, %r1, %r2;", "'.lt' and '.ge'"},
    {"vset.s32.s32.lt.lt %r3, %r1, %r2;", "'.lt' and '.lt'"},
    {"vadd2.s32.s32.s32.add.add %r3, %r1, %r2, %r4;", "'.add' and '.add'"},
    {"vset.s32.s32.s32.lt %r3, %r1, %r2;", "two types"},
    {"vset.s32.s32.lt.sat %r3, %r1, %r2;", "no modifier '.sat'"},
    {"vset.s32.s32.ltu %r3, %r1, %r2;", "no modifier '.ltu'"},
    {"vadd.s32.s32.s32 %r3.b0, %r1, %r2;", "operand to merge into"},
    {"vadd.s32.s32.s32.add %r3.b0, %r1, %r2, %r4;", "exclude one another"},
    {"vadd.s32.s32.s32.add %r3, %r1, %r2;", "three sources"},
    {"vadd.s32.s32.s32 %r3.h10, %r1, %r2, %r4;", ".b0 to .b3, .h0 or .h1"},
    {"vadd.s32.s32.s32 %r3, %r1.b4, %r2;", ".b0 to .b3, .h0 or .h1"},
    {"vadd.s32.s32.s32 %r3, -%r1, %r2;", "does not negate"},
    {"vadd.s32.s32.s32 %r3, 1.5, %r2;", "integer constants"},
    {"vadd.s32.s32.s32 %r3, %h1.b0, %r2;", "32-bit register"},
    {"vadd.s32.s32.s32 %r3|%p1, %r1, %r2;", "takes registers here"},
    {"vadd.s32.s32.s32.add.min %r3, %r1, %r2, %r4;", "'.add' and '.min'"},
    {"vshl.u32.s32.s32.wrap %r3, %r1, %r2;", "the third type"},
    {"vshl.u32.s32.u32 %r3, %r1, %r2;", ".clamp or .wrap"},
    {"vmad.s32.s32.s32 %r3.b0, %r1, %r2, %r4;", "has no selector"},
    {"vmad.s32.s32.s32 %r3, -%r1, %r2, -%r4;", "not both"},
    {"vmad.s32.s32.s32.po %r3, %r1, %r2, -%r4;", "'.po' and a negated"},
    {"vmad.s32.s32.s32.add %r3, %r1, %r2, %r4;", "no modifier '.add'"},
    {"add.u32 %r3, %r1.b0, %r2;", "selector '.b0'"},
    {"add.u32 %r3.b0, %r1, %r2;", "selector '.b0'"},
    {"mov.u32 %r3, %r1.b3210;", "selector '.b3210'"},
    {"bar.sync %r1.b0;", "selector '.b0'"},
    {"selp.u32 %r3, %r1, %r2, %p1.b0;", "32-bit register"},
    {"ld.global.u32 %r3, [%r1.b0];", "no selector"},
};

CheckResult judge(const std::string& body, Dialect dialect = Dialect::Text)
{
    return checkModule(ptxtest::parse(ptxtest::around(body)), dialect);
}

}  // namespace

TEST_CASE("video instructions: masks, selectors and what goes with them", "[ptx]")
{
    for (const char* text : kLegal) {
        CAPTURE(text);
        for (const Dialect dialect : {Dialect::Text, Dialect::Ptxas}) {
            const CheckResult r = judge(text, dialect);
            CHECK(ptxtest::messages(r.diagnostics).empty());
            CHECK(r.accepted);
        }
    }
    for (const Row& row : kIllegal) {
        CAPTURE(row.text, row.says);
        for (const Dialect dialect : {Dialect::Text, Dialect::Ptxas}) {
            const CheckResult r = judge(row.text, dialect);
            CHECK_FALSE(r.accepted);
            REQUIRE_FALSE(r.diagnostics.empty());
            CAPTURE(r.diagnostics[0].message);
            CHECK(r.diagnostics[0].message.find(row.says) != std::string::npos);
            CHECK(r.diagnostics[0].at.line == 9);
        }
    }
}

TEST_CASE("selectors that the reference assembler takes and ignores", "[ptx]")
{
    const Row rows[]{
        {"mov.b64 %rd1, {%r1.b0, %r2};", "9:16 an element of a vector has no selector"},
        {"vadd.u32.u32.u32 %r3.b01, %r1, %r2;",
         "9:18 '.b01' is no selector of 'vadd': .b0 to .b3, .h0 or .h1"},
        {"vset.u32.u32.eq %r3.b12, %r1, %r2;",
         "9:17 '.b12' is no selector of 'vset': .b0 to .b3, .h0 or .h1"}};
    for (const Row& row : rows) {
        CHECK(judge(row.text, Dialect::Ptxas).accepted);
        CHECK(ptxtest::messages(judge(row.text).diagnostics) == std::vector<std::string>{row.says});
    }
}
