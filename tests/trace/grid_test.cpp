// Traces of version 4: grids. What is recorded replays in its cycles, on the port that recorded it.
#include "trace/recorder.hpp"
#include "trace/support.hpp"
#include "trace/writer.hpp"

using namespace gsu;
using namespace gsu::trace;
using testfiles::Folder;

namespace {

struct Nobody final : SyncSink {
    unsigned answers{}, complete{};
    void onResponse(const SyncResponse&) override { ++answers; }
    void onRelease(const Release&) override {}
    void onCommit(const Commit&) override {}
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override {}
    void onGrid(const GridEvent& e) override { complete += e.complete; }
};

SyncRequest request(Op op, std::uint8_t cta, std::uint16_t tag)
{
    SyncRequest r{};
    r.op = op;
    r.at = {0, cta, 0};
    r.lanes = ~Lanes{0};
    r.tag = tag;
    return r;
}

/// A primary of two CTAs, its dependent, a grid elsewhere that ends in between, and one of which nothing is launched in the end.
void drive(SyncPort& port, Nobody& sink)
{
    const auto step = [&](int n) {
        while (n-- > 0) port.step();
    };
    const auto launch = [&](std::uint8_t cta, std::uint8_t grid) {
        const Launch l{
            .cta = cta, .wbase = cta, .threads = 32, .base = cta * 64u, .size = 64, .grid = grid};
        while (!port.launch(l)) port.step();
        step(20);
    };
    port.grid({.grid = 9});
    port.grid({.grid = 1, .ctas = 2});
    launch(0, 1);
    launch(1, 1);
    port.grid({.grid = 2, .ctas = 3, .prereqs = 1u << 1 | 1u << 9});
    port.present(request(Op::GdcLaunchDependents, 0, 1));
    step(30);
    launch(2, 2);
    port.present(request(Op::GdcWait, 2, 2));
    step(50);
    port.grid({.grid = 2, .ctas = 2, .fewer = true});
    port.exit({{0, 0, 0}, ~Lanes{0}, false});
    port.exit({{0, 1, 0}, ~Lanes{0}, false});
    step(100);
    CHECK(sink.answers == 1);  // the grid elsewhere
    port.grid({.grid = 9, .ended = true});
    step(100);
    CHECK(sink.answers == 2);
    port.exit({{0, 2, 0}, ~Lanes{0}, false});
    step(100);
    CHECK(sink.complete == 3);
}

}  // namespace

TEST_CASE("records of grids are read as they are written", "[trace][GDC-002]")
{
    for (const std::string line : {"grid +3 after=2 slot=15 ctas=4000000000 prereqs=0x7ffe",
                                   "grid +0 after=0 slot=1 ctas=0 prereqs=0x0000",
                                   "grid +7 after=1 slot=9 ended", "grid +7 after=1 slot=9 fewer=3",
                                   "launch +0 after=0 0/3 threads=80 wbase=4 base=0 size=1024 "
                                   "cluster=0:0 of 1 era=3 grid=9"})
        CHECK(support::textOf(support::recordOf(line)) == line);
    for (const std::string line :
         {"grid +3 after=2 slot=0 ctas=1 prereqs=0x0", "grid +3 after=2 slot=16 ctas=1 prereqs=0x0",
          "grid +3 after=2 slot=1 ctas=1 prereqs=0x2", "grid +3 after=2 slot=1 ctas=1",
          "grid +3 after=2 slot=1 fewer=0", "gridevent +3 1 over",
          "launch +0 after=0 0/3 threads=80 wbase=4 base=0 size=0 cluster=0:0 of 1 grid=16"})
        CHECK_THROWS_AS(support::recordOf(line), InputError);
}

TEST_CASE("a recorded run with grids replays in its cycles", "[trace][GDC-002][GDC-005]")
{
    Folder folder;
    const std::string path = folder / "g.gsut";
    {
        GoldenPort port(1);
        TapPort tap(port);
        Nobody sink;
        tap.setSink(sink);
        Header header;
        header.config = configOf(Preset::Hopper);
        header.sms = 1;
        Writer writer(path, header);
        Recorder recorder(writer, 1);
        tap.add(recorder);
        drive(tap, sink);
        tap.finish();
        writer.close();
    }
    const Program program = Program::load(path);
    CHECK(program.header.version == 4);
    GoldenPort port(1);
    const ReplayResult result = Replayer(program, port, true).run(100'000);
    CHECK(result.difference == "");
    CHECK_FALSE(result.differs);
    CHECK(result.blocked.empty());
    CHECK(result.compared > 8);
}

TEST_CASE("grids of a trace that contradict each other are refused", "[trace]")
{
    Folder folder;
    const std::string path = folder / "a.gsut";
    const auto refusal = [&](std::vector<std::string> lines) {
        support::spill(path, support::traceText(lines));
        return support::refusal(path);
    };
    const std::string of2 =
        "launch +0 after=0 0/0 threads=32 wbase=0 base=0 size=64 cluster=0:0 of 1 grid=2";
    CHECK_THAT(refusal({of2}), Catch::Contains("has not started"));
    CHECK_THAT(refusal({"grid +0 after=0 slot=2 ctas=0 prereqs=0x0", of2}),
               Catch::Contains("has all its CTAs"));
    CHECK_THAT(refusal({"grid +0 after=0 slot=2 ctas=1 prereqs=0x0",
                        "grid +0 after=0 slot=2 ctas=1 prereqs=0x0"}),
               Catch::Contains("the grid slot is in use"));
    CHECK_THAT(refusal({"grid +0 after=0 slot=2 ended"}), Catch::Contains("no grid elsewhere"));
    CHECK_THAT(
        refusal({"grid +0 after=0 slot=2 ctas=1 prereqs=0x0", "grid +0 after=0 slot=2 fewer=2"}),
        Catch::Contains("not so many CTAs"));
}
