// The second judge of races on kernels of a few lines: with what orders their accesses, and without.
#include "catch.hpp"
#include "causality/order_check.hpp"
#include "exec/machine/executor.hpp"
#include "golden/golden.hpp"
#include "observers/tap_port.hpp"
#include "ptx/parser.hpp"

using namespace gsu;

namespace {

constexpr const char* kHead = R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 buf)
{
.reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<8>;
.shared .align 128 .b8 sh[1024];
.shared .align 8 .b64 bar;
ld.param.u64 %rd1, [buf];
mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, sh; add.u32 %r4, %r3, %r2;
setp.eq.u32 %p1, %r1, 0; shr.u32 %r5, %r1, 5; setp.eq.u32 %p2, %r5, 0; mov.u32 %r8, bar;
)";

/// The judgement on a run of two warps.
causality::OrderCheck judged(const std::string& body)
{
    const ptx::Module module = ptx::parseModule(kHead + body + "\nret;\n}\n", "k.ptx");
    REQUIRE(ptx::firstError(module) == nullptr);
    const LaunchSpec spec = parseLaunch(R"({"ptx": "k.ptx", "block": [64], "params": )"
                                        R"([{"buffer": {"type": "u32", "count": 256}}]})",
                                        "k.launch.json");
    RunOptions options;
    options.ignore = {{"FENCE-024", 0}};  // the run goes on; the judge decides alone
    Executor executor(spec, module, options);
    causality::Events events;
    executor.watchAccesses(events);
    const auto port = makeGoldenPort(executor.sms(), {}, &executor.sharedMemory());
    TapPort tap(*port);
    tap.add({&events});
    const RunResult result = executor.run(tap);
    REQUIRE(result.verdict == Verdict::Pass);
    return causality::checkOrder(events);
}

void orders(const std::string& before, const std::string& order, const std::string& after)
{
    CAPTURE(before, order, after);
    const causality::OrderCheck with = judged(before + order + after);
    CHECK(with.complete);
    CHECK(with.pairs > 0);
    CHECK(with.unordered == 0);
    CHECK(with.examples.empty());
    const causality::OrderCheck without = judged(before + after);
    CHECK(without.complete);
    CHECK(without.unordered > 0);
    REQUIRE_FALSE(without.examples.empty());
    CHECK(without.examples.size() <= without.unordered);
    CHECK(std::string(without.examples[0].what) == "order");
}

const std::string kStore = "@%p2 st.shared.u32 [%r4], %r1;\n";
const std::string kOthers = "xor.b32 %r6, %r4, 128; @!%p2 ld.shared.u32 %r7, [%r6];\n";

}  // namespace

TEST_CASE("a barrier of the CTA orders what one warp stores before what the other loads",
          "[causality]")
{
    orders(kStore, "bar.sync 0;\n", kOthers);
    orders(kStore, "@%p2 bar.arrive 1, 64; @!%p2 bar.sync 1, 64;\n", kOthers);
    // Arriving is not waiting: the warp that only arrives is not ordered after the other.
    const auto wrongWay =
        judged(kStore + "@!%p2 bar.arrive 1, 64; @%p2 bar.sync 1, 64;\n" + kOthers);
    CHECK(wrongWay.unordered > 0);
}

TEST_CASE("an mbarrier orders by its phase, if the arrival releases", "[causality]")
{
    const std::string init = "@%p1 mbarrier.init.shared.b64 [%r8], 32;\nbar.sync 0;\n";
    const auto phase = [](const std::string& arrive) {
        return "@%p2 mbarrier.arrive" + arrive +
               ".shared::cta.b64 _, [%r8];\n"
               "W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r8], 0;\n@!%p3 bra W;\n";
    };
    orders(init + kStore, phase(""), kOthers);
    const auto relaxed = judged(init + kStore + phase(".relaxed.cta") + kOthers);
    CHECK(relaxed.unordered > 0);
}

TEST_CASE("a bulk copy needs a fence of its proxy after the stores that it reads", "[causality]")
{
    const std::string store = "st.shared.u32 [%r4], %r1;\n";
    const std::string copy =
        "bar.sync 0;\n@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], "
        "[%r3], 256;\n@%p1 cp.async.bulk.commit_group;\n"
        "@%p1 cp.async.bulk.wait_group 0;\n";
    orders(store, "fence.proxy.async.shared::cta;\n", copy);
}
