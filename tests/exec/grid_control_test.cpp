// griddepcontrol of a launch goes through the port: what waits, what is reported, and when (on the golden port, in lockstep).
#include "catch.hpp"
#include "harness.hpp"
#include "lockstep/lockstep_port.hpp"

using namespace gsu;
using namespace gsu::test;
using Turn = Executor::Turn;

namespace {

/// A launch in parts.
class Run {
public:
    Run(const Kernel& kernel, std::uint32_t ctas)
        : module_(ptx::parseModule(kernel.text(), "test.ptx")), spec_(specOf(ctas))
    {
        const ptx::Diagnostic* d = ptx::firstError(module_);
        if (d != nullptr) FAIL(d->message);
        executor.emplace(spec_, module_, RunOptions{});
        golden_.emplace(executor->sms());
        port_.emplace(*golden_);
        executor->begin(*port_);
    }
    /// Runs until the launch ends or stops; returns the turns in which it has signalled and still runs.
    Turn go()
    {
        Turn turn = Turn::Going;
        while (turn == Turn::Going) {
            turn = executor->turn();
            early += turn == Turn::Going && executor->signalled();
        }
        if (port_->fault()) FAIL(port_->fault()->message);
        return turn;
    }
    [[nodiscard]] std::vector<std::uint32_t> buffer() const
    {
        const auto bytes = executor->readBuffer(0);
        std::vector<std::uint32_t> out(bytes.size() / 4);
        std::memcpy(out.data(), bytes.data(), bytes.size());
        return out;
    }
    std::optional<Executor> executor;
    unsigned early{};

private:
    static LaunchSpec specOf(std::uint32_t ctas)
    {
        LaunchSpec spec;
        spec.file = "test.launch.json";
        spec.block = {64, 1, 1};
        spec.grid = {ctas, 1, 1};
        spec.params = {buffer32()};
        return spec;
    }
    static LaunchParam buffer32() { return test::buffer(std::vector<std::uint32_t>(8)); }

    ptx::Module module_;
    LaunchSpec spec_;
    std::optional<GoldenPort> golden_;
    std::optional<LockstepPort> port_;
};

const Kernel kWaits{.params = ".param .u64 b", .body = R"(
    ld.param.u64 %rd0, [b];
    red.global.add.u32 [%rd0], 1;
    griddepcontrol.wait;
    red.global.add.u32 [%rd0+4], 1;
    ret;)"};

/// CTA 0 signals, by all threads and twice, and works on; the others end silently.
const Kernel kSignals{.params = ".param .u64 b", .body = R"(
    ld.param.u64 %rd0, [b];
    mov.u32 %r0, %ctaid.x;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra DONE;
    griddepcontrol.launch_dependents;
    griddepcontrol.launch_dependents;
    mov.u32 %r1, 0;
LOOP:
    add.u32 %r1, %r1, 1;
    red.global.add.u32 [%rd0], 1;
    setp.lt.u32 %p1, %r1, 300;
    @%p1 bra LOOP;
DONE:
    ret;)"};

}  // namespace

TEST_CASE("a wait goes on when the launches before have ended, and what is before it does not wait",
          "[exec][GDC-005][GDC-008][EX-GDC-01]")
{
    Run run(kWaits, 2);
    run.executor->setGridsBefore(true);
    REQUIRE(run.go() == Turn::Still);
    CHECK(run.buffer()[0] == 128);
    CHECK(run.buffer()[1] == 0);
    CHECK_FALSE(run.executor->signalled());
    run.executor->setGridsBefore(false);
    REQUIRE(run.go() == Turn::Ended);
    CHECK(run.buffer()[1] == 128);
    CHECK(run.executor->end().verdict == Verdict::Pass);
    Run alone(kWaits, 2);
    REQUIRE(alone.go() == Turn::Ended);
    CHECK(alone.buffer()[1] == 128);
}

TEST_CASE("a launch whose prerequisites never end hangs at its wait", "[exec][GDC-005][D-62]")
{
    Run run(kWaits, 1);
    run.executor->setGridsBefore(true);
    REQUIRE(run.go() == Turn::Still);
    const RunResult result = run.executor->end();
    CHECK(result.verdict == Verdict::Hang);
    REQUIRE(result.hang);
    CHECK(result.hang->explanation.find("the grids before this one do not end") !=
          std::string::npos);
}

TEST_CASE("a launch has signalled when every CTA has, or has ended", "[exec][GDC-002][GDC-003]")
{
    Run run(kSignals, 5);
    REQUIRE(run.go() == Turn::Ended);
    CHECK(run.early > 100);
    CHECK(run.executor->signalled());
    Run silent({.params = ".param .u64 b", .body = "bar.sync 0;\nret;"}, 5);
    REQUIRE(silent.go() == Turn::Ended);
    CHECK(silent.early <= 1);  // the turn in which the last CTA is freed
    CHECK(silent.executor->signalled());
}
