// Where the time went: sums, and the sentence.
#include "catch.hpp"
#include "timing/driver.hpp"

using namespace gsu;
using namespace gsu::timing;
using namespace gsu::timing::test;

namespace {

Cycle of(const Ledger::Account& a, Stall cause)
{
    return a.clocks[static_cast<std::size_t>(cause)];
}

}  // namespace

TEST_CASE("every clock of a warp has one cause", "[ledger]")
{
    MemoryAccess shared, global;
    shared.lanes = lanesFrom(0);
    global.where = MemoryAccess::Where::Global;
    global.lanes = lanesFrom(0);
    Stream s;
    s.load(1, 0, shared).op(InstructionClass::Fma, {2}, {1});     // 0, 29
    s.op(InstructionClass::Special, {3}, {2});                    // 33
    s.op(InstructionClass::Fma, {4}, {3});                        // 52
    s.load(5, 0, global).op(InstructionClass::Fma, {6}, {4, 5});  // 53, then HBM
    TimingParams p = timingParamsOf(Target::Hopper);
    p.window = 1;
    Driver d(p);
    d.add(s);
    const Trace t = d.run().front();
    const Ledger::Account& a = d.model().ledger().accounts().begin()->second;
    CHECK(t.issued == std::vector<Cycle>{0, 24, 28, 45, 46, 607});
    CHECK(of(a, Stall::Issue) == 6);
    CHECK(of(a, Stall::SharedResult) == 23);
    CHECK(of(a, Stall::Fixed) == 3);
    CHECK(of(a, Stall::Special) == 16);
    CHECK(of(a, Stall::GlobalResult) == 560);
    CHECK(a.total() == t.issued.back() + 1);
}

TEST_CASE("a clock that another warp had is charged to the slot", "[ledger]")
{
    Stream s;
    for (Register r = 1; r <= 8; ++r) s.op(InstructionClass::MinMax, {r}, {0});
    Driver d(timingParamsOf(Target::Hopper));
    for (unsigned w = 0; w < 2; ++w) d.add(s, 0, 4 * w);  // of one scheduler
    const auto traces = d.run();
    CHECK(std::max(traces[0].issued.back(), traces[1].issued.back()) == 30);
    Cycle slots = 0, issues = 0;
    for (const auto& [role, a] : d.model().ledger().accounts()) {
        slots += of(a, Stall::Slot);
        issues += of(a, Stall::Issue);
    }
    CHECK(issues == 16);
    CHECK(slots + issues == traces[0].issued.back() + 1 + traces[1].issued.back() + 1);
}

TEST_CASE("sums hold for many warps, with a window, products and copies", "[ledger]")
{
    const Run run{0, 8192};
    Stream producer, consumer;
    producer.copyIn({{&run, 1}, 8192, 64, 1, 1}).waitCopies();
    consumer.loop(5, [](Stream& s, unsigned i) {
        MemoryAccess m;
        m.lanes = lanesFrom(512 * i, 16, 16);
        s.load(1, 0, m).op(InstructionClass::Fma, {2}, {1}).op(InstructionClass::Special, {3}, {0});
        Product p;
        p.n = 128;
        s.product(p).waitProducts(1);
        s.store(2, 0, m);
    });
    consumer.waitProducts().drain();
    Driver d(timingParamsOf(Target::Hopper));
    d.add(producer, 0, 16);
    for (unsigned w = 0; w < 12; ++w) d.add(consumer, 0, w);
    const auto traces = d.run();
    Cycle all = 0;
    for (const auto& [role, account] : d.model().ledger().accounts()) all += account.total();
    Cycle want = 0;
    for (std::size_t w = 0; w < traces.size(); ++w)
        want += std::max(traces[w].end, d.model().front(static_cast<WarpHandle>(w)));
    CHECK(all == want);
    CHECK(all > 10'000);
}

TEST_CASE("waits at barriers are known by line", "[ledger]")
{
    const auto model = serverTiming(timingParamsOf(Target::Hopper), 1);
    const WarpHandle w = model->enter({0, 0, 3, 1, 1}, 100);
    model->waited(w, Stall::Barrier, 150, 41);
    model->waited(w, Stall::Mbarrier, 170, 61);
    model->waited(w, Stall::Mbarrier, 200, 61);
    model->waited(w, Stall::Mbarrier, 190, 62);  // the past is charged
    model->leave(w, 210);
    const auto& [role, a] = *model->ledger().accounts().begin();
    CHECK(role == Ledger::Role{0, 3});
    CHECK(a.barriers == std::map<std::uint32_t, Cycle>{{41, 50}});
    CHECK(a.mbarriers == std::map<std::uint32_t, Cycle>{{61, 50}});
    CHECK(a.total() == 110);
    CHECK(a.warps == 1);
}

TEST_CASE("the bound is a busy server, else what warps wait for most", "[ledger]")
{
    Ledger l;
    CHECK(l.bound({}) == "nothing ran");
    Ledger::Account &first = l.enter({0, 0}), &second = l.enter({0, 1});
    first.charge(Stall::Mbarrier, 300, 61);
    second.charge(Stall::Mbarrier, 300, 70);
    second.charge(Stall::Mbarrier, 10, 61);
    second.charge(Stall::Issue, 390);
    CHECK(l.bound({{"tensor pipe", 0.6}, {"HBM", 0.1}}) ==
          "no server is busy for more than 60 %: warps spend 61 % of their time on mbarrier of "
          "line 61");
    CHECK(l.bound({{"HBM", 0.1}, {"tensor pipe", 0.92}}) ==
          "bound by the tensor pipe, busy for 92 % of the time");
}

TEST_CASE("utilisation is a part of the time, of all SMs", "[ledger]")
{
    Stream s;
    for (unsigned i = 0; i < 8; ++i) {
        Product p;
        p.n = 256;
        s.product(p);
    }
    s.waitProducts();
    Driver d(timingParamsOf(Target::Hopper), 2);
    d.add(s);
    (void)d.run();
    const auto list = d.model().utilisation(d.end());
    const auto tensor = std::find_if(
        list.begin(), list.end(), [](const Utilisation& u) { return u.server == "tensor pipe"; });
    REQUIRE(tensor != list.end());
    CHECK(tensor->share == Approx(8 * 128.0 / static_cast<double>(d.end()) / 2));
    for (const Utilisation& u : list) CHECK((u.share >= 0 && u.share <= 1));
}
