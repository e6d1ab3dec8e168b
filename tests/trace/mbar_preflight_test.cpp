// What is said about mbarriers before a trace is replayed, and about waits that never came true after it: traces recorded on the golden
// unit, whole and with lines missing.
#include <sstream>

#include "support.hpp"

using namespace gsu;
using namespace gsu::trace;
using support::Folder;

namespace {

const std::vector<std::string>& producer()
{
    static const std::vector<std::string> lines{
        "launch +0 after=0 0/0 threads=64 wbase=0 base=128 size=1024 cluster=0:0 of 1",
        "do +5 0/0/0 0x1 #0 L10 mbarrier.init.cta.shared::cta.b64 [0:64], 2;",
        "do +5 0/0/0 0x1 #0 L11 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 [0:64], 256;",
        "async +100 &0 complete_tx 0/0/0 [0:64], 256 #9",
        "do +40 0/0/1 0x1 #1 L12 mbarrier.arrive.release.cta.shared::cta.b64 [0:64], 1;",
        "do +5 0/0/1 0xffffffff #1 L13 mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 "
        "[0:64]; value",
        "do +5 0/0/1 0xffffffff #1 L14 mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 "
        "[0:64]; value",
        "exit +500 0/0/0 0xffffffff",
        "exit +5 0/0/1 0xffffffff",
    };
    return lines;
}

/// The records of a trace with the answers of the golden unit.
std::vector<std::string> recorded(const Folder& folder, const std::vector<std::string>& lines,
                                  unsigned sms = 1)
{
    const std::string in = folder / "in.gsut", out = folder / "out.gsut";
    support::spill(in, support::traceText(lines, sms));
    const Program program = Program::load(in);
    Writer writer(out, support::header(sms));
    Recorder recorder(writer, sms);
    GoldenPort golden(sms);
    TapPort tap(golden);
    tap.add(recorder);
    Replayer replayer(program, tap, false);
    const ReplayResult result = replayer.run();
    REQUIRE(result.left == 0);
    tap.finish();
    writer.close();
    std::istringstream text(support::slurp(out));
    std::vector<std::string> records;
    bool begun = false;
    for (std::string line; std::getline(text, line);) {
        if (begun && line.rfind("end ", 0) != 0) records.push_back(line);
        begun = begun || line == "begin";
    }
    return records;
}

std::vector<std::string> without(std::vector<std::string> lines, const std::string& what)
{
    const auto names = [&](const std::string& l) { return l.find(what) != std::string::npos; };
    const auto found = std::find_if(lines.begin(), lines.end(), names);
    REQUIRE(found != lines.end());
    lines.erase(found);
    return lines;
}

Program programOf(const Folder& folder, const std::vector<std::string>& lines, unsigned sms = 1)
{
    const std::string path = folder / "a.gsut";
    support::spill(path, support::traceText(lines, sms));
    return Program::load(path);
}

ReplayResult replayed(const Program& program, bool compare)
{
    GoldenPort golden(program.header.sms);
    Replayer replayer(program, golden, compare);
    return replayer.run();
}

}  // namespace

TEST_CASE("a whole trace of mbarriers gives no finding and no open wait", "[trace][MBAR-010]")
{
    const Folder folder;
    const Program program = programOf(folder, recorded(folder, producer()));
    CHECK(program.findings.empty());
    const ReplayResult result = replayed(program, true);
    CHECK(result.waits.empty());
    CHECK_FALSE(result.differs);
}

TEST_CASE("a trace that lacks what completes a phase is explained before and in the replay",
          "[trace][MBAR-005][MBAR-010][MBAR-040]")
{
    const Folder folder;
    const std::vector<std::string> whole = recorded(folder, producer());
    struct Case {
        const char* missing;
        std::string rule, text;
    };
    const std::vector<Case> cases{
        {"complete_tx", "MBAR-040", "0 of 2 arrivals pending, 256 bytes of tx outstanding"},
        {"L12 ", "MBAR-010", "1 of 2 arrivals pending, 0 bytes of tx outstanding"},
        {"L11 ", "MBAR-040", "1 of 2 arrivals pending, -256 bytes of tx outstanding"},
        {"L10 ", "MBAR-005", "mbarrier 0:64 is used, but never initialised"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.missing);
        const Program program = programOf(folder, without(whole, c.missing));
        REQUIRE(program.findings.size() == 1);
        CAPTURE(program.findings[0].message);
        CHECK(program.findings[0].rule == c.rule);
        CHECK(program.findings[0].message.find(c.text) != std::string::npos);
        CHECK(program.findings[0].id == 64);
        if (c.rule != "MBAR-005") CHECK(program.findings[0].source == 14);
        CHECK(replayed(program, true).differs);
    }
    // The first difference is the answer of the wait: the replay names what it waits for.
    const ReplayResult result = replayed(programOf(folder, without(whole, "complete_tx")), true);
    CAPTURE(result.difference);
    CHECK(result.difference.find("mbarrier 0:64 (wait in line") != std::string::npos);
    CHECK(result.difference.find(cases[0].text) != std::string::npos);
}

TEST_CASE("a trace that ends in a wait names the mbarrier, its state and the record",
          "[trace][MBAR-010][MBAR-040]")
{
    const Folder folder;
    std::vector<std::string> lines = producer();
    lines.resize(lines.size() - 2);
    lines = without(lines, "complete_tx");
    const Program program = programOf(folder, lines);
    REQUIRE(program.findings.size() == 1);
    CHECK(program.findings[0].rule == "MBAR-040");
    CHECK(program.findings[0].lanes == 0xffffffff);
    const ReplayResult result = replayed(program, false);
    REQUIRE(result.waits.size() == 1);
    const OpenWait& w = result.waits[0];
    CHECK(w.at.warp == 1);
    CHECK(w.lanes == 0xffffffff);
    CHECK(w.source == 14);
    CHECK(w.line == program.findings[0].line);
    CHECK(w.object == 64);
    const MbarState s = unpackMbar(w.word);
    CHECK(s.pending == 0);
    CHECK(s.tx == 256);
    CHECK_FALSE(s.phase);
    // One more record of the lanes, and no lane waits.
    lines.push_back(producer().back());
    CHECK(replayed(programOf(folder, lines), false).waits.empty());
}

TEST_CASE("operations on the mbarrier of another CTA count, also before that is launched",
          "[trace][MBARR-019][MBAR-044]")
{
    const Folder folder;
    const std::vector<std::string> lines{
        "route +0 after=0 cluster=3:0 of 2 at 0/0",
        "route +0 after=0 cluster=3:1 of 2 at 1/2",
        "launch +0 after=0 0/0 threads=32 wbase=0 base=0 size=64 cluster=3:0 of 2",
        "launch +30 after=0 1/2 threads=32 wbase=4 base=256 size=64 cluster=3:1 of 2",
        "do +1 1/2/0 0x1 #0 L3 mbarrier.init.cta.shared::cta.b64 [1:8], 3;",
        "do +40 0/0/0 0x7 #0 L4 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [1:8], 1;",
        "do +200 1/2/0 0x1 #0 L5 mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [1:8]; "
        "value",
        "exit +5 1/2/0 0xffffffff",
        "exit +5 0/0/0 0xffffffff",
    };
    const auto spelled = [&](std::vector<std::string> all) {
        for (std::string& l : all) {
            const auto at = l.find("_, [");
            if (at != std::string::npos) l.erase(at, 3);
        }
        return all;
    };
    const std::vector<std::string> whole = recorded(folder, spelled(lines), 2);
    CHECK(programOf(folder, whole, 2).findings.empty());
    const Program program = programOf(folder, without(whole, "L4 "), 2);
    REQUIRE(program.findings.size() == 1);
    CHECK(program.findings[0].rule == "MBAR-010");
    CHECK(program.findings[0].message.find("3 of 3 arrivals pending") != std::string::npos);
    // Alone in the file's order: the arrival comes before the launch of its target.
    const std::vector<std::string> early{
        lines[0], lines[1], lines[2],
        "do +1 0/0/0 0x7 #0 L4 mbarrier.arrive.release.cluster.shared::cluster.b64 [1:8], 1;",
        lines[3]};
    const Program before = programOf(folder, early, 2);
    REQUIRE(before.findings.size() == 1);
    CHECK(before.findings[0].rule == "MBAR-005");
}
