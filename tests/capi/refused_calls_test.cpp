// Misuse of the C library is refused by a code and a text, and changes nothing.
#include <cstring>

#include "unit.hpp"

using capi::kAll;
using capi::Unit;

namespace {

gsu_options good()
{
    gsu_options options = GSU_INIT(gsu_options);
    options.abi = GSU_ABI;
    options.unit = "golden";
    options.sms = 1;
    return options;
}

void refused(const gsu_options& options, gsu_status why, const std::string& text)
{
    gsu_unit* unit = reinterpret_cast<gsu_unit*>(1);
    CHECK(gsu_unit_create(&options, &unit) == why);
    CHECK(unit == nullptr);
    CHECK(std::string(gsu_last_error()).find(text) != std::string::npos);
}

}  // namespace

TEST_CASE("Options of the C library that cannot be are refused", "[capi]")
{
    gsu_unit* unit = nullptr;
    const gsu_options fine = good();
    CHECK(gsu_unit_create(&fine, nullptr) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_create(nullptr, &unit) == GSU_E_ARGUMENT);
    gsu_options o = good();
    o.size = 0;
    refused(o, GSU_E_VERSION, "GSU_INIT");
    o = good();
    o.abi = GSU_ABI + 0x10000;
    refused(o, GSU_E_VERSION, "abi 2.");
    o = good();
    o.abi = 0;
    refused(o, GSU_E_VERSION, "abi 0.0");
    o = good();
    o.unit = "verilog";
    refused(o, GSU_E_ARGUMENT, "no unit 'verilog'");
    o = good();
    o.preset = "volta";
    refused(o, GSU_E_ARGUMENT, "no preset 'volta'");
    for (const std::uint32_t sms : {0u, 257u, ~0u}) {
        o = good();
        o.sms = sms;
        refused(o, GSU_E_ARGUMENT, "1 to 256");
    }
    const char* settings[] = {"bar_interval=4", "bar_intervall=4", nullptr};
    o = good();
    o.settings = settings;
    refused(o, GSU_E_ARGUMENT, "bar_interval");
    gsu_callbacks calls = GSU_INIT(gsu_callbacks);
    calls.write_word = [](void*, std::uint32_t, std::uint32_t, std::uint64_t) {};
    o = good();
    o.callbacks = &calls;
    refused(o, GSU_E_ARGUMENT, "come together");
}

TEST_CASE("NULL is refused by every call of the C library", "[capi]")
{
    const Unit unit;
    std::uint64_t cycle = 0;
    CHECK(gsu_unit_destroy(nullptr) == GSU_OK);
    CHECK(gsu_unit_can_present(nullptr, 0) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_can_notify(nullptr, 0) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_step(nullptr) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_reset(nullptr) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_restore(nullptr, &cycle, 8) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_restore(unit.handle(), nullptr, 8) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_save(nullptr, nullptr, 0, &cycle) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_now(nullptr, &cycle) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_now(unit.handle(), nullptr) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_quiet_until(nullptr, &cycle) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_quiet_until(unit.handle(), nullptr) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_skip_to(nullptr, 0) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_fault(nullptr, nullptr, nullptr) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_fault(unit.handle(), nullptr, nullptr) == 0);
    CHECK(gsu_unit_stored(nullptr, 0, 0, 8) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_read_word(unit.handle(), 0, 0, nullptr) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_read_word(nullptr, 0, 0, &cycle) == GSU_E_ARGUMENT);
    const gsu_request r = Unit::request(GSU_OP_BAR_SYNC, 0);
    CHECK(gsu_unit_present(nullptr, &r) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_present(unit.handle(), nullptr) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_launch(unit.handle(), nullptr) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_exit(unit.handle(), nullptr) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_route(unit.handle(), nullptr) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_notify(unit.handle(), nullptr) == GSU_E_ARGUMENT);
}

TEST_CASE("What lies outside the unit is refused by the C library", "[capi]")
{
    const Unit unit;
    std::uint64_t word = 0;
    CHECK(gsu_unit_can_present(unit.handle(), 1) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_can_notify(unit.handle(), 255) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_stored(unit.handle(), 1, 0, 8) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_stored(unit.handle(), 0, ~0u, ~0u) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_read_word(unit.handle(), 0, 4, &word) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_read_word(unit.handle(), 0, 1u << 18, &word) == GSU_E_ARGUMENT);
    const auto launch = [&](auto&& change) {
        gsu_launch l = Unit::cta(64);
        change(l);
        return gsu_unit_launch(unit.handle(), &l);
    };
    CHECK(launch([](gsu_launch& l) { l.threads = 0; }) == GSU_E_ARGUMENT);
    CHECK(launch([](gsu_launch& l) { l.threads = 1025; }) == GSU_E_ARGUMENT);
    CHECK(launch([](gsu_launch& l) { l.warp_base = 63; }) == GSU_E_ARGUMENT);
    CHECK(launch([](gsu_launch& l) { l.cta = 32; }) == GSU_E_ARGUMENT);
    CHECK(launch([](gsu_launch& l) { l.sm = 1; }) == GSU_E_ARGUMENT);
    CHECK(launch([](gsu_launch& l) { l.smem_base = ~7u; }) == GSU_E_ARGUMENT);
    CHECK(launch([](gsu_launch& l) { l.smem_base = 4; }) == GSU_E_ARGUMENT);
    CHECK(launch([](gsu_launch& l) { l.ctas = 2; }) == GSU_E_STATE);  // no route
    CHECK(launch([](gsu_launch&) {}) == 1);
    const auto request = [&](auto&& change) {
        gsu_request r = Unit::request(GSU_OP_BAR_SYNC, 0);
        change(r);
        return gsu_unit_present(unit.handle(), &r);
    };
    CHECK(request([](gsu_request& r) { r.op = 0; }) == GSU_E_ARGUMENT);
    CHECK(request([](gsu_request& r) { r.op = GSU_OP_EV_LAUNCH; }) == GSU_E_ARGUMENT);
    CHECK(request([](gsu_request& r) { r.tag = 4096; }) == GSU_E_ARGUMENT);
    CHECK(request([](gsu_request& r) { r.lanes = 0; }) == GSU_E_ARGUMENT);
    CHECK(request([](gsu_request& r) { r.warp = 32; }) == GSU_E_ARGUMENT);
    const auto form = [&](std::uint32_t op, std::uint8_t kind) {
        return request([&](gsu_request& r) { r.op = op, r.kind = kind; });
    };
    CHECK(form(GSU_OP_REDUX, 10) == GSU_E_ARGUMENT);  // no such operator
    CHECK(form(GSU_OP_VOTE, 4) == GSU_E_ARGUMENT);
    CHECK(form(GSU_OP_VOTE_SYNC, 4) == GSU_E_ARGUMENT);
    CHECK(request([](gsu_request& r) { r.sem = 4; }) == GSU_E_ARGUMENT);
    CHECK(request([](gsu_request& r) { r.scope = 5; }) == GSU_E_ARGUMENT);
    CHECK(request([](gsu_request& r) { r.reserved[1] = 1; }) == GSU_E_ARGUMENT);
    CHECK(request([](gsu_request& r) { r.size = 8; }) == GSU_E_VERSION);
    CHECK(request([](gsu_request& r) { r.warp = 2; }) == GSU_E_STATE);
    CHECK(request([](gsu_request& r) { r.cta = 1; }) == GSU_E_STATE);
    CHECK(request([](gsu_request&) {}) == GSU_OK);
}

TEST_CASE("What contradicts the past is refused by the C library", "[capi][BAR-013]")
{
    for (const char* name : {"golden", "rtl", "lockstep"}) {
        CAPTURE(name);
        Unit unit(name);
        unit.launch(Unit::cta(60));
        const gsu_launch again = Unit::cta(32);
        CHECK(gsu_unit_launch(unit.handle(), &again) == GSU_E_STATE);
        gsu_launch overlap = Unit::cta(32);
        overlap.cta = 1;
        overlap.warp_base = 1;
        CHECK(gsu_unit_launch(unit.handle(), &overlap) == GSU_E_STATE);

        unit.present(Unit::request(GSU_OP_BAR_SYNC, 0));
        const gsu_request next = Unit::request(GSU_OP_BAR_SYNC, 1, 0xfffffff);
        CHECK(gsu_unit_skip_to(unit.handle(), unit.now() + 1) == GSU_E_STATE);
        CHECK(gsu_unit_present(unit.handle(), &next) == GSU_E_BUSY);
        unit.step(10);
        gsu_request wrong = Unit::request(GSU_OP_BAR_SYNC, 1, 0xfffffff);
        wrong.tag = 0;
        CHECK(gsu_unit_present(unit.handle(), &wrong) == GSU_E_STATE);
        CHECK(std::string(gsu_last_error()).find("tag 0 is in use") != std::string::npos);
        wrong = Unit::request(GSU_OP_BAR_SYNC, 1);  // the last warp has 28 lanes
        CHECK(gsu_unit_present(unit.handle(), &wrong) == GSU_E_STATE);
        wrong = Unit::request(GSU_OP_WARP_SYNC, 0, 1);
        wrong.tag = 9;
        CHECK(gsu_unit_present(unit.handle(), &wrong) == GSU_E_STATE);
        gsu_exit leave = GSU_INIT(gsu_exit);
        leave.lanes = 1;
        CHECK(gsu_unit_exit(unit.handle(), &leave) == GSU_E_STATE);
        CHECK(unit.releases.empty());
        unit.present(next);
        unit.step(100);
        REQUIRE(unit.releases.size() == 1);
        CHECK(unit.releases[0].warps == 3);

        unit.leave(0);
        CHECK(gsu_unit_exit(unit.handle(), &leave) == GSU_E_STATE);
        unit.leave(1, 0xfffffff);
        unit.step(100);
        REQUIRE(unit.frees.size() == 1);
        unit.launch(Unit::cta(60));  // the slot is free again
    }
}

TEST_CASE("A cluster's launches agree with its routes, or the C library refuses them",
          "[capi][CLU-007]")
{
    Unit unit("lockstep", 2);
    gsu_route route = GSU_INIT(gsu_route);
    route.cluster = 5;
    route.ctas = 1;
    CHECK(gsu_unit_route(unit.handle(), &route) == GSU_E_ARGUMENT);
    route.ctas = 2;
    CHECK(gsu_unit_route(unit.handle(), &route) == GSU_OK);
    gsu_launch launch = Unit::cta(32);
    launch.cluster = 5;
    launch.ctas = 2;
    CHECK(gsu_unit_launch(unit.handle(), &launch) == GSU_E_STATE);  // rank 1 has no route
    route.rank = 1;
    route.sm = 1;
    CHECK(gsu_unit_route(unit.handle(), &route) == GSU_OK);
    launch.rank = 1;
    CHECK(gsu_unit_launch(unit.handle(), &launch) == GSU_E_STATE);  // rank 1 lives on SM 1
    for (std::uint8_t rank = 0; rank < 2; ++rank) {
        launch.sm = launch.rank = rank;
        gsu_status taken = 0;
        for (int n = 0; n < 100 && taken == 0; ++n) {
            taken = gsu_unit_launch(unit.handle(), &launch);
            unit.step();
        }
        REQUIRE(taken == 1);
    }
    CHECK(gsu_unit_route(unit.handle(), &route) == GSU_E_STATE);  // in use
    unit.leave(0);
    unit.leave(0, kAll, 1);
    unit.step(1000);
    CHECK(unit.frees.size() == 2);
    CHECK(gsu_unit_route(unit.handle(), &route) == GSU_OK);
}

TEST_CASE("Calls from inside a callback of the C library are refused", "[capi]")
{
    Unit unit("lockstep");
    unit.launch(Unit::cta(64));
    unit.present(Unit::request(GSU_OP_BAR_ARRIVE, 0));
    unit.step(100);
    REQUIRE(!unit.nestedCalls.empty());
    for (const gsu_status status : unit.nestedCalls) CHECK(status == GSU_E_NESTED);
}

TEST_CASE("Structures of a later C library are taken while they use nothing new", "[capi]")
{
    struct Later {
        gsu_launch known;
        std::uint32_t added[4];
    };
    Unit unit;
    Later later{Unit::cta(32), {}};
    later.known.size = sizeof later;
    later.added[2] = 1;
    CHECK(gsu_unit_launch(unit.handle(), &later.known) == GSU_E_VERSION);
    later.added[2] = 0;
    CHECK(gsu_unit_launch(unit.handle(), &later.known) == 1);
}
