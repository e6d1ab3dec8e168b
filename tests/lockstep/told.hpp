/// A follower alone, which is told what a driver and a device do, step by step: for reports that no device makes. Every step but the last of a
/// case must be right, so the fault that it ends with is that of the last one.
#pragma once
#include <bit>

#include "catch.hpp"
#include "golden/mbarrier_unit.hpp"
#include "lockstep/follower.hpp"

namespace gsu::test {

inline constexpr Lanes kAll = ~Lanes{0};
inline constexpr WarpRef kFirst{0, 0, 0}, kSecond{0, 0, 1}, kFar{1, 0, 0};

class Told {
public:
    static constexpr Cycle kBound = 1'000;
    static constexpr std::uint8_t kCluster = 5;  ///< the slot of the cluster of two CTAs

    [[nodiscard]] std::string said() const
    {
        return follower.fault() ? follower.fault()->message : "";
    }

    // The driver.
    void launch(const Launch& l)
    {
        driver(&Follower::onLaunch, l);
        commit({.unit = Unit::Cta, .op = Op::EvLaunch, .at = {l.sm, l.cta, 0}});
    }
    /// A CTA alone, in slot 0 of SM 0.
    void alone(unsigned warps = 1, std::uint8_t grid = 0)
    {
        launch({.threads = std::uint16_t(32 * warps), .size = 0x400, .grid = grid});
    }
    /// A cluster of two CTAs of one warp, in slot 0 of both SMs.
    void pair()
    {
        for (std::uint8_t r = 0; r < 2; ++r)
            driver(&Follower::onRoute, ClusterRoute{kCluster, r, r, 0, 2});
        for (std::uint8_t r = 0; r < 2; ++r)
            launch(
                {.sm = r, .cluster = kCluster, .rank = r, .ctas = 2, .threads = 32, .size = 0x400});
    }
    void request(const SyncRequest& r) { driver(&Follower::onRequest, r); }
    template <class On, class Record> void driver(On on, const Record& record)
    {
        right();
        (follower.*on)(now, record);
    }
    void accesses(const Accesses& a, bool performed)
    {
        right();
        follower.onAccesses(now, a, performed);
    }
    // The device.
    void commit(Commit c)
    {
        right();
        c.seq = seq++;
        c.cycle = now;
        follower.onCommit(c);
    }
    template <class On, class Record> void device(On on, Record record)
    {
        right();
        record.cycle = now;
        (follower.*on)(record);
    }
    void answer(const SyncResponse& r) { device(&Follower::onResponse, r); }
    /// A clock in which packets may leave in epoch 0.
    void step()
    {
        right();
        const auto first = [](const WarpRef&) { return 0u; };
        follower.sample(first, false);
        follower.sample(first, true);
        follower.tick(++now);
    }
    void wait(Cycle clocks = kBound + 1)
    {
        right();
        now += clocks;
        follower.tick(now);
    }
    void idle()
    {
        right();
        follower.checkIdle(now);
    }
    /// All lanes of a warp exit, and the table commits it; then the other units see it.
    void exitAtTable(const WarpRef& at)
    {
        driver(&Follower::onExit, Exit{at, ~Lanes{0}, false});
        commit({.unit = Unit::Cta, .op = Op::EvWarpExit, .at = at, .lanes = ~Lanes{0}});
    }
    void exitAtNamed(const WarpRef& at)
    {
        commit({.unit = Unit::Named, .op = Op::EvWarpExit, .at = at, .object = at.cta});
    }
    void exitAtCluster(const WarpRef& at)
    {
        GoldenUnits units = follower.unit();
        Commit c{.unit = Unit::Cluster, .op = Op::EvWarpExit, .at = at, .object = slotOf(at)};
        c.oldWord = units.part(at).word();
        c.errs = units.clusterExit(at).errs;
        c.newWord = units.part(at).word();
        commit(c);
    }
    void leave(const WarpRef& at)
    {
        exitAtTable(at);
        exitAtNamed(at);
        exitAtCluster(at);
    }
    void free(const WarpRef& at) { commit({.unit = Unit::Cta, .op = Op::EvCtaFree, .at = at}); }
    /// The right commit of lanes at a named barrier.
    [[nodiscard]] Commit named(Op op, const WarpRef& at, Lanes lanes, std::uint16_t tag,
                               bool diverged = false) const
    {
        GoldenUnits units = follower.unit();
        WarpJoin& join = units.join(at);
        const JoinGroup g = join.take(join.find(unsigned(std::countr_zero(lanes))));
        Commit c{.unit = Unit::Named, .op = op, .at = at, .lanes = lanes, .tag = tag};
        c.object = g.arg0;
        const unsigned id = g.arg0 % units.bars();
        c.oldWord = wordOf(units.named(at).at(id));
        const NamedNext next = units.named(at).arrive(g, diverged);
        c.newWord = wordOf(next.state);
        c.errs = next.errs;
        c.flip = next.flip;
        c.refused = next.refused;
        return c;
    }
    /// The right commit of a warp at the cluster barrier.
    [[nodiscard]] Commit clustered(Op op, const WarpRef& at, std::uint16_t tag) const
    {
        GoldenUnits units = follower.unit();
        Commit c{.unit = Unit::Cluster, .op = op, .at = at, .lanes = ~Lanes{0}, .tag = tag};
        c.object = slotOf(at);
        c.oldWord = units.part(at).word();
        const ClusterNext next = units.part(at).commit(op, at.warp, false);
        c.newWord = units.part(at).word();
        c.errs = next.errs;
        c.cause = next.cause;
        return c;
    }
    /// The delivery of a complete generation to a CTA.
    [[nodiscard]] Commit delivery(const WarpRef& at) const
    {
        GoldenUnits units = follower.unit();
        Commit c{.unit = Unit::Cluster, .op = Op::EvClusterFlip, .at = at, .object = slotOf(at)};
        c.oldWord = units.part(at).word();
        (void)units.part(at).flip();
        c.newWord = units.part(at).word();
        c.flip = true;
        return c;
    }
    [[nodiscard]] std::uint32_t slotOf(const WarpRef& at) const
    {
        const Launch& l = follower.unit().cta(at).launch;
        return l.ctas > 1 ? l.cluster : 0u;
    }
    void right() const
    {
        INFO(said());
        REQUIRE(!follower.fault());
    }

    Follower follower{2, {.bound = kBound, .waitLimit = 500}};
    Cycle now{1};
    std::uint64_t seq{1};
};

/// A wrong last step, and what the follower says of it.
struct WrongStep {
    const char* name;
    const char* says;
    void (*steps)(Told&);
};

inline void requireNamed(const std::vector<WrongStep>& all, Fault::Kind kind)
{
    for (const WrongStep& w : all) {
        CAPTURE(w.name);
        Told t;
        w.steps(t);
        CHECK_THAT(t.said(), Catch::Contains(w.says));
        CHECK((t.follower.fault() && t.follower.fault()->kind == kind));
    }
}
/// As requireNamed, for steps that are all right: the follower must not mind them.
inline void requireSilent(const std::vector<WrongStep>& all)
{
    for (const WrongStep& w : all) {
        CAPTURE(w.name);
        Told t;
        w.steps(t);
        CHECK(t.said() == "");
    }
}

inline SyncRequest requestOf(Op op, Lanes lanes, std::uint16_t tag, const WarpRef& at = {})
{
    SyncRequest r;
    r.op = op;
    r.at = at;
    r.lanes = lanes;
    r.tag = tag;
    if (op == Op::WarpSync) r.arg0 = ~0u;
    return r;
}

inline SyncRequest aligned(Op op, Lanes lanes, std::uint16_t tag, const WarpRef& at = kFirst)
{
    SyncRequest r = requestOf(op, lanes, tag, at);
    r.aligned = true;
    return r;
}

/// Warp 0 of two waits with its lower half, warp 1 exits: that completes the barrier.
inline void completedByExit(Told& t)
{
    t.alone(2);
    t.request(aligned(Op::BarSync, 0xffff, 1));
    t.commit(t.named(Op::BarSync, kFirst, 0xffff, 1, true));
    t.exitAtTable(kSecond);
    t.exitAtNamed(kSecond);
}
inline Commit flipByExit(const Told& t)
{
    GoldenUnits units = t.follower.unit();
    return {.unit = Unit::Named,
            .op = Op::EvWarpExit,
            .at = kSecond,
            .oldWord = wordOf(units.named(kSecond).at(0)),
            .flip = true};
}
/// Both CTAs of a pair arrive: a generation is complete.
inline void bothArrive(Told& t)
{
    t.pair();
    for (const WarpRef& at : {kFirst, kFar}) {
        t.request(requestOf(Op::ClusterArrive, kAll, 1, at));
        t.commit(t.clustered(Op::ClusterArrive, at, 1));
        t.answer({.tag = 1, .at = at, .lanes = kAll, .last = true, .cause = Cause::Done});
    }
}

}  // namespace gsu::test
