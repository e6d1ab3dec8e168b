// A failed assertion of the RTL belongs to the port whose models failed, whichever other ports the thread or the process has.
#include <thread>

#include "catch.hpp"
#include "golden/params.hpp"
#include "verilated/events.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;

namespace {

/// Gives a CTA slot twice: the RTL requires that it is free.
void misuse(RtlPort& port)
{
    for (int i = 0; i < 2; ++i) {
        REQUIRE(port.launch({.threads = 32, .size = 1024}));
        for (int clock = 0; clock < 20; ++clock) port.step();
    }
}

void idle(RtlPort& port)
{
    for (int clock = 0; clock < 40; ++clock) port.step();
}

}  // namespace

TEST_CASE("a failed assertion is a fault of its own port", "[verilated]")
{
    test::EventLog log;
    const Config config = configOf(Preset::Hopper);
    RtlPort first(1, config, true), second(1, config, true);
    first.setSink(log), second.setSink(log);
    misuse(first);  // the thread's context is that of the port made last
    idle(second);
    REQUIRE(first.fault().has_value());
    CHECK(first.fault()->kind == Fault::Kind::Assertion);
    CHECK(first.fault()->message.find("Assertion failed in sm0.gsu_sm.") != std::string::npos);
    CHECK(!second.fault().has_value());
}

TEST_CASE("ports may be stepped by threads of their own", "[verilated]")
{
    const Config config = configOf(Preset::Hopper);
    std::vector<std::unique_ptr<RtlPort>> ports;
    std::vector<test::EventLog> logs(4);
    for (test::EventLog& log : logs) {
        ports.push_back(std::make_unique<RtlPort>(1, config, true));
        ports.back()->setSink(log);
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < ports.size(); ++i)
        threads.emplace_back([&, i] { i % 2 == 0 ? misuse(*ports[i]) : idle(*ports[i]); });
    for (std::thread& t : threads) t.join();
    for (std::size_t i = 0; i < ports.size(); ++i) {
        CAPTURE(i);
        REQUIRE(ports[i]->fault().has_value() == (i % 2 == 0));
        if (i % 2 == 0)
            CHECK(ports[i]->fault()->message.find("Assertion failed in sm0.gsu_sm.") !=
                  std::string::npos);
    }
}
