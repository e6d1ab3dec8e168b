// Replay equals the recording on equal parameters, and says where it does not.
#include "kernel_driver.hpp"

using namespace gsu;
using namespace gsu::trace;
using support::Folder;
using support::KernelShape;

TEST_CASE("a replay on the recorded unit repeats every answer in its cycle",
          "[trace][BAR-013][CLU-009][BWS-004]")
{
    const auto seed = GENERATE(range(1u, 21u));
    CAPTURE(seed);
    Folder folder;
    const KernelShape shape{.sms = 1 + seed % 3,
                            .ctas = 1 + seed % 5,
                            .warps = 1 + seed % 4,
                            .length = 30,
                            .launches = 3,
                            .cluster = seed % 2 == 0};
    std::uint64_t answers = 0;
    const std::string path = support::recordKernel(folder, shape, seed, &answers);
    const Program program = Program::load(path);
    REQUIRE(program.outcomes.size() > 50);
    CHECK(!program.recordedHang);
    CHECK(program.findings.empty());

    GoldenPort golden(shape.sms);
    Replayer replayer(program, golden, true);
    const ReplayResult result = replayer.run();
    CAPTURE(result.difference);
    CHECK(!result.differs);
    CHECK(result.compared == program.outcomes.size());
    CHECK(result.left == 0);
    CHECK(result.blocked.empty());
    CHECK(answers >= result.requests);
}

TEST_CASE("a recording of a replay is the recording", "[trace]")
{
    const auto seed = GENERATE(range(1u, 7u));
    CAPTURE(seed);
    Folder folder;
    const KernelShape shape{
        .sms = 2, .ctas = 4, .warps = 3, .length = 25, .launches = 2, .cluster = seed % 2 == 0};
    const std::string path = support::recordKernel(folder, shape, seed);
    const Program program = Program::load(path);
    {
        Writer writer(folder / "again.gsut", program.header);
        Recorder recorder(writer, shape.sms);
        GoldenPort golden(shape.sms);
        TapPort tap(golden);
        tap.add(recorder);
        Replayer replayer(program, tap, true);
        CHECK(!replayer.run().differs);
        tap.finish();
        writer.close();
    }
    CHECK(support::slurp(folder / "again.gsut") == support::slurp(path));
}

TEST_CASE("what a recording did not see is no difference, what it missed is", "[trace]")
{
    Folder folder;
    const std::string path = folder / "a.gsut";
    std::vector<std::string> lines = {
        "launch +0 after=0 0/0 threads=32 wbase=0 base=0 size=0 cluster=0:0 of 1",
        "do +5 0/0/0 0xffffffff #0 L3 barrier.cta.sync.aligned 4;", "stop +5"};
    const auto differs = [&] {
        support::spill(path, support::traceText(lines));
        const Program program = Program::load(path);
        GoldenPort golden(1);
        Replayer replayer(program, golden, true);
        return replayer.run().differs;
    };
    CHECK(!differs());
    lines.back() = "stop +500";
    CHECK(differs());
}

TEST_CASE("a replay whose recorded answers were changed names the first difference", "[trace]")
{
    Folder folder;
    const std::string path = support::recordKernel(
        folder, {.sms = 1, .ctas = 2, .warps = 2, .length = 10, .launches = 1}, 3);
    Program program = Program::load(path);
    std::size_t changed = 0;
    for (std::size_t i = program.outcomes.size() / 2; i < program.outcomes.size() && changed == 0;
         ++i) {
        if (auto* release = std::get_if<Release>(&program.outcomes[i]))
            release->popc ^= 1, changed = i;
    }
    REQUIRE(changed != 0);
    GoldenPort golden(1);
    Replayer replayer(program, golden, true);
    const ReplayResult result = replayer.run();
    CHECK(result.differs);
    CHECK(result.compared == changed);
    CHECK(result.difference.find("recorded: cycle") == 0);
    CHECK(result.difference.find("popc") != std::string::npos);
}

namespace {

/// Answers later than the wrapped port: to a replay it looks like other parameters.
class SlowPort final : public ForwardingPort {
public:
    SlowPort(SyncPort& inner, Cycle delay) : ForwardingPort(inner), delay_(delay) {}
    void stored(std::uint8_t, std::uint32_t, std::uint32_t) override {}
    void step() override
    {
        inner_.step();
        const Cycle cycle = inner_.now() - 1;
        for (std::size_t i = 0; i < waiting_.size();) {
            if (waiting_[i].first > cycle) {
                ++i;
                continue;
            }
            auto outcome = waiting_[i].second;
            waiting_.erase(waiting_.begin() + std::ptrdiff_t(i));
            std::visit([&](auto& o) { o.cycle = cycle; }, outcome);
            if (auto* r = std::get_if<SyncResponse>(&outcome))
                sink_->onResponse(*r);
            else if (auto* l = std::get_if<Release>(&outcome))
                sink_->onRelease(*l);
            else if (auto* f = std::get_if<CtaFree>(&outcome))
                sink_->onCtaFree(*f);
        }
    }
    [[nodiscard]] Cycle quietUntil() const override
    {
        return waiting_.empty() ? inner_.quietUntil() : now();
    }
    [[nodiscard]] std::optional<Fault> fault() const override { return {}; }

private:
    void onResponse(const SyncResponse& r) override { waiting_.emplace_back(r.cycle + delay_, r); }
    void onRelease(const Release& r) override { waiting_.emplace_back(r.cycle + delay_, r); }
    void onCommit(const Commit&) override {}
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree& f) override { waiting_.emplace_back(f.cycle + delay_, f); }
    Cycle delay_;
    std::vector<std::pair<Cycle, Outcome>> waiting_;
};

}  // namespace

TEST_CASE("a replay on a slower unit stretches and completes", "[trace]")
{
    const auto seed = GENERATE(range(1u, 9u));
    CAPTURE(seed);
    Folder folder;
    const KernelShape shape{
        .sms = 2, .ctas = 4, .warps = 3, .length = 25, .launches = 2, .cluster = seed % 2 == 0};
    const Program program = Program::load(support::recordKernel(folder, shape, seed));
    GoldenPort fast(2);
    Replayer first(program, fast, false);
    const ReplayResult base = first.run();
    GoldenPort golden(2);
    SlowPort slow(golden, 20);
    Replayer replayer(program, slow, false);
    const ReplayResult result = replayer.run();
    CHECK(result.left == 0);
    CHECK(result.blocked.empty());
    CHECK(result.requests == base.requests);
    CHECK(result.cycles > base.cycles + 20 * 25);
}

TEST_CASE("a trace that never completes ends as a hang, before and in the replay",
          "[trace][BAR-038][BAR-040][BWS-011]")
{
    Folder folder;
    const std::string path = folder / "a.gsut";
    const std::string launch =
        "launch +0 after=0 0/0 threads=96 wbase=0 base=0 size=0 cluster=0:0 of 1";
    struct Case {
        std::vector<std::string> lines;
        std::string rule, text;
        std::size_t blocked;
    };
    const std::vector<Case> cases = {
        {{launch, "do +5 0/0/0 0xffffffff #0 L3 barrier.cta.sync.aligned 4;",
          "do +6 0/0/2 0xffffffff #1 L3 barrier.cta.sync.aligned 4;"},
         "BAR-038",
         "warp 1",
         2},
        {{launch, "do +5 0/0/0 0xffffffff #0 L3 barrier.cta.sync.aligned 1, 2048;"},
         "BAR-038",
         "2048",
         1},
        {{launch, "do +5 0/0/0 0xffffffff #0 L3 barrier.cta.sync.aligned 1, 96;",
          "do +6 0/0/1 0xffffffff #1 L3 barrier.cta.sync.aligned 1, 96;",
          "exit +7 0/0/2 0xffffffff"},
         "BAR-040",
         "warp 2 (exited)",
         2},
        {{launch, "do +5 0/0/0 0x00000001 #0 L3 bar.warp.sync 0x00000003;",
          "do +6 0/0/0 0x00000002 #1 L4 bar.warp.sync 0x00000007;"},
         "BWS-011",
         "mask",
         2},
        {{launch, "do +5 0/0/0 0x0000ffff #0 L3 barrier.cta.sync 1;",
          "do +6 0/0/0 0xffff0000 #1 L4 barrier.cta.sync 2;"},
         "BAR-010",
         "other lanes",
         2},
        {{launch, "do +5 0/0/0 0xffffffff #0 L3 barrier.cluster.arrive.release;"}, "", "", 0},
    };
    for (const Case& c : cases) {
        support::spill(path, support::traceText(c.lines));
        const Program program = Program::load(path);
        CAPTURE(c.lines.back());
        REQUIRE(program.findings.size() == c.blocked);
        if (c.blocked != 0) {
            CHECK(program.findings[0].rule == c.rule);
            CHECK(program.findings[0].message.find(c.text) != std::string::npos);
        }
        GoldenPort golden(1);
        Replayer replayer(program, golden, false);
        CHECK(replayer.run().blocked.size() == c.blocked);
    }
}

TEST_CASE("a trace that contradicts itself is refused", "[trace][BAR-041]")
{
    Folder folder;
    const std::string path = folder / "a.gsut";
    const std::string launch =
        "launch +0 after=0 0/0 threads=64 wbase=0 base=0 size=0 cluster=0:0 of 1";
    const std::string sync = "do +5 0/0/0 0xffffffff #0 L3 barrier.cta.sync.aligned 4;";
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{launch, sync, sync}, "BAR-041"},
        {{launch, sync, "exit +1 0/0/0 0xffffffff"}, "BAR-041"},
        {{launch, "do +5 0/0/0 0xffffffff #0 L3 bar.warp.sync 0xffffffff;", sync,
          "do +5 0/0/0 0x1 #0 L3 membar;"},
         "BAR-041"},
        {{sync},
         "warp 0/0/0 does not have the lanes 0xffffffff: no launch is before this, or all lanes "
         "have exited"},
        {{launch, "do +5 0/0/2 0xffffffff #0 L3 membar;"},
         "warp 0/0/2 does not have the lanes 0xffffffff"},
        {{launch, "exit +1 0/0/0 0xffff", sync},
         "warp 0/0/0 does not have the lanes 0x0000ffff: the launch has fewer, or they have "
         "exited"},
        {{launch, "do +5 0/0/0 0x1ffffffff #0 L3 membar;"}, "lanes has more than 32 bits"},
        {{launch, launch}, "slot is in use"},
        {{launch, "launch +0 after=0 0/1 threads=64 wbase=1 base=0 size=0 cluster=0:0 of 1"},
         "warp slots"},
        {{"launch +0 after=0 0/0 threads=64 wbase=0 base=262144 size=1 cluster=0:0 of 1"},
         "shared memory"},
        {{"launch +0 after=0 0/0 threads=64 wbase=0 base=0 size=1 cluster=0:0 of 2"}, "no route"},
        {{"launch +0 after=0 1/0 threads=64 wbase=0 base=0 size=1 cluster=0:0 of 1"},
         "not in the trace"},
        {{"issue +1 0/0/0 &1"}, "never launched"},
        {{launch, "issue +1 0/0/0 &1", "issue +1 0/0/0 &1"}, "used before"},
        {{launch, "async +1 &3 complete_tx 0/0/0 [0:0], 1 #0"}, "no issue"},
        {{"store +1 sm=0 addr=0 bytes=4"}, "no CTA"},
    };
    for (const auto& [lines, reason] : cases) {
        support::spill(path, support::traceText(lines));
        CAPTURE(lines.back());
        CHECK(support::refusal(path).find(reason) != std::string::npos);
    }
    // Completed in between: fine.
    support::spill(path,
                   support::traceText(
                       {launch, sync, "do +5 0/0/1 0xffffffff #1 L3 barrier.cta.sync.aligned 4;",
                        sync, "do +5 0/0/1 0xffffffff #1 L3 barrier.cta.sync.aligned 4;"}));
    CHECK(support::refusal(path).empty());
}
