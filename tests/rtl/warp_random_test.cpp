// Random lanes, masks, modes and values of several warps against the rules, lane by lane; parts arrive in any order, lanes exit meanwhile.
#include <algorithm>
#include <random>

#include "warp_testbench.hpp"

using namespace testbench;

namespace {

constexpr unsigned kWarps = 6;

/// One operation of a warp: a request with the operands of all its lanes, and the lanes that take part.
struct Meeting {
    SyncRequest whole;
    Lanes over{};
};

class Traffic {
public:
    Traffic(Testbench& testbench, std::uint32_t seed) : b(testbench), rng_(seed)
    {
        live.fill(kAll);
    }

    /// Each warp executes one operation per part of a random partition of its lanes; every lane gets what the rules say.
    void round()
    {
        b.seen.clear();
        std::vector<Meeting> meetings;
        for (unsigned warp = 0; warp < kWarps; ++warp) {
            const Lanes cut = rng_() % 3 == 0 ? 0 : Lanes(rng_());
            for (const Lanes mask : {cut, ~cut}) {
                if ((mask & live[warp]) != 0) {
                    meetings.push_back(draw(warp, mask));
                }
            }
        }
        std::vector<SyncRequest> parts;
        for (const Meeting& m : meetings) {
            split(m, parts);
        }
        std::shuffle(parts.begin(), parts.end(), rng_);
        for (SyncRequest& part : parts) {
            part.tag = std::uint16_t(++tag_ % 4096);
            b.present(part);
        }
        b.run(900);
        for (unsigned warp = 0; warp < kWarps; ++warp) {
            check(warp, meetings);
        }
    }
    void exitSome(unsigned warp)
    {
        const Lanes gone = live[warp] & Lanes(rng_()) & Lanes(rng_()) & Lanes(rng_());
        if (gone != 0 && gone != live[warp]) {
            b.exit(warp, gone);
            live[warp] &= ~gone;
            b.run(20);
        }
    }
    unsigned splits{}, sets{}, nans{};
    std::map<Op, unsigned> seen;

private:
    Meeting draw(unsigned warp, Lanes mask)
    {
        constexpr Op kOps[] = {Op::Vote,  Op::VoteSync, Op::MatchAny,   Op::MatchAll, Op::Redux,
                               Op::Redux, Op::Elect,    Op::ActiveMask, Op::MatchAny, Op::VoteSync};
        Meeting m;
        m.whole = warpOp(kOps[rng_() % std::size(kOps)], warp, 0, mask);
        m.over = mask & live[warp];
        const Op op = m.whole.op;
        ++seen[op];
        if (op == Op::Vote || op == Op::VoteSync) m.whole.kind = std::uint8_t(rng_() % 4);
        if (op == Op::MatchAny || op == Op::MatchAll) m.whole.kind = std::uint8_t(rng_() % 2);
        if (op == Op::Redux) {
            m.whole.kind = std::uint8_t(rng_() % 10);
            if (m.whole.kind >= kReduxMinF) m.whole.kind |= std::uint8_t((rng_() % 4) << 4);
        }
        const Lanes density[] = {0, kAll, Lanes(rng_()), Lanes(rng_()) | Lanes(rng_())};
        m.whole.pred = density[rng_() % 4];
        for (std::uint64_t& value : m.whole.data) value = drawValue();
        if (rng_() % 4 == 0) m.whole.data.fill(drawValue());
        return m;
    }
    std::uint64_t drawValue()
    {
        constexpr std::uint32_t kEdges[] = {0,           0x8000'0000, 0x7fff'ffff, 0xffff'ffff,
                                            0x3f80'0000, 0xbf80'0000, 0x7f80'0000, 0xff80'0000,
                                            0x7fc0'0000, 0xffc0'0001, 1,           0x7f80'0001};
        const std::uint64_t high = rng_() % 2 == 0 ? 0 : std::uint64_t{rng_() % 2} << 40;
        switch (rng_() % 3) {
            case 0: return high | kEdges[rng_() % std::size(kEdges)];
            case 1: return high | rng_() % 3;
            default: return high << 7 | rng_();
        }
    }
    void split(const Meeting& m, std::vector<SyncRequest>& parts)
    {
        SyncRequest part = m.whole;
        if (m.whole.op == Op::Vote || m.whole.op == Op::ActiveMask) {
            part.lanes = m.over;
            parts.push_back(part);
            return;
        }
        for (Lanes left = m.over; left != 0;) {
            part.lanes = rng_() % 2 == 0 ? left : left & Lanes(rng_());
            if (part.lanes == 0) continue;
            splits += part.lanes != m.over;
            left &= ~part.lanes;
            // The operands of other lanes in this request are arbitrary.
            for (unsigned lane = 0; lane < 32; ++lane) {
                part.data[lane] =
                    (part.lanes >> lane & 1) != 0 ? m.whole.data[lane] : 0xbad0'bad0'bad0'bad0;
            }
            part.pred = (m.whole.pred & part.lanes) | (Lanes(rng_()) & ~part.lanes);
            parts.push_back(part);
        }
    }
    void check(unsigned warp, const std::vector<Meeting>& meetings)
    {
        const auto got = answers(b.seen, warp);
        CHECK(got.size() == std::size_t(std::popcount(live[warp])));
        for (const Meeting& m : meetings) {
            if (m.whole.at.warp != warp) continue;
            CAPTURE(nameOf(m.whole.op), int(m.whole.kind), m.over);
            for (unsigned lane = 0; lane < 32; ++lane) {
                if ((m.over >> lane & 1) == 0) continue;
                REQUIRE(got.count(lane) == 1);
                const LaneAnswer want = expected(m.whole, m.over, lane);
                CHECK(got.at(lane).value == want.value);
                CHECK(got.at(lane).pred == want.pred);
                CHECK(got.at(lane).cause == want.cause);
                sets += m.whole.op == Op::MatchAny && want.value != m.over;
                nans += m.whole.op == Op::Redux && m.whole.kind >= kReduxMinF &&
                        want.value == 0x7fff'ffff;
            }
        }
    }

    Testbench& b;
    std::mt19937 rng_;
    unsigned tag_{};

public:
    std::array<Lanes, kWarps> live{};
};

}  // namespace

TEST_CASE("random warp-wide operations: every lane gets what the rules say",
          "[VSYNC-004][VSYNC-005][MATCH-004][MATCH-005][REDUX-005][REDUX-009][ELECT-004][D-18]")
{
    const auto seed = GENERATE(range(1u, 7u));
    CAPTURE(seed);
    Config config = configOf(seed % 2 == 0 ? Preset::Hopper : Preset::Ideal);
    Testbench b(config);
    b.launch(32 * kWarps);
    Traffic traffic(b, seed);
    for (unsigned step = 0; step < 40; ++step) {
        CAPTURE(step);
        if (step % 5 == 4) traffic.exitSome(step % kWarps);
        traffic.round();
    }
    CHECK(traffic.splits > 200);  // a run without these has tested nothing
    CHECK(traffic.sets > 200);
    CHECK(traffic.nans > 5);
    CHECK(traffic.seen.size() == 7);
}
