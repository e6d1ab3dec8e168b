// Additions of version 1.6 of the C ABI: grids, their events, griddepcontrol as requests.
#include "unit.hpp"

using capi::Unit;

namespace {

constexpr int kCyclesOfAGrid = 400;

std::vector<gsu_grid_event>* events = nullptr;

gsu_grid grid(std::uint8_t slot, std::uint32_t ctas, std::uint16_t prereqs = 0,
              std::uint8_t what = GSU_GRID_STARTS)
{
    gsu_grid g = GSU_INIT(gsu_grid);
    g.grid = slot;
    g.what = what;
    g.ctas = ctas;
    g.prereqs = prereqs;
    return g;
}

void give(Unit& u, const gsu_grid& g)
{
    const gsu_status status = gsu_unit_grid(u.handle(), &g);
    CAPTURE(gsu_last_error());
    REQUIRE(status == GSU_OK);
}

gsu_launch of(std::uint8_t slot, std::uint8_t cta)
{
    gsu_launch l = Unit::cta(32);
    l.cta = l.warp_base = cta;
    l.smem_base = cta * 4096u;
    l.grid = slot;
    return l;
}

gsu_request at(std::uint8_t op, std::uint8_t cta, std::uint16_t tag)
{
    gsu_request r = Unit::request(op, 0);
    r.cta = cta;
    r.tag = tag;
    return r;
}

void leave(Unit& u, std::uint8_t cta)
{
    gsu_exit e = GSU_INIT(gsu_exit);
    e.cta = cta;
    e.lanes = capi::kAll;
    REQUIRE(gsu_unit_exit(u.handle(), &e) == GSU_OK);
    u.step(kCyclesOfAGrid);
}

void listen(gsu_options& options, gsu_callbacks& calls)
{
    options.events = GSU_EVENTS_GRID;
    options.journal = 1;
    calls.on_grid = [](void*, const gsu_grid_event* e) { events->push_back(*e); };
}

}  // namespace

TEST_CASE("a dependent grid waits for the end of its primary, not for its signal",
          "[capi][GDC-002][GDC-003][GDC-005][EX-GDC-01]")
{
    for (const char* name : {"golden", "rtl", "lockstep"}) {
        CAPTURE(name);
        std::vector<gsu_grid_event> seen;
        events = &seen;
        Unit u(name, 1, nullptr, 0, listen);
        give(u, grid(1, 2));
        u.launch(of(1, 0));
        u.launch(of(1, 1));
        u.step(kCyclesOfAGrid);
        u.present(at(GSU_OP_GDC_LAUNCH_DEPENDENTS, 0, 1));
        u.present(at(GSU_OP_GDC_WAIT, 1, 2));  // no prerequisite: at once (GDC-008)
        u.step(kCyclesOfAGrid);
        CHECK(u.responses.size() == 2);
        CHECK(seen.empty());  // one of two CTAs
        u.present(at(GSU_OP_GDC_LAUNCH_DEPENDENTS, 0, 3));
        u.step(kCyclesOfAGrid);
        CHECK(seen.empty());  // the same once more
        leave(u, 1);          // the other ends: it counts as a signal
        REQUIRE(seen.size() == 1);
        CHECK(seen[0].grid == 1);
        CHECK(seen[0].complete == 0);
        give(u, grid(2, 1, 1u << 1));
        u.launch(of(2, 2));
        u.step(kCyclesOfAGrid);
        const std::size_t before = u.responses.size();
        u.present(at(GSU_OP_GDC_WAIT, 2, 4));
        u.step(kCyclesOfAGrid);
        CHECK(u.responses.size() == before);  // signalled, not complete
        leave(u, 0);
        REQUIRE(u.responses.size() == before + 1);
        CHECK(u.responses.back().tag == 4);
        CHECK(u.responses.back().cause == GSU_CAUSE_FLIP);
        REQUIRE(seen.size() == 2);
        CHECK(seen[1].complete == 1);
        leave(u, 2);
        CHECK(seen.size() == 4);
        gsu_event e = GSU_INIT(gsu_event);  // the same by polling
        for (const gsu_grid_event& one : seen) {
            REQUIRE(gsu_unit_next_event(u.handle(), &e) == 1);
            CHECK(e.kind == GSU_EVENT_GRID);
            CHECK(e.of.grid.grid == one.grid);
            CHECK(e.of.grid.complete == one.complete);
            CHECK(e.of.grid.cycle == one.cycle);
        }
        CHECK(gsu_unit_next_event(u.handle(), &e) == 0);
    }
}

TEST_CASE("a grid elsewhere, one with fewer CTAs, and a checkpoint of both",
          "[capi][GDC-005][CLC-014]")
{
    std::vector<gsu_grid_event> seen, again;
    events = &seen;
    Unit u("lockstep", 1, nullptr, 0, listen);
    give(u, grid(7, 0));
    give(u, grid(3, 3, 1u << 7));
    u.launch(of(3, 0));
    u.present(at(GSU_OP_GDC_WAIT, 0, 1));
    u.step(kCyclesOfAGrid);
    CHECK(u.responses.empty());
    give(u, grid(3, 2, 0, GSU_GRID_FEWER));
    u.step(kCyclesOfAGrid);
    CHECK(seen.empty());
    std::uint64_t bytes = 0;
    REQUIRE(gsu_unit_save(u.handle(), nullptr, 0, &bytes) == GSU_OK);
    std::vector<unsigned char> data(bytes);
    REQUIRE(gsu_unit_save(u.handle(), data.data(), bytes, &bytes) == GSU_OK);
    Unit other("lockstep", 1, nullptr, 0, listen);
    REQUIRE(gsu_unit_restore(other.handle(), data.data(), bytes) == GSU_OK);
    const auto rest = [](Unit& unit, std::vector<gsu_grid_event>& into) {
        events = &into;
        give(unit, grid(7, 0, 0, GSU_GRID_ENDED));
        unit.step(kCyclesOfAGrid);
        REQUIRE(unit.responses.size() == 1);
        leave(unit, 0);
        REQUIRE(into.size() == 3);  // 7 over; 3 signalled and over
        CHECK(into[0].grid == 7);
        CHECK(into[2].complete == 1);
    };
    rest(u, seen);
    rest(other, again);
    for (std::size_t i = 0; i < seen.size(); ++i) CHECK(seen[i].cycle == again[i].cycle);
}

TEST_CASE("calls about grids that cannot be are refused", "[capi][GDC-002]")
{
    Unit u("golden");
    const auto refused = [&](const gsu_grid& g, gsu_status status, const char* says) {
        CHECK(gsu_unit_grid(u.handle(), &g) == status);
        CHECK_THAT(gsu_last_error(), Catch::Contains(says));
    };
    refused(grid(0, 1), GSU_E_ARGUMENT, "grid slot 0: 1 to 15");
    refused(grid(16, 1), GSU_E_ARGUMENT, "grid slot 16: 1 to 15");
    refused(grid(2, 1, 4), GSU_E_ARGUMENT, "its own prerequisite");
    refused(grid(2, 1, 0, GSU_GRID_ENDED), GSU_E_ARGUMENT, "the end of a grid with CTAs");
    refused(grid(2, 0, 0, GSU_GRID_FEWER), GSU_E_ARGUMENT, "fewer CTAs");
    refused(grid(2, 0, 0, 3), GSU_E_ARGUMENT, "gsu_grid_what");
    refused(grid(2, 0, 0, GSU_GRID_ENDED), GSU_E_STATE, "no grid that runs elsewhere");
    gsu_grid other = grid(2, 1);
    other.network = 1;
    refused(other, GSU_E_ARGUMENT, "network 1 of 1");
    give(u, grid(2, 1));
    refused(grid(2, 1), GSU_E_STATE, "grid slot 2 is in use");
    refused(grid(2, 2, 0, GSU_GRID_FEWER), GSU_E_STATE, "not so many CTAs");
    gsu_launch l = of(3, 0);
    CHECK(gsu_unit_launch(u.handle(), &l) == GSU_E_STATE);
    CHECK_THAT(gsu_last_error(), Catch::Contains("grid 3 has not started here"));
    u.launch(of(2, 0));
    l = of(2, 1);
    CHECK(gsu_unit_launch(u.handle(), &l) == GSU_E_STATE);
    CHECK_THAT(gsu_last_error(), Catch::Contains("has all its CTAs"));
}
