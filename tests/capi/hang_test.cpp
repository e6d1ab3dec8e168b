// Additions of version 1.8 of the C ABI: whether a unit hangs, and why.
#include <string>

#include "unit.hpp"

using capi::Unit;

namespace {

const char* const kUnits[] = {"golden", "rtl", "lockstep"};

gsu_hang hangOf(Unit& u, bool idle, gsu_status expected)
{
    gsu_hang hang = GSU_INIT(gsu_hang);
    const gsu_status status = gsu_unit_hang(u.handle(), idle ? 1 : 0, &hang);
    INFO(gsu_last_error());
    CAPTURE(hang.text);
    CHECK(status == expected);
    return hang;
}

void at(Unit& u, std::uint32_t line) { REQUIRE(gsu_unit_line(u.handle(), line) == GSU_OK); }

/// An operation of lane 0 on the mbarrier at byte 64.
void mbar(Unit& u, std::uint32_t line, std::uint8_t op, std::uint8_t warp, std::uint64_t datum,
          std::uint32_t addr = 64)
{
    gsu_request r = Unit::request(op, warp, 1);
    r.addr[0] = addr;
    r.data[0] = datum;
    while (gsu_unit_can_present(u.handle(), 0) != 1) u.step();
    at(u, line);
    u.present(r);
    u.step(200);
}

void sync(Unit& u, std::uint32_t line, std::uint8_t warp, std::uint32_t id, std::uint32_t threads)
{
    gsu_request r = Unit::request(GSU_OP_BAR_SYNC, warp);
    r.arg0 = id;
    r.arg1 = threads;
    at(u, line);
    u.present(r);
    u.step(200);
}

void copied(Unit& u, std::uint32_t line, std::uint32_t bytes, std::uint32_t addr = 64)
{
    gsu_async copy = GSU_INIT(gsu_async);
    copy.addr = addr;
    copy.amount = bytes;
    at(u, line);
    REQUIRE(gsu_unit_notify(u.handle(), &copy) == GSU_OK);
    u.step(200);
}

/// Warps whose lanes other than 0 have left.
void launch(Unit& u, std::uint8_t warps)
{
    u.launch(Unit::cta(std::uint16_t(32 * warps)));
    for (std::uint8_t w = 0; w < warps; ++w) u.leave(w, ~1u);
    u.step(50);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("a unit whose waits only time out hangs, and says which bytes are missing",
          "[capi][causes]")
{
    for (const char* name : kUnits) {
        CAPTURE(name);
        Unit u(name);
        launch(u, 2);
        mbar(u, 10, GSU_OP_MBAR_INIT, 0, 1);
        mbar(u, 20, GSU_OP_MBAR_ARRIVE_EXPECT_TX, 0, 512);
        copied(u, 21, 256);
        u.leave(0, 1);
        for (int n = 0; n < 3; ++n) mbar(u, 30, GSU_OP_MBAR_TEST_WAIT_PARITY, 1, 0);
        CHECK(hangOf(u, false, 0).waiting == 1);  // a copy could be under way
        const gsu_hang hang = hangOf(u, true, 1);
        CHECK(std::string(hang.kind) == "missing-bytes");
        CHECK(hang.line == 20);
        CHECK(hang.running == 0);
        CHECK(std::string(hang.sentence) ==
              "the mbarrier at +0x40 of SM 0 CTA 0 has 256 bytes outstanding in phase 0: warp 0 "
              "announced 512 bytes at line 20, 256 came (256 by line 21), and no copy is in "
              "flight, so warp 1 waits at line 30 for ever.");
        CHECK(has(hang.text,
                  "SM 0 CTA 0: 1 warp (first: warp 1, line 30) waits for the mbarrier at +0x40 "
                  "(phase 0, 0 of 1 arrivals pending, 256 bytes of tx outstanding; "
                  "parity 0 is awaited)"));
        CHECK(has(
            hang.json,
            R"("cause":{"kind":"missing-bytes","line":20,"culprits":[{"sm":0,"slot":0,"warp":0}],)"));
        CHECK(has(hang.json, R"("asked":0)"));
        copied(u, 22, 256);
        CHECK(hangOf(u, true, 0).waiting == 0);  // the next question will be answered with true
    }
}

TEST_CASE("a warp that runs is no hang; with its exit it is one", "[capi][causes]")
{
    for (const char* name : kUnits) {
        CAPTURE(name);
        Unit u(name);
        u.launch(Unit::cta(96));
        sync(u, 12, 0, 3, 96);
        sync(u, 12, 1, 3, 96);
        CHECK(hangOf(u, true, 0).running == 1);
        at(u, 9);
        u.leave(2);
        u.step(200);
        const gsu_hang hang = hangOf(u, true, 1);
        CHECK(std::string(hang.kind) == "exited-arriver");
        CHECK(hang.line == 9);
        CHECK(std::string(hang.sentence) ==
              "barrier 3 of SM 0 CTA 0 is not complete (64 of 96 threads have arrived): warp 2 "
              "exited at line 9 without having arrived, so warp 0 and warp 1 wait at line 12 for "
              "ever.");
    }
}

TEST_CASE("what needs control flow is unknown, with the reason", "[capi][causes]")
{
    Unit u("golden");
    u.launch(Unit::cta(64));
    sync(u, 5, 0, 1, 64);
    sync(u, 6, 1, 2, 64);
    const gsu_hang hang = hangOf(u, true, 1);
    CHECK(std::string(hang.kind) == "unknown");
    CHECK(has(hang.sentence, "a port shows neither control flow nor memory"));
}

TEST_CASE("kinds that a port decides from the bytes and the count of an object", "[capi][causes]")
{
    Unit u("golden");
    const auto kind = [&] { return std::string(hangOf(u, true, 1).kind); };
    SECTION("more bytes than announced")
    {
        launch(u, 1);
        mbar(u, 1, GSU_OP_MBAR_INIT, 0, 1);
        copied(u, 2, 512);
        mbar(u, 3, GSU_OP_MBAR_ARRIVE_EXPECT_TX, 0, 384);
        mbar(u, 4, GSU_OP_MBAR_TEST_WAIT_PARITY, 0, 0);
        CHECK(kind() == "surplus-bytes");
    }
    SECTION("bytes announced twice")
    {
        launch(u, 1);
        mbar(u, 1, GSU_OP_MBAR_INIT, 0, 1);
        mbar(u, 2, GSU_OP_MBAR_EXPECT_TX, 0, 256);
        mbar(u, 3, GSU_OP_MBAR_ARRIVE_EXPECT_TX, 0, 256);
        copied(u, 4, 256);
        mbar(u, 5, GSU_OP_MBAR_TEST_WAIT_PARITY, 0, 0);
        CHECK(kind() == "double-expect");
    }
    SECTION("bytes that came to another object")
    {
        launch(u, 1);
        mbar(u, 1, GSU_OP_MBAR_INIT, 0, 1);
        mbar(u, 1, GSU_OP_MBAR_INIT, 0, 1, 72);
        mbar(u, 3, GSU_OP_MBAR_ARRIVE_EXPECT_TX, 0, 256);
        copied(u, 4, 256, 72);
        mbar(u, 5, GSU_OP_MBAR_TEST_WAIT_PARITY, 0, 0);
        CHECK(kind() == "other-barrier");
    }
    SECTION("a phase that passed unseen")
    {
        launch(u, 2);
        mbar(u, 1, GSU_OP_MBAR_INIT, 0, 1);
        mbar(u, 2, GSU_OP_MBAR_ARRIVE, 0, 1);
        u.leave(0, 1);
        mbar(u, 5, GSU_OP_MBAR_TEST_WAIT_PARITY, 1, 1);
        CHECK(kind() == "wrong-phase");
    }
    SECTION("a count that nobody reaches")
    {
        u.launch(Unit::cta(64));
        sync(u, 5, 0, 1, 96);
        sync(u, 5, 1, 1, 96);
        CHECK(kind() == "count-too-large");
    }
}

TEST_CASE("kinds that a port decides from what has happened before", "[capi][causes]")
{
    Unit u("golden");
    const auto kind = [&] { return std::string(hangOf(u, true, 1).kind); };
    SECTION("initialised again under the waiter")
    {
        launch(u, 2);
        mbar(u, 1, GSU_OP_MBAR_INIT, 0, 1);
        mbar(u, 2, GSU_OP_MBAR_ARRIVE, 0, 1);
        mbar(u, 3, GSU_OP_MBAR_INIT, 0, 1);
        u.leave(0, 1);
        mbar(u, 5, GSU_OP_MBAR_TEST_WAIT_PARITY, 1, 0);
        CHECK(kind() == "reinitialised");
    }
    SECTION("an arriver of earlier rounds has left")
    {
        launch(u, 2);
        mbar(u, 1, GSU_OP_MBAR_INIT, 0, 1);
        for (const std::uint64_t parity : {0u, 1u}) {
            mbar(u, 2, GSU_OP_MBAR_ARRIVE, 0, 1);
            mbar(u, 5, GSU_OP_MBAR_TEST_WAIT_PARITY, 1, parity);
        }
        u.leave(0, 1);
        mbar(u, 5, GSU_OP_MBAR_TEST_WAIT_PARITY, 1, 0);
        CHECK(kind() == "left-loop-early");
    }
    SECTION("who has arrived once has left")
    {
        launch(u, 2);
        mbar(u, 1, GSU_OP_MBAR_INIT, 0, 1);
        mbar(u, 2, GSU_OP_MBAR_ARRIVE, 0, 1);
        mbar(u, 5, GSU_OP_MBAR_TEST_WAIT_PARITY, 1, 0);
        u.leave(0, 1);
        mbar(u, 5, GSU_OP_MBAR_TEST_WAIT_PARITY, 1, 1);
        CHECK(kind() == "exited-arriver");
    }
    SECTION("two rings of two warps that wait for each other as in the rounds before")
    {
        launch(u, 2);
        mbar(u, 1, GSU_OP_MBAR_INIT, 0, 1, 64);
        mbar(u, 1, GSU_OP_MBAR_INIT, 0, 1, 72);
        mbar(u, 2, GSU_OP_MBAR_ARRIVE, 0, 1, 64);            // warp 0 gives 64
        mbar(u, 3, GSU_OP_MBAR_TEST_WAIT_PARITY, 1, 0, 64);  // warp 1 takes it
        mbar(u, 4, GSU_OP_MBAR_ARRIVE, 1, 1, 72);            // and gives 72
        mbar(u, 5, GSU_OP_MBAR_TEST_WAIT_PARITY, 0, 0, 72);
        mbar(u, 5, GSU_OP_MBAR_TEST_WAIT_PARITY, 0, 1, 72);  // each asks for the next
        mbar(u, 3, GSU_OP_MBAR_TEST_WAIT_PARITY, 1, 1, 64);
        CHECK(kind() == "cyclic-wait");
        const gsu_hang hang = hangOf(u, true, 1);
        CHECK(has(hang.sentence,
                  "warp 0 of SM 0 CTA 0 waits at line 5 for the mbarrier at +0x48 of SM 0 CTA 0, "
                  "which warp 1 of SM 0 CTA 0 would give at line 4"));
    }
}

TEST_CASE("lines and causes come back with a checkpoint", "[capi][causes]")
{
    const auto journal = [](gsu_options& o, gsu_callbacks&) { o.journal = 1; };
    Unit u("golden", 1, nullptr, 0, journal);
    launch(u, 1);
    mbar(u, 1, GSU_OP_MBAR_INIT, 0, 1);
    mbar(u, 3, GSU_OP_MBAR_ARRIVE_EXPECT_TX, 0, 256);
    mbar(u, 5, GSU_OP_MBAR_TEST_WAIT_PARITY, 0, 0);
    const std::string before = hangOf(u, true, 1).sentence;
    std::string data(1 << 16, '\0');
    std::uint64_t bytes = 0;
    REQUIRE(gsu_unit_save(u.handle(), data.data(), data.size(), &bytes) == GSU_OK);
    REQUIRE(gsu_unit_reset(u.handle()) == GSU_OK);
    CHECK(std::string(hangOf(u, true, 0).kind).empty());
    REQUIRE(gsu_unit_restore(u.handle(), data.data(), bytes) == GSU_OK);
    CHECK(std::string(hangOf(u, true, 1).sentence) == before);
    CHECK(has(before, "at line 3"));
}

TEST_CASE("what gsu_unit_hang refuses", "[capi]")
{
    Unit u("golden");
    gsu_hang hang = GSU_INIT(gsu_hang);
    CHECK(gsu_unit_hang(u.handle(), 2, &hang) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_hang(u.handle(), 1, nullptr) == GSU_E_ARGUMENT);
    CHECK(gsu_unit_hang(nullptr, 1, &hang) == GSU_E_ARGUMENT);
    hang.size = 0;
    CHECK(gsu_unit_hang(u.handle(), 1, &hang) == GSU_E_VERSION);
    CHECK(gsu_unit_line(nullptr, 1) == GSU_E_ARGUMENT);
}
