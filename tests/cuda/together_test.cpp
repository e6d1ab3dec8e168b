// Launches that run at the same time: streams without an order, and programmatic dependent launches.
#include <set>

#include "catch.hpp"
#include "program.hpp"

using program::exec;
using program::has;

namespace {

process::Outcome together(const std::string& scenario, const std::string& options)
{
    return exec(scenario, options, "together");
}

}  // namespace

TEST_CASE(
    "a launch that waits for one of another stream, a copy or the host goes on with it, without "
    "and with a seed")
{
    for (const char* scenario : {"other_stream", "counts", "take_turns", "copy_helps", "host_helps",
                                 "host_polls", "in_graph"}) {
        for (const char* options :
             {"--unit golden", "--unit golden --seed 2", "--unit golden --seed 3"}) {
            const auto o = together(scenario, options);
            INFO(scenario << ' ' << options << '\n' << o.out << o.err);
            CHECK(o.code == 0);
            CHECK(o.out == "ok\n");
        }
    }
    const auto o = together("take_turns", "");
    INFO(o.out << o.err);
    CHECK(o.out == "ok\n");
    CHECK(has(o.err, "unit lockstep"));
}

TEST_CASE("a launch that waits for what comes behind it hangs, with its explanation")
{
    for (const char* scenario : {"same_stream", "behind_blocked"}) {
        for (const char* options : {"--unit golden", "--unit golden --seed 2"}) {
            const auto o = together(scenario, options);
            INFO(scenario << ' ' << options << '\n' << o.out << o.err);
            CHECK(has(o.out, "ok\n"));
            CHECK(has(o.err, "wait_for <<<1, 1>>> hang"));
            CHECK_FALSE(has(o.err, "set_flag <<<1, 1>>>"));
        }
    }
}

TEST_CASE("launches that wait for each other need SMs for both")
{
    const auto o = together("take_turns", "--unit golden --sms 1");
    INFO(o.out << o.err);
    CHECK(has(o.err, "take_turns <<<1, 1>>> hang"));
}

TEST_CASE("a dependent launch begins before its primary ends under some seed, and sees all of it "
          "behind its wait",
          "[GDC-002][GDC-003][GDC-004][GDC-005][GDC-006]")
{
    std::set<std::string> seen;
    for (unsigned seed = 1; seed <= 12; ++seed) {
        const auto o = together("dependents", "--unit golden --seed " + std::to_string(seed));
        INFO("--seed " << seed << '\n' << o.out << o.err);
        CHECK(o.code == 0);
        seen.insert(o.out);
    }
    CHECK(seen == std::set<std::string>{"beside\nok\n", "behind\nok\n"});
}

TEST_CASE("a CTA that does not signal holds the dependent back", "[GDC-002]")
{
    for (unsigned seed = 1; seed <= 12; ++seed) {
        const auto o = together("silent_block", "--unit golden --seed " + std::to_string(seed));
        INFO("--seed " << seed << '\n' << o.out << o.err);
        CHECK(o.out == "ok\n");
    }
}
