// try_cancel on the RTL in lockstep: exact clocks from the request to the mbarrier's completion, what a multicast delivers to sixteen CTAs, back pressure of
// the entries, refusals, and what becomes of the slot of a CTA whose query is open.
#include <algorithm>
#include <map>
#include <set>

#include "catch.hpp"
#include "golden/params.hpp"
#include "golden/word_memory.hpp"
#include "lockstep/lockstep_port.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;

namespace {

constexpr std::uint32_t kObject = 8, kResponse = 64;

/// A CTA per SM, one cluster; every object at kObject expects 16 bytes and one arrival of its own, which has come.
class Rig final : public SyncSink {
public:
    explicit Rig(unsigned ctas) : ctas_(ctas), rtl_(ctas, configOf(Preset::Hopper)), port_(rtl_)
    {
        rtl_.setMemory(memory_);
        port_.setSink(*this);
        for (unsigned i = 0; ctas > 1 && i < ctas; ++i)
            port_.route({3, std::uint8_t(i), std::uint8_t(i), 0, std::uint8_t(ctas)});
        for (unsigned i = 0; i < ctas; ++i) {
            const Launch launch{.sm = std::uint8_t(i),
                                .cluster = std::uint8_t(ctas > 1 ? 3 : 0),
                                .rank = std::uint8_t(i),
                                .ctas = std::uint8_t(ctas),
                                .threads = 64,
                                .size = 1024,
                                .era = 7};
            while (!port_.launch(launch)) port_.step();
        }
        step(600);
        for (unsigned i = 0; i < ctas; ++i) {
            give(Op::MbarInit, i, 1, 1);
            step(100);
            give(Op::MbarArriveExpectTx, i, 1, 16);
            step(100);
        }
        commits.clear();
        responses.clear();
    }
    std::uint16_t give(Op op, unsigned sm, Lanes lanes, std::uint64_t data, bool remote = false,
                       std::uint32_t addr = kObject)
    {
        while (!port_.canPresent(std::uint8_t(sm))) port_.step();
        SyncRequest r;
        r.op = op;
        r.at = {std::uint8_t(sm), 0, 0};
        r.lanes = lanes;
        r.tag = ++tag_;
        r.remote = remote;
        r.addr.fill(addr ^ clusterAddress(ctas_ > 1 ? sm : 0, 0));  // `addr` may name another rank
        r.data.fill(data);
        port_.present(r);
        return tag_;
    }
    void tell(const CancelQuery& q)
    {
        REQUIRE(port_.canAnswerCancel(q.sm));
        port_.answerCancel({q.sm, q.slot, true, {4, 0, 0}});
    }
    void leave(unsigned sm)
    {
        for (std::uint8_t w = 0; w < 2; ++w)
            port_.exit({{std::uint8_t(sm), 0, w}, ~Lanes{0}, false});
    }
    void step(int cycles)
    {
        for (int i = 0; i < cycles; ++i) port_.step();
        if (port_.fault()) FAIL(port_.fault()->message);
    }
    [[nodiscard]] Cycle now() const { return port_.now(); }
    [[nodiscard]] std::uint64_t word(unsigned sm) const
    {
        return memory_.readWord(std::uint8_t(sm), kObject);
    }
    /// The complete_tx of responses.
    [[nodiscard]] std::vector<Commit> completions() const
    {
        std::vector<Commit> found;
        for (const Commit& c : commits)
            if (c.op == Op::ClcTryCancel && c.src != Src::Local) found.push_back(c);
        return found;
    }

    std::vector<CancelQuery> queries;
    std::vector<SyncResponse> responses;
    std::vector<Commit> commits;
    std::vector<Delivered> delivered;
    std::vector<CtaFree> freed;

private:
    void onResponse(const SyncResponse& r) override { responses.push_back(r); }
    void onRelease(const Release&) override {}
    void onCommit(const Commit& c) override
    {
        if (c.unit == Unit::Mbarrier) commits.push_back(c);
    }
    void onDelivered(const Delivered& d) override { delivered.push_back(d); }
    void onCtaFree(const CtaFree& f) override { freed.push_back(f); }
    void onCancel(const CancelQuery& q) override { queries.push_back(q); }

    unsigned ctas_;
    WordMemory memory_{16};
    RtlPort rtl_;
    LockstepPort port_;
    std::uint16_t tag_{};
};

}  // namespace

TEST_CASE("try_cancel: clocks from the request to the query, and from the answer to the completion",
          "[CLC-005][CLC-006][CLC-007][CLC-009][CLC-013][calibration]")
{
    const unsigned ctas = GENERATE(1u, 2u);
    CAPTURE(ctas);
    Rig rig(ctas);
    const Cycle asked = rig.now();
    const std::uint16_t tag = rig.give(Op::ClcTryCancel, 0, 1, kResponse, ctas > 1);
    rig.step(200);
    REQUIRE(rig.queries.size() == 1);
    CHECK(rig.queries[0].cycle - asked == 4);
    CHECK(rig.queries[0].tag == tag);
    CHECK(rig.queries[0].multicast == (ctas > 1));
    // The request has its answer, and nothing is written: CLC-005.
    REQUIRE(rig.responses.size() == 1);
    CHECK(rig.responses[0].cause == Cause::Done);
    CHECK(rig.delivered.empty());
    CHECK(rig.completions().empty());
    const Cycle told = rig.now();
    rig.tell(rig.queries[0]);
    rig.step(400);
    REQUIRE(rig.delivered.size() == ctas);
    REQUIRE(rig.completions().size() == ctas);
    for (const Commit& c : rig.completions()) {
        CAPTURE(c.at.sm);
        const bool own = c.at.sm == 0;
        CHECK(c.src == (own ? Src::AsyncCopy : Src::Remote));
        CHECK(c.flip);
        CHECK(c.lanes == 1);
        const auto bytes = std::find_if(rig.delivered.begin(), rig.delivered.end(),
                                        [&](const Delivered& d) { return d.sm == c.at.sm; });
        REQUIRE(bytes != rig.delivered.end());
        CHECK(bytes->cycle < c.cycle);  // the bytes first
        CHECK(bytes->tag == tag);
        CHECK(bytes->lanes == 1);
        const Cycle wants = own ? (ctas > 1 ? 24 : 22) : 105;
        CHECK(c.cycle - told == wants);
    }
}

TEST_CASE("a multicast reaches sixteen CTAs once each, at the same offset", "[CLC-006][CLC-009]")
{
    Rig rig(16);
    rig.give(Op::ClcTryCancel, 5, 1u << 9, kResponse, true);
    rig.step(100);
    REQUIRE(rig.queries.size() == 1);
    CHECK(rig.queries[0].lane == 9);
    rig.tell(rig.queries[0]);
    rig.step(1000);
    std::set<unsigned> bytes, completed;
    for (const Delivered& d : rig.delivered) {
        CHECK(bytes.insert(d.sm).second);
        CHECK(d.lanes == 1u << 9);
        CHECK_FALSE(d.refused);
    }
    for (const Commit& c : rig.completions()) {
        CHECK(completed.insert(c.at.sm).second);
        CHECK((c.object & 0xff'ffff) == kObject);
        CHECK(c.flip);
    }
    CHECK(bytes.size() == 16);
    CHECK(completed.size() == 16);
}

TEST_CASE("more lanes than entries wait, and each asks once", "[CLC-003][CLC-004][D-70]")
{
    Rig rig(1);
    rig.give(Op::ClcTryCancel, 0, ~Lanes{0}, kResponse);
    rig.step(300);
    CHECK(rig.queries.size() == 8);  // entries: the others wait at the walk
    CHECK(rig.responses.size() == 8);
    std::map<unsigned, unsigned> lanes;
    for (std::size_t i = 0; i < 32; ++i) {
        REQUIRE(rig.queries.size() > i);
        ++lanes[rig.queries[i].lane];
        rig.tell(rig.queries[i]);
        rig.step(40);
    }
    CHECK(rig.queries.size() == 32);
    CHECK(lanes.size() == 32);
    CHECK(rig.completions().size() == 32);
    CHECK(rig.responses.size() == 32);
    CHECK(rig.responses.back().last);
}

TEST_CASE("answers come in any order, and reach those who asked", "[CLC-003][CLC-009][D-55]")
{
    Rig rig(2);
    for (const unsigned sm : {0u, 1u}) rig.give(Op::ClcTryCancel, sm, 0x3, kResponse, sm == 1);
    rig.step(100);
    REQUIRE(rig.queries.size() == 4);
    std::vector<CancelQuery> queries = rig.queries;
    std::reverse(queries.begin(), queries.end());
    for (const CancelQuery& q : queries) {
        rig.delivered.clear();
        rig.tell(q);
        rig.step(300);
        CHECK(rig.delivered.size() == (q.multicast ? 2 : 1));
        for (const Delivered& d : rig.delivered) {
            CHECK(d.tag == q.tag);
            CHECK(d.lanes == 1u << q.lane);
            CHECK((q.multicast || d.sm == q.sm));
        }
    }
}

TEST_CASE("operands of try_cancel that are refused do not ask", "[CLC-002][CLC-008]")
{
    struct Case {
        std::uint64_t response;
        std::uint32_t addr;
        unsigned errs;
        bool remote;
    };
    for (const Case& c :
         {Case{kResponse + 8, kObject, kMbErrResponse, false},
          Case{1024, kObject, kMbErrWindow, false}, Case{1008, 1024, kMbErrWindow, false},
          Case{kResponse, kObject + 4, kMbErrAlign, false},
          Case{kResponse, kObject | 1u << 24, kMbErrRemoteForm, true}}) {
        CAPTURE(c.response, c.addr, c.remote);
        Rig rig(2);
        rig.give(Op::ClcTryCancel, 0, 0x5, c.response, c.remote, c.addr);
        rig.step(200);
        CHECK(rig.queries.empty());
        REQUIRE(rig.responses.size() == 2);
        CHECK(rig.responses[0].cause == Cause::Refused);
        REQUIRE(rig.commits.size() == 2);
        CHECK(rig.commits[0].errs == c.errs);
        CHECK(rig.commits[0].refused);
    }
}

TEST_CASE("a CTA slot is not free while its query is open; an exited CTA takes no response",
          "[CLC-011][D-41]")
{
    const bool multicast = GENERATE(false, true);
    CAPTURE(multicast);
    Rig rig(2);
    rig.give(Op::ClcTryCancel, 0, 1, kResponse, multicast);
    rig.step(100);
    REQUIRE(rig.queries.size() == 1);
    for (const unsigned sm : {0u, 1u}) rig.leave(sm);
    rig.step(2000);
    CHECK(rig.freed.empty());
    const std::uint64_t before = rig.word(0);
    rig.tell(rig.queries[0]);
    rig.step(2000);
    CHECK(rig.freed.size() == 2);
    CHECK(rig.word(0) == before);
    REQUIRE(rig.delivered.size() == (multicast ? 2 : 1));
    for (const Delivered& d : rig.delivered) CHECK(d.refused);
    for (const Commit& c : rig.completions()) {
        CHECK(c.refused);
        CHECK(c.errs == (multicast ? kMbErrUndeliverable : kMbErrLeft));
    }
}
