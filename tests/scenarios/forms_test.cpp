// Forms of the mbarrier instructions that the text takes and refuses, by the rule that says so; gates of version and target.
#include "catch.hpp"
#include "ptx/check.hpp"
#include "ptx/support.hpp"

using namespace gsu::ptx;

namespace {

struct Form {
    const char* rule;
    bool accepted;
    const char* text;
    const char *target{"sm_90"}, *version{"8.6"};
};

void checkAll(const std::vector<Form>& forms)
{
    for (const Form& f : forms) {
        CAPTURE(f.rule, f.text, f.target, f.version);
        CHECK(checkModule(ptxtest::parse(ptxtest::around(f.text, f.target, f.version))).accepted ==
              f.accepted);
    }
}

}  // namespace

TEST_CASE("forms of mbarrier.init and inval", "[ptx][MBAR-017][MBAR-024][MBAR-025][MBAR-026]")
{
    checkAll({
        {"MBAR-017", true, "mbarrier.init.b64 [%rd1], %r1;"},
        {"MBAR-017", true, "mbarrier.init.shared.b64 [mb], 4;"},
        {"MBAR-017", true, "mbarrier.init.shared::cta.b64 [mb], 4;"},
        {"MBAR-017", false, "mbarrier.init.shared.b64 [mb];"},
        {"MBAR-017", false, "mbarrier.init.shared.b32 [mb], 4;"},
        {"MBAR-017", false, "mbarrier.init.shared [mb], 4;"},
        {"MBAR-017", false, "mbarrier.init.shared.b64 %rd1, [mb], 4;"},
        {"MBAR-017", false, "mbarrier.init.relaxed.cta.shared.b64 [mb], 4;"},
        {"MBAR-017", false, "mbarrier.init.shared.b64 [mb], %rd1;"},
        {"MBAR-024", false, "mbarrier.init.shared.b64 [mb], 4;", "sm_80", "6.5"},
        {"MBAR-024", true, "mbarrier.init.shared.b64 [mb], 4;", "sm_80", "7.0"},
        {"MBAR-024", false, "mbarrier.init.shared::cta.b64 [mb], 4;", "sm_80", "7.7"},
        {"MBAR-024", true, "mbarrier.init.shared::cta.b64 [mb], 4;", "sm_80", "7.8"},
        {"MBAR-025", false, "mbarrier.init.shared.b64 [mb], 4;", "sm_75", "7.8"},
        {"MBAR-025", false, "mbarrier.inval.shared.b64 [mb];", "sm_75", "7.8"},
        {"MBAR-025", true, "mbarrier.inval.shared.b64 [mb];", "sm_80", "7.8"},
        {"MBAR-026", true, "mbarrier.inval.b64 [%rd1];"},
        {"MBAR-026", false, "mbarrier.inval.shared.b64 [mb], 1;"},
        {"MBAR-026", false, "mbarrier.inval.shared [mb];"},
        {"MBAR-026", false, "mbarrier.inval.shared.b32 [mb];"},
        {"MBAR-026", false, "mbarrier.inval.shared::cluster.b64 [%r1];"},
    });
}

TEST_CASE("forms of expect_tx and complete_tx", "[ptx][MBAR-030][MBAR-035][MBAR-043]")
{
    for (const std::string op : {"expect_tx", "complete_tx"}) {
        const auto form = [&](bool accepted, const std::string& rest, const char* target = "sm_90",
                              const char* version = "8.6") {
            const std::string text = "mbarrier." + op + rest;
            checkAll({{op == "expect_tx" ? "MBAR-030" : "MBAR-035", accepted, text.c_str(), target,
                       version}});
        };
        form(true, ".b64 [%rd1], 16;");
        form(true, ".relaxed.cta.shared::cta.b64 [mb], %r1;");
        form(true, ".relaxed.cluster.shared::cluster.b64 [%r1], 16;");
        form(false, ".release.cta.shared::cta.b64 [mb], 16;");
        form(false, ".acquire.cta.shared::cta.b64 [mb], 16;");
        form(false, ".relaxed.gpu.shared::cta.b64 [mb], 16;");
        form(false, ".relaxed.cta.shared::cta.b32 [mb], 16;");
        form(false, ".relaxed.cta.shared::cta.b64 [mb];");
        form(false, ".relaxed.cta.shared::cta.b64 %rd1, [mb], 16;");
        form(false, ".relaxed.cta.global.b64 [gbl], 16;");
        form(false, ".shared.b64 [mb], 16;", "sm_90", "7.8");  // MBAR-043
        form(true, ".shared.b64 [mb], 16;", "sm_90", "8.0");
        form(false, ".shared.b64 [mb], 16;", "sm_80", "8.0");
    }
}

TEST_CASE(
    "forms of mbarrier.arrive",
    "[ptx][MBARR-001][MBARR-002][MBARR-005][MBARR-007][MBARR-008][MBARR-009][MBARR-010][MBARR-012]"
    "[MBARR-013][MBARR-015][MBARR-016]")
{
    checkAll({
        {"MBARR-001", true, "mbarrier.arrive.shared.b64 %rd1, [mb];"},
        {"MBARR-001", false, "mbarrier.arrive.shared.b64 [mb];"},
        {"MBARR-001", false, "mbarrier.arrive.shared.b32 %rd1, [mb];"},
        {"MBARR-001", false, "mbarrier.arrive.local.b64 %rd1, [mb];"},
        {"MBARR-002", false, "mbarrier.arrive.shared.b64 %r1, [mb];"},
        {"MBARR-005", true, "mbarrier.arrive.expect_tx.shared.b64 %rd1, [mb], 16;"},
        {"MBARR-005", false, "mbarrier.arrive.expect_tx.shared.b64 %rd1, [mb];"},
        {"MBARR-005", false, "mbarrier.arrive.expect_tx.shared.b64 %rd1, [mb], 16, 2;"},
        {"MBARR-007", true, "mbarrier.arrive.noComplete.shared.b64 %rd1, [mb], 2;"},
        {"MBARR-007", true, "mbarrier.arrive.noComplete.release.cta.shared.b64 %rd1, [mb], 2;"},
        {"MBARR-007", false, "mbarrier.arrive.noComplete.shared.b64 %rd1, [mb];"},
        {"MBARR-007", false,
         "mbarrier.arrive.noComplete.release.cluster.shared.b64 %rd1, [mb], 2;"},
        {"MBARR-007", false, "mbarrier.arrive.noComplete.shared::cluster.b64 _, [%r1], 2;"},
        {"MBARR-007", false, "mbarrier.arrive.expect_tx.noComplete.shared.b64 %rd1, [mb], 2;"},
        {"MBARR-008", false, "mbarrier.arrive.shared.b64 %rd1, [mb], 2;", "sm_80", "7.8"},
        {"MBARR-008", false, "mbarrier.arrive.shared.b64 %rd1, [mb], 2;", "sm_89", "7.8"},
        {"MBARR-008", true, "mbarrier.arrive.shared.b64 %rd1, [mb], 2;", "sm_90", "7.8"},
        {"MBARR-008", true, "mbarrier.arrive.noComplete.shared.b64 %rd1, [mb], 2;", "sm_80", "7.8"},
        {"MBARR-009", true, "mbarrier.arrive.shared.b64 _, [mb];"},
        {"MBARR-010", false, "mbarrier.arrive.shared::cluster.b64 %rd1, [%r1];"},
        {"MBARR-010", true, "mbarrier.arrive.shared::cluster.b64 _, [%r1];"},
        {"MBARR-012", false, "mbarrier.arrive.acquire.cta.shared.b64 %rd1, [mb];"},
        {"MBARR-012", true, "mbarrier.arrive.release.cta.shared.b64 %rd1, [mb];"},
        {"MBARR-013", true, "mbarrier.arrive.release.cluster.shared.b64 %rd1, [mb];"},
        {"MBARR-013", false, "mbarrier.arrive.release.gpu.shared.b64 %rd1, [mb];"},
        {"MBARR-013", false, "mbarrier.arrive.release.sys.shared.b64 %rd1, [mb];"},
        {"MBARR-015", true, "mbarrier.arrive.shared.b64 %rd1, [mb];", "sm_80", "7.0"},
        {"MBARR-015", false, "mbarrier.arrive.shared.b64 %rd1, [mb];", "sm_80", "6.5"},
        {"MBARR-015", false, "mbarrier.arrive.shared.b64 _, [mb];", "sm_80", "7.0"},
        {"MBARR-015", true, "mbarrier.arrive.shared.b64 _, [mb];", "sm_80", "7.1"},
        {"MBARR-015", false, "mbarrier.arrive.release.cta.shared.b64 _, [mb];", "sm_90", "7.8"},
        {"MBARR-015", true, "mbarrier.arrive.release.cta.shared.b64 _, [mb];", "sm_90", "8.0"},
        {"MBARR-015", false, "mbarrier.arrive.relaxed.cta.shared.b64 _, [mb];", "sm_90", "8.5"},
        {"MBARR-015", true, "mbarrier.arrive.relaxed.cta.shared.b64 _, [mb];", "sm_90", "8.6"},
        {"MBARR-016", false, "mbarrier.arrive.shared.b64 %rd1, [mb];", "sm_75", "8.0"},
        {"MBARR-016", false, "mbarrier.arrive.expect_tx.shared.b64 %rd1, [mb], 16;", "sm_80",
         "8.0"},
        {"MBARR-016", false, "mbarrier.arrive.shared::cluster.b64 _, [%r1];", "sm_80", "8.0"},
        {"MBARR-016", false, "mbarrier.arrive.release.cluster.shared.b64 _, [mb];", "sm_80", "8.0"},
    });
}

TEST_CASE("forms of mbarrier.arrive_drop", "[ptx][MBDROP-001][MBDROP-002][MBDROP-007][MBDROP-008]["
                                           "MBDROP-010][MBDROP-012][MBDROP-013][MBDROP-015]"
                                           "[MBDROP-016]")
{
    checkAll({
        {"MBDROP-001", true, "mbarrier.arrive_drop.shared.b64 %rd1, [mb];"},
        {"MBDROP-001", true,
         "mbarrier.arrive_drop.expect_tx.shared::cta.relaxed.cluster.b64 %rd1, [mb], 16;"},
        {"MBDROP-001", false, "mbarrier.arrive_drop.shared.b64 [mb];"},
        {"MBDROP-002", false, "mbarrier.arrive_drop.shared.b64 %r1, [mb];"},
        {"MBDROP-007", true, "mbarrier.arrive_drop.noComplete.shared.b64 %rd1, [mb], 2;"},
        {"MBDROP-007", false, "mbarrier.arrive_drop.noComplete.shared.b64 %rd1, [mb];"},
        {"MBDROP-007", false, "mbarrier.arrive_drop.noComplete.shared::cluster.b64 _, [%r1], 2;"},
        {"MBDROP-007", false,
         "mbarrier.arrive_drop.noComplete.release.cluster.shared.b64 %rd1, [mb], 2;"},
        {"MBDROP-008", false, "mbarrier.arrive_drop.shared.b64 %rd1, [mb], 2;", "sm_80", "7.8"},
        {"MBDROP-008", true, "mbarrier.arrive_drop.noComplete.shared.b64 %rd1, [mb], 2;", "sm_80",
         "7.8"},
        {"MBDROP-010", false, "mbarrier.arrive_drop.shared::cluster.b64 %rd1, [%r1];"},
        {"MBDROP-010", true, "mbarrier.arrive_drop.shared::cluster.b64 _, [%r1];"},
        {"MBDROP-012", false, "mbarrier.arrive_drop.acquire.cta.shared.b64 %rd1, [mb];"},
        {"MBDROP-012", true, "mbarrier.arrive_drop.relaxed.cta.shared.b64 %rd1, [mb];"},
        {"MBDROP-013", false, "mbarrier.arrive_drop.release.gpu.shared.b64 %rd1, [mb];"},
        {"MBDROP-013", true, "mbarrier.arrive_drop.release.cluster.shared.b64 %rd1, [mb];"},
        {"MBDROP-015", false, "mbarrier.arrive_drop.shared.b64 %rd1, [mb];", "sm_80", "6.5"},
        {"MBDROP-015", true, "mbarrier.arrive_drop.shared.b64 %rd1, [mb];", "sm_80", "7.0"},
        {"MBDROP-015", false, "mbarrier.arrive_drop.relaxed.cta.shared.b64 %rd1, [mb];", "sm_90",
         "8.5"},
        {"MBDROP-016", false, "mbarrier.arrive_drop.shared.b64 %rd1, [mb];", "sm_75", "8.6"},
        {"MBDROP-016", false, "mbarrier.arrive_drop.expect_tx.shared.b64 %rd1, [mb], 16;", "sm_80",
         "8.6"},
        {"MBDROP-016", false, "mbarrier.arrive_drop.release.cluster.shared.b64 %rd1, [mb];",
         "sm_80", "8.6"},
    });
}

TEST_CASE("forms of test_wait and try_wait", "[ptx][MBW-001][MBW-002][MBW-003][MBW-008][MBW-011]["
                                             "MBW-015][MBW-016][MBW-017][MBW-021][MBW-022]")
{
    checkAll({
        {"MBW-001", true, "mbarrier.test_wait.shared.b64 %p1, [mb], %rd1;"},
        {"MBW-001", false, "mbarrier.test_wait.shared.b64 %r1, [mb], %rd1;"},
        {"MBW-001", false, "mbarrier.test_wait.shared.b64 _, [mb], %rd1;"},
        {"MBW-001", false, "mbarrier.test_wait.shared.b64 %p1, [mb];"},
        {"MBW-001", false, "mbarrier.test_wait.shared.parity.b64 %p1, [mb], %r1;"},
        {"MBW-002", false, "mbarrier.test_wait.shared.b64 %p1, [mb], %r1;"},
        {"MBW-002", false, "mbarrier.try_wait.shared.b64 %p1, [mb], %r1;"},
        {"MBW-003", true, "mbarrier.test_wait.parity.shared.b64 %p1, [mb], %r1;"},
        {"MBW-003", false, "mbarrier.test_wait.parity.shared.b64 %p1, [mb], %rd1;"},
        {"MBW-003", false, "mbarrier.try_wait.parity.shared.b64 %p1, [mb], %rd1;"},
        {"MBW-008", true, "mbarrier.try_wait.shared.b64 %p1, [mb], %rd1, %r1;"},
        {"MBW-008", true, "mbarrier.try_wait.parity.shared.b64 %p1, [mb], %r1, 100;"},
        {"MBW-008", false, "mbarrier.test_wait.shared.b64 %p1, [mb], %rd1, 100;"},
        {"MBW-008", false, "mbarrier.try_wait.shared.b64 %p1, [mb], %rd1, %rd2;"},
        {"MBW-011", false, "mbarrier.test_wait.parity.shared.b64 %p1, [mb], 2;"},
        {"MBW-015", false, "mbarrier.test_wait.shared::cluster.b64 %p1, [%r1], %rd1;"},
        {"MBW-015", false, "mbarrier.try_wait.shared::cluster.b64 %p1, [%r1], %rd1;"},
        {"MBW-016", true, "mbarrier.try_wait.acquire.cta.shared.b64 %p1, [mb], %rd1;"},
        {"MBW-016", true, "mbarrier.try_wait.relaxed.cta.shared.b64 %p1, [mb], %rd1;"},
        {"MBW-016", false, "mbarrier.try_wait.release.cta.shared.b64 %p1, [mb], %rd1;"},
        {"MBW-017", true, "mbarrier.try_wait.acquire.cluster.shared.b64 %p1, [mb], %rd1;"},
        {"MBW-017", false, "mbarrier.test_wait.acquire.gpu.shared.b64 %p1, [mb], %rd1;"},
        {"MBW-021", true, "mbarrier.test_wait.shared.b64 %p1, [mb], %rd1;", "sm_80", "7.0"},
        {"MBW-021", false, "mbarrier.test_wait.parity.shared.b64 %p1, [mb], 0;", "sm_80", "7.0"},
        {"MBW-021", true, "mbarrier.test_wait.parity.shared.b64 %p1, [mb], 0;", "sm_80", "7.1"},
        {"MBW-021", false, "mbarrier.try_wait.shared.b64 %p1, [mb], %rd1;", "sm_90", "7.7"},
        {"MBW-021", false, "mbarrier.try_wait.acquire.cta.shared.b64 %p1, [mb], %rd1;", "sm_90",
         "7.8"},
        {"MBW-021", false, "mbarrier.try_wait.relaxed.cta.shared.b64 %p1, [mb], %rd1;", "sm_90",
         "8.5"},
        {"MBW-022", false, "mbarrier.test_wait.shared.b64 %p1, [mb], %rd1;", "sm_75", "8.6"},
        {"MBW-022", false, "mbarrier.try_wait.shared.b64 %p1, [mb], %rd1;", "sm_80", "8.6"},
        {"MBW-022", false, "mbarrier.test_wait.acquire.cluster.shared.b64 %p1, [mb], %rd1;",
         "sm_80", "8.6"},
    });
}

TEST_CASE("forms of pending_count and of the arrival of copies",
          "[ptx][MBPC-001][MBPC-004][CPA-001][CPA-008][CPA-009]")
{
    checkAll({
        {"MBPC-001", true, "mbarrier.pending_count.b64 %r1, %rd1;"},
        {"MBPC-001", false, "mbarrier.pending_count.b32 %r1, %rd1;"},
        {"MBPC-001", false, "mbarrier.pending_count.b64 %r1, %r2;"},
        {"MBPC-001", false, "mbarrier.pending_count.b64 %r1, [mb];"},
        {"MBPC-001", false, "mbarrier.pending_count.shared.b64 %r1, %rd1;"},
        {"MBPC-004", false, "mbarrier.pending_count.b64 %r1, %rd1;", "sm_80", "6.5"},
        {"MBPC-004", false, "mbarrier.pending_count.b64 %r1, %rd1;", "sm_75", "7.0"},
        {"MBPC-004", true, "mbarrier.pending_count.b64 %r1, %rd1;", "sm_80", "7.0"},
        {"CPA-001", true, "cp.async.mbarrier.arrive.shared.b64 [mb];"},
        {"CPA-001", true, "cp.async.mbarrier.arrive.noinc.b64 [%rd1];"},
        {"CPA-001", false, "cp.async.mbarrier.arrive.shared.b64 [mb], 1;"},
        {"CPA-001", false, "cp.async.mbarrier.arrive.shared.b64 %rd1, [mb];"},
        {"CPA-001", false, "cp.async.mbarrier.arrive.global.b64 [gbl];"},
        {"CPA-001", false, "cp.async.mbarrier.arrive.shared.noinc.b64 [mb];"},
        {"CPA-008", false, "cp.async.mbarrier.arrive.shared.b64 [mb];", "sm_75", "7.0"},
        {"CPA-008", false, "cp.async.mbarrier.arrive.shared::cta.b64 [mb];", "sm_80", "7.7"},
        {"CPA-008", true, "cp.async.mbarrier.arrive.shared::cta.b64 [mb];", "sm_80", "7.8"},
        {"CPA-009", true, "cp.async.cg.shared.global [smem], [gbl], 16;"},
        {"CPA-009", false, "cp.async.cg.shared.global [smem], [gbl], 4;"},
        {"CPA-009", true, "cp.async.ca.shared.global [smem], [gbl], 4;"},
        {"CPA-009", false, "cp.async.ca.shared.global [smem], [gbl], 12;"},
    });
}
