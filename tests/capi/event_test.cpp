// Events by polling, and reset.
#include <cstring>

#include "unit.hpp"

using capi::Unit;

namespace {

/// A barrier that completes, one that is refused, and two warps that leave.
void drive(Unit& u)
{
    u.launch(Unit::cta(64));
    u.present(Unit::request(GSU_OP_BAR_SYNC, 0));
    u.step();
    u.present(Unit::request(GSU_OP_BAR_SYNC, 1));
    u.step(100);
    gsu_request bad = Unit::request(GSU_OP_BAR_ARRIVE, 0);  // of no threads
    u.present(bad);
    u.step(100);
    u.leave(0);
    u.leave(1);
    u.step(100);
}

std::vector<gsu_event> poll(Unit& u)
{
    std::vector<gsu_event> all;
    gsu_event event = GSU_INIT(gsu_event);
    while (gsu_unit_next_event(u.handle(), &event) == 1) all.push_back(event);
    return all;
}

template <typename T> bool same(const T& a, const T& b)
{
    return std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace

TEST_CASE("kept events are those of the callbacks, in their order", "[capi]")
{
    for (const char* name : {"golden", "lockstep"}) {
        CAPTURE(name);
        Unit u(name, 1, nullptr, 0, [](gsu_options& o, gsu_callbacks&) { o.events = 63; });
        drive(u);
        std::size_t responses = 0, releases = 0, commits = 0, frees = 0, findings = 0;
        for (const gsu_event& e : poll(u)) {
            switch (e.kind) {
                case GSU_EVENT_RESPONSE:
                    CHECK(same(e.of.response, u.responses.at(responses++)));
                    break;
                case GSU_EVENT_RELEASE: CHECK(same(e.of.release, u.releases.at(releases++))); break;
                case GSU_EVENT_COMMIT: CHECK(same(e.of.commit, u.commits.at(commits++))); break;
                case GSU_EVENT_CTA_FREE: CHECK(same(e.of.cta_free, u.frees.at(frees++))); break;
                case GSU_EVENT_FINDING: CHECK(same(e.of.finding, u.findings.at(findings++))); break;
                default: FAIL("kind " << e.kind);
            }
        }
        CHECK(responses == u.responses.size());
        CHECK(releases == u.releases.size());
        CHECK(commits == u.commits.size());
        CHECK(frees == u.frees.size());
        CHECK(findings == u.findings.size());
        CHECK((responses > 0 && releases == 1 && commits > 4 && frees == 1 && findings == 1));
        CHECK(poll(u).empty());
    }
}

TEST_CASE("only the events asked for are kept, and without callbacks as well", "[capi]")
{
    Unit u("golden", 1, nullptr, 0, [](gsu_options& o, gsu_callbacks&) {
        o.events = GSU_EVENTS_RELEASE | GSU_EVENTS_FINDING;
        o.callbacks = nullptr;
    });
    drive(u);
    const auto all = poll(u);
    REQUIRE(all.size() == 2);
    CHECK(all[0].kind == GSU_EVENT_RELEASE);
    CHECK(all[1].kind == GSU_EVENT_FINDING);
    CHECK(std::string(all[1].of.finding.rule) == "BAR-007");
    Unit none;
    drive(none);
    CHECK(poll(none).empty());
    gsu_event event{};
    CHECK(gsu_unit_next_event(none.handle(), &event) == GSU_E_VERSION);
    CHECK(gsu_unit_next_event(none.handle(), nullptr) == GSU_E_ARGUMENT);
}

TEST_CASE("after a reset everything is as at first", "[capi]")
{
    for (const char* name : {"golden", "rtl", "lockstep"}) {
        CAPTURE(name);
        Unit u(name, 1, nullptr, 0, [](gsu_options& o, gsu_callbacks&) { o.events = 1; });
        drive(u);
        const auto commits = u.commits;
        u.commits.clear();
        u.launch(Unit::cta(64));  // and something unfinished
        u.present(Unit::request(GSU_OP_BAR_SYNC, 0));
        REQUIRE(gsu_unit_reset(u.handle()) == GSU_OK);
        CHECK(u.now() == 0);
        CHECK(poll(u).empty());
        u.commits.clear();
        drive(u);
        REQUIRE(u.commits.size() == commits.size());
        for (std::size_t i = 0; i < commits.size(); ++i) CHECK(same(u.commits[i], commits[i]));
    }
}
