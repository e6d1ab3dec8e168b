// The mbarrier unit of a run is that of the module's .target: what sm_80 does not have is a finding there, and nothing on sm_90 (D-42).
#include <nlohmann/json.hpp>

#include "gsu_process.hpp"

using nlohmann::json;
using process::Folder;
using process::runGsu;
using process::spill;

namespace {

/// A kernel of one thread that initialises an mbarrier with a count of 4 and then executes `body`.
std::string kernelFor(const std::string& target, const std::string& body)
{
    return ".version 8.6\n.target " + target + R"(
.address_size 64
.visible .entry k()
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .shared .align 8 .b64 bar;
    mov.u32 %r0, bar;
    mov.u32 %r1, 2;
    mbarrier.init.shared.b64 [%r0], 4;
)" + body + R"(
    ret;
}
)";
}

struct TargetCase {
    const char* body;
    const char* rule;  ///< on sm_80; "": legal there, too
};
const TargetCase kTargetCases[] = {
    {"mbarrier.arrive.shared.b64 %rd0, [%r0], %r1;", "MBARR-008"},
    {"mbarrier.arrive_drop.shared.b64 %rd0, [%r0], %r1;", "MBDROP-008"},
    {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r0], 8;", "MBAR-045"},
    {"mbarrier.arrive.expect_tx.shared.b64 %rd0, [%r0], 8;", "MBAR-045"},
    {"mbarrier.arrive_drop.expect_tx.shared.b64 %rd0, [%r0], 8;", "MBAR-045"},
    {"mbarrier.arrive.noComplete.shared.b64 %rd0, [%r0], 1;", ""},
    {"mbarrier.arrive.shared.b64 %rd0, [%r0];", ""},
    {"mbarrier.test_wait.parity.shared.b64 %p0, [%r0], 0;", ""},
};

/// Rules of the errors that a run reports.
std::vector<std::string> errorsOf(const std::string& options, const std::string& path)
{
    const auto done = runGsu("run --json " + options + ' ' + path);
    CAPTURE(options, done.out, done.err);
    REQUIRE((done.code == 0 || done.code == 1));
    std::vector<std::string> rules;
    const json report = json::parse(done.out);
    for (const json& f : report["findings"])
        if (f["severity"] == "error") rules.push_back(f["rule"]);
    return rules;
}

}  // namespace

TEST_CASE("what sm_80 does not have is found in a module for sm_80, whatever the preset",
          "[cli][MBAR-045][MBARR-008][MBDROP-008][D-42]")
{
    const Folder folder;
    const std::string path = folder / "k.ptx";
    for (const TargetCase& c : kTargetCases) {
        const std::vector<std::string> none;
        const std::vector<std::string> found =
            *c.rule == '\0' ? none : std::vector<std::string>{c.rule};
        CAPTURE(c.body);
        for (const char* target : {"sm_80", "sm_86", "sm_89"}) {
            CAPTURE(target);
            spill(path, kernelFor(target, c.body));
            CHECK(errorsOf("", path) == found);
            CHECK(errorsOf("--preset blackwell", path) == found);
            CHECK(errorsOf("--set mbar_policy=0", path) == none);  // said by name: that it is
        }
        for (const char* target : {"sm_90", "sm_90a", "sm_100a"}) {
            CAPTURE(target);
            spill(path, kernelFor(target, c.body));
            CHECK(errorsOf("", path) == none);
            CHECK(errorsOf("--preset ampere", path) == none);
            CHECK(errorsOf("--set mbar_policy=4", path) == found);
        }
    }
}
