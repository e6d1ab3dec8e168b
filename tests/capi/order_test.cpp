// Additions of version 1.2 of the C ABI: fences are answered, accesses are announced and performed; and programs made for 1.1 run as before.
#include "unit.hpp"

using capi::Unit;

namespace {

gsu_accesses accesses(const Unit& u, std::uint32_t reach, std::uint32_t count,
                      std::uint8_t warp = 0)
{
    gsu_accesses a = GSU_INIT(gsu_accesses);
    a.warp = warp;
    a.reach = std::uint8_t(reach);
    a.epoch = std::uint8_t(gsu_unit_epoch(u.handle(), 0, 0, warp, reach));
    a.count = count;
    return a;
}

gsu_request fence(std::uint16_t tag, std::uint8_t scope)
{
    gsu_request r = Unit::request(GSU_OP_FENCE, 0);
    r.tag = tag;
    r.sem = GSU_SEM_ACQ_REL;
    r.scope = scope;
    return r;
}

void present(Unit& u, const gsu_request& r)
{
    while (gsu_unit_can_present(u.handle(), 0) == 0) u.step();
    CAPTURE(gsu_last_error());
    REQUIRE(gsu_unit_present(u.handle(), &r) == GSU_OK);
}

bool answered(const Unit& u, std::uint16_t tag)
{
    for (const gsu_response& r : u.responses)
        if (r.tag == tag) return r.cause == GSU_CAUSE_DONE;
    return false;
}

constexpr int kLong = 400;

}  // namespace

TEST_CASE("fences are answered, and wait for announced accesses", "[capi][FENCE-004][D-54]")
{
    for (const char* name : {"golden", "rtl", "lockstep"}) {
        CAPTURE(name);
        Unit u(name);
        const gsu_launch cta = Unit::cta(64);
        while (gsu_unit_launch(u.handle(), &cta) == 0) u.step();
        u.step(5);
        present(u, fence(1, GSU_SCOPE_SYS));  // nothing is outstanding
        u.step(2000);
        CHECK(answered(u, 1));
        gsu_accesses a = accesses(u, GSU_REACH_EVERYONE, 5, 1);
        REQUIRE(gsu_unit_announce(u.handle(), &a) == GSU_OK);
        present(u, fence(2, GSU_SCOPE_CTA));
        u.step(kLong);
        CHECK(answered(u, 2));
        present(u, fence(3, GSU_SCOPE_GPU));
        u.step(kLong);
        CHECK_FALSE(answered(u, 3));
        a.count = 5;
        REQUIRE(gsu_unit_performed(u.handle(), &a) == GSU_OK);
        u.step(kLong);
        CHECK(answered(u, 3));
        CHECK(gsu_unit_fault(u.handle(), nullptr, nullptr) == 0);
    }
}

TEST_CASE("accesses that cannot be are refused, without effect", "[capi]")
{
    Unit u;
    gsu_accesses a = GSU_INIT(gsu_accesses);
    a.count = 1;
    CHECK(gsu_unit_announce(u.handle(), &a) == GSU_E_STATE);  // not launched
    CHECK(gsu_unit_epoch(u.handle(), 0, 0, 0, GSU_REACH_CTA) == GSU_E_STATE);
    const gsu_launch cta = Unit::cta(32);
    REQUIRE(gsu_unit_launch(u.handle(), &cta) == 1);
    u.step(5);
    CHECK(gsu_unit_performed(u.handle(), &a) == GSU_E_STATE);  // not announced
    REQUIRE(gsu_unit_announce(u.handle(), &a) == GSU_OK);
    a.count = 2;
    CHECK(gsu_unit_performed(u.handle(), &a) == GSU_E_STATE);
    a.count = 0xffff;
    CHECK(gsu_unit_announce(u.handle(), &a) == GSU_E_STATE);
    a.count = 0x10000;
    CHECK(gsu_unit_announce(u.handle(), &a) == GSU_E_ARGUMENT);
    a.count = 0;
    CHECK(gsu_unit_announce(u.handle(), &a) == GSU_E_ARGUMENT);
    a.count = 1;
    a.epoch = 1;
    CHECK(gsu_unit_announce(u.handle(), &a) == GSU_E_STATE);
    CHECK(std::string(gsu_last_error()) == "wrong epoch: 0 now, see gsu_unit_epoch()");
    CHECK(gsu_unit_performed(u.handle(), &a) == GSU_E_STATE);
    a.epoch = 2;
    CHECK(gsu_unit_announce(u.handle(), &a) == GSU_E_ARGUMENT);
    a.epoch = 0;
    a.reach = 2;
    CHECK(gsu_unit_announce(u.handle(), &a) == GSU_E_ARGUMENT);
    a.reach = GSU_REACH_CTA;
    a.warp = 1;
    CHECK(gsu_unit_announce(u.handle(), &a) == GSU_E_STATE);  // no such warp
    a.warp = 0;
    a.size -= 1;
    CHECK(gsu_unit_performed(u.handle(), &a) == GSU_E_VERSION);
    a.size += 1;
    CHECK(gsu_unit_epoch(u.handle(), 1, 0, 0, 0) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_epoch(u.handle(), 0, 0, 0, 2) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_announce(nullptr, &a) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_announce(u.handle(), nullptr) == GSU_E_ARGUMENT);
    REQUIRE(gsu_unit_performed(u.handle(), &a) == GSU_OK);
}
