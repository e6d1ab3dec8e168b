// Instructions without a legal form: no run begins with one in the module, and the refusal is that of `gsu check`.
#include "catch.hpp"
#include "exec/harness.hpp"
#include "ptx/check.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

Kernel around(const std::string& body)
{
    return {".param .u64 out", ".shared .align 8 .b64 mb;\n" + body + "\nret;",
            ".global .align 8 .b64 far;\n"};
}

/// "line:column: reason" of the refusal; empty when it runs.
std::string refusal(const std::string& body)
{
    try {
        (void)run(around(body), {32, 1, 1}, {buffer(std::vector<std::uint32_t>(4))});
    } catch (const InputError& e) {
        return std::to_string(e.line) + ':' + std::to_string(e.column) + ": " + e.reason;
    }
    return {};
}

/// The same of `gsu check`.
std::string checked(const std::string& body, ptx::Dialect dialect = ptx::Dialect::Text)
{
    const ptx::CheckResult r =
        ptx::checkModule(ptx::parseModule(around(body).text(), "test.ptx"), dialect);
    for (const ptx::Diagnostic& d : r.diagnostics) {
        if (d.severity == ptx::Diagnostic::Severity::Error)
            return std::to_string(d.at.line) + ':' + std::to_string(d.at.column) + ": " +
                   d.message + (d.rule.empty() ? "" : " [" + d.rule + "]");
    }
    return {};
}

}  // namespace

TEST_CASE("what check rejects for its form never runs, reachable or not",
          "[REDUX-002][CLU-001][BAR-021][MBARR-001][MBAR-015][VSYNC-001]")
{
    const struct {
        const char *body, *says;
    } rows[]{
        {"redux.sync.mul.u32 %r1, %r2, -1;", "'.mul' does not belong here"},
        {"barrier.cluster.sync;", "'.sync' does not belong here"},
        {"barrier.cta.red.xor.pred %p1, 0, %p2;", "'.xor' does not belong here"},
        {"mbarrier.arrive.expect_txx.shared.b64 %rd1, [mb], 8;", "'.expect_txx' does not"},
        {"vote.sync.most.pred %p1, %p2, -1;", "'.most' does not belong here"},
        {"shfl.sync.left.b32 %r1, %r2, 1, 31, -1;", "'.left' does not belong here"},
        {"mbarrier.init.global.b64 [%rd1], 1;", "'.global' does not belong here"},
        {"mbarrier.init.b64 [far], 1;", "an address in brackets, of shared memory"},
        {"redux.sync.add.s32 _, %r1, -1;", "operand dst must be"},
        {"bar.sync %rd1;", "operand a must be"},
        {"bar.red.or.pred %p1, 0;", "expected 3 to 4 operands, got 2: "},
        {"mov.u32 %r1;", "expected 2 operands, got 1: "},
        {"atom.shared.mul.u32 %r1, [mb], 1;", "'.mul' does not belong here"},
        {"frobnicate.u32 %r1, %r2;", "'frobnicate' is not a PTX instruction"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.body);
        const std::string said = refusal(row.body);
        CHECK(said.find(row.says) != std::string::npos);
        CHECK(said == checked(row.body));
        CHECK(refusal("bra OVER;\n" + std::string(row.body) + "\nOVER:") ==
              checked("bra OVER;\n" + std::string(row.body) + "\nOVER:"));
        CHECK_FALSE(refusal("bra OVER;\n" + std::string(row.body) + "\nOVER:").empty());
    }
}

TEST_CASE("the refusal says how many more instructions have no form", "[REDUX-002]")
{
    const std::string wrong = "redux.sync.mul.u32 %r1, %r2, -1;\n";
    CHECK(refusal(wrong).find("more: gsu check") == std::string::npos);
    const std::string text = refusal(wrong + wrong + wrong);
    CAPTURE(text);
    CHECK(text.rfind(refusal(wrong), 0) == 0);
    CHECK(text.find(" (2 more: gsu check test.ptx)") != std::string::npos);
}

TEST_CASE("the refusal covers functions that nobody calls", "[REDUX-002]")
{
    Kernel k = around("");
    k.before += ".func idle () { .reg .b32 %x<3>; redux.sync.mul.u32 %x1, %x2, -1; ret; }\n";
    CHECK_THROWS_AS(run(k, {32, 1, 1}, {buffer(std::vector<std::uint32_t>(4))}), InputError);
}

TEST_CASE("gates, values and the other dialect's forms are no reason to refuse a run", "[GEN-012]")
{
    // The harness is PTX 8.6 for sm_90a: each is rejected by the text, or by the reference, but has a form.
    const struct {
        const char* body;
        ptx::Dialect rejects;
    } rows[]{
        {"vote.all.sync.pred %p1, 1, -1;", ptx::Dialect::Text},
        {"redux.sync.add.s32 %r1, 5, -1;", ptx::Dialect::Text},
        {"vote.all.pred %p1, 1;", ptx::Dialect::Text},
        {"mbarrier.init.shared.b64 [mb], 1; mbarrier.arrive.release.shared.b64 %rd1, [mb];",
         ptx::Dialect::Ptxas},
    };
    for (const auto& row : rows) {
        CAPTURE(row.body);
        CHECK_FALSE(checked(row.body, row.rejects).empty());
        CHECK(refusal(row.body).empty());
    }
}

TEST_CASE("orders of public headers and immediate votes execute",
          "[VSYNC-001][VSYNC-002][RASYNC-008]")
{
    const Kernel k{".param .u64 out", R"(
        ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 3; setp.eq.u32 %p4, %r1, 0;
        vote.ballot.sync.b32 %r2, %p1, -1; vote.all.sync.pred %p2, 1, -1; selp.u32 %r3, 1, 0, %p2;
        shfl.idx.sync.b32 %r4|%p3, %r1, 5, 31, -1;
        red.async.global.release.gpu.add.u32 [%rd1+12], 1;
        @%p4 st.global.v2.u32 [%rd1], {%r2, %r3}; @%p4 st.global.u32 [%rd1+8], %r4; ret;)"};
    const Outcome o = run(k, {32, 1, 1}, {buffer(std::vector<std::uint32_t>(4))});
    REQUIRE(o.result.verdict == Verdict::Pass);
    CHECK(o.as<std::uint32_t>(0) == std::vector<std::uint32_t>{0xfffffff0, 1, 5, 32});
}
