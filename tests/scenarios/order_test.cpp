// Releases wait for posted operations: two kernels whose one result by PTX needs it, under everything that may change the timing.
#include <bit>
#include <filesystem>

#include "catch.hpp"
#include "exec/launch/launch_spec.hpp"
#include "exec/machine/executor.hpp"
#include "golden/params.hpp"
#include "lockstep/lockstep_port.hpp"
#include "observers/tap_port.hpp"
#include "ptx/parser.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;

namespace {

struct Conditions {
    Preset preset{Preset::Hopper};
    std::uint64_t seed{1};
    unsigned policy{0};
    int hop{-1}, bytes{-1};
};

/// Acknowledgements and remote commits, so that a run shows that it had something to order.
class Traffic final : public PortObserver {
public:
    void onCommit(const Commit& c) override
    {
        acks += c.op == Op::EvAck;
        if (c.unit == Unit::Mbarrier && c.src == Src::Remote)
            lanes += unsigned(std::popcount(c.lanes));
    }
    unsigned acks{}, lanes{};
};

RunResult play(const std::string& name, const Conditions& c, Traffic& traffic)
{
    const std::filesystem::path folder = std::filesystem::path(GSU_ORDER_KERNELS) / name;
    const LaunchSpec spec = loadLaunch((folder / (name + ".launch.json")).string());
    const ptx::Module module = ptx::parseFile(spec.ptx.string());
    RunOptions options;
    options.seed = c.seed;
    options.maxCycles = 3'000'000;
    options.params = execParamsOf(c.preset);
    Config config = configOf(c.preset);
    if (c.policy != 0) config.mbar_policy |= 1;
    if (c.hop >= 0) config.dsm_hop = static_cast<std::uint16_t>(c.hop);
    if (c.bytes >= 0) config.net_bytes = static_cast<std::uint16_t>(c.bytes);
    Executor executor(spec, module, options);
    RtlPort rtl(executor.sms(), config);
    rtl.setMemory(executor.sharedMemory());
    LockstepPort port(rtl, {.waitLimit = config.trywait_limit});
    TapPort tap(port);
    tap.add(traffic);
    return executor.run(tap);
}

void check(const std::string& name, const Conditions& c)
{
    CAPTURE(name, nameOf(c.preset), c.seed, c.policy, c.hop, c.bytes);
    Traffic traffic;
    const RunResult r = play(name, c, traffic);
    INFO((r.fault ? r.fault->message : r.trap));
    CHECK(r.asExpected);
    CHECK(r.verdict == Verdict::Pass);
    CHECK(traffic.lanes >= 480);
    CHECK(traffic.acks >= 15);
    CHECK(traffic.acks <= traffic.lanes);
}

constexpr const char* kKernels[] = {"remote_arrives_seen_after_cluster_barrier",
                                    "remote_expect_before_arrive"};

}  // namespace

TEST_CASE("the cluster barrier does not overtake remote operations: seeds, presets, cache policies",
          "[CLU-016][D-54][MBARR-014]")
{
    const char* name = GENERATE(kKernels[0], kKernels[1]);
    for (const Preset preset : {Preset::Hopper, Preset::Blackwell, Preset::Ideal})
        for (std::uint64_t seed = 1; seed <= 10; ++seed)
            check(name, {.preset = preset, .seed = seed, .policy = unsigned(seed % 2)});
}

TEST_CASE("the cluster barrier does not overtake remote operations: slow and narrow networks",
          "[CLU-016][D-54]")
{
    const char* name = GENERATE(kKernels[0], kKernels[1]);
    for (const int hop : {0, 1, 7, 78, 400})
        for (const int bytes : {0, 1, 5, 16, 64})
            check(name, {.seed = std::uint64_t(hop + bytes),
                         .policy = unsigned(bytes % 2),
                         .hop = hop,
                         .bytes = bytes});
}
