// Skipping idle objects and idle time changes nothing: the same events in the same cycles.
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <sstream>

#include "catch.hpp"
#include "files.hpp"
#include "golden/params.hpp"
#include "lockstep/lockstep_port.hpp"
#include "verilated/events.hpp"
#include "verilated/rtl_port.hpp"
#include "verilated/system_base.hpp"

using namespace gsu;

namespace {

/// Random barrier traffic on a cluster of `sms` CTAs, given at fixed cycles so that both runs see the same stimulus.
struct Traffic {
    struct Input {
        Cycle at;
        SyncRequest request;
    };
    std::vector<Input> inputs;
    std::optional<SyncRequest> early;  ///< of SM 0, given while the other CTAs are not launched
};

/// The actions of a warp on its own.
constexpr Op kSelf[] = {Op::WarpSync, Op::VoteSync, Op::MatchAny, Op::MatchAll,
                        Op::Redux,    Op::Elect,    Op::Vote,     Op::ActiveMask};
constexpr std::uint32_t kWaitLimit = 500;  ///< clocks: suspended waits end between two rounds

/// An operation of the lowest two lanes, or of all, on the mbarrier of CTA `owner`.
SyncRequest mbarrier(Op op, unsigned sm, unsigned warp, unsigned owner)
{
    SyncRequest r;
    r.op = op;
    r.at = {std::uint8_t(sm), 0, std::uint8_t(warp)};
    r.lanes = warp % 2 == 0 ? 3 : ~Lanes{0};
    r.remote = owner != sm;
    r.data.fill(op == Op::MbarTryWaitParity || op == Op::MbarTestWaitParity ? warp % 2 : 1);
    r.addr.fill(clusterAddress(owner, 64));
    return r;
}

/// Rounds of all warps of all SMs: barriers, cluster barriers, and on request mbarriers, with long silences to skip.
class Drawing {
public:
    Drawing(unsigned seed, unsigned sms, unsigned warps) : random_(seed), sms_(sms), warps_(warps)
    {
    }

    void mbarriers()
    {
        if (sms_ > 1) {  // waits for the entry gate
            t_.early = mbarrier(Op::MbarArrive, 0, warps_ - 1, sms_ - 1);
            t_.early->tag = tag_++;
        }
        for (unsigned sm = 0; sm < sms_; ++sm) {
            SyncRequest r = mbarrier(Op::MbarInit, sm, 0, sm);
            r.lanes = 1;
            r.data.fill(3);
            r.tag = tag_++;
            t_.inputs.push_back({at_, r});
        }
    }
    void round(bool mbarriers)
    {
        at_ += random_() % 4 == 0 ? 700 + random_() % 3000
                                  : 160 + random_() % 60;  // long silences to skip
        const bool cluster = random_() % 3 == 0;
        const unsigned id = random_() % 16;
        const bool self = random_() % 5 == 0;  // each warp only with itself
        // All warps or none: a warp that misses a barrier would hold up the others for ever.
        const bool mbarrierRound = mbarriers && random_() % 2 == 0;
        for (unsigned sm = 0; sm < sms_; ++sm)
            for (unsigned warp = 0; warp < warps_; ++warp)
                if (mbarrierRound)
                    atMbarrier(sm, warp);
                else
                    atBarrier(sm, warp, cluster, self, id);
        at_ += 8 * warps_ * 2 + 300 + (mbarrierRound ? kWaitLimit : 0);
    }
    [[nodiscard]] const Traffic& traffic() const noexcept { return t_; }

private:
    void atMbarrier(unsigned sm, unsigned warp)
    {
        constexpr Op kOps[] = {Op::MbarArrive, Op::MbarArriveDrop, Op::MbarExpectTx,
                               Op::MbarTestWaitParity, Op::MbarTryWaitParity};
        const Op op = kOps[random_() % 5];
        const bool own =
            op == Op::MbarTestWaitParity || op == Op::MbarTryWaitParity || random_() % 2 == 0;
        SyncRequest r = mbarrier(op, sm, warp, own ? sm : random_() % sms_);
        if (op == Op::MbarArrive && random_() % 2 == 0) {  // waits for older packets
            r.sem = Sem::Release;
            r.scope = Scope::Cluster;
        }
        r.tag = tag_++ & 0xfff;
        t_.inputs.push_back({at_ + 8 * warp + random_() % 200, r});
    }
    void atBarrier(unsigned sm, unsigned warp, bool cluster, bool self, unsigned id)
    {
        SyncRequest r;
        r.op = cluster ? Op::ClusterArrive : self ? kSelf[random_() % 8] : Op::BarSync;
        r.at = {std::uint8_t(sm), 0, std::uint8_t(warp)};
        r.lanes = ~Lanes{0};
        r.arg0 = self && !cluster ? ~0u : cluster ? 0 : id;
        if (self && !cluster) {
            r.pred = Lanes(random_());
            for (std::uint64_t& value : r.data) value = random_() % 3;
        }
        r.tag = tag_++ & 0xfff;
        t_.inputs.push_back({at_ + 8 * warp + random_() % 4, r});
        if (!cluster) return;
        r.op = Op::ClusterWait;
        r.tag = tag_++ & 0xfff;
        t_.inputs.push_back({at_ + 8 * warps_ + 60 + 8 * warp, r});
    }

    std::mt19937 random_;
    unsigned sms_, warps_;
    Traffic t_;
    Cycle at_ = 300;
    std::uint16_t tag_ = 0;
};

Traffic traffic(unsigned seed, unsigned sms, unsigned warps, unsigned rounds,
                bool mbarriers = false)
{
    Drawing drawing(seed, sms, warps);
    if (mbarriers) drawing.mbarriers();
    for (unsigned n = 0; n < rounds; ++n) drawing.round(mbarriers);
    return drawing.traffic();
}

std::vector<std::string> run(const Traffic& t, unsigned sms, unsigned warps, bool skipping,
                             std::uint64_t& evaluations, bool assertions = true,
                             unsigned threads = 1, const std::string& waves = {})
{
    Config config = configOf(Preset::Hopper);
    config.trywait_limit = kWaitLimit;
    config.match_lat = 100;
    everyUnitClocked() = !skipping;
    RtlPort port(sms, config, assertions);
    port.setSkipping(skipping);
    if (!waves.empty()) REQUIRE(port.openWaves({.path = waves}));
    everyUnitClocked() = false;
    port.setThreads(threads, true);
    test::EventLog log;
    port.setSink(log);
    for (unsigned i = 0; sms > 1 && i < sms; ++i)
        port.route({0, std::uint8_t(i), std::uint8_t(i), 0, std::uint8_t(sms)});
    std::vector<Lanes> blocked(sms);  // warps that wait: they must not present again
    for (unsigned i = 0; i < sms; ++i) {
        const Launch launch{.sm = std::uint8_t(i),
                            .rank = std::uint8_t(i),
                            .ctas = std::uint8_t(sms),
                            .threads = std::uint16_t(32 * warps),
                            .size = 4096};
        while (!port.launch(launch)) port.step();
        if (i != 0 || !t.early) continue;
        port.step();
        port.present(*t.early);
        blocked[0] |= 1u << t.early->at.warp;
        for (unsigned n = 0; n < 100; ++n) port.step();
    }
    std::size_t seenReleases = 0, seenResponses = 0, next = 0;
    const Cycle end = t.inputs.back().at + 3000;
    while (port.now() < end) {
        for (; next < t.inputs.size() && t.inputs[next].at <= port.now(); ++next) {
            const SyncRequest& r = t.inputs[next].request;
            if (blocked[r.at.sm] >> r.at.warp & 1) continue;
            if (!port.canPresent(r.at.sm)) break;
            port.present(r);
            blocked[r.at.sm] |= 1u << r.at.warp;
        }
        const Cycle due = next < t.inputs.size() ? std::max(t.inputs[next].at, port.now()) : end;
        const Cycle quiet = std::min(port.quietUntil(), due);
        if (quiet > port.now())
            port.skipTo(quiet);
        else
            port.step();
        for (; seenReleases < log.releases.size(); ++seenReleases)
            blocked[log.releases[seenReleases].sm] &= ~log.releases[seenReleases].warps;
        for (; seenResponses < log.responses.size(); ++seenResponses)
            if (const SyncResponse& r = log.responses[seenResponses]; r.last)
                blocked[r.at.sm] &= ~(1u << r.at.warp);
    }
    const auto fault = port.fault();
    INFO((fault ? fault->message : ""));
    REQUIRE(!fault);
    evaluations = port.evaluations();
    if (threads > 1) CHECK(port.sharedCycles() > 300);
    if (!waves.empty()) REQUIRE(port.closeWaves());
    return log.lines;
}

bool works(const std::string& command)
{
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

/// All changes of the registers in a dump, by name: "time value".
std::map<std::string, std::vector<std::string>> registersOf(const std::string& fst)
{
    const std::string vcd = fst + ".vcd";
    REQUIRE(works("fst2vcd -f '" + fst + "' -o '" + vcd + "'"));
    std::ifstream in(vcd);
    std::vector<std::string> scopes;
    std::map<std::string, std::string> names;  // by identifier
    std::map<std::string, std::vector<std::string>> changes;
    std::string time;
    for (std::string line; std::getline(in, line);) {
        std::istringstream fields(line);
        std::string key, kind, width, id, name;
        fields >> key;
        if (key == "$scope" && fields >> kind >> name) scopes.push_back(name);
        if (key == "$upscope") scopes.pop_back();
        if (key == "$var" && fields >> kind >> width >> id >> name) {
            std::string full;
            for (const std::string& scope : scopes) full += scope + '.';
            if ((full + name).find("_q") != std::string::npos) names.emplace(id, full + name);
        }
        if (key.empty() || key[0] == '$') continue;
        if (key[0] == '#') time = key;
        const bool bits = key[0] == 'b' && fields >> id;
        if (!bits) id = key.substr(1);
        if (const auto found = names.find(id); key[0] != '#' && found != names.end())
            changes[found->second].push_back(time + ' ' + (bits ? key : key.substr(0, 1)));
    }
    return changes;
}

}  // namespace

TEST_CASE("skipping idle time gives the same events in the same cycles", "[D-70][skip]")
{
    const auto seed = GENERATE(range(1u, 7u));
    CAPTURE(seed);
    const unsigned sms = 1 + seed % 4, warps = 1 + seed % 5;
    const Traffic t = traffic(seed, sms, warps, 150);
    std::uint64_t all = 0, some = 0;
    const auto every = run(t, sms, warps, false, all);
    const auto skipped = run(t, sms, warps, true, some);
    REQUIRE(every.size() == skipped.size());
    for (std::size_t i = 0; i < every.size(); ++i) REQUIRE(every[i] == skipped[i]);
    CHECK(every.size() > 300);  // the traffic did something
    CHECK(some * 3 < all);      // and most of the time was skipped
}

TEST_CASE("the fast models, an SM in two, give the same events in the same cycles", "[skip][split]")
{
    const auto seed = GENERATE(range(1u, 9u));
    CAPTURE(seed);
    const unsigned sms = 1 + seed % 4, warps = 1 + seed % 5;
    const Traffic t = traffic(seed, sms, warps, 150, true);
    std::uint64_t evaluations = 0;
    const auto whole = run(t, sms, warps, true, evaluations, true);
    const auto fast = run(t, sms, warps, true, evaluations, false);
    const auto every = run(t, sms, warps, false, evaluations, false);
    REQUIRE(whole.size() == fast.size());
    REQUIRE(whole.size() == every.size());
    std::size_t commits = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        REQUIRE(whole[i] == fast[i]);
        REQUIRE(whole[i] == every[i]);
        commits += whole[i].find(nameOf(Unit::Mbarrier)) != std::string::npos;
    }
    CHECK(commits > 60);  // the unit that is a model of its own had work
}

TEST_CASE("waves: a unit without a clock has what it would have with one", "[skip][waves]")
{
    if (!works("command -v fst2vcd")) {
        std::cout << "SKIP: fst2vcd (package gtkwave) is missing, waves are not compared\n";
        return;
    }
    const auto seed = GENERATE(range(1u, 5u));
    CAPTURE(seed);
    const unsigned sms = 1 + seed % 3, warps = 1 + seed % 5;
    const Traffic t = traffic(seed, sms, warps, 60, true);
    const testfiles::Folder folder;
    std::uint64_t evaluations = 0;
    const auto whole = run(t, sms, warps, true, evaluations);
    const auto gated = run(t, sms, warps, true, evaluations, false, 1, folder / "gated.fst");
    const auto every = run(t, sms, warps, false, evaluations, false, 1, folder / "every.fst");
    REQUIRE(whole.size() == gated.size());
    REQUIRE(whole.size() == every.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
        REQUIRE(whole[i] == gated[i]);
        REQUIRE(whole[i] == every[i]);
    }
    const auto some = registersOf(folder / "gated.fst"), all = registersOf(folder / "every.fst");
    CHECK(all.size() > 500 * sms);
    REQUIRE(some.size() == all.size());
    std::size_t moved = 0;
    for (const auto& [name, changes] : all) {
        CAPTURE(name);
        CHECK(some.at(name) == changes);
        moved += changes.size() > 10;
    }
    CHECK(moved > 30 * sms);
}

TEST_CASE("an answer of the mbarrier unit comes in the clock in which one of the rest falls due",
          "[skip][split]")
{
    Traffic t;
    std::uint16_t tag = 0;
    const auto give = [&](Cycle at, SyncRequest r) {
        r.tag = tag++;
        t.inputs.push_back({at, r});
    };
    SyncRequest init = mbarrier(Op::MbarInit, 0, 0, 0);
    init.lanes = 1;
    init.data.fill(1);
    give(300, init);
    SyncRequest warpSync;
    warpSync.op = Op::WarpSync;
    warpSync.at = {0, 0, 1};
    warpSync.lanes = warpSync.arg0 = ~Lanes{0};
    for (unsigned apart = 0; apart < 40; ++apart) {  // one of these distances brings both at once
        give(400 + 200 * apart, mbarrier(Op::MbarArrive, 0, 0, 0));
        give(400 + 200 * apart + apart, warpSync);
    }
    std::uint64_t evaluations = 0;
    const auto whole = run(t, 1, 2, true, evaluations, true);
    const auto fast = run(t, 1, 2, true, evaluations, false);
    REQUIRE(whole.size() == fast.size());
    for (std::size_t i = 0; i < whole.size(); ++i) REQUIRE(whole[i] == fast[i]);
    CHECK(whole.size() > 200);
}

TEST_CASE("a second thread gives the same events in the same cycles", "[port]")
{
    const auto seed = GENERATE(range(1u, 4u));
    CAPTURE(seed);
    const unsigned sms = 4 + 6 * (seed - 1), warps = 1 + seed % 5;
    const Traffic t = traffic(seed, sms, warps, 60);
    std::uint64_t one = 0, two = 0;
    const auto alone = run(t, sms, warps, true, one, false, 1);
    const auto shared = run(t, sms, warps, true, two, false, 2);
    REQUIRE(alone.size() == shared.size());
    for (std::size_t i = 0; i < alone.size(); ++i) REQUIRE(alone[i] == shared[i]);
    CHECK(one == two);
    CHECK(alone.size() > 300);
}

TEST_CASE("two ports live side by side and go in any order", "[port]")
{
    auto first = std::make_unique<RtlPort>(1, configOf(Preset::Hopper));
    auto second = std::make_unique<RtlPort>(2, configOf(Preset::Ideal));
    test::EventLog log;
    for (RtlPort* port : {first.get(), second.get()}) {
        port->setSink(log);
        REQUIRE(port->launch({.threads = 32, .size = 64}));
        for (int i = 0; i < 20; ++i) port->step();
    }
    first.reset();
    second->step();
    second.reset();
    CHECK(log.lines.size() == 2);  // two launches
}

TEST_CASE("a unit that was never used is quiet for ever", "[verilated]")
{
    for (const bool assertions : {false, true}) {
        CAPTURE(assertions);
        RtlPort port(2, configOf(Preset::Hopper), assertions);
        CHECK(port.quietUntil() == kNever);
        port.skipTo(1'000'000);
        CHECK(port.quietUntil() == kNever);
        REQUIRE(port.launch({.threads = 32, .size = 1024}));
        CHECK(port.quietUntil() == port.now());
    }
    RtlPort rtl(1, configOf(Preset::Hopper));
    const LockstepPort port(rtl);
    CHECK(port.quietUntil() == kNever);
}
