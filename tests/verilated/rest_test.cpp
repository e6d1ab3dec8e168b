// A port is quiet exactly when nothing is pending: time is skipped only when it may be, and whenever it may be.
#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "golden/params.hpp"
#include "golden/word_memory.hpp"
#include "verilated/events.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;

namespace {

/// Two CTAs of four warps on two SMs, a cluster, every unit of which has worked.
class Pair {
public:
    explicit Pair(bool assertions) : port(2, config(), assertions)
    {
        port.setMemory(memory_);
        port.setSink(log);
        for (std::uint8_t sm = 0; sm < 2; ++sm) port.route({3, sm, sm, 0, 2});
        for (std::uint8_t sm = 0; sm < 2; ++sm) {
            const Launch l{
                .sm = sm, .cluster = 3, .rank = sm, .ctas = 2, .threads = 128, .size = 1024};
            while (!port.launch(l)) port.step();
        }
        settle();
    }
    /// The operation in the lanes of one warp of both CTAs.
    void give(Op op, std::uint8_t warp, Lanes lanes = ~Lanes{0}, std::uint64_t data = 1)
    {
        for (std::uint8_t sm = 0; sm < 2; ++sm) give(sm, op, Scope::Cluster, warp, lanes, data);
    }
    void give(std::uint8_t sm, Op op, Scope scope, std::uint8_t warp, Lanes lanes = 1,
              std::uint64_t data = 1)
    {
        SyncRequest r;
        r.op = op;
        r.at = {sm, 0, warp};
        r.lanes = lanes;
        r.tag = tag_++;
        r.sem = Sem::AcqRel;
        r.scope = scope;
        r.arg0 = op == Op::BarSync ? 1 : ~0u;
        r.remote = op == Op::MbarArrive;
        r.data.fill(data);
        r.addr.fill(clusterAddress(op == Op::MbarArrive ? 1 - sm : sm, 64));
        while (!port.canPresent(sm)) port.step();
        port.present(r);
    }
    void work()
    {
        give(Op::MbarInit, 0, 1, 1);
        settle();
        give(Op::MbarArrive, 1, 1);
        for (std::uint8_t warp = 0; warp < 4; ++warp) give(Op::BarSync, warp);
        settle();
        for (const Op op : {Op::VoteSync, Op::MatchAny, Op::Redux, Op::WarpSync}) give(op, 2);
        give(Op::Fence, 3);
        settle();
        for (std::uint8_t warp = 0; warp < 4; ++warp) give(Op::ClusterArrive, warp);
        settle();
        for (std::uint8_t warp = 0; warp < 4; ++warp) give(Op::ClusterWait, warp);
        settle();
    }
    /// Steps that no input comes in: more than anything of this takes.
    void settle()
    {
        for (int i = 0; i < 4000; ++i) port.step();
        const auto fault = port.fault();
        INFO((fault ? fault->message : ""));
        REQUIRE(!fault);
    }
    test::EventLog log;
    WordMemory memory_{2};
    RtlPort port;

private:
    static Config config()
    {
        Config c = configOf(Preset::Hopper);
        c.dsm_hop = 600;
        return c;
    }
    std::uint16_t tag_{1};
};

}  // namespace

TEST_CASE("who has answered everything is quiet for ever, while CTAs live and after their end",
          "[D-70][D-41][skip]")
{
    for (const bool assertions : {false, true}) {
        CAPTURE(assertions);
        Pair p(assertions);
        CHECK(p.port.quietUntil() == kNever);
        p.work();
        CHECK(p.log.releases.size() ==
              2 + 8);  // a barrier each, each warp from the cluster barrier
        CHECK(p.log.responses.size() > 20);
        CHECK(p.port.quietUntil() == kNever);
        const std::uint64_t before = p.port.evaluations();
        p.settle();
        CHECK(p.port.evaluations() == before);
        for (std::uint8_t sm = 0; sm < 2; ++sm)
            for (std::uint8_t warp = 0; warp < 4; ++warp)
                p.port.exit({{sm, 0, warp}, ~Lanes{0}, false});
        CHECK(p.port.quietUntil() == p.port.now());
        p.settle();
        CHECK(p.port.quietUntil() == kNever);
    }
}

TEST_CASE("of several deadlines the earliest ends the time that is left out, whoever came first",
          "[D-70][skip]")
{
    const auto lines = [](bool assertions, bool skipping) {
        Pair p(assertions);
        p.give(Op::MbarInit, 0, 1, 9);
        p.settle();
        for (const std::uint8_t sm : {std::uint8_t(1), std::uint8_t(0), std::uint8_t(1)}) {
            p.give(sm, Op::MbarArrive, Scope::Cluster, 0);  // to the other one
            for (int i = 0; i < 50; ++i) p.port.step();
        }
        p.give(0, Op::Fence, Scope::Cluster, 1);
        p.give(0, Op::Fence, Scope::Sys, 2);
        unsigned left = 0, stepped = 0;
        for (const Cycle end = p.port.now() + 5000; p.port.now() < end;) {
            const Cycle quiet = std::min(p.port.quietUntil(), end);
            if (!skipping || quiet <= p.port.now())
                p.port.step(), ++stepped;
            else
                p.port.skipTo(quiet), ++left;
        }
        CHECK(p.port.quietUntil() == kNever);
        CHECK((left > 3) == skipping);
        CHECK((stepped < 300) == skipping);
        return p.log.lines;
    };
    for (const bool assertions : {false, true}) {
        CAPTURE(assertions);
        const auto every = lines(assertions, false), some = lines(assertions, true);
        CHECK(every == some);
        CHECK(every.size() > 15);
    }
}
