// What only computes has a form and a call of its own. Both do what the instruction does in the general one.
#include <deque>
#include <random>

#include "catch.hpp"
#include "exec/timing/timing_model.hpp"

using namespace gsu;
using namespace gsu::timing;

namespace {

/// One instruction in both forms.
struct Both {
    std::vector<Register> registers;
    unsigned reads{};
    Instruction general;
    Computation computation;
};

/// A number below n.
unsigned below(unsigned n, std::mt19937& random) { return static_cast<unsigned>(random() % n); }

Both bothOf(std::mt19937& random, Register base)
{
    using enum InstructionClass;
    constexpr std::array kClasses{Fma,     Packed,  MinMax, Integer, Wide,
                                  Convert, Special, Count,  Double};
    Both b;
    Computation& c = b.computation;
    c.cls = kClasses[random() % kClasses.size()];
    c.kind = random() % 8 == 0 ? Computation::Kind::Renames : Computation::Kind::Issues;
    const unsigned reads = below(4, random), named = reads + below(3, random);
    std::vector<Register> registers;
    for (unsigned i = 0; i < named; ++i) {
        registers.push_back(below(12, random));
        b.registers.push_back(base + registers.back());
    }
    const std::span all(std::as_const(registers));
    c.name(all.first(reads), all.subspan(reads));
    b.reads = reads;
    if (c.kind == Computation::Kind::Issues && random() % 4 != 0) c.pad();
    b.general.cls = c.cls;
    return b;
}

}  // namespace

TEST_CASE("what only computes issues as any other instruction does")
{
    const unsigned seed = 3;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    TimingParams params = timingParamsOf(Target::Hopper);
    params.window = GENERATE(1u, 5u, 16u);
    const auto one = serverTiming(params, 1), other = serverTiming(params, 1);
    constexpr Register kBase[]{0, 40, 7};
    std::vector<WarpTiming*> computing, general;
    for (unsigned w = 0; w < 3; ++w) {
        computing.push_back(one->direct(one->enter({0, 0, w % 2, 1, 1}, 0)));
        general.push_back(other->direct(other->enter({0, 0, w % 2, 1, 1}, 0)));
        computing.back()->room(kBase[w], kBase[w] + 12);
    }
    std::deque<Both> all;
    unsigned held = 0, plains = 0, others = 0;
    Cycle now = 0;
    for (unsigned i = 0; i < 6000; ++i) {
        const unsigned w = below(3, random);
        Both& b = all.emplace_back(bothOf(random, kBase[w]));
        const std::span named(std::as_const(b.registers));
        b.general.reads = named.first(b.reads);
        b.general.writes = named.subspan(b.reads);
        if (b.computation.kind == Computation::Kind::Renames) {
            computing[w]->rename(b.computation);
            general[w]->rename(b.general);
        } else if (random() % 10 == 0) {  // a load, in the same form for both
            b.general.cls = InstructionClass::Memory;
            b.general.order = Order::Load;
            const Cycle issued = computing[w]->issue(b.general, now);
            REQUIRE(general[w]->issue(b.general, now) == issued);
            Cycle ready = issued + random() % 900;
            if (random() % 2 == 0)
                ready -= ready % 4;  // sometimes with others: the first one counts
            computing[w]->loads(b.general, ready, Stall::GlobalResult);
            general[w]->loads(b.general, ready, Stall::GlobalResult);
        } else {
            for (;;) {
                const Attempt want = general[w]->issueAhead(b.general, b.general.cls, now);
                computing[w]->turn(now);
                const bool plain = b.computation.kind == Computation::Kind::Plain;
                const Cycle when = plain ? computing[w]->computePlain(b.computation, now)
                                         : computing[w]->computeOther(b.computation, now);
                (plain ? plains : others) += want.issued ? 1 : 0;
                REQUIRE(when == (want.issued ? 0 : want.at));
                if (want.issued) break;
                ++held;
                now = when;
            }
        }
        REQUIRE(computing[w]->front() == general[w]->front());
        REQUIRE(computing[w]->underWay(Drain::Sm).at == general[w]->underWay(Drain::Sm).at);
        if (random() % 100 == 0) now += random() % 50;
    }
    CHECK(held > 100);
    CHECK(plains > 500);
    CHECK(others > 500);
    const auto &mine = one->ledger().accounts(), &theirs = other->ledger().accounts();
    REQUIRE(mine.size() == 2);
    for (const auto& [role, account] : mine) CHECK(account.clocks == theirs.at(role).clocks);
    const auto busy = one->utilisation(now), want = other->utilisation(now);
    REQUIRE(busy.size() == want.size());
    for (std::size_t i = 0; i < busy.size(); ++i) CHECK(busy[i].share == want[i].share);
}
