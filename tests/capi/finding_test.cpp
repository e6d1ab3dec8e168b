// Additions of version 1.1 of the C ABI: findings, waves, threads; and programs made for 1.0 still run.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "files.hpp"
#include "unit.hpp"

using capi::kAll;
using capi::Unit;

namespace {

gsu_request onMbarrier(std::uint8_t op, std::uint8_t warp, std::uint64_t data, std::uint32_t at)
{
    gsu_request r = Unit::request(op, warp, 1);
    r.addr[0] = at;
    r.data[0] = data;
    return r;
}

bool told(const Unit& unit, const std::string& rule, std::uint8_t effect, std::uint8_t op)
{
    for (const gsu_finding& f : unit.findings) {
        if (rule == f.rule && f.effect == effect && f.op == op) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("The C library says which rule error bits mean", "[capi][BAR-002][MBARR-006][D-03]")
{
    for (const char* name : {"golden", "rtl", "lockstep"}) {
        CAPTURE(name);
        Unit unit(name);
        unit.launch(Unit::cta(64));
        unit.step(5);
        gsu_request bad = Unit::request(GSU_OP_BAR_SYNC, 1);
        bad.arg0 = 16;
        unit.present(bad);
        unit.step(100);
        REQUIRE(unit.findings.size() == 1);
        const gsu_finding& f = unit.findings[0];
        CHECK(std::string(f.rule) == "BAR-002");
        CHECK(std::string(f.message).find("above 15") != std::string::npos);
        CHECK(f.size == sizeof f);
        CHECK(f.part == GSU_PART_NAMED);
        CHECK(f.op == GSU_OP_BAR_SYNC);
        CHECK(f.severity == GSU_SEVERITY_ERROR);
        CHECK(f.effect == GSU_EFFECT_REFUSED);
        CHECK(f.misuse == 1);
        CHECK(f.warp == 1);
        CHECK(f.object == 16);
        const auto same = [&](const gsu_commit& c) {
            return c.errors != 0 && c.cycle == f.cycle && c.lanes == f.lanes && c.tag == f.tag;
        };
        CHECK(std::count_if(unit.commits.begin(), unit.commits.end(), same) == 1);
        for (const gsu_status status : unit.nestedCalls) CHECK(status == GSU_E_NESTED);

        unit.present(onMbarrier(GSU_OP_MBAR_INIT, 0, 2, 64));
        unit.step(60);
        unit.present(onMbarrier(GSU_OP_MBAR_ARRIVE, 0, 0, 64));
        unit.step(60);
        CHECK(told(unit, "MBARR-006", GSU_EFFECT_REFUSED, GSU_OP_MBAR_ARRIVE));
        CHECK(unit.findings.size() == 2);
    }
}

TEST_CASE("What no error bit stands for comes from the golden model of the C library",
          "[capi][MBAR-005][MBAR-006][MBAR-007]")
{
    for (const char* name : {"golden", "lockstep", "rtl"}) {
        CAPTURE(name);
        const bool sees = std::string(name) != "rtl";
        Unit unit(name);
        gsu_launch cta = Unit::cta(32);
        cta.smem_base = 1024;
        unit.launch(cta);
        unit.present(onMbarrier(GSU_OP_MBAR_ARRIVE, 0, 1, 8));
        unit.step(60);
        CHECK(told(unit, "MBAR-005", GSU_EFFECT_SEEN, GSU_OP_MBAR_ARRIVE) == sees);
        if (sees) {
            CHECK(unit.findings[0].address == 1024 + 8);
            CHECK(unit.findings[0].object == 8);
            CHECK(unit.findings[0].lanes == 1);
        }
        unit.present(onMbarrier(GSU_OP_MBAR_INIT, 0, 2, 16));
        unit.step(60);
        CHECK_FALSE(told(unit, "MBAR-006", GSU_EFFECT_SEEN, GSU_OP_MBAR_INIT));
        unit.present(onMbarrier(GSU_OP_MBAR_INIT, 0, 2, 16));
        unit.step(60);
        CHECK(told(unit, "MBAR-006", GSU_EFFECT_SEEN, GSU_OP_MBAR_INIT) == sees);
        REQUIRE(gsu_unit_stored(unit.handle(), 0, 1024 + 20, 4) == GSU_OK);
        CHECK_FALSE(told(unit, "MBAR-007", GSU_EFFECT_SEEN, 0));
        unit.step();
        CHECK(told(unit, "MBAR-007", GSU_EFFECT_SEEN, 0) == sees);
        if (sees) {
            CHECK(unit.findings.back().address == 1024 + 16);
            CHECK(unit.findings.back().warp == 255);
        }
    }
}

TEST_CASE("Waves through the C library", "[capi]")
{
    const testfiles::Folder folder;
    const std::string path = folder / "w.fst";
    gsu_waves waves = GSU_INIT(gsu_waves);
    CHECK(gsu_unit_open_waves(nullptr, &waves) == GSU_E_ARGUMENT);
    for (const char* name : {"rtl", "lockstep"}) {
        Unit unit(name);
        waves = GSU_INIT(gsu_waves);
        CHECK(gsu_unit_open_waves(unit.handle(), &waves) == GSU_E_ARGUMENT);
        CHECK(gsu_unit_close_waves(unit.handle()) == GSU_E_STATE);
        waves.path = "no such folder/w.fst";
        CHECK(gsu_unit_open_waves(unit.handle(), &waves) == GSU_E_ARGUMENT);
        const std::string place = folder / ".";
        waves.path = place.c_str();
        CHECK(gsu_unit_open_waves(unit.handle(), &waves) == GSU_E_ARGUMENT);
        waves.path = path.c_str();
        waves.from = 2;
        waves.to = 1;
        CHECK(gsu_unit_open_waves(unit.handle(), &waves) == GSU_E_ARGUMENT);
        waves.to = 0;
        REQUIRE(gsu_unit_open_waves(unit.handle(), &waves) == GSU_OK);
        CHECK(gsu_unit_open_waves(unit.handle(), &waves) == GSU_E_STATE);
        unit.launch(Unit::cta(32));
        unit.present(Unit::request(GSU_OP_BAR_SYNC, 0));
        unit.step(100);
        CHECK(unit.releases.size() == 1);
        CHECK_FALSE(std::filesystem::exists(path));
        REQUIRE(gsu_unit_close_waves(unit.handle()) == GSU_OK);
        CHECK(std::filesystem::file_size(path) > 1000);
        CHECK(gsu_unit_close_waves(unit.handle()) == GSU_E_STATE);
        CHECK(gsu_unit_open_waves(unit.handle(), &waves) == GSU_E_STATE);
        std::filesystem::remove(path);
    }
    const Unit golden("golden");
    CHECK(gsu_unit_open_waves(golden.handle(), &waves) == GSU_E_ARGUMENT);
    CHECK(std::string(gsu_last_error()).find("golden") != std::string::npos);
}

TEST_CASE("Two threads of the C library give the same events", "[capi]")
{
    const auto commits = [](std::uint32_t threads) {
        Unit unit("rtl", 4, nullptr, threads);
        for (std::uint8_t sm = 0; sm < 4; ++sm) {
            gsu_launch cta = Unit::cta(64);
            cta.sm = sm;
            unit.launch(cta);
        }
        for (std::uint8_t turn = 0; turn < 8; ++turn) {
            gsu_request r = Unit::request(GSU_OP_BAR_SYNC, turn / 4);
            r.sm = turn % 4;
            unit.present(r);
        }
        unit.step(200);
        CHECK(unit.releases.size() == 4);
        return unit.commits;
    };
    const auto one = commits(1), two = commits(2);
    REQUIRE(one.size() == two.size());
    for (std::size_t i = 0; i < one.size(); ++i)
        CHECK(std::memcmp(&one[i], &two[i], sizeof one[i]) == 0);
    for (const char* name : {"golden", "rtl"}) {
        gsu_options options = GSU_INIT(gsu_options);
        options.abi = GSU_ABI;
        options.unit = name;
        options.sms = 2;
        options.threads = 2;
        options.assertions = name[0] == 'r';
        gsu_unit* unit = nullptr;
        CHECK(gsu_unit_create(&options, &unit) == GSU_E_ARGUMENT);
        options.threads = 3;
        CHECK(gsu_unit_create(&options, &unit) == GSU_E_ARGUMENT);
    }
}

TEST_CASE("Options and callbacks of ABI 1.0 are taken at their size", "[capi]")
{
    gsu_callbacks calls = GSU_INIT(gsu_callbacks);
    calls.size = offsetof(gsu_callbacks, on_finding);
    calls.on_finding = [](void*, const gsu_finding*) { FAIL("beyond the caller's structure"); };
    gsu_options options = GSU_INIT(gsu_options);
    options.size = offsetof(gsu_options, threads);
    options.abi = 1u << 16;
    options.unit = "golden";
    options.sms = 1;
    options.callbacks = &calls;
    options.threads = 77;  // beyond the caller's structure
    gsu_unit* unit = nullptr;
    REQUIRE(gsu_unit_create(&options, &unit) == GSU_OK);
    const gsu_launch cta = Unit::cta(32);
    REQUIRE(gsu_unit_launch(unit, &cta) == 1);
    REQUIRE(gsu_unit_step(unit) == GSU_OK);
    gsu_request bad = Unit::request(GSU_OP_BAR_SYNC, 0);
    bad.arg0 = 99;
    REQUIRE(gsu_unit_present(unit, &bad) == GSU_OK);
    for (int n = 0; n < 10; ++n) REQUIRE(gsu_unit_step(unit) == GSU_OK);
    CHECK(gsu_unit_destroy(unit) == GSU_OK);
    options.size -= 1;
    CHECK(gsu_unit_create(&options, &unit) == GSU_E_VERSION);
}
