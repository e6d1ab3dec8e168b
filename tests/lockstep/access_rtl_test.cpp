// The operations for which each request waits, on the RTL and the golden model; the least times of fences, exact.
#include "access_testbench.hpp"
#include "catch.hpp"
#include "golden/params.hpp"
#include "golden/word_memory.hpp"
#include "lockstep/lockstep_port.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

constexpr int kSettle = 60;

struct Beside {
    explicit Beside(Preset preset) : rtl(1, configOf(preset), true), port(rtl)
    {
        rtl.setMemory(memory);
    }
    [[nodiscard]] std::string fault() const { return port.fault() ? port.fault()->message : ""; }
    WordMemory memory{1};
    RtlPort rtl;
    LockstepPort port;
};

}  // namespace

TEST_CASE("the RTL waits for what is announced and not performed, and for nothing else",
          "[BAR-014][BWS-006][CLU-016][CLU-022][FENCE-004][FENCE-006][FENCE-007][FENCE-008]"
          "[FENCE-021][FENCE-023][FENCE-024][FENCE-039][MBARR-014][D-54][D-69]")
{
    unsigned waited = 0;
    for (const Row& row : kRows) {
        for (const Reach reach : {Reach::Cta, Reach::Everyone}) {
            const std::string name = nameOfRow(row);
            CAPTURE(name, int(reach));
            Beside u(Preset::Ideal);
            Testbench b(u.port);
            const bool waits = reach == Reach::Cta ? row.own : row.wide;
            b.object();
            const Accesses a = b.announce(reach, 3);
            const std::uint16_t tag = b.give(row.op, row.sem, row.scope);
            b.step(kSettle);
            CHECK(b.answered(tag) == !waits);
            waited += !b.answered(tag);
            b.performed(a, 2);
            b.step(kSettle);
            CHECK(b.answered(tag) == !waits);
            b.performed(a, 1);
            b.step(kSettle);
            CHECK(b.answered(tag));
            b.leave();
            CHECK(b.freed());
            CHECK(u.fault() == "");
        }
    }
    CHECK(waited == 19);
}

TEST_CASE("a fence takes its floor from the request to its answer, exactly, and waits hide in it",
          "[calibration][FENCE-004][FENCE-021]")
{
    struct Time {
        Op op;
        Sem sem;
        Scope scope;
        Cycle clocks;
    };
    for (const Time& t : {Time{Op::Fence, Sem::AcqRel, Scope::Cta, 8},
                          {Op::Fence, Sem::AcqRel, Scope::Cluster, 270},
                          {Op::Fence, Sem::Acquire, Scope::Gpu, 270},
                          {Op::Membar, Sem::AcqRel, Scope::Sys, 1750},
                          {Op::FenceProxy, Sem::AcqRel, Scope::None, 8},
                          {Op::FenceMbarrierInit, Sem::Release, Scope::Cluster, 8}}) {
        for (const bool waits : {false, true}) {
            CAPTURE(nameOf(t.op), nameOf(t.scope), waits);
            Beside u(Preset::Hopper);
            Testbench b(u.port);
            b.step(100);
            const Cycle start = u.port.now();
            Accesses a{};
            if (waits) a = b.announce(Reach::Everyone, 1);
            const std::uint16_t tag = b.give(t.op, t.sem, t.scope);
            b.step(2);
            if (waits) b.performed(a, 1);
            b.step(int(t.clocks) + 40);
            // The announcement goes before the request: a clock.
            CHECK(b.answeredAt(tag) - start == t.clocks + (waits ? 1 : 0));
            CHECK(u.fault() == "");
        }
    }
}

TEST_CASE("epochs of the RTL: what is announced later is not waited for, whatever comes",
          "[D-70][FENCE-039]")
{
    Beside u(Preset::Ideal);
    Testbench b(u.port);
    Accesses older = b.announce(Reach::Everyone, 7);
    unsigned turned = 0;
    for (int i = 0; i < 40; ++i) {
        const std::uint16_t tag = b.give(Op::Fence, Sem::AcqRel, Scope::Gpu);
        b.step(8);
        CHECK_FALSE(b.answered(tag));
        const Accesses newer = b.announce(Reach::Everyone, 7, kOther);
        turned += newer.epoch != older.epoch;
        b.performed(older, 7);
        b.step(12);
        CHECK(b.answered(tag));
        older = newer;
    }
    CHECK(turned == 40);
    b.performed(older, 7);
    b.leave();
    CHECK(b.freed());
    CHECK(u.fault() == "");
}

TEST_CASE("a CTA slot of the RTL is free when the last access is performed", "[D-41]")
{
    for (const Reach reach : {Reach::Cta, Reach::Everyone}) {
        Beside u(Preset::Ideal);
        Testbench b(u.port);
        const Accesses a = b.announce(reach, 2);
        b.leave();
        CHECK_FALSE(b.freed());
        CHECK(u.port.quietUntil() == kNever);
        b.performed(a, 1);
        b.step(kSettle);
        CHECK_FALSE(b.freed());
        b.performed(a, 1);
        b.step(kSettle);
        CHECK(b.freed());
        CHECK(u.fault() == "");
    }
}

TEST_CASE("a thousand accesses announced one by one before their barrier are all waited for",
          "[BAR-014][D-69]")
{
    Beside u(Preset::Hopper);
    Testbench b(u.port);
    std::vector<Accesses> all;
    for (int i = 0; i < 1000; ++i) all.push_back(b.announce(Reach::Cta, 1));
    const std::uint16_t tag = b.give(Op::BarArrive, Sem::AcqRel, Scope::Cta);
    b.step(1100);
    for (const Accesses& a : all) {
        CHECK_FALSE(b.answered(tag));
        b.performed(a, 1);
        b.step(1);
    }
    b.step(kSettle);
    CHECK(b.answered(tag));
    CHECK(u.fault() == "");
}

TEST_CASE("more accesses than a count of the RTL holds are all waited for, and performed ones are "
          "told while it has no room for more",
          "[D-40][D-54][D-70][FENCE-039]")
{
    // 2^17 = 131072, where counts of 17 bits were 0 again; and more than any count has room for.
    for (const auto& parts :
         {std::vector<std::uint16_t>{65535, 65535, 2}, std::vector<std::uint16_t>(9, 65535)}) {
        for (const Reach reach : {Reach::Everyone, Reach::Cta}) {
            CAPTURE(parts.size(), int(reach));
            Beside u(Preset::Hopper);
            Testbench b(u.port);
            b.object();
            std::vector<Accesses> all;
            for (const std::uint16_t count : parts) all.push_back(b.announce(reach, count));
            const bool wide = reach == Reach::Everyone;
            const std::uint16_t tag = wide ? b.give(Op::Fence, Sem::AcqRel, Scope::Gpu)
                                           : b.give(Op::BarArrive, Sem::AcqRel, Scope::Cta);
            b.step(600);
            CHECK_FALSE(b.answered(tag));
            for (const Accesses& a : all) {
                CHECK_FALSE(b.answered(tag));
                b.performed(a, std::uint16_t(a.count - 1));
                b.step(4);
                CHECK_FALSE(b.answered(tag));
            }
            b.step(400);
            CHECK_FALSE(b.answered(tag));  // one of each announcement is left
            for (const Accesses& a : all) b.performed(a, 1);
            b.step(400);
            CHECK(b.answered(tag));
            b.leave();
            CHECK(b.freed());
            CHECK(u.fault() == "");
        }
    }
}
