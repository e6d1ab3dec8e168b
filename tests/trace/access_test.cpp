// Traces of version 2: accesses that are announced and performed; version 1 is read as before.
#include "trace/support.hpp"

using namespace gsu;
using namespace gsu::trace;
using testfiles::Folder;

namespace {

const std::vector<std::string> kAccesses{
    "launch +0 after=0 0/0 threads=64 wbase=0 base=0 size=1024 cluster=0:0 of 1",
    "announce +3 0/0/0 everyone epoch=0 count=3",
    "announce +3 0/0/1 cta epoch=0 count=1",
    "do +3 0/0/0 0xffffffff #0 L1 fence.acq_rel.gpu;",
    "do +4 0/0/1 0xffffffff #1 L2 fence.acq_rel.cta;",
    "performed +10 0/0/0 everyone epoch=0 count=2",
    "performed +20 0/0/1 cta epoch=0 count=1",
    "performed +30 0/0/0 everyone epoch=0 count=1",
    "exit +1 0/0/0 0xffffffff",
    "exit +1 0/0/1 0xffffffff",
};

struct Answers final : PortObserver {
    std::vector<std::pair<unsigned, Cycle>> list;
    std::vector<std::pair<unsigned, unsigned>> performed;  ///< warp and count of each call
    void onResponse(const SyncResponse& r) override { list.emplace_back(r.at.warp, r.cycle); }
    void onAccesses(Cycle, const Accesses& a, bool done) override
    {
        if (done) performed.emplace_back(a.at.warp, a.count);
    }
};

Answers replayed(const std::vector<std::string>& lines, bool& hangs)
{
    Folder folder;
    auto text = lines;
    std::string all = support::traceText(text);
    const auto yes = all.find("answers yes");
    all.replace(yes, 11, "answers no");
    const auto end = all.rfind("end ");
    all.resize(end);
    char footer[64];
    std::snprintf(footer, sizeof footer, "end %zu 0x%016llx\n", lines.size(),
                  static_cast<unsigned long long>(fnv1a(all)));
    const std::string path = folder / "a.gsut";
    support::spill(path, all + footer);
    const Program program = Program::load(path);
    GoldenPort port(1);
    TapPort tap(port);
    Answers seen;
    tap.add(seen);
    const ReplayResult result = Replayer(program, tap, false).run(100'000);
    hangs = !result.blocked.empty();
    CHECK_FALSE(result.fault);
    return seen;
}

}  // namespace

TEST_CASE("records of accesses are read as they are written", "[trace]")
{
    for (const std::string line : {"announce +3 0/0/0 everyone epoch=0 count=3",
                                   "announce +0 1/31/31 cta epoch=1 count=65535",
                                   "performed +10 0/0/0 everyone epoch=1 count=2"})
        CHECK(support::textOf(support::recordOf(line)) == line);
    for (const std::string line :
         {"announce +3 0/0/0 everyone epoch=2 count=3",
          "announce +3 0/0/0 everyone epoch=0 count=0", "announce +3 0/0/0 nobody epoch=0 count=1",
          "performed +3 0/0/0 epoch=0 count=1", "performed +3 0/0/0 cta epoch=0 count=65536"})
        CHECK_THROWS_AS(support::recordOf(line), InputError);
}

TEST_CASE("a replay announces and performs at the recorded times", "[trace][FENCE-004][D-69]")
{
    bool hangs = false;
    const Answers seen = replayed(kAccesses, hangs);
    CHECK_FALSE(hangs);
    REQUIRE(seen.list.size() == 2);
    CHECK(seen.list[0].first == 1);
    CHECK(seen.list[0].second == 24);  // the request of cycle 4, and 20
    CHECK(seen.list[1].first == 0);
    CHECK(seen.list[1].second == 33);
}

// Found by the soak: each call takes a clock of the port, so a replay with more of them came to its answers later.
TEST_CASE("a replay performs accesses of several warps in one call, as they were recorded",
          "[trace][D-69]")
{
    auto lines = kAccesses;
    lines[2] = "announce +3 0/0/1 everyone epoch=0 count=2";
    lines[5] = "performed +10 0/0/1 everyone epoch=0 count=4";
    lines.erase(lines.begin() + 6);
    bool hangs = false;
    const Answers seen = replayed(lines, hangs);
    CHECK_FALSE(hangs);
    CHECK(seen.performed == std::vector<std::pair<unsigned, unsigned>>{{1, 4}, {0, 1}});
}

TEST_CASE("an access that is never performed is a hang of the replay", "[trace][D-62]")
{
    auto lines = kAccesses;
    lines.erase(lines.begin() + 7);
    bool hangs = false;
    const Answers seen = replayed(lines, hangs);
    CHECK(hangs);
    CHECK(seen.list.size() == 1);
}

TEST_CASE("more accesses performed than announced are refused", "[trace]")
{
    Folder folder;
    auto lines = kAccesses;
    lines[5] = "performed +10 0/0/0 everyone epoch=0 count=4";
    const std::string path = folder / "a.gsut";
    support::spill(path, support::traceText(lines));
    CHECK_THAT(support::refusal(path), Catch::Contains("than were announced"));
}

TEST_CASE("older versions are read: what they do not name takes no time", "[trace]")
{
    struct Older {
        const char* version;
        std::vector<const char*> without;
    };
    const auto older =
        GENERATE(Older{"gsut 1", {"fence_cta_lat", "fence_gpu_lat", "fence_sys_lat"}},
                 Older{"gsut 2", {"vote_lat", "redux_lat", "redux_minmax_lat", "match_lat"}},
                 Older{"gsut 3", {"grid_up_lat", "grid_down_lat"}});
    Folder folder;
    std::string text = support::traceText({});
    for (const char* key : older.without) {
        const auto at = text.find(std::string("cfg ") + key);
        REQUIRE(at != std::string::npos);
        text.erase(at, text.find('\n', at) + 1 - at);
    }
    const auto sealed = [&](std::string header) {
        header.resize(header.rfind("end "));
        char footer[64];
        std::snprintf(footer, sizeof footer, "end 0 0x%016llx\n",
                      static_cast<unsigned long long>(fnv1a(header)));
        return header + footer;
    };
    const std::string path = folder / "a.gsut";
    support::spill(path, sealed(text));
    CHECK_THAT(support::refusal(path), Catch::Contains(older.without[0]));
    text.replace(text.find("gsut 4"), 6, older.version);
    support::spill(path, sealed(text));
    const Program program = Program::load(path);
    CHECK(program.header.version == unsigned(older.version[5] - '0'));
    CHECK((older.version[5] == '1'   ? program.header.config.fence_gpu_lat
           : older.version[5] == '2' ? program.header.config.match_lat
                                     : program.header.config.grid_up_lat) == 0);
    CHECK(program.header.config.bar_release_lat == 22);
}
