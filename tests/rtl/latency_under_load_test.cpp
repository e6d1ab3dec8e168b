// A request that need not wait is not held up by waiting ones (D-70): latencies of one operation while the other warps of its SM present as many of another
// kind as the port takes. The table is in rtl/doc/interfaces.md.
#include <algorithm>
#include <array>

#include "golden/op_traits.hpp"
#include "golden/word_memory.hpp"
#include "testbench.hpp"

using namespace testbench;

namespace {

constexpr unsigned kProbe = 31;  // the warp that is measured
constexpr std::uint32_t kLocal = 0x40, kMany = 0x80, kOwner = 0x1000000 | 0x40;

enum class Load {
    None,
    Releases,
    RemoteReleases,
    Atoms,
    AtomReleases,
    Queries,
    Matches,
    Mixed,
    AllMatches  ///< also by other lanes of the warp that is measured
};
enum class Probe { TestWait, Arrive, Release, Vote, Match };

/// Two SMs with a CTA each, of one cluster: 32 warps on the first.
class Machine final : public SyncSink {
public:
    Machine() : memory_(2), port_(2, configOf(Preset::Hopper), true)
    {
        port_.setMemory(memory_);
        port_.setSink(*this);
        for (std::uint8_t rank = 0; rank < 2; ++rank) port_.route({3, rank, rank, 0, 2});
        for (std::uint8_t rank = 0; rank < 2; ++rank) {
            const Launch l{
                .sm = rank, .cluster = 3, .rank = rank, .ctas = 2, .threads = 1024, .size = 4096};
            while (!port_.launch(l)) step();
        }
        for (int i = 0; i < 200; ++i) step();
        object(0, kLocal);
        object(0, kMany);
        object(1, kLocal);
    }
    void onResponse(const SyncResponse& r) override
    {
        open_[r.at.sm][r.at.warp] &= ~r.lanes;
        if (r.at.sm == 0 && r.at.warp == kProbe && !probed()) answeredAt_ = r.cycle;
    }
    void onRelease(const Release&) override {}
    void onCommit(const Commit&) override {}
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override {}

    /// The longest of `rounds` requests of the probe, from the clock in which it wants to give one to its answer; 0: one was not answered in 5000.
    Cycle worst(Probe probe, Load load, unsigned rounds)
    {
        Cycle longest = 0;
        for (int i = 0; i < 600; ++i) give(load);
        for (unsigned round = 0; round < rounds; ++round) {
            const Cycle wanted = port_.now();
            while (!port_.canPresent(0) && port_.now() < wanted + 5000) step();
            if (!port_.canPresent(0)) return 0;
            const SyncRequest request = probeOf(probe);
            probed_ = request.lanes;
            present(request);
            while (probed() && port_.now() < wanted + 5000) give(load);
            if (probed()) return 0;
            longest = std::max(longest, answeredAt_ - wanted);
            for (unsigned i = 0; i < 3 + round % 7; ++i) give(load);
        }
        return longest;
    }
    /// Whether every request is answered within so many clocks.
    bool ends(Cycle within)
    {
        const Cycle end = port_.now() + within;
        while (!allAnswered() && port_.now() < end) step();
        return allAnswered();
    }
    [[nodiscard]] unsigned loads() const { return loads_; }
    [[nodiscard]] std::string fault() const { return port_.fault() ? port_.fault()->message : ""; }

private:
    void step() { port_.step(); }
    [[nodiscard]] bool probed() const { return (open_[0][kProbe] & probed_) != 0; }
    [[nodiscard]] bool allAnswered() const
    {
        return std::all_of(open_[0].begin(), open_[0].end(), [](Lanes l) { return l == 0; });
    }
    /// A clock, in which the port may take a request of the load.
    void give(Load load)
    {
        const unsigned warps = load == Load::AllMatches ? kProbe + 1 : kProbe;
        for (unsigned i = 0; load != Load::None && i < warps && port_.canPresent(0); ++i) {
            warp_ = (warp_ + 1) % warps;
            if (warp_ == 0) part_ = (part_ + 1) % 4;
            if (warp_ == kProbe && part_ == 3) continue;
            const SyncRequest r = loadOf(load);
            if ((open_[0][warp_] & r.lanes) != 0) continue;
            present(r);
            ++loads_;
        }
        step();
    }
    void present(SyncRequest r)
    {
        r.tag = tag_ = (tag_ + 1) % 4096;
        open_[r.at.sm][r.at.warp] |= r.lanes;
        port_.present(r);
    }
    void object(std::uint8_t sm, std::uint32_t offset)
    {
        SyncRequest r;
        r.op = Op::MbarInit;
        r.at = {sm, 0, 0};
        r.lanes = 1;
        r.addr[0] = offset | std::uint32_t{sm} << 24;
        r.data[0] = 1'000'000;
        present(r);
        while (open_[sm][0] != 0) step();
    }
    static SyncRequest to(unsigned warp, Op op, Lanes lanes, std::uint32_t addr)
    {
        SyncRequest r;
        r.op = op;
        r.at = {0, 0, std::uint8_t(warp)};
        r.lanes = lanes;
        r.addr.fill(addr);
        r.data.fill(1);
        r.remote = addr >> 24 != 0;
        r.scope = Scope::Cluster;
        return r;
    }
    static SyncRequest probeOf(Probe probe)
    {
        if (probe == Probe::Arrive) return to(kProbe, Op::MbarArrive, 1, kOwner);
        if (probe == Probe::Release) {
            SyncRequest r = to(kProbe, Op::MbarArrive, 1, kLocal);
            r.sem = Sem::Release;
            return r;
        }
        if (probe == Probe::Match) return among(kProbe, Op::MatchAny, 0xff00'0000);
        if (probe == Probe::Vote) return among(kProbe, Op::VoteSync, kAll);
        return to(kProbe, Op::MbarTestWaitParity, 1, kLocal);
    }
    /// A match among the lanes of a warp: each lane has a different value.
    static SyncRequest among(unsigned warp, Op op, Lanes lanes)
    {
        SyncRequest r;
        r.op = op;
        r.at = {0, 0, std::uint8_t(warp)};
        r.lanes = r.arg0 = lanes;
        for (unsigned lane = 0; lane < 32; ++lane) r.data[lane] = lane;
        return r;
    }
    [[nodiscard]] SyncRequest loadOf(Load load) const
    {
        if (load == Load::Matches || load == Load::AllMatches)
            return among(warp_, Op::MatchAny, 0xffu << 8 * part_);
        if (load == Load::Mixed)
            return among(warp_, part_ == 0 ? Op::MatchAny : Op::Redux, 0xffu << 8 * part_);
        if (load == Load::Atoms || load == Load::AtomReleases) {
            SyncRequest r = to(warp_, Op::Atom, kAll, 0x1000200);
            if (load == Load::AtomReleases) r.sem = Sem::Release;
            return r;
        }
        if (load == Load::Queries) {
            SyncRequest r = to(warp_, Op::ClcTryCancel, kAll, kMany);
            for (unsigned lane = 0; lane < 32; ++lane) r.data[lane] = 0x200 + 16 * lane;
            return r;
        }
        SyncRequest r = to(warp_, Op::MbarArrive, 1, load == Load::RemoteReleases ? kOwner : kMany);
        r.sem = Sem::Release;
        return r;
    }

    WordMemory memory_;
    RtlPort port_;
    std::array<std::array<Lanes, 32>, 2> open_{};
    Cycle answeredAt_{};
    Lanes probed_{};  ///< lanes of the probe
    unsigned warp_{}, part_{}, loads_{};
    std::uint16_t tag_{};
};

}  // namespace

TEST_CASE("match and redux whose queue is full do not hold up a vote", "[D-70][calibration]")
{
    struct Row {
        Load load;
        Cycle vote;      // clocks at most
        unsigned loads;  // given meanwhile, at least: more than a queue holds
    };
    const Row rows[] = {{Load::None, 6, 0}, {Load::Matches, 16, 150}, {Load::Mixed, 16, 150}};
    for (const Row& row : rows) {
        CAPTURE(int(row.load));
        Machine votes;
        const Cycle vote = votes.worst(Probe::Vote, row.load, 60);
        CAPTURE(vote, votes.loads());
        CHECK((vote != 0 && vote <= row.vote));
        CHECK(votes.loads() >= row.loads);
        CHECK(votes.ends(5000));
        CHECK(votes.fault() == "");
    }
}

TEST_CASE("an operation that need not wait takes its time, whatever the others wait for",
          "[D-70][calibration]")
{
    struct Row {
        Load load;
        Cycle wait,
            arrive;  // clocks at most: a test_wait here, a relaxed arrive on another CTA's object
        unsigned loads;  // given meanwhile, at least
    };
    const Row rows[] = {{Load::None, 36, 16, 0},
                        {Load::Releases, 48, 24, 100},
                        {Load::RemoteReleases, 48, 80, 100},
                        {Load::Atoms, 48, 48, 100},
                        {Load::Queries, 40, 24, 31}};
    for (const Row& row : rows) {
        CAPTURE(int(row.load));
        Machine waits, arrives;
        const Cycle wait = waits.worst(Probe::TestWait, row.load, 60);
        const Cycle arrive = arrives.worst(Probe::Arrive, row.load, 60);
        CAPTURE(wait, arrive, waits.loads(), arrives.loads());
        CHECK((wait != 0 && wait <= row.wait));
        CHECK((arrive != 0 && arrive <= row.arrive));
        CHECK(waits.loads() >= row.loads);
        CHECK(arrives.loads() >= row.loads);
        CHECK(waits.fault() == "");
        CHECK(arrives.fault() == "");
    }
}

// The requests that wait have a queue, with an output for each kind.
TEST_CASE("a release does not wait for the walks of other kinds", "[D-70][calibration]")
{
    struct Row {
        Load load;
        Cycle release;   // clocks at most
        unsigned loads;  // given meanwhile, at least
    };
    const Row rows[] = {{Load::None, 288, 0}, {Load::AtomReleases, 300, 1000}};
    for (const Row& row : rows) {
        CAPTURE(int(row.load));
        Machine releases;
        const Cycle release = releases.worst(Probe::Release, row.load, 60);
        CAPTURE(release, releases.loads());
        CHECK((release != 0 && release <= row.release));
        CHECK(releases.loads() >= row.loads);
        CHECK(releases.fault() == "");
    }
}

TEST_CASE("the groups of a warp whose queue is full take turns", "[D-70][calibration]")
{
    Machine matches;
    const Cycle match = matches.worst(Probe::Match, Load::AllMatches, 30);
    CAPTURE(match, matches.loads());
    CHECK((match != 0 && match <= 128 * 16 + 16));  // 32 warps of four groups, 16 clocks each
    CHECK(matches.ends(5000));
    CHECK(matches.fault() == "");
}
