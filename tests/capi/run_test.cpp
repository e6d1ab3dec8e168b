// The C library, used correctly, does the same as the port that it wraps.
#include <map>

#include "golden/params.hpp"
#include "unit.hpp"
#include "verilated/rtl_port.hpp"

using capi::kAll;
using capi::Unit;

namespace {

/// A barrier of 8 warps on the port itself: cycles from the first arrival to the release.
std::uint64_t direct()
{
    struct Sink final : gsu::SyncSink {
        gsu::Cycle released{};
        void onResponse(const gsu::SyncResponse&) override {}
        void onRelease(const gsu::Release& r) override { released = r.cycle; }
        void onCommit(const gsu::Commit&) override {}
        void onDelivered(const gsu::Delivered&) override {}
        void onCtaFree(const gsu::CtaFree&) override {}
    } sink;
    gsu::RtlPort port(1, gsu::configOf(gsu::Preset::Hopper));
    port.setSink(sink);
    REQUIRE(port.launch({.threads = 256, .size = 4096}));
    for (int n = 0; n < 20; ++n) port.step();
    const gsu::Cycle start = port.now();
    for (std::uint8_t w = 0; w < 8; ++w) {
        gsu::SyncRequest r;
        r.op = gsu::Op::BarSync;
        r.at.warp = w;
        r.tag = w;
        r.lanes = kAll;
        while (!port.canPresent(0)) port.step();
        port.present(r);
    }
    while (sink.released == 0) port.step();
    return sink.released - start;
}

std::uint64_t throughC(const char* name)
{
    Unit unit(name);
    unit.launch(Unit::cta(256));
    unit.step(19);
    const std::uint64_t start = unit.now();
    for (std::uint8_t w = 0; w < 8; ++w) unit.present(Unit::request(GSU_OP_BAR_SYNC, w));
    for (int n = 0; n < 200 && unit.releases.empty(); ++n) unit.step();
    REQUIRE(unit.releases.size() == 1);
    CHECK(unit.releases[0].warps == 0xff);
    return unit.releases[0].cycle - start;
}

}  // namespace

TEST_CASE("A barrier takes as long through the C library as at the port", "[capi][BAR-013]")
{
    const std::uint64_t expected = direct();
    CHECK(throughC("rtl") == expected);
    CHECK(throughC("lockstep") == expected);
    CHECK(throughC("golden") < expected);
}

TEST_CASE("Settings reach the unit of the C library", "[capi]")
{
    const auto flip = [](const char* setting) {
        const char* settings[] = {setting, nullptr};
        Unit unit("rtl", 1, settings);
        unit.launch(Unit::cta(32));
        const std::uint64_t start = unit.now();
        unit.present(Unit::request(GSU_OP_BAR_SYNC, 0));
        unit.step(200);
        REQUIRE(unit.releases.size() == 1);
        return unit.releases[0].cycle - start;
    };
    CHECK(flip("bar_release_lat=50") == flip("bar_release_lat=20") + 30);
}

TEST_CASE("Barrier words live in the caller's memory, time stands still at no cost",
          "[capi][MBW-012]")
{
    using Memory = std::map<std::uint32_t, std::uint64_t>;
    Memory memory;
    gsu_callbacks calls = GSU_INIT(gsu_callbacks);
    calls.user = &memory;
    calls.read_word = [](void* user, std::uint32_t, std::uint32_t addr) {
        return (*static_cast<Memory*>(user))[addr];
    };
    calls.write_word = [](void* user, std::uint32_t, std::uint32_t addr, std::uint64_t value) {
        (*static_cast<Memory*>(user))[addr] = value;
    };
    const char* settings[] = {"mbar_policy=0", nullptr};  // write-through
    gsu_options options = GSU_INIT(gsu_options);
    options.abi = GSU_ABI;
    options.sms = 1;
    options.settings = settings;
    options.callbacks = &calls;
    gsu_unit* unit = nullptr;
    REQUIRE(gsu_unit_create(&options, &unit) == GSU_OK);
    gsu_launch cta = Unit::cta(32);
    cta.smem_base = 512;
    REQUIRE(gsu_unit_launch(unit, &cta) == 1);
    REQUIRE(gsu_unit_step(unit) == GSU_OK);
    gsu_request init = Unit::request(GSU_OP_MBAR_INIT, 0, 1);
    init.addr[0] = 64;
    init.data[0] = 5;
    REQUIRE(gsu_unit_present(unit, &init) == GSU_OK);
    for (int n = 0; n < 200; ++n) REQUIRE(gsu_unit_step(unit) == GSU_OK);
    // {phase, -pending[62:43], lock, -tx, -expected[20:1], 0} with both counts 5.
    const std::uint64_t word = std::uint64_t{0xffffb} << 43 | std::uint64_t{0xffffb} << 1;
    CHECK(memory[512 + 64] == word);
    std::uint64_t read = 0;
    CHECK(gsu_unit_read_word(unit, 0, 512 + 64, &read) == GSU_OK);
    CHECK(read == word);

    std::uint64_t quiet = 0, now = 0;
    REQUIRE(gsu_unit_quiet_until(unit, &quiet) == GSU_OK);
    CHECK(quiet == GSU_NEVER);
    CHECK(gsu_unit_skip_to(unit, GSU_NEVER) == GSU_E_STATE);
    CHECK(gsu_unit_skip_to(unit, 1'000'000) == GSU_OK);
    CHECK(gsu_unit_skip_to(unit, 999'999) == GSU_E_STATE);
    REQUIRE(gsu_unit_now(unit, &now) == GSU_OK);
    CHECK(now == 1'000'000);
    CHECK(gsu_unit_destroy(unit) == GSU_OK);
}
