// Trace files: footer, compression, truncation, hostile bytes.
#include "support.hpp"

using namespace gsu;
using namespace gsu::trace;
using support::Folder;

namespace {

const std::vector<std::string> kSmall = {
    "launch +0 after=0 0/0 threads=64 wbase=0 base=0 size=1024 cluster=0:0 of 1",
    "do +10 0/0/0 0xffffffff #0 L12 barrier.cta.sync.aligned 0;",
    "do +12 0/0/1 0xffffffff #1 L12 barrier.cta.sync.aligned 0;",
    "release +14 0/0 named 0 warps=0x00000003",
    "exit +5 0/0/0 0xffffffff",
    "exit +5 0/0/1 0xffffffff",
    "free +8 0/0",
};

std::size_t count(const std::string& path)
{
    Reader reader(path);
    Record record;
    std::size_t n = 0;
    while (reader.next(record)) ++n;
    return n;
}

}  // namespace

TEST_CASE("a file written is a file read, plain and compressed", "[trace]")
{
    Folder folder;
    for (const char* name : {"a.gsut", "a.gsut.zst"}) {
        const std::string path = folder / name;
        std::vector<std::string> want;
        {
            Writer writer(path, support::header(2));
            Cycle previous = 0;
            for (int i = 0; i < 20'000; ++i) {
                for (const auto& line : kSmall) {
                    const Record record = support::recordOf(line);
                    // Outcomes are absolute in memory.
                    Record timed = record;
                    if (auto* f = std::get_if<CtaFree>(&timed))
                        f->cycle += previous + 100, previous = f->cycle;
                    if (auto* r = std::get_if<Release>(&timed))
                        r->cycle += previous + 50, previous = r->cycle;
                    writer.write(timed);
                }
            }
            CHECK(!support::fs::exists(path));
            writer.close();
            CHECK(writer.records() == 20'000 * kSmall.size());
        }
        Reader reader(path);
        CHECK(reader.header() == support::header(2));
        CHECK(count(path) == 20'000 * kSmall.size());
        CHECK(folder.files() == (std::string(name) == "a.gsut" ? 1 : 2));
    }
    // The same text either way.
    CHECK(support::fs::file_size(folder / "a.gsut.zst") * 20 <
          support::fs::file_size(folder / "a.gsut"));
}

TEST_CASE("a writer that is not closed leaves nothing", "[trace]")
{
    Folder folder;
    {
        Writer writer(folder / "a.gsut", support::header());
    }
    {
        Writer writer(folder / "a.gsut.zst", support::header());
    }
    CHECK(folder.files() == 0);
    CHECK_THROWS_AS(Writer(folder / "no/such/a.gsut", support::header()), InputError);
}

TEST_CASE("a trace cut off at any byte is refused", "[trace]")
{
    Folder folder;
    const std::string text = support::traceText(kSmall);
    const std::string path = folder / "a.gsut";
    support::spill(path, text);
    REQUIRE(support::refusal(path).empty());
    for (std::size_t n = 0; n < text.size(); ++n) {
        support::spill(path, text.substr(0, n));
        CAPTURE(n);
        REQUIRE(!support::refusal(path).empty());
    }
}

TEST_CASE("a compressed trace cut off at any byte is refused", "[trace]")
{
    Folder folder;
    const std::string path = folder / "a.gsut.zst";
    {
        Writer writer(path, support::header());
        Cycle cycle = 0;
        for (const auto& line : kSmall) {
            Record record = support::recordOf(line);
            if (auto* f = std::get_if<CtaFree>(&record)) f->cycle = cycle + 8;
            if (auto* r = std::get_if<Release>(&record)) cycle = r->cycle;
            writer.write(record);
        }
        writer.close();
    }
    REQUIRE(support::refusal(path).empty());
    const std::string bytes = support::slurp(path);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        support::spill(path, bytes.substr(0, n));
        CAPTURE(n);
        REQUIRE(!support::refusal(path).empty());
    }
    std::string damaged = bytes;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x10);
    support::spill(path, damaged);
    CHECK(!support::refusal(path).empty());
}

TEST_CASE("a changed byte is refused", "[trace]")
{
    Folder folder;
    const std::string text = support::traceText(kSmall);
    const std::string path = folder / "a.gsut";
    std::size_t tried = 0;
    for (std::size_t i = 0; i < text.size(); i += 3, ++tried) {
        std::string changed = text;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        support::spill(path, changed);
        CAPTURE(i);
        REQUIRE(!support::refusal(path).empty());
    }
    CHECK(tried > 100);
}

TEST_CASE("the line of a mistake is named", "[trace]")
{
    Folder folder;
    const std::string path = folder / "a.gsut";
    auto lines = kSmall;
    const std::string empty = support::traceText({});
    const auto headerLines = std::uint32_t(std::count(empty.begin(), empty.end(), '\n') - 1);
    lines[2] = "do +12 0/0/1 0xffffffff #1 L12 barrier.cta.sync.alined 0;";
    support::spill(path, support::traceText(lines));
    std::uint32_t line = 0;
    const std::string reason = support::refusal(path, &line);
    CHECK(line == headerLines + 3);
    CHECK(reason.find("alined") != std::string::npos);
}

TEST_CASE("headers that do not fit are refused", "[trace]")
{
    Folder folder;
    const std::string path = folder / "a.gsut";
    const std::string good = support::traceText(kSmall);
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        const auto at = text.find(from);
        REQUIRE(at != std::string::npos);
        return text.replace(at, from.size(), to);
    };
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"gsut 4", "gsut 6"},
             {"gsut 4", "gsut 0"},
             {"gsut 4", "gsur 2"},
             {"gsut 4", ""},
             {"unit golden", "unit silver"},
             {"unit golden\n", ""},
             {"preset hopper", "preset volta"},
             {"sms 1", "sms 17"},
             {"sms 1", "sms 0"},
             {"sms 1", "sms 1\nsms 1"},
             {"seed 7", "seed -7"},
             {"answers yes", "answers maybe"},
             {"answers yes", "answers no"},
             {"cfg bar_interval=2\n", ""},
             {"cfg bar_interval=2", "cfg bar_interval=x"},
             {"cfg bar_interval=2", "cfg bar_interval=2\ncfg bar_interval=2"},
             {"cfg bar_interval=2", "cfg nonsense=2"},
             {"entry reduce", "entry re\tduce"},
             {"begin", "beginn"},
             {"exec exec.alu_lat=4", "exec =4"}}) {
        CAPTURE(from, to);
        support::spill(path, with(from, to));
        CHECK(!support::refusal(path).empty());
    }
    support::spill(path, std::string(100'000, 'x'));
    CHECK(support::refusal(path).find("too long") != std::string::npos);
    support::spill(path, good + "more\n");
    CHECK(support::refusal(path).find("after the footer") != std::string::npos);
    CHECK(support::refusal(folder / "missing.gsut").find("cannot be read") != std::string::npos);
    CHECK(support::refusal(folder / ".").find("directory") != std::string::npos);
}

TEST_CASE("random bytes are refused", "[trace]")
{
    const auto seed = GENERATE(range(1u, 40u));
    CAPTURE(seed);
    std::mt19937 random(seed);
    Folder folder;
    const std::string path = folder / "a.gsut";
    std::string text =
        seed % 2 == 0 ? support::traceText(kSmall) : std::string(random() % 4000, 'x');
    for (int i = 0; i < 60 && !text.empty(); ++i)
        text[random() % text.size()] = static_cast<char>(random());
    if (seed % 3 == 0) text = "\x28\xb5\x2f\xfd" + text;
    support::spill(path, text);
    CHECK(!support::refusal(path).empty());
}
