// Fences and ordinary accesses in lockstep: what waits for what is announced and not performed, and reports of a device that does not wait, by
// name. The device is the golden port, whose reports are spoilt.
#include <string>
#include <vector>

#include "access_testbench.hpp"
#include "catch.hpp"
#include "golden/golden_port.hpp"
#include "lockstep/lockstep_port.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

/// A device that hears nothing of accesses and so waits for none.
class Deaf final : public ForwardingPort {
public:
    using ForwardingPort::ForwardingPort;
    void announce(const Accesses&) override {}
    void performed(const Accesses&) override {}
};

}  // namespace

TEST_CASE("what each request waits for is announced and not performed",
          "[BAR-014][BWS-006][CLU-016][CLU-022][FENCE-004][FENCE-006][FENCE-007][FENCE-008]"
          "[FENCE-021][FENCE-023][FENCE-024][FENCE-039][MBARR-014][D-54][D-69]")
{
    for (const Row& row : kRows) {
        for (const Reach reach : {Reach::Cta, Reach::Everyone}) {
            const std::string name = nameOfRow(row);
            CAPTURE(name, int(reach));
            GoldenPort device(1);
            LockstepPort port(device);
            Testbench b(port);
            const bool waits = reach == Reach::Cta ? row.own : row.wide;
            b.object();
            const Accesses a = b.announce(reach, 3);
            const std::uint16_t tag = b.give(row.op, row.sem, row.scope);
            b.step(20);
            CHECK(b.answered(tag) == !waits);
            b.performed(a, 2);
            b.step(20);
            CHECK(b.answered(tag) == !waits);
            b.performed(a, 1);
            b.step(20);
            CHECK(b.answered(tag));
            CHECK((port.fault() ? port.fault()->message : "") == "");
        }
    }
}

TEST_CASE("accesses of another warp count for its CTA, not for the own warp", "[FENCE-039][D-69]")
{
    GoldenPort device(1);
    LockstepPort port(device);
    Testbench b(port);
    const Accesses own = b.announce(Reach::Cta, 1, kOther);
    const Accesses wide = b.announce(Reach::Everyone, 1, kOther);
    const std::uint16_t near = b.give(Op::Fence, Sem::AcqRel, Scope::Cta);
    b.step(10);
    CHECK(b.answered(near));
    const std::uint16_t far = b.give(Op::Fence, Sem::AcqRel, Scope::Gpu);
    b.step(10);
    CHECK_FALSE(b.answered(far));
    b.performed(wide, 1);
    b.step(10);
    CHECK(b.answered(far));
    b.performed(own, 1);
    CHECK((port.fault() ? port.fault()->message : "") == "");
}

TEST_CASE("what is announced after a request that waits is not waited for", "[D-70][FENCE-039]")
{
    GoldenPort device(1);
    LockstepPort port(device);
    Testbench b(port);
    Accesses older = b.announce(Reach::Everyone, 1);
    std::vector<Accesses> open;
    for (int i = 0; i < 50; ++i) {
        const std::uint16_t tag = b.give(Op::Fence, Sem::AcqRel, Scope::Gpu);
        b.step(3);
        CHECK_FALSE(b.answered(tag));
        const Accesses newer = b.announce(Reach::Everyone, 1, kOther);
        CHECK(newer.epoch != older.epoch);
        b.performed(older, 1);
        b.step(3);
        CHECK(b.answered(tag));
        older = newer;
    }
    b.performed(older, 1);
    CHECK((port.fault() ? port.fault()->message : "") == "");
}

TEST_CASE("a CTA slot is free when the last access is performed", "[D-41]")
{
    GoldenPort device(1);
    LockstepPort port(device);
    Testbench b(port);
    const Accesses a = b.announce(Reach::Cta, 2);
    b.leave();
    CHECK_FALSE(b.freed());
    CHECK(port.quietUntil() == kNever);
    CHECK_FALSE(port.fault());
    b.performed(a, 2);
    CHECK(port.quietUntil() == port.now());
    b.step(5);
    CHECK(b.freed());
    CHECK((port.fault() ? port.fault()->message : "") == "");
}

TEST_CASE("a device that waits for no access is caught, each kind of request by name",
          "[BAR-014][BWS-006][CLU-016][FENCE-004][FENCE-021][FENCE-023][MBARR-014][D-54][D-69]")
{
    unsigned caught = 0;
    for (const Row& row : kRows) {
        for (const Reach reach : {Reach::Cta, Reach::Everyone}) {
            const std::string name = nameOfRow(row);
            CAPTURE(name, int(reach));
            GoldenPort device(1);
            Deaf deaf(device);
            LockstepPort port(deaf);
            Testbench b(port);
            const bool waits = reach == Reach::Cta ? row.own : row.wide;
            b.object();
            (void)b.announce(reach, 3);
            (void)b.give(row.op, row.sem, row.scope);
            b.step(10);
            const std::string said = port.fault() ? port.fault()->message : "";
            if (!waits) {
                CHECK(said == "");
                continue;
            }
            ++caught;
            CHECK_THAT(said, Catch::Contains("3 outstanding"));
            CHECK_THAT(said, Catch::Contains(reach == Reach::Cta ? "of its warp" : "of its CTA"));
        }
    }
    CHECK(caught == 19);
    {
        GoldenPort device(1);
        Deaf deaf(device);
        LockstepPort port(deaf);
        Testbench b(port);
        (void)b.announce(Reach::Cta, 1);
        b.leave();
        REQUIRE(port.fault());
        CHECK_THAT(port.fault()->message, Catch::Contains("freed before its accesses"));
    }
}

TEST_CASE("a driver that performs what it did not announce is told so", "[D-40]")
{
    GoldenPort device(1);
    LockstepPort port(device);
    Testbench b(port);
    const Accesses a = b.announce(Reach::Everyone, 2);
    SECTION("more") { b.performed(a, 3); }
    SECTION("in the other epoch")
    {
        Accesses other = a;
        other.epoch ^= 1;
        b.performed(other, 1);
    }
    SECTION("towards others")
    {
        Accesses other = a;
        other.reach = Reach::Cta;
        b.performed(other, 1);
    }
    REQUIRE(port.fault());
    CHECK(port.fault()->kind == Fault::Kind::Protocol);
    CHECK_THAT(port.fault()->message, Catch::Contains("than were announced"));
}

TEST_CASE("an access that is never performed is a hang with a name", "[D-62]")
{
    GoldenPort device(1);
    LockstepOptions options;
    options.bound = 100;
    LockstepPort port(device, options);
    Testbench b(port);
    (void)b.announce(Reach::Everyone, 1);
    (void)b.give(Op::Fence, Sem::AcqRel, Scope::Gpu);
    b.step(500);
    REQUIRE(port.fault());
    CHECK_THAT(port.fault()->message, Catch::Contains("1 accesses announced and never performed"));
}
