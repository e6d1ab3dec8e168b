// An agent that is not a thread (a tensor core) arrives at mbarriers of several CTAs, as a simulator with tensor cores reports it to the unit.
#include "unit.hpp"

using capi::Unit;

namespace {

gsu_launch member(std::uint8_t rank)
{
    gsu_launch l = Unit::cta(32);
    l.sm = l.rank = rank;
    l.cluster = 2;
    l.ctas = 3;
    return l;
}

gsu_async arrival(std::uint32_t ranks)
{
    gsu_async a = GSU_INIT(gsu_async);
    a.kind = GSU_ASYNC_AGENT_ARRIVE;
    a.sm = 1;
    a.addr = 64;
    a.amount = ranks;
    return a;
}

std::uint32_t phasesOf(const Unit& u, std::uint8_t sm)
{
    gsu_mbarrier_state s = GSU_INIT(gsu_mbarrier_state);
    REQUIRE(gsu_unit_mbarrier(u.handle(), sm, 0, 64, &s) == GSU_OK);
    return static_cast<std::uint32_t>(s.phases);
}

}  // namespace

TEST_CASE("an agent arrives in each CTA of its mask, and keeps its CTA until it has", "[capi]")
{
    for (const char* name : {"golden", "rtl", "lockstep"}) {
        CAPTURE(name);
        Unit u(name, 3);
        u.route(2, 3);
        for (std::uint8_t rank = 0; rank < 3; ++rank) u.launch(member(rank));
        for (std::uint8_t rank = 0; rank < 3; ++rank) {
            gsu_request r = Unit::request(GSU_OP_MBAR_INIT, 0, 1);
            r.sm = rank;
            r.addr[0] = std::uint32_t{rank} << 24 | 64;
            r.data[0] = 1;
            u.present(r);
        }
        u.step(200);
        const gsu_async both = arrival(0b110), wrong = arrival(0b1010);
        REQUIRE(gsu_unit_notify(u.handle(), &both) == GSU_OK);
        u.step(400);
        CHECK(phasesOf(u, 0) == 0);
        CHECK(phasesOf(u, 1) == 1);
        CHECK(phasesOf(u, 2) == 1);
        CHECK(u.findings.empty());
        REQUIRE(gsu_unit_notify(u.handle(), &wrong) == GSU_OK);
        u.step(400);
        CHECK(phasesOf(u, 1) == 1);
        REQUIRE(u.findings.size() == 1);
        CHECK(std::string(u.findings[0].rule) == "HS-024");
        const gsu_async last = arrival(0b111);
        REQUIRE(gsu_unit_notify(u.handle(), &last) == GSU_OK);
        for (std::uint8_t rank = 0; rank < 3; ++rank) u.leave(0, capi::kAll, rank);
        u.step(600);
        CHECK(u.frees.size() == 3);
        std::uint32_t arrivals = 0;
        for (const gsu_commit& c : u.commits) arrivals += c.op == GSU_OP_EV_AGENT_ARRIVE;
        CHECK(arrivals == 2 + 1 + 3);
    }
}
