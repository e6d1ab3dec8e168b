// The model as the executor calls it: launch, reuse of handles, the model without time.
#include "catch.hpp"
#include "exec/timing/fence_server.hpp"
#include "timing/driver.hpp"

using namespace gsu;
using namespace gsu::timing;
using namespace gsu::timing::test;

TEST_CASE("the first CTAs start after the launch, later ones when a slot has been filled again")
{
    const auto model = serverTiming(timingParamsOf(Target::Hopper), 1);
    CHECK(model->starts(0) == 5500);
    CHECK(model->starts(20'000) == 20'285);
}

TEST_CASE("four warps hide each other's latency on one scheduler")
{
    const auto end = [](unsigned warps) {
        Stream s;
        for (unsigned i = 0; i < 64; ++i) s.op(InstructionClass::Fma, {1}, {1});
        Driver d(timingParamsOf(Target::Hopper));
        for (unsigned w = 0; w < warps; ++w) d.add(s, 0, 4 * w);
        Cycle last = 0;
        for (const Trace& t : d.run()) last = std::max(last, t.issued.back());
        return last;
    };
    CHECK(end(1) == 63 * 4);
    CHECK(end(4) == 255);  // every clock
    CHECK(end(8) == 511);
}

TEST_CASE("32 independent loads take about one latency, not 32")
{
    Stream s;
    for (Register r = 1; r <= 32; ++r) {
        MemoryAccess m;
        m.where = MemoryAccess::Where::Global;
        m.lanes = lanesFrom(256ull * r);
        s.load(r, 0, m);
    }
    s.drain();
    Driver d(timingParamsOf(Target::Hopper));
    d.add(s);
    const Cycle end = d.run().front().end;
    CHECK(end > 744);
    CHECK(end < 1000);
}

TEST_CASE("a handle is used again, and knows nothing of its former warp")
{
    const auto model = serverTiming(timingParamsOf(Target::Hopper), 1);
    const WarpHandle first = model->enter({0, 0, 0, 1, 1}, 0);
    const std::vector<Register> r{1};
    MemoryAccess m;
    m.lanes = lanesFrom(0);
    const Instruction load{InstructionClass::Memory, {}, r, Order::Load, {}, 0, 0};
    (void)model->load(first, load, m, model->issue(first, load, 0));
    CHECK(model->earliest(first, {InstructionClass::Fma, r, {}, Order::Free, {}, 0, 0}).at == 24);
    model->leave(first, 40);
    const WarpHandle second = model->enter({0, 0, 0, 2, 2}, 10);
    CHECK(second == first);
    CHECK(model->earliest(second, {InstructionClass::Fma, r, {}, Order::Free, {}, 0, 0}).at == 10);
}

TEST_CASE("beside wgmma arithmetic, stores to shared memory and views of them take longer")
{
    constexpr unsigned kCount = 96;
    struct Ends {
        Cycle arithmetic{}, stores{}, view{}, again{};
    };
    const auto measured = [&](bool beside) {
        const auto model = serverTiming(timingParamsOf(Target::Hopper), 1);
        const WarpHandle products = model->enter({0, 1, 0, 1, 1}, 0);
        const WarpHandle warp = model->enter({0, 0, 0, 2, 2}, 0);
        Product product;
        product.n = 192;
        for (unsigned i = 0; beside && i < 40; ++i) (void)model->product(products, product, 0);
        const std::vector<Register> r{1};
        Ends ends;
        for (unsigned i = 0; i < kCount; ++i) {
            const std::vector<Register> to{2 + i};
            const Instruction ex2{InstructionClass::Special, r, to, Order::Free, {}, 0, 0};
            ends.arithmetic = model->issue(warp, ex2, ends.arithmetic);
        }
        MemoryAccess m;
        m.where = MemoryAccess::Where::Shared;
        m.lanes = lanesFrom(0);
        for (unsigned i = 0; i < 10; ++i) ends.stores = model->store(warp, m, 100);
        ends.view = model->view(warp, 200);
        ends.again = model->view(warp, 300);
        return ends;
    };
    const Ends alone = measured(false), beside = measured(true);
    CHECK(alone.arithmetic == (kCount - 1) * 8);
    CHECK(beside.arithmetic > (kCount - 4) / 3 * 32);
    CHECK(beside.arithmetic <= kCount / 3 * 32);
    CHECK(alone.stores == 110);
    CHECK(beside.stores == 120);  // in turn with operands
    CHECK(alone.view == 5);
    CHECK(beside.view == 25);
    CHECK(beside.again == 5);  // nothing was stored since
}

TEST_CASE("a fence beyond the CTA waits for the copies into its SM that were under way, and for no "
          "later ones")
{
    TimingParams p = timingParamsOf(Target::Hopper);
    p.sms = 2;
    const Run run{0, 16384};
    const std::array<unsigned, 1> own{0};
    const Instruction fence{InstructionClass::Control, {}, {}, Order::Fixed, {}, 0, 0};
    const auto copied = [&](TimingModel& model, Cycle at) {
        return model.copyIn(0, {{&run, 1}, 16384}, own, at).last;
    };
    const auto model = serverTiming(p, 2);
    const WarpHandle warp = model->enter({0, 0, 0, 1, 1}, 0);
    const WarpHandle other = model->enter({1, 0, 0, 2, 2}, 0);
    const Cycle last = copied(*model, 0);
    REQUIRE(last > 900);
    CHECK(model->drained(warp, Drain::Sm, 0).at == 0);
    CHECK(model->drained(warp, Drain::Chip, 0).at == 0);
    CHECK(model->drained(warp, Drain::Fence, 0).at == last - p.fence_overlap);
    CHECK(model->drained(warp, Drain::Fence, 0).cause == Stall::Fence);
    CHECK(model->drained(other, Drain::Fence, 0).at == 0);  // another SM: no
    REQUIRE(copied(*model, 500) > last);
    CHECK(model->drained(warp, Drain::Fence, 0).at == last - p.fence_overlap);
    CHECK(model->fencesAmidCopies() == 0);
    (void)model->issue(warp, fence, last - p.fence_overlap);
    CHECK(model->fencesAmidCopies() == 1);

    // The next one asks anew; when the copies are done, it is not among them.
    const Cycle then = copied(*model, 1000);
    CHECK(model->drained(warp, Drain::Fence, 0).at == then - p.fence_overlap);
    (void)model->issue(warp, fence, then);
    CHECK(model->fencesAmidCopies() == 1);

    p.fence_copies = 0;
    const auto without = serverTiming(p, 1);
    const WarpHandle free = without->enter({0, 0, 0, 1, 1}, 0);
    (void)copied(*without, 0);
    CHECK(without->drained(free, Drain::Fence, 0).at == 0);
}

TEST_CASE("fences that come while one is sent off go together afterwards")
{
    FenceServer fences(170);
    CHECK(fences.next(0) == 0);
    fences.begin(0);
    CHECK(fences.next(19) == 19);  // with the first
    CHECK(fences.next(20) == 170);
    CHECK(fences.next(100) == 170);
    CHECK(fences.next(400) == 400);
    fences.begin(170);
    fences.begin(175);  // goes with it: the next one is not later for that
    CHECK(fences.next(189) == 189);
    CHECK(fences.next(190) == 340);
}

TEST_CASE("the second fence of an SM begins fence_interval after the first, that of another SM at "
          "once")
{
    TimingParams p = timingParamsOf(Target::Hopper);
    p.sms = 2;
    const auto model = serverTiming(p, 2);
    const WarpHandle first = model->enter({0, 0, 0, 1, 1}, 0);
    const WarpHandle second = model->enter({0, 1, 0, 1, 1}, 0);
    const WarpHandle other = model->enter({1, 0, 0, 2, 2}, 0);
    const Instruction fence{InstructionClass::Control, {}, {}, Order::Fixed, {}, 0, 0};
    CHECK(model->drained(first, Drain::Fence, 1000).at <= 1000);
    (void)model->issue(first, fence, 1000);
    CHECK(model->drained(second, Drain::Fence, 1050).at == 1000 + p.fence_interval);
    CHECK(model->drained(second, Drain::Fence, 1050).cause == Stall::Fence);
    CHECK(model->drained(second, Drain::Chip, 1050).at <= 1050);  // no fence
    CHECK(model->drained(other, Drain::Fence, 1050).at <= 1050);
}

TEST_CASE("simple takes no time for anything")
{
    const auto model = simpleTiming();
    CHECK_FALSE(model->active());
    const WarpHandle w = model->enter({}, 5);
    const Instruction fma{InstructionClass::Fma, {}, {}, Order::Free, {}, 0, 0};
    CHECK(model->earliest(w, fma).at == 0);
    CHECK(model->issue(w, fma, 7) == 7);
    CHECK(model->load(w, fma, {}, 8) == 8);
    CHECK(model->store(w, {}, 9) == 9);
    CHECK(model->product(w, {}, 10).done == 10);
    CHECK(model->copyOut(0, {}, 11).last == 11);
    CHECK(model->drained(w, Drain::Fence, 0).at == 0);
    CHECK(model->starts(12) == 12);
    model->leave(w, 20);
    CHECK(model->ledger().accounts().empty());
    CHECK(model->utilisation(20).empty());
}

TEST_CASE("the same calls give the same times")
{
    const auto run = [] {
        Driver d(timingParamsOf(Target::Blackwell), 2);
        for (unsigned w = 0; w < 24; ++w) {
            Stream s;
            for (unsigned i = 0; i < 40; ++i) {
                MemoryAccess m;
                m.where = i % 3 == 0 ? MemoryAccess::Where::Global : MemoryAccess::Where::Shared;
                m.lanes = lanesFrom(4096ull * (w * i % 17), 4, 4 * (1 + i % 5));
                s.load(i, 0, m).op(InstructionClass::Fma, {100 + i}, {i}).store(i, 1, m);
            }
            d.add(s, w % 2, w / 2);
        }
        std::vector<Cycle> all;
        for (const Trace& t : d.run()) all.insert(all.end(), t.results.begin(), t.results.end());
        return all;
    };
    CHECK(run() == run());
}
