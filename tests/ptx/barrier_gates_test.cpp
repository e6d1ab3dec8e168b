// Version and target gates of the barrier families: refused below, accepted at the gate, by the rule that sets it.
#include "ptx/check.hpp"
#include "ptx/sync_form.hpp"
#include "support.hpp"

using namespace gsu::ptx;

namespace {

struct Gate {
    const char* rule;
    const char* text;
    const char *below[2], *at[2];  ///< target, version
};

bool accepted(const char* text, const char* const (&gate)[2])
{
    return checkModule(ptxtest::parse(ptxtest::around(text, gate[0], gate[1]))).accepted;
}

}  // namespace

TEST_CASE("barrier forms are refused below their gate and accepted at it",
          "[ptx][BAR-035][BAR-037][BWS-008][BWS-009][CLU-019][CLU-020][GEN-006]")
{
    const Gate gates[] = {
        {"BAR-035", "barrier.sync 1;", {"sm_70", "5.0"}, {"sm_70", "6.0"}},
        {"BAR-035", "bar.cta.sync 1;", {"sm_70", "7.7"}, {"sm_70", "7.8"}},
        {"BAR-037", "barrier.sync 1;", {"sm_20", "6.0"}, {"sm_30", "6.0"}},
        {"BWS-008", "bar.warp.sync 0xffffffff;", {"sm_70", "5.0"}, {"sm_70", "6.0"}},
        {"BWS-009", "bar.warp.sync 0xffffffff;", {"sm_20", "6.0"}, {"sm_30", "6.0"}},
        {"CLU-019", "barrier.cluster.arrive.relaxed;", {"sm_90", "7.8"}, {"sm_90", "8.0"}},
        {"CLU-019", "barrier.cluster.wait.acquire;", {"sm_90", "7.8"}, {"sm_90", "8.0"}},
        {"CLU-020", "barrier.cluster.arrive;", {"sm_89", "8.0"}, {"sm_90", "8.0"}},
        {"CLU-020", "barrier.cluster.wait;", {"sm_80", "8.0"}, {"sm_90", "8.0"}},
    };
    for (const Gate& gate : gates) {
        CAPTURE(gate.rule, gate.text, gate.below[0], gate.below[1], gate.at[0], gate.at[1]);
        CHECK_FALSE(accepted(gate.text, gate.below));
        CHECK(accepted(gate.text, gate.at));
    }
}

TEST_CASE("only arrive and wait exist on a cluster barrier", "[ptx][CLU-001]")
{
    for (const char* text : {"barrier.cluster.sync;", "barrier.cluster.red.popc.u32 %r1, %p1;",
                             "bar.cluster.arrive;"}) {
        CAPTURE(text);
        CHECK_FALSE(checkModule(ptxtest::parse(ptxtest::around(text))).accepted);
    }
}

TEST_CASE("cluster arrive is release and wait is acquire where nothing is written",
          "[ptx][CLU-021]")
{
    const auto sem = [](const char* text) {
        const Module module = ptxtest::parse(ptxtest::around(text));
        REQUIRE(module.ok());
        const auto decoded = decodeSync(module.functions.at(0).body.at(0));
        REQUIRE(decoded);
        return decoded->sem;
    };
    CHECK(sem("barrier.cluster.arrive;") == sem("barrier.cluster.arrive.release;"));
    CHECK(sem("barrier.cluster.wait;") == sem("barrier.cluster.wait.acquire;"));
    CHECK(sem("barrier.cluster.arrive;") != sem("barrier.cluster.arrive.relaxed;"));
}
