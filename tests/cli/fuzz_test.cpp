// gsu fuzz: programs run and are judged; faults are noticed, reduced and written to files; campaigns resume.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "gsu_process.hpp"

using process::Folder;
using process::runGsu;

namespace fs = std::filesystem;

namespace {

/// The options in a "gsu run FILE OPTIONS" of the text beside a find.
std::string optionsOf(const std::string& text)
{
    const auto at = text.find("launch.json --unit");
    REQUIRE(at != std::string::npos);
    std::string options = text.substr(at + 11);
    options.erase(options.find_last_not_of('\n') + 1);
    return options;
}

std::size_t roundsOf(const std::string& line)
{
    const auto at = line.find(" round");
    REQUIRE(at != std::string::npos);
    return std::stoul(line.substr(line.rfind(' ', at - 1) + 1));
}

}  // namespace

TEST_CASE("a fault is noticed, made small, and what is written shows it", "[cli][fuzz]")
{
    struct Row {
        const char *inject, *kind, *verdict;
    };
    // A wrong expected value, an arrival that no thread makes, an id above 15 (BAR-002).
    const Row rows[] = {{"value:vote", "mismatch", "mismatch"},
                        {"wait:named", "hang", "hang"},
                        {"misuse:shuffle", "misuse", "BAR-002"}};
    for (const Row& row : rows) {
        CAPTURE(row.inject);
        const Folder folder;
        const auto r = runGsu(
            "fuzz --seed 3 --programs 12 --runs 1 --unit golden --max-latency 100 --inject " +
            std::string(row.inject) + " --out " + (folder / ""));
        CHECK(r.code == 1);
        CHECK(r.err.empty());
        std::size_t finds = 0;
        for (const auto& file : fs::directory_iterator(folder / "")) {
            if (file.path().extension() != ".txt") continue;
            ++finds;
            const std::string text = process::slurp(file.path().string());
            CAPTURE(text);
            CHECK(text.find(std::string(": ") + row.kind + ": ") != std::string::npos);
            CHECK(roundsOf(text) == 1);
            const std::string launch =
                fs::path(file.path()).replace_extension(".launch.json").string();
            const auto again = runGsu("run " + launch + optionsOf(text));
            CHECK(again.code == 1);
            CHECK(again.out.find(row.verdict) != std::string::npos);
        }
        CHECK(finds >= 2);
        CHECK(r.out.find(std::to_string(finds) + " failures") != std::string::npos);
    }
}

TEST_CASE("programs run under a timing, with its parameters drawn", "[cli][fuzz][timing]")
{
    const Folder folder;
    const auto r = runGsu("fuzz --seed 3 --programs 4 --runs 2 --unit golden --timing hopper "
                          "--no-shrink --inject value --out " +
                          (folder / ""));
    CHECK(r.code == 1);
    std::size_t drawn = 0;
    for (const auto& file : fs::directory_iterator(folder / "")) {
        if (file.path().extension() != ".txt") continue;
        const std::string options = optionsOf(process::slurp(file.path().string()));
        CHECK(options.find(" --timing hopper") != std::string::npos);
        if (options.find(" --set timing.") != std::string::npos) ++drawn;
    }
    CHECK(drawn >= 2);
    const auto unknown = runGsu("fuzz --timing hoper");
    CHECK(unknown.code == 2);
    CHECK(unknown.err ==
          "gsu: --timing: exec.timing is one of simple, hopper, blackwell, not 'hoper'\n");
    const auto requests = runGsu("fuzz --requests 10 --timing hopper");
    CHECK(requests.code == 2);
    CHECK(requests.err == "gsu: --timing: goes with programs\n");
}

TEST_CASE("a campaign stopped and continued covers what it would have in one go", "[cli][fuzz]")
{
    const Folder folder;
    const std::string options =
        "fuzz --seed 11 --runs 1 --unit golden --max-latency 100 --only named,warp ";
    const std::string file = folder / "state";
    const auto whole = runGsu(options + "--programs 30");
    CHECK(whole.code == 0);
    CHECK(runGsu(options + "--programs 13 --resume " + file).code == 0);
    const auto rest = runGsu(options + "--programs 30 --resume " + file);
    CHECK(rest.code == 0);
    CHECK(rest.out == whole.out);
    CHECK(whole.out.find("30 programs, 30 runs") == 0);
    const auto other = runGsu("fuzz --seed 12 --programs 30 --resume " + file);
    CHECK(other.code == 2);
    CHECK(other.err.find("another campaign") != std::string::npos);
}

TEST_CASE("the reference assembler takes the programs", "[cli][fuzz][ptxas]")
{
    if (std::system("ptxas --version >/dev/null 2>&1") != 0) {
        std::cout << "SKIP: ptxas is not installed, the programs were not shown to it\n";
        return;
    }
    const Folder folder;
    const auto listed = runGsu("fuzz --print --programs 25 --seed 5 --out " + (folder / ""));
    REQUIRE(listed.code == 0);
    std::map<std::string, int> modules;  // by target
    for (const auto& file : fs::directory_iterator(folder / "")) {
        if (file.path().extension() != ".ptx") continue;
        const std::string name = file.path().string();
        CAPTURE(name);
        std::string target;
        std::istringstream text{process::slurp(name)};
        for (std::string word; target.empty() && text >> word;)
            if (word == ".target") text >> target;
        ++modules[target];
        const std::string call =
            "ptxas -O0 -arch " + target + " " + name + " -o /dev/null >/dev/null 2>&1";
        CHECK(std::system(call.c_str()) == 0);
    }
    CHECK(modules["sm_80"] + modules["sm_90"] + modules["sm_100a"] == 25);
    for (const auto& [target, count] : modules) {
        CAPTURE(target);
        CHECK(count > 0);
    }
    CHECK(modules.size() == 3);
}

TEST_CASE("gsu fuzz refuses what it cannot use", "[cli][fuzz]")
{
    for (const char* bad :
         {"--without frobnicate", "--only 7", "--inject smoke", "--inject value:nothing",
          "--out /dev/null/x", "--unit fpga", "--print", "--runs 0"}) {
        CAPTURE(bad);
        const auto r = runGsu(std::string("fuzz --programs 1 ") + bad);
        CHECK(r.code == 2);
        CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    }
}

TEST_CASE("programs that were found to go wrong end as they must", "[cli][fuzz]")
{
    std::size_t cases = 0;
    for (const auto& file : fs::directory_iterator(testfiles::testsFolder() + "/fuzz/programs")) {
        if (file.path().extension() != ".txt") continue;
        ++cases;
        const std::string text = process::slurp(file.path().string());
        CAPTURE(text);
        const std::string launch = fs::path(file.path()).replace_extension(".launch.json").string();
        const auto r = runGsu("run " + launch + optionsOf(text) + " --max-cycles 20000000");
        CAPTURE(r.out, r.err);
        CHECK(r.code == 0);
        CHECK(r.out.find(": warning ") == std::string::npos);
    }
    CHECK(cases > 0);
}

// Found by scripts/soak: a barrier with a count let a thread invalidate an mbarrier that a warp which then ended was still using.
TEST_CASE("programs that ended some threads too early to be right are right", "[cli][fuzz]")
{
    for (const char* program : {"--seed 4222613705 --from 2", "--seed 2988981248 --from 85"}) {
        const auto r = runGsu(std::string("fuzz --programs 1 --no-shrink ") + program);
        CAPTURE(program, r.out, r.err);
        CHECK(r.code == 0);
        CHECK(r.out.find("early exits") != std::string::npos);
    }
}

TEST_CASE("random requests: a difference is made small, and its trace and command show it again",
          "[cli][fuzz]")
{
    const Folder folder;
    const std::string campaign = "fuzz --requests 1 --seed 5 --per-stream 3000 --traffic mbarriers";
    const auto r = runGsu(campaign + " --inject difference:300 --out " + (folder / ""));
    INFO(r.out);
    CHECK(r.code == 1);
    CHECK(r.out.find("stream 0 of seed 5 (mbarriers): injected at commit 300") !=
          std::string::npos);
    const auto at = r.out.find("still wrong with ");
    REQUIRE(at != std::string::npos);
    CHECK(std::stoul(r.out.substr(at + 17)) < 300);
    const auto again = r.out.find("again: gsu ");
    REQUIRE(again != std::string::npos);
    const std::string command =
        r.out.substr(again + 11, r.out.find('\n', again) - again - 11) + " --inject difference:300";
    CHECK(runGsu(command).code == 1);
    const auto replayed = runGsu("replay " + (folder / "stream_5_0.gsut"));
    CHECK(replayed.out.find("agree") == 0);
    CHECK(runGsu(campaign).code == 0);
}

TEST_CASE("random requests: cover points of all streams together", "[cli][fuzz]")
{
    const Folder folder;
    const std::string file = folder / "points.json";
    const std::string streams = "fuzz --seed 3 --unit golden --per-stream 500 --traffic warp ";
    CHECK(runGsu(streams + "--requests 500 --coverage " + file).code == 0);
    const auto one = nlohmann::json::parse(process::slurp(file));
    CHECK(runGsu(streams + "--requests 2000 --coverage " + file).code == 0);
    const auto four = nlohmann::json::parse(process::slurp(file));
    CHECK(one["CP-BAR-01"].size() == 16);
    CHECK(one["CP-BAR-06"]["first"] > 0);
    CHECK(four["CP-BAR-06"]["first"] > one["CP-BAR-06"]["first"]);
    CHECK(four["CP-MBO-01"]["2"] == 0);
    const auto refused = runGsu("fuzz --programs 1 --coverage " + file);
    CHECK(refused.code == 2);
    CHECK(refused.err.find("--coverage") != std::string::npos);
}

TEST_CASE("a campaign of random requests goes on where it was cut", "[cli][fuzz]")
{
    const Folder folder;
    const std::string campaign = "fuzz --seed 9 --per-stream 500 --unit golden --resume " +
                                 (folder / "state.json") + " --requests ";
    const auto line = [](const std::string& text, const std::string& name) {
        const auto at = text.find(name);
        return at == std::string::npos ? "none" : text.substr(at, text.find('\n', at) - at);
    };
    CHECK(runGsu(campaign + "2000").code == 0);
    const auto both = runGsu(campaign + "6000");
    const auto once = runGsu("fuzz --seed 9 --per-stream 500 --unit golden --requests 6000");
    CHECK(both.code == 0);
    for (const char* name : {"streams  ", "commits", "crossed", "cancels"})
        CHECK(line(both.out, name) == line(once.out, name));
    CHECK(runGsu(campaign + "7000 --traffic warp").err.find("is no state of this campaign") !=
          std::string::npos);
}
