// Illegal uses of mbarrier operations: one finding each, by its rule.
#include "catch.hpp"
#include "scenarios/scenario.hpp"

using namespace gsu;
using namespace scenario;

TEST_CASE("generic addresses outside shared memory are reported by the rule of the operation",
          "[MBAR-022][MBAR-042][MBARR-018][MBDROP-020][MBW-025][CPA-008]")
{
    const std::pair<const char*, const char*> cases[] = {
        {"mbarrier.init.b64 [%rd1], 1;", "MBAR-022"},
        {"mbarrier.inval.b64 [%rd1];", "MBAR-022"},
        {"mbarrier.expect_tx.relaxed.cta.b64 [%rd1], 8;", "MBAR-042"},
        {"mbarrier.complete_tx.relaxed.cta.b64 [%rd1], 8;", "MBAR-042"},
        {"mbarrier.arrive.b64 _, [%rd1];", "MBARR-018"},
        {"mbarrier.arrive_drop.b64 _, [%rd1];", "MBDROP-020"},
        {"mbarrier.test_wait.parity.b64 %p3, [%rd1], 0;", "MBW-025"},
        {"mbarrier.try_wait.parity.b64 %p3, [%rd1], 0;", "MBW-025"},
    };
    for (const auto& [text, rule] : cases) {
        CAPTURE(text);
        check({.body = std::string("@%p0 ") + text,
               .expected = {.findings = {rule}, .verdict = Verdict::Misuse}});
    }
}

TEST_CASE("an arrival in a phase while nobody saw the one before complete is reported and changes "
          "nothing",
          "[MBAR-013]")
{
    check({.body = R"(
    @!%p0 bra DONE;
    mbarrier.init.shared::cta.b64 [smem], 1;
    mbarrier.arrive.shared::cta.b64 _, [smem];
    mbarrier.arrive.shared::cta.b64 _, [smem];
DONE:)",
           .expected = {.findings = {"MBAR-013"},
                        .verdict = Verdict::Misuse,
                        .steps = {{{0, 0}, {{1, 1, 0, 0}, {1, 1, 0, 1}, {1, 1, 0, 0}}}}}});
}

TEST_CASE("a state two phases old is reported", "[MBW-010]")
{
    check({.body = R"(
    @!%p0 bra DONE;
    mbarrier.init.shared::cta.b64 [smem], 1;
    mbarrier.arrive.shared::cta.b64 %rd6, [smem];
    mbarrier.test_wait.shared::cta.b64 %p3, [smem], %rd6;
    mbarrier.arrive.shared::cta.b64 %rd7, [smem];
    mbarrier.test_wait.shared::cta.b64 %p3, [smem], %rd7;
    mbarrier.test_wait.shared::cta.b64 %p3, [smem], %rd6;
DONE:)",
           .expected = {.findings = {"MBW-010"}, .verdict = Verdict::Misuse}});
}

TEST_CASE("pending_count of a state that a plain arrive returned is reported", "[MBPC-003]")
{
    check({.body = R"(
    @!%p0 bra DONE;
    mbarrier.init.shared::cta.b64 [smem], 5;
    mbarrier.arrive.shared::cta.b64 %rd6, [smem];
    mbarrier.pending_count.b64 %r10, %rd6;
DONE:)",
           .expected = {.findings = {"MBPC-003"}, .verdict = Verdict::Misuse}});
}
