// The format: what is read, and what is refused with its place.
#include "base/input_error.hpp"
#include "catch.hpp"
#include "litmus/explore.hpp"

using namespace gsu;
using namespace gsu::litmus;

namespace {

const std::string kHead =
    "PTX T\n{ x = 0; b @ mbarrier P0 = 1; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n";

std::string refusal(const std::string& text)
{
    try {
        static_cast<void>(parseTest(text, "t.litmus"));
    } catch (const InputError& e) {
        return e.what();
    }
    return "accepted";
}

std::string refusedRow(const std::string& row)
{
    return refusal(kHead + row + "\nexists (x == 1)\n");
}

}  // namespace

TEST_CASE("a test as the published suites write it", "[D-69]")
{
    const Test t =
        parseTest("PTX MP+a-b(c)\n\"a remark\nof two lines\"\nhttps://no.where\n{\nx=0; P1:r0=0; "
                  "P1:r5=-3;\ny @ generic aliases x;\n}\n"
                  " P0@cta 0,gpu 0 | P1@cta 1, gpu 0 ;\n LC00: | ld.acquire.gpu r0, y ;\n"
                  " st.weak x, 1 | beq r0, 0, LC00 ;\n | LC00: ;\n"
                  "locations [x; P1:r5]\nforall (1:r0 = 0 \\/ not (x != 1) /\\ [x] >= -1)",
                  "t");
    CHECK(t.name == "MP+a-b(c)");
    CHECK(t.remarks == std::vector<std::string>{"a remark\nof two lines"});
    REQUIRE(t.threads.size() == 2);
    CHECK(t.threads[1].code.size() == 2);
    CHECK(t.threads[1].code[1].target == 2);
    CHECK(t.asks == Test::Asks::Always);
    CHECK(t.shown.size() == 3);
    CHECK(t.locations[1].root == 0);
    CHECK(t.threads[1].init.size() == 2);
    CHECK(t.threads[1].code[0].text == "ld.acquire.gpu r0, y");
}

TEST_CASE("an empty remark is a remark", "[D-69]")
{
    const Test t =
        parseTest("PTX T\n\"\" \"b\"\n{ }\n P0@cta 0 ;\n st.weak x, 1 ;\nexists (x == 1)", "t");
    CHECK(t.remarks == std::vector<std::string>{"", "b"});
}

TEST_CASE("a test that is cut anywhere is refused with the place where it ends", "[D-69]")
{
    const std::string text =
        "PTX T\n\"a remark\"\n{ x = 0; y @ generic aliases x; b @ mbarrier P0 = 1; P1:r5 = -3; }\n"
        " P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n L: st.weak x, 1 | ld.acquire.gpu r0, y ;\n"
        " bar.sync 1, 2 | bar.sync 1, 2 ;\n atom.relaxed.gpu.add r1, x, 2 | mbarrier.wait.cta b, 0 "
        ";\n"
        " beq r1, 0, L | ;\nlocations [x; P1:r5] exists (P1:r0 == 1 /\\ not (x >= 2))";
    REQUIRE(refusal(text) == "accepted");
    for (std::size_t size = 0; size < text.size(); ++size) {
        INFO(text.substr(0, size));
        CHECK(refusal(text.substr(0, size)).starts_with("t.litmus:"));
    }
}

TEST_CASE("fences of each kind", "[D-69]")
{
    const auto [row, kind, sem, scope] = GENERATE(table<const char*, Kind, Order, Scope>(
        {{"membar.cta", Kind::Fence, Order::Sc, Scope::Cta},
         {"membar.gl", Kind::Fence, Order::Sc, Scope::Gpu},
         {"membar.sys", Kind::Fence, Order::Sc, Scope::Sys},
         {"fence.acq_rel.cluster", Kind::Fence, Order::AcqRel, Scope::Cluster},
         {"fence.acquire.gpu", Kind::Fence, Order::Acquire, Scope::Gpu}}));
    const Test t = parseTest(kHead + " " + row + " | ;\nexists (x == 0)", "t");
    REQUIRE(t.threads[0].code.size() == 1);
    const Instruction& i = t.threads[0].code[0];
    CHECK(i.kind == kind);
    CHECK(i.sem == sem);
    CHECK(i.scope == scope);
    const Test init =
        parseTest(kHead + " fence.mbarrier_init.release.cluster | ;\nexists (x == 0)", "t");
    CHECK(init.threads[0].code.at(0).kind == Kind::MbarrierInitFence);
}

TEST_CASE("comparisons of conditions", "[D-69]")
{
    for (const std::int32_t a : {-2, 1, 2, 3}) {
        CAPTURE(a);
        CHECK(comparesTrue(Math::Eq, a, 2) == (a == 2));
        CHECK(comparesTrue(Math::Ne, a, 2) == (a != 2));
        CHECK(comparesTrue(Math::Lt, a, 2) == (a < 2));
        CHECK(comparesTrue(Math::Le, a, 2) == (a <= 2));
        CHECK(comparesTrue(Math::Gt, a, 2) == (a > 2));
        CHECK(comparesTrue(Math::Ge, a, 2) == (a >= 2));
    }
}

TEST_CASE("what cannot be used is refused with its line and column", "[D-69]")
{
    CHECK(refusal("") == "t.litmus:1:1: a litmus test begins with PTX and its name");
    CHECK(refusal("AArch64 MP\n{}") == "t.litmus:1:1: a litmus test begins with PTX and its name");
    CHECK(refusal("PTX\n{}") == "t.litmus:1:4: the test has no name");
    CHECK(refusal("PTX T\n") == "t.litmus:2:1: expected '{', found the end of the file");
    CHECK(refusal("PTX T\n{ x = ; }") == "t.litmus:2:7: expected a number, found ';'");
    CHECK(refusal("PTX T\n{ x = 0; x = 1; }") == "t.litmus:2:10: 'x' is there twice");
    CHECK(refusal("PTX T\n{ x = &y; }") == "t.litmus:2:7: addresses in memory are not supported");
    CHECK(refusal("PTX T\n{ b @ mbarrier P0; }").find("needs its count") != std::string::npos);
    CHECK(refusal("PTX T\n{ s @ global P0; }").find("none of generic") != std::string::npos);
    CHECK(
        refusal("PTX T\n{ }\n P0@cta 0 | P0@cta 1 ;\n").find("3:13: thread 'P0' is there twice") !=
        std::string::npos);
    CHECK(refusal("PTX T\n{ }\n P0@gpu 0 ;\n").find("expected 'cta'") != std::string::npos);
    CHECK(refusal("PTX T\n{ P7:r0 = 1; }\n P0@cta 0 ;\n st.weak x, 1 ;\nexists (x == 1)") ==
          "t.litmus:2:3: there is no thread 'P7'");
    CHECK(refusal("PTX T\n{ \xff }").find("2:3: this character") != std::string::npos);
    CHECK(refusal("PTX T\n{ (* never ends").find("does not end") != std::string::npos);

    CHECK(refusedRow(" st.weak x, 1 | | ;") ==
          "t.litmus:4:19: the row has more columns than there are threads");
    CHECK(refusedRow(" st.weak x, 1 ").find("does not end with ';'") != std::string::npos);
    CHECK(refusedRow(" frob x, 1 ;") ==
          "t.litmus:4:2: 'frob' is no instruction of litmus tests (see gsu litmus --help)");
    CHECK(refusedRow(" ld.relaxed r0, x ;").find("needs a scope") != std::string::npos);
    CHECK(refusedRow(" ld.release.gpu r0, x ;").find("cannot have this order") !=
          std::string::npos);
    CHECK(refusedRow(" ld.acquire.relaxed.gpu r0, x ;").find("two orders") != std::string::npos);
    CHECK(refusedRow(" ld.weak.v2 r0, x ;").find("'v2' of 'ld.weak.v2' is not supported") !=
          std::string::npos);
    CHECK(refusedRow(" ld.weak 5, x ;").find("4:10: expected a register") != std::string::npos);
    CHECK(refusedRow(" ld.weak r0, [r1] ;").find("addresses in registers") != std::string::npos);
    CHECK(refusedRow(" st.weak x, 99999999999 ;").find("no whole number below 2^31") !=
          std::string::npos);
    CHECK(refusedRow(" atom.relaxed.gpu.nand r0, x, 1 ;").find("names no operation") !=
          std::string::npos);
    CHECK(refusedRow(" fence.gpu ;").find("a fence is") != std::string::npos);
    CHECK(refusedRow(" fence.proxy.mirror ;").find("names none of") != std::string::npos);
    CHECK(refusedRow(" beq r0, 0, NOWHERE ;").find("there is no label 'NOWHERE' in P0") !=
          std::string::npos);
    CHECK(refusedRow(" bar.sync 16 ;").find("a barrier is 0..15") != std::string::npos);
    CHECK(refusedRow(" bar.sync 1, 0 ;").find("1..32 participants") != std::string::npos);
    CHECK(refusedRow(" st.weak b, 1 ;").find("an mbarrier is no data") != std::string::npos);
    CHECK(refusedRow(" mbarrier.arrive x ;").find("'x' is no mbarrier") != std::string::npos);
    CHECK(refusedRow(" | mbarrier.wait b, 0 ;").find("MBAR-020") != std::string::npos);
    CHECK(refusedRow(" st.async x, 1, b ;").find("RASYNC-015") != std::string::npos);

    const std::string row = kHead + " st.weak x, 1 | ld.weak r0, x ;\n";
    CHECK(refusal(row).find("expected exists, ~exists or forall") != std::string::npos);
    CHECK(refusal(row + "exists (P1:x == 1)").find("no register") != std::string::npos);
    CHECK(refusal(row + "exists (y == 1)").find("there is no location 'y'") != std::string::npos);
    CHECK(refusal(row + "exists (x 1)").find("expected a comparison") != std::string::npos);
    CHECK(refusal(row + "exists (x == 1) x").find("nothing may follow") != std::string::npos);
    CHECK(refusal(row + "exists (b == 1)").find("an mbarrier has no value") != std::string::npos);
}

TEST_CASE("a loop that only spins, and a barrier that never completes", "[D-69]")
{
    const Test spin = parseTest("PTX S\n{ x = 0; }\n P0@cta 0 | P1@cta 0 ;\n L: | st.weak x, 1 ;\n "
                                "ld.weak r0, x | ;\n beq r0, 0, L | ;\nforall (P0:r0 == 1)",
                                "s");
    const Machine spins(spin, MemoryForm::Weak);
    const Exploration e = explore(spins, {});
    CHECK(e.complete);
    CHECK(e.verdict == Verdict::Holds);
    CHECK(e.hung == 0);

    const Test hang = parseTest("PTX H\n{ x = 0; }\n P0@cta 0 | P1@cta 0 ;\n bar.sync 1, 2 | "
                                "st.weak x, 1 ;\nexists (x == 1)",
                                "h");
    const Machine hangs(hang, MemoryForm::Weak);
    const Exploration h = explore(hangs, {});
    CHECK(h.hung > 0);
    CHECK(h.seen.empty());
    CHECK_FALSE(h.firstHang.empty());
}

namespace {

/// `count` locations, and a store to the last of them.
std::string manyLocations(unsigned count)
{
    std::string text = "PTX M\n{\n";
    for (unsigned i = 0; i < count; ++i) text += "x" + std::to_string(i) + " = 0;\n";
    const std::string last = "x" + std::to_string(count - 1);
    return text + "}\n P0@cta 0 ;\n st.weak " + last + ", 1 ;\nexists (" + last + " == 1)\n";
}

}  // namespace

TEST_CASE("the last of as many locations as there may be is a location of its own, one more is "
          "refused",
          "[D-69]")
{
    const Test most = parseTest(manyLocations(256), "m");
    const Exploration e = explore(Machine(most, MemoryForm::Weak), {});
    CHECK(e.complete);
    CHECK(e.verdict == Verdict::Seen);
    CHECK(refusal(manyLocations(257)) == "t.litmus:259:1: more than 256 locations");
    std::string text = manyLocations(256);
    text.replace(text.find("x255, 1"), 7, "another, 1");
    CHECK(refusal(text).find("more than 256 locations") != std::string::npos);
}
