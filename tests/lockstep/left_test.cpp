// Atomics towards a CTA of the cluster that has exited: refused, and a device that says otherwise is caught (D-38, ATOM-029).
#include <functional>

#include "catch.hpp"
#include "corrupt.hpp"
#include "golden/golden_port.hpp"
#include "lockstep/lockstep_port.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

/// A cluster of two CTAs on two SMs; that of SM 1 has exited, that of SM 0 sends it atomics.
struct Left final : SyncSink {
    GoldenPort device{2};
    CorruptPort corrupt;
    LockstepPort port;
    std::vector<SyncResponse> responses;

    explicit Left(std::function<void(Report&)> change = {})
        : corrupt(device,
                  [change](std::vector<Report>& reports) {
                      for (Report& r : reports)
                          if (change) change(r);
                  }),
          port(corrupt)
    {
        port.setSink(*this);
        for (std::uint8_t r = 0; r < 2; ++r) port.route({5, r, r, 0, 2});
        for (std::uint8_t r = 0; r < 2; ++r)
            REQUIRE(port.launch(
                {.sm = r, .cluster = 5, .rank = r, .ctas = 2, .threads = 32, .size = 0x100}));
        step(4);
        port.exit({{1, 0, 0}, ~Lanes{0}, false});
        step(4);
    }
    void step(unsigned clocks)
    {
        while (clocks-- != 0) port.step();
    }
    void send(Op op)
    {
        SyncRequest r;
        r.op = op;
        r.lanes = 0xff;
        r.tag = 3;
        r.remote = true;
        r.addr.fill(clusterAddress(1, 0x40));
        port.present(r);
        step(8);
    }
    [[nodiscard]] std::string said() const { return port.fault() ? port.fault()->message : ""; }

    void onResponse(const SyncResponse& r) override { responses.push_back(r); }
    void onRelease(const Release&) override {}
    void onCommit(const Commit&) override {}
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override {}
};

}  // namespace

TEST_CASE("an atom to a CTA that has exited is refused, a red is posted and dropped", "[D-38]")
{
    Left atom;
    atom.send(Op::Atom);
    CHECK(atom.said() == "");
    REQUIRE(atom.responses.size() == 1);
    CHECK(atom.responses[0].cause == Cause::Refused);
    Left red;
    red.send(Op::Red);
    CHECK(red.said() == "");
    REQUIRE(red.responses.size() == 1);
    CHECK(red.responses[0].cause == Cause::Done);
    CHECK(red.port.follower().debts() == 0);
}

TEST_CASE("a device that tells of an atom to an exited CTA as performed is caught", "[D-38]")
{
    Left answered([](Report& r) {
        if (r.kind == Report::Kind::Response) r.response.cause = Cause::Done;
    });
    answered.send(Op::Atom);
    CHECK_THAT(answered.said(), Catch::Contains("cause of the response differs for an atom"));
    const auto isAtom = [](const Report& r) {
        return r.kind == Report::Kind::Commit && r.commit.op == Op::Atom;
    };
    Left committed([&](Report& r) {
        if (isAtom(r)) r.commit.refused = false;
    });
    committed.send(Op::Atom);
    CHECK_THAT(committed.said(), Catch::Contains("errs differs"));
    Left unnamed([&](Report& r) {
        if (isAtom(r)) r.commit.errs = 0;
    });
    unnamed.send(Op::Atom);
    CHECK_THAT(unnamed.said(), Catch::Contains("errs differs"));
    Left delivered([](Report& r) {
        if (r.kind == Report::Kind::Delivered) r.delivered.refused = false;
    });
    delivered.send(Op::Atom);
    CHECK(delivered.said() != "");
}
