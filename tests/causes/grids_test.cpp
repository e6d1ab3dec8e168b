// Launches that wait for each other, and tensor memory that nobody frees.
#include "causes/hang_case.hpp"

namespace gsu::test {
namespace {

const std::string kPoll = R"(S:
ld.acquire.gpu.global.u32 %r4, [%rd1]; //POLL
setp.eq.u32 %p2, %r4, 0;
@%p2 bra S;
)";
const std::string kSignal = "griddepcontrol.launch_dependents;";

}  // namespace

TEST_CASE("grid-not-signalled", "[causes]")
{
    HangCase c{
        .name = "CTA 0 has signalled, CTA 1 has ended, CTA 2 polls first",
        .body =
            "setp.eq.u32 %p3, %r61, 1;\n@%p3 ret;\nsetp.eq.u32 %p3, %r61, 0;\n@%p3 bra SIGNAL;\n" +
            kPoll + "SIGNAL:\n" + kSignal + " //HERE\n" + kPoll,
        .kind = "grid-not-signalled",
        .says = {"1 grid after this one may not begin: 2 of its 3 CTAs have signalled or ended"},
        .block = {32, 1, 1},
        .grid = {3, 1, 1},
        .behind = 1};
    c.body = replaced(
        c.body, "SIGNAL:\n" + kSignal + " //HERE\nS:", "SIGNAL:\n" + kSignal + " //HERE\nS2:");
    c.body = c.body.substr(0, c.body.rfind("bra S;")) + "bra S2;\n";
    check(c);
    check({.name = "no instruction signals",
           .body = replaced(kPoll, "//POLL", "//HERE"),
           .kind = "grid-not-signalled",
           .says = {"2 grids after this one may not begin: 0 of its 1 CTAs",
                    "there is no griddepcontrol.launch_dependents"},
           .behind = 2});
    check({.name = "who polls has signalled",
           .body = kSignal + "\n" + replaced(kPoll, "//POLL", "//HERE"),
           .kind = "flag-not-set",
           .culprits = {{0, 0}},
           .says = {"nobody writes it"},
           .behind = 1});
    check({.name = "a word of shared memory, which no other grid sees",
           .body = "S:\nld.volatile.shared.u32 %r4, [word]; //HERE\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 "
                   "bra S;\n" +
                   kSignal,
           .kind = "flag-not-set",
           .culprits = {{0, 0}},
           .behind = 1});
    check({.name = "a launch before it does not end",
           .body = "griddepcontrol.wait; //HERE\n" + kSignal + "\n",
           .kind = "grid-not-signalled",
           .says = {"the grids before this one do not end", "of this grid of 2 CTAs"},
           .grid = {2, 1, 1},
           .gridsBefore = true});
}

TEST_CASE("columns of tensor memory that nobody frees", "[causes]")
{
    const auto alloc = [](const std::string& columns) {
        return "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [word], " + columns +
               "; //HERE\n";
    };
    HangCase c{
        .name = "a second allocation beside all columns",
        .body = alloc("512") + alloc("32"),
        .kind = "unknown",
        .says =
            {"columns of tensor memory are not free, and the recorded history does not show why"},
        .block = {32, 1, 1}};
    c.target = "sm_100a";
    check(c);
}

}  // namespace gsu::test
