// How many objects a report of a hang tells; how it names lines and warps.
#include "causes/hang_case.hpp"

namespace gsu::test {
namespace {

/// 34 pairs of warps in three CTAs: of pair k, the even warp waits for mbarrier data[k], the odd one returns before its arrival, by a line of its own.
std::string pairs(unsigned count)
{
    std::string text = R"(mul.lo.u32 %r10, %r61, 16;
shr.u32 %r11, %r2, 1;
add.u32 %r10, %r10, %r11;
and.b32 %r12, %r2, 1;
shl.b32 %r14, %r10, 3;
mov.u32 %r15, data;
add.u32 %r15, %r15, %r14;
@%p15 mbarrier.init.shared::cta.b64 [%r15], 1;
setp.eq.u32 %p2, %r12, 0;
@%p2 bra WAIT;
)";
    for (unsigned k = 0; k < count; ++k)
        text += "setp.eq.u32 %p3, %r10, " + std::to_string(k) + ";\n@%p3 ret;\n";
    return text + R"(mbarrier.arrive.shared::cta.b64 _, [%r15];
ret;
WAIT:
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [%r15], 0;
@!%p7 bra W;
)";
}

}  // namespace

TEST_CASE("32 objects are told", "[causes]")
{
    for (const unsigned count : {31u, 32u, 34u}) {
        std::string text;
        const RunResult r = hangOf({.name = "pairs",
                                    .body = pairs(count),
                                    .kind = "",
                                    .block = {1024, 1, 1},
                                    .grid = {3, 1, 1}},
                                   text);
        CAPTURE(count);
        REQUIRE(r.hang);
        CHECK(r.hang->objects.size() == std::min(count, 32u));
    }
}

TEST_CASE("lines of the source are told beside those of the PTX", "[causes]")
{
    for (const std::string file : {"1", "2"})
        check({"a barrier in file " + file,
               ".file 1 \"tile.cu\"\n.loc " + file + " 42 0\nbarrier.sync 1, 96; //HERE\n",
               "count-too-large",
               {},
               {file == "1" ? "(tile.cu:42)" : "(source:42)"}});
}

TEST_CASE("of many warps the first four are named", "[causes]")
{
    for (const unsigned warps : {3u, 4u, 5u, 9u})
        check({std::to_string(warps) + " warps in a loop",
               "L:\nbra L; //HERE\n",
               "endless-loop",
               [&] {
                   Ids ids;
                   for (unsigned w = 0; w < warps; ++w) ids.emplace_back(0, w);
                   return ids;
               }(),
               {warps == 3   ? "warp 0, warp 1 and warp 2 never"
                : warps == 4 ? "warp 2 and warp 3 never"
                             : "warp 3 and " + std::to_string(warps - 4) + " more never"},
               {warps * 32, 1, 1}});
}

}  // namespace gsu::test
