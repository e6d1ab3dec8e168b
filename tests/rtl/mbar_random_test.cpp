// Random streams of every kind at once, replayed commit by commit on the reference; the same stream with idle cycles left out.
#include <algorithm>
#include <map>
#include <random>

#include "rtl/mbar_reference.hpp"

#include "catch.hpp"

using namespace mbar;

namespace {

constexpr std::uint32_t kBases[] = {0x800, 0x808, 0x3000};  // the first two share a line
constexpr std::uint32_t kSizes[] = {8, 0x100, 0x400};
constexpr unsigned kCtas = 3;

struct Event {
    std::uint64_t cycle{};
    enum Kind { Request, Async, Packet } kind{};
    Instruction instruction;
    raw::Async async;
    raw::Pkt pkt;
};

class Stimulus {
public:
    explicit Stimulus(unsigned seed, bool legalOnly) : random_(seed), legal_(legalOnly) {}

    Event next()
    {
        Event e;
        clock_ += pick(8) == 0 ? pick(200) : pick(4);
        e.cycle = clock_;
        const unsigned what = pick(10);
        if (what < 7)
            request(e);
        else if (what < 8)
            async(e);
        else
            packet(e);
        return e;
    }

private:
    unsigned pick(unsigned n) { return unsigned(random_() % n); }
    bool wrong() { return !legal_ && pick(40) == 0; }
    std::uint32_t offset(unsigned cta)
    {
        if (wrong()) return pick(2) == 0 ? kSizes[cta] : 4;
        return 8 * pick(std::min(kSizes[cta] / 8, 6u));
    }
    std::uint32_t operand(Op op)
    {
        if (wrong()) return pick(3) == 0 ? 0 : pick(2) == 0 ? 0x10'0000 : unsigned(random_());
        if (op == Op::MbarInit) return pick(4) == 0 ? 32 : 1 + pick(12);
        if (op == Op::MbarArrive || op == Op::MbarArriveDrop) return pick(3) == 0 ? 2 : 1;
        return 4 * pick(3);
    }
    void request(Event& e)
    {
        static constexpr Op kOps[] = {
            Op::MbarInit,         Op::MbarInval,          Op::MbarExpectTx,
            Op::MbarCompleteTx,   Op::MbarArrive,         Op::MbarArrive,
            Op::MbarArrive,       Op::MbarArriveExpectTx, Op::MbarArriveDrop,
            Op::MbarDropExpectTx, Op::MbarTestWait,       Op::MbarTestWaitParity,
            Op::MbarTryWait,      Op::MbarTryWaitParity,  Op::MbarTryWaitParity,
            Op::CpAsyncArrive,    Op::CpAsyncArriveNoinc, Op::StAsync};
        Op op = kOps[pick(std::size(kOps))];
        if (op == Op::MbarInval && pick(3) != 0) op = Op::MbarInit;
        const unsigned cta = pick(kCtas);
        Lanes lanes = pick(2) == 0 ? 1u << pick(32) : pick(2) == 0 ? kAll : unsigned(random_());
        if (lanes == 0) lanes = 1;
        const bool sameObject = pick(3) != 0, sameOperand = pick(4) != 0;
        const std::uint32_t where = offset(cta), what = operand(op),
                            limit = pick(4) == 0 ? 0 : pick(120);
        e.instruction = instruction(op, lanes, where, what);
        raw::SyncReq& r = e.instruction.req;
        r.cta = std::uint8_t(cta);
        r.warp = std::uint8_t(pick(32));
        r.want_value = pick(2) == 0;
        r.no_complete = pick(8) == 0;
        r.diverged = pick(8) == 0;
        r.kind = pick(2) == 0;
        r.remote = op == Op::StAsync || pick(8) == 0;
        for (unsigned lane = 0; lane < 32; ++lane) {
            std::uint32_t at = sameObject ? where : offset(cta);
            Word data = sameOperand ? what : operand(op);
            if (op == Op::MbarTestWaitParity || op == Op::MbarTryWaitParity)
                data = wrong() ? 2 : pick(8) == 0 ? pick(2) : what & 1;
            if (op == Op::MbarTestWait || op == Op::MbarTryWait)
                data = std::uint64_t{pick(2)} << 63 | pick(1000);
            if (r.remote) at |= (sameObject ? e.instruction.req.warp % 4u : pick(4)) << 24;
            e.instruction.addr[lane] = at;
            e.instruction.data[lane] = data;
            e.instruction.limit[lane] = sameOperand ? limit : pick(100);
        }
        e.kind = Event::Request;
    }
    void async(Event& e)
    {
        e.kind = Event::Async;
        const unsigned cta = wrong() ? 20 : pick(kCtas);
        e.async.kind = pick(2) == 0 ? AsyncKind::ArriveOn : AsyncKind::CompleteTx;
        e.async.cta = std::uint8_t(cta);
        e.async.addr = cta < kCtas ? offset(cta) : 0;
        e.async.amount = e.async.kind == AsyncKind::ArriveOn ? (wrong() ? 0 : 1 + pick(40))
                                                             : operand(Op::MbarCompleteTx);
        e.async.tag = nextTag_++;
    }
    void packet(Event& e)
    {
        e.kind = Event::Packet;
        const unsigned cta = pick(kCtas);
        e.pkt.kind = PktKind(pick(7));
        e.pkt.dst_cta = std::uint8_t(cta);
        e.pkt.rank = std::uint8_t(cta);
        e.pkt.clus = wrong() ? 7 : 3;
        e.pkt.offset = offset(cta);
        e.pkt.amount = e.pkt.kind == PktKind::Arrive || e.pkt.kind == PktKind::Drop ? 1 + pick(2)
                                                                                    : 4 * pick(3);
        // Some arrivals of one are those of agents: no draw more, so that the rest is as without them.
        if (e.pkt.kind == PktKind::Arrive && e.pkt.amount == 1 && nextTag_ % 2 == 0)
            e.pkt.kind = PktKind::AgentArrive;
        e.pkt.tag = nextTag_++;
        const unsigned first = pick(32);
        e.pkt.lane = std::uint8_t(first);
        if (e.pkt.kind != PktKind::Data) e.pkt.more = std::uint8_t(pick(32 - first));
        e.pkt.was = e.pkt.kind;
    }

    std::mt19937 random_;
    bool legal_;
    std::uint64_t clock_{10};
    std::uint16_t nextTag_{0};
};

struct Run {
    std::unique_ptr<Testbench> testbench;
    std::map<std::uint16_t, Instruction> given;
    std::map<std::uint16_t, std::int64_t> asyncs, packets;  ///< amounts by tag
};

Run play(unsigned seed, unsigned events, raw::Cfg config, bool skipping, bool legal = false,
         unsigned stalls = 0)
{
    Run run;
    run.testbench = std::make_unique<Testbench>(config);
    Testbench& b = *run.testbench;
    b.skipping = skipping;
    b.txStall = b.rspStall = stalls;
    for (unsigned cta = 0; cta < kCtas; ++cta) b.launch(cta, kBases[cta], kSizes[cta], cta, 4, 3);
    Stimulus stimulus{seed, legal};
    for (unsigned i = 0; i < events; ++i) {
        const Event e = stimulus.next();
        b.runTo(e.cycle);
        switch (e.kind) {
            case Event::Request: {
                const std::uint16_t tag = b.give(e.instruction);
                run.given[tag] = e.instruction;
                break;
            }
            case Event::Async:
                b.give(e.async);
                run.asyncs[e.async.tag] = e.async.amount;
                break;
            case Event::Packet:
                b.give(e.pkt);
                run.packets[e.pkt.tag] = e.pkt.amount;
                break;
        }
    }
    b.settle(2'000'000);
    return run;
}

/// Replays the commits one execution at a time.
struct Replay {
    std::map<std::uint32_t, Word> words;  // by {cta, offset}
    bool lock{};
    unsigned flips{}, refusals{}, remote{}, copies{};

    /// Refused before the object was looked at, or not about an object's word.
    static bool outside(const Commit& c)
    {
        constexpr unsigned kBefore = 1 << Align | 1 << Window | 1 << Undeliverable |
                                     1 << RemoteForm | 1 << Self | 1 << Parity;
        return c.tap.op == Op::EvTimeout || c.tap.op == Op::EvDelivered ||
               (c.tap.refused && (c.tap.errs & kBefore)) ||
               (c.tap.op == Op::EvAsyncArrive && c.err(Count));
    }
    void object(const Commit& c, const Run& run)
    {
        const raw::Tap& t = c.tap;
        CAPTURE(c.cycle, int(t.op), t.obj, t.lanes, t.errs);
        const std::uint32_t key = std::uint32_t(t.cta) << 24 | (t.obj & 0xff'ffff);
        const auto known = words.find(key);
        const Word was = known == words.end() ? 0 : known->second;
        REQUIRE(t.old_w == was);
        Word word = was;
        bool refused = false, flip = false, first = true;
        for (unsigned lane = 0; lane < 32; ++lane) {
            if (!(t.lanes >> lane & 1)) continue;
            REQUIRE_FALSE(flip);  // only the last execution may complete the phase
            const Outcome out = execute(decode(word), t.op, operand(t, lane, run), lock);
            if (!first) REQUIRE(out.refused == refused);
            refused = out.refused;
            flip = out.flip;
            if (encode(out.after) != encode(decode(word))) word = encode(out.after);
            first = false;
        }
        REQUIRE(t.refused == refused);
        REQUIRE(t.flip == flip);
        REQUIRE(t.new_w == word);
        if (t.new_w != was) words[key] = word;
        flips += flip;
        refusals += refused;
        remote += t.src == Src::Remote && !refused;
        copies += t.src == Src::AsyncCopy && !refused;
    }
    static std::int64_t operand(const raw::Tap& t, unsigned lane, const Run& run)
    {
        if (t.src == Src::Local) return std::uint32_t(run.given.at(t.tag).data[lane]);
        if (t.op == Op::EvAsyncArrive) return 1;
        return t.src == Src::AsyncCopy ? run.asyncs.at(t.tag) : run.packets.at(t.tag);
    }
};

}  // namespace

TEST_CASE("random local streams equal the reference, lane by lane",
          "[D-01][D-23][MBAR-002][MBAR-010]")
{
    const unsigned seed = GENERATE(range(1u, 13u));
    CAPTURE(seed);
    raw::Cfg config = Testbench::config0();
    config.mbar_policy = std::uint8_t(seed % 4);
    config.smem_lat = std::uint16_t(1 + seed % 5);
    config.trywait_slots = seed % 3 == 0 ? 4 : 32;
    config.mbar_interval = std::uint16_t(1 + seed % 2);
    const Run run = play(seed, 1500, config, false, false, seed % 2 == 0 ? 4 : 0);
    const Testbench& b = *run.testbench;
    INFO(b.fault());
    REQUIRE(b.fault().empty());
    Replay replay;
    replay.lock = config.mbar_policy & 2;
    for (const Commit& c : b.commits)
        if (!Replay::outside(c)) replay.object(c, run);
    CHECK(replay.flips > 50);
    CHECK(replay.refusals > 50);
    CHECK(replay.remote > 20);
    CHECK(replay.copies > 20);

    // Every lane of every request is answered once, `last` comes last; commits of a request name each local lane once.
    std::map<std::uint16_t, Lanes> told;
    unsigned parked = 0, timeouts = 0, woken = 0;
    for (const Answer& a : b.answers) {
        const Lanes lanes = run.given.at(a.rsp.tag).req.lanes;
        REQUIRE((told[a.rsp.tag] & a.rsp.lanes) == 0);
        told[a.rsp.tag] |= a.rsp.lanes;
        REQUIRE(a.rsp.last == (told[a.rsp.tag] == lanes));
        timeouts += a.rsp.cause == Cause::Timeout;
        woken += a.rsp.cause == Cause::Flip;
        parked += a.rsp.cause == Cause::CamFull;
    }
    CHECK(told.size() == run.given.size());
    CHECK(timeouts > 5);
    CHECK(woken > 0);
    if (config.trywait_slots == 4) CHECK(parked > 0);
    for (const auto& [key, word] : replay.words) {
        if (!(config.mbar_policy & 1)) CHECK(b.word(kBases[key >> 24] + (key & 0xff'ffff)) == word);
    }
}

TEST_CASE("leaving out idle cycles changes nothing, not even a cycle number", "[D-70]")
{
    const unsigned seed = GENERATE(range(1u, 9u));
    CAPTURE(seed);
    raw::Cfg config = Testbench::config0();
    config.mbar_policy = seed % 2;
    config.smem_lat = 23;
    config.mbar_lat = 18;
    config.trywait_lat = 36;
    config.mbar_remote_lat = 18;
    const Run full = play(seed, 1000, config, false), skipped = play(seed, 1000, config, true);
    REQUIRE(full.testbench->fault().empty());
    REQUIRE(skipped.testbench->fault().empty());
    REQUIRE(full.testbench->commits == skipped.testbench->commits);
    REQUIRE(full.testbench->answers == skipped.testbench->answers);
    REQUIRE(full.testbench->packets == skipped.testbench->packets);
    CHECK(skipped.testbench->evaluated * 10 < full.testbench->evaluated * 9);
}

TEST_CASE("write-through and write-back give the same words and answers", "[D-37]")
{
    const unsigned seed = GENERATE(range(1u, 5u));
    CAPTURE(seed);
    raw::Cfg config = Testbench::config0();
    Word words[2][6] = {};
    for (unsigned back = 0; back < 2; ++back) {
        config.mbar_policy = std::uint8_t(back);
        Testbench b{config};
        b.launch(0, 0x100, 0x800);
        std::mt19937 random(seed);
        for (unsigned i = 0; i < 6; ++i) {
            b.give(instruction(Op::MbarInit, 1, 32 * i, 1 + i));
            b.settle();
        }
        for (int i = 0; i < 400; ++i) {
            static constexpr Op kOps[] = {Op::MbarArrive, Op::MbarExpectTx, Op::MbarCompleteTx,
                                          Op::MbarArrive};
            const Op op = kOps[random() % 4];
            b.give(
                instruction(op, 1, 32 * std::uint32_t(random() % 6), op == Op::MbarArrive ? 1 : 8));
            if (random() % 3 == 0) b.settle();
        }
        b.settle();
        b.end(0);
        b.settle();
        REQUIRE(b.fault().empty());
        for (unsigned i = 0; i < 6; ++i) words[back][i] = b.word(0x100 + 32 * i);
    }
    for (unsigned i = 0; i < 6; ++i) CHECK(words[0][i] == words[1][i]);
}
