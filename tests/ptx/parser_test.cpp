#include "base/input_error.hpp"
#include "ptx/printer.hpp"
#include "support.hpp"

using namespace gsu::ptx;
using ptxtest::around;
using ptxtest::messages;
using ptxtest::parse;

namespace {

const Operand& operandOf(const Module& m, std::size_t instruction, std::size_t operand)
{
    REQUIRE(messages(m.diagnostics) == std::vector<std::string>{});
    REQUIRE(m.functions.size() >= 1);
    return m.functions.back().body.at(instruction).operands.at(operand);
}

std::int64_t constant(const std::string& expression)
{
    const Module m = parse(around("mov.b64 %rd1, " + expression + ";"));
    CAPTURE(expression);
    return operandOf(m, 0, 1).integer;
}

}  // namespace

TEST_CASE("module header, parameters and performance directives", "[ptx]")
{
    const Module m = parse(
        ".version 8.7\n.target sm_100a, debug\n.address_size 64\n"
        ".file 1 \"a.cu\"\n"
        ".extern .shared .align 16 .b8 dyn[];\n"
        ".visible .entry k(.param .u64 .ptr .global .align 16 p0, .param .align 8 .b8 p1[24])\n"
        ".reqntid 64, 2\n.maxntid 128\n.minnctapersm 2\n.maxnreg "
        "40\n.explicitcluster\n.reqnctapercluster 4, 1, 1\n"
        "{\n.reg .b32 %r<3>;\n.loc 1 17 3, function_name $L__x, inlined_at 1 20 5\nmov.u32 %r2, "
        "%tid.x;\n}\n");
    REQUIRE(messages(m.diagnostics) == std::vector<std::string>{});
    CHECK(m.versionMajor == 8);
    CHECK(m.versionMinor == 7);
    CHECK(m.target == "sm_100a");
    CHECK(m.targetOptions == std::vector<std::string>{"debug"});
    REQUIRE(m.variables.size() == 1);
    CHECK(m.variables[0].external);
    CHECK(m.variables[0].bytes == 0);
    CHECK(m.variables[0].align == 16);
    const Function& f = *m.find("k");
    CHECK(f.entry);
    CHECK(f.visible);
    REQUIRE(f.params.size() == 2);
    CHECK(f.params[0].pointsTo == Space::Global);
    CHECK(f.params[1].bytes == 24);
    CHECK((f.reqntid == std::array<std::uint32_t, 3>{64, 2, 1}));
    CHECK((f.maxntid == std::array<std::uint32_t, 3>{128, 1, 1}));
    CHECK((f.reqnctapercluster == std::array<std::uint32_t, 3>{4, 1, 1}));
    CHECK(f.minnctapersm == 2u);
    CHECK(f.maxnreg == 40u);
    CHECK(f.explicitcluster);
    REQUIRE(f.body.size() == 1);
    CHECK(f.body[0].sourceFile == 1);
    CHECK(f.body[0].sourceLine == 17);
    REQUIRE(f.registers.size() == 1);
    CHECK(f.registers[0].name == "%r2");
}

TEST_CASE("every operand form", "[ptx][GEN-002][GEN-008][GEN-009][GEN-011]")
{
    const Module m = parse(around("@!%p1 st.shared.v2.b32 [smem+4], {%r1, %r2};\n"
                                  "setp.eq.s32 %p1|%p2, %r1, -3;\n"
                                  "ld.global.b32 %r1, [%rd1+-8];\n"
                                  "mov.u64 %rd1, smem+16;\n"
                                  "mov.f32 %f1, 0f3F800000;\n"
                                  "atom.shared.add.u32 _, [64], %r1;\n"
                                  "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
                                  "complete_tx::bytes [smem], [%rd1, "
                                  "{%r1, %r2}], [mb];\n"
                                  "mov.u32 %r1, WARP_SZ;\n"
                                  "vote.sync.all.pred %p1, !%p2, -1;\n"));
    CHECK(m.functions[0].body[0].guard.negated);
    const Operand& store = operandOf(m, 0, 0);
    CHECK(store.kind == Operand::Kind::Address);
    CHECK(store.elements[0].name == "smem");
    CHECK(store.offset == 4);
    CHECK(operandOf(m, 0, 1).elements.size() == 2);
    CHECK(operandOf(m, 1, 0).kind == Operand::Kind::Pair);
    CHECK(operandOf(m, 1, 2).integer == -3);
    CHECK(operandOf(m, 2, 1).offset == -8);
    CHECK(operandOf(m, 3, 1).kind == Operand::Kind::Symbol);
    CHECK(operandOf(m, 3, 1).offset == 16);
    CHECK(operandOf(m, 4, 1).integer == 0x3f800000);
    CHECK(operandOf(m, 4, 1).type == Type::F32);
    CHECK(operandOf(m, 5, 0).kind == Operand::Kind::Sink);
    CHECK(operandOf(m, 5, 1).elements[0].integer == 64);
    CHECK(operandOf(m, 6, 1).elements[1].kind == Operand::Kind::Vector);
    CHECK(operandOf(m, 7, 1).integer == 32);
    CHECK(operandOf(m, 8, 1).negated);
}

TEST_CASE("constant expressions", "[ptx]")
{
    CHECK(constant("1+2*3") == 7);
    CHECK(constant("(1+2)*3") == 9);
    CHECK(constant("7%3") == 1);
    CHECK(constant("-7/2") == -3);
    CHECK(constant("1<<4|3") == 19);
    CHECK(constant("~0") == -1);
    CHECK(constant("!5") == 0);
    CHECK(constant("3>2 ? 10 : 20") == 10);
    CHECK(constant("(.u64)-1 > 0") == 1);
    CHECK(constant("(.s64)0xffffffffffffffff < 0") == 1);
    CHECK(constant("0x8000000000000000/-1U") == 0);
    CHECK(constant("(-9223372036854775807-1)/-1") == std::numeric_limits<std::int64_t>::min());
    CHECK(constant("1<<64") == 0);
    CHECK(constant("WARP_SZ*2") == 64);
}

TEST_CASE("initialisers: nested braces, floats, addresses, masks", "[ptx]")
{
    const Module m = parse(".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".global .b32 g[4];\n"
                           ".global .u16 a[2][3] = {{1, 2}, {3}};\n"
                           ".const .f32 f[] = {1.0, 0f40000000, 3};\n"
                           ".global .u64 p[3] = {g+4, generic(g)-8, 5};\n"
                           ".global .u8 b[2] = {0xff(g), 0xff00(g+1)};\n"
                           ".global .align 16 .v4 .f32 v = {1.0, 2.0};\n"
                           ".global .s8 s = -1;\n");
    REQUIRE(messages(m.diagnostics) == std::vector<std::string>{});
    const auto& v = m.variables;
    CHECK((v[1].init == std::vector<std::uint8_t>{1, 0, 2, 0, 0, 0, 3, 0}));
    CHECK(v[1].bytes == 12);
    CHECK(v[2].bytes == 12);
    CHECK((v[2].init ==
           std::vector<std::uint8_t>{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40}));
    REQUIRE(v[3].relocations.size() == 2);
    CHECK(v[3].relocations[0].addend == 4);
    CHECK_FALSE(v[3].relocations[0].generic);
    CHECK(v[3].relocations[1].generic);
    CHECK(v[3].relocations[1].addend == -8);
    CHECK(v[3].init[16] == 5);
    CHECK(v[4].relocations[1].mask == 0xff00);
    CHECK(v[5].bytes == 16);
    CHECK(v[6].init == std::vector<std::uint8_t>{255});
}

TEST_CASE("scopes: registers, variables and labels are renamed apart", "[ptx]")
{
    const Module m =
        parse(around("{ .reg .b32 t; .param .b32 q; mov.u32 t, 1; L: bra L; }\n"
                     "{ .reg .b64 t; .param .b32 q; mov.u64 t, 2; L: bra L; bra OUT; }\n"
                     "OUT:"));
    REQUIRE(messages(m.diagnostics) == std::vector<std::string>{});
    const Function& f = m.functions[0];
    CHECK(f.registers.size() == 2);
    CHECK(f.registers[0].name != f.registers[1].name);
    CHECK(f.registers[1].type == Type::B64);
    REQUIRE(f.labels.size() == 3);
    CHECK(f.labels[0].name != f.labels[1].name);
    CHECK(f.body[1].operands[0].name == f.labels[0].name);
    CHECK(f.body[3].operands[0].name == f.labels[1].name);
    CHECK(f.body[4].operands[0].name == "OUT");
    CHECK(f.labels[2].target == 5);
    REQUIRE(f.locals.size() == 4);
    CHECK(f.locals[2].name != f.locals[3].name);
}

TEST_CASE("calls, prototypes and branch tables", "[ptx]")
{
    const Module m = parse(".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".func (.param .b32 r) f(.param .b32 a);\n"
                           ".func (.param .b32 r) f(.param .b32 a)\n{\n.reg .b32 %x;\nld.param.b32 "
                           "%x, [a];\nst.param.b32 [r], %x;\nret;\n}\n"
                           ".entry k()\n{\n.reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
                           "{\n.param .b32 p0;\n.param .b32 rv;\ncall.uni (rv), f, (p0);\n"
                           "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (rv), "
                           "%rd1, (p0), proto;\n}\n"
                           "brx.idx %r1, ts;\nA: ret;\nB: ret;\nts: .branchtargets A, B;\n}\n");
    REQUIRE(messages(m.diagnostics) == std::vector<std::string>{});
    REQUIRE(m.functions.size() == 2);
    CHECK(m.functions[0].defined);
    const Function& k = *m.find("k");
    REQUIRE(k.body[0].operands.size() == 3);
    CHECK(k.body[0].operands[0].kind == Operand::Kind::List);
    CHECK(k.body[0].operands[1].name == "f");
    CHECK(k.body[1].operands[3].name == "proto");
    REQUIRE(k.tables.size() == 2);
    CHECK(k.tables[0].params.size() == 1);
    CHECK((k.tables[1].entries == std::vector<std::string>{"A", "B"}));
}

TEST_CASE("odd but legal text", "[ptx]")
{
    const Module m = parse(".version 9.0\n.target sm_90\n.address_size 64\n"
                           ".weak .func (.reg .b32 r) old(.reg .b32 a) { mov.b32 r, a; ret; }\n"
                           ".alias other, old;\n"
                           ".section .debug_str { info: .b8 1,2,3\n .b32 .debug_abbrev+4 }\n"
                           ".entry k() .noreturn .pragma \"nounroll\"; { .reg .v4 .f32 v; .reg "
                           ".b32 %r1<3>; .pragma \"used\"; "
                           "mov.f32 v.x, v.w; mov.b32 %r12, %r10; vadd.s32.u32.s32 %r10, %r11.b0, "
                           "%r12.h1; ; ret; }\n");
    REQUIRE(messages(m.diagnostics) == std::vector<std::string>{});
    CHECK(m.aliases.size() == 1);
    const Function& k = *m.find("k");
    CHECK(k.noreturn);
    CHECK(k.registers.size() == 4 + 3);
    CHECK(k.body[0].operands[1].index == 3);
    CHECK(k.body[2].operands[1].name == "b0");
}

TEST_CASE("a newer version and unknown directives are warnings", "[ptx]")
{
    const Module m =
        parse(".version 9.7\n.target sm_130\n.address_size 64\n.entry k() .shinynew 4, 5 { ret; }\n"
              ".global .attribute(.managed, .unified(1, 2)) .b32 x;\n");
    CHECK(m.ok());
    REQUIRE(m.diagnostics.size() == 3);
    CHECK(m.diagnostics[0].severity == Diagnostic::Severity::Warning);
    CHECK(m.diagnostics[1].message.find(".shinynew") != std::string::npos);
}

TEST_CASE("unreadable files are InputError", "[ptx]")
{
    CHECK_THROWS_AS(parseFile("no/such/file.ptx"), gsu::InputError);
    CHECK_THROWS_AS(parseFile("."), gsu::InputError);
    CHECK(std::string(gsu::InputError("a.ptx", 3, 4, "bad").what()) == "a.ptx:3:4: bad");
    CHECK(std::string(gsu::InputError("a.ptx", "bad").what()) == "a.ptx: bad");
}
