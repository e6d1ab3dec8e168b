// Directed tests of waits: predicates, parking, wake-up at the flip, limits, a full wait buffer, objects that vanish.
#include "rtl/mbar_reference.hpp"

#include "catch.hpp"

using namespace mbar;

namespace {

constexpr std::uint32_t kBase = 0x2000;
constexpr Lanes kOne = 1;

struct Unit : Testbench {
    explicit Unit(raw::Cfg config = config0()) : Testbench(config) { launch(0, kBase, 0x1000); }
    void play(const Instruction& i)
    {
        give(i);
        settle();
        INFO(fault());
        REQUIRE(fault().empty());
    }
    void one(Op op, std::uint32_t offset, Word data = 1)
    {
        play(instruction(op, kOne, offset, data));
    }
    /// Parity wait; `limit` given or the default.
    Instruction wait(std::uint32_t offset, unsigned parity, std::optional<std::uint32_t> limit = {},
                     unsigned warp = 0, Lanes lanes = kOne)
    {
        Instruction i = instruction(Op::MbarTryWaitParity, lanes, offset, parity);
        i.req.warp = std::uint8_t(warp);
        i.req.kind = limit ? 1 : 0;
        if (limit) i.limit.fill(*limit);
        return i;
    }
    [[nodiscard]] const raw::SyncRsp& last() const { return answers.back().rsp; }
};

}  // namespace

TEST_CASE("test_wait by parity and by state, both sides of a completion",
          "[MBW-004][MBW-012][MBW-013][D-31]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 1);
    u.one(Op::MbarTestWaitParity, 0, 1);
    CHECK(u.last().pred == kOne);
    CHECK(u.last().cause == Cause::AlreadyTrue);
    Instruction arrive = instruction(Op::MbarArrive, kOne, 0, 1);
    arrive.req.want_value = true;
    for (unsigned phase = 0; phase < 6; ++phase) {
        CAPTURE(phase);
        u.one(Op::MbarTestWaitParity, 0, phase & 1);
        CHECK(u.last().pred == 0);
        CHECK(u.last().cause == Cause::Done);
        u.play(arrive);
        const Word state = u.last().value;
        u.one(Op::MbarTestWait, 0, state);
        CHECK(u.last().pred == kOne);
        u.one(Op::MbarTestWaitParity, 0, phase & 1);
        CHECK(u.last().pred == kOne);
        u.one(Op::MbarTestWait, 0, u.word(kBase));
        CHECK(u.last().pred == 0);
    }
}

TEST_CASE("a parity operand above 1 is refused with false", "[MBW-011][D-31]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 1);
    for (const Word parity : {2, 3}) {
        u.one(Op::MbarTestWaitParity, 0, parity);
        CHECK(u.commits.back().err(Parity));
        CHECK(u.last().pred == 0);
        CHECK(u.last().cause == Cause::Refused);
    }
}

TEST_CASE("a parked wait wakes at the flip, after the latency of waits", "[MBW-006][D-32]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 1);
    u.answers.clear();
    u.give(u.wait(0, 0));
    u.run(60);
    CHECK(u.answers.empty());
    u.give(instruction(Op::MbarArrive, 2, 0, 1));
    u.settle();
    REQUIRE(u.answers.size() == 2);
    const Commit& flip = u.commits.back();
    CHECK(flip.tap.flip);
    CHECK(u.last().cause == Cause::Flip);
    CHECK(u.last().pred == kOne);
    CHECK(u.last().last);
    CHECK(u.answers[1].cycle == flip.cycle + 1 + 6);
}

TEST_CASE("a second flip before the answer does not hide the first", "[D-33]")
{
    raw::Cfg config = Testbench::config0();
    config.trywait_lat = 50;
    Unit u{config};
    u.one(Op::MbarInit, 0, 1);
    u.answers.clear();
    u.give(u.wait(0, 0));
    u.run(20);
    for (int i = 0; i < 2; ++i) u.give(instruction(Op::MbarArrive, 2, 0, 1));
    u.settle();
    REQUIRE(u.answers.size() == 3);
    CHECK(u.last().pred == kOne);
    CHECK(u.last().cause == Cause::Flip);
    CHECK(decode(u.word(kBase)).phase == 0);
}

TEST_CASE("limits: none, given, default; the record of a time-out", "[MBW-006][MBW-009][D-32]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 1);
    u.play(u.wait(0, 0, 0));
    CHECK(u.last().cause == Cause::Timeout);
    CHECK(u.answers.back().cycle == u.commits.back().cycle + 6);
    u.play(u.wait(0, 0, 77));
    CHECK(u.last().cause == Cause::Timeout);
    CHECK(u.last().pred == 0);
    REQUIRE(u.commits.back().tap.op == Op::EvTimeout);
    const std::size_t n = u.commits.size();
    CHECK(u.commits[n - 1].tap.src == Src::Timer);
    CHECK(u.commits[n - 1].cycle == u.commits[n - 2].cycle + 77 + 1);
    u.play(u.wait(0, 0));
    CHECK(u.commits.back().cycle == u.commits[u.commits.size() - 2].cycle + 500 + 1);
    CHECK(u.commits.back().tap.lanes == kOne);
}

TEST_CASE("flip and expiry in one cycle: true", "[D-32]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 1);
    bool flipWon = false, limitWon = false, together = false;
    for (std::uint32_t limit = 10; limit < 30; ++limit) {
        CAPTURE(limit);
        u.answers.clear();
        u.commits.clear();
        const unsigned phase = unsigned(decode(u.word(kBase)).phase);
        u.give(u.wait(0, phase, limit));
        u.run(15);
        u.give(instruction(Op::MbarArrive, 2, 0, 1));
        u.settle();
        const std::uint64_t parked = u.commits[0].cycle;
        std::uint64_t flip = 0;
        for (const Commit& c : u.commits)
            if (c.tap.flip) flip = c.cycle;
        for (const Answer& a : u.answers) {
            if (a.rsp.lanes != kOne) continue;
            CHECK((a.rsp.pred != 0) == (flip <= parked + limit));
            (a.rsp.pred != 0 ? flipWon : limitWon) = true;
            together = together || flip == parked + limit;
        }
    }
    CHECK(flipWon);
    CHECK(limitWon);
    CHECK(together);
}

TEST_CASE("no slot or a diverged warp: false at once, with its cause", "[D-34][MBW-007]")
{
    raw::Cfg config = Testbench::config0();
    config.trywait_slots = 2;
    Unit u{config};
    u.one(Op::MbarInit, 0, 1);
    u.answers.clear();
    for (unsigned warp = 0; warp < 3; ++warp) u.give(u.wait(0, 0, {}, warp));
    Instruction alone = u.wait(0, 0, {}, 5);
    alone.req.diverged = true;
    u.give(alone);
    u.run(60);
    REQUIRE(u.answers.size() == 2);
    CHECK(u.answers[0].rsp.cause == Cause::CamFull);
    CHECK(u.answers[0].rsp.warp == 2);
    CHECK(u.answers[1].rsp.cause == Cause::Diverged);
    u.give(instruction(Op::MbarArrive, kOne, 0, 1));
    u.settle();
    CHECK(u.answers.size() == 5);
    u.one(Op::MbarInit, 8, 1);
    alone.data.fill(1);
    u.play(alone);
    CHECK(u.last().cause == Cause::Diverged);  // phase is 1 now: parity 1 is the running phase
    alone.data.fill(0);
    u.play(alone);
    CHECK(u.last().cause == Cause::AlreadyTrue);
}

TEST_CASE("32 waits on one object all wake; the buffer can be full", "[MBW-006][D-70]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 1);
    u.answers.clear();
    for (unsigned warp = 0; warp < 32; ++warp) u.give(u.wait(0, 0, {}, warp, kAll));
    u.run(200);
    CHECK(u.answers.empty());
    u.give(instruction(Op::MbarArrive, kOne, 0, 1));
    u.settle();
    REQUIRE(u.answers.size() == 33);
    std::uint32_t warps = 0;
    for (const Answer& a : u.answers) {
        if (a.rsp.cause != Cause::Flip) continue;
        warps |= 1u << a.rsp.warp;
        CHECK(a.rsp.pred == kAll);
    }
    CHECK(warps == kAll);
}

TEST_CASE("lanes on different objects: each its own answer, `last` once and last", "[D-34]")
{
    Unit u;
    for (unsigned i = 0; i < 4; ++i) u.one(Op::MbarInit, 8 * i, 1);
    u.one(Op::MbarArrive, 16, 1);
    u.answers.clear();
    Instruction i = u.wait(0, 0, {}, 0, 0xff);
    for (unsigned lane = 0; lane < 8; ++lane) i.addr[lane] = 8 * (lane % 4);
    const std::uint16_t tag = u.give(i);
    u.run(40);
    REQUIRE(u.answers.size() == 1);
    CHECK(u.answers[0].rsp.lanes == 0x44);
    CHECK_FALSE(u.answers[0].rsp.last);
    for (const unsigned object : {3, 0, 1})
        u.give(instruction(Op::MbarArrive, kOne, 8 * object, 1));
    u.settle();
    Lanes told = 0;
    int lasts = 0;
    for (const Answer& a : u.answers) {
        if (a.rsp.tag != tag) continue;
        told |= a.rsp.lanes;
        lasts += a.rsp.last;
        CHECK(a.rsp.last == (told == 0xff));
    }
    CHECK(told == 0xff);
    CHECK(lasts == 1);
}

TEST_CASE("state operands that differ in their counts wait together", "[MBW-004]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 32);
    Instruction i = instruction(Op::MbarTryWait, 0xf, 0, 0);
    for (int lane = 0; lane < 4; ++lane)
        i.data[std::size_t(lane)] = encode({0, 32 - lane, 32, 0, false});
    u.commits.clear();
    u.give(i);
    u.run(30);
    REQUIRE(u.commits.size() == 1);
    CHECK(u.commits[0].tap.lanes == 0xf);
}

TEST_CASE("inval and init under a parked wait wake it with false and are reported",
          "[D-35][MBAR-029]")
{
    for (const Op op : {Op::MbarInval, Op::MbarInit}) {
        Unit u;
        u.one(Op::MbarInit, 0, 2);
        u.answers.clear();
        u.give(u.wait(0, 0));
        u.run(30);
        u.give(instruction(op, 2, 0, 2));
        u.settle();
        CHECK(u.commits.back().err(Killed));
        CHECK_FALSE(u.commits.back().tap.refused);
        REQUIRE(u.answers.size() == 2);
        for (const Answer& a : u.answers) {
            if (a.rsp.lanes == kOne) {
                CHECK(a.rsp.cause == Cause::Killed);
                CHECK(a.rsp.pred == 0);
            }
        }
    }
}

TEST_CASE("time-outs of many waits with different limits come in the order of their limits",
          "[D-32]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 1);
    u.answers.clear();
    u.commits.clear();
    for (unsigned warp = 0; warp < 16; ++warp)
        u.give(u.wait(0, 0, 300 + 40 * (warp * 7 % 16), warp));
    u.settle();
    REQUIRE(u.answers.size() == 16);
    std::vector<std::uint64_t> parked(16);
    for (const Commit& c : u.commits) {
        if (c.tap.op != Op::EvTimeout)
            parked[c.tap.warp] = c.cycle;
        else
            CHECK(c.cycle == parked[c.tap.warp] + 300 + 40 * (c.tap.warp * 7u % 16) + 1);
    }
}
