// Order across units and SMs: what a release waits for, and every kind of report that would break it, by name.
// One CTA of a cluster of two posts operations to the other's mbarrier, then makes a release; the reports of the device are spoilt.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "catch.hpp"
#include "corrupt.hpp"
#include "golden/golden_port.hpp"
#include "golden/word_memory.hpp"
#include "lockstep/lockstep_port.hpp"
#include "traffic/mbar_traffic.hpp"

using namespace gsu;
using namespace gsu::test;
using namespace gsu::traffic;

namespace {

using Kind = Report::Kind;
using Likes = std::function<bool(const Report&)>;

constexpr WarpRef kOwner{0, 0, 0}, kSource{1, 3, 0};
constexpr std::uint32_t kOwn = clusterAddress(1, 0), kTheirs = clusterAddress(0, 0);

class Script final : public SyncSink {
public:
    explicit Script(SyncPort& port) : port_(port)
    {
        port.setSink(*this);
        for (const WarpRef& at : {kOwner, kSource}) port.route({2, at.sm, at.sm, at.cta, 2});
        for (const WarpRef& at : {kOwner, kSource})
            while (!port.launch(launchOf(at))) port.step();
        while (opened_ < 2) port.step();
    }
    /// One lane executes it; returns when it is answered. False: never.
    bool play(Op op, const WarpRef& at, std::uint32_t address, std::uint64_t data,
              Sem sem = Sem::Relaxed, Scope scope = Scope::Cluster, unsigned lane = 0)
    {
        SyncRequest r{};
        r.op = op;
        r.at = at;
        r.lanes = op == Op::ClusterArrive ? ~Lanes{0} : Lanes{1} << lane;
        r.tag = ++tag_;
        r.sem = sem;
        r.scope = scope;
        r.remote = op != Op::ClusterArrive && address >> 24 != at.sm;
        r.addr[lane] = address;
        r.data[lane] = data;
        answered_ = false;
        while (!port_.canPresent(at.sm)) port_.step();
        port_.present(r);
        for (int i = 0; i < 1000 && !answered_; ++i) port_.step();
        return answered_;
    }
    void leave()
    {
        for (const WarpRef& at : {kOwner, kSource}) port_.exit({at, ~Lanes{0}, false});
        for (int i = 0; i < 1000 && freed_ < 2; ++i) port_.step();
        (void)port_.quietUntil();
    }

    void onResponse(const SyncResponse& r) override { answered_ |= r.tag == tag_ && r.last; }
    void onRelease(const Release&) override {}
    void onCommit(const Commit& c) override
    {
        opened_ += c.unit == Unit::Cluster && c.op == Op::EvClusterOpen;
    }
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override { ++freed_; }

private:
    static Launch launchOf(const WarpRef& at)
    {
        Launch l{};
        l.sm = at.sm;
        l.cta = at.cta;
        l.cluster = 2;
        l.rank = at.sm;
        l.ctas = 2;
        l.threads = 32;
        l.base = 0x400;
        l.size = 0x400;
        return l;
    }
    SyncPort& port_;
    unsigned opened_{}, freed_{};
    std::uint16_t tag_{};
    bool answered_{};
};

/// The operation of the source after it has posted an expect_tx.
enum class Then { ClusterArrive, LocalArrive, RemoteArrive, LocalDrop, RemoteDrop, Nothing };

bool posted(const Report& r)
{
    return r.kind == Kind::Commit && r.commit.op == Op::MbarExpectTx && r.commit.src == Src::Remote;
}
bool acknowledgement(const Report& r) { return r.kind == Kind::Commit && r.commit.op == Op::EvAck; }
bool postedOrTold(const Report& r) { return posted(r) || acknowledgement(r); }
bool delivered(const Report& r)
{
    return r.kind == Kind::Delivered ||
           (r.kind == Kind::Commit && r.commit.op == Op::EvAsyncCompleteTx);
}
bool cluster(const Report& r) { return r.kind == Kind::Commit && r.commit.op == Op::ClusterArrive; }
bool arrive(const Report& r)
{
    return r.kind == Kind::Commit &&
           (r.commit.op == Op::MbarArrive || r.commit.op == Op::MbarArriveDrop);
}
bool slotFree(const Report& r)
{
    return r.kind == Kind::Commit && r.commit.op == Op::EvCtaFree && r.commit.unit == Unit::Cta &&
           r.commit.at.sm == kSource.sm;
}

/// Holds back what it likes until a report of the other kind has gone by.
Spoil behind(Likes what, Likes until)
{
    return [=, held = std::vector<Report>{}, over = false](std::vector<Report>& reports) mutable {
        std::vector<Report> out;
        for (const Report& r : reports) {
            if (!over && what(r)) {
                held.push_back(r);
                continue;
            }
            out.push_back(r);
            if (over || !until(r)) continue;
            over = true;
            out.insert(out.end(), held.begin(), held.end());
        }
        reports = std::move(out);
    };
}
Spoil once(Likes what, std::function<void(std::vector<Report>&, std::size_t)> change)
{
    return [=, done = false](std::vector<Report>& reports) mutable {
        for (std::size_t i = 0; !done && i < reports.size(); ++i) {
            if (!what(reports[i])) continue;
            change(reports, i);
            done = true;
        }
    };
}
Spoil edit(Likes what, std::function<void(Commit&)> change)
{
    return once(what, [=](std::vector<Report>& r, std::size_t i) { change(r[i].commit); });
}

struct Case {
    const char* name;
    Then then;
    Sem sem;
    Spoil spoil;
    const char* says;  ///< part of the fault; nullptr: allowed
};

const char* const kEarly = "before an older posted operation";
const char* const kNone = "acknowledgement of no packet";

std::vector<Case> cases()
{
    const Spoil untouched = [](std::vector<Report>&) {};
    std::vector<Case> all{
        {"cluster barrier before a posted operation", Then::ClusterArrive, Sem::Release,
         behind(postedOrTold, cluster), kEarly},
        {"local arrive before a posted operation", Then::LocalArrive, Sem::Release,
         behind(postedOrTold, arrive), kEarly},
        {"remote arrive before a posted operation", Then::RemoteArrive, Sem::Release,
         behind(postedOrTold, arrive), kEarly},
        {"local drop before a posted operation", Then::LocalDrop, Sem::Release,
         behind(postedOrTold, arrive), kEarly},
        {"remote drop, acq_rel, before a posted operation", Then::RemoteDrop, Sem::AcqRel,
         behind(postedOrTold, arrive), kEarly},
        {"acknowledgement before its commit", Then::Nothing, Sem::Relaxed,
         behind(posted, acknowledgement), "before the commit of its packet"},
        {"acknowledgement lost", Then::Nothing, Sem::Relaxed,
         once(acknowledgement,
              [](auto& r, std::size_t i) { r.erase(r.begin() + std::ptrdiff_t(i)); }),
         "acknowledged (D-41)"},
        {"acknowledgement twice", Then::Nothing, Sem::Relaxed,
         once(acknowledgement,
              [](auto& r, std::size_t i) {
                  const Report copy = r[i];
                  r.insert(r.begin() + std::ptrdiff_t(i), copy);
              }),
         kNone},
        {"acknowledgement to another CTA", Then::Nothing, Sem::Relaxed,
         edit(acknowledgement, [](Commit& c) { c.at = kOwner; }), kNone},
        {"acknowledgement of another request", Then::Nothing, Sem::Relaxed,
         edit(acknowledgement, [](Commit& c) { c.tag ^= 1; }), kNone},
        {"acknowledgement of another lane", Then::Nothing, Sem::Relaxed,
         edit(acknowledgement, [](Commit& c) { c.lanes <<= 1; }), kNone},
        {"acknowledgement by another SM", Then::Nothing, Sem::Relaxed,
         edit(acknowledgement, [](Commit& c) { c.srcSm ^= 1; }), kNone},
        {"acknowledgement in another epoch", Then::Nothing, Sem::Relaxed,
         edit(acknowledgement, [](Commit& c) { c.object ^= 1; }), "in an epoch"},
        {"acknowledgement as if of asynchronous data", Then::Nothing, Sem::Relaxed,
         edit(acknowledgement, [](Commit& c) { c.object ^= 2; }), "in an epoch"},
        {"acknowledgement of two lanes", Then::Nothing, Sem::Relaxed,
         edit(acknowledgement, [](Commit& c) { c.lanes |= c.lanes << 1; }), kNone},
        {"acknowledgement after the end of the CTA", Then::Nothing, Sem::Relaxed,
         behind(acknowledgement, slotFree), "acknowledged (D-41)"},
        {"an event that the ordering unit does not have", Then::Nothing, Sem::Relaxed,
         edit(acknowledgement, [](Commit& c) { c.op = Op::EvTimeout; }), "no such event"},
        // Cases that the rule does not forbid.
        {"nothing spoilt", Then::ClusterArrive, Sem::Release, untouched, nullptr},
        {"relaxed cluster barrier before a posted operation", Then::ClusterArrive, Sem::Relaxed,
         behind(postedOrTold, cluster), nullptr},
        {"relaxed arrive before a posted operation", Then::LocalArrive, Sem::Relaxed,
         behind(postedOrTold, arrive), nullptr},
        {"asynchronous data after a release", Then::ClusterArrive, Sem::Release,
         behind([](const Report& r) { return delivered(r) || acknowledgement(r); }, cluster),
         nullptr},
    };
    return all;
}

void release(Script& s, Then then, Sem sem)
{
    switch (then) {
        case Then::ClusterArrive: s.play(Op::ClusterArrive, kSource, 0, 0, sem); break;
        case Then::LocalArrive: s.play(Op::MbarArrive, kSource, kOwn, 1, sem); break;
        case Then::RemoteArrive: s.play(Op::MbarArrive, kSource, kTheirs + 8, 1, sem); break;
        case Then::LocalDrop: s.play(Op::MbarArriveDrop, kSource, kOwn, 1, sem); break;
        case Then::RemoteDrop: s.play(Op::MbarArriveDrop, kSource, kTheirs + 8, 1, sem); break;
        case Then::Nothing: break;
    }
}

std::optional<Fault> faultOf(const Case& c)
{
    WordMemory memory{16};
    GoldenPort device(2);
    device.setMemory(memory);
    CorruptPort corrupt(device, c.spoil);
    LockstepOptions checks;
    checks.bound = 200;
    LockstepPort port(corrupt, checks);
    Script s(port);
    s.play(Op::MbarInit, kOwner, kTheirs, 100);
    s.play(Op::MbarInit, kOwner, kTheirs + 8, 100);
    s.play(Op::MbarInit, kSource, kOwn, 100);
    const bool async = std::string(c.name).find("asynchronous") != std::string::npos;
    s.play(async ? Op::StAsync : Op::MbarExpectTx, kSource, kTheirs, 8);
    release(s, c.then, c.sem);
    s.leave();
    return port.fault();
}

}  // namespace

TEST_CASE("a commit order that breaks a release, and every wrong acknowledgement, is caught",
          "[D-54][CLU-016][CLU-017][CLU-022][MBARR-014][MBDROP-014][D-41]")
{
    for (const Case& c : cases()) {
        CAPTURE(c.name);
        const std::optional<Fault> fault = faultOf(c);
        if (c.says == nullptr) {
            CHECK((fault ? fault->message : std::string()) == "");
            continue;
        }
        REQUIRE(fault);
        CHECK(fault->kind == Fault::Kind::Divergence);
        CHECK_THAT(fault->message, Catch::Contains(c.says));
    }
}
