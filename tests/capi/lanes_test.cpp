// Additions of version 1.3 of the C ABI: releases name lanes, launches have an era, dropped data are reported; and programs made for 1.2 run as before.
#include <cstring>

#include "unit.hpp"

using capi::Unit;

namespace {

constexpr std::uint32_t kWord = 8;
constexpr int kLong = 400;

gsu_launch withEra(std::uint8_t era)
{
    gsu_launch l = Unit::cta(32);
    l.era = era;
    return l;
}

void init(Unit& u)
{
    gsu_request r = Unit::request(GSU_OP_MBAR_INIT, 0, 1);
    r.addr[0] = kWord;
    r.data[0] = 1;
    u.present(r);
    u.step(kLong);
}

void complete(Unit& u, std::uint8_t era)
{
    gsu_async a = GSU_INIT(gsu_async);
    a.kind = GSU_ASYNC_COMPLETE_TX;
    a.addr = kWord;
    a.amount = 16;
    a.era = era;
    REQUIRE(gsu_unit_notify(u.handle(), &a) == GSU_OK);
    u.step(kLong);
}

}  // namespace

TEST_CASE("a release names the lanes that wait", "[capi][D-12][D-13]")
{
    for (const char* name : {"golden", "rtl", "lockstep"}) {
        CAPTURE(name);
        Unit u(name);
        u.launch(Unit::cta(64));
        u.step(20);
        gsu_request r = Unit::request(GSU_OP_BAR_ARRIVE, 0, 0x0000ffff);
        r.arg1 = 64;
        u.present(r);
        r = Unit::request(GSU_OP_BAR_SYNC, 0, 0xffff0000);
        r.arg1 = 64;
        r.tag = 2;
        u.present(r);
        r = Unit::request(GSU_OP_BAR_SYNC, 1);
        r.arg1 = 64;
        u.present(r);
        u.step(kLong);
        REQUIRE(u.releases.size() == 2);
        CHECK(u.releases[0].warps == 2);
        CHECK(u.releases[0].lanes == capi::kAll);
        CHECK(u.releases[1].warps == 1);
        CHECK(u.releases[1].lanes == 0xffff0000);
        u.leave(0);
        u.leave(1);
        u.step(kLong);
    }
}

TEST_CASE("a completion for the launch before is reported and touches nothing", "[capi][D-41]")
{
    for (const char* name : {"golden", "rtl", "lockstep"}) {
        CAPTURE(name);
        Unit u(name);
        u.launch(withEra(1));
        init(u);
        u.leave(0);
        u.step(kLong);
        REQUIRE(u.frees.size() == 1);
        u.launch(withEra(2));
        init(u);
        std::uint64_t before = 0, after = 0;
        REQUIRE(gsu_unit_read_word(u.handle(), 0, kWord, &before) == GSU_OK);
        u.findings.clear();
        complete(u, 1);
        REQUIRE(u.findings.size() == 1);
        CHECK(u.findings[0].effect == GSU_EFFECT_REFUSED);
        REQUIRE(gsu_unit_read_word(u.handle(), 0, kWord, &after) == GSU_OK);
        CHECK(after == before);
        complete(u, 2);
        CHECK(u.findings.size() == 1);
        REQUIRE(gsu_unit_read_word(u.handle(), 0, kWord, &after) == GSU_OK);
        CHECK(after != before);
    }
}

TEST_CASE("a launch of ABI 1.2 is taken at its size", "[capi]")
{
    Unit u;
    gsu_launch l = Unit::cta(32);
    l.size = 20;
    l.era = 77;  // beyond what the caller has
    REQUIRE(gsu_unit_launch(u.handle(), &l) == 1);
    u.step(10);
    init(u);
    complete(u, 0);
    CHECK(u.findings.empty());
}

TEST_CASE("atom and red of another CTA through the C library: lanes are delivered, an atom is "
          "answered after them",
          "[capi][ATOM-005][ATOM-029][RED-008]")
{
    for (const char* name : {"golden", "rtl", "lockstep"}) {
        CAPTURE(name);
        Unit u(name, 2, nullptr, 0, [&](gsu_options&, gsu_callbacks& calls) {
            calls.on_delivered = [](void* user, const gsu_delivered* d) {
                static_cast<Unit*>(user)->delivered.push_back(*d);
            };
        });
        for (std::uint8_t sm = 0; sm < 2; ++sm) {
            gsu_route route = GSU_INIT(gsu_route);
            route.sm = route.rank = sm;
            route.ctas = 2;
            REQUIRE(gsu_unit_route(u.handle(), &route) == GSU_OK);
        }
        for (std::uint8_t sm = 0; sm < 2; ++sm) {
            gsu_launch l = Unit::cta(32);
            l.sm = l.rank = sm;
            l.ctas = 2;
            u.launch(l);
        }
        u.step(kLong);
        for (const std::uint8_t op : {GSU_OP_ATOM, GSU_OP_RED}) {
            CAPTURE(int(op));
            u.delivered.clear();
            u.responses.clear();
            gsu_request r = Unit::request(op, 0, 0x0000fff0);
            r.remote = 1;
            for (std::uint32_t lane = 0; lane < 32; ++lane)
                r.addr[lane] = (lane == 7 ? 0u : 1u << 24) + 4 * lane;  // lane 7: the own CTA
            u.present(r);
            u.step(2 * kLong);
            REQUIRE(u.delivered.size() == 3);
            std::uint32_t away = 0;
            for (const gsu_delivered& d : u.delivered) {
                CHECK(d.tag == r.tag);
                if (d.sm == 0)
                    CHECK(d.lanes == 0x80);
                else
                    away |= d.lanes;
            }
            CHECK(away == 0x0000ff70);
            REQUIRE_FALSE(u.responses.empty());
            CHECK(u.responses.back().last == 1);
            if (op == GSU_OP_RED) continue;
            REQUIRE(u.responses.size() == 1);
            CHECK(u.responses[0].lanes == 0x0000fff0);
            CHECK(u.responses[0].cycle >= u.delivered.back().cycle);
        }
        gsu_request r = Unit::request(GSU_OP_ATOM, 0, 1);  // without `remote`: no unit
        u.responses.clear();
        u.present(r);
        u.step(kLong);
        REQUIRE(u.responses.size() == 1);
        CHECK(u.responses[0].cause == GSU_CAUSE_REFUSED);
    }
}
