// More than 16 SMs: several networks under one handle.
#include "unit.hpp"

using capi::Unit;

namespace {

void route(Unit& u, std::uint8_t rank, std::uint8_t sm, gsu_status expected = GSU_OK)
{
    gsu_route r = GSU_INIT(gsu_route);
    r.cluster = 2;
    r.rank = rank;
    r.sm = sm;
    r.ctas = 2;
    CHECK(gsu_unit_route(u.handle(), &r) == expected);
}

gsu_launch member(std::uint8_t rank, std::uint8_t sm)
{
    gsu_launch l = Unit::cta(32);
    l.sm = sm;
    l.cluster = 2;
    l.rank = rank;
    l.ctas = 2;
    return l;
}

}  // namespace

TEST_CASE("40 SMs answer under their own numbers", "[capi]")
{
    for (const char* name : {"golden", "rtl", "lockstep"}) {
        CAPTURE(name);
        Unit u(name, 40);
        for (std::uint8_t sm = 0; sm < 40; ++sm) {
            gsu_launch l = Unit::cta(32);
            l.sm = sm;
            REQUIRE(gsu_unit_launch(u.handle(), &l) == 1);
        }
        u.step(20);
        for (std::uint8_t sm = 0; sm < 40; ++sm) {
            gsu_request r = Unit::request(GSU_OP_BAR_SYNC, 0);
            r.sm = sm;
            u.present(r);
        }
        u.step(100);
        REQUIRE(u.releases.size() == 40);
        std::uint64_t seen = 0;
        for (const gsu_release& r : u.releases) {
            seen |= std::uint64_t{1} << r.sm;
            CHECK(r.cycle == u.releases[0].cycle);  // all the same, whatever the network
        }
        CHECK(seen == (std::uint64_t{1} << 40) - 1);
        for (std::size_t i = 0; i < u.commits.size(); ++i) CHECK(u.commits[i].seq == i);
        std::uint64_t quiet = 0;
        REQUIRE(gsu_unit_quiet_until(u.handle(), &quiet) == GSU_OK);
        CHECK(quiet == GSU_NEVER);
        CHECK(gsu_unit_skip_to(u.handle(), u.now() + 1000) == GSU_OK);
        for (std::uint8_t sm = 0; sm < 40; ++sm) u.leave(0, capi::kAll, sm);
        u.step(100);
        CHECK(u.frees.size() == 40);
    }
}

TEST_CASE("a cluster lies in one network", "[capi][CLU-005]")
{
    for (const char* name : {"golden", "rtl", "lockstep"}) {
        CAPTURE(name);
        Unit u(name, 33);
        // Slot 2 of two networks: two clusters.
        for (const int first : {0, 16}) {
            const auto base = std::uint8_t(first);
            route(u, 0, base);
            route(u, 1, std::uint8_t(base + 3));
            u.launch(member(0, base));
            u.step(5);
            u.launch(member(1, std::uint8_t(base + 3)));
            u.step(5);
        }
        u.step(100);
        const auto give = [&](std::uint8_t sm, std::uint8_t op) {
            gsu_request r = Unit::request(op, 0);
            r.sm = sm;
            u.present(r);
            u.step(20);
        };
        give(16, GSU_OP_CLUSTER_ARRIVE);
        give(16, GSU_OP_CLUSTER_WAIT);
        u.step(300);
        CHECK(u.releases.empty());
        give(19, GSU_OP_CLUSTER_ARRIVE);
        u.step(300);
        REQUIRE(u.releases.size() == 1);
        CHECK(u.releases[0].sm == 16);
        gsu_cluster_state s = GSU_INIT(gsu_cluster_state);
        REQUIRE(gsu_unit_cluster(u.handle(), 3, 0, &s) == GSU_OK);
        CHECK(s.generations == 0);
        REQUIRE(gsu_unit_cluster(u.handle(), 19, 0, &s) == GSU_OK);
        CHECK(s.generations == 1);
        // A cluster that would be in two networks.
        Unit across(name, 33);
        route(across, 0, 4);
        route(across, 1, 32);
        const gsu_launch l = member(0, 4);
        CHECK(gsu_unit_launch(across.handle(), &l) == GSU_E_STATE);
        CHECK(std::string(gsu_last_error()) ==
              "cluster slot 2: not all ranks have a route in this network of 16 SMs");
    }
}

TEST_CASE("a network of 18 SMs, where the options ask for it", "[capi][CLU-005]")
{
    for (const char* name : {"golden", "rtl", "lockstep"}) {
        CAPTURE(name);
        gsu_options o = GSU_INIT(gsu_options);
        o.abi = GSU_ABI;
        o.unit = name;
        o.sms = 18;
        o.events = GSU_EVENTS_RELEASE;
        for (const std::uint32_t network : {0u, 16u, 18u}) {
            CAPTURE(network);
            o.network = network;
            gsu_unit* unit = nullptr;
            REQUIRE(gsu_unit_create(&o, &unit) == GSU_OK);
            for (const int rank : {0, 1}) {
                gsu_route r = GSU_INIT(gsu_route);
                r.cluster = 2;
                r.rank = std::uint8_t(rank);
                r.sm = std::uint8_t(rank == 0 ? 3 : 17);
                r.ctas = 2;
                CHECK(gsu_unit_route(unit, &r) == GSU_OK);
            }
            const gsu_launch first = member(0, 3), second = member(1, 17);
            if (network != 18) {
                CHECK(gsu_unit_launch(unit, &first) == GSU_E_STATE);
                CHECK(std::string(gsu_last_error()).find("network of 16 SMs") != std::string::npos);
                CHECK(gsu_unit_destroy(unit) == GSU_OK);
                continue;
            }
            const auto step = [&](unsigned clocks) {
                while (clocks-- != 0) REQUIRE(gsu_unit_step(unit) == GSU_OK);
            };
            for (const gsu_launch* l : {&first, &second}) {
                while (gsu_unit_launch(unit, l) == 0) step(1);
            }
            step(100);
            for (const std::uint8_t sm : {17, 3}) {
                for (const int op : {GSU_OP_CLUSTER_ARRIVE, GSU_OP_CLUSTER_WAIT}) {
                    gsu_request r = Unit::request(std::uint8_t(op), 0);
                    r.sm = sm;
                    REQUIRE(gsu_unit_present(unit, &r) == GSU_OK);
                    step(20);
                }
            }
            step(300);
            gsu_cluster_state s = GSU_INIT(gsu_cluster_state);
            for (const std::uint32_t sm : {3u, 17u}) {
                REQUIRE(gsu_unit_cluster(unit, sm, 0, &s) == GSU_OK);
                CHECK(s.generations == 1);
            }
            CHECK(gsu_unit_destroy(unit) == GSU_OK);
        }
        o.network = 19;
        gsu_unit* none = nullptr;
        CHECK(gsu_unit_create(&o, &none) == GSU_E_ARGUMENT);
        CHECK(std::string(gsu_last_error()) == "networks of 19 SMs: 1 to 18");
    }
}

TEST_CASE("limits of the number of SMs", "[capi]")
{
    gsu_options o = GSU_INIT(gsu_options);
    o.abi = GSU_ABI;
    o.unit = "golden";
    gsu_unit* unit = nullptr;
    for (const std::uint32_t sms : {0u, 257u}) {
        o.sms = sms;
        CHECK(gsu_unit_create(&o, &unit) == GSU_E_ARGUMENT);
    }
    o.sms = 256;
    REQUIRE(gsu_unit_create(&o, &unit) == GSU_OK);
    CHECK(gsu_unit_can_present(unit, 255) == 1);
    CHECK(gsu_unit_can_present(unit, 256) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_destroy(unit) == GSU_OK);
    o.unit = "rtl";
    o.sms = 17;
    o.threads = 2;
    CHECK(gsu_unit_create(&o, &unit) == GSU_E_ARGUMENT);
    o.threads = 0;
    REQUIRE(gsu_unit_create(&o, &unit) == GSU_OK);
    gsu_waves w = GSU_INIT(gsu_waves);
    w.path = "never.fst";
    CHECK(gsu_unit_open_waves(unit, &w) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_destroy(unit) == GSU_OK);
}
