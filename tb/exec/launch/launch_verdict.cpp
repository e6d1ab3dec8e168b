// "verdict" and "findings" of a launch file.
#include <fmt/format.h>

#include "base/counted.hpp"
#include "exec/launch/json_view.hpp"
#include "exec/launch/launch_spec.hpp"

namespace gsu {
namespace {

/// `spec`: its grid and block are read.
HangExpectation hangOf(const LaunchSpec& spec, const JsonView& json)
{
    const auto product = [](const std::array<std::uint32_t, 3>& shape) {
        return std::uint64_t{shape[0]} * shape[1] * shape[2];
    };
    const std::uint64_t ctas = product(spec.grid), warps = (product(spec.block) + 31) / 32;
    json.keys({"waiting", "barrier"});
    HangExpectation hang;
    if (json.has("waiting")) {
        const JsonView waiting = json["waiting"];
        waiting.array();
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            waiting.at(i).keys({"cta", "warp"});
            const JsonView cta = waiting.at(i)["cta"], warp = waiting.at(i)["warp"];
            if (cta.whole(~0u) >= ctas) cta.fail("the grid has " + counted(ctas, "CTA"));
            if (warp.whole(31) >= warps) warp.fail("a CTA has " + counted(warps, "warp"));
            hang.waiting.emplace_back(waiting.at(i)["cta"].whole(~0u),
                                      waiting.at(i)["warp"].whole(31));
        }
    }
    if (json.has("barrier")) {
        const JsonView barrier = json["barrier"];
        barrier.keys({"kind", "id", "address"});
        hang.kind = barrier["kind"].text();
        if (hang.kind != "named" && hang.kind != "mbarrier" && hang.kind != "cluster" &&
            hang.kind != "warp" && hang.kind != "spin" && hang.kind != "columns") {
            barrier["kind"].fail("must be named, mbarrier, cluster, warp, spin or columns");
        }
        if (barrier.has("id")) hang.id = barrier["id"].whole(~0u);
        if (barrier.has("address")) hang.address = barrier["address"].whole(~0u);
    }
    return hang;
}

}  // namespace

void verdictOf(LaunchSpec& spec, const JsonView& root)
{
    if (root.has("verdict")) {
        const std::string verdict = root["verdict"].text();
        bool known = false;
        for (const auto v : {ExpectedVerdict::Pass, ExpectedVerdict::Hang, ExpectedVerdict::Misuse,
                             ExpectedVerdict::Trap}) {
            if (verdict == nameOf(v)) {
                spec.verdict = v;
                known = true;
            }
        }
        if (!known)
            root["verdict"].fail("must be pass, hang, misuse or trap, is '" + verdict + "'");
    }
    if (!root.has("findings")) return;
    const JsonView findings = root["findings"];
    if (spec.verdict != ExpectedVerdict::Hang && spec.verdict != ExpectedVerdict::Misuse)
        findings.fail("goes with verdict misuse or hang");
    if (spec.verdict == ExpectedVerdict::Hang) {
        if (!findings.json().is_object() || findings.size() == 0)
            findings.fail(
                "expected an object with waiting, barrier or both, since verdict is hang");
        spec.hang = hangOf(spec, findings);
        return;
    }
    findings.array();
    for (std::size_t i = 0; i < findings.size(); ++i) spec.rules.push_back(findings.at(i).text());
}

}  // namespace gsu
