// Queries of try_cancel through the C library (ABI 1.6): callback and kept event, answer, deliveries; what an unanswered one is called; checkpoints; programs
// made for 1.5.
#include <cstring>

#include "unit.hpp"

using capi::Unit;

namespace {

constexpr std::uint32_t kObject = 8, kResponse = 64;

void listen(gsu_options& options, gsu_callbacks& calls)
{
    calls.on_delivered = [](void* user, const gsu_delivered* d) {
        static_cast<Unit*>(user)->delivered.push_back(*d);
    };
    options.events = GSU_EVENTS_CANCEL;
    options.journal = 1;
}

void begin(Unit& u)
{
    u.launch(Unit::cta(32));
    for (const auto& [op, data] :
         {std::pair{GSU_OP_MBAR_INIT, 1}, {GSU_OP_MBAR_ARRIVE_EXPECT_TX, 16}}) {
        gsu_request r = Unit::request(static_cast<std::uint8_t>(op), 0, 1);
        r.addr[0] = kObject;
        r.data[0] = static_cast<std::uint64_t>(data);
        u.present(r);
        u.step(100);
    }
    gsu_request r = Unit::request(GSU_OP_CLC_TRY_CANCEL, 0, 1);
    r.tag = 77;
    r.addr[0] = kObject;
    r.data[0] = kResponse;
    u.present(r);
    u.step(100);
}

gsu_cancel theQuery(Unit& u)
{
    gsu_event event = GSU_INIT(gsu_event);
    REQUIRE(gsu_unit_next_event(u.handle(), &event) == 1);
    REQUIRE(event.kind == GSU_EVENT_CANCEL);
    const gsu_cancel query = event.of.cancel;
    CHECK(gsu_unit_next_event(u.handle(), &event) == 0);
    return query;
}

gsu_status answer(Unit& u, const gsu_cancel& query)
{
    gsu_cancel_answer a = GSU_INIT(gsu_cancel_answer);
    a.sm = query.sm;
    a.slot = query.slot;
    a.canceled = 1;
    a.first[0] = 4;
    REQUIRE(gsu_unit_can_answer_cancel(u.handle(), query.sm) == 1);
    return gsu_unit_answer_cancel(u.handle(), &a);
}

std::uint32_t phaseOf(Unit& u)
{
    gsu_mbarrier_state state = GSU_INIT(gsu_mbarrier_state);
    REQUIRE(gsu_unit_mbarrier(u.handle(), 0, 0, kObject, &state) == GSU_OK);
    return state.phase;
}

}  // namespace

TEST_CASE("a query is told, answered once, delivered and completed; unanswered it has a name",
          "[capi][CLC-003][CLC-005][CLC-006][CLC-013]")
{
    for (const char* name : {"golden", "rtl", "lockstep"}) {
        CAPTURE(name);
        Unit u(name, 1, nullptr, 0, listen);
        begin(u);
        const gsu_cancel query = theQuery(u);
        CHECK(query.tag == 77);
        CHECK(query.lane == 0);
        CHECK(query.multicast == 0);
        CHECK(u.responses.size() == 3);  // the request is answered, its response is not there
        CHECK(u.delivered.empty());
        const char* text = nullptr;
        REQUIRE(gsu_unit_explain(u.handle(), &text) == GSU_OK);
        CHECK_THAT(text, Catch::Contains("try_cancel, tag 77, waits for the program's answer"));
        CHECK(phaseOf(u) == 0);
        gsu_cancel other = query;
        other.slot ^= 1;
        CHECK(answer(u, other) == GSU_E_STATE);
        REQUIRE(answer(u, query) == GSU_OK);
        u.step(1);  // one answer an SM and cycle
        CHECK(answer(u, query) == GSU_E_STATE);
        u.step(100);
        REQUIRE(u.delivered.size() == 1);
        CHECK(u.delivered[0].tag == 77);
        CHECK(u.delivered[0].lanes == 1);
        CHECK(phaseOf(u) == 1);
        REQUIRE(gsu_unit_explain(u.handle(), &text) == GSU_OK);
        CHECK(std::strlen(text) == 0);
        u.leave(0);
        u.step(200);
        CHECK(u.frees.size() == 1);
    }
}

TEST_CASE("an open query keeps its CTA's slot", "[capi][CLC-003][D-41]")
{
    Unit u("lockstep", 1, nullptr, 0, listen);
    begin(u);
    u.leave(0);
    u.step(1000);
    CHECK(u.frees.empty());
    REQUIRE(answer(u, theQuery(u)) == GSU_OK);
    u.step(200);
    CHECK(u.frees.size() == 1);
}

TEST_CASE("answers are in a checkpoint", "[capi][CLC-003]")
{
    Unit u("lockstep", 1, nullptr, 0, listen);
    begin(u);
    REQUIRE(answer(u, theQuery(u)) == GSU_OK);
    u.step(100);
    std::uint64_t bytes = 0;
    REQUIRE(gsu_unit_save(u.handle(), nullptr, 0, &bytes) == GSU_OK);
    std::vector<unsigned char> data(bytes);
    REQUIRE(gsu_unit_save(u.handle(), data.data(), bytes, &bytes) == GSU_OK);
    Unit again("lockstep", 1, nullptr, 0, listen);
    REQUIRE(gsu_unit_restore(again.handle(), data.data(), bytes) == GSU_OK);
    CHECK(again.now() == u.now());
    CHECK(phaseOf(again) == 1);
}

TEST_CASE("a program of ABI 1.5 does not know that it has to answer: refused by name", "[capi]")
{
    Unit u("golden", 1, nullptr, 0,
           [](gsu_options& options, gsu_callbacks&) { options.abi = 1u << 16 | 5; });
    u.launch(Unit::cta(32));
    const gsu_request r = Unit::request(GSU_OP_CLC_TRY_CANCEL, 0, 1);
    CHECK(gsu_unit_present(u.handle(), &r) == GSU_E_VERSION);
    CHECK_THAT(gsu_last_error(), Catch::Contains("try_cancel needs gsu_options::abi 1.6"));
}
