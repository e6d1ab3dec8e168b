// Texts of the observers, word for word: tables, the log of commits, words of mbarriers, grids and marks in a timeline, the view of a hang.
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "golden/findings.hpp"
#include "mbarrier_events.hpp"
#include "observers/cluster_map.hpp"
#include "observers/commit_log.hpp"
#include "observers/mbar_word.hpp"
#include "observers/mbarrier_statistics.hpp"
#include "observers/mbarrier_summary.hpp"
#include "observers/statistics.hpp"
#include "observers/summary.hpp"
#include "observers/timeline.hpp"
#include "timeline_events.hpp"

using namespace gsu;
using nlohmann::json;

namespace {

/// All events of a timeline but those of names: "X grid 0 1/2 at 10 for 20 {args}".
template <class Play> std::vector<std::string> timelineOf(const Play& play)
{
    const testfiles::Folder folder;
    Timeline t(folder / "t", 2, "texts");
    play(t);
    t.finish();
    std::vector<std::string> all;
    for (const json& e : timelines::eventsOf(testfiles::slurp(folder / "t"))) {
        if (e["ph"] == "M") continue;
        const auto clocks = [&](const char* key) {
            return std::to_string(std::lround(e.value(key, 0.0) * 1000));
        };
        all.push_back(e["ph"].get<std::string>() + " " + e["name"].get<std::string>() + " at " +
                      clocks("ts") + (e.contains("dur") ? " for " + clocks("dur") : "") + " " +
                      e.value("args", json::object()).dump());
    }
    return all;
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::istringstream in(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
}

}  // namespace

TEST_CASE("the log of commits has a line for each, with the rules that it breaks", "[observers]")
{
    const testfiles::Folder folder;
    CommitLog log(folder / "log");
    Commit c = events::commit(7, Unit::Mbarrier, Op::MbarArrive, 3, 64, true, Src::Remote);
    c.at = {1, 2, 3};
    c.tag = 9, c.oldWord = 0x10, c.newWord = 0x20, c.srcSm = 4, c.srcCta = 5;
    log.onCommit(c);
    c.flip = false, c.refused = true, c.errs = kMbErrAlign | kMbErrPending;
    log.onCommit(c);
    log.close();
    const auto lines = linesOf(testfiles::slurp(folder / "log"));
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == "cycle\tunit\top\tat\tlanes\ttag\tobject\told\tnew\tflip\trefused\tcause\tsou"
                      "rce\tfrom\trules");
    const std::string common = "7\tmbarrier\tMbarArrive\t1/2/3\t0xffffffff\t9\t0x40\t0x10\t0x20\t";
    CHECK(lines[1] == common + "1\t0\t" + nameOf(c.cause) + "\tRemote\t4/5\t");
    std::string rules;
    for (const FindingRule& f : findingsOf(c))
        rules += (rules.empty() ? "" : ",") + std::string(f.rule);
    CHECK(rules.find(',') != std::string::npos);
    CHECK(lines[2] == common + "0\t1\t" + nameOf(c.cause) + "\tRemote\t4/5\t" + rules);
}

TEST_CASE("tables, word for word", "[observers]")
{
    Statistics s(1);
    events::play(s);
    CHECK(linesOf(barrierTable(s, {})) ==
          std::vector<std::string>{"barrier            complete  requests     blocked  never  "
                                   "longest (sm/cta/warp @cycle)  last arriver",
                                   "barrier 5                 0         1         700      1  700 "
                                   "(0/0/0 @300)              -",
                                   "barrier 3                 1         2          90      0  70 "
                                   "(0/0/0 @100)               warp 1 (1x)",
                                   "lanes 0xffffffff          1         1           7      0  7 "
                                   "(0/0/1 @200)                warp 1 (1x)"});
    CHECK(linesOf(lineTable(s, {}, {"a", "b"})) ==
          std::vector<std::string>{
              "  line  requests     blocked  never  longest (sm/cta/warp @cycle)  PTX",
              "    30         1         700      1  700 (0/0/0 @300)              barrier.cta.sync",
              "    10         2          90      0  70 (0/0/0 @100)               barrier.cta.sync",
              "    20         1           7      0  7 (0/0/1 @200)                bar.warp.sync"});
    CHECK(linesOf(barrierTable(s, {.rows = 1})).back() == "  ... and 2 more");
    MbarrierStatistics m(1);
    events::ring(m);
    m.onEnd(9000);
    CHECK(linesOf(mbarrierTable(m, {})) ==
          std::vector<std::string>{"mbarrier         phases arrivals  tx bytes waits   blocked "
                                   "never  longest (warp @) last arriver",
                                   "CTA 0 +0x100          2        2      1024     4       400     "
                                   "0  100 (1 @1000)    bulk copy (2x)",
                                   "CTA 0 +0x108          2        2      1024     4       400     "
                                   "0  100 (1 @2000)    bulk copy (2x)",
                                   "CTA 0 +0x110          2        4         0     1        10     "
                                   "0  10 (0 @1195)     warp 2 (2x)",
                                   "CTA 0 +0x118          2        4         0     1        10     "
                                   "0  10 (0 @2195)     warp 2 (2x)"});
    CHECK(linesOf(ringTable(m, {})) ==
          std::vector<std::string>{"pipeline of 2 stages in CTA 0: copies by warp 0, consumed by "
                                   "warps 1-2: producer-bound",
                                   "  stage  full     empty     rounds          consumers waited   "
                                   "   producers waited  bound by",
                                   "      0  +0x100   +0x110         2               400   (6 %)   "
                                   "         10   (0 %)  producer",
                                   "      1  +0x108   +0x118         2               400   (6 %)   "
                                   "         10   (0 %)  producer"});
    CHECK(linesOf(ringTable(m, {.rows = 0})) == std::vector<std::string>{"  ... and 1 more"});
}

TEST_CASE("a wait of one clock is told", "[observers]")
{
    Statistics s(1);
    s.onLaunch(0, events::launch(0, 32));
    s.onRequest(5, events::request(Op::WarpSync, 0, ~0u, 3, 1));
    s.onResponse(events::response(6, 0, 1));
    CHECK(barrierTable(s, {}).find("1 (0/0/0 @5)") != std::string::npos);
}

TEST_CASE("words of mbarriers, sentence for sentence", "[observers]")
{
    struct Row {
        MbarState state;
        bool sm80;
        MbarWordState is;
        std::string text;
    };
    const std::string waits0 = "A wait for parity 1 succeeds, a wait for parity 0 does not. The "
                               "running phase was opened for ";
    const std::string locked = " The lock bit is set: an error was seen and updates are refused.";
    const std::string tx = " All have arrived; only the transaction count holds the phase.";
    const std::vector<Row> rows{
        {{.phase = false, .lock = false, .pending = 1, .expected = 1, .tx = 0},
         false,
         MbarWordState::Valid,
         waits0 + "1 arrival and lacks 1."},
        {{.phase = false, .lock = true, .pending = 1, .expected = 2, .tx = 1},
         false,
         MbarWordState::Locked,
         waits0 + "2 arrivals and lacks 1, and 1 byte." + locked},
        {{.phase = false, .lock = false, .pending = 0, .expected = 2, .tx = 16},
         false,
         MbarWordState::Valid,
         waits0 + "2 arrivals and lacks 0, and 16 bytes." + tx},
        {{.phase = false, .lock = false, .pending = 0, .expected = 2, .tx = -1},
         false,
         MbarWordState::Valid,
         waits0 + "2 arrivals and lacks 0; 1 byte came before it was expected." + tx},
        {{.phase = false, .lock = false, .pending = 1, .expected = 2, .tx = -8},
         false,
         MbarWordState::Valid,
         waits0 + "2 arrivals and lacks 1; 8 bytes came before they were expected."},
        {{.phase = false, .lock = false, .pending = 1, .expected = 0, .tx = 0},
         false,
         MbarWordState::Doubtful,
         waits0 + "0 arrivals and lacks 1. Every participant has dropped: it is the last phase. "
                  "More arrivals are outstanding than the phase was opened for: "
                  "increments of cp.async.mbarrier.arrive do that, else the word is damaged."},
        {{.phase = false, .lock = false, .pending = 0, .expected = 2, .tx = 0},
         false,
         MbarWordState::Inconsistent,
         "No mbarrier: Nothing is outstanding, yet the phase is not complete: no unit leaves "
         "this."},
        {{.phase = false, .lock = false, .pending = 1, .expected = 2, .tx = 4},
         true,
         MbarWordState::Inconsistent,
         "No mbarrier: A transaction count, which sm_80 does not have."},
        {{.phase = true, .lock = false, .pending = 0, .expected = 0, .tx = 0},
         false,
         MbarWordState::Retired,
         "Retired after a phase of parity 0: every participant has dropped, nothing happens to it "
         "any more."},
    };
    for (const Row& row : rows) {
        const std::uint64_t word = packMbar(row.state);
        CAPTURE(word);
        CHECK(explainMbarWord(word, row.sm80) == row.text);
        CHECK(std::string(nameOf(stateOf(word, row.sm80))) == nameOf(row.is));
    }
    CHECK(explainMbarWord(packMbar(rows[0].state) | 1) ==
          "No mbarrier: Bit 0 is set: not a word of this layout.");
    CHECK(mbarStateText(packMbar(rows[1].state)) ==
          "phase 0, 1 of 2 arrivals pending, 1 bytes of tx outstanding, locked");
}

TEST_CASE("a slot that no CTA has used has no launch", "[observers]")
{
    ClusterMap map(ChipLayout(2));
    CHECK(map.at(0, 1) == nullptr);
    map.launch(events::launch(1, 64));
    REQUIRE(map.at(0, 1) != nullptr);
    CHECK(map.at(0, 1)->threads == 64);
    CHECK(map.at(0, 0) == nullptr);
    CHECK(map.at(2, 1) == nullptr);
    Launch beyond = events::launch(0, 32);
    beyond.sm = 2;
    map.launch(beyond);  // no slot of this chip
    CHECK(map.at(2, 0) == nullptr);
}

TEST_CASE("an arrow begins at the request whose arrival completes the phase", "[observers]")
{
    const auto events = timelineOf([](Timeline& t) {
        t.onLaunch(0, events::launch(0, 64));
        events::MbarrierScript script(t);
        script.init(64, 1);
        script.open(10, 64, 1);
        SyncRequest other = events::request(Op::MbarArrive, 0, 0, 3, 6, 2),
                    arrive = events::request(Op::MbarArrive, 0, 0, 3, 0, 1);
        t.onRequest(12, other);
        t.onRequest(15, arrive);
        script.arrive(20, 64, 0);
        script.answer(25, 1);
        t.onEnd(30);
    });
    std::vector<std::string> arrows;
    for (const std::string& e : events)
        if (e[0] == 's' || e[0] == 'f') arrows.push_back(e);
    CHECK(arrows == std::vector<std::string>{"s completes at 15 {}", "f completes at 25 {}"});
}

TEST_CASE("grids in a timeline", "[observers]")
{
    const auto events = timelineOf([](Timeline& t) {
        t.onGridStart(10, {.grid = 3, .ctas = 2});
        t.onGridStart(12, {.grid = 5, .ctas = 0});
        Commit open = events::commit(13, Unit{}, Op::EvGridOpen, 0, 3);
        open.lanes = 0x22;
        open.newWord = std::uint64_t{2} << 32 | 2;
        t.onCommit(open);
        Launch l = events::launch(0, 32);
        l.grid = 3;
        t.onLaunch(14, l);
        t.onRequest(20, events::request(Op::GdcWait, 0, 0, 7, 1));
        t.onRequest(25, events::request(Op::GdcWait, 0, 0, 7, 2));
        SyncResponse answer = events::response(40, 0, 1);
        answer.cause = Cause::Flip;
        t.onResponse(answer);
        answer.cycle = 50, answer.tag = 2;
        t.onResponse(answer);
        Commit signal = events::commit(30, Unit{}, Op::EvGridSignal, 0, 3);
        signal.newWord = std::uint64_t{1} << 32 | 2;
        signal.srcSm = 1;
        t.onCommit(signal);
        t.onGridStart(45, {.grid = 3, .ctas = 1, .fewer = true});
        t.onGrid({.grid = 3, .complete = false, .cycle = 55});
        t.onGrid({.grid = 3, .complete = true, .cycle = 60});
        t.onEnd(100);
    });
    CHECK(
        events ==
        std::vector<std::string>{
            R"(i launch at 14 {"cluster":0,"rank":0,"threads":32})",
            R"(X GdcWait at 20 for 20 {"end":"Flip","lanes":"0xffffffff","line":7})",
            R"(X GdcWait at 25 for 15 {"end":"Flip","lanes":"0xffffffff","line":7})",
            R"(i launch_dependents at 30 {"cta slot":0,"not signalled":1,"sm":1})",
            R"(i fewer CTAs at 45 {"ctas":1})", R"(i dependents may start at 55 {})",
            R"(X grid 0 at 10 for 50 {"behind slots":"1, 5","ctas":2,"end":"complete"})",
            R"(X parked at griddepcontrol.wait at 20 for 20 {"waits":2})",
            R"(X grid 1, elsewhere at 12 for 88 {"behind slots":"","ctas":0,"end":"all CTAs have ended"})"});
}

TEST_CASE("the marks of a hang in timeline and waves", "[observers]")
{
    CHECK(timelineOf([](Timeline& t) { t.mark({}); }).empty());
    CHECK(timelineOf([](Timeline& t) {
              t.mark({{5, "culprit", "missing-arrival, line 4"}, {9, "first lost wait", "warp 1"}});
          }) == std::vector<std::string>{R"(i culprit at 5 {"text":"missing-arrival, line 4"})",
                                         R"(i first lost wait at 9 {"text":"warp 1"})"});
    RunMarks marks;
    marks.on = WaitKind::Mbarrier;
    marks.sm = 1;
    marks.times = {{500, "culprit", "line 4"}, {900, "first lost wait", "warp 1"}};
    const auto view = linesOf(waveView("some/where/x.fst", marks));
    REQUIRE(view.size() > 6);
    std::string none;
    for (unsigned i = 2; i < 26; ++i) none += " -1";
    CHECK(view[0] == "[*] A hang: gtkwave x.fst THIS_FILE");
    CHECK(view[1] == "[timestart] 300000");
    CHECK(view[2] == "*-16.0 500000 500000 900000" + none);
    CHECK(view[3] == "[markername] Aculprit: line 4");
    CHECK(view[4] == "[markername] Bfirst lost wait: warp 1");
    const std::string text = waveView("x.fst", marks);
    CHECK(text.find("sm1.gsu_sm") != std::string::npos);
    CHECK(text.find("sm0.gsu_sm") == std::string::npos);
    marks.on = WaitKind::Cluster;
    CHECK(waveView("x.fst", marks).find("sm0.gsu_sm") != std::string::npos);
    marks.times.front().at = 100;
    CHECK(linesOf(waveView("x.fst", marks))[1] == "[timestart] 0");
}
