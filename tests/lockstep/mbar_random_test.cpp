// mbarrier traffic through the golden port in lockstep with itself, and the errors the follower must catch.
#include <iostream>

#include "catch.hpp"
#include "corrupt.hpp"
#include "golden/golden_port.hpp"
#include "golden/word_memory.hpp"
#include "lively.hpp"
#include "lockstep/lockstep_port.hpp"
#include "traffic/mbar_traffic.hpp"

using namespace gsu;
using namespace gsu::test;
using namespace gsu::traffic;

namespace {

using Kind = Report::Kind;

struct Injection {
    const char* name;
    const char* says;
    std::function<bool(const Report&)> likes;
    std::function<void(Report&)> change;  ///< none: `how` says
    enum class How : std::uint8_t { Edit, Drop, Repeat } how{};
};

bool mbar(const Report& r) { return r.kind == Kind::Commit && r.commit.unit == Unit::Mbarrier; }
bool local(const Report& r) { return mbar(r) && r.commit.src == Src::Local; }
bool applied(const Report& r)
{
    return local(r) && !r.commit.refused && r.commit.oldWord != r.commit.newWord;
}
bool remote(const Report& r) { return mbar(r) && r.commit.src == Src::Remote && !r.commit.refused; }
bool atomic(const Report& r) { return remote(r) && isAtomic(r.commit.op); }
bool acknowledges(const Report& r, unsigned bits)
{
    return r.kind == Kind::Commit && r.commit.op == Op::EvAck && (r.commit.object & 4) == bits;
}
bool several(const Report& r)
{
    return r.kind == Kind::Delivered && (r.delivered.lanes & (r.delivered.lanes - 1)) != 0;
}
bool query(const Report& r) { return r.kind == Kind::Cancel; }
bool ofCancel(const Report& r)
{
    return mbar(r) && isCancel(r.commit.op) && r.commit.src != Src::Local && !r.commit.refused;
}
bool async(const Report& r) { return mbar(r) && r.commit.src == Src::AsyncCopy; }
bool timeout(const Report& r) { return mbar(r) && r.commit.op == Op::EvTimeout; }
bool wait(const Report& r)
{
    return local(r) && r.commit.op == Op::MbarTestWaitParity && !r.commit.refused;
}
bool answer(const Report& r) { return r.kind == Kind::Response; }
bool caused(const Report& r, Cause cause) { return answer(r) && r.response.cause == cause; }

// long: a table, one row for each error
const std::vector<Injection>& injections()
{
    using How = Injection::How;
    static const std::vector<Injection> all{
        {"wrong new word", "newWord differs", applied,
         [](Report& r) { r.commit.newWord ^= 1ull << 43; }},
        {"wrong old word", "oldWord differs", applied,
         [](Report& r) { r.commit.oldWord ^= 1ull << 43; }},
        {"flip missing", "flip differs",
         [](const Report& r) { return applied(r) && r.commit.flip; },
         [](Report& r) { r.commit.flip = false; }},
        {"flip invented", "flip differs",
         [](const Report& r) { return applied(r) && !r.commit.flip; },
         [](Report& r) { r.commit.flip = true; }},
        {"error invented", "errs differs", applied,
         [](Report& r) { r.commit.errs ^= kMbErrNoComplete; }},
        {"refusal invented", "refused differs", applied,
         [](Report& r) { r.commit.refused = true; }},
        {"refusal missing", "refused differs",
         [](const Report& r) {
             return local(r) && r.commit.refused && r.commit.errs == kMbErrPending;
         },
         [](Report& r) { r.commit.refused = false; }},
        {"wrong object", "object differs", applied, [](Report& r) { r.commit.object ^= 8; }},
        {"lane missing in a commit", "",
         [](const Report& r) { return applied(r) && (r.commit.lanes & (r.commit.lanes - 1)) != 0; },
         [](Report& r) { r.commit.lanes &= r.commit.lanes - 1; }},
        {"commit twice", "committed twice", applied, {}, How::Repeat},
        {"commit lost", "", applied, {}, How::Drop},
        {"remote commit twice", "", remote, {}, How::Repeat},
        {"remote commit lost", "", remote, {}, How::Drop},
        {"asynchronous commit twice", "committed twice", async, {}, How::Repeat},
        {"asynchronous commit lost", "", async, {}, How::Drop},
        {"time-out lost", "", timeout, {}, How::Drop},
        {"time-out twice", "time-out of no suspended wait", timeout, {}, How::Repeat},
        {"time-out of another warp", "time-out of no suspended wait", timeout,
         [](Report& r) { r.commit.at.warp ^= 1; }},
        {"time-out of no lane", "time-out of no suspended wait", timeout,
         [](Report& r) { r.commit.lanes = 0; }},
        {"test_wait changes the word", "newWord differs", wait,
         [](Report& r) { r.commit.newWord ^= 2; }},
        {"wait answered true too early", "",
         [](const Report& r) { return caused(r, Cause::Timeout); },
         [](Report& r) {
             r.response.cause = Cause::Flip;
             r.response.pred = r.response.lanes;
         }},
        {"spurious true", "predicate differs",
         [](const Report& r) { return caused(r, Cause::Done); },
         [](Report& r) { r.response.pred = r.response.lanes; }},
        {"flip answered false", "cause of the response",
         [](const Report& r) { return caused(r, Cause::Flip); },
         [](Report& r) {
             r.response.cause = Cause::Timeout;
             r.response.pred = 0;
         }},
        {"completed wait answered false", "",
         [](const Report& r) { return caused(r, Cause::AlreadyTrue); },
         [](Report& r) { r.response.pred = 0; }},
        {"wrong state", "returned state differs",
         [](const Report& r) { return answer(r) && r.response.value != 0; },
         [](Report& r) { r.response.value ^= 1ull << 43; }},
        {"wrong stride", "returned state differs",
         [](const Report& r) {
             return answer(r) && r.response.stride != 0 &&
                    (r.response.lanes & (r.response.lanes - 1)) != 0;
         },
         [](Report& r) { r.response.stride += 1; }},
        {"refusal answered as done", "cause of the response",
         [](const Report& r) { return caused(r, Cause::Refused); },
         [](Report& r) { r.response.cause = Cause::Done; }},
        {"last missing", "not marked last",
         [](const Report& r) { return answer(r) && r.response.last; },
         [](Report& r) { r.response.last = false; }},
        {"last too early", "marked last while",
         [](const Report& r) { return answer(r) && !r.response.last; },
         [](Report& r) { r.response.last = true; }},
        {"response lost", "", answer, {}, How::Drop},
        {"response twice", "", answer, {}, How::Repeat},
        {"atom or red committed twice", "committed twice", atomic, {}, How::Repeat},
        {"atom or red lost", "", atomic, {}, How::Drop},
        {"atom or red changes a word", "newWord differs", atomic,
         [](Report& r) { r.commit.newWord = 2; }},
        {"atom or red of one lane too few", "", atomic,
         [](Report& r) { r.commit.lanes &= r.commit.lanes - 1; }},
        {"atom or red delivered twice", "delivered twice", several, {}, How::Repeat},
        {"delivery of atom or red lost", "not delivered", several, {}, How::Drop},
        {"delivery names other lanes", "delivery of no packet", several,
         [](Report& r) { r.delivered.lanes >>= 1; }},
        {"atom answered before its last acknowledgement",
         "before its last acknowledgement",
         [](const Report& r) { return acknowledges(r, 4); },
         {},
         How::Drop},
        {"acknowledgement does not answer", "unlike its operation",
         [](const Report& r) { return acknowledges(r, 4); },
         [](Report& r) { r.commit.object &= ~4u; }},
        {"acknowledgement answers a posted operation", "unlike its operation",
         [](const Report& r) { return acknowledges(r, 0) && (r.commit.object & 2) == 0; },
         [](Report& r) { r.commit.object |= 4; }},
        {"query lost", "has not asked", query, {}, How::Drop},
        {"query twice", "asked twice", query, {}, How::Repeat},
        {"query of another lane", "query of no lane", query,
         [](Report& r) {
             r.cancel.lane ^= 1;
             r.cancel.tag ^= 0x800;
         }},
        {"query of another CTA", "query of no lane", query, [](Report& r) { r.cancel.cta ^= 1; }},
        {"multicast of a query differs", "multicast of a query differs", query,
         [](Report& r) { r.cancel.multicast = !r.cancel.multicast; }},
        {"response completed twice", "committed twice", ofCancel, {}, How::Repeat},
        {"response never completed", "", ofCancel, {}, How::Drop},
        {"response of other than 16 bytes", "newWord differs", ofCancel,
         [](Report& r) { r.commit.newWord ^= 1ull << 24; }},
        {"response to another object", "", ofCancel, [](Report& r) { r.commit.object ^= 8; }},
        {"response to another CTA", "", ofCancel, [](Report& r) { r.commit.at.cta ^= 1; }},
        {"own response taken for one of another CTA", "",
         [](const Report& r) { return ofCancel(r) && r.commit.src == Src::AsyncCopy; },
         [](Report& r) { r.commit.src = Src::Remote; }},
        {"delivery lost",
         "deliver",
         [](const Report& r) { return r.kind == Kind::Delivered && !several(r); },
         {},
         How::Drop},
    };
    return all;
}

bool spoil(const Injection& injection, std::vector<Report>& reports, std::size_t i)
{
    if (!injection.likes(reports[i])) return false;
    const auto here = reports.begin() + static_cast<std::ptrdiff_t>(i);
    switch (injection.how) {
        case Injection::How::Edit: injection.change(*here); break;
        case Injection::How::Drop: reports.erase(here); break;
        case Injection::How::Repeat: {
            const Report copy = *here;
            reports.insert(here, copy);
            break;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("random mbarrier traffic through the golden port in lockstep with itself",
          "[D-01][D-23][D-32][D-33][D-34][D-35][D-38][D-45]")
{
    const auto seed = GENERATE(range(1u, 7u));
    const bool lock = seed % 3 == 0, spread = seed % 2 == 0;
    CAPTURE(seed, lock, spread);
    WordMemory memory{16};
    GoldenOptions options;
    options.policy.lockOnError = lock;
    options.waitSlots = 6;
    std::uint64_t notes = 0;
    options.onNote = [&](const MbarNote&) { ++notes; };
    GoldenPort device(3, options);
    device.setMemory(memory);
    LockstepOptions checks;
    checks.policy = options.policy;
    checks.waitLimit = options.waitLimit;
    LockstepPort port(device, checks);
    MbarTraffic stimulus(port, {.seed = seed, .sms = 3, .requests = 6'000, .spread = spread});
    const MbarStats& s = stimulus.run();
    requireInStep(port, s);
    CHECK(s.freed == 6);
    CHECK(port.follower().debts() == 0);
    CHECK(s.flips > 100);
    CHECK(s.remoteCommits > 100);
    CHECK(s.asyncCommits > 50);
    CHECK(s.agents > 30);
    CHECK(s.agentsAway > 10);
    CHECK(s.timeouts > 50);
    CHECK(s.delivered > 20);
    CHECK(s.atomicLanes > 1'000);
    CHECK(s.multicasts > 100);
    CHECK(s.queries > 300);
    CHECK(s.responses16 > 300);
    CHECK(notes > 50);
    CHECK(s.findings.wrong == "");
    for (const Cause cause : {Cause::Done, Cause::AlreadyTrue, Cause::Flip, Cause::Timeout,
                              Cause::CamFull, Cause::Diverged, Cause::Killed, Cause::Refused}) {
        CAPTURE(nameOf(cause));
        CHECK(s.causes[static_cast<unsigned>(cause)] > 0);
    }
    for (const unsigned bit : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 8u, 9u, 11u, 12u, 14u}) {
        CAPTURE(bit);
        CHECK(s.errs[bit] > 0);
    }
}

TEST_CASE("every injected mbarrier error is caught and named",
          "[D-01][D-33][D-38][D-45][CLC-003][CLC-006][CLC-009][CLC-013]")
{
    for (const Injection& injection : injections()) {
        for (const unsigned seed : {1u, 2u}) {
            CAPTURE(injection.name, seed);
            unsigned wait = 3 * seed;
            bool done = false;
            WordMemory memory{16};
            GoldenPort device(2);
            device.setMemory(memory);
            CorruptPort corrupt(device, [&](std::vector<Report>& reports) {
                for (std::size_t i = 0; !done && i < reports.size(); ++i) {
                    std::vector<Report> trial = reports;
                    if (!spoil(injection, trial, i) || wait-- != 0) continue;
                    reports = trial;
                    done = true;
                }
            });
            LockstepOptions checks;
            checks.bound = 5'000;
            LockstepPort port(corrupt, checks);
            MbarTraffic stimulus(port, {.seed = seed, .sms = 2, .requests = 20'000, .illegal = 8});
            stimulus.run();
            REQUIRE(done);
            REQUIRE(port.fault());
            CHECK(port.fault()->kind == Fault::Kind::Divergence);
            CHECK_THAT(port.fault()->message, Catch::Contains(injection.says));
        }
    }
}

TEST_CASE("an atomic that a later packet of its thread overtakes is found", "[D-38][CLU-016]")
{
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    WordMemory memory{16};
    GoldenPort device(2);
    device.setMemory(memory);
    bool held = false;
    CorruptPort corrupt(device, [&](std::vector<Report>& reports) {
        // One red does not arrive, and later packets of the same lanes do.
        for (std::size_t i = 0; !held && i < reports.size(); ++i) {
            const Commit c = reports[i].commit;
            if (!atomic(reports[i]) || c.op != Op::Red || c.lanes != ~Lanes{0}) continue;
            held = true;
            std::erase_if(reports, [&](const Report& r) {
                const bool same =
                    r.kind == Kind::Delivered ? r.delivered.tag == c.tag : r.commit.tag == c.tag;
                return same && (r.kind == Kind::Delivered || atomic(r) || acknowledges(r, 0));
            });
        }
    });
    LockstepPort port(corrupt, {});
    MbarTraffic stimulus(
        port, {.seed = seed, .sms = 2, .requests = 20'000, .agents = false, .cancels = false});
    stimulus.run();
    REQUIRE(held);
    REQUIRE(port.fault());
    CHECK_THAT(port.fault()->message, Catch::Contains("out of order (D-38)"));
}
