// Findings of the executor about an mbarrier's address, before the unit sees it, if several things are wrong: what may not leave its CTA is refused before the
// owner's range is looked at (D-66; tests/precedence has the unit's side).
#include <nlohmann/json.hpp>

#include "gsu_process.hpp"

using nlohmann::json;
using process::Folder;
using process::runGsu;
using process::spill;

namespace {

/// Two CTAs; %rd3 is the generic address of the other one's object, %rd4 one beyond its shared memory, %rd5 its object misaligned.
std::string kernelWith(const std::string& body)
{
    return R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k()
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<8>;
    .shared .align 8 .b8 smem[64];
    mov.u64 %rd0, smem;
    cvta.shared.u64 %rd1, %rd0;
    mbarrier.init.b64 [%rd1], 2;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %r0, %cluster_ctarank;
    xor.b32 %r1, %r0, 1;
    mapa.u64 %rd3, %rd1, %r1;
    add.u64 %rd4, %rd3, 65536;
    add.u64 %rd5, %rd3, 4;
)" + body + R"(
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
)";
}

struct Case {
    const char* body;
    const char* rule;
};
const Case kCases[] = {
    {"mbarrier.test_wait.parity.b64 %p0, [%rd4], 0;", "MBAR-020"},
    {"mbarrier.inval.b64 [%rd4];", "MBAR-022"},
    {"mbarrier.arrive.b64 %rd6, [%rd4];", "MBARR-010"},
    {"mbarrier.arrive_drop.b64 %rd6, [%rd4];", "MBDROP-010"},
    {"mbarrier.arrive_drop.b64 %rd6, [%rd3];", "MBDROP-010"},
    {"mbarrier.arrive.noComplete.b64 %rd6, [%rd3], 1;", "MBARR-007"},
    {"mbarrier.arrive.noComplete.b64 _, [%rd4], 1;", "MBARR-007"},
    {"mbarrier.arrive_drop.noComplete.b64 _, [%rd3], 1;", "MBDROP-007"},
    {"mbarrier.expect_tx.relaxed.cluster.b64 [%rd5], 8;", "MBAR-004"},
    {"mbarrier.arrive.b64 _, [%rd5];", "MBAR-004"},
    {"mbarrier.arrive.b64 _, [%rd3];", ""},
};

}  // namespace

TEST_CASE(
    "an operation that may not leave its CTA is refused before the owner's range is looked at",
    "[cli][MBAR-015][MBAR-020][MBAR-022][MBARR-007][MBARR-010][MBDROP-007][MBDROP-010][D-66]")
{
    const Folder folder;
    const std::string path = folder / "k.ptx";
    for (const Case& c : kCases) {
        spill(path, kernelWith(c.body));
        const auto done = runGsu("run --json --cluster 2 --grid 2 --block 1 " + path);
        CAPTURE(c.body, done.out, done.err);
        REQUIRE((done.code == 0 || done.code == 1));
        std::vector<std::string> errors;
        const json report = json::parse(done.out);
        for (const json& f : report["findings"])
            if (f["severity"] == "error") errors.push_back(f["rule"]);
        if (*c.rule == '\0') {
            CHECK(errors.empty());
            continue;
        }
        REQUIRE_FALSE(errors.empty());
        CHECK(errors[0] == c.rule);
    }
}
