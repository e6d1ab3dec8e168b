// A timeline in Perfetto's format: balanced, every event with what its kind needs.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/input_error.hpp"
#include "events.hpp"
#include "observers/timeline.hpp"
#include "timeline_events.hpp"

using namespace gsu;
using nlohmann::json;

namespace {

struct File {
    File()
        : path((std::filesystem::temp_directory_path() /
                ("gsu_timeline_" + std::to_string(::getpid()) + ".pftrace"))
                   .string())
    {
    }
    ~File() { std::filesystem::remove(path); }
    [[nodiscard]] json read() const
    {
        std::ifstream in(path, std::ios::binary);
        return timelines::eventsOf({std::istreambuf_iterator<char>(in), {}});
    }
    std::string path;
};

}  // namespace

TEST_CASE("a timeline keeps the format's rules", "[observers]")
{
    const File file;
    {
        Timeline t(file.path, 1, "a \"kernel\"\n\x01");
        events::play(t);
        CHECK(!std::filesystem::exists(file.path));
        t.finish();
        CHECK(t.events() > 10);
    }
    const json root = file.read();
    std::map<std::string, int> kinds;
    std::map<std::pair<int, int>, bool> tracks;
    std::map<int, std::pair<int, int>> flows;  // starts, ends
    for (const json& e : root) {
        const std::string ph = e.at("ph");
        ++kinds[ph];
        CHECK(e.at("name").is_string());
        REQUIRE(e.at("pid").is_number_unsigned());
        REQUIRE(e.at("tid").is_number_unsigned());
        if (ph == "M") {
            CHECK(e.at("args").is_object());
            if (e["name"] == "thread_name") tracks[{e["pid"], e["tid"]}] = true;
            continue;
        }
        CHECK(e.at("ts").is_number());
        CHECK(e.at("ts") >= 0);
        if (ph == "X") {
            CHECK(e.at("dur") >= 0);
            CHECK(tracks.count({e["pid"], e["tid"]}) == 1);
        } else if (ph == "i") {
            CHECK(e.at("cat").is_string());
        } else {
            REQUIRE((ph == "s" || ph == "f"));
            (ph == "s" ? flows[e.at("id")].first : flows[e.at("id")].second)++;
        }
    }
    CHECK(kinds["X"] ==
          2 + 1 + 1 + 1);  // two waits, one generation, one warp sync, one that never ends
    std::size_t complete = 0;
    for (const auto& [id, ends] : flows) {
        CHECK(ends.first == 1);
        complete += static_cast<std::size_t>(ends.second);
    }
    CHECK(complete == 2);
}

TEST_CASE("arrows start and end inside slices", "[observers]")
{
    const File file;
    {
        Timeline t(file.path, 1, "k");
        events::play(t);
        t.finish();
    }
    const json root = file.read();
    std::size_t checked = 0;
    for (const json& e : root) {
        if (e["ph"] != "s" && e["ph"] != "f") continue;
        bool inside = false;
        for (const json& x : root) {
            if (x["ph"] != "X" || x["pid"] != e["pid"] || x["tid"] != e["tid"]) continue;
            const double from = x["ts"], to = from + double(x["dur"]), at = e["ts"];
            inside |= from <= at && at <= to;
        }
        CHECK(inside);
        ++checked;
    }
    CHECK(checked >= 4);
}

TEST_CASE("a timeline is deflated, complete or not at all", "[observers]")
{
    const File file;
    const std::string other = file.path + "2";
    {
        Timeline whole(file.path, 1, "k"), dropped(other, 1, "k");
        events::play(whole);
        events::play(dropped);
        whole.finish();
        CHECK(dropped.events() == whole.events());
    }
    std::ifstream in(file.path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    CHECK(!std::filesystem::exists(other));
    // Trace.packet (field 1), in it TracePacket.compressed_packets (field 50), in it a zlib stream.
    REQUIRE(bytes.size() > 10);
    CHECK(bytes[0] == 0x0a);
    CHECK(bytes.find("\x92\x03") == 3);
}

TEST_CASE("a timeline that is not finished leaves nothing, an impossible one is refused",
          "[observers]")
{
    const File file;
    {
        Timeline t(file.path, 1, "k");
        events::play(t);
    }
    CHECK(!std::filesystem::exists(file.path));
    CHECK_THROWS_AS(Timeline("/no/such/folder/t.pftrace", 1, "k"), InputError);
}
