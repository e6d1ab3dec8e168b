// What the assembler makes of the text: accesses that it joins, branches that become predicates, multiplications that become parts of additions. Each case was
// seen in machine code: ptxas 13.0 for sm_90a, cuobjdump.
#include "exec/decode/contractions.hpp"
#include "exec/decode/joined_accesses.hpp"
#include "exec/decode/predicated_branches.hpp"
#include "ptx/parser.hpp"
#include "timing/bench.hpp"

using namespace gsu;
using namespace gsu::exec;
using namespace gsu::timing::test;

namespace {

/// A kernel of these instructions, behind kBefore of others.
constexpr std::size_t kBefore = 8;
const char* const kHead = R"(.version 8.6
.target sm_90a
.address_size 64
.shared .align 4 .b8 S[4096];
.visible .entry k(.param .u64 p, .param .u32 n)
{
.reg .b32 %r<64>; .reg .f32 %f<64>; .reg .b64 %rd<32>; .reg .pred %p<8>;
mov.u32 %r1, %tid.x;
mov.u32 %r2, S;
shl.b32 %r3, %r1, 4;
add.s32 %r6, %r2, %r3;
shl.b32 %r4, %r1, 3;
add.s32 %r7, %r2, %r4;
ld.param.u32 %r8, [n];
ld.param.u64 %rd2, [p];
)";

struct Text {
    explicit Text(const std::string& text)
        : module(ptx::parseModule(kHead + text + "\nret;\n}\n", "text.ptx"))
    {
        REQUIRE(ptx::firstError(module) == nullptr);
    }
    [[nodiscard]] const ptx::Function& function() const { return module.functions.front(); }
    ptx::Module module;
};

/// What becomes of the accesses of a text: "16" bytes, "-" for a part of another one, "." for one that stays alone.
std::string joined(const std::string& text)
{
    const Text t(text);
    const JoinedAccesses all(t.function());
    std::string found;
    for (std::size_t i = kBefore; i + 1 < t.function().body.size(); ++i) {
        const std::string& name = t.function().body[i].opcode;
        if (name != "ld" && name != "st") continue;
        const JoinedAccess& a = all.of(i);
        if (!found.empty()) found += ' ';
        found += a.part == JoinedAccess::Part::Whole    ? std::to_string(a.bytes)
                 : a.part == JoinedAccess::Part::Within ? "-"
                                                        : ".";
    }
    return found;
}

std::string loads(const std::string& base, std::initializer_list<int> offsets)
{
    std::string text;
    int i = 1;
    for (const int o : offsets) text += fmt::format("ld.shared.f32 %f{}, [{}+{}];\n", i++, base, o);
    return text;
}

std::string stores(std::initializer_list<int> offsets)
{
    std::string text;
    for (const int o : offsets) text += fmt::format("st.shared.f32 [%r6+{}], %f1;\n", o);
    return text;
}

/// Of the branches or additions of a text: a letter for each instruction, "x" where `holds`.
template <class Rule> std::string marked(const std::string& text, const Rule& holds)
{
    const Text t(text);
    std::string found;
    for (std::size_t i = kBefore; i + 1 < t.function().body.size(); ++i)
        found += holds(t.function(), i) ? 'x' : '.';
    return found;
}

std::string predicated(const std::string& text)
{
    return marked(
        text, [](const ptx::Function& f, std::size_t i) { return PredicatedBranches(f).has(i); });
}

std::string vanish(const std::string& text)
{
    return marked(
        text, [](const ptx::Function& f, std::size_t i) { return Contractions(f).vanishes(i); });
}

std::string adds(int count)
{
    std::string text;
    for (int i = 0; i < count; ++i) text += "add.f32 %f1, %f1, %f2;\n";
    return text;
}

}  // namespace

TEST_CASE("low bits of registers, as far as the text tells them", "[assembler]")
{
    const Text t("mul.lo.s32 %r10, %r8, 80;\n"
                 "and.b32 %r11, %r8, -8;\n"
                 "or.b32 %r12, %r11, 5;\n"
                 "xor.b32 %r13, %r10, %r12;\n"
                 "mad.lo.s32 %r14, %r8, 4, 3;\n"
                 "sub.s32 %r15, %r14, 1;\n"
                 "mul.wide.u32 %rd5, %r8, 8;\n"
                 "mov.u32 %r16, 32;\n"
                 "L:\nadd.s32 %r16, %r16, 24;\n"
                 "setp.lt.s32 %p1, %r16, %r8;\n@%p1 bra L;");
    const KnownBits known(t.function());
    const auto of = [&](const char* name) {
        ptx::Operand o;
        o.kind = ptx::Operand::Kind::Register;
        const auto& all = t.function().registers;
        o.index = static_cast<std::uint32_t>(std::ranges::find(all, name, &ptx::Register::name) -
                                             all.begin());
        return known.of(o);
    };
    CHECK(of("%r8") == LowBits{0, 0});
    CHECK(of("%r6") == LowBits{15, 0});
    CHECK(of("%r7") == LowBits{7, 0});
    CHECK(of("%r10") == LowBits{15, 0});
    CHECK(of("%r11") == LowBits{7, 0});
    CHECK(of("%r12") == LowBits{7, 5});
    CHECK(of("%r13") == LowBits{7, 5});
    CHECK(of("%r14") == LowBits{3, 3});
    CHECK(of("%r15") == LowBits{3, 2});
    CHECK(of("%rd5") == LowBits{7, 0});
    CHECK(of("%r16") == LowBits{7, 0});  // 32 and steps of 24
}

TEST_CASE("adjacent loads of shared memory are one where their alignment is known", "[assembler]")
{
    CHECK(joined(loads("%r6", {0, 4, 8, 12})) == "16 - - -");
    CHECK(joined(loads("%r7", {0, 4, 8, 12})) == "8 - 8 -");
    CHECK(joined("shl.b32 %r9, %r1, 2; add.s32 %r9, %r2, %r9;" + loads("%r9", {0, 4})) == ". .");
    CHECK(joined(loads("%r8", {0, 4})) == ". .");
    CHECK(joined(loads("S", {0, 4})) == "8 -");
    CHECK(joined(loads("%r6", {12, 8, 4, 0})) == "16 - - -");
    CHECK(joined(loads("%r6", {0, 4, 12})) == "16 - -");
    CHECK(joined(loads("%r6", {0, 8})) == ". .");
    CHECK(joined(loads("%r6", {4, 8})) == ". .");
    CHECK(joined(loads("%r6", {12, 16})) == ". .");
    CHECK(joined(loads("%r6", {4, 8, 12, 16})) == "16 - - .");
    CHECK(joined("ld.shared.v2.f32 {%f1, %f2}, [%r6]; ld.shared.v2.f32 {%f3, %f4}, [%r6+8];") ==
          "16 -");
    CHECK(joined("ld.global.f32 %f1, [%rd2]; ld.global.f32 %f2, [%rd2+4];") == ". .");
    CHECK(joined("ld.volatile.shared.f32 %f1, [%r6]; ld.volatile.shared.f32 %f2, [%r6+4];") ==
          ". .");
}

TEST_CASE("loads are joined across arithmetic, not across stores, barriers and branches",
          "[assembler]")
{
    const auto with = [](const char* between) {
        return joined(loads("%r6", {0}) + between + loads("%r6", {4}));
    };
    CHECK(with(adds(60).c_str()) == "8 -");
    CHECK(with("st.global.f32 [%rd2], %f1;\n") == "8 . -");
    CHECK(with("shfl.sync.bfly.b32 %r9, %r8, 1, 31, -1;\n") == "8 -");
    CHECK(with("st.shared.f32 [%r6+128], %f1;\n") == ". . .");
    CHECK(with("st.f32 [%rd2], %f1;\n") == ". . .");
    CHECK(with("bar.sync 0;\n") == ". .");
    CHECK(with("bar.warp.sync -1;\n") == ". .");
    CHECK(with("atom.shared.add.u32 %r9, [%r7], 1;\n") == ". .");
    CHECK(with("atom.global.add.u32 %r9, [%rd2], 1;\n") == "8 -");
    CHECK(with("L:\n") == ". .");
    CHECK(with("add.s32 %r6, %r6, 16;\n") == ". .");
    // A vector that is written is another base than a register of it, or a variable.
    const std::string pair = "mov.b64 {%r20, %r21}, %rd2;\n";
    CHECK(joined(loads("S", {0}) + pair + loads("S", {4})) == "8 -");
    CHECK(joined("add.s32 %r20, %r2, %r3;\n" + loads("%r20", {0}) + pair + loads("%r20", {4})) ==
          ". .");
}

TEST_CASE("adjacent stores to shared memory are one, where the last is", "[assembler]")
{
    CHECK(joined(stores({0, 4, 8, 12})) == "- - - 16");
    CHECK(joined(stores({0, 4})) == "- 8");
    CHECK(joined(stores({0, 4, 8})) == "- 8 .");
    CHECK(joined(stores({0, 4, 12})) == "- 8 .");
    CHECK(joined(stores({0}) + "ld.shared.f32 %f2, [%r7];\n" + stores({4})) == ". . .");
    CHECK(joined(stores({0}) + "ld.global.f32 %f2, [%rd2];\n" + stores({4})) == "- . 8");
}

TEST_CASE("a joined access takes one slot, and gives all its values", "[assembler]")
{
    const std::string address = "shl.b32 %r5, %r1, 4; add.u32 %r5, %r5, %r2;";
    const auto four = [](const char* what) {
        return [what](unsigned i) {
            std::string text;
            for (unsigned w = 0; w < 4; ++w)
                text += fmt::format(fmt::runtime(what), 10 + 4 * i + w, 512 * i + 4 * w);
            return text;
        };
    };
    const Body loads = four("ld.shared.u32 %r{}, [%r5+{}];\n"),
               apart = four("ld.volatile.shared.u32 %r{}, [%r5+{}];\n"),
               stores = four("st.shared.u32 [%r5+{1}], %r{0};\n");
    CHECK(slope({"four loads", 1, 0, 0, "", address, loads, 32}, 8, 40) == Approx(1));
    CHECK(slope({"four loads apart", 4, 0, 0, "", address, apart, 32}, 8, 40) == Approx(4));
    CHECK(slope({"four stores", 1, 0, 0, "", address, stores, 32}, 8, 40) == Approx(1));
    const auto second = [](const char* kind) {
        return same(fmt::format("ld{0}.shared.u32 %r6, [%r5]; ld{0}.shared.u32 %r7, [%r5+4];\n"
                                "add.u32 %r8, %r6, %r7; and.b32 %r9, %r8, 0; "
                                "add.u32 %r5, %r9, %r2;",
                                kind));
    };
    const Bench joined{"the second of two", 0, 0, 0, "", "mov.u32 %r5, %r2;", second("")},
        alone{"the same apart", 0, 0, 0, "", "mov.u32 %r5, %r2;", second(".volatile")};
    CHECK(slope(alone, 8, 40) - slope(joined, 8, 40) == Approx(1));
}

/// A store that waits for a load holds the executor; the loads behind it have issued long before.
TEST_CASE("a load that passed a stalled store takes no more time for that", "[assembler]")
{
    const Body copies = [](unsigned i) {
        return fmt::format("ld.global.cg.u32 %r{0}, [%rd2+{1}]; st.shared.u32 [%r2+{1}], %r{0};\n",
                           10 + i, 128 * i);
    };
    const auto rounds = [&](unsigned copiesEach) {
        return static_cast<double>(clocks({"copies", 0, 0, 0, "", "", copies}, copiesEach));
    };
    // Eight of these wait for L2 once, not eight times.
    CHECK(rounds(8) - rounds(1) < 60);
}

TEST_CASE("short forward branches are predicates", "[assembler]")
{
    const auto around = [](const std::string& body) {
        return "@%p1 bra L;\n" + body + "L:\n" + adds(1);
    };
    CHECK(predicated(around(adds(1))) == "x..");
    CHECK(predicated(around(adds(7))) == "x........");
    CHECK(predicated(around(adds(8))) == "..........");
    CHECK(predicated(around("bar.sync 0;\n")) == "...");
    CHECK(predicated("L:\n" + adds(2) + "@%p1 bra L;\n") == "...");
    // Two arms; entered from elsewhere, they are none.
    const std::string arms =
        "@%p1 bra A;\nbra.uni B;\nA:\n" + adds(5) + "bra.uni C;\nB:\n" + adds(5) + "C:\n" + adds(1);
    CHECK(predicated(arms) == "xx.....x......");
    CHECK(predicated("@%p2 bra B;\n" + adds(15) + arms) == std::string(30, '.'));
}

TEST_CASE("a multiplication whose result one addition takes is a part of it", "[assembler]")
{
    CHECK(vanish("mul.f32 %f1, %f2, %f3; sub.f32 %f4, %f1, %f5;") == "x.");
    CHECK(vanish("mul.ftz.f32 %f1, %f2, %f3; add.ftz.f32 %f4, %f5, %f1;") == "x.");
    CHECK(vanish("mul.rn.f32 %f1, %f2, %f3; add.f32 %f4, %f1, %f5;") == "..");
    CHECK(vanish("mul.f32 %f1, %f2, %f3; add.rn.f32 %f4, %f1, %f5;") == "..");
    CHECK(vanish("mul.f32 %f1, %f2, %f3; add.f32 %f4, %f1, %f5; add.f32 %f6, %f1, %f5;") == "...");
    CHECK(vanish("mul.f32 %f1, %f2, %f3;\nL:\nadd.f32 %f4, %f1, %f5;") == "..");
    CHECK(vanish("mul.lo.s32 %r9, %r1, %r8; add.s32 %r10, %r9, %r2;") == "x.");
    CHECK(vanish("shl.b32 %r9, %r1, 3; add.s32 %r10, %r9, %r2;") == "x.");
    CHECK(vanish("mul.wide.s32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3;") == "x.");
    CHECK(vanish("mul.lo.s32 %r9, %r1, %r8; sub.s32 %r10, %r9, %r2;") == "..");
}
