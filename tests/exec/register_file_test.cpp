// Registers of a warp: zero when they come, kept when more of them come, small and with pages of their own.
#include <algorithm>
#include <span>

#include "catch.hpp"
#include "exec/warps/register_file.hpp"
#include "harness.hpp"

using namespace gsu;
using namespace gsu::test;

TEST_CASE("registers are zero when they come and keep what they hold when more come")
{
    exec::RegisterFile file;
    CHECK(file.size() == 0);
    std::size_t before = 0;
    for (const std::size_t cells :
         {32u, 64u, 2048u, 8192u, 131072u}) {  // the last two with pages of their own
        file.grow(cells);
        REQUIRE(file.size() == cells);
        CHECK(std::all_of(file.begin() + before, file.begin() + cells,
                          [](std::uint64_t cell) { return cell == 0; }));
        for (std::size_t i = 0; i < before; ++i) REQUIRE(file[i] == i + 1);
        for (std::size_t i = before; i < cells; ++i) file[i] = i + 1;
        before = cells;
    }
    file.grow(32);
    CHECK(file.size() == 131072);
    const std::uint64_t* const cells = file.data();
    exec::RegisterFile other = std::move(file);
    CHECK(other.data() == cells);
    CHECK(other[131071] == 131072);
}

TEST_CASE("registers that were cleared are zero when they come again")
{
    for (const std::size_t cells : {64u, 8192u}) {  // the last with pages of their own
        exec::RegisterFile file;
        file.grow(cells);
        for (std::uint64_t& cell : std::span(file.data(), cells)) cell = 5;
        file.clear();
        CHECK(file.size() == 0);
        file.grow(cells);
        REQUIRE(file.size() == cells);
        CHECK(std::all_of(file.begin(), file.begin() + cells,
                          [](std::uint64_t cell) { return cell == 0; }));
    }
}

TEST_CASE("a kernel of few or thousands of registers reads zero from those it never wrote")
{
    const auto many = GENERATE(std::string("40"), std::string("4000"));
    const std::string last = "%many" + std::to_string(std::stoi(many) - 1);
    const Kernel k{".param .u64 out",
                   ".reg .b32 %many<" + many +
                       ">; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 "
                       "%rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; mov.u32 %many3, 7; add.u32 %r2, "
                       "%many3, " +
                       last + "; st.global.u32 [%rd1], %r2; mov.u32 " + last + ", 9; ret;"};
    LaunchSpec spec;
    spec.params = {buffer(std::vector<std::uint32_t>(64))};
    spec.block = {32, 1, 1};
    spec.grid = {300, 1, 1};  // warps take the place of others
    const Outcome outcome = run(k.text(), spec, RunOptions{});
    REQUIRE(outcome.result.verdict == Verdict::Pass);
    CHECK(outcome.as<std::uint32_t>(0)[31] == 7);
}
