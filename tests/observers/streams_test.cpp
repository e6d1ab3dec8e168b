// What all observers say of random streams of requests at the golden port, beside what streams.txt keeps of it. GSU_WRITE_STREAMS names a file to
// which it is written anew.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "files.hpp"
#include "golden/golden_port.hpp"
#include "golden/word_memory.hpp"
#include "observers/commit_log.hpp"
#include "observers/coverage.hpp"
#include "observers/mbarrier_rings.hpp"
#include "observers/mbarrier_statistics.hpp"
#include "observers/mbarrier_summary.hpp"
#include "observers/statistics.hpp"
#include "observers/summary.hpp"
#include "observers/tap_port.hpp"
#include "observers/timeline.hpp"
#include "timeline_events.hpp"
#include "traffic/stream.hpp"

using namespace gsu;
using nlohmann::json;

namespace {

/// FNV-1a.
std::uint64_t digest(const std::string& text)
{
    std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3;
    return hash;
}

std::string coverageText(const Coverage& c)
{
    std::string text;
    for (const CoverPoint& p : c.points()) {
        text += p.id;
        for (const CoverBin& b : p.bins)
            if (b.hits != 0) text += fmt::format(" | {}: {}", b.name, b.hits);
        text += '\n';
    }
    return text;
}

/// How many events there are of each kind and name, numbers in names left out, and a digest of all that they say.
std::string timelineText(const std::string& file)
{
    struct Sum {
        std::uint64_t count{};
        std::string all;
    };
    std::map<std::string, Sum> sums;
    for (const json& e : timelines::eventsOf(file)) {
        std::string name = e["name"].get<std::string>();
        if (name.ends_with("_name")) name += ' ' + e["args"]["name"].get<std::string>();
        std::string plain;
        for (const char c : name)
            if (c < '0' || c > '9') plain += c;
        Sum& sum = sums[e["ph"].get<std::string>() + ' ' + plain];
        ++sum.count;
        sum.all += e.dump();
    }
    std::string text;
    for (const auto& [name, sum] : sums)
        text += fmt::format("{}: {} {:016x}\n", name, sum.count, digest(sum.all));
    return text;
}

/// The table in full, or, of a long one, its begin and a digest.
std::string tableText(const std::string& table)
{
    constexpr std::size_t kLines = 12;
    std::istringstream in(table);
    std::string text, line;
    for (std::size_t i = 0; i < kLines && std::getline(in, line); ++i) text += line + '\n';
    return text + fmt::format("{} bytes {:016x}\n", table.size(), digest(table));
}

struct Watched {
    explicit Watched(const traffic::Stream& s)
        : coverage(s.sms),
          statistics(s.sms),
          mbarriers(s.sms),
          timeline(folder / "t", s.sms, "stream"),
          log(folder / "log")
    {
        WordMemory memory(s.sms);
        GoldenPort device(s.sms);
        device.setMemory(memory);
        TapPort port(device);
        for (PortObserver* o : std::initializer_list<PortObserver*>{&coverage, &statistics,
                                                                    &mbarriers, &timeline, &log})
            port.add(*o);
        CHECK(traffic::drive(port, s).wrong == "");
        port.finish();
        timeline.finish();
        log.close();
    }
    [[nodiscard]] std::string text() const
    {
        const SummaryStyle all{.rows = 100'000};
        return coverageText(coverage) + tableText(barrierTable(statistics, all)) +
               tableText(lineTable(statistics, all, {})) +
               tableText(mbarrierTable(mbarriers, all)) + tableText(ringTable(mbarriers, all)) +
               tableText(testfiles::slurp(folder / "log")) +
               timelineText(testfiles::slurp(folder / "t"));
    }
    testfiles::Folder folder;
    Coverage coverage;
    Statistics statistics;
    MbarrierStatistics mbarriers;
    Timeline timeline;
    CommitLog log;
};

}  // namespace

TEST_CASE("random streams: coverage, tables, timeline and log of commits are as they were",
          "[observers]")
{
    using traffic::Kind;
    std::string text;
    for (const Kind kind :
         {Kind::Barriers, Kind::Warp, Kind::Mbarriers, Kind::Grids, Kind::Orders}) {
        for (std::uint64_t i = 0; i < 2; ++i) {
            const traffic::Stream s = traffic::streamOf(46, i, 1'500, {kind});
            text += fmt::format("== kind {} stream {}\n", static_cast<unsigned>(kind), i) +
                    Watched(s).text();
        }
    }
    if (const char* to = std::getenv("GSU_WRITE_STREAMS")) testfiles::spill(to, text);
    std::istringstream have(text),
        want(testfiles::slurp(testfiles::testsFolder() + "/observers/streams.txt"));
    std::string section;
    for (std::string a, b; std::getline(have, a);) {
        std::getline(want, b);
        if (a.starts_with("==")) section = a;
        INFO(section);
        REQUIRE(a == b);
    }
    CHECK_FALSE(std::getline(want, section));
}
