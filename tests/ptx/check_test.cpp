#include "ptx/check.hpp"

#include "support.hpp"

using namespace gsu::ptx;
using ptxtest::around;

namespace {

/// "accept", or "RULE line:col" of the first error.
std::string verdict(const std::string& body, const std::string& target = "sm_90",
                    const std::string& version = "8.6", Dialect dialect = Dialect::Text)
{
    const CheckResult r = checkModule(ptxtest::parse(around(body, target, version)), dialect);
    for (const Diagnostic& d : r.diagnostics) {
        if (d.severity != Diagnostic::Severity::Error) continue;
        REQUIRE_FALSE(r.accepted);
        return d.rule + ' ' + std::to_string(d.at.line) + ':' + std::to_string(d.at.column);
    }
    REQUIRE(r.accepted);
    return "accept";
}

}  // namespace

TEST_CASE("bar and barrier",
          "[ptx][BAR-001][BAR-002][BAR-003][BAR-006][BAR-007][BAR-020][BAR-021][BAR-022][BAR-030]")
{
    CHECK(verdict("bar.sync 15;") == "accept");
    CHECK(verdict("bar.sync 16;") == "BAR-002 9:10");
    CHECK(verdict("bar.sync 8+8;") == "BAR-002 9:10");
    CHECK(verdict("bar.sync 1, 33;") == "BAR-006 9:13");
    CHECK(verdict("bar.arrive 1, 0;") == "BAR-007 9:15");
    CHECK(verdict("bar.arrive 1;") == "BAR-007 9:1");
    CHECK(verdict("bar.sync %rd1;") == "BAR-003 9:10");
    CHECK(verdict("bar.sync.aligned 0;") == "BAR-030 9:1");
    CHECK(verdict("bar 0;") == "BAR-001 9:1");
    CHECK(verdict("bar.red.popc.u32 %p1, 0, %p2;") == "BAR-020 9:18");
    CHECK(verdict("bar.red.and.pred %r1, 0, %p2;") == "BAR-021 9:18");
    CHECK(verdict("bar.red.or.pred %p1, 0;") == "BAR-022 9:1");
    CHECK(verdict("barrier.aligned.sync 0;") == "BAR-001 9:1");
    CHECK(verdict("barrier.aligned.sync 0;", "sm_90", "8.6", Dialect::Ptxas) == "accept");
    CHECK(verdict("barrier.sync 0;", "sm_20", "6.0") == "BAR-037 9:1");
    CHECK(verdict("bar.cta.sync 0;", "sm_80", "7.7") == "BAR-035 9:1");
}

TEST_CASE("other families are refused with the rule that is broken",
          "[BWS-002][CLU-003][ptx][BWS-001][CLU-002][CLU-004][FENCE-002]")
{
    CHECK(verdict("bar.warp.sync;") == "BWS-001 9:1");
    CHECK(verdict("bar.warp.sync %rd1;") == "BWS-002 9:15");
    CHECK(verdict("barrier.cluster.arrive.acquire;") == "CLU-002 9:1");
    CHECK(verdict("barrier.cluster.arrive 0;") == "CLU-004 9:1");
    CHECK(verdict("barrier.cluster.wait.relaxed;") == "CLU-003 9:1");
    CHECK(verdict("fence.sc;") == "FENCE-002 9:1");
    CHECK(verdict("mbarrier.init.shared.b64 [mb], 0;") == "MBAR-021 9:32");
    CHECK(verdict("mbarrier.init.shared.b64 [mb], 0;", "sm_90", "8.6", Dialect::Ptxas) == "accept");
    CHECK(verdict("mbarrier.arrive.shared.b64 %r1, [mb];") == "MBARR-002 9:28");
    CHECK(verdict("atom.global.add.s64 %rd1, [%rd1], %rd2;") == "ATOM-010 9:1");
    CHECK(verdict("atom.global.add.L2::cache_hint.u32 %r1, [%rd1], %r2;") == "ATOM-020 9:1");
    CHECK(verdict("redux.sync.min.f32 %f1, %f2, -1;") == "REDUX-014 9:1");
    CHECK(verdict("elect.sync %r1, -1;") == "ELECT-002 9:12");
    CHECK(verdict("BAR.SYNC 0;") == " 9:1");
}

TEST_CASE("orders of public headers, immediate votes and float masks are taken as the reference "
          "takes them",
          "[ptx][GEN-005][VSYNC-002][AMASK-001][RASYNC-008]")
{
    const char* const taken[]{
        "vote.ballot.sync.b32 %r1, %p1, -1;",       "vote.sync.all.pred %p1, 1, -1;",
        "vote.sync.ballot.b32 %r1, 0, -1;",         "shfl.idx.sync.b32 %r1|%p1, %r2, %r3, 31, -1;",
        "shfl.sync.idx.b32 %f1, %f2, %r3, 31, -1;", "shfl.sync.down.b32 %r1|_, 5, 1, 31, -1;"};
    for (const char* text : taken) {
        CAPTURE(text);
        CHECK(verdict(text) == "accept");
        CHECK(verdict(text, "sm_90", "8.6", Dialect::Ptxas) == "accept");
    }
    for (const char* text : {"red.async.release.global.gpu.add.u32 [%rd1], %r1;",
                             "red.async.global.release.gpu.add.u32 [%rd1], %r1;"}) {
        CAPTURE(text);
        CHECK(verdict(text, "sm_100a", "9.0") == "accept");
        CHECK(verdict(text, "sm_100a", "9.0", Dialect::Ptxas) == "accept");
    }
    CHECK(verdict("activemask.b32 %f1;") == "AMASK-001 9:16");
    CHECK(verdict("activemask.b32 %f1;", "sm_90", "8.6", Dialect::Ptxas) == "accept");
    CHECK(verdict("activemask.b32 5;", "sm_90", "8.6", Dialect::Ptxas) == "AMASK-001 9:16");
}

TEST_CASE("shuffles have a form like everything else", "[ptx]")
{
    CHECK(verdict("shfl.sync.left.b32 %r1, %r2, 1, 31, -1;") == " 9:1");
    CHECK(verdict("shfl.sync.idx.b64 %rd1, %rd2, 1, 31, -1;") == " 9:1");
    CHECK(verdict("shfl.sync.idx.b32 _|%p1, %r2, 1, 31, -1;") == " 9:19");
    CHECK(verdict("shfl.sync.idx.b32 %r1, %r2, 1, 31;") == " 9:1");
    CHECK(verdict("shfl.idx.b32 %r1, %r2, 1, 31;") == " 9:1");
    CHECK(verdict("shfl.idx.b32 %r1, %r2, 1, 31;", "sm_60", "5.0") == "accept");
}

TEST_CASE("a variable named in an address lies in the space that the instruction says",
          "[ptx][MBAR-015][TMAP-001]")
{
    const std::string publish = "tensormap::generic.release.gpu.sync.aligned ";
    for (const Dialect dialect : {Dialect::Text, Dialect::Ptxas}) {
        const auto judged = [&](const std::string& text) {
            return verdict(text, "sm_90", "8.6", dialect).substr(0, 6);
        };
        CHECK(judged("mbarrier.init.b64 [mb], 1;") == "accept");
        CHECK(judged("mbarrier.init.b64 [gbl], 1;") == "MBAR-0");
        CHECK(judged("mbarrier.try_wait.b64 %p1, [gbl], %rd1;") == "MBW-00");
        CHECK(judged("atom.shared.add.u32 %r1, [gbl], 1;") == "ATOM-0");
        CHECK(judged("atom.add.u32 %r1, [gbl], 1;") == "accept");
        CHECK(judged("cp.async.mbarrier.arrive.shared.b64 [gbl];") == "CPA-00");
        CHECK(judged("tensormap.cp_fenceproxy.global.shared::cta." + publish +
                     "[gbl], [smem], 128;") == "accept");
        CHECK(judged("tensormap.cp_fenceproxy.global.shared::cta." + publish +
                     "[smem], [gbl], 128;") == "TMAP-0");
        CHECK(judged("tensormap.cp_fenceproxy.shared::cta.global." + publish +
                     "[smem], [gbl], 128;") == "TMAP-0");
        CHECK(judged("cp.async.ca.shared.global [gbl], [%rd1], 4;") == "CPA-00");
    }
}

TEST_CASE("neighbours of the chapter have forms, too", "[ptx]")
{
    const std::string bytes = "mbarrier::complete_tx::bytes ";
    CHECK(verdict("cp.async.bulk.shared::cluster.global." + bytes + "[smem], [gbl], 16, [mb];") ==
          "accept");
    CHECK(verdict("cp.async.bulk.global.shared::cluster." + bytes + "[gbl], [smem], 16, [mb];") ==
          " 9:1");
    CHECK(verdict("cp.async.bulk.wait_grp 0;") == " 9:1");
    CHECK(verdict("cp.async.wait_group %r1;") == " 9:21");
    CHECK(verdict("st.async.shared::cluster." + bytes + "[smem], %r1, [mb];") == " 9:1");
    CHECK(verdict("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [smem], %r1, [mb];") ==
          "accept");
}

TEST_CASE("a refusal shows the nearest form", "[ptx]")
{
    const CheckResult r =
        checkModule(ptxtest::parse(around("mbarrier.arrive.acquire.cta.shared.b64 %rd1, [mb];")));
    REQUIRE(r.diagnostics.size() == 1);
    CHECK(r.diagnostics[0].rule == "MBARR-012");
    CHECK(r.diagnostics[0].message.find("'.acquire'") != std::string::npos);
    CHECK(r.diagnostics[0].message.find(
              "mbarrier.arrive{.sem}{.scope}{.space}.b64 state, [addr]{, count};") !=
          std::string::npos);
}

TEST_CASE("special registers of clusters are gated", "[ptx][NVVM-011][GEN-006]")
{
    CHECK(verdict("mov.u32 %r1, %cluster_ctarank;", "sm_89") == "NVVM-014 9:14");
    CHECK(verdict("mov.u32 %r1, %cluster_ctaid.x;", "sm_90", "7.7") == "NVVM-014 9:14");
    CHECK(verdict("mov.u32 %r1, %cluster_ctarank;") == "accept");
}

TEST_CASE("the module's own .target", "[ptx][GEN-006]")
{
    const auto judged = [](const std::string& version, const std::string& target) {
        const CheckResult r =
            checkModule(ptxtest::parse(".version " + version + "\n.target " + target +
                                       "\n.address_size 64\n.entry k() { ret; }\n"));
        return r.accepted ? std::string("accept") : r.diagnostics.front().message;
    };
    for (const char* good : {"sm_90", "sm_90a", "sm_100f", "sm_103a", "sm_121", "sm_35",
                             "sm_90, debug", "sm_90, texmode_independent"})
        CHECK(judged("8.8", good) == "accept");
    CHECK(judged("8.0", "sm_999") == "there is no .target sm_999");
    CHECK(judged("8.0", "sm_91") == "there is no .target sm_91");
    CHECK(judged("8.8", "sm_90f") == "there is no .target sm_90f");
    CHECK(judged("8.0", "foo") == ".target has no 'foo'");
    CHECK(judged("8.0", "debug") == ".target names no architecture, such as sm_90");
    CHECK(judged("6.0", "sm_90") == ".target sm_90 needs .version 7.8 or higher");
    CHECK(judged("7.8", "sm_90a") == ".target sm_90a needs .version 8.0 or higher");
    CHECK(judged("8.7", "sm_100f") == ".target sm_100f needs .version 8.8 or higher");
}

TEST_CASE("a .target that does not exist is the one error, also before a run", "[ptx][GEN-006]")
{
    const Module m = ptxtest::parse(".version 8.0\n.target sm_9O\n.address_size 64\n"
                                    ".entry k() .reqnctapercluster 2 {\n.reg .b32 %r<2>;\n"
                                    "bar.sync 0;\nmov.u32 %r1, %cluster_ctarank;\nret;\n}\n");
    const CheckResult r = checkModule(m);
    REQUIRE(r.diagnostics.size() == 1);
    CHECK(r.diagnostics[0].message == "there is no .target sm_9O");
    const auto before = formErrors(m);
    REQUIRE(before.size() == 1);
    CHECK(before[0].message == r.diagnostics[0].message);
    CHECK(before[0].at.line == 2);
}

TEST_CASE("cluster directives are gated", "[ptx][HS-025]")
{
    const auto judged = [](const std::string& directive, const std::string& target) {
        const Module m =
            ptxtest::parse(".version 8.0\n.target " + target + "\n.address_size 64\n.entry k() " +
                           directive + " { ret; }\n");
        const CheckResult r = checkModule(m);
        return r.accepted ? std::string("accept")
                          : r.diagnostics.front().rule + r.diagnostics.front().message;
    };
    CHECK(judged(".reqnctapercluster 2", "sm_90") == "accept");
    CHECK(judged(".explicitcluster", "sm_80") ==
          "HS-025cluster directives need .target sm_90 or higher");
    CHECK(judged(".cluster_dim 2", "sm_90").find(".reqnctapercluster") != std::string::npos);
}
