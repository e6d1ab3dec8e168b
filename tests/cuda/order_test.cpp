// Orders that streams allow: each is seen under some seed, none that they forbid under any, and the same one under the same seed.
#include <map>
#include <set>

#include "catch.hpp"
#include "program.hpp"

using program::exec;
using program::has;

namespace {

constexpr unsigned kSeeds = 12;

/// The output of a scenario under seeds 1 (the order of the calls) to kSeeds.
std::map<unsigned, std::string> outputs(const std::string& scenario)
{
    std::map<unsigned, std::string> all;
    for (unsigned seed = 1; seed <= kSeeds; ++seed) {
        const auto o = exec(scenario, "--quiet --unit golden --seed " + std::to_string(seed));
        INFO(scenario << " --seed " << seed << '\n' << o.out << o.err);
        CHECK(o.code == 0);
        CHECK(has(o.out, "ok\n"));
        all[seed] = o.out;
    }
    return all;
}

std::set<std::string> kinds(const std::map<unsigned, std::string>& all)
{
    std::set<std::string> set;
    for (const auto& [seed, text] : all) set.insert(text);
    return set;
}

}  // namespace

TEST_CASE("work of two streams is seen in both orders and at the same time, in that of the calls "
          "without a seed")
{
    for (const char* scenario : {"orders", "missing_event", "beside_legacy"}) {
        const auto all = outputs(scenario);
        INFO(scenario);
        CHECK(all.at(1) == "result 3\nok\n");
        // 1, doubled and one more: 3, or 4; 2 when both have read what was there before.
        CHECK(kinds(all) ==
              std::set<std::string>{"result 2\nok\n", "result 3\nok\n", "result 4\nok\n"});
        const auto again = exec(scenario, "--quiet --unit golden --seed 7");
        CHECK(again.out == all.at(7));
    }
}

TEST_CASE("what an event, the legacy stream or a stream orders has one outcome under all seeds")
{
    CHECK(kinds(outputs("given_event")) == std::set<std::string>{"result 6\nok\n"});
    CHECK(kinds(outputs("behind_legacy")) == std::set<std::string>{"result 6\nok\n"});
    CHECK(kinds(outputs("copies_taken")) == std::set<std::string>{"ok\n"});
    CHECK(kinds(outputs("streams")) == std::set<std::string>{"ok\n"});
    CHECK(kinds(outputs("graphs")) == std::set<std::string>{"ok\n"});
}

TEST_CASE("each thread has its default stream where a program is compiled so")
{
    std::set<std::string> first, then;
    for (const auto& [seed, text] : outputs("per_thread")) {
        const auto end = text.find('\n');
        first.insert(text.substr(0, end));
        const int before = std::atoi(text.c_str() + std::string("threads ").size());
        // One more, doubled, and one more again.
        CHECK(has(text, "legacy " + std::to_string((before + 1) * 2 + 1) + "\n"));
    }
    CHECK(first == std::set<std::string>{"threads 2", "threads 3", "threads 4"});
}

TEST_CASE("a program that looks without waiting sees what was there before, under some seed")
{
    CHECK(kinds(outputs("unsynchronised")) ==
          std::set<std::string>{"seen -1\nok\n", "seen 27\nok\n"});
}

TEST_CASE("a program that polls memory or events goes on under any seed")
{
    for (const char* seed : {"1", "2", "3"})
        CHECK(
            has(exec("polling", std::string("--quiet --unit golden --seed ") + seed).out, "ok\n"));
}

TEST_CASE("nodes of a graph without an order are drawn, too; an instance never runs twice at once")
{
    // Doubled and one more: in both orders, and when both read the value that was there.
    const auto once = [](int v) { return std::set<int>{2 * v + 1, 2 * v + 2, 2 * v, v + 1}; };
    std::set<int> first;
    for (const auto& [seed, text] : outputs("parallel_graph")) {
        const int from = std::atoi(text.c_str() + text.find("result ") + 7);
        const int at = std::atoi(text.c_str() + text.find("later ") + 6);
        first.insert(from);
        std::set<int> allowed;
        for (const int v : once(from)) allowed.merge(once(v));
        INFO("--seed " << seed << ": " << from << ", " << at);
        CHECK(allowed.contains(at));
    }
    CHECK(first == std::set<int>{2, 3, 4});
}

TEST_CASE("functions of a stream keep its order; one that waits for the device is refused where it "
          "would wait for itself")
{
    for (const auto& [seed, text] : outputs("function_in_order"))
        CHECK((text == "code 0\nok\n" || text == "code 800\nok\n"));
}

TEST_CASE("errors that stay and printing are the same when work is late")
{
    for (const char* scenario : {"wild", "freed", "hang", "assertion", "trap", "memory", "symbols",
                                 "threads", "launches"}) {
        const auto o = exec(scenario, "--unit golden --seed 3");
        INFO(scenario << o.out << o.err);
        CHECK(has(o.out, "ok\n"));
    }
    CHECK(exec("printing", "--unit golden --seed 5").out ==
          "before\nkernel says 42\nkernel says 42\nafter\nok\n");
}

TEST_CASE("launches that are saved under a seed are what they were when they are repeated")
{
    const testfiles::Folder folder;
    for (const char* seed : {"2", "3", "4", "5", "6", "7"}) {
        const std::string to = folder / seed;
        const auto o = exec("beside_copy", std::string("--quiet --unit golden --seed ") + seed +
                                               " --save '" + to + "'");
        INFO("--seed " << seed << '\n' << o.out << o.err);
        CHECK(has(o.out, "ok\n"));
        const auto again = process::runGsu("run --unit golden '" + to + "/list_00000.launch.json'");
        INFO(again.out << again.err);
        CHECK(again.code == 0);
    }
}
