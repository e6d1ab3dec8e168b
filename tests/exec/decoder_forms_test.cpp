// What the decoder makes of single instructions beside their results: order, fences, classes of time, and what it refuses.
#include "catch.hpp"
#include "exec/decoded.hpp"
#include "exec/ops/mem_ops.hpp"

using namespace gsu;
using namespace gsu::test;
using exec::Class;
using exec::Kind;
using exec::Row;

TEST_CASE("multimem is strong unless it is said to be weak, and its release is a fence before it",
          "[multimem]")
{
    const struct {
        const char* text;
        bool strong, releases;
    } rows[]{
        {"multimem.ld_reduce.weak.global.add.u32 %r1, [%rd1];", false, false},
        {"multimem.ld_reduce.relaxed.gpu.global.add.u32 %r1, [%rd1];", true, false},
        {"multimem.st.weak.global.u32 [%rd1], %r1;", false, false},
        {"multimem.st.relaxed.gpu.global.u32 [%rd1], %r1;", true, false},
        {"multimem.st.release.gpu.global.u32 [%rd1], %r1;", true, true},
        {"multimem.red.relaxed.gpu.global.add.u32 [%rd1], %r1;", true, false},
        {"multimem.red.release.gpu.global.add.u32 [%rd1], %r1;", true, true},
    };
    for (const auto& row : rows) {
        INFO(row.text);
        const Decoded d(std::string("mov.u32 %r1, 0;\n") + row.text);
        REQUIRE(d.refused().empty());
        CHECK(d.op().order.strong == row.strong);
        CHECK((d.before().kind == Kind::Sync) == row.releases);
    }
}

TEST_CASE("divisions, roots and transcendental functions are of the class of special functions")
{
    for (const char* const name :
         {"div.rn.f32 %f1, %f2, %f3;", "rcp.rn.f32 %f1, %f2;", "sqrt.rn.f32 %f1, %f2;",
          "rsqrt.approx.f32 %f1, %f2;", "sin.approx.f32 %f1, %f2;", "cos.approx.f32 %f1, %f2;",
          "lg2.approx.f32 %f1, %f2;", "ex2.approx.f32 %f1, %f2;", "tanh.approx.f32 %f1, %f2;",
          "rcp.rn.f64 %fd1, %fd2;"}) {
        INFO(name);
        CHECK(Decoded(name).op().cls == Class::Sfu);
    }
    CHECK(Decoded("fma.rn.f32 %f1, %f2, %f3, %f4;").op().cls == Class::Alu);
    CHECK(Decoded("fma.rn.f64 %fd1, %fd2, %fd3, %fd4;").op().cls == Class::Wide);
}

TEST_CASE("alloca takes a power of two as alignment, 1 as well, and nothing else")
{
    for (const char* const alignment : {"1", "2", "64"}) {
        INFO(alignment);
        CHECK(Decoded(std::string("alloca.u64 %rd1, %rd2, ") + alignment + ";").refused().empty());
    }
    for (const char* const alignment : {"0", "3", "96"}) {
        INFO(alignment);
        const std::string refused =
            Decoded(std::string("alloca.u64 %rd1, %rd2, ") + alignment + ";").refused();
        CHECK(refused.starts_with("alloca.u64 ("));
    }
}

TEST_CASE("a tensor copy whose map is a local variable is refused by name")
{
    const std::string copy = "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [";
    const Decoded local(".local .align 64 .b8 map[128];\n" + copy + "map, {%r1}];");
    CHECK(local.refused().find("(tensor map in local memory)") != std::string::npos);
    CHECK(Decoded(copy + "%rd1, {%r1}];").refused().empty());
}

TEST_CASE("a wait by state knows the registers that its state came through")
{
    const auto states = [](const std::string& between) {
        const Decoded d("mbarrier.arrive.shared.b64 %rd1, [%r1];\n" + between +
                        "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd2;");
        const bool third = between.find("%rd3") != std::string::npos;
        const Row rows[]{d.rowOf("%rd1"), d.rowOf("%rd2"), third ? d.rowOf("%rd3") : exec::kNoRow};
        std::string text;
        for (const Row r : d.sync().states)
            for (unsigned i = 0; i < 3; ++i)
                if (rows[i] == r) text += std::to_string(i + 1);
        return text;
    };
    CHECK(states("mov.b64 %rd2, %rd1;\n") == "21");
    CHECK(states("mov.b64 %rd3, %rd1;\nmov.b64 %rd2, %rd3;\n") == "231");
    CHECK(states("add.u64 %rd2, %rd1, 1;\n").empty());
    CHECK(states("mov.b64 %rd2, 5;\n").empty());
}

TEST_CASE("a warp does not wait for the answer to an arrive whose state nobody reads")
{
    const std::string arrive = "mbarrier.arrive.shared.b64 %rd1, [%r1];\n";
    CHECK(Decoded(arrive, "hopper").timed(0).goesOn);
    CHECK_FALSE(Decoded(arrive + "add.u64 %rd2, %rd1, 1;", "hopper").timed(0).goesOn);
    CHECK_FALSE(
        Decoded(arrive + "st.shared.v2.u64 [%r2], {%rd3, %rd1};", "hopper").timed(0).goesOn);
}

TEST_CASE("the footprint of an access alone is its own, of joined ones that of the whole")
{
    const Decoded alone("ld.shared.u32 %r2, [%r1+4];\n", "hopper");
    CHECK(alone.timed(0).what.footprint.bytes == 4);
    CHECK(alone.timed(0).what.footprint.offset == 4);
    CHECK(alone.timed(0).shift == 0);
    const Decoded four("mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 4;\n"
                       "ld.shared.u32 %r2, [%r1+4];\nld.shared.u32 %r3, [%r1];\n"
                       "ld.shared.u32 %r4, [%r1+8];\nld.shared.u32 %r5, [%r1+12];\n",
                       "hopper");
    CHECK(four.timed(2).whole == 16);
    CHECK(four.timed(2).what.footprint.bytes == 16);
    CHECK(four.timed(2).what.footprint.offset == 0);
    CHECK(four.timed(3).within);
}
